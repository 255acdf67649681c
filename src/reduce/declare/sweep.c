/* SPDX-License-Identifier: MIT */
/* The pass "sweep": everything that is not reachable by name from the roots goes at once.
 *
 * Names are an approximation, so this may take something that is needed. Halving the dead set does not find out
 * what: half of it breaks the other half. But from the end of the file backwards a prefix of it can go without
 * breaking what is before it, so a binary search finds the longest prefix that can, and the unit after it, the
 * *culprit*. That becomes a root with all it needs, and the rest is tried again. Several jobs divide the range into
 * more than two parts at a time. Where the test prints errors no search is needed: what they name becomes a root.
 * Roots to begin with: what stands in the main source of a preprocessed file, else `main`, else nothing, and the
 * search finds them.
 *
 * Where there is more than one culprit several jobs look for others at the same time, beyond the range of the search:
 *
 *	dead    . . . . . ( . . . ) | . . . . . | . . . . . | . . . . .
 *	        lo        search  hi    piece       piece       piece
 *
 * From a piece goes what nothing outside of it needs, if that is most of it. If it cannot its halves are asked about; a
 * single unit that cannot is a culprit. What others need is left to the search, which needs no such luck. */
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_CULPRITS = 60, MAX_PUT_BACK = 40 };
/* Dead units from number `first` to `last`, both of which may go; the halves of what may are before and from `middle`
 * on. */
struct piece {
	uint32_t first, middle, last;
	bool split; /* its halves are in todo */
};

struct pieces {
	VEC_FIELDS(struct piece);
};

struct sweep {
	struct pass_state pass;
	struct units units;
	bool *root, *alive;
	struct unit_list dead; /* the topmost dead units, the last in the file first */
	uint32_t set;          /* dead sets so far */
	size_t lo, hi;         /* dead[0 … lo−1] can go, dead[0 … hi−1] cannot */
	struct {
		VEC_FIELDS(size_t);
	} open;                      /* prefixes that are asked about, of this dead set, ascending */
	struct pieces todo, pieces;  /* to be asked about, the next one last; undecided */
	uint32_t pieces_set;         /* the dead set that they were made of */
	uint32_t given_up;           /* times that pieces were */
	bool *kept;                  /* what stays while a piece goes */
	bool heard;                  /* the test prints errors */
	unsigned culprits, put_back; /* found by search; times that complaints said what is needed */
	bool over;
};

static bool is_dead_top(const struct sweep *s, uint32_t i)
{
	const struct unit *u = &s->units.at[i];
	return !s->alive[i] && (u->parent == UNIT_NONE || s->alive[u->parent]) &&
	       model_count(s->pass.model, u->span.from, u->span.to);
}

static void find_dead(struct sweep *s)
{
	units_mark(&s->units, s->root, NULL, s->alive);
	s->set++;
	s->dead.n = 0;
	for (uint32_t i = (uint32_t)s->units.n; i-- > 0;)
		if (is_dead_top(s, i))
			vec_push(&s->dead, i);
	s->open.n = 0;
	s->lo = 0;
	s->hi = s->dead.n + 1; /* nothing is known to be too much */
	s->over = s->dead.n == 0;
}

static void sweep_begin(void *state)
{
	struct sweep *s = state;
	struct model *m = s->pass.model;
	s->over = !units_make(&s->units, m);
	s->root = units_roots(&s->units, m);
	s->alive = mem_zalloc(s->units.n + 1);
	s->kept = mem_zalloc(s->units.n + 1);
	if (!s->over)
		find_dead(s);
}

/* ---- the search */

/* The prefix to ask about next: the middle of the widest gap between those that are known or asked about; 0: none. */
static size_t next_prefix(const struct sweep *s)
{
	if (s->hi > s->dead.n && !s->open.n)
		return s->dead.n;
	size_t from = s->lo, best = 0, most = 1;
	for (size_t i = 0; i <= s->open.n; i++) {
		size_t to = i < s->open.n ? s->open.at[i] : s->hi <= s->dead.n ? s->hi : from;
		if (to > from + most) {
			most = to - from;
			best = (from + to) / 2;
		}
		from = to;
	}
	return best;
}

static bool ask_prefix(struct sweep *s, struct candidate *out, enum guess guess)
{
	size_t asked = s->open.n && guess < GUESS_SWEEP ? 0 : next_prefix(s), i = s->open.n;
	if (!asked)
		return false;
	for (size_t k = s->lo; k < asked; k++) {
		struct span span = s->units.at[s->dead.at[k]].span;
		edit_remove(&out->edit, span.from, span.to);
	}
	vec_push(&s->open, asked);
	for (; i && s->open.at[i - 1] > asked; i--) {
		s->open.at[i] = s->open.at[i - 1];
		s->open.at[i - 1] = asked;
	}
	out->class = CLASS_MANY;
	out->to = (uint32_t)asked;
	return true;
}

/* Takes out of open what the range does not contain any more. */
static void narrow(struct sweep *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->open.n; i++)
		if (s->open.at[i] > s->lo && s->open.at[i] < s->hi)
			s->open.at[n++] = s->open.at[i];
	s->open.n = n;
}

/* ---- pieces */

/* The culprits are about as far from each other as the first is from the beginning: half of that is a piece. */
static void make_pieces(struct sweep *s)
{
	size_t size = s->hi > 1 ? s->hi / 2 : 1;
	s->pieces_set = s->set;
	for (size_t to = s->dead.n; to > s->hi;) {
		size_t from = to > s->hi + size ? to - size : s->hi;
		vec_push(&s->todo, ((struct piece){.first = s->dead.at[to - 1], .last = s->dead.at[from]}));
		to = from;
	}
}

/* Pieces are worth it where the search would have to go on again and again. */
static bool want_pieces(const struct sweep *s)
{
	return s->culprits && s->hi < s->dead.n && !s->heard && !s->pieces.n && s->pieces_set != s->set;
}

static bool inside(const struct piece *p, uint32_t unit)
{
	return p->first <= unit && unit <= p->last;
}

static bool is_there(const struct sweep *s, uint32_t unit)
{
	return model_count(s->pass.model, s->units.at[unit].span.from, s->units.at[unit].span.to);
}

/* What goes from the piece, which is cut to it; false: not enough. */
static bool fill_piece(struct sweep *s, struct piece *p, struct edit *out)
{
	bool *root = mem_dup(s->root, s->units.n + 1);
	struct unit_list goes = {0};
	size_t all = 0;
	for (size_t i = 0; i < s->dead.n; i++)
		root[s->dead.at[i]] |= !inside(p, s->dead.at[i]) && is_there(s, s->dead.at[i]);
	units_mark(&s->units, root, NULL, s->kept);
	free(root);
	for (size_t i = 0; i < s->dead.n; i++) {
		uint32_t unit = s->dead.at[i];
		if (!inside(p, unit) || !is_there(s, unit))
			continue;
		all++;
		if (!s->kept[unit])
			vec_push(&goes, unit);
	}
	bool enough = goes.n && goes.n >= all / 2;
	for (size_t i = 0; i < goes.n && enough; i++)
		edit_remove(out, s->units.at[goes.at[i]].span.from, s->units.at[goes.at[i]].span.to);
	if (enough) {
		p->last = goes.at[0];
		p->middle = goes.at[(goes.n - 1) / 2];
		p->first = vec_last(&goes);
	}
	vec_release(&goes);
	return enough;
}

static void split_piece(struct sweep *s, struct piece *p)
{
	p->split = true;
	if (p->first == p->last)
		return;
	vec_push(&s->todo, ((struct piece){.first = p->first, .last = p->middle - 1}));
	vec_push(&s->todo, ((struct piece){.first = p->middle, .last = p->last}));
}

static bool ask_piece(struct sweep *s, struct candidate *out, enum guess guess)
{
	if (!s->todo.n && guess >= GUESS_SWEEP && want_pieces(s))
		make_pieces(s);
	for (size_t i = 0; !s->todo.n && guess >= GUESS_SWEEP && i < s->pieces.n; i++)
		if (!s->pieces.at[i].split)
			split_piece(s, &s->pieces.at[i]);
	while (s->todo.n) {
		struct piece p = vec_pop(&s->todo);
		if (!fill_piece(s, &p, &out->edit))
			continue;
		vec_push(&s->pieces, p);
		out->class = p.first == p.last ? CLASS_ONE : CLASS_SOME;
		out->from = p.first;
		out->to = p.last;
		out->part = s->given_up;
		return true;
	}
	return false;
}

/* Takes the candidate's piece out of those that are undecided. */
static struct piece take_piece(struct sweep *s, const struct candidate *c)
{
	size_t i = 0;
	while (s->pieces.at[i].first != c->from || s->pieces.at[i].last != c->to)
		i++;
	struct piece p = s->pieces.at[i];
	s->pieces.n--;
	memmove(s->pieces.at + i, s->pieces.at + i + 1, (s->pieces.n - i) * sizeof p);
	return p;
}

/* ---- both */

static enum made sweep_next(void *state, struct candidate *out, enum guess guess)
{
	struct sweep *s = state;
	bool prefix = s->pieces.n >= s->open.n;
	if (s->over || !((prefix && ask_prefix(s, out, guess)) || ask_piece(s, out, guess) ||
			 (!prefix && ask_prefix(s, out, guess))))
		return MADE_END;
	out->task = s->set;
	return MADE_ONE;
}

/* Whether the candidate's outcome matters. */
static bool matters(const struct sweep *s, const struct candidate *c)
{
	return !s->over && (c->class == CLASS_MANY ? c->task == s->set : c->part == s->given_up);
}

/* A dead unit becomes a root. */
static bool make_root(struct sweep *s, uint32_t i)
{
	if (s->alive[i] || s->root[i])
		return false;
	return s->root[i] = true;
}

/* What is complained about is needed: dead units that declare a name in a message; where there are none, what is dead
 * in and beside the units at which the messages stand. */
static bool put_back(struct sweep *s, const struct complaints *said)
{
	struct unit_list list = {0};
	bool some = false;
	units_named(&s->units, said, &list);
	for (size_t i = 0; i < list.n; i++)
		some |= make_root(s, list.at[i]);
	list.n = 0;
	if (!some)
		units_blamed(&s->units, said, &list);
	for (size_t i = 0; i < list.n; i++) {
		uint32_t x = list.at[i], up = s->units.at[x].parent;
		if (up != UNIT_NONE && s->units.at[up].kind != UNIT_CONTAINER)
			x = up;
		for (uint32_t c = x; c < s->units.at[x].end; c++)
			some |= make_root(s, c);
	}
	vec_release(&list);
	return some;
}

/* The unit is needed, with all below it. */
static void add_culprit(struct sweep *s, uint32_t culprit)
{
	uint32_t end = s->units.at[culprit].end;
	if (++s->culprits > MAX_CULPRITS) {
		s->over = true;
		return;
	}
	if (s->units.at[culprit].kind == UNIT_CONTAINER)
		end = culprit + 1;
	for (uint32_t i = culprit; i < end; i++)
		s->root[i] = true;
}

static void prefix_result(struct sweep *s, const struct candidate *c, bool success)
{
	if (success && c->to > s->lo)
		s->lo = c->to;
	else if (!success && c->to > s->lo && c->to < s->hi)
		s->hi = c->to;
	if (s->hi <= s->lo)
		s->hi = s->dead.n; /* more can go than what cannot */
	narrow(s);
	if (s->lo == s->dead.n) {
		s->over = true;
	} else if (s->hi - s->lo == 1) {
		add_culprit(s, s->dead.at[s->hi - 1]);
		if (!s->over)
			find_dead(s);
	}
}

/* Takes what lives now out of the dead set. The search goes on if its range has not changed. */
static void revive(struct sweep *s)
{
	size_t n = 0;
	bool changed = s->hi > s->dead.n;
	units_mark(&s->units, s->root, NULL, s->alive);
	for (size_t i = 0; i < s->dead.n; i++) {
		if (!s->alive[s->dead.at[i]])
			s->dead.at[n++] = s->dead.at[i];
		else
			changed |= i < s->hi;
	}
	s->dead.n = n;
	if (changed)
		find_dead(s);
}

static void piece_result(struct sweep *s, const struct candidate *c, bool success)
{
	struct piece p = take_piece(s, c);
	if (success)
		return;
	if (!p.split)
		split_piece(s, &p);
	if (p.first != p.last || s->alive[p.first])
		return;
	add_culprit(s, p.first);
	if (!s->over)
		revive(s);
}

static void sweep_result(void *state, const struct candidate *c, bool success)
{
	struct sweep *s = state;
	if (!matters(s, c))
		return;
	s->heard |= c->said != NULL;
	if (!success && c->said && s->put_back < MAX_PUT_BACK && put_back(s, c->said)) {
		s->put_back++;
		s->given_up++;
		s->todo.n = s->pieces.n = 0;
		find_dead(s);
	} else if (c->class == CLASS_MANY) {
		prefix_result(s, c, success);
	} else {
		piece_result(s, c, success);
	}
}

/* If a prefix cannot go a longer one hardly can. */
static bool sweep_wanted(const void *state, const struct candidate *c)
{
	const struct sweep *s = state;
	return matters(s, c) && (c->class != CLASS_MANY || (c->to > s->lo && c->to < s->hi));
}

static void sweep_release(void *state)
{
	struct sweep *s = state;
	units_release(&s->units);
	vec_release_all(&s->dead, &s->open, &s->todo, &s->pieces);
	free(s->root);
	free(s->alive);
	free(s->kept);
}

static const struct pass_frame frame = {sizeof(struct sweep), sweep_next, sweep_result, sweep_release, sweep_wanted};

const struct pass pass_sweep = {"sweep", "what no name leads to goes at once", PASS_TREE | PASS_WHOLE | PASS_READS,
				sweep_begin, &frame};
