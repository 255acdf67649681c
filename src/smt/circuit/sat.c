/* SPDX-License-Identifier: MIT */
/* Conflict-driven clause learning: two watched literals with blockers, variables by activity, saved phases, restarts in
 * Luby's order, learnt clauses kept by their glue (number of decision levels). What is learnt follows from the clauses
 * alone, never from the assumptions, so it stays for later questions. */
#include "smt/circuit/sat.h"

#include "base/invariant.h"
#include "smt/circuit/sat_heap.h"

#include <stdlib.h>
#include <string.h>

#define NO_REASON UINT32_MAX
#define SAT_BINARY UINT32_MAX
/* a reason with this bit is a clause of two: the other literal is in the low bits */
#define REASON_BINARY 0x80000000u

enum { HEADER = 2, LEARNT = 1u << 31, GLUE_KEPT = 3, RESTART_UNIT = 64, FIRST_LEARNT = 4000 };

void sat_release(struct sat *s)
{
	for (size_t i = 0; i < s->watch.n; i++)
		vec_release(&s->watch.at[i]);
	vec_release_all(&s->arena, &s->learnt, &s->watch, &s->value, &s->phase, &s->level, &s->reason, &s->activity,
			&s->heap_at, &s->heap, &s->seen);
	vec_release_all(&s->trail, &s->learning, &s->failed, &s->limit, &s->todo, &s->cleared, &s->stamp);
	memset(s, 0, sizeof *s);
}

void sat_init(struct sat *s, struct proof *proof)
{
	memset(s, 0, sizeof *s);
	s->bump = 1;
	s->max_learnt = FIRST_LEARNT;
	s->proof = proof;
}

size_t sat_bytes(const struct sat *s)
{
	size_t watches = 3 * s->clauses * sizeof(struct watch); /* two a clause, in lists with some room */
	return watches + s->arena.cap * sizeof(uint32_t) + s->watch.cap * sizeof *s->watch.at + s->value.n * 32;
}

uint32_t sat_variable(struct sat *s)
{
	uint32_t v = (uint32_t)s->phase.n;
	for (int i = 0; i < 2; i++) {
		vec_push(&s->watch, ((struct watches){0}));
		vec_push(&s->value, 0);
	}
	vec_push(&s->phase, 1);
	vec_push(&s->level, 0);
	vec_push(&s->reason, NO_REASON);
	vec_push(&s->activity, 0.0);
	vec_push(&s->heap_at, 0);
	vec_push(&s->seen, 0);
	vec_push(&s->stamp, 0);
	return v;
}

static uint32_t size_of(const struct sat *s, uint32_t clause)
{
	return s->arena.at[clause] & ~LEARNT;
}

static uint32_t *lits_of(const struct sat *s, uint32_t clause)
{
	return s->arena.at + clause + HEADER;
}

static void assign(struct sat *s, uint32_t lit, uint32_t reason)
{
	uint32_t v = lit >> 1;
	INVARIANT(!s->value.at[lit]);
	s->value.at[lit] = 1;
	s->value.at[lit ^ 1] = -1;
	s->level.at[v] = (uint32_t)s->limit.n;
	s->reason.at[v] = reason;
	vec_push(&s->trail, lit);
}

/* ---- clauses and activities */

static void bump(struct sat *s, uint32_t v)
{
	s->activity.at[v] += s->bump;
	if (s->activity.at[v] > 1e100) {
		for (size_t i = 0; i < s->activity.n; i++)
			s->activity.at[i] *= 1e-100;
		s->bump *= 1e-100;
	}
	heap_raised(s, v);
}

static void watch_clause(struct sat *s, uint32_t clause)
{
	const uint32_t *l = lits_of(s, clause);
	bool two = size_of(s, clause) == 2;
	vec_push(&s->watch.at[l[0] ^ 1], ((struct watch){two ? SAT_BINARY : clause, l[1]}));
	vec_push(&s->watch.at[l[1] ^ 1], ((struct watch){two ? SAT_BINARY : clause, l[0]}));
}

static uint32_t new_clause(struct sat *s, const uint32_t *lits, size_t n, bool learnt, uint32_t glue)
{
	uint32_t at = (uint32_t)s->arena.n;
	vec_push(&s->arena, (uint32_t)n | (learnt ? (uint32_t)LEARNT : 0));
	vec_push(&s->arena, glue);
	for (size_t i = 0; i < n; i++)
		vec_push(&s->arena, lits[i]);
	if (learnt && n > 2)
		vec_push(&s->learnt, at);
	s->clauses++;
	watch_clause(s, at);
	return at;
}

void sat_clause(struct sat *s, const uint32_t *lits, size_t n)
{
	INVARIANT(!s->limit.n);
	if (s->proof)
		proof_given(s->proof, lits, n);
	vec_clear(&s->learning);
	for (size_t i = 0; i < n; i++) {
		if (s->value.at[lits[i]] > 0)
			return;
		bool known = s->value.at[lits[i]] < 0;
		for (size_t k = 0; k < s->learning.n && !known; k++) {
			if (s->learning.at[k] == lit_not(lits[i]))
				return;
			known = s->learning.at[k] == lits[i];
		}
		if (!known)
			vec_push(&s->learning, lits[i]);
	}
	if (!s->learning.n)
		s->never = true;
	else if (s->learning.n == 1)
		assign(s, s->learning.at[0], NO_REASON);
	else
		new_clause(s, s->learning.at, s->learning.n, false, 0);
}

/* ---- propagation */

/* Another literal of the clause to watch instead of lits[1]; false: there is none. */
static bool move_watch(struct sat *s, uint32_t clause, struct watch w)
{
	uint32_t *l = lits_of(s, clause), n = size_of(s, clause);
	for (uint32_t k = 2; k < n; k++)
		if (s->value.at[l[k]] >= 0) {
			uint32_t t = l[1];
			l[1] = l[k];
			l[k] = t;
			vec_push(&s->watch.at[l[1] ^ 1], w);
			return true;
		}
	return false;
}

/* What a conflict is made of: a clause, or the two literals of a clause of two. */
struct conflict {
	bool is;
	uint32_t clause; /* SAT_BINARY: two */
	uint32_t two[2];
};

/* One list of watches; those that stay are kept in order. */
static struct conflict propagate_list(struct sat *s, uint32_t lit)
{
	struct watches *w = &s->watch.at[lit];
	size_t i = 0, keep = 0, n = w->n;
	struct conflict c = {false, 0, {0, 0}};
	s->steps += n;
	while (i < n && !c.is) {
		struct watch x = w->at[i++];
		int8_t v = s->value.at[x.blocker];
		if (v > 0) {
			w->at[keep++] = x;
			continue;
		}
		if (x.clause == SAT_BINARY) {
			w->at[keep++] = x;
			if (v < 0)
				c = (struct conflict){true, SAT_BINARY, {x.blocker, lit ^ 1}};
			else
				assign(s, x.blocker, REASON_BINARY | (lit ^ 1));
			continue;
		}
		uint32_t *l = lits_of(s, x.clause);
		if (l[0] == (lit ^ 1)) {
			l[0] = l[1];
			l[1] = lit ^ 1;
		}
		x.blocker = l[0];
		if (s->value.at[l[0]] > 0) {
			w->at[keep++] = x;
			continue;
		}
		if (move_watch(s, x.clause, x)) {
			w = &s->watch.at[lit];
			continue;
		}
		w->at[keep++] = x;
		if (s->value.at[l[0]] < 0)
			c = (struct conflict){true, x.clause, {0, 0}};
		else
			assign(s, l[0], x.clause);
	}
	while (i < n)
		w->at[keep++] = w->at[i++];
	w->n = keep;
	return c;
}

static struct conflict propagate(struct sat *s)
{
	struct conflict c = {false, 0, {0, 0}};
	while (s->head < s->trail.n && !c.is)
		c = propagate_list(s, s->trail.at[s->head++]);
	return c;
}

static void backtrack(struct sat *s, size_t level)
{
	if (s->limit.n <= level)
		return;
	size_t keep = s->limit.at[level];
	while (s->trail.n > keep) {
		uint32_t lit = vec_pop(&s->trail), v = lit >> 1;
		s->value.at[lit] = s->value.at[lit ^ 1] = 0;
		s->phase.at[v] = lit & 1;
		heap_return(s, v);
	}
	s->head = keep;
	s->limit.n = level;
}

void sat_reset(struct sat *s)
{
	backtrack(s, 0);
}

/* ---- learning */

/* The literals that a reason or conflict has, apart from the one it implies. */
struct cause {
	const uint32_t *lit;
	size_t n;
	uint32_t one;
};

static void cause_of(const struct sat *s, uint32_t lit, struct cause *c)
{
	uint32_t r = s->reason.at[lit >> 1];
	if (r & REASON_BINARY) {
		c->one = r & ~REASON_BINARY;
		c->lit = &c->one;
		c->n = 1;
		return;
	}
	c->lit = lits_of(s, r) + 1;
	c->n = size_of(s, r) - 1;
}

/* Is the literal implied by others that are marked? Then it adds nothing. Looks down one level of reasons at a time,
 * with an explicit stack. */
static bool redundant(struct sat *s, uint32_t lit)
{
	size_t cleared = s->cleared.n;
	vec_clear(&s->todo);
	vec_push(&s->todo, lit);
	while (s->todo.n) {
		struct cause c;
		cause_of(s, vec_pop(&s->todo), &c);
		for (size_t i = 0; i < c.n; i++) {
			uint32_t v = c.lit[i] >> 1;
			if (s->seen.at[v] || !s->level.at[v])
				continue;
			if (s->reason.at[v] == NO_REASON) {
				while (s->cleared.n > cleared)
					s->seen.at[vec_pop(&s->cleared)] = 0;
				return false;
			}
			s->seen.at[v] = 1;
			vec_push(&s->cleared, v);
			vec_push(&s->todo, c.lit[i]);
		}
	}
	return true;
}

static void mark(struct sat *s, uint32_t lit, size_t *open)
{
	uint32_t v = lit >> 1;
	if (s->seen.at[v] || !s->level.at[v])
		return;
	s->seen.at[v] = 1;
	vec_push(&s->cleared, v);
	bump(s, v);
	if (s->level.at[v] == s->limit.n)
		++*open;
	else
		vec_push(&s->learning, lit);
}

static void minimise(struct sat *s)
{
	size_t keep = 1;
	for (size_t i = 1; i < s->learning.n; i++) {
		uint32_t lit = s->learning.at[i];
		if (s->reason.at[lit >> 1] == NO_REASON || !redundant(s, lit))
			s->learning.at[keep++] = lit;
	}
	s->learning.n = keep;
}

static uint32_t glue_of(struct sat *s)
{
	uint32_t n = 0;
	vec_clear(&s->todo);
	for (size_t i = 0; i < s->learning.n; i++) {
		uint32_t level = s->level.at[s->learning.at[i] >> 1];
		bool known = false;
		for (size_t k = 0; k < s->todo.n && !known && k < 32; k++)
			known = s->todo.at[k] == level;
		if (!known) {
			vec_push(&s->todo, level);
			n++;
		}
	}
	return n;
}

/* Resolves the conflict back to the first literal of its level that implies it; returns the level to go back to. */
static size_t analyse(struct sat *s, const struct conflict *c)
{
	size_t open = 0, at = s->trail.n;
	struct cause cause = {c->clause == SAT_BINARY ? c->two : lits_of(s, c->clause),
			      c->clause == SAT_BINARY ? 2 : size_of(s, c->clause), 0};
	uint32_t lit;
	vec_clear(&s->learning);
	vec_push(&s->learning, 0);
	for (;;) {
		for (size_t i = 0; i < cause.n; i++)
			mark(s, cause.lit[i], &open);
		do
			lit = s->trail.at[--at];
		while (!s->seen.at[lit >> 1]);
		if (!--open)
			break;
		cause_of(s, lit, &cause);
	}
	s->learning.at[0] = lit_not(lit);
	minimise(s);
	while (s->cleared.n)
		s->seen.at[vec_pop(&s->cleared)] = 0;
	size_t back = 0;
	for (size_t i = 1; i < s->learning.n; i++)
		if (s->level.at[s->learning.at[i] >> 1] > back) {
			back = s->level.at[s->learning.at[i] >> 1];
			uint32_t t = s->learning.at[1];
			s->learning.at[1] = s->learning.at[i];
			s->learning.at[i] = t;
		}
	return back;
}

static void learn(struct sat *s, const struct conflict *c)
{
	size_t back = analyse(s, c);
	uint32_t glue = glue_of(s);
	if (s->proof)
		proof_learnt(s->proof, s->learning.at, s->learning.n);
	backtrack(s, back);
	if (s->learning.n == 1) {
		assign(s, s->learning.at[0], NO_REASON);
	} else {
		uint32_t clause = new_clause(s, s->learning.at, s->learning.n, true, glue);
		assign(s, s->learning.at[0], s->learning.n == 2 ? REASON_BINARY | s->learning.at[1] : clause);
	}
	s->bump *= 1 / 0.95;
}

/* The assumptions that imply the negation of lit, with lit itself. */
static void blame(struct sat *s, uint32_t lit)
{
	vec_clear(&s->failed);
	vec_push(&s->failed, lit);
	if (!s->level.at[lit >> 1])
		return;
	s->seen.at[lit >> 1] = 1;
	for (size_t at = s->trail.n; at-- > 0 && s->limit.n;) {
		uint32_t l = s->trail.at[at], v = l >> 1;
		if (!s->seen.at[v])
			continue;
		s->seen.at[v] = 0;
		if (!s->level.at[v])
			continue;
		if (s->reason.at[v] == NO_REASON) {
			if (l != lit)
				vec_push(&s->failed, l);
			continue;
		}
		struct cause c;
		cause_of(s, l, &c);
		for (size_t i = 0; i < c.n; i++)
			if (s->level.at[c.lit[i] >> 1])
				s->seen.at[c.lit[i] >> 1] = 1;
	}
}

/* ---- forgetting */

struct kept {
	uint32_t clause, glue, size;
};

static int by_worth(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	if (x->glue != y->glue)
		return x->glue < y->glue ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->clause > y->clause ? -1 : x->clause < y->clause;
}

/* Drops the worse half of the learnt clauses, at level 0, and packs the arena. */
static void forget(struct sat *s)
{
	VEC(struct kept) k = {0};
	VEC(uint32_t) packed = {0};
	for (size_t i = 0; i < s->learnt.n; i++) {
		uint32_t c = s->learnt.at[i];
		vec_push(&k, ((struct kept){c, s->arena.at[c + 1], size_of(s, c)}));
	}
	if (k.n)
		qsort(k.at, k.n, sizeof *k.at, by_worth);
	for (size_t i = k.n / 2; i < k.n; i++)
		if (k.at[i].glue > GLUE_KEPT)
			s->arena.at[k.at[i].clause + 1] = UINT32_MAX;
	vec_release(&k);
	vec_clear(&s->learnt);
	for (size_t i = 0; i < s->watch.n; i++)
		vec_clear(&s->watch.at[i]);
	s->clauses = 0;
	for (uint32_t c = 0; c < s->arena.n;) {
		uint32_t n = size_of(s, c), end = c + HEADER + n;
		bool learnt = s->arena.at[c] & LEARNT;
		if (!learnt || s->arena.at[c + 1] != UINT32_MAX) {
			if (learnt && n > 2)
				vec_push(&s->learnt, (uint32_t)packed.n);
			for (uint32_t i = c; i < end; i++)
				vec_push(&packed, s->arena.at[i]);
			s->clauses++;
		}
		c = end;
	}
	vec_release(&s->arena);
	s->arena.at = packed.at;
	s->arena.n = packed.n;
	s->arena.cap = packed.cap;
	for (uint32_t c = 0; c < s->arena.n; c += HEADER + size_of(s, c))
		watch_clause(s, c);
	/* what is true for good needs no reason, and has been propagated */
	for (size_t i = 0; i < s->trail.n; i++)
		s->reason.at[s->trail.at[i] >> 1] = NO_REASON;
	s->head = 0;
	s->max_learnt += s->max_learnt / 10;
}

/* ---- the search */

static uint64_t luby(uint64_t i)
{
	uint64_t k = 1;
	while ((1u << k) - 1 < i + 1)
		k++;
	while ((uint64_t)(1u << k) - 1 != i + 1) {
		i -= (1u << (k - 1)) - 1;
		k = 1;
		while ((1u << k) - 1 < i + 1)
			k++;
	}
	return (uint64_t)1 << (k - 1);
}

static void decide(struct sat *s, uint32_t lit)
{
	vec_push(&s->limit, (uint32_t)s->trail.n);
	if (!s->value.at[lit])
		assign(s, lit, NO_REASON);
}

/* The next assumption or decision. SAT_UNKNOWN: made; SAT_NO: an assumption fails; SAT_YES: nothing is left. */
static enum sat_result next_decision(struct sat *s, const uint32_t *assumptions, size_t n)
{
	while (s->limit.n < n) {
		uint32_t lit = assumptions[s->limit.n];
		if (s->value.at[lit] < 0) {
			blame(s, lit);
			return SAT_NO;
		}
		bool open = !s->value.at[lit];
		decide(s, lit);
		if (open)
			return SAT_UNKNOWN;
	}
	while (s->heap.n) {
		uint32_t v = heap_pop(s);
		if (!s->value.at[2 * v]) {
			decide(s, 2 * v + s->phase.at[v]);
			return SAT_UNKNOWN;
		}
	}
	return SAT_YES;
}

enum sat_result sat_solve(struct sat *s, const uint32_t *assumptions, size_t n, const uint32_t *variables,
			  size_t n_variables, uint64_t steps)
{
	uint64_t end = s->steps + steps, restarts = 0, left = RESTART_UNIT;
	vec_clear(&s->failed);
	sat_reset(s);
	heap_fill(s, variables, n_variables);
	while (!s->never) {
		struct conflict c = propagate(s);
		if (c.is) {
			s->conflicts++;
			if (!s->limit.n) {
				s->never = true;
				break;
			}
			learn(s, &c);
			left -= left > 0;
			continue;
		}
		if (s->steps > end)
			return SAT_UNKNOWN;
		if (!left) {
			left = RESTART_UNIT * luby(++restarts);
			backtrack(s, n < s->limit.n ? n : s->limit.n);
			if (s->learnt.n > s->max_learnt) {
				backtrack(s, 0);
				forget(s);
				continue;
			}
		}
		enum sat_result r = next_decision(s, assumptions, n);
		if (r != SAT_UNKNOWN)
			return r;
	}
	return SAT_NO;
}

#ifdef RF_INVARIANTS
static bool watched(const struct sat *s, uint32_t lit, uint32_t clause, uint32_t other)
{
	const struct watches *w = &s->watch.at[lit ^ 1];
	for (size_t i = 0; i < w->n; i++)
		if (w->at[i].clause == clause && (clause != SAT_BINARY || w->at[i].blocker == other))
			return true;
	return false;
}

void sat_check(const struct sat *s)
{
	for (uint32_t c = 0; c < s->arena.n; c += HEADER + size_of(s, c)) {
		const uint32_t *l = lits_of(s, c);
		uint32_t name = size_of(s, c) == 2 ? SAT_BINARY : c;
		INVARIANT(watched(s, l[0], name, l[1]) && watched(s, l[1], name, l[0]));
	}
	for (size_t i = 0; i < s->trail.n; i++)
		INVARIANT(s->value.at[s->trail.at[i]] > 0 && s->value.at[s->trail.at[i] ^ 1] < 0);
	for (size_t i = 0; i < s->heap.n; i++)
		INVARIANT(s->heap_at.at[s->heap.at[i]] == i + 1);
}
#endif
