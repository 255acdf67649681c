/* inplace_main STRUCTURE LOG2N ROUNDS: builds the structure ROUNDS times from random keys and prints the CPU seconds of
 * the process per round. */
#include "inplace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void build(const char *what, const int *key, int n)
{
	struct avl *a = NULL;
	struct rb *b = NULL;
	struct tr *t = NULL;
	struct list *l = NULL;
	struct bt *m = NULL;
	for (int i = 0; i < n; i++)
		switch (what[0]) {
		case 'a':
			avl_insert(&a, key[i]);
			break;
		case 'r':
			rb_insert(&b, key[i]);
			break;
		case 't':
			tr_insert(&t, key[i]);
			break;
		case 'd':
			tr_insert(&t, key[i]);
			if (i & 1)
				tr_delete(&t, key[i / 2]);
			break;
		case 's':
			set_insert(&l, key[i]);
			break;
		case 'b':
			bt_insert(&m, key[i]);
			break;
		}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int n = 1 << atoi(argv[2]), rounds = atoi(argv[3]);
	int *key = malloc((size_t)n * sizeof *key);
	uint64_t s = 88172645463325252u;
	for (int i = 0; i < n; i++)
		key[i] = i;
	for (int i = n - 1; i > 0; i--) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		int j = (int)(s % (uint64_t)(i + 1)), x = key[i];
		key[i] = key[j];
		key[j] = x;
	}
	double best = 1e9;
	for (int r = 0; r < rounds; r++) {
		double t0 = cpu();
		build(argv[1], key, n);
		double t1 = cpu() - t0;
		if (t1 < best)
			best = t1;
	}
	printf("%.9f\n", best);
	return 0;
}
