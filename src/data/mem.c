/* SPDX-License-Identifier: MIT */
/* Heap memory: see mem.h. */
#include "data/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mem_oom_fn oom_hook;

void mem_set_oom(mem_oom_fn fn)
{
	oom_hook = fn;
}

_Noreturn void mem_oom(size_t wanted)
{
	static const char text[] = "refrain: out of memory\n";
	if (oom_hook)
		oom_hook(wanted);
#ifdef RF_FUZZING
	abort(); /* so that the fuzzer keeps the input */
#endif
	/* no allocation here: write the line and leave with "the environment failed" */
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(3);
	_exit(3);
}

void *mem_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (!p)
		mem_oom(n);
	return p;
}

void *mem_zalloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);
	if (!p)
		mem_oom(n);
	return p;
}

void mem_free_each(void *const *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(at[i]);
}

void *mem_realloc(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);
	if (!q)
		mem_oom(n);
	return q;
}

void *mem_dup(const void *p, size_t n)
{
	void *q = mem_alloc(n);
	if (n)
		memcpy(q, p, n);
	return q;
}

char *mem_strndup(const char *s, size_t n)
{
	char *q = mem_alloc(mem_add(n, 1));
	if (n)
		memcpy(q, s, n);
	q[n] = '\0';
	return q;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	char *s = mem_alloc((size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

size_t mem_mul(size_t n, size_t size)
{
	size_t r;
	if (__builtin_mul_overflow(n, size, &r))
		mem_oom(SIZE_MAX);
	return r;
}

size_t mem_add(size_t a, size_t b)
{
	size_t r;
	if (__builtin_add_overflow(a, b, &r))
		mem_oom(SIZE_MAX);
	return r;
}

void mem_count(struct mem_counter *c, long long delta)
{
	if (!c)
		return;
	c->now = (size_t)((long long)c->now + delta);
	if (c->now > c->peak)
		c->peak = c->now;
}

void *mem_resize(struct mem_counter *c, void *p, size_t old, size_t n)
{
	void *q = mem_realloc(p, n);
	if (c) {
		/* a moving realloc holds both blocks for a moment, but so does every allocator: count the demand */
		c->blocks += p ? 0 : 1;
		mem_count(c, (long long)n - (long long)old);
	}
	return q;
}

void mem_release(struct mem_counter *c, void *p, size_t n)
{
	if (p && c) {
		c->blocks--;
		mem_count(c, -(long long)n);
	}
	free(p);
}
