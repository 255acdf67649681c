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
 * Every success makes the minimum smaller and every failure moves on, so a run ends. */
#include "reduce/pass/pass.h"
#include "reduce/pass/perses_list.h"

#include <string.h>

#define MAX_VISITED 300   /* descendants looked at for replacements */
#define MAX_DEPTH 6       /* below the node */
#define MAX_CANDIDATES 20 /* asked about */
#define MIN_PUT_OFF 8     /* elements of a list that is worth putting off */

enum stage { STAGE_COMMENTS, STAGE_PICK, STAGE_LIST, STAGE_REPLACE, STAGE_END };

struct waiting {
	uint32_t weight, place;
	uint32_t list, chunk; /* chunk > 0: go on with that list of the node, in chunks of that size */
};

/* A descendant to put in the node's place; a splice takes the children from … to of it. */
struct candidate {
	uint32_t node, weight;
	uint32_t from, to; /* places of its first and last spliced child; FOREST_NONE: the node itself */
};

struct perses {
	struct forest forest;
	enum stage stage;
	struct {
		VEC_FIELDS(struct waiting);
	} queue; /* a heap */
	uint32_t place, list;
	bool resumed;         /* the node was put off: its children are in the queue already */
	uint32_t list_weight; /* of the node when its list was begun */
	struct list_state shrink;
	struct {
		VEC_FIELDS(struct candidate);
	} candidates;
	size_t next; /* candidate */
};

/* ---- the queue */

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->place < b->place;
}

static void queue_insert(struct perses *s, struct waiting w)
{
	vec_push(&s->queue, w);
	for (size_t i = s->queue.n - 1; i && before(&w, &s->queue.at[(i - 1) / 2]); i = (i - 1) / 2) {
		s->queue.at[i] = s->queue.at[(i - 1) / 2];
		s->queue.at[(i - 1) / 2] = w;
	}
}

static void queue_add(struct perses *s, uint32_t place)
{
	struct waiting w = {.weight = forest_weight(&s->forest, place), .place = place};
	if (w.weight > 1) /* a lone token is its parent's to delete */
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
	return top;
}

/* ---- replacements */

static int by_weight(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if ((x->from != FOREST_NONE) != (y->from != FOREST_NONE))
		return x->from != FOREST_NONE ? 1 : -1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

struct search {
	struct perses *s;
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
			vec_push(&q->s->candidates,
				 ((struct candidate){node, w, c.place[first->from], c.place[last->to - 1]}));
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
				vec_push(&s->candidates, ((struct candidate){d, w, FOREST_NONE, FOREST_NONE}));
			seen[n].node = d;
			seen[n++].depth = seen[i].depth + 1;
		}
		children_release(&c);
	}
}

static void find_candidates(struct perses *s)
{
	uint32_t node = forest_at(&s->forest, s->place), parent = forest_parent(&s->forest, s->place);
	vec_clear(&s->candidates);
	s->next = 0;
	if (parent == FOREST_NONE || node == FOREST_SPLICED)
		return;
	struct children c;
	children_of(&s->forest, parent, &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	struct search q = {s, &c, h, 0, forest_weight(&s->forest, node)};
	while (q.at < c.n && c.place[q.at] != s->place)
		q.at++;
	if (q.at < c.n)
		search_below(&q, node);
	shape_drop(h);
	children_release(&c);
	if (s->candidates.n)
		qsort(s->candidates.at, s->candidates.n, sizeof *s->candidates.at, by_weight);
	if (s->candidates.n > MAX_CANDIDATES)
		s->candidates.n = MAX_CANDIDATES;
}

static void replace(const struct perses *s, const struct candidate *c, struct edit *out)
{
	struct span all = forest_span(&s->forest, s->place), in = forest_span(&s->forest, c->node);
	if (c->from != FOREST_NONE)
		in = (struct span){forest_span(&s->forest, c->from).from, forest_span(&s->forest, c->to).to};
	edit_remove(out, all.from, in.from);
	edit_remove(out, in.to, all.to);
}

/* ---- the stages */

static void queue_children(struct perses *s)
{
	struct children c;
	uint32_t node = forest_at(&s->forest, s->place);
	if (node == FOREST_SPLICED)
		return;
	children_of(&s->forest, node, &c);
	for (uint32_t i = 0; i < c.n + c.n_extras; i++)
		queue_add(s, c.place[i]);
	children_release(&c);
}

static void begin_node(struct perses *s, const struct waiting *w)
{
	uint32_t node = forest_at(&s->forest, w->place);
	s->place = w->place;
	s->list = w->list;
	s->resumed = w->chunk > 0;
	s->stage = STAGE_LIST;
	if (s->resumed && node != FOREST_SPLICED) {
		s->list_weight = forest_weight(&s->forest, node);
		if (list_start(&s->shrink, &s->forest, node, s->list))
			list_skip_to(&s->shrink, w->chunk);
	}
}

/* Between two sweeps of a list: puts the node off if something that waits, or one of its children, weighs more than the
 * next chunks. */
static bool put_off(struct perses *s, uint32_t node)
{
	uint32_t chunk = list_next_chunk(&s->shrink), left = s->shrink.n_left;
	if (!chunk || left < MIN_PUT_OFF)
		return false;
	uint32_t mean = (uint32_t)((uint64_t)forest_weight(&s->forest, node) * chunk / left);
	if (!s->resumed) {
		s->resumed = true;
		queue_children(s);
	}
	if (!s->queue.n || s->queue.at[0].weight <= mean)
		return false;
	queue_insert(s, (struct waiting){mean, s->place, s->list, chunk});
	list_release(&s->shrink);
	s->stage = STAGE_PICK;
	return true;
}

/* Takes the heaviest node; one that became lighter while it waited goes back. */
static void pick(struct perses *s)
{
	for (;;) {
		if (!s->queue.n) {
			s->stage = STAGE_END;
			return;
		}
		struct waiting w = queue_take(s);
		if (w.chunk || forest_weight(&s->forest, w.place) == w.weight) {
			begin_node(s, &w);
			return;
		}
		queue_add(s, w.place);
	}
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

/* The next candidate of the node's lists, or STAGE_REPLACE. */
static bool shrink_lists(struct perses *s, struct edit *out)
{
	uint32_t node = forest_at(&s->forest, s->place);
	while (node != FOREST_SPLICED) {
		if (!s->shrink.view) {
			s->list_weight = forest_weight(&s->forest, node);
			if (!list_start(&s->shrink, &s->forest, node, s->list))
				break;
		}
		if (put_off(s, node))
			return false;
		if (list_next(&s->shrink, &s->forest, out))
			return true;
		/* a list that is gone leaves its number to the next one */
		if (s->shrink.n_left || forest_weight(&s->forest, node) == s->list_weight)
			s->list++;
		list_release(&s->shrink);
	}
	s->stage = STAGE_REPLACE;
	find_candidates(s);
	return false;
}

static bool perses_next(void *state, struct edit *out)
{
	struct perses *s = state;
	for (;;) {
		switch (s->stage) {
		case STAGE_COMMENTS:
			if (all_comments(s, out))
				return true;
			s->stage = STAGE_PICK;
			break;
		case STAGE_PICK:
			pick(s);
			break;
		case STAGE_LIST:
			if (shrink_lists(s, out))
				return true;
			break;
		case STAGE_REPLACE:
			if (s->next < s->candidates.n) {
				replace(s, &s->candidates.at[s->next], out);
				return true;
			}
			if (!s->resumed)
				queue_children(s);
			s->stage = STAGE_PICK;
			break;
		case STAGE_END:
			return false;
		}
	}
}

static void perses_result(void *state, bool success)
{
	struct perses *s = state;
	if (s->stage == STAGE_COMMENTS) {
		s->stage = STAGE_PICK;
	} else if (s->stage == STAGE_LIST) {
		list_result(&s->shrink, success);
	} else if (!success) {
		s->next++;
	} else {
		struct candidate c = s->candidates.at[s->next];
		forest_move(&s->forest, s->place, c.from == FOREST_NONE ? c.node : FOREST_SPLICED);
		queue_add(s, c.from == FOREST_NONE ? s->place : c.node);
		s->stage = STAGE_PICK;
	}
}

static void *perses_start(struct model *m, uint64_t seed)
{
	struct perses *s = mem_zalloc(sizeof *s);
	(void)seed;
	forest_init(&s->forest, m);
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].syntax->n_nodes)
			queue_add(s, forest_root(&s->forest, i));
	return s;
}

static void *perses_clone(const void *state)
{
	const struct perses *from = state;
	struct perses *s = mem_dup(from, sizeof *from);
	forest_copy(&s->forest, &from->forest);
	s->queue.at = mem_dup(from->queue.at, mem_mul(from->queue.n, sizeof *from->queue.at));
	s->queue.cap = from->queue.n;
	s->candidates.at = mem_dup(from->candidates.at, mem_mul(from->candidates.n, sizeof *from->candidates.at));
	s->candidates.cap = from->candidates.n;
	list_copy(&s->shrink, &from->shrink);
	return s;
}

static void perses_free(void *state)
{
	struct perses *s = state;
	forest_release(&s->forest);
	vec_release_all(&s->queue, &s->candidates);
	list_release(&s->shrink);
	free(s);
}

const struct pass pass_perses = {
	"perses",      "lists, optional parts and replacements by descendants, guided by the grammar",
	PASS_FIXPOINT, perses_start,
	perses_next,   perses_result,
	perses_clone,  perses_free,
};
