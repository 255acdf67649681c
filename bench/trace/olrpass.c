/* SPDX-License-Identifier: MIT */
/* olrpass TRACE.u64 K [ROUNDS]: what OLR costs beside the LRU pass it needs. The LRU pass turns keys into fetches and
 * evictions (lrustack_feed); OLR turns these into the reduced trace. Its own pass is the difference. In CPU time:
 *	lru     the LRU pass alone
 *	olr     the LRU pass and OLR
 *	dense   what `refrain trace simulate` does: numbering the keys (memory grows with them) + LRU over numbers
 *	own     olr − lru, in ms, per miss, and as a share of lru and of dense's sum
 * The passes are alternated. Of each block of references the median of the rounds counts, so that a disturbance has
 * to hit the same block in half of the rounds to be seen. */
#include "base/olr.h"
#include "data/bigmem.h"
#include "data/idmap.h"
#include "data/mem.h"
#include "trace/simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 8192, MOST_ROUNDS = 99 };
enum pass { LRU, OLR, NUMBER, DENSE, PASSES };

struct bench {
	const uint64_t *keys;
	uint32_t *ids;
	size_t n, blocks; /* blocks: one more for what comes at the end */
	uint32_t k, n_ids;
	double *seconds[PASSES]; /* [block][round] */
	size_t misses, out;
};

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t part(size_t n, size_t at, size_t most)
{
	return n - at < most ? n - at : most;
}

static void ignore(void *user, const uint64_t *keys, size_t n)
{
	(void)keys;
	*(size_t *)user += n;
}

/* Runs the pass's code for block after block and notes what each took. */
#define EACH_BLOCK(PASS, CODE)                                                                                         \
	for (size_t i = 0; i < b->n; i += BLOCK) {                                                                     \
		size_t n = part(b->n, i, BLOCK);                                                                       \
		double from = cpu();                                                                                   \
		CODE;                                                                                                  \
		b->seconds[PASS][i / BLOCK * MOST_ROUNDS + round] = cpu() - from;                                      \
	}

static void lru_pass(struct bench *b, size_t round)
{
	struct lrustack s;
	struct lrustack_event v[LRUSTACK_BATCH];
	lrustack_init(&s, b->k, &base_heap);
	b->misses = 0;
	EACH_BLOCK(
		LRU, for (size_t j = 0; j < n; j += LRUSTACK_BATCH) {
			lrustack_reserve(&s, LRUSTACK_BATCH);
			b->misses += lrustack_feed(&s, b->keys + i + j, part(n, j, LRUSTACK_BATCH), n - j, v);
		})
	lrustack_release(&s);
}

static void olr_pass(struct bench *b, size_t round)
{
	struct olr o;
	b->out = 0;
	olr_init(&o, b->k, &base_heap, ignore, &b->out);
	EACH_BLOCK(OLR, olr_feed(&o, b->keys + i, n))
	double from = cpu();
	olr_finish(&o);
	b->seconds[OLR][(b->blocks - 1) * MOST_ROUNDS + round] = cpu() - from;
	olr_release(&o);
}

static void dense_pass(struct bench *b, size_t round)
{
	struct idmap map;
	struct sim *s;
	struct err e = ERR_INIT;
	struct sim_spec spec = {.policy = policy_find("lru"), .size = b->k, .seed = 1};
	idmap_init(&map);
	EACH_BLOCK(NUMBER, idmap_map(&map, b->keys + i, b->ids + i, n, &e))
	if (!sim_new(&s, &spec, &e)) {
		EACH_BLOCK(DENSE, sim_run(s, &(struct policy_refs){.id = b->ids + i, .n = n}, map.n))
		sim_free(s);
	}
	idmap_release(&map);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double milliseconds(struct bench *b, enum pass pass, size_t rounds)
{
	double sum = 0;
	for (size_t i = 0; i < b->blocks; i++) {
		double *t = &b->seconds[pass][i * MOST_ROUNDS];
		qsort(t, rounds, sizeof *t, by_size);
		sum += t[rounds / 2] * 1e3;
	}
	return sum;
}

static bool read_keys(struct bench *b, const char *name)
{
	FILE *f = fopen(name, "rb");
	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	b->n = (size_t)ftell(f) / 8;
	rewind(f);
	uint64_t *keys = mem_alloc(b->n * sizeof *keys);
	bool whole = fread(keys, 8, b->n, f) == b->n;
	fclose(f);
	b->keys = keys;
	b->ids = mem_zalloc(b->n * sizeof *b->ids);
	b->blocks = (b->n + BLOCK - 1) / BLOCK + 1;
	for (int i = 0; i < PASSES; i++)
		b->seconds[i] = mem_zalloc(b->blocks * MOST_ROUNDS * sizeof *b->seconds[i]);
	return whole;
}

int main(int argc, char **argv)
{
	struct bench b = {.k = argc >= 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0};
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 5;
	if (!b.k || !rounds || rounds > MOST_ROUNDS || !read_keys(&b, argv[1]))
		return 2;
	for (size_t i = 0; i < rounds; i++) {
		lru_pass(&b, i);
		olr_pass(&b, i);
		dense_pass(&b, i);
	}
	double lru = milliseconds(&b, LRU, rounds), olr = milliseconds(&b, OLR, rounds), own = olr - lru;
	double number = milliseconds(&b, NUMBER, rounds), dense = milliseconds(&b, DENSE, rounds);
	printf("k = %6u  misses %5.2f %%  out %5.2f %%  lru %6.1f  olr %6.1f  dense %5.1f + %5.1f  own %5.1f ms, %4.1f "
	       "ns a miss: %4.1f %%, %4.1f %%\n",
	       (unsigned)b.k, 100.0 * (double)b.misses / (double)b.n, 100.0 * (double)b.out / (double)b.n, lru, olr,
	       number, dense, own, own * 1e6 / (double)b.misses, 100 * own / lru, 100 * own / (number + dense));
	return 0;
}
