/* SPDX-License-Identifier: MIT */
/* W-TinyLFU and its adaptive kind by place (turns.h). A block stands at the place of its last use in the trace: what is
 * at a place still counts if its next use is yet to come. So lists need no links. The last of the protected blocks is
 * found by going up from a mark below which there is none. The window and the blocks on probation are queues, the
 * window's with an entry for each use; an entry says when its block is used next, and does not count from then on.
 * Beside that a block has two bits that say in which list it is, and a hit of a protected block changes nothing but the
 * counters of the sketch.
 *
 * Up to four caches whose sketches have the same number of counters go through the trace together: a reference counts
 * in all of them at once (lists/sketch.h), and mostly they agree on whether the block is there.
 *
 * Most of the time goes into branches that cannot be foreseen. What follows from a comparison of two blocks is
 * therefore computed both ways. */
#include "data/bigmem.h"
#include "data/mem.h"
#include "trace/lists/sketch.h"
#include "trace/turns/inside.h"

#include <stdlib.h>
#include <string.h>

enum list { NONE, WINDOW, PROTECTED, PROBATION, LISTS };
enum { PERIOD = 10, NEAR = 8, SCAN = 8, FIRST_ROOM = 64, LOW_BITS = 0x55 };
/* Fewer blocks: lists/tinylfu.c has them in step. */
enum { FEW = 1 << 15 };

/* A block since its last use. */
struct entry {
	uint32_t id, next; /* where it is used next */
};

/* Entries first … end − 1 of a ring; they wrap around. */
struct waiting {
	struct entry *at;
	uint32_t first, end, room;
};

struct lane {
	uint64_t limit, n; /* blocks: at most, in the cache */
	uint64_t sum[LISTS];
	uint64_t window, protect; /* at most */
	uint32_t mark;            /* below the least recent protected block */
	struct waiting newest, probation;
	uint64_t due; /* when a period ends */
	uint64_t period_misses;
	double step, ratio;
};

struct tiny {
	struct turns turn;
	const uint32_t *id, *next; /* of the trace */
	uint32_t now;              /* place of this reference */
	uint64_t due;              /* the least of the lanes' */
	uint8_t *lists;            /* per id, two bits for each lane */
	uint8_t all;               /* the lower one of each */
	struct lists_sketch *sketch;
	struct sketch_part part; /* the only one of the sketch */
	uint64_t seed;
	struct lane lane[TURNS_MOST];
};

static void set_window(struct lane *c, uint64_t window)
{
	c->window = window ? window : 1;
	uint64_t main = c->limit - c->window;
	c->protect = main - (main + 4) / 5;
}

INLINE uint64_t hash_of(const struct tiny *s, uint32_t id)
{
	return mix64(id ^ s->seed);
}

/* ---- lists */

INLINE enum list list_of(const struct tiny *s, unsigned i, uint32_t id)
{
	return s->lists[id] >> 2 * i & 3;
}

INLINE void set_list(struct tiny *s, unsigned i, uint32_t id, enum list list)
{
	s->lists[id] = (uint8_t)((s->lists[id] & ~(3u << 2 * i)) | (unsigned)list << 2 * i);
}

/* Entries that no longer count go; the rest moves to a larger ring if it needs one. */
static void waiting_grow(struct waiting *q, uint32_t now)
{
	uint32_t n = 0, room = q->room ? 2 * q->room : FIRST_ROOM;
	struct entry *at = bigmem_alloc(room * sizeof *at);
	for (uint32_t k = q->first; k != q->end; k++) {
		at[n] = q->at[k & (q->room - 1)];
		n += at[n].next > now;
	}
	if (n < q->room / 2) {
		memcpy(q->at, at, n * sizeof *at);
		bigmem_free(at, room * sizeof *at);
		*q = (struct waiting){q->at, 0, n, q->room};
		return;
	}
	bigmem_free(q->at, q->room * sizeof *at);
	*q = (struct waiting){at, 0, n, room};
}

INLINE void push(struct waiting *q, uint32_t now, struct entry x)
{
	if (UNLIKELY(q->end - q->first == q->room))
		waiting_grow(q, now);
	q->at[q->end++ & (q->room - 1)] = x;
}

/* The first entry that counts; there must be one. */
INLINE struct entry first_of(struct waiting *q, uint32_t now)
{
	while (q->at[q->first & (q->room - 1)].next <= now)
		q->first++;
	return q->at[q->first & (q->room - 1)];
}

INLINE struct entry take(struct waiting *q, uint32_t now)
{
	struct entry x = first_of(q, now);
	q->first++;
	return x;
}

INLINE struct entry at_place(const struct tiny *s, uint32_t place)
{
	return (struct entry){s->id[place], s->next[place]};
}

/* Which of SCAN places have a protected block. */
INLINE unsigned protected_at(const struct tiny *s, unsigned i, uint32_t p)
{
	unsigned found = 0;
	for (unsigned k = 0; k < SCAN; k++) {
		bool counts = s->next[p + k] > s->now, here = list_of(s, i, s->id[p + k]) == PROTECTED;
		found |= (unsigned)(counts & here) << k;
	}
	return found;
}

/* The least recent protected block; there must be one. */
INLINE struct entry protected_last(struct tiny *s, unsigned i)
{
	uint32_t p = s->lane[i].mark;
	for (unsigned found; p + SCAN < s->turn.trace.references; p += SCAN) {
		if (LIKELY(found = protected_at(s, i, p))) {
			p += (unsigned)__builtin_ctz(found);
			break;
		}
	}
	while (s->next[p] <= s->now || list_of(s, i, s->id[p]) != PROTECTED)
		p++;
	s->lane[i].mark = p;
	return at_place(s, p);
}

INLINE void to_probation(struct tiny *s, unsigned i, enum list from, struct entry x)
{
	struct lane *c = &s->lane[i];
	push(&c->probation, s->now, x);
	set_list(s, i, x.id, PROBATION);
	c->sum[from]--;
	c->sum[PROBATION]++;
}

INLINE void bound_protected(struct tiny *s, unsigned i)
{
	while (s->lane[i].sum[PROTECTED] > s->lane[i].protect)
		to_probation(s, i, PROTECTED, protected_last(s, i));
}

INLINE void drop(struct tiny *s, unsigned i, enum list from, struct entry x)
{
	set_list(s, i, x.id, NONE);
	s->lane[i].sum[from]--;
}

/* Whether the first block was asked for more often lately. */
INLINE bool wins(const struct tiny *s, unsigned i, struct entry a, struct entry b)
{
	return sketch_estimate_part(&s->part, i, hash_of(s, a.id)) >
	       sketch_estimate_part(&s->part, i, hash_of(s, b.id));
}

/* The last of the full window against the first on probation: the loser goes, the winner is on probation. */
INLINE void compare(struct tiny *s, unsigned i)
{
	struct waiting *q = &s->lane[i].probation, *w = &s->lane[i].newest;
	if (UNLIKELY(q->end - q->first == q->room))
		waiting_grow(q, s->now);
	struct entry candidate = take(w, s->now), victim = first_of(q, s->now);
	bool won = wins(s, i, candidate, victim);
	q->at[q->end & (q->room - 1)] = candidate;
	q->end += won;
	q->first += won;
	set_list(s, i, candidate.id, won ? PROBATION : NONE);
	set_list(s, i, victim.id, won ? NONE : PROBATION);
	s->lane[i].sum[WINDOW]--;
	if (s->part.blocks < FAR_BLOCKS)
		return;
	/* those that will be compared next */
	sketch_fetch(&s->part, hash_of(s, w->at[(w->first + 1) & (w->room - 1)].id));
	sketch_fetch(&s->part, hash_of(s, q->at[(q->first + 1) & (q->room - 1)].id));
}

/* Where there is nothing to compare with. */
static void make_room_alone(struct tiny *s, unsigned i, bool full)
{
	struct lane *c = &s->lane[i];
	if (c->sum[PROBATION]) {
		drop(s, i, PROBATION, take(&c->probation, s->now));
	} else if (!c->sum[PROTECTED] || (full && !wins(s, i, first_of(&c->newest, s->now), protected_last(s, i)))) {
		drop(s, i, WINDOW, take(&c->newest, s->now));
	} else {
		struct entry victim = protected_last(s, i);
		if (full)
			to_probation(s, i, WINDOW, take(&c->newest, s->now));
		drop(s, i, PROTECTED, victim);
	}
}

/* As in base/policy/parts/tinylfu.h: of the window's last and main's last the one used less goes, if the window is
 * full; a candidate that wins moves to main. */
INLINE void make_room(struct tiny *s, unsigned i)
{
	struct lane *c = &s->lane[i];
	bool full = c->sum[WINDOW] && c->sum[WINDOW] >= c->window;
	if (LIKELY(full && c->sum[PROBATION]))
		compare(s, i);
	else
		make_room_alone(s, i, full);
}

/* ---- references */

INLINE void miss(struct tiny *s, unsigned i, uint32_t id)
{
	struct lane *c = &s->lane[i];
	if (LIKELY(c->n == c->limit))
		make_room(s, i);
	else
		c->n++;
	while (UNLIKELY(c->sum[WINDOW] >= c->window))
		to_probation(s, i, WINDOW, take(&c->newest, s->now));
	push(&c->newest, s->now, at_place(s, s->now));
	set_list(s, i, id, WINDOW);
	c->sum[WINDOW]++;
}

/* base/policy/awtinylfu.c says how the window moves. */
static void climb(struct tiny *s, unsigned i)
{
	struct lane *c = &s->lane[i];
	uint64_t references = PERIOD * c->limit, all = s->turn.misses[i];
	double limit = (double)c->limit, hits = (double)(references - (all - c->period_misses));
	double ratio = hits / (double)references, change = ratio - c->ratio, size = change < 0 ? -change : change;
	double most = limit * 4 / 5;
	if (change < 0)
		c->step = -c->step;
	double window = (double)c->window + c->step;
	window = window < 1 ? 1 : window > most ? most : window;
	c->step = size >= 0.05 ? (c->step < 0 ? -limit / 16 : limit / 16) : c->step * 0.98;
	c->ratio = ratio;
	c->period_misses = all;
	set_window(c, (uint64_t)window);
	bound_protected(s, i);
}

/* Some caches' periods end with this reference. */
static void end_periods(struct tiny *s, bool adaptive)
{
	uint64_t counted = (uint64_t)s->now + 1;
	s->due = UINT64_MAX;
	for (unsigned i = 0; i < s->turn.n; i++) {
		struct lane *c = &s->lane[i];
		if (c->due == counted) {
			lists_sketch_halve(s->sketch, i);
			c->due += PERIOD * c->limit;
			if (adaptive)
				climb(s, i);
		}
		s->due = c->due < s->due ? c->due : s->due;
	}
}

/* Does it for each lane whose bit is set; all that depends on the lane is constant then. */
#define EACH_LANE(bits, what)                                                                                          \
	do {                                                                                                           \
		if ((bits)&1u << 0)                                                                                    \
			what(0);                                                                                       \
		if ((bits)&1u << 2)                                                                                    \
			what(1);                                                                                       \
		if ((bits)&1u << 4)                                                                                    \
			what(2);                                                                                       \
		if ((bits)&1u << 6)                                                                                    \
			what(3);                                                                                       \
	} while (0)

/* A block on probation was used. */
INLINE void protect(struct tiny *s, unsigned i)
{
	s->lane[i].sum[PROBATION]--;
	s->lane[i].sum[PROTECTED]++;
	bound_protected(s, i);
}

#define COUNT(i) turns_missed(&s->turn, i, r, k)
#define MISS(i) miss(s, i, id)

/* What a reference is to the caches, in some of which there is something to do. */
INLINE void reference(struct tiny *s, const struct policy_refs *r, size_t k, bool adaptive)
{
#define STAY(i) push(&s->lane[i].newest, s->now, at_place(s, s->now))
#define PROTECT(i) protect(s, i)
	uint32_t id = r->id[k];
	unsigned low = s->lists[id] & s->all, high = (unsigned)s->lists[id] >> 1 & s->all,
		 missing = s->all & ~(low | high);
	if (low & ~high)
		EACH_LANE(low & ~high, STAY);
	if (low & high) {
		s->lists[id] = (uint8_t)(s->lists[id] & ~(low & high));
		EACH_LANE(low & high, PROTECT);
	}
	if (missing)
		EACH_LANE(missing, COUNT);
	if (UNLIKELY((uint64_t)s->now + 1 == s->due))
		end_periods(s, adaptive);
	if (missing)
		EACH_LANE(missing, MISS);
}

/* All caches have to fetch it. */
INLINE void all_miss(struct tiny *s, const struct policy_refs *r, size_t k)
{
	uint32_t id = r->id[k];
	EACH_LANE(s->all, COUNT);
	EACH_LANE(s->all, MISS);
}

INLINE void feed(struct tiny *s, const struct policy_refs *r, bool adaptive)
{
	const struct sketch_part part = s->part;
	uint64_t ahead[NEAR]; /* hashes of the next references */
	for (size_t k = 0; k < NEAR && k < r->n; k++)
		ahead[k] = hash_of(s, r->id[k]);
	for (size_t k = 0; k < r->n; k++, s->now++) {
		uint64_t hash = ahead[k % NEAR];
		if (LIKELY(k + TURNS_FAR < r->n))
			__builtin_prefetch(&s->lists[r->id[k + TURNS_FAR]], 1);
		if (LIKELY(k + NEAR < r->n)) {
			ahead[k % NEAR] = hash_of(s, r->id[k + NEAR]);
			sketch_fetch(&part, ahead[k % NEAR]);
		}
		sketch_count_part(&part, hash);
		if (UNLIKELY((uint64_t)s->now + 1 == s->due))
			reference(s, r, k, adaptive);
		else if (!s->lists[r->id[k]])
			all_miss(s, r, k);
		else if (s->lists[r->id[k]] != s->all << 1)
			reference(s, r, k, adaptive);
	}
}

static void run(struct turns *s, const struct policy_refs *r)
{
	feed((struct tiny *)s, r, false);
}

static void run_adaptive(struct turns *s, const struct policy_refs *r)
{
	feed((struct tiny *)s, r, true);
}

/* Those whose sketches are alike. */
static unsigned together(const uint64_t *size, size_t n)
{
	unsigned k = 1;
	while (k < n && k < SKETCH_LANES && sketch_blocks(size[k]) == sketch_blocks(size[0]))
		k++;
	return k;
}

static struct turns *make(const struct turns_trace *t, const uint64_t *size, unsigned n, uint64_t seed)
{
	struct tiny *s = mem_zalloc(sizeof *s);
	s->id = t->id;
	s->next = t->next;
	s->lists = bigmem_alloc(t->distinct);
	s->all = (uint8_t)(LOW_BITS & ((1u << 2 * n) - 1));
	s->sketch = lists_sketch_new(size, n, seed);
	s->part = s->sketch->part[0];
	s->seed = seed;
	s->due = UINT64_MAX;
	for (unsigned i = 0; i < n; i++) {
		struct lane *c = &s->lane[i];
		c->limit = size[i];
		c->step = (double)size[i] / 16;
		c->due = PERIOD * size[i];
		s->due = c->due < s->due ? c->due : s->due;
		set_window(c, size[i] / 100);
	}
	return &s->turn;
}

static void release(struct turns *t)
{
	struct tiny *s = (struct tiny *)t;
	for (unsigned i = 0; i < t->n; i++) {
		bigmem_free(s->lane[i].newest.at, s->lane[i].newest.room * sizeof(struct entry));
		bigmem_free(s->lane[i].probation.at, s->lane[i].probation.room * sizeof(struct entry));
	}
	bigmem_free(s->lists, t->trace.distinct);
	lists_sketch_free(s->sketch);
	free(s);
}

const struct turns_kind turns_wtinylfu = {"wtinylfu", FEW, true, together, make, run, release};
const struct turns_kind turns_awtinylfu = {"awtinylfu", FEW, true, together, make, run_adaptive, release};
