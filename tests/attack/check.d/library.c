/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): functions of the C library and of libm. */
#include "ways.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <wchar.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define NOINLINE __attribute__((noinline))
static volatile int k77 = 77, k0;
static volatile size_t four = 4;

/* ---- string functions */

WAY(memset_constant)
{
	memset(n->text, 77, 24);
	return WALK;
}
WAY(memset_length)
{
	memset(n->arr, k77, four);
	return WALK;
}
WAY(memset_node)
{
	memset(&n->v, 0xff, sizeof *n - sizeof n->next);
	return WALK;
}
WAY(memcpy_constant)
{
	static const char from[40] = {1, 2, 77};
	memcpy(n->text, from, 40);
	return WALK;
}
WAY(memcpy_length)
{
	int x = k77;
	memcpy(&n->v, &x, four);
	return WALK;
}
WAY(memmove_overlap)
{
	n->arr[0] = 9;
	n->first = 1;
	memmove(&n->first, &n->arr[0], sizeof(int) * four / 4);
	return WALK;
}
WAY(mempcpy_length)
{
	int x = k77;
	(void)mempcpy(&n->w, &x, four);
	return WALK;
}
WAY(memset_pointer)
{
	void *(*volatile f)(void *, int, size_t) = memset;
	f(&n->v, 77, four);
	return WALK;
}
WAY(memcpy_pointer)
{
	int x = k77;
	void *(*volatile f)(void *, const void *, size_t) = memcpy;
	f(&n->v, &x, four);
	return WALK;
}
WAY(strcpy_in)
{
	(strcpy)(n->text, "abc");
	return WALK;
}
WAY(strncpy_in)
{
	strncpy(n->text, "abc", four);
	return WALK;
}
WAY(stpcpy_in)
{
	(void)stpcpy(n->text, "xyz");
	return WALK;
}
WAY(stpncpy_in)
{
	(void)stpncpy(n->text, "xyz", four);
	return WALK;
}
WAY(strcat_in)
{
	(strcat)(n->text, "q");
	return WALK;
}
WAY(strncat_in)
{
	strncat(n->text, "qrs", four);
	return WALK;
}
WAY(memccpy_in)
{
	(void)memccpy(n->text, "a.b", '.', four);
	return WALK;
}
WAY(bcopy_in)
{
	bcopy("abc", n->text, four);
	return WALK;
}
WAY(bzero_in)
{
	bzero(&n->v, four);
	return WALK;
}
WAY(explicit_bzero_in)
{
	explicit_bzero(&n->v, four);
	return WALK;
}
WAY(swab_in)
{
	swab_bytes(n->text);
	return WALK;
}
WAY(wmemset_in)
{
	wmemset((wchar_t *)(void *)n->arr, 77, four);
	return WALK;
}
WAY(wcscpy_in)
{
	wcscpy((wchar_t *)(void *)n->arr, L"abc");
	return WALK;
}
WAY(memfrob_in)
{
	memfrob(n->text, four);
	return WALK;
}
WAY(strxfrm_in)
{
	(void)strxfrm(n->text, "abc", 100);
	return WALK;
}
WAY(strfry_in)
{
	n->text[0] = 1, n->text[1] = 2;
	(void)strfry(n->text);
	n->text[2] = 66;
	return WALK;
}
WAY(strtok_later)
{
	static const char s[] = {4, 5, 44, 6, 44, 7, 0};
	memcpy(n->text, s, sizeof s);
	n->text[2] = 9, n->text[4] = 9;
	(void)(strtok)(n->text, "\t");
	(void)probe(head_of(n));
	(void)(strtok)(NULL, "\t");
	n->text[1] = 70;
	return WALK;
}

/* ---- numbers and formats */

WAY(frexp_out)
{
	(void)frexp(1e30 * k77, &n->v);
	return WALK;
}
WAY(modf_out)
{
	(void)modf(3.5, (double *)(void *)&n->l);
	return WALK;
}
WAY(remquo_out)
{
	(void)remquo(1000.0, 8.0 + k0, &n->v);
	n->v += 50;
	return WALK;
}
WAY(sincos_out)
{
	double c;
	sincos(1.0 + k0, (double *)(void *)&n->l, &c);
	return WALK;
}
WAY(lgamma_out)
{
	(void)lgamma_r(-0.5 + k0, &n->v);
	return WALK;
}
WAY(strtol_end)
{
	(void)strtol("12x" + k0, (char **)(void *)&n->next, 10);
	n->next = n;
	return WALK;
}
WAY(sscanf_int)
{
	return sscanf("77", "%d", &n->v) == 1 ? WALK : GONE;
}
WAY(sscanf_several)
{
	int a;
	return sscanf("1 77", "%d %d", &a, &n->w) == 2 ? WALK : GONE;
}
WAY(sscanf_string)
{
	return sscanf("abc", "%s", n->text) == 1 ? WALK : GONE;
}
static NOINLINE int scan(const char *s, const char *f, ...)
{
	va_list ap;
	va_start(ap, f);
	int r = vsscanf(s, f, ap);
	va_end(ap);
	return r;
}
WAY(vsscanf_int)
{
	return scan("77", "%d", &n->v) == 1 ? WALK : GONE;
}
WAY(sprintf_in)
{
	(sprintf)(n->text, "%d", k77);
	return WALK;
}
WAY(snprintf_in)
{
	snprintf(n->text, sizeof n->text, "%d", k77);
	return WALK;
}
static NOINLINE void format(char *to, size_t m, const char *f, ...)
{
	va_list ap;
	va_start(ap, f);
	vsnprintf(to, m, f, ap);
	va_end(ap);
}
WAY(vsnprintf_in)
{
	format(n->text, sizeof n->text, "%d", k77);
	return WALK;
}
#if !defined(_FORTIFY_SOURCE) || _FORTIFY_SOURCE < 1
WAY(printf_n)
{
	char b[100];
	snprintf(b, sizeof b, "%70d%n", 1, &n->v);
	return WALK;
}
WAY(vsnprintf_n)
{
	char b[100];
	format(b, sizeof b, "%70d%n", 1, &n->v);
	return WALK;
}
#endif
WAY(swprintf_in)
{
	swprintf((wchar_t *)(void *)n->arr, 20, L"%d", k77);
	return WALK;
}
