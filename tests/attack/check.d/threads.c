/* SPDX-License-Identifier: MIT */
/* Threads against a plain walk: each has a list of its own, all share one under a lock, and nodes are handed from list
 * to list. After each few random changes a list is checked, and the verdict compared with a walk that knows nothing of
 * the runtime. Usage: threads ROUNDS SEED. */
#include "node.h"

#include <pthread.h>
#include <refrain/check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MAX_LENGTH = 12 };
extern struct rf_type *const rf_type_list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *common;
static unsigned long rounds;
static uint64_t seed, compared, different, wrong;

static unsigned rnd(uint64_t *s, unsigned n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*s >> 33) % n;
}

static int walk(const struct node *n)
{
	for (; n; n = n->next) {
		int bad = n->v < 1 || n->v > 9 || n->w < 0 || n->w > 9 || n->l < 0 || n->l > 9 || n->bits > 9 ||
			  n->first != 1;
		for (unsigned i = 0; i < 32 && !bad; i++)
			bad = n->arr[i] < 0 || n->arr[i] > 9;
		if (bad)
			return 0;
	}
	return 1;
}

static struct node *new_node(void)
{
	struct node *n = calloc(1, sizeof *n);
	n->v = n->first = 1;
	return n;
}

static struct node **place(struct node **list, uint64_t *s)
{
	for (unsigned k = rnd(s, MAX_LENGTH); k && *list; k--)
		list = &(*list)->next;
	return list;
}

/* One change of a list; taken: a node that went from one list to another. */
static void change(struct node **list, struct node **taken, uint64_t *s)
{
	struct node **at = place(list, s), *n = *at;
	unsigned length = 0;
	for (struct node *p = *list; p; p = p->next)
		length++;
	switch (rnd(s, 8)) {
	case 0:
	case 1:
		if (length < MAX_LENGTH) {
			struct node *fresh = *taken ? *taken : new_node();
			*taken = NULL;
			fresh->next = n;
			*at = fresh;
		}
		break;
	case 2:
		if (n && !*taken) {
			*at = n->next;
			*taken = n;
		}
		break;
	case 3:
		if (n) {
			*at = n->next;
			free(n);
		}
		break;
	case 4:
		if (n)
			n->v = 1 + (int)rnd(s, 9);
		break;
	case 5:
		if (n)
			memset(n->arr, rnd(s, 6) ? 0 : 1, 16); /* 1: 0x01010101 is too large */
		break;
	case 6:
		if (n)
			n->w = rnd(s, 4) ? (int)rnd(s, 10) : 50;
		break;
	default:
		for (n = *list; n; n = n->next)
			n->w = 1, n->arr[0] = n->arr[1] = n->arr[2] = n->arr[3] = 2;
	}
}

static void look(struct node *list)
{
	int want = walk(list), got = rf_check(list, rf_type_list);
	__atomic_add_fetch(&compared, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&wrong, !want, __ATOMIC_RELAXED);
	if (want != got && __atomic_add_fetch(&different, 1, __ATOMIC_RELAXED) < 5)
		printf("STALE: the verdict is %d, a plain walk says %d\n", got, want);
}

static void *work(void *arg)
{
	uint64_t s = seed * 1000003u + (uintptr_t)arg * 77777u + 1;
	struct node *own = NULL, *taken = NULL;
	for (unsigned long i = 0; i < rounds; i++) {
		for (unsigned k = rnd(&s, 4); k; k--)
			change(&own, &taken, &s);
		look(own);
		if (rnd(&s, 3) == 0) {
			pthread_mutex_lock(&lock);
			for (unsigned k = rnd(&s, 4); k; k--)
				change(&common, &taken, &s);
			look(common);
			pthread_mutex_unlock(&lock);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	pthread_t t[THREADS];
	for (uintptr_t k = 0; k < 3; k++) { /* threads that end, and new ones */
		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, work, (void *)(k * THREADS + i));
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
		work((void *)(uintptr_t)99);
	}
	printf("%llu comparisons, %llu false, %llu different\n", (unsigned long long)compared,
	       (unsigned long long)wrong, (unsigned long long)different);
	return different != 0 || wrong * 20 < compared || wrong * 20 > compared * 19;
}
