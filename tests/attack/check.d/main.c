/* SPDX-License-Identifier: MIT */
/* Runs the ways to write, each on a fresh list in a process of its own, and says which of them leave a stale verdict.
 * "main NAME" runs one. The last line has the number of ways; the exit code is 1 after a difference, 2 if a way changed
 * nothing. */
#define _GNU_SOURCE
#include "ways.h"

#include <refrain/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct node *head;

struct node *head_of(struct node *n)
{
	return head && head->next == n ? head : n;
}

void swab_bytes(char *text)
{
	static const char from[] = "\x01\x4d\x02\x4e";
	swab(from, text, 4);
}

struct node *new_node(void *at)
{
	struct node *n = at ? at : malloc(sizeof *n);
	memset(n, 0, sizeof *n);
	n->v = n->first = 1;
	return n;
}

enum expected mmap_gone(struct node *h)
{
	unsigned char in_core;
	void *page = (void *)((uintptr_t)h->next & ~(uintptr_t)4095);
	return mincore(page, 1, &in_core) != 0 ? GONE : (h->next->v = 77, WALK);
}

unsigned long long violations(void)
{
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	return s.violations;
}

static int in(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 9)
			return 0;
	return 1;
}

static int ints(const int *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 9)
			return 0;
	return 1;
}

static int walk(const struct node *n)
{
	for (unsigned steps = 0; n; n = n->next)
		if (++steps > 10 || n->v < 1 || n->v > 9 || n->w < 0 || n->w > 9 || n->l < 0 || n->l > 9 ||
		    n->bits > 9 || n->first != 1 || !ints(&n->pair.lo, 2) || !ints(n->big.at, 12) ||
		    !ints(n->arr, 32) || !in(n->text, 160))
			return 0;
	return 1;
}

static int verdict(struct node *n)
{
	struct rf_check_stats before, after;
	rf_check_get_stats(&before);
	(void)probe(n);
	rf_check_get_stats(&after);
	return after.violations == before.violations;
}

enum { STALE = 1, NOTHING = 2 };

static int compare(const char *name, enum expected e)
{
	int want = e == WALK ? walk(head) : 0, got = verdict(head), r = 0;
	if (want != got) {
		printf("STALE %s: the verdict is %d, a plain walk says %d\n", name, got, want);
		r = STALE;
	} else if (want) {
		printf("NOTHING %s: the data was not changed\n", name);
		r = NOTHING;
	} else if (e == WALK && verdict(head) != walk(head)) {
		printf("STALE %s: the second verdict\n", name);
		r = STALE;
	}
	return r;
}

static struct node *fresh(void)
{
	struct node *n = new_node(NULL);
	head = new_node(NULL);
	head->next = n;
	n->next = new_node(NULL);
	struct rf_check_stats before, after;
	int good = verdict(head);
	rf_check_get_stats(&before);
	good &= verdict(head);
	rf_check_get_stats(&after);
	if (!good || after.nodes != before.nodes) {
		printf("STALE fresh list: the verdict is %d, %d nodes were visited again\n", good,
		       (int)(after.nodes - before.nodes));
		return NULL;
	}
	return n;
}

/* In a child: 0, STALE or NOTHING. */
static int attempt(const struct way *w, int cxx)
{
	alarm(20);
	const char *name = w ? w->name : cxx_name(cxx);
	struct node *n = fresh();
	enum expected e = WALK;
	if (!n)
		return STALE;
	if (w)
		e = w->write(n);
	else
		cxx_write(cxx, n);
	return compare(name, e);
}

int main(int argc, char **argv)
{
	int n = 0, bad = 0, nothing = 0, n_ways = (int)(__stop_ways - __start_ways), n_all = n_ways + cxx_ways();
	for (int i = 0; i < n_all; i++) {
		const struct way *w = i < n_ways ? &__start_ways[i] : NULL;
		const char *name = w ? w->name : cxx_name(i - n_ways);
		if (argc > 1 && strcmp(argv[1], name) != 0)
			continue;
		fflush(stdout);
		int status = 0;
		pid_t child = fork();
		if (child == 0) {
			int r = attempt(w, i - n_ways);
			fflush(stdout);
			_exit(r);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) > NOTHING) {
			printf("STALE %s: ended with status %#x\n", name, (unsigned)status);
			status = STALE << 8;
		}
		n++;
		bad += WEXITSTATUS(status) == STALE;
		nothing += WEXITSTATUS(status) == NOTHING;
	}
	printf("%d ways, %d stale, %d without effect\n", n, bad, nothing);
	return bad ? STALE : nothing ? NOTHING : 0;
}
