/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): functions of the C library and of libm. */
#include "ways.h"
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

#include <math.h>
#include <iconv.h>
#include <obstack.h>
#include <search.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <strings.h>
#include <wchar.h>

/* ---- string functions */

WAY_OF(memset_constant, memset(n->text, 77, 24))
WAY_OF(memset_length, memset(n->arr, k77, four))
WAY_OF(memset_node, memset(&n->v, 0xff, sizeof *n - sizeof n->next))
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
WAY_OF(strcpy_in, (strcpy)(n->text, "abc"))
WAY_OF(strncpy_in, strncpy(n->text, "abc", four))
WAY_OF(stpcpy_in, (void)stpcpy(n->text, "xyz"))
WAY_OF(stpncpy_in, (void)stpncpy(n->text, "xyz", four))
WAY_OF(strcat_in, (strcat)(n->text, "q"))
WAY_OF(strncat_in, strncat(n->text, "qrs", four))
WAY_OF(memccpy_in, (void)memccpy(n->text, "a.b", '.', four))
WAY_OF(bcopy_in, bcopy("abc", n->text, four))
WAY_OF(bzero_in, bzero(&n->v, four))
WAY_OF(explicit_bzero_in, explicit_bzero(&n->v, four))
WAY_OF(swab_in, swab_bytes(n->text))
WAY_OF(wmemset_in, wmemset((wchar_t *)(void *)n->arr, 77, four))
WAY_OF(wcscpy_in, wcscpy((wchar_t *)(void *)n->arr, L"abc"))
WAY_OF(memfrob_in, memfrob(n->text, four))
WAY_OF(strxfrm_in, (void)strxfrm(n->text, "abc", 100))
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

WAY_OF(frexp_out, (void)frexp(1e30 * k77, &n->v))
WAY_OF(modf_out, (void)modf(3.5, (double *)(void *)&n->l))
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
WAY_OF(lgamma_out, (void)lgamma_r(-0.5 + k0, &n->v))
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
WAY_OF(sprintf_in, (sprintf)(n->text, "%d", k77))
WAY_OF(snprintf_in, snprintf(n->text, sizeof n->text, "%d", k77))
static NOINLINE void format(char *to, size_t m, const char *f, ...)
{
	va_list ap;
	va_start(ap, f);
	vsnprintf(to, m, f, ap);
	va_end(ap);
}
WAY_OF(vsnprintf_in, format(n->text, sizeof n->text, "%d", k77))
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
WAY_OF(swprintf_in, swprintf((wchar_t *)(void *)n->arr, 20, L"%d", k77))

/* ---- that write further than their argument */

WAY(strsep_in)
{
	char *at = (char *)&n->first; /* 1, which must stay */
	(void)strsep(&at, "\1");
	return WALK;
}
WAY(strsep_later)
{
	static char *at;
	at = (char *)&n->first;
	(void)probe(head_of(n));
	(void)strsep(&at, "\1");
	return WALK;
}
WAY(obstack_in)
{
	struct obstack o;
	obstack_init(&o);
	struct node *h = head_of(n), *x = obstack_alloc(&o, sizeof *x);
	h->next = new_node(x);
	(void)probe(h);
	(void)probe(h);
	obstack_free(&o, x);
	(void)probe(h);
	obstack_printf(&o, "%0600d", k77);
	return WALK;
}
WAY(printf_n_by_number)
{
	char out[100];
	snprintf(out, sizeof out, k0 ? "" : "%2$*3$d%1$n", &n->v, 5, 77);
	return WALK;
}
static void fill(struct node *n, ...)
{
	va_start(*(va_list *)(void *)n->arr, n);
}
WAY_OF(va_start_in, fill(n, 1, 2, 3))
static void copy_list(struct node *n, ...)
{
	va_list ap;
	va_start(ap, n);
	va_copy(*(va_list *)(void *)n->arr, ap);
	va_end(ap);
}
WAY_OF(va_copy_in, copy_list(n, 1, 2, 3))
static int compare_and_write(const void *a, const void *b)
{
	struct node *n = *(struct node *const *)b;
	(void)a;
	n->v = 77;
	return 0;
}
WAY(bsearch_callback)
{
	struct node *array[] = {n, n};
	(void)bsearch(&array[1], array, 2, sizeof *array, compare_and_write);
	return WALK;
}
WAY(lfind_callback)
{
	struct node *array[] = {n, n};
	size_t k = 2;
	(void)lfind(&array[1], array, &k, sizeof *array, compare_and_write);
	return WALK;
}
WAY_OF(complex_part, __real__ *(_Complex int *)(void *)n->arr = k77)
WAY_OF(mbstowcs_in, (void)mbstowcs((wchar_t *)n->arr, "MN", 3))
WAY(mbsrtowcs_in)
{
	const char *s = "MN";
	mbstate_t state = {0};
	(void)mbsrtowcs((wchar_t *)n->arr, &s, 3, &state);
	return WALK;
}
WAY_OF(strfromd_in, strfromd(n->text, sizeof n->text, "%g", 77.0))
WAY(nan_payload)
{
	double d = 77;
	canonicalize((double *)&n->l, &d);
	return WALK;
}
WAY(iconv_in)
{
	iconv_t c = iconv_open("UTF-8", "ASCII");
	char in[] = "MN", *from = in, *to = n->text;
	size_t n_in = 2, n_out = 20;
	if (c == (iconv_t)-1 || iconv(c, &from, &n_in, &to, &n_out) == (size_t)-1)
		n->v = 77;
	return WALK;
}
