/* SPDX-License-Identifier: MIT */
/* The runtime under ThreadSanitizer: threads that check lists of their own and one that all share under a lock, hand
 * nodes over, map memory, call out and ask for statistics. The program is compiled without the barrier, which the
 * sanitizer does not know; it says itself what it stores. Verdicts are compared with a plain walk. */
#include "node.h"

#include <pthread.h>
#include <refrain/check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 3, LENGTH = 8 };
extern struct rf_type *const rf_type_list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *common;
static unsigned long rounds;
static int different;

static unsigned rnd(uint64_t *s, unsigned n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*s >> 33) % n;
}

static void put_int(int *to, int v)
{
	rf_touch(to, sizeof *to);
	*to = v;
}

static void put_link(struct node **to, struct node *v)
{
	rf_touch(to, sizeof v);
	*to = v;
}

static struct node *new_node(void)
{
	struct node *n = calloc(1, sizeof *n);
	rf_given(n, sizeof *n);
	n->v = n->first = 1;
	return n;
}

static void free_node(struct node *n)
{
	rf_given_back(n, sizeof *n);
	free(n);
}

static int is_good(const struct node *n)
{
	for (; n; n = n->next)
		if (n->v < 1 || n->v > 9 || n->w < 0 || n->w > 9 || n->arr[0] < 0 || n->arr[0] > 9)
			return 0;
	return 1;
}

static void change(struct node **list, uint64_t *s)
{
	struct node **at = list, *n;
	for (unsigned k = rnd(s, LENGTH); k && *at; k--)
		at = &(*at)->next;
	n = *at;
	switch (n ? rnd(s, 6) : 0) {
	case 0:
		n = new_node();
		n->next = *at;
		*at == NULL ? put_link(at, n) : (put_link(&n->next, (*at)->next), put_link(&(*at)->next, n));
		break;
	case 1:
		put_link(at, n->next);
		free_node(n);
		break;
	case 2:
		put_int(&n->v, (int)rnd(s, 12));
		break;
	case 3:
		rf_range(n->arr, 16);
		memset(n->arr, rnd(s, 2) ? 0 : 1, 16);
		break;
	case 4:
		rf_block(n);
		n->w = (int)rnd(s, 11);
		break;
	default: {
		int from[4] = {(int)rnd(s, 11)};
		rf_copy(n->arr, from, sizeof from);
		memcpy(n->arr, from, sizeof from);
	}
	}
}

static void look(struct node *list)
{
	if (rf_check(list, rf_type_list) != is_good(list))
		__atomic_add_fetch(&different, 1, __ATOMIC_RELAXED);
}

static void others(uint64_t *s)
{
	struct rf_check_stats stats;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	switch (rnd(s, 16)) {
	case 0:
		rf_out(sp);
		rf_back(sp);
		break;
	case 1:
		rf_check_get_stats(&stats);
		break;
	case 2: {
		void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		rf_mapped(p, 8192, 1);
		rf_mapped(p, 8192, 0);
		munmap(p, 8192);
		break;
	}
	case 3:
		rf_callback(sp);
		look(NULL);
		rf_back(sp);
		break;
	default:
		break;
	}
}

static void *work(void *arg)
{
	uint64_t s = 1000003u * (uintptr_t)arg + 7;
	struct node *own = NULL;
	for (unsigned long i = 0; i < rounds; i++) {
		for (unsigned k = rnd(&s, 3); k; k--)
			change(&own, &s);
		look(own);
		others(&s);
		if (rnd(&s, 3) == 0) {
			pthread_mutex_lock(&lock);
			change(&common, &s);
			look(common);
			pthread_mutex_unlock(&lock);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	rf_barrier_start();
	rf_barrier_started();
	for (uintptr_t round = 0; round < 2; round++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, work, (void *)(round * THREADS + i));
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
	printf("%d different\n", different);
	return different != 0;
}
