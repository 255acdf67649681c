/* SPDX-License-Identifier: MIT */
/* The pass "perses": syntax-guided reduction (Sun et al., Perses).
 *
 * Nodes wait in a queue, the heaviest (by tokens in the minimum) first: what a query can win decides when it is
 * asked. So a long list whose chunks have become lighter than something that waits goes back into the queue under the
 * weight of a chunk. For each node: its lists of children are shrunk, optional parts being lists of one
 * (perses_list.c); then it is replaced by a descendant that the grammar allows in its place, or by a run of list
 * elements from inside it; then its children enter the queue. Candidates are syntactically valid by construction. One
 * run works on one parse; the engine parses anew and runs it again until nothing changes.
 *
 * Each node that is being worked on is a *task*. With one job there is one task at a time. While the candidates of a
 * task are undecided it does not begin the next sweep or stage, because that depends on what is left of the node;
 * instead the heaviest node that waits becomes another task. Only a guess goes on: first to a next sweep (its chunks
 * are parts of those undecided), then to the replacements and the children.
 *
 * Every success makes the minimum smaller and every failure moves on, so a run ends. */
#include "reduce/pass/pass.h"
#include "reduce/pass/perses_list.h"

#include <string.h>

#define MAX_VISITED 300   /* descendants looked at for replacements */
#define MAX_DEPTH 6       /* below the node */
#define FAR_BELOW 64      /* and where jumps down a chain of nodes begin */
#define MAX_CANDIDATES 20 /* asked about: */
#define MAX_LIGHTEST 10   /* descendants, and of the others the heaviest: what is just below the node fits more often */
#define MAX_SPLICES 4     /* the heaviest */
#define MIN_PUT_OFF 8     /* elements of a list that is worth putting off */

enum stage { STAGE_LIST, STAGE_REPLACE };
struct waiting {
	uint32_t weight, place;
	uint32_t list, chunk; /* chunk > 0: go on with that list of the node, in chunks of that size */
};

/* A descendant to put in the node's place; a splice takes the children from … to of it. */
struct descendant {
	uint32_t node, weight;
	uint32_t from, to; /* places of its first and last spliced child; FOREST_NONE: the node itself */
};

/* A node that is being worked on. */
struct task {
	uint32_t id, place, list;
	uint32_t lists; /* begun so far */
	enum stage stage;
	bool resumed;         /* the node was put off: its children are in the queue already */
	bool put_off;         /* it is again */
	uint32_t list_weight; /* of the node when its list was begun */
	struct list_state shrink;
	VEC(struct descendant) candidates;
	size_t next;   /* candidate */
	uint32_t open; /* candidates undecided */
	bool asked;    /* it had nothing to say before something of it is decided, but for a guess */
	enum guess guessed;
};

struct perses {
	struct pass_state pass;
	struct forest forest;
	VEC(struct waiting) queue; /* a heap */
	VEC(struct task *) task;   /* in the order of their beginning */
	bool *busy;   /* places that wait in the queue or have a task: guesses come to a place by two ways */
	bool several; /* more than one candidate was undecided at a time */
	uint32_t ids;
	bool begun;     /* the comments were asked about */
	uint64_t steps; /* of searches far below */
};

enum { TASK_COMMENTS }; /* of no node; others count from 1 */

/* ---- the queue */

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->place < b->place;
}

static void queue_insert(struct perses *s, struct waiting w)
{
	s->busy[w.place] = true;
	vec_push(&s->queue, w);
	for (size_t i = s->queue.n - 1; i && before(&w, &s->queue.at[(i - 1) / 2]); i = (i - 1) / 2) {
		s->queue.at[i] = s->queue.at[(i - 1) / 2];
		s->queue.at[(i - 1) / 2] = w;
	}
}

static void queue_add(struct perses *s, uint32_t place)
{
	struct waiting w = {.weight = forest_weight(&s->forest, place), .place = place};
	/* a lone token is its parent's to delete */
	if (w.weight > 1 && !(s->several && s->busy[place]))
		queue_insert(s, w);
}

static struct waiting queue_take(struct perses *s)
{
	struct waiting top = s->queue.at[0], w = vec_pop(&s->queue);
	size_t i = 0, n = s->queue.n;
	for (size_t c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && before(&s->queue.at[c + 1], &s->queue.at[c]))
			c++;
		if (before(&w, &s->queue.at[c]))
			break;
		s->queue.at[i] = s->queue.at[c];
	}
	if (n)
		s->queue.at[i] = w;
	s->busy[top.place] = false;
	return top;
}

/* ---- replacements */

static int by_weight(const void *a, const void *b)
{
	const struct descendant *x = a, *y = b;
	if ((x->from != FOREST_NONE) != (y->from != FOREST_NONE))
		return x->from != FOREST_NONE ? 1 : -1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

struct search {
	struct perses *s;
	struct task *t;
	const struct children *around; /* the parent's */
	const struct shape *shape;
	uint32_t at; /* the place among them */
	uint32_t weight;
};

static bool fits(const struct search *q, const uint16_t *letter, uint32_t n)
{
	return q->shape->matched ? shape_accepts(q->shape, q->at, letter, n) : q->around->broken;
}

/* The runs of list elements of `node` that may stand in the place. */
static void consider_splices(const struct search *q, uint32_t node)
{
	struct children c;
	children_of(&q->s->forest, node, &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	for (size_t i = 0; h->matched && i < h->n_lists; i++) {
		const struct shape_list *l = &h->list[i];
		const struct shape_element *first = &h->element[l->first], *last = first + l->n - 1;
		if (l->n < 2 || !fits(q, c.letter + first->from, last->to - first->from))
			continue;
		struct span a = forest_span(&q->s->forest, c.place[first->from]);
		struct span b = forest_span(&q->s->forest, c.place[last->to - 1]);
		uint32_t w = model_count(q->s->forest.model, a.from, b.to);
		if (w && w < q->weight)
			vec_push(&q->t->candidates,
				 ((struct descendant){node, w, c.place[first->from], c.place[last->to - 1]}));
	}
	shape_drop(h);
	children_release(&c);
}

static void search_below(const struct search *q, uint32_t node)
{
	struct perses *s = q->s;
	struct {
		uint32_t node, depth;
	} seen[MAX_VISITED];
	size_t n = 0;
	seen[n].node = node;
	seen[n++].depth = 0;
	for (size_t i = 0; i < n; i++) {
		struct children c;
		if (seen[i].depth < 3)
			consider_splices(q, seen[i].node);
		if (seen[i].depth == MAX_DEPTH)
			continue;
		children_of(&s->forest, seen[i].node, &c);
		for (uint32_t k = 0; k < c.n && n < MAX_VISITED; k++) {
			uint32_t d = forest_at(&s->forest, c.place[k]), w = forest_weight(&s->forest, d);
			if (!w)
				continue;
			if (w < q->weight && fits(q, &c.letter[k], 1))
				vec_push(&q->t->candidates, ((struct descendant){d, w, FOREST_NONE, FOREST_NONE}));
			seen[n].node = d;
			seen[n++].depth = seen[i].depth + 1;
		}
		children_release(&c);
	}
}

/* Deep nesting: down the heaviest child each time, a descendant at 64, 128, 256 … levels. Without it each level of a
 * chain of brackets would be a question. The steps of all searches of a run are bounded. */
static void search_far_below(const struct search *q, uint32_t node)
{
	struct perses *s = q->s;
	for (uint32_t depth = 1, next = FAR_BELOW; s->steps < 8 * (uint64_t)forest_nodes(&s->forest); depth++) {
		struct children c;
		uint32_t best = 0, weight = 0;
		children_of(&s->forest, node, &c);
		for (uint32_t k = 0; k < c.n; k++) {
			uint32_t w = forest_weight(&s->forest, c.place[k]);
			if (w > weight) {
				best = k;
				weight = w;
			}
		}
		node = weight ? forest_at(&s->forest, c.place[best]) : FOREST_NONE;
		if (weight && depth >= next && weight < q->weight && fits(q, &c.letter[best], 1)) {
			vec_push(&q->t->candidates, ((struct descendant){node, weight, FOREST_NONE, FOREST_NONE}));
			next = 2 * depth;
		}
		s->steps += c.n + 1;
		children_release(&c);
		if (weight < FAR_BELOW / 2 || node == FOREST_SPLICED)
			break;
	}
}

/* The text of a descendant that is one token. */
static uint32_t lone_text(const struct perses *s, const struct descendant *d)
{
	const struct model *m = s->forest.model;
	return m->min[m->rank[forest_span(&s->forest, d->node).from]];
}

/* Leaves the first of lone tokens with the same text, and of too many candidates the lightest and the heaviest. */
static void choose_candidates(const struct perses *s, struct task *t)
{
	struct descendant *c = t->candidates.at;
	size_t n = 0, whole = 0;
	for (size_t i = 0; i < t->candidates.n; i++) {
		bool twice = false;
		for (size_t k = 0; c[i].weight == 1 && k < n && c[k].weight == 1 && !twice; k++)
			twice = lone_text(s, &c[k]) == lone_text(s, &c[i]);
		if (!twice) {
			c[n++] = c[i];
			whole = c[i].from == FOREST_NONE ? n : whole;
		}
	}
	t->candidates.n = n < MAX_CANDIDATES ? n : MAX_CANDIDATES;
	if (n <= MAX_CANDIDATES)
		return;
	size_t splices = n - whole;
	if (splices > MAX_SPLICES && whole > MAX_CANDIDATES - MAX_SPLICES)
		splices = MAX_SPLICES;
	else if (splices > MAX_SPLICES)
		splices = MAX_CANDIDATES - whole;
	size_t nodes = MAX_CANDIDATES - splices, light = nodes < MAX_LIGHTEST ? nodes : MAX_LIGHTEST;
	memmove(c + light, c + whole - (nodes - light), (nodes - light) * sizeof *c);
	memmove(c + nodes, c + n - splices, splices * sizeof *c);
}

static void find_candidates(struct perses *s, struct task *t)
{
	uint32_t node = forest_at(&s->forest, t->place), parent = forest_parent(&s->forest, t->place);
	vec_clear(&t->candidates);
	t->next = 0;
	if (parent == FOREST_NONE || node == FOREST_SPLICED)
		return;
	struct children c;
	children_of(&s->forest, parent, &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	struct search q = {s, t, &c, h, 0, forest_weight(&s->forest, node)};
	while (q.at < c.n && c.place[q.at] != t->place)
		q.at++;
	if (q.at < c.n)
		search_below(&q, node);
	if (q.at < c.n && q.weight > FAR_BELOW)
		search_far_below(&q, node);
	shape_drop(h);
	children_release(&c);
	if (t->candidates.n)
		qsort(t->candidates.at, t->candidates.n, sizeof *t->candidates.at, by_weight);
	choose_candidates(s, t);
}

static void replace(const struct perses *s, const struct task *t, struct candidate *out)
{
	const struct descendant *c = &t->candidates.at[t->next];
	struct span all = forest_span(&s->forest, t->place), in = forest_span(&s->forest, c->node);
	if (c->from != FOREST_NONE)
		in = (struct span){forest_span(&s->forest, c->from).from, forest_span(&s->forest, c->to).to};
	edit_remove(&out->edit, all.from, in.from);
	edit_remove(&out->edit, in.to, all.to);
	out->class = CLASS_REPLACE;
	out->group = t->place + 1;
	/* what stands in the place then, and the node to look at next */
	out->from = c->from == FOREST_NONE ? c->node : FOREST_SPLICED;
	out->to = c->from == FOREST_NONE ? t->place : c->node;
}

/* ---- tasks */

static struct task *task_new(struct perses *s, const struct waiting *w)
{
	struct task *t = mem_zalloc(sizeof *t);
	uint32_t node = forest_at(&s->forest, w->place);
	t->id = ++s->ids;
	t->place = w->place;
	s->busy[t->place] = true;
	t->list = w->list;
	t->resumed = w->chunk > 0;
	if (t->resumed && node != FOREST_SPLICED) {
		t->list_weight = forest_weight(&s->forest, node);
		if (list_start(&t->shrink, &s->forest, node, t->list))
			list_skip_to(&t->shrink, w->chunk);
	}
	vec_push(&s->task, t);
	return t;
}

static void task_free(struct task *t)
{
	list_release(&t->shrink);
	vec_release(&t->candidates);
	free(t);
}

static void task_end(struct perses *s, struct task *t)
{
	size_t i = 0;
	s->busy[t->place] = t->put_off;
	while (s->task.at[i] != t)
		i++;
	memmove(s->task.at + i, s->task.at + i + 1, (--s->task.n - i) * sizeof *s->task.at);
	task_free(t);
}

static void queue_children(struct perses *s, const struct task *t)
{
	struct children c;
	uint32_t node = forest_at(&s->forest, t->place);
	if (node == FOREST_SPLICED)
		return;
	children_of(&s->forest, node, &c);
	for (uint32_t i = 0; i < c.n + c.n_extras; i++)
		queue_add(s, c.place[i]);
	children_release(&c);
}

/* Between two sweeps of a list: puts the node off if something that waits, or one of its children, weighs more than the
 * next chunks. */
static bool put_off(struct perses *s, struct task *t, uint32_t node)
{
	uint32_t chunk = list_next_chunk(&t->shrink), left = t->shrink.left.n;
	if (!chunk || left < MIN_PUT_OFF)
		return false;
	uint32_t mean = (uint32_t)((uint64_t)forest_weight(&s->forest, node) * chunk / left);
	if (!t->resumed) {
		t->resumed = true;
		queue_children(s, t);
	}
	if (!s->queue.n || s->queue.at[0].weight <= mean)
		return false;
	queue_insert(s, (struct waiting){mean, t->place, t->list, chunk});
	t->put_off = true;
	return true;
}

/* The next candidate of the node's lists. MADE_END: there are none any more, or the node was put off (*off). */
static enum made shrink_lists(struct perses *s, struct task *t, struct candidate *out, enum guess g, bool *off)
{
	uint32_t node = forest_at(&s->forest, t->place);
	while (node != FOREST_SPLICED) {
		if (!t->shrink.begun) {
			t->list_weight = forest_weight(&s->forest, node);
			t->lists++;
			if (!list_start(&t->shrink, &s->forest, node, t->list))
				break;
		}
		bool sweep = !t->open || g >= GUESS_SWEEP;
		if (!t->shrink.from && sweep && (*off = put_off(s, t, node)))
			return MADE_END;
		enum made made = list_next(&t->shrink, &s->forest, sweep, out);
		if (made != MADE_END)
			return made;
		if (t->open && g < GUESS_STAGE)
			return MADE_NONE;
		/* a list that is gone leaves its number to the next one */
		if (t->shrink.left.n || forest_weight(&s->forest, node) == t->list_weight)
			t->list++;
		list_release(&t->shrink);
	}
	return MADE_END;
}

/* MADE_END: the task is over. */
static enum made task_next(struct perses *s, struct task *t, struct candidate *out, enum guess g)
{
	bool off = false;
	if (t->stage == STAGE_LIST) {
		enum made made = shrink_lists(s, t, out, g, &off);
		if (made != MADE_END || off)
			return made;
		t->stage = STAGE_REPLACE;
		find_candidates(s, t);
	}
	if (t->next < t->candidates.n) {
		replace(s, t, out);
		t->next++;
		return MADE_ONE;
	}
	if (t->open && g < GUESS_STAGE)
		return MADE_NONE;
	if (!t->resumed)
		queue_children(s, t);
	return MADE_END;
}

/* Takes the heaviest node; one that became lighter while it waited goes back. False: none waits. */
static bool pick(struct perses *s, struct waiting *w)
{
	while (s->queue.n) {
		*w = queue_take(s);
		if (w->chunk || forest_weight(&s->forest, w->place) == w->weight)
			return true;
		queue_add(s, w->place);
	}
	return false;
}

static bool all_comments(const struct perses *s, struct edit *out)
{
	const struct model *m = s->forest.model;
	for (size_t i = 0; i < m->n_files; i++) {
		const struct syntax *x = m->file[i].syntax;
		for (uint32_t t = 0; t < x->n_tokens; t++)
			if (x->token[t].flags & TOKEN_COMMENT)
				edit_remove(out, m->file[i].first + t, m->file[i].first + t + 1);
	}
	return out->remove.n > 0;
}

/* A candidate of a task that is there already. */
static bool ask_tasks(struct perses *s, struct candidate *out, enum guess g)
{
	for (size_t i = 0; i < s->task.n;) {
		struct task *t = s->task.at[i];
		enum made made = t->asked && g <= t->guessed ? MADE_NONE : task_next(s, t, out, g);
		t->asked = made == MADE_NONE;
		t->guessed = g > t->guessed ? g : t->guessed;
		if (made == MADE_ONE) {
			t->guessed = GUESS_NOTHING;
			out->task = t->id;
			out->part = t->lists;
			t->open++;
			s->several = s->several || s->pass.open;
			t->shrink.several = s->several;
			return true;
		}
		if (made == MADE_END)
			task_end(s, t);
		else
			i++;
	}
	return false;
}

static enum made perses_next(void *state, struct candidate *out, enum guess guess)
{
	struct perses *s = state;
	if (!s->begun) {
		s->begun = true;
		if (all_comments(s, &out->edit)) {
			out->task = TASK_COMMENTS;
			out->class = CLASS_MANY;
			return MADE_ONE;
		}
	}
	for (;;) {
		if (ask_tasks(s, out, GUESS_NOTHING))
			return MADE_ONE;
		struct waiting w;
		if (!pick(s, &w))
			break;
		task_new(s, &w);
	}
	for (enum guess g = GUESS_SWEEP; g <= guess; g++)
		if (ask_tasks(s, out, g))
			return MADE_ONE;
	return MADE_END;
}

static void perses_result(void *state, const struct candidate *c, bool success)
{
	struct perses *s = state;
	size_t i = 0;
	while (i < s->task.n && s->task.at[i]->id != c->task)
		i++;
	struct task *t = i < s->task.n ? s->task.at[i] : NULL;
	if (t) {
		t->open--;
		t->asked = false;
		t->guessed = GUESS_NOTHING;
	}
	if (c->class != CLASS_REPLACE) {
		if (t && t->shrink.begun && t->lists == c->part)
			list_result(&t->shrink, c, success);
	} else if (success) {
		forest_move(&s->forest, c->group - 1, c->from);
		if (t)
			task_end(s, t);
		queue_add(s, c->to);
	}
}

static void perses_begin(void *state)
{
	struct perses *s = state;
	struct model *m = s->pass.model;
	forest_init(&s->forest, m);
	s->busy = mem_zalloc((size_t)forest_nodes(&s->forest) + 1);
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].syntax->n_nodes)
			queue_add(s, forest_root(&s->forest, i));
}

static void perses_release(void *state)
{
	struct perses *s = state;
	forest_release(&s->forest);
	for (size_t i = 0; i < s->task.n; i++)
		task_free(s->task.at[i]);
	vec_release_all(&s->queue, &s->task);
	free(s->busy);
}

static const struct pass_frame frame = {sizeof(struct perses), perses_next, perses_result, perses_release, NULL};

const struct pass pass_perses = {"perses",
				 "lists, optional parts and replacements by descendants, guided by the grammar",
				 PASS_FIXPOINT, perses_begin, &frame};
