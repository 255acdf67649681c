/* SPDX-License-Identifier: MIT */
/* What makes the tool need memory: many blocks, deep recursion, much memory touched by one call. The argument says
 * which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	struct item *next;
	long value;
};

__attribute__((noinline)) static long blocks(int n)
{
	struct item *list = NULL;
	long sum = 0;
	for (int i = 0; i < n; i++) {
		struct item *it = malloc(sizeof *it);
		if (!it)
			abort();
		it->next = list;
		it->value = i;
		list = it;
	}
	while (list) {
		struct item *next = list->next;
		sum += list->value;
		free(list);
		list = next;
	}
	return sum;
}

__attribute__((noinline)) static long deep(int n)
{
	volatile long mine = n;
	return n ? deep(n - 1) + mine : 0;
}

__attribute__((noinline)) static long touch(const long *p, size_t n)
{
	long sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long sum = 0;
	if (strcmp(what, "blocks") == 0) {
		for (int i = 0; i < 3; i++)
			sum += blocks(150000);
	} else if (strcmp(what, "deep") == 0) {
		for (int i = 0; i < 3; i++)
			sum += deep(130000);
	} else if (strcmp(what, "sparse") == 0) {
		long *p = malloc((size_t)1 << 30);
		if (!p)
			abort();
		p[0] = 1;
		sum = touch(p, 100) + touch(p, 100);
		free(p);
	} else {
		size_t n = (size_t)1 << 20;
		long *p = malloc(n * sizeof *p);
		if (!p)
			abort();
		for (size_t i = 0; i < n; i++)
			p[i] = (long)i;
		sum = touch(p, n) + touch(p, n);
		free(p);
	}
	printf("%ld\n", sum);
	return 0;
}
