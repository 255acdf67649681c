/* SPDX-License-Identifier: MIT */
/* loops TRACE.u64 SIZE: what the parts cost without the process around them, in million references per CPU second:
 * numbering the keys, each policy over dense ids, exact stack distances, OLR (see olrpass too) and SAD. */
#include "base/olr.h"
#include "base/sad.h"
#include "data/bigmem.h"
#include "data/idmap.h"
#include "data/mem.h"
#include "trace/simulate/simulate.h"
#include "stream/stackdist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 16384 };

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void ignore(void *user, const uint64_t *keys, size_t n)
{
	(void)keys;
	*(size_t *)user += n;
}

static void show(const char *what, size_t n, double seconds, unsigned long long result)
{
	printf("%-22s %8.1f Mref/s  %7.1f ms  %llu\n", what, (double)n / seconds / 1e6, seconds * 1e3, result);
	fflush(stdout);
}

static size_t part(size_t n, size_t at)
{
	return n - at < BLOCK ? n - at : BLOCK;
}

static void policy_loop(const char *name, const uint64_t *keys, const uint32_t *ids, size_t n, uint32_t n_ids,
			uint64_t size)
{
	struct sim *s;
	struct err e = ERR_INIT;
	struct sim_spec spec = {.policy = policy_find(name), .size = size, .seed = 1};
	if (sim_new(&s, &spec, &e))
		return;
	double t = cpu();
	for (size_t i = 0; i < n; i += BLOCK)
		sim_run(s, &(struct policy_refs){.id = ids + i, .key = keys + i, .n = part(n, i)}, n_ids);
	show(name, n, cpu() - t, sim_misses(s).n);
	sim_free(s);
}

#define REDUCTION_LOOP(NAME)                                                                                           \
	static void NAME##_loop(const char *title, const uint64_t *keys, size_t n, uint64_t size)                      \
	{                                                                                                              \
		struct NAME reduction;                                                                                 \
		size_t out = 0;                                                                                        \
		NAME##_init(&reduction, (uint32_t)size, &base_heap, ignore, &out);                                     \
		double t = cpu();                                                                                      \
		for (size_t i = 0; i < n; i += BLOCK)                                                                  \
			NAME##_feed(&reduction, keys + i, part(n, i));                                                 \
		NAME##_finish(&reduction);                                                                             \
		show(title, n, cpu() - t, out);                                                                        \
		NAME##_release(&reduction);                                                                            \
	}
REDUCTION_LOOP(olr)
REDUCTION_LOOP(sad)

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return 2;
	fseek(f, 0, SEEK_END);
	size_t n = (size_t)ftell(f) / 8;
	rewind(f);
	uint64_t size = strtoull(argv[2], NULL, 10), *keys = mem_alloc(n * sizeof *keys);
	uint32_t *ids = mem_alloc(n * sizeof *ids);
	if (fread(keys, 8, n, f) != n)
		return 3;
	fclose(f);
	memset(ids, 0, n * sizeof *ids);
	struct idmap map;
	idmap_init(&map);
	double t = cpu();
	for (size_t i = 0; i < n; i += BLOCK)
		idmap_map(&map, keys + i, ids + i, part(n, i), &e);
	show("numbering keys", n, cpu() - t, map.n);
	for (size_t i = 0; policies[i]; i++)
		if (!(policies[i]->flags & POLICY_FUTURE))
			policy_loop(policies[i]->name, keys, ids, n, map.n, size);
	struct stackdist *s = stackdist_new();
	t = cpu();
	for (size_t i = 0; i < n; i += BLOCK)
		stackdist_feed(s, ids + i, part(n, i), map.n);
	show("exact curve", n, cpu() - t, 0);
	stackdist_free(s);
	olr_loop("OLR with its LRU pass", keys, n, size);
	sad_loop("SAD", keys, n, size);
	idmap_release(&map);
	free(keys);
	free(ids);
	return 0;
}
