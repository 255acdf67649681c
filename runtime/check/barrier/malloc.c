/* SPDX-License-Identifier: MIT */
/* malloc and its family, in front of glibc's own: a block that is freed is forgotten by the marks and remembered as
 * freed until it is given out again, whoever frees it. An archive member, so that a program with an allocator of
 * its own keeps it. */
#include "refrain/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t m);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t a, size_t n);
extern void __libc_free(void *p);

/* Where the C library's code lies. What that allocates for itself (streams and their buffers, what it returns to be
 * read) it goes on writing to: such blocks are not trusted. Those of an obstack are the program's. */
static uintptr_t library, library_size, obstack, obstack_size;

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t inside = (uintptr_t)&__libc_malloc;
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD && inside - from < h->p_memsz) {
			library = from;
			library_size = h->p_memsz;
			return 1;
		}
	}
	return 0;
}

__attribute__((constructor(101))) static void look_at_library(void)
{
	static const char *const names[] = {"_obstack_begin", "_obstack_begin_1", "_obstack_newchunk", "_obstack_free"};
	enum { HELPER = 512 }; /* the static function in front of them */
	uintptr_t lo = UINTPTR_MAX, hi = 0;
	dl_iterate_phdr(find_library, NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uintptr_t a = (uintptr_t)dlsym(RTLD_NEXT, names[i]);
		lo = a < lo ? a : lo;
		hi = a > hi ? a : hi;
	}
	obstack = lo - HELPER;
	obstack_size = lo && hi - lo < 1 << 14 ? hi - obstack : 0;
}

static void *given_to(void *p, uintptr_t caller)
{
	if (!rf_shadow_used || !p)
		return p;
	if (caller - library < library_size && caller - obstack >= obstack_size)
		rf_alloced(p, malloc_usable_size(p));
	else
		rf_given(p, malloc_usable_size(p));
	return p;
}

#define CALLER (uintptr_t) __builtin_return_address(0)
#define given(p) given_to(p, CALLER)

/* The usual ones are jumps while no type is registered. */
static __attribute__((noinline)) void *malloc_given(size_t n, uintptr_t caller)
{
	return given_to(__libc_malloc(n), caller);
}

void *malloc(size_t n)
{
	return rf_shadow_used ? malloc_given(n, CALLER) : __libc_malloc(n);
}

static __attribute__((noinline)) void *calloc_given(size_t n, size_t m, uintptr_t caller)
{
	return given_to(__libc_calloc(n, m), caller);
}

void *calloc(size_t n, size_t m)
{
	return rf_shadow_used ? calloc_given(n, m, CALLER) : __libc_calloc(n, m);
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
