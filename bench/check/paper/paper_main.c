/* SPDX-License-Identifier: MIT */
/* paper_main STRUCTURE LOG2N BUDGET [CONFIGURATION…]: what an insertion costs while 2^LOG2N keys go in in random
 * order, in nanoseconds of CPU time, for each CONFIGURATION (words of RF_CHECK) of a program built with contracts,
 * or once for one without. Prints "CONFIGURATION ns worst-depth calls".
 *
 * The structures are persistent, so that every old version stays: all keys are inserted with checks off and the
 * versions at the starts of evenly spread windows are kept. A window is TIMED insertions into its version after WARM
 * ones that fill the cache. Windows are taken in the order of reversed bits, again and again, until the BUDGET
 * (milliseconds) is used up and at least one round is complete, or, where one insertion walks millions of nodes, until
 * four times the budget and at least LEAST windows: any first part of that order is spread evenly over the sizes. The
 * figure is the mean over the windows of each one's median. */
#include "persistent.h"
#include "../shuffle.h"
#include "refrain/check.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma weak rf_check_configure
#pragma weak rf_check_get_stats

enum { CHUNK = 1 << 20, TIMED = 48, WARM = 16, WINDOWS = 16, LEAST = 4, ROUNDS = 99 };
struct chunk {
	struct chunk *next;
	char room[CHUNK];
};
static struct chunk *chunks; /* the newest first */
static size_t used = CHUNK;

void *arena_get(size_t n)
{
	n = (n + 15) & ~(size_t)15;
	if (used + n > CHUNK) {
		struct chunk *c = malloc(sizeof *c);
		if (!c)
			abort();
		c->next = chunks;
		chunks = c;
		used = 8; /* 16-byte alignment */
	}
	void *p = chunks->room + used;
	used += n;
	return p;
}

/* Forgets what was allocated since (keep, keep_used) was the newest. */
static void arena_back(struct chunk *keep, size_t keep_used)
{
	while (chunks != keep) {
		struct chunk *next = chunks->next;
		free(chunks);
		chunks = next;
	}
	used = keep_used;
}

#define PUT(name, T)                                                                                                   \
	static void *put_##name(void *t, int key)                                                                      \
	{                                                                                                              \
		return name##_put(t, key);                                                                             \
	}
PUT(queue, queue)
PUT(set, set)
PUT(avl, avl)
PUT(heap, heap)
PUT(btree, btree)
PUT(rb, rb)
PUT(tree, tree)

static void *no_queue(void)
{
	return queue_empty();
}

static void *no_set(void)
{
	return set_empty();
}

static void *no_heap(void)
{
	return heap_empty();
}

static void *null(void)
{
	return NULL;
}

struct row {
	const char *name;
	void *(*empty)(void);
	void *(*put)(void *t, int key);
};
static const struct row rows[] = {{"amqueue", no_queue, put_queue}, {"set", no_set, put_set},   {"avl", null, put_avl},
				  {"heap", no_heap, put_heap},      {"btree", null, put_btree}, {"rb", null, put_rb},
				  {"tree", null, put_tree}};

static int *keys, n, n_windows;
static struct {
	int start;
	void *version;
} windows[WINDOWS];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* All insertions once; windows are in the order in which they will be taken. */
static void build(const struct row *r)
{
	n_windows = WINDOWS;
	while (n_windows * (WARM + TIMED) > n)
		n_windows /= 2;
	for (int i = 0; i < n_windows; i++) {
		int reversed = 0;
		for (int bit = 1; bit < n_windows; bit *= 2)
			reversed = reversed * 2 + ((i & bit) != 0);
		windows[i].start = (int)((long)n * (2 * reversed + 1) / (2 * n_windows)) - (WARM + TIMED) / 2;
	}
	void *t = r->empty();
	for (int i = 0; i < n; i++) {
		for (int w = 0; w < n_windows; w++)
			if (windows[w].start == i)
				windows[w].version = t;
		t = r->put(t, keys[i]);
	}
}

/* Nanoseconds of the window; the budget (end of time, 0: none) may cut it short. */
static double window(const struct row *r, int w, double end, int *calls)
{
	void *t = windows[w].version;
	int i = windows[w].start, warm_end = i + WARM;
	while (i < warm_end) {
		t = r->put(t, keys[i++]);
		if (end != 0 && now() > end)
			break;
	}
	double from = now();
	int first = i;
	while (i < first + TIMED) {
		t = r->put(t, keys[i++]);
		if (end != 0 && now() > end)
			break;
	}
	*calls = i - first;
	return now() - from;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void measure(const struct row *r, const char *words, double budget)
{
	struct chunk *keep = chunks;
	size_t keep_used = used;
	double start = now(), sum = 0;
	static double sample[WINDOWS][ROUNDS];
	int rounds[WINDOWS] = {0};
	long counted = 0, all = 0;
	uint64_t depth = 0;
	for (int w = 0;; w++) {
		if (w == n_windows)
			w = 0;
		if (words && rf_check_configure(words) != 0)
			exit(2);
		int calls;
		double spent = now() - start;
		/* one window's share, when even one round is too long */
		double ns = window(r, w, spent > budget ? now() + budget : 0, &calls);
		sample[w][rounds[w]++] = ns / calls;
		counted++;
		all += calls;
		arena_back(keep, keep_used);
		if (words) {
			struct rf_check_stats s;
			rf_check_get_stats(&s);
			depth = s.max_depth > depth ? s.max_depth : depth;
		}
		spent = now() - start;
		if (((spent > budget || rounds[w] == ROUNDS) && counted % n_windows == 0) ||
		    (spent > 4 * budget && counted >= LEAST))
			break;
	}
	int taken = 0;
	for (int w = 0; w < n_windows; w++)
		if (rounds[w]) {
			qsort(sample[w], (size_t)rounds[w], sizeof sample[w][0], by_value);
			sum += sample[w][rounds[w] / 2];
			taken++;
		}
	printf("%s %.1f %llu %ld\n", words ? words : "plain", sum / taken, (unsigned long long)depth, all);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	/* freed chunks stay with the process: page faults would hide what insertions cost */
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	n = 1 << atoi(argv[2]);
	double budget = atof(argv[3]) * 1e6;
	keys = malloc((size_t)n * sizeof *keys);
	if (!keys)
		return 2;
	shuffle(keys, n);
	const struct row *r = NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, argv[1]) == 0)
			r = &rows[i];
	if (!r || (argc > 4 && !rf_check_configure))
		return 2;
	if (rf_check_configure && rf_check_configure("off") != 0)
		return 2;
	build(r);
	if (argc == 4)
		measure(r, NULL, budget);
	for (int i = 4; i < argc; i++) {
		measure(r, argv[i], budget);
		fflush(stdout);
	}
	free(keys);
	return 0;
}
