/* SPDX-License-Identifier: MIT */
/* Ways to write to a verified node. Each is tried on the second node of a list of three that was probed twice, so that
 * it is verified; then the verdict on the list is compared with a plain walk that knows nothing of the runtime. A way
 * that changes nothing is an error of the attack. main.c runs them. Here: stores that the compiler makes.
 * A way returns what the verdict must be if the walk cannot tell: GONE, the node may not be read any more. */
#include "ways.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <strings.h>
#include <wchar.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* ---- plain stores */

WAY_OF(int_store, n->v = k77)
WAY_OF(constant_store, n->v = 77)
WAY_OF(zero_store, n->v = 0)
WAY_OF(char_store, n->text[7] = (char)k77)
WAY_OF(short_store, *(volatile short *)(void *)&n->w = 77)
WAY_OF(long_store, n->l = k77)
WAY_OF(huge_constant, n->l = 0x123456789abcdefL)
WAY(int128_store)
{
	typedef __int128 __attribute__((may_alias, aligned(4))) wide;
	*(wide *)(void *)&n->arr[1] = (__int128)k77 << 64;
	return WALK;
}
WAY_OF(pointer_store, n->next = n)
WAY_OF(volatile_store, *(volatile int *)&n->v = k77)
WAY(double_store)
{
	typedef double __attribute__((may_alias)) d;
	*(d *)(void *)&n->l = 3.5 * k77;
	return WALK;
}
WAY(float_store)
{
	typedef float __attribute__((may_alias)) f;
	*(f *)(void *)&n->v = 3.5f * (float)k77;
	return WALK;
}
WAY(long_double_store)
{
	typedef long double __attribute__((may_alias, aligned(4))) d;
	*(d *)(void *)&n->arr[4] = (long double)k77;
	return WALK;
}
WAY(complex_store)
{
	typedef _Complex float __attribute__((may_alias, aligned(4))) c;
	*(c *)(void *)&n->arr[4] = (float)k77 + 2.0fi;
	return WALK;
}
WAY(vector_type_store)
{
	typedef int v4 __attribute__((vector_size(16), may_alias, aligned(4)));
	v4 x = {k77, 1, 2, 3};
	*(v4 *)(void *)&n->arr[8] = x;
	return WALK;
}
WAY(vector_element_store)
{
	typedef int v4 __attribute__((vector_size(16), may_alias, aligned(4)));
	(*(v4 *)(void *)&n->arr[8])[2] = k77;
	return WALK;
}
WAY(vector32_store)
{
	typedef int v8 __attribute__((vector_size(32), may_alias, aligned(4)));
	v8 x = {0, 1, 2, 3, 4, 5, 6, k77};
	*(v8 *)(void *)&n->arr[3] = x;
	return WALK;
}
WAY(packed_store)
{
	struct __attribute__((packed, may_alias)) p {
		char c;
		int x;
	} *p = (void *)&n->text[4];
	p->x = k77;
	return WALK;
}
WAY(straddling_store)
{
	struct __attribute__((packed, may_alias)) p {
		char c[6];
		long x;
	} *p = (void *)&n->text[0];
	p->x = 77L << 40;
	return WALK;
}
WAY_OF(bit_field, ((struct fields *)(void *)&n->bits)->b = (unsigned)k77)
WAY_OF(bit_field_constant, ((struct fields *)(void *)&n->bits)->c = 1)
WAY_OF(increment, n->v += 60)
WAY_OF(or_into, n->bits |= 0x100)
WAY_OF(negate, n->v = -n->v)
WAY(struct_assign)
{
	struct pair p = {k77, 1};
	n->pair = p;
	return WALK;
}
WAY(compound_literal)
{
	n->pair = (struct pair){1, k77};
	return WALK;
}
WAY(big_assign)
{
	struct big b = {{k77}};
	n->big = b;
	return WALK;
}
WAY(whole_node)
{
	struct node c = *n;
	c.arr[31] = k77;
	*n = c;
	return WALK;
}
WAY(through_pointer_to_pointer)
{
	int *p = &n->w, **q = &p;
	**q = k77;
	return WALK;
}
WAY(through_void_pointer)
{
	void *p = &n->arr[5];
	*(int *)p = k77;
	return WALK;
}
WAY(negative_index)
{
	int *end = &n->arr[32];
	end[-k77 / 77] = k77;
	return WALK;
}
WAY(byte_loop)
{
	for (size_t i = 0; i < sizeof n->text; i++)
		n->text[i] = (char)(i + 1);
	return WALK;
}
WAY(int_loop)
{
	for (int i = 0; i < 32; i++)
		n->arr[i] = i * k77;
	return WALK;
}
WAY(stride_loop)
{
	for (int i = 1; i < 32; i += 3)
		n->arr[i] = k77;
	return WALK;
}
WAY(conditional_loop)
{
	for (int i = 0; i < 32; i++)
		if (n->arr[i] == 0 && i & 1)
			n->arr[i] = k77;
	return WALK;
}
static NOINLINE void masked(int *restrict a, const int *restrict c)
{
	for (int i = 0; i < 32; i++)
		if (c[i])
			a[i] = c[i];
}
WAY(masked_loop)
{
	int c[32];
	for (int i = 0; i < 32; i++)
		c[i] = i & 1 ? k77 : 0;
	masked(n->arr, c);
	return WALK;
}
static NOINLINE void spread(int *restrict a, const int *restrict at)
{
	for (int i = 0; i < 8; i++)
		a[at[i]] = 40 + i;
}
WAY(scatter_loop)
{
	int at[8];
	for (int i = 0; i < 8; i++)
		at[i] = (i * 5) % 32;
	spread(n->arr, at);
	return WALK;
}
WAY(copy_loop)
{
	int c[32];
	for (int i = 0; i < 32; i++)
		c[i] = k77 + i;
	for (int i = 0; i < 32; i++)
		n->arr[i] = c[i];
	return WALK;
}
static NOINLINE struct pair two(struct node *n)
{
	(void)probe(head_of(n));
	return (struct pair){k77, k77};
}
WAY_OF(result_pair, n->pair = two(n))
static NOINLINE struct big twelve(struct node *n)
{
	(void)probe(head_of(n));
	struct big b = {{0, k77}};
	return b;
}
WAY_OF(result_big, n->big = twelve(n))
static NOINLINE int one(struct node *n)
{
	(void)probe(head_of(n));
	return k77;
}
WAY_OF(result_int, n->v = one(n))
WAY_OF(argument_order, n->arr[one(n) - 77] = one(n))
static NOINLINE void swap(int *a, int *b)
{
	int t = *a;
	*a = *b;
	*b = t;
}
WAY(swap_in)
{
	int t = k77;
	swap(&n->v, &t);
	return WALK;
}
WAY_OF(ternary_place, *(k0 ? &n->v : &n->w) = k77)
WAY_OF(overflow_builtin, (void)__builtin_add_overflow(k77, 1, &n->v))
static void set_it(int **p)
{
	**p = k77;
}
WAY(cleanup_attribute)
{
	int *p __attribute__((cleanup(set_it))) = &n->v;
	(void)p;
	return WALK;
}
WAY(statement_expression)
{
	__extension__({
		n->w = k77;
		n->w;
	});
	return WALK;
}
WAY(computed_goto)
{
	__extension__ void *to = &&there;
	goto *to;
there:
	n->v = k77;
	return WALK;
}
WAY(variable_array)
{
	int m = k77 / 7;
	int a[m];
	for (int i = 0; i < m; i++)
		a[i] = k77;
	memcpy(n->arr, a, (size_t)m * sizeof *a);
	return WALK;
}
__attribute__((no_sanitize("address", "kernel-address", "undefined"))) static NOINLINE void plain(struct node *n)
{
	n->v = k77;
}
WAY_OF(no_sanitize, plain(n))
__attribute__((constructor)) static void before_main(void)
{
	k0 = 0;
}
static NOINLINE void va_put(int k, ...)
{
	va_list ap;
	va_start(ap, k);
	*va_arg(ap, int *) = k;
	va_end(ap);
}
WAY_OF(variadic_argument, va_put(k77, &n->v))
static NOINLINE int tail(struct node *n, int k)
{
	return k ? tail(n, k - 1) : (n->v = k77);
}
WAY_OF(tail_recursion, tail(n, 5))
static struct node *from_signal;
static void handler(int s)
{
	(void)s;
	from_signal->v = k77;
}
WAY(signal_handler)
{
	from_signal = n;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	return WALK;
}
WAY_OF(far_function, far_write(n))
WAY(function_pointer)
{
	void (*volatile f)(struct node *) = far_write;
	f(n);
	return WALK;
}
WAY(silent_then_real)
{
	n->v = n->v;
	n->v = k77;
	return WALK;
}
