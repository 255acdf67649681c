/* paper_main STRUCTURE LOG2N REPEAT [CALLS]: inserts the first CALLS (all) of 2^LOG2N keys in random order and frees the
 * arena, REPEAT times. */
#include "persistent.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 };
struct chunk {
	struct chunk *next;
	char room[CHUNK];
};
static struct chunk *chunks;
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

void arena_free(void)
{
	while (chunks) {
		struct chunk *next = chunks->next;
		free(chunks);
		chunks = next;
	}
	used = CHUNK;
}

static int *keys;
static int calls;

#define RUN(name, T, empty)                                                                                           \
	static void run_##name(void)                                                                                   \
	{                                                                                                              \
		struct T *t = empty;                                                                                   \
		for (int i = 0; i < calls; i++)                                                                        \
			t = name##_put(t, keys[i]);                                                                    \
		arena_free();                                                                                          \
	}
RUN(queue, queue, queue_empty())
RUN(set, set, set_empty())
RUN(avl, avl, NULL)
RUN(heap, heap, heap_empty())
RUN(btree, btree, NULL)
RUN(rb, rb, NULL)
RUN(tree, tree, NULL)

static const struct {
	const char *name;
	void (*run)(void);
} rows[] = {{"amqueue", run_queue}, {"set", run_set}, {"avl", run_avl}, {"heap", run_heap}, {"btree", run_btree}, {"rb", run_rb}, {"tree", run_tree}};

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	/* freed chunks stay with the process: page faults would hide what insertions cost */
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	int n = 1 << atoi(argv[2]);
	calls = argc > 4 ? atoi(argv[4]) : n;
	keys = malloc((size_t)n * sizeof *keys);
	if (!keys || calls > n)
		return 2;
	uint64_t s = 88172645463325252u;
	for (int i = 0; i < n; i++)
		keys[i] = i;
	for (int i = n - 1; i > 0; i--) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		int j = (int)(s % (uint64_t)(i + 1)), x = keys[i];
		keys[i] = keys[j];
		keys[j] = x;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, argv[1]) == 0) {
			for (int r = atoi(argv[3]); r > 0; r--)
				rows[i].run();
			free(keys);
			return 0;
		}
	return 2;
}
