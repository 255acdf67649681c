/* SPDX-License-Identifier: MIT */
/* See bytedist.h. Each object has its bytes at the time of its last reference, in a tree of sums (Fenwick). When
 * time reaches the end of the tree the objects are moved together; it has room for twice as many as there are ids. */
#include "stream/bytedist.h"

#include "data/bigmem.h"
#include "data/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bytedist {
	uint32_t n_ids;
	size_t room, now; /* positions 1 … room; the next one is now + 1 */
	uint64_t total;   /* bytes of all objects seen */
	uint64_t *sum;    /* the tree */
	uint64_t *bytes;  /* per id */
	size_t *where;    /* per id; 0: never seen */
	uint32_t *id;     /* per position */
};

struct bytedist *bytedist_new(uint32_t n_ids)
{
	struct bytedist *b = mem_zalloc(sizeof *b);
	b->n_ids = n_ids;
	b->room = 2 * (size_t)n_ids + 1024;
	b->sum = bigmem_alloc((b->room + 1) * sizeof *b->sum);
	b->id = bigmem_alloc((b->room + 1) * sizeof *b->id);
	b->bytes = bigmem_alloc(((size_t)n_ids + 1) * sizeof *b->bytes);
	b->where = bigmem_alloc(((size_t)n_ids + 1) * sizeof *b->where);
	return b;
}

static void add(struct bytedist *b, size_t at, uint64_t bytes)
{
	for (; at <= b->room; at += at & -at)
		b->sum[at] += bytes;
}

static uint64_t up_to(const struct bytedist *b, size_t at)
{
	uint64_t sum = 0;
	for (; at; at -= at & -at)
		sum += b->sum[at];
	return sum;
}

static void compact(struct bytedist *b)
{
	size_t n = 0;
	for (size_t at = 1; at <= b->now; at++) {
		uint32_t id = b->id[at];
		if (b->where[id] != at)
			continue;
		b->id[++n] = id;
		b->where[id] = n;
	}
	b->now = n;
	memset(b->sum, 0, (b->room + 1) * sizeof *b->sum);
	for (size_t at = 1; at <= n; at++) {
		size_t up = at + (at & -at);
		b->sum[at] += b->bytes[b->id[at]];
		if (up <= b->room)
			b->sum[up] += b->sum[at];
	}
	/* what lies behind the last object only passes its sum on */
	for (size_t at = n + 1; at <= b->room; at++) {
		size_t up = at + (at & -at);
		if (up <= b->room)
			b->sum[up] += b->sum[at];
	}
}

uint64_t bytedist_reference(struct bytedist *b, uint32_t id, uint64_t size)
{
	uint64_t distance = UINT64_MAX;
	if (b->now == b->room)
		compact(b);
	if (b->where[id]) {
		distance = b->total - up_to(b, b->where[id]) + b->bytes[id];
		add(b, b->where[id], -b->bytes[id]);
		b->total -= b->bytes[id];
	}
	b->bytes[id] = size;
	b->total += size;
	b->where[id] = ++b->now;
	b->id[b->now] = id;
	add(b, b->now, size);
	return distance;
}

void bytedist_free(struct bytedist *b)
{
	if (!b)
		return;
	bigmem_free(b->sum, (b->room + 1) * sizeof *b->sum);
	bigmem_free(b->id, (b->room + 1) * sizeof *b->id);
	bigmem_free(b->bytes, ((size_t)b->n_ids + 1) * sizeof *b->bytes);
	bigmem_free(b->where, ((size_t)b->n_ids + 1) * sizeof *b->where);
	free(b);
}
