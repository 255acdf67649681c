/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c), at the edges of the language and of the machine: assembler that goes on where its
 * operands end, addresses that do not look like any, copies that overlap, blocks that are written beyond their end,
 * nodes of unusual sizes in unusual places. */
#define _GNU_SOURCE
#include "ways.h"

#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct node *wanted;
static volatile int result;
struct node *edge_place __attribute__((used));

static int fails(const char *name)
{
	printf("STALE %s\n", name);
	fflush(stdout);
	_exit(1);
}

/* ---- assembler */

#ifdef __PIE__
#define PLACE "movq edge_place(%%rip), %%rax\n\t"
#else
#define PLACE "movq edge_place@GOTPCREL(%%rip), %%rax\n\tmovq (%%rax), %%rax\n\t"
#endif
WAY_OF(asm_no_operands, edge_place = n; __asm__ volatile(PLACE "movl $77, 8(%%rax)" ::: "rax"))
WAY_OF(asm_one_constant, edge_place = n; __asm__ volatile(PLACE "movl %0, 8(%%rax)" : : "i"(77) : "rax"))
WAY(asm_number_not_volatile)
{
	int x;
	__asm__("movl $77, (%1)\n\tmovl $5, %0" : "=r"(x) : "r"((uintptr_t)&n->v));
	result = x;
	return WALK;
}
WAY(asm_loads_an_address)
{
	struct node **at = &edge_place;
	edge_place = n;
	__asm__ volatile("movq (%0), %%rax\n\tmovl $77, 8(%%rax)" : : "r"(at) : "rax");
	return WALK;
}
WAY(asm_loads_to_an_output)
{
	struct node **at = &edge_place;
	void *x;
	edge_place = n;
	__asm__("movq (%1), %0\n\tmovl $77, 8(%0)" : "=&r"(x) : "r"(at));
	if (x != n)
		abort();
	return WALK;
}
WAY(asm_store_string_quietly)
{
	int *to = n->arr;
	long k = 4;
	__asm__("rep stosl" : "+D"(to), "+c"(k) : "a"(77));
	result = (int)k;
	return WALK;
}
static int looks(struct node *n)
{
	return probe(head_of(n)) > 1000;
}
__attribute__((used)) int edge_call(struct node *n);
int edge_call(struct node *n)
{
	return alien_call(n, looks);
}
#ifdef __PIC__
#define AT_PLT "@PLT"
#else
#define AT_PLT ""
#endif
#define CLOBBERED "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "memory"
WAY(asm_calls_alien)
{
	struct node *in = n;
	int (*f)(struct node *) = looks;
	void *keep;
	__asm__ volatile("movq %%rsp, %0\n\tandq $-16, %%rsp\n\tcall alien_call" AT_PLT "\n\tmovq %0, %%rsp"
			 : "=&b"(keep), "+D"(in), "+S"(f)
			 :
			 : "rax", CLOBBERED);
	return WALK;
}
static volatile int let_go;
static void *checks_and_lets_go(void *n)
{
	usleep(20000);
	for (int i = 0; i < 50; i++)
		(void)probe(n);
	let_go = 1;
	return NULL;
}
WAY(asm_waits)
{
	pthread_t t;
	pthread_create(&t, NULL, checks_and_lets_go, head_of(n));
	__asm__ volatile("1: pause\n\tcmpl $0, (%1)\n\tje 1b\n\tmovl $77, (%0)"
			 :
			 : "r"(&n->v), "r"(&let_go)
			 : "memory");
	pthread_join(t, NULL);
	return WALK;
}
/* Registers that a program has chosen itself reach its assembler. */
WAY(asm_own_registers)
{
	int from[2] = {77, 1};
	FILE *f = tmpfile();
	long fd = fileno(f);
	fwrite(from, 4, 1, f);
	fflush(f);
	register long offset __asm__("r10") = k0;
	register long spare __asm__("r8") = 5;
	register long other __asm__("r9") = 6;
	long r = SYS_pread64;
	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(fd), "S"(&n->v), "d"(4L), "r"(offset), "r"(spare), "r"(other)
			 : "rcx", "r11", "memory");
	if (r != 4)
		fails("asm_own_registers: its registers were changed");
	return WALK;
}
WAY(asm_own_registers_to_memory)
{
	register long a __asm__("r8") = 77;
	register long b __asm__("rdi") = 5;
	register long c __asm__("rax") = 7;
	__asm__ volatile("movl %k1, (%0)\n\taddq %2, %3" : : "r"(&n->v), "r"(a), "r"(b), "r"(c) : "memory", "cc");
	return WALK;
}
__attribute__((naked, used)) static NOINLINE void bare(struct node *n)
{
	__asm__ volatile("movl $77, 8(%rdi)\n\tret");
}
WAY_OF(naked_function, bare(n))

/* ---- builtins */

#ifndef __clang__
static NOINLINE int scan(const char *s, const char *f, ...)
{
	va_list ap;
	va_start(ap, f);
	int r = __builtin_vsscanf(s, f, ap);
	va_end(ap);
	return r;
}
WAY(builtin_vsscanf)
{
	return scan("77", "%d", &n->v) == 1 ? WALK : GONE;
}
static NOINLINE void passes_on(struct node *n)
{
	(void)n;
	void *a = __builtin_apply_args();
	__builtin_apply((void (*)(void))alien_write, a, 64);
}
WAY_OF(builtin_apply, passes_on(n))
struct wide_field {
	unsigned __int128 before : 20, wide : 99;
};
WAY_OF(very_wide_field, ((struct wide_field *)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0)))->wide = 77u)
static NOINLINE void to_member(char *p, int m)
{
	struct var {
		char before[m];
		int at[m];
	} *s = (void *)p;
	s->at[m - 1] = k77;
}
WAY_OF(variable_member, to_member(n->text, k77 / 7))
static NOINLINE void to_struct(char *p, char *q, int m)
{
	struct var {
		char at[m];
	};
	*(struct var *)(void *)p = *(struct var *)(void *)q;
}
WAY(variable_struct)
{
	char from[80] = "MMM";
	to_struct(n->text, from, k77);
	return WALK;
}
static NOINLINE void to_result(struct node *n, int m)
{
	struct var {
		char at[m];
	};
	struct var f(void)
	{
		struct var x;
		memset(&x, 77, sizeof x);
		(void)probe(head_of(n));
		return x;
	}
	*(struct var *)(void *)n->text = f();
}
WAY_OF(variable_result, to_result(n, k77))
#endif
WAY_OF(builtin_setjmp, (void)__builtin_setjmp((void **)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0))))

/* ---- addresses */

WAY_OF(from_null, ((volatile char *)0)[(uintptr_t)&n->v + (uintptr_t)k0] = (char)k77)
WAY(from_null_of_ints)
{
	volatile int *zero = 0;
	zero[((uintptr_t)&n->v + (uintptr_t)k0) / 4] = k77;
	return WALK;
}
WAY(from_a_global)
{
	char *base = (char *)&edge_place;
	*(int *)(void *)(base + ((char *)&n->v - base) + k0) = k77;
	return WALK;
}
WAY_OF(by_a_mask, *(int *)(((uintptr_t)&n->v | 1) & ~(uintptr_t)1) = k77)
WAY(by_exclusive_or)
{
	uintptr_t key = (uintptr_t)&edge_place, hidden = (uintptr_t)&n->v ^ key;
	*(int *)(hidden ^ key) = k77;
	return WALK;
}

/* ---- copies that overlap */

static NOINLINE void copy64(void *to, const void *from)
{
	memcpy(to, from, 64);
}
WAY(copy_forward)
{
	n->arr[0] = 1, n->arr[1] = 2;
	for (int i = 2; i < 30; i++)
		n->arr[i] = 2;
	(void)probe(head_of(n));
	copy64(&n->arr[2], &n->arr[0]);
	n->arr[31] = 77; /* what an overlapping copy makes of it is any compiler's own affair */
	return WALK;
}
struct eight {
	int at[8];
};
static NOINLINE void assign8(struct eight *to, const struct eight *from)
{
	*to = *from;
}
WAY(struct_upon_itself)
{
	n->arr[0] = 1;
	n->arr[3] = 9;
	n->first = 1;
	assign8((struct eight *)(void *)&n->first, (struct eight *)(void *)&n->big.at[1]);
	n->v = n->first == 1 ? 77 : n->v;
	return WALK;
}

/* ---- beyond the end of a block */

static struct node *behind(struct node *n, char **small)
{
	for (int i = 0; i < 1000; i++) {
		char *p = malloc(24);
		struct node *m = malloc(sizeof *m);
		if ((char *)m > p && (char *)m - p < 64) {
			head_of(n)->next = new_node(m);
			(void)probe(head_of(m));
			(void)probe(head_of(m));
			*small = p;
			return m;
		}
	}
	fails("no two blocks beside each other");
	return NULL;
}
static char overlong[80];
static const char *text_of(size_t n)
{
	memset(overlong, 77, n);
	overlong[n] = '\0';
	return overlong;
}
#if !defined(_FORTIFY_SOURCE) || _FORTIFY_SOURCE < 1
#define BEYOND_WAY(name, ...)                                                                                          \
	WAY(name)                                                                                                      \
	{                                                                                                              \
		char *small;                                                                                           \
		struct node *m = behind(n, &small);                                                                    \
		size_t k = (size_t)((char *)&m->v - small) + 4;                                                        \
		__VA_ARGS__;                                                                                           \
		if (m->v == 1)                                                                                         \
			abort();                                                                                       \
		return GONE;                                                                                           \
	}
BEYOND_WAY(strcpy_beyond, (strcpy)(small, text_of(k)))
BEYOND_WAY(stpcpy_beyond, (void)stpcpy(small, text_of(k)))
BEYOND_WAY(strcat_beyond, *small = 0; (strcat)(small, text_of(k)))
BEYOND_WAY(strncat_beyond, *small = 0; strncat(small, text_of(k), 79))
BEYOND_WAY(sprintf_beyond, (sprintf)(small, "%s", text_of(k)))
BEYOND_WAY(sscanf_beyond, (void)!sscanf(text_of(k), "%s", small))
BEYOND_WAY(memcpy_beyond, memcpy(small, text_of(k), k))
BEYOND_WAY(strncpy_beyond, strncpy(small, text_of(k), k))
BEYOND_WAY(memccpy_beyond, (void)memccpy(small, text_of(k), 0, 79))
#endif

/* ---- nodes of other sizes, in other places */

struct tiny {
	int v;
};
/*@ regtype tiny : struct tiny = { v : int(0..9) };
    pred probe_tiny(t) : tiny(t); */
NOINLINE int probe_tiny(struct tiny *t)
{
	return t->v;
}
static int tiny_stale(struct tiny *t)
{
	unsigned long long before = violations();
	(void)probe_tiny(t);
	return (t->v < 0 || t->v > 9) != (violations() != before);
}
WAY(two_in_a_granule)
{
	struct tiny *t = calloc(4, sizeof *t);
	for (int k = 0; k < 8; k++)
		(void)probe_tiny(&t[k % 4]);
	t[1].v = k77;
	if (tiny_stale(&t[0]) || tiny_stale(&t[1]))
		fails("two_in_a_granule");
	t[1].v = 1;
	t[0].v = k77;
	if (tiny_stale(&t[0]) || tiny_stale(&t[1]))
		fails("two_in_a_granule, the other");
	for (int k = 0; k < 4; k++)
		(void)probe_tiny(&t[k]);
	memset(t, k77, 6);
	if (tiny_stale(&t[0]) || tiny_stale(&t[1]))
		fails("two_in_a_granule, both");
	n->v = k77;
	return WALK;
}
struct __attribute__((packed)) loose {
	char c;
	struct loose *next;
	short v;
};
/*@ regtype loose : struct loose = null | { next : loose, v : int(0..9), c : int(0..9) };
    pred probe_loose(t) : loose(t); */
NOINLINE int probe_loose(struct loose *t)
{
	return t != NULL;
}
WAY(packed_anywhere)
{
	char *p = calloc(1, 256);
	for (size_t off = 0; off < 9; off++) {
		struct loose *a = (void *)(p + 3 + off), *b = (void *)(p + 14 + off);
		memset(p, 0, 256);
		a->next = b;
		for (int k = 0; k < 4; k++)
			(void)probe_loose(a);
		for (int what = 0; what < 4; what++) {
			if (what == 0)
				b->v = (short)k77;
			else if (what == 1)
				b->c = (char)k77;
			else if (what == 2)
				a->v = (short)(k77 << 8);
			else
				a->c = (char)k77;
			unsigned long long before = violations();
			(void)probe_loose(a);
			if (violations() == before)
				fails("packed_anywhere");
			a->v = b->v = 0, a->c = b->c = 0;
			for (int k = 0; k < 3; k++)
				(void)probe_loose(a);
		}
	}
	n->v = k77;
	return WALK;
}
struct huge {
	struct huge *next;
	int a[100000], last, rest[70000], end;
};
/*@ regtype huge : struct huge = null | { next : huge, a[0..99999] : int(0..9), last : int(0..9), end : int(0..9) };
    pred probe_huge(t) : huge(t); */
NOINLINE int probe_huge(struct huge *t)
{
	return t != NULL;
}
WAY(huge_node)
{
	struct huge *h = calloc(1, sizeof *h);
	h->next = calloc(1, sizeof *h);
	int *const at[] = {&h->last, &h->end, &h->a[99999], &h->next->last, &h->next->end, &h->next->a[54321]};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		for (int k = 0; k < 3; k++)
			(void)probe_huge(h);
		*at[i] = k77;
		unsigned long long before = violations();
		(void)probe_huge(h);
		if (violations() == before)
			fails("huge_node");
		*at[i] = 0;
	}
	n->v = k77;
	return WALK;
}
/* Addresses whose low half is zero are where the map of watched memory begins again. */
WAY(at_four_gigabytes)
{
	for (uintptr_t at = 0x500000000; at < 0x900000000; at += 0x100000000) {
		char *p = mmap((void *)(at - 8192), 16384, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (p != (char *)at - 8192)
			continue;
		for (unsigned before = 8; before < 64; before += 8) {
			struct node *m = new_node(p + 8192 - before), *h = head_of(n);
			h->next = m;
			for (int k = 0; k < 3; k++)
				(void)probe(h);
			struct __attribute__((packed, may_alias)) any {
				long x;
			} *edge = (void *)(p + 8192 - 5);
			unsigned long long seen = violations();
			long was = edge->x;
			edge->x = (long)0x7777777777777777;
			h->next = m->next = NULL;
			m->next = n;
			h->next = m;
			(void)probe(h);
			if (violations() == seen)
				fails("at_four_gigabytes");
			edge->x = was;
		}
		head_of(n)->next = NULL;
	}
	head_of(n)->next = n;
	n->v = k77;
	return WALK;
}
static char own_page[8192] __attribute__((aligned(4096)));
WAY(mapped_over_a_variable)
{
	char *p = mmap(own_page, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (p != own_page)
		return n->v = 77, WALK;
	head_of(n)->next = new_node(own_page);
	struct node *h = head_of(n);
	for (int k = 0; k < 3; k++)
		(void)probe(h);
	own_page[8 + k0] = (char)k77; /* v */
	wanted = h;
	return WALK;
}
