/* SPDX-License-Identifier: MIT */
/* Functions of the C library that write to memory they are given, wrapped by the linker (--wrap) in programs that
 * refrain-cc links: each announces the bytes first. */
#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static inline void writes(const void *p, size_t n)
{
	shadow_store_range((uintptr_t)p, n);
}

#define WRAP(type, name, params, args, touch)                                                                          \
	type __real_##name params;                                                                                     \
	type __wrap_##name params;                                                                                     \
	type __wrap_##name params                                                                                      \
	{                                                                                                              \
		touch;                                                                                                 \
		return __real_##name args;                                                                             \
	}

WRAP(void *, memset, (void *d, int c, size_t n), (d, c, n), writes(d, n))
WRAP(void *, memcpy, (void *d, const void *s, size_t n), (d, s, n), writes(d, n))
WRAP(void *, memmove, (void *d, const void *s, size_t n), (d, s, n), writes(d, n))
WRAP(void *, mempcpy, (void *d, const void *s, size_t n), (d, s, n), writes(d, n))
WRAP(void *, __memset_chk, (void *d, int c, size_t n, size_t m), (d, c, n, m), writes(d, n))
WRAP(void *, __memcpy_chk, (void *d, const void *s, size_t n, size_t m), (d, s, n, m), writes(d, n))
WRAP(void *, __memmove_chk, (void *d, const void *s, size_t n, size_t m), (d, s, n, m), writes(d, n))
WRAP(char *, strcpy, (char *d, const char *s), (d, s), writes(d, strlen(s) + 1))
WRAP(char *, stpcpy, (char *d, const char *s), (d, s), writes(d, strlen(s) + 1))
WRAP(char *, strncpy, (char *d, const char *s, size_t n), (d, s, n), writes(d, n))
WRAP(char *, strcat, (char *d, const char *s), (d, s), writes(d + strlen(d), strlen(s) + 1))
WRAP(size_t, fread, (void *d, size_t m, size_t n, FILE *f), (d, m, n, f), writes(d, m *n))
WRAP(ssize_t, read, (int fd, void *d, size_t n), (fd, d, n), writes(d, n))
WRAP(char *, fgets, (char *d, int n, FILE *f), (d, n, f), writes(d, n > 0 ? (size_t)n : 0))
WRAP(void, qsort, (void *d, size_t n, size_t m, int (*c)(const void *, const void *)), (d, n, m, c), writes(d, n *m))
