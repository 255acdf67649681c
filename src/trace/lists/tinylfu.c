/* SPDX-License-Identifier: MIT */
/* W-TinyLFU and its adaptive kind in step (inside.h, sketch.h). The window and the protected blocks are in order of
 * their last use, those on probation are a queue. After ten times as many references as a cache has blocks its
 * counters are halved and the adaptive kind moves its window. */
#include "trace/lists/sketch.h"

enum { WINDOW, PROTECTED, PROBATION };
enum { MARK_WINDOW, MARK_PROTECTED };
/* The sketches of more blocks do not stay in the processor's caches: one cache after the other is faster. */
enum { PERIOD = 10, FEW = 1 << 15 };

/* target is the window's size, share that of the protected part. */
static void set_window(struct listed *c, uint64_t window)
{
	uint64_t size = window ? window : 1;
	c->target = (double)size;
	c->ghosts = size;
	c->share = (c->limit - size) - (c->limit - size + 4) / 5;
}

static void start(struct lists *s, struct listed *c)
{
	set_window(c, c->limit / 100);
	c->step = (double)c->limit / 16;
	c->due = PERIOD * c->limit;
	s->due = s->due && s->due < c->due ? s->due : c->due;
}

INLINE void to_probation(struct lists *s, unsigned i, unsigned from, uint32_t p)
{
	struct listed *c = &s->cache[i];
	s->word[from][p] &= ~BIT(i);
	s->word[PROBATION][p] |= BIT(i);
	c->sum[from]--;
	c->sum[PROBATION]++;
	lists_push(s, i, 0, p);
}

INLINE void bound_protected(struct lists *s, unsigned i)
{
	while (s->cache[i].sum[PROTECTED] > s->cache[i].share)
		to_probation(s, i, PROTECTED, lists_last(s, i, MARK_PROTECTED, s->word[PROTECTED]));
}

/* The block on probation that will be looked at next, if it is not used before. */
INLINE void fetch_next(struct lists *s, unsigned i)
{
	const struct queue *f = &s->cache[i].queue[0];
	const struct sketch_part *t = &s->sketch->part[s->sketch->part_of[i]];
	uint32_t p = f->at[(f->first + 1) & (f->room - 1)], later = f->at[(f->first + 2) & (f->room - 1)];
	if (t->blocks < FAR_BLOCKS)
		return;
	__builtin_prefetch(&s->word[PROBATION][p], 1);
	sketch_fetch(t, sketch_hash_of(s->sketch, s->id[p]));
	__builtin_prefetch(&s->id[later]);
}

/* The block to give up: of the window's last and main's last the one used less, if the window is full; a candidate that
 * wins moves to main. */
INLINE void make_room(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	unsigned list = c->sum[PROBATION] ? PROBATION : PROTECTED;
	uint32_t p = 0, candidate = 0;
	if (c->sum[list])
		p = list == PROBATION ? lists_first(s, i, 0, s->word[PROBATION])
				      : lists_last(s, i, MARK_PROTECTED, s->word[PROTECTED]);
	if (c->sum[WINDOW] && (!p || c->sum[WINDOW] >= c->ghosts))
		candidate = lists_last(s, i, MARK_WINDOW, s->word[WINDOW]);
	if (candidate &&
	    (!p || sketch_estimate_of(s->sketch, i, s->id[candidate]) <= sketch_estimate_of(s->sketch, i, s->id[p]))) {
		s->word[WINDOW][candidate] &= ~BIT(i);
		c->sum[WINDOW]--;
		return;
	}
	if (candidate)
		to_probation(s, i, WINDOW, candidate);
	s->word[list][p] &= ~BIT(i);
	c->sum[list]--;
	if (list == PROBATION)
		fetch_next(s, i);
}

INLINE void miss(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	if (c->n == c->limit)
		make_room(s, i);
	else
		c->n++;
	while (c->sum[WINDOW] >= c->ghosts)
		to_probation(s, i, WINDOW, lists_last(s, i, MARK_WINDOW, s->word[WINDOW]));
	c->sum[WINDOW]++;
}

/* awtinylfu.c says how the window moves. */
static void climb(struct lists *s, unsigned i, bool missing)
{
	struct listed *c = &s->cache[i];
	uint64_t references = PERIOD * c->limit, missed = c->misses + missing - c->period_misses;
	double limit = (double)c->limit, ratio = (double)(references - missed) / (double)references;
	double change = ratio - c->ratio, size = change < 0 ? -change : change, most = limit * 4 / 5;
	if (change < 0)
		c->step = -c->step;
	double window = c->target + c->step;
	window = window < 1 ? 1 : window > most ? most : window;
	c->step = size >= 0.05 ? (c->step < 0 ? -limit / 16 : limit / 16) : c->step * 0.98;
	c->ratio = ratio;
	c->period_misses = c->misses + missing;
	set_window(c, (uint64_t)window);
	bound_protected(s, i);
}

/* Some caches' periods end with this reference, which missing caches miss. */
static void end_periods(struct lists *s, uint64_t missing, bool adaptive)
{
	s->due = UINT64_MAX;
	for (unsigned i = 0; i < s->n; i++) {
		struct listed *c = &s->cache[i];
		if (c->due == s->now) {
			lists_sketch_halve(s->sketch, i);
			c->due += PERIOD * c->limit;
			if (adaptive)
				climb(s, i, missing >> i & 1);
		}
		s->due = c->due < s->due ? c->due : s->due;
	}
}

INLINE void feed(struct lists *s, const struct policy_refs *r, bool adaptive)
{
	for (size_t k = 0; k < r->n; k++) {
		lists_ahead(s, r, k, 3);
		if (LIKELY(k + LISTS_NEAR < r->n))
			sketch_fetch_all(s->sketch, r->id[k + LISTS_NEAR]);
		uint32_t id = r->id[k], p = s->place[id];
		sketch_count_all(s->sketch, id);
		uint32_t q = lists_step(s, id);
		uint64_t window = lists_move(s->word[WINDOW], p), probation = lists_move(s->word[PROBATION], p);
		uint64_t protected = lists_move(s->word[PROTECTED], p);
		uint64_t missing = s->all & ~(window | probation | protected);
		s->word[WINDOW][q] = window | missing;
		s->word[PROTECTED][q] = protected | probation;
		EACH_CACHE(i, probation)
		{
			s->cache[i].sum[PROBATION]--;
			s->cache[i].sum[PROTECTED]++;
			bound_protected(s, (unsigned)i);
		}
		if (UNLIKELY(++s->now == s->due))
			end_periods(s, missing, adaptive);
		EACH_CACHE(i, missing)
		{
			lists_missed(&s->cache[i], r, k);
			miss(s, (unsigned)i);
		}
	}
}

static void run(struct lists *s, const struct policy_refs *r)
{
	feed(s, r, false);
}

static void run_adaptive(struct lists *s, const struct policy_refs *r)
{
	feed(s, r, true);
}

const struct lists_kind lists_wtinylfu = {"wtinylfu", FEW, 3, {1 << PROBATION, 0}, start, run};
const struct lists_kind lists_awtinylfu = {"awtinylfu", FEW, 3, {1 << PROBATION, 0}, start, run_adaptive};
