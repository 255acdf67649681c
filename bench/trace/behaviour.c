/* SPDX-License-Identifier: MIT */
/* behaviour SIZE TRACE.u64: replays a trace through an LRU stack of its own (not the library's) and prints the number
 * of events and a digest of the sequence of fetched and evicted blocks. */
#include "base/bits.h"

#include <stdio.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct node {
	uint64_t key;
	uint32_t prev, next; /* in the stack */
	bool in;
};

struct lru {
	struct node *node;
	uint32_t *cell; /* number + 1 */
	uint64_t mask, n, cap;
	uint32_t head, tail, size;
};

static uint32_t find(struct lru *l, uint64_t key)
{
	uint64_t i = mix64(key) & l->mask;
	while (l->cell[i] && l->node[l->cell[i] - 1].key != key)
		i = (i + 1) & l->mask;
	if (!l->cell[i]) {
		l->node[l->n] = (struct node){.key = key};
		l->cell[i] = (uint32_t)++l->n;
	}
	return l->cell[i] - 1;
}

static void unlink_node(struct lru *l, uint32_t x)
{
	struct node *a = &l->node[x];
	*(a->prev == NONE ? &l->head : &l->node[a->prev].next) = a->next;
	*(a->next == NONE ? &l->tail : &l->node[a->next].prev) = a->prev;
	a->in = false;
	l->size--;
}

static void push(struct lru *l, uint32_t x)
{
	l->node[x].prev = NONE;
	l->node[x].next = l->head;
	l->node[x].in = true;
	*(l->head == NONE ? &l->tail : &l->node[l->head].prev) = x;
	l->head = x;
	l->size++;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[2], "rb") : NULL;
	uint64_t size = f ? strtoull(argv[1], NULL, 10) : 0, key, events = 0, digest = 0;
	struct lru l = {.mask = (1 << 24) - 1, .cap = 1 << 23, .head = NONE, .tail = NONE};
	l.node = malloc(l.cap * sizeof *l.node);
	l.cell = calloc(l.mask + 1, sizeof *l.cell);
	if (!size || !l.node || !l.cell)
		return 2;
	while (fread(&key, sizeof key, 1, f) == 1 && l.n < l.cap) {
		uint32_t x = find(&l, key);
		if (l.node[x].in) {
			unlink_node(&l, x);
		} else {
			uint64_t evicted = UINT64_MAX;
			if (l.size == size) {
				evicted = l.node[l.tail].key;
				unlink_node(&l, l.tail);
			}
			digest = mix64_pair(mix64_pair(digest, key), evicted);
			events++;
		}
		push(&l, x);
	}
	printf("%llu %016llx\n", (unsigned long long)events, (unsigned long long)digest);
	fclose(f);
	free(l.node);
	free(l.cell);
	return 0;
}
