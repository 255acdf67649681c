/* SPDX-License-Identifier: MIT */
/* Results made of new blocks. parse() works in buffers that it frees, so what it leaves behind lies where the allocator
 * had room that time; its outputs are equal all the same. tagged() gives another answer at every call, inside its new
 * blocks. count() goes on changing what parse() made, drop() frees it and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
	struct word *next;
	char *text;
	long uses, tag;
};

static long serial;

static struct word *split(const char *s, long tag)
{
	struct word *list = NULL;
	char *work = malloc(strlen(s) + 1);
	memcpy(work, s, strlen(s) + 1);
	for (char *p = work; *p;) {
		size_t n = strcspn(p, " ");
		struct word *w = calloc(1, sizeof *w);
		char *part = malloc(3 * n + 1);
		memcpy(part, p, n);
		part[n] = 0;
		w->text = malloc(n + 1);
		memcpy(w->text, part, n + 1);
		free(part);
		w->next = list;
		w->tag = tag;
		list = w;
		p += n + (p[n] == ' ');
	}
	free(work);
	return list;
}

__attribute__((noinline)) struct word *parse(const char *s)
{
	return split(s, 0);
}

__attribute__((noinline)) struct word *tagged(const char *s)
{
	return split(s, serial);
}

__attribute__((noinline)) long count(struct word *list)
{
	long n = 0;
	for (; list; list = list->next)
		n += ++list->uses + (long)strlen(list->text);
	return n;
}

__attribute__((noinline)) void drop(struct word *list)
{
	while (list) {
		struct word *next = list->next;
		free(list->text);
		free(list);
		list = next;
	}
}

int main(void)
{
	static const char *const lines[] = {"one two three", "four five", "six seven eight nine"};
	static void *kept[64];
	long sum = 0;
	for (int i = 0; i < 300; i++) {
		/* holes of many sizes */
		free(kept[i % 64]);
		kept[i % 64] = malloc((size_t)(i * 7 % 97 + 1));
		struct word *list = parse(lines[i % 3]);
		sum += count(list);
		drop(list);
		serial = i;
		list = tagged(lines[i % 3]);
		sum += list->tag;
		drop(list);
	}
	printf("%ld\n", sum);
	return 0;
}
