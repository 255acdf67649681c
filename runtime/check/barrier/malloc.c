/* SPDX-License-Identifier: MIT */
/* malloc and its family, in front of glibc's own: a block that is freed is forgotten by the marks and remembered as
 * freed until it is given out again, whoever frees it. An archive member, so that a program with an allocator of
 * its own keeps it. */
#include "refrain/check.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t m);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t a, size_t n);
extern void __libc_free(void *p);

static void *given(void *p)
{
	if (rf_shadow_used && p)
		rf_given(p, malloc_usable_size(p));
	return p;
}

/* The usual ones are jumps while no type is registered. */
static __attribute__((noinline)) void *malloc_given(size_t n)
{
	return given(__libc_malloc(n));
}

void *malloc(size_t n)
{
	return rf_shadow_used ? malloc_given(n) : __libc_malloc(n);
}

static __attribute__((noinline)) void *calloc_given(size_t n, size_t m)
{
	return given(__libc_calloc(n, m));
}

void *calloc(size_t n, size_t m)
{
	return rf_shadow_used ? calloc_given(n, m) : __libc_calloc(n, m);
}

static __attribute__((noinline)) void free_given(void *p)
{
	rf_given_back(p, malloc_usable_size(p));
	__libc_free(p);
}

void free(void *p)
{
	if (rf_shadow_used && p)
		free_given(p);
	else
		__libc_free(p);
}

void *realloc(void *p, size_t n)
{
	size_t old = rf_shadow_used && p ? malloc_usable_size(p) : 0;
	if (old)
		rf_given_back(p, old);
	void *q = __libc_realloc(p, n);
	if (q)
		return given(q);
	if (old && n) /* no memory: the old block stays */
		rf_given(p, old);
	return NULL;
}

void *reallocarray(void *p, size_t n, size_t m)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, m, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *memalign(size_t a, size_t n)
{
	return given(__libc_memalign(a, n));
}

void *aligned_alloc(size_t a, size_t n)
{
	return given(__libc_memalign(a, n));
}

int posix_memalign(void **out, size_t a, size_t n)
{
	if (a < sizeof(void *) || (a & (a - 1)))
		return EINVAL;
	void *p = given(__libc_memalign(a, n));
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void *valloc(size_t n)
{
	return given(__libc_memalign((size_t)getpagesize(), n));
}
