/* SPDX-License-Identifier: MIT */
/* Adaptive W-TinyLFU (Einziger et al.): W-TinyLFU whose window grows or shrinks. After ten times as many references
 * as the cache has blocks the hit ratio is compared with that of the period before: if it fell, the window's size is
 * changed in the other direction. The step is a sixteenth of the cache after a change of 5 points or more, else 2 %
 * smaller than the last. The window keeps at least 1 and at most four fifths of the cache. */
#include "base/policy/parts/tinylfu.h"

struct awtinylfu {
	struct policy_core core;
	struct tinylfu t;
	uint64_t references, hits; /* of this period */
	double ratio, step;        /* of the last period; of the window, with its sign */
};

#define awtinylfu_node seg_node
TINYLFU_POLICY(awtinylfu)

static void awtinylfu_start(struct awtinylfu *st, uint64_t limit, bool bytes, uint64_t seed)
{
	tinylfu_start(&st->t, limit, bytes, seed, limit / 100);
	st->step = (double)limit / 16;
}

static inline void awtinylfu_climb(struct awtinylfu *st)
{
	double limit = (double)st->core.limit, ratio = (double)st->hits / (double)st->references;
	double change = ratio - st->ratio, size = change < 0 ? -change : change, most = limit * 4 / 5;
	if (change < 0)
		st->step = -st->step;
	double window = (double)st->t.window + st->step;
	window = window < 1 ? 1 : window > most ? most : window;
	st->step = size >= 0.05 ? (st->step < 0 ? -limit / 16 : limit / 16) : st->step * 0.98;
	st->ratio = ratio;
	st->references = st->hits = 0;
	tinylfu_share(&st->t, st->core.limit, (uint64_t)window);
}

INLINE bool awtinylfu_steady(const struct awtinylfu *st, uint64_t n, uint64_t blocks)
{
	return st->references + n < 10 * blocks;
}

INLINE void awtinylfu_adapt(AT(awtinylfu), unsigned n, bool hit)
{
	(void)pool;
	st->hits += hit ? n : 0;
	if ((st->references += n) < 10 * (size ? st->core.n : st->core.limit))
		return;
	awtinylfu_climb(st);
	while (st->t.sum[TINY_PROTECTED] > st->t.protect)
		seg_move(st->t.sum, nd, size, TINY_PROBATION, seg_last(nd, TINY_PROTECTED));
}

POLICY_POOLED(awtinylfu, policy_awtinylfu, "awtinylfu", "adaptive W-TinyLFU: the window follows the hit ratio");
