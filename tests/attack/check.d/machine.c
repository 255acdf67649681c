/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): atomics, instructions by name, inline assembler. */
#include "ways.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* ---- atomics */

WAY_OF(atomic_store_n, __atomic_store_n(&n->v, k77, __ATOMIC_SEQ_CST))
WAY_OF(atomic_exchange_n, (void)__atomic_exchange_n(&n->v, k77, __ATOMIC_RELAXED))
WAY_OF(atomic_add, (void)__atomic_fetch_add(&n->l, 77, __ATOMIC_ACQ_REL))
WAY_OF(atomic_or, (void)__atomic_fetch_or(&n->bits, 256u, __ATOMIC_RELAXED))
WAY(atomic_bit)
{
	if (__atomic_fetch_or(&n->bits, 1u << 9, __ATOMIC_RELAXED) & (1u << 9))
		return GONE;
	return WALK;
}
WAY(atomic_dec_test)
{
	if (__atomic_sub_fetch(&n->v, 50, __ATOMIC_RELAXED) == 0)
		return GONE;
	return WALK;
}
WAY_OF(sync_add, (void)__sync_fetch_and_add(&n->v, 70))
WAY_OF(sync_swap, (void)__sync_val_compare_and_swap(&n->v, n->v, k77))
WAY(compare_exchange)
{
	int was = n->v;
	(void)__atomic_compare_exchange_n(&n->v, &was, k77, 0, 5, 5);
	return WALK;
}
WAY(compare_exchange_expected)
{
	int other = 50;
	(void)__atomic_compare_exchange_n(&other, &n->v, 3, 0, 5, 5);
	return WALK;
}
WAY_OF(atomic_byte, __atomic_store_n(&n->text[9], (char)k77, __ATOMIC_RELEASE))
WAY(atomic_generic)
{
	struct pair p = {k77, 1};
	__atomic_store(&n->pair, &p, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(atomic_load_into)
{
	long k = k77;
	__atomic_load(&k, &n->l, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY_OF(c11_atomic, atomic_store((_Atomic int *)&n->v, k77))
WAY(c11_flag)
{
	(void)atomic_flag_test_and_set((atomic_flag *)(void *)&n->text[3]);
	n->text[3] |= 64;
	return WALK;
}
WAY_OF(c11_xor, atomic_fetch_xor((_Atomic long *)&n->l, 0x7000L))

/* ---- machine instructions and assembler */

#ifdef __x86_64__
WAY_OF(asm_output, __asm__("movl $77, %0" : "=m"(n->v)))
WAY_OF(asm_in_out, __asm__("addl $77, %0" : "+m"(n->v) : : "cc"))
WAY_OF(asm_memory, __asm__ volatile("movl $77, (%0)" : : "r"(&n->v) : "memory"))
WAY(asm_integer)
{
	uintptr_t a = (uintptr_t)&n->v;
	__asm__ volatile("movl $77, (%0)" : : "r"(a) : "memory");
	return WALK;
}
WAY(asm_string)
{
	void *d = n->text;
	size_t c = 16;
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(c) : "a"(77) : "memory");
	return WALK;
}
WAY(asm_register_output)
{
	int x;
	__asm__("movl $77, %0" : "=r"(x));
	n->v = x;
	return WALK;
}
WAY_OF(stream_int, _mm_stream_si32(&n->v, k77))
WAY_OF(stream_long, _mm_stream_si64((long long *)&n->l, k77))
WAY_OF(store_128, _mm_storeu_si128((__m128i *)(void *)&n->arr[2], _mm_set1_epi32(k77)))
WAY_OF(store_low_half, _mm_storel_epi64((__m128i *)(void *)&n->arr[2], _mm_set1_epi32(k77)))
WAY_OF(store_scalar_float, _mm_store_ss((float *)(void *)&n->w, _mm_set1_ps((float)k77)))
WAY_OF(store_high_half, _mm_storeh_pd((double *)(void *)&n->l, _mm_set1_pd(77.0)))
WAY_OF(masked_bytes, _mm_maskmoveu_si128(_mm_set1_epi8(77), _mm_set1_epi8(-128), &n->text[8]))
WAY(add_carry)
{
	unsigned long long out;
	_addcarry_u64(0, 70, (unsigned)k77, &out);
	n->l = (long)out;
	return WALK;
}
WAY_OF(add_carry_in_place, _addcarry_u32(0, 70, (unsigned)k77, (unsigned *)&n->v))
__attribute__((target("avx2"))) static NOINLINE void avx(struct node *n)
{
	_mm256_maskstore_epi32(&n->arr[4], _mm256_setr_epi32(0, -1, 0, -1, 0, 0, 0, -1), _mm256_set1_epi32(k77));
}
WAY(avx_mask_store)
{
	if (!__builtin_cpu_supports("avx2"))
		n->v = 77;
	else
		avx(n);
	return WALK;
}
__attribute__((target("avx"))) static NOINLINE void avx_stream(void *p)
{
	_mm256_storeu_ps(p, _mm256_set1_ps((float)k77));
}
WAY(avx_store)
{
	if (!__builtin_cpu_supports("avx"))
		n->v = 77;
	else
		avx_stream(&n->arr[9]);
	return WALK;
}
static void if_avx512(void (*write)(struct node *), struct node *n)
{
	if (__builtin_cpu_supports("avx512f"))
		write(n);
	else
		n->v = 77;
}
__attribute__((target("avx512f"))) static NOINLINE void avx512(struct node *n)
{
	_mm512_mask_storeu_epi32(n->arr, 0x8421, _mm512_set1_epi32(k77));
}
WAY_OF(avx512_mask_store, if_avx512(avx512, n))
__attribute__((target("avx512f"))) static NOINLINE void avx512_scatter(struct node *n)
{
	_mm512_i32scatter_epi32(n->arr, _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
				_mm512_set1_epi32(k77), 4);
}
WAY_OF(avx512_scatter_store, if_avx512(avx512_scatter, n))
__attribute__((target("avx512f"))) static NOINLINE void avx512_compress(struct node *n)
{
	_mm512_mask_compressstoreu_epi32(&n->arr[3], 0x00f0, _mm512_set1_epi32(k77));
}
WAY_OF(avx512_compress_store, if_avx512(avx512_compress, n))
#endif

/* ---- odd sizes, and instructions that write more than they seem to */

struct three {
	int a, b, c;
};
WAY(atomic_load_odd)
{
	static struct three from = {77, 77, 77};
	__atomic_load(&from, (struct three *)(void *)n->arr, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(atomic_store_odd)
{
	struct three from = {k77, 77, 77};
	__atomic_store((struct three *)(void *)n->arr, &from, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(atomic_exchange_odd)
{
	static struct three place = {77, 77, 77};
	struct three zero = {0};
	__atomic_exchange(&place, &zero, (struct three *)(void *)n->arr, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(compare_exchange_odd)
{
	static struct three place = {77, 77, 77};
	struct three want = {1, 2, 3};
	__atomic_compare_exchange(&place, (struct three *)(void *)n->arr, &want, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(c11_struct)
{
	struct three v = {k77, 0, 0};
	*(_Atomic struct three *)(void *)n->arr = v;
	return WALK;
}
WAY_OF(c11_double, *(_Atomic double *)(void *)&n->l += 77)
WAY(atomic_128)
{
	__int128 v = k77;
	__atomic_store_n((__int128 *)(void *)(((uintptr_t)n->arr + 15) & ~(uintptr_t)15), v, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY(atomic_test_and_set)
{
	n->text[3] = 0;
	(void)__atomic_test_and_set(&n->first, __ATOMIC_SEQ_CST);
	n->w = 0;
	(void)probe(head_of(n));
	__atomic_clear(&n->first, __ATOMIC_SEQ_CST);
	return WALK;
}
WAY_OF(atomic_nand, (void)__atomic_fetch_nand(&n->v, 1, __ATOMIC_SEQ_CST))
WAY(asm_goto)
{
	__asm__ goto("movl $77, %0\n\tjmp %l1" : : "m"(n->v) : "memory" : out);
out:
	return WALK;
}
WAY(asm_string_move)
{
	const void *from = &(int[]){77, 77, 77, 77};
	void *to = n->arr;
	size_t k = 16;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(k)::"memory");
	return WALK;
}
WAY(asm_system_call)
{
	int ends[2];
	if (pipe(ends) != 0 || write(ends[1], (int[]){77}, 4) != 4)
		return GONE;
	long r;
	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(0L), "D"((long)ends[0]), "S"(&n->v), "d"(4L)
			 : "rcx", "r11", "memory");
	return WALK;
}
WAY(rdtscp_in)
{
	unsigned aux;
	(void)__builtin_ia32_rdtscp(&aux);
	(void)__builtin_ia32_rdtscp((unsigned *)&n->bits);
	n->bits = n->bits <= 9 ? 77 : n->bits;
	return WALK;
}
WAY(fxsave_in)
{
	char *p = aligned_alloc(16, 1024);
	struct node *h = head_of(n), *x = (struct node *)(void *)p;
	h->next = new_node(x);
	(void)probe(h);
	(void)probe(h);
	_fxsave(p);
	return GONE;
}
#ifdef __clang__
WAY_OF(nontemporal_builtin, __builtin_nontemporal_store(k77, &n->v))
WAY(memcpy_inline_builtin)
{
	int x = k77;
	__builtin_memcpy_inline(&n->v, &x, 4);
	return WALK;
}
#endif
#if defined __GNUC__ && !defined __clang__
WAY(nested_function)
{
	void inner(int k)
	{
		n->v = k;
	}
	void (*volatile f)(int) = inner;
	f(k77);
	return WALK;
}
#endif
static void dispatched_to(struct node *n)
{
	n->v = 77;
}
/* A function that a resolver chooses when the program starts. */
#define DISPATCHED_WAY(name, to)                                                                                       \
	static void (*choose_##name(void))(struct node *)                                                              \
	{                                                                                                              \
		return to;                                                                                             \
	}                                                                                                              \
	void dispatched_##name(struct node *n) __attribute__((ifunc("choose_" #name)));                                \
	WAY(name)                                                                                                      \
	{                                                                                                              \
		dispatched_##name(n);                                                                                  \
		return WALK;                                                                                           \
	}
DISPATCHED_WAY(ifunc_here, dispatched_to)
DISPATCHED_WAY(ifunc_alien, alien_write)
static void weakly(struct node *n) __attribute__((weakref("alien_write")));
WAY_OF(weakref_alien, weakly(n))
void labelled(struct node *n) __asm__("alien_write");
WAY_OF(asm_label_alien, labelled(n))
__asm__(".text\n.globl from_assembler\n.type from_assembler,@function\nfrom_assembler: movl $77, 8(%rdi)\nret\n"
	".size from_assembler,.-from_assembler\n");
void from_assembler(struct node *n);
WAY_OF(assembler_function, from_assembler(n))
