/* SPDX-License-Identifier: MIT */
/* vectors FILE…: checks OLR and SAD against vectors of the form
 *	name …, k …, trace …, behavior fetch:evict …, minlen …, sadlen …, lrumiss and optmiss size:misses …
 * in groups of lines separated by blank ones. Behaviour is compared at k, k+1, 2k and the trace's length, never the
 * exact output: there are several optima. */
#include "base/olr.h"
#include "base/sad.h"
#include "data/bigmem.h"
#include "data/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keys {
	VEC_FIELDS(uint64_t);
};

struct vector {
	char name[128];
	uint32_t k;
	struct keys trace, behaviour;
	char lru[4096], opt[4096];
	size_t minlen, sadlen;
};

static unsigned checked, failed;

static void fail(const struct vector *v, const char *what)
{
	failed++;
	printf("%s (k = %u): %s\n", v->name, v->k, what);
}

static void collect(void *user, const uint64_t *keys, size_t n)
{
	struct keys *out = user;
	for (size_t i = 0; i < n; i++)
		vec_push(out, keys[i]);
}

/* fetch and evict pairs of LRU, the plain way */
static void behave(const struct keys *t, size_t size, struct keys *out)
{
	struct keys stack = {0};
	out->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = 0;
		while (at < stack.n && stack.at[at] != t->at[i])
			at++;
		if (at == stack.n) {
			vec_push(out, t->at[i]);
			vec_push(out, stack.n == size ? stack.at[stack.n - 1] : UINT64_MAX);
			if (stack.n == size)
				stack.n--;
			at = stack.n;
			vec_push(&stack, 0);
		}
		memmove(stack.at + 1, stack.at, at * sizeof *stack.at);
		stack.at[0] = t->at[i];
	}
	vec_release(&stack);
}

/* Where the key comes again after reference i; the trace's length: nowhere. */
static size_t next_use(const struct keys *t, size_t i, uint64_t key)
{
	do
		i++;
	while (i < t->n && t->at[i] != key);
	return i;
}

static size_t opt_misses(const struct keys *t, size_t size)
{
	struct keys c = {0};
	size_t misses = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = 0, far = 0, victim = 0;
		while (at < c.n && c.at[at] != t->at[i])
			at++;
		if (at < c.n)
			continue;
		misses++;
		for (size_t j = 0; j < c.n && c.n == size; j++) {
			size_t next = next_use(t, i, c.at[j]);
			if (next > far) {
				far = next;
				victim = j;
			}
		}
		if (c.n == size)
			c.at[victim] = t->at[i];
		else
			vec_push(&c, t->at[i]);
	}
	vec_release(&c);
	return misses;
}

static bool same(const struct keys *a, const struct keys *b)
{
	return a->n == b->n && (!a->n || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

/* "size:misses …" against what the trace gives */
static void check_counts(const struct vector *v, const char *list, const struct keys *t, bool opt, const char *what)
{
	struct keys b = {0};
	for (char *end; *list; list = end) {
		size_t size = strtoull(list, &end, 10);
		if (*end != ':')
			break;
		size_t want = strtoull(end + 1, &end, 10), got;
		if (opt) {
			got = opt_misses(t, size);
		} else {
			behave(t, size, &b);
			got = b.n / 2;
		}
		if (got != want)
			fail(v, what);
	}
	vec_release(&b);
}

static void check(const struct vector *v)
{
	struct keys olr_out = {0}, sad_out = {0}, a = {0}, b = {0};
	struct olr o;
	struct sad s;
	olr_init(&o, v->k, &base_heap, collect, &olr_out);
	olr_feed(&o, v->trace.at, v->trace.n);
	olr_finish(&o);
	olr_release(&o);
	sad_init(&s, v->k, &base_heap, collect, &sad_out);
	sad_feed(&s, v->trace.at, v->trace.n);
	sad_finish(&s);
	sad_release(&s);
	behave(&v->trace, v->k, &a);
	if (!same(&a, &v->behaviour))
		fail(v, "the vector's own behaviour");
	size_t sizes[] = {v->k, v->k + 1, 2 * (size_t)v->k, v->trace.n + 1};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		behave(&v->trace, sizes[i], &a);
		behave(&olr_out, sizes[i], &b);
		if (!same(&a, &b))
			fail(v, "OLR's behaviour");
		behave(&sad_out, sizes[i], &b);
		if (!same(&a, &b))
			fail(v, "SAD's behaviour");
	}
	if (olr_out.n != v->minlen)
		fail(v, "OLR's length");
	if (sad_out.n != v->sadlen)
		fail(v, "SAD's length");
	check_counts(v, v->lru, &olr_out, false, "LRU on OLR's output");
	check_counts(v, v->lru, &sad_out, false, "LRU on SAD's output");
	check_counts(v, v->opt, &sad_out, true, "OPT on SAD's output");
	checked++;
	vec_release_all(&olr_out, &sad_out, &a, &b);
}

static void numbers(const char *p, struct keys *out)
{
	for (char *end; *p; p = end) {
		uint64_t v = strtoull(p, &end, 10);
		if (end == p) {
			if (*p == '-') /* the evict part while the stack fills */
				vec_push(out, UINT64_MAX);
			end = (char *)p + 1;
			continue;
		}
		vec_push(out, v);
	}
}

static void take_line(struct vector *v, const char *line)
{
	const char *value = strchr(line, ' ');
	value = value ? value + 1 : "";
	if (strncmp(line, "name ", 5) == 0)
		snprintf(v->name, sizeof v->name, "%s", value);
	else if (strncmp(line, "k ", 2) == 0)
		v->k = (uint32_t)strtoul(value, NULL, 10);
	else if (strncmp(line, "trace", 5) == 0)
		numbers(value, &v->trace);
	else if (strncmp(line, "behavior", 8) == 0)
		numbers(value, &v->behaviour);
	else if (strncmp(line, "minlen ", 7) == 0)
		v->minlen = strtoull(value, NULL, 10);
	else if (strncmp(line, "sadlen ", 7) == 0)
		v->sadlen = strtoull(value, NULL, 10);
	else if (strncmp(line, "lrumiss", 7) == 0)
		snprintf(v->lru, sizeof v->lru, "%s", value);
	else if (strncmp(line, "optmiss", 7) == 0)
		snprintf(v->opt, sizeof v->opt, "%s", value);
}

static void finish(struct vector *v)
{
	if (v->k)
		check(v);
	vec_release_all(&v->trace, &v->behaviour);
	*v = (struct vector){0};
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		struct vector v = {0};
		char *line = NULL;
		size_t room = 0;
		ssize_t n;
		if (!f)
			return 2;
		while ((n = getline(&line, &room, f)) >= 0) {
			line[strcspn(line, "\n")] = 0;
			if (!line[0])
				finish(&v);
			else if (line[0] != '#')
				take_line(&v, line);
		}
		finish(&v);
		free(line);
		fclose(f);
	}
	printf("%u vectors checked, %u differences\n", checked, failed);
	return failed || !checked;
}
