/* SPDX-License-Identifier: MIT */
/* What the stubs of instrumented code call (barrier/stubs.c), between any two instructions of the program. Compiled for
 * general registers only, and nothing is called that could use others: the usual store, to one granule by the only
 * thread, is handled here; everything else goes through rt_saving, which keeps them. */
#include "runtime/check/marks/marks.h"

static uint64_t state_bytes; /* what the processor's state takes; 0: not asked yet */

#ifdef __x86_64__
#include <cpuid.h>

extern void rt_saving_state(void (*f)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b, uint64_t bytes);

/* x87, SSE, AVX and AVX-512; not the protection keys, which are not ours to set back. bytes 512: a processor without
 * xsave. */
__asm__(".text\n.type rt_saving_state,@function\n"
	"rt_saving_state:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\nmov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
	"push %rbx\npush %r12\nmov %rdi,%r12\nmov %rcx,%rbx\nmov %rsi,%rdi\nmov %rdx,%rsi\n"
	"sub %rbx,%rsp\nand $-64,%rsp\n"
	"cmp $512,%rbx\nje 1f\n"
	"xor %eax,%eax\n"
	"mov %rax,512(%rsp)\nmov %rax,520(%rsp)\nmov %rax,528(%rsp)\nmov %rax,536(%rsp)\n"
	"mov %rax,544(%rsp)\nmov %rax,552(%rsp)\nmov %rax,560(%rsp)\nmov %rax,568(%rsp)\n"
	"mov $0xe7,%eax\nxor %edx,%edx\nxsave64 (%rsp)\n"
	"call *%r12\n"
	"mov $0xe7,%eax\nxor %edx,%edx\nxrstor64 (%rsp)\njmp 2f\n"
	"1: fxsave64 (%rsp)\ncall *%r12\nfxrstor64 (%rsp)\n"
	"2: lea -16(%rbp),%rsp\npop %r12\npop %rbx\npop %rbp\n.cfi_def_cfa %rsp,8\nret\n"
	".cfi_endproc\n.size rt_saving_state,.-rt_saving_state\n");

static uint64_t ask_state_bytes(void)
{
	unsigned a, b, c, d;
	__cpuid(1, a, b, c, d);
	if (!(c & bit_OSXSAVE))
		return 512;
	__cpuid_count(0xd, 0, a, b, c, d);
	return (b + 63u) & ~63u;
}

void rt_saving(void (*f)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b)
{
	uint64_t bytes = RT_GET(state_bytes);
	if (UNLIKELY(!bytes))
		RT_SET(state_bytes, bytes = ask_state_bytes());
	rt_saving_state(f, a, b, bytes);
}
#else
void rt_saving(void (*f)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b)
{
	state_bytes = 0;
	f(a, b);
}
#endif

/* ---- stores */

/* The granule of a, in each of several planes. */
static __attribute__((noinline)) bool store_planes(uintptr_t a, struct shadow_leaf *l)
{
	bool done = true;
	for (unsigned p = 0; done && p < rf_shadow_planes; p++) {
		uintptr_t y = a & ~(uintptr_t)7;
		uint16_t *c = marks_verified_at(p, l, shadow_index(a), false, &y);
		done = !c || marks_touch(y, c, (a - y) >> GRANULE_BITS);
	}
	return done;
}

void rf_store_slow(uintptr_t a, size_t n)
{
	struct shadow_leaf *l = a >> ADDRESS_BITS ? NULL : shadow_leaf(a);
	bool one = (a & 7) + n <= 8; /* granule */
	if (LIKELY(l && one && !rt_here.inside && RT_ALONE)) {
		if (LIKELY(RT_GET(rf_shadow_planes) == 1)) {
			uintptr_t y = a & ~(uintptr_t)7;
			uint16_t *c = marks_verified_at(0, l, shadow_index(a), false, &y);
			if (!c || marks_touch(y, c, (a - y) >> GRANULE_BITS))
				return;
		} else if (store_planes(a, l)) {
			return;
		}
	} else if (!RT_GET(rf_shadow_planes) || (!l && one)) {
		return;
	}
	rt_saving(rt_store_any, a, n);
}

/* ---- calls to code that is not instrumented */

int rf_outsiders, rt_aliens;
uint64_t rt_outside_calls;
bool rt_pages_suspect, rt_full_only;
/* A call that is not one of the known functions: its stack pointer has this bit. */
enum { ALIEN = 1 };

void rt_everything(void)
{
	RT_SET(rt_marks_suspect, true);
	RT_SET(rt_pages_suspect, true);
}

static void innermost_is_over(void)
{
	if (rt_here.outside[--rt_here.n_outside] & ALIEN)
		__atomic_sub_fetch(&rt_aliens, 1, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&rf_outsiders, 1, __ATOMIC_RELAXED);
}

static void ask_same_stack(uintptr_t sp, uintptr_t answer)
{
	*(bool *)answer = rt_same_stack(rt_here.outside[rt_here.n_outside - 1], sp);
}

/* Is the innermost call over? One on another stack (a context was switched) may not be. */
static bool is_over(uintptr_t sp)
{
	uintptr_t caller = rt_here.outside[rt_here.n_outside - 1] & ~(uintptr_t)ALIEN;
	bool same = caller == sp;
	if (!same && caller < sp)
		rt_saving(ask_same_stack, sp, (uintptr_t)&same);
	return same;
}

bool rt_outside(uintptr_t sp)
{
	while (rt_here.n_outside && is_over(sp))
		innermost_is_over();
	return rt_here.n_outside != 0;
}

void rf_back(uintptr_t sp)
{
	rt_outside(sp);
}

void rf_callback(uintptr_t sp)
{
	rt_outside(sp);
	/* one too many: those around it are not over, and that is all that matters */
	if (rt_here.n_outside == MAX_OUTSIDE)
		return;
	rt_here.outside[rt_here.n_outside++] = sp;
	__atomic_add_fetch(&rf_outsiders, 1, __ATOMIC_RELAXED);
}

/* A handler may be on a stack of its own, from whose place nothing follows about the calls below it. */
unsigned rf_interrupted(uintptr_t sp)
{
	unsigned before = rt_here.n_outside;
	if (before < MAX_OUTSIDE) {
		rt_here.outside[rt_here.n_outside++] = sp;
		__atomic_add_fetch(&rf_outsiders, 1, __ATOMIC_RELAXED);
	}
	return before;
}

void rf_resumed(unsigned before)
{
	while (rt_here.n_outside > before)
		innermost_is_over();
}

void rf_out(uintptr_t sp)
{
	__atomic_add_fetch(&rt_outside_calls, 1, __ATOMIC_RELAXED);
	rf_callback(sp);
	uintptr_t *top = &rt_here.outside[rt_here.n_outside - 1];
	if (!(*top & ALIEN)) {
		*top |= ALIEN;
		__atomic_add_fetch(&rt_aliens, 1, __ATOMIC_RELAXED);
	}
	rt_everything();
}

/* ---- calls through pointers */

static uintptr_t harmless[256]; /* functions that are instrumented or write nothing, by their address */

void rt_forget_harmless(void)
{
	for (unsigned i = 0; i < ARRAY_LEN(harmless); i++)
		__atomic_store_n(&harmless[i], 0, __ATOMIC_RELAXED);
}

static void look_up(uintptr_t function, uintptr_t sp)
{
	uintptr_t *place = &harmless[(function >> 4) % ARRAY_LEN(harmless)];
	if (rt_is_harmless(function, true))
		__atomic_store_n(place, function, __ATOMIC_RELAXED);
	else
		rf_out(sp);
}

void rf_indirect(uintptr_t sp, uintptr_t function)
{
	if (UNLIKELY(__atomic_load_n(&harmless[(function >> 4) % ARRAY_LEN(harmless)], __ATOMIC_RELAXED) != function))
		rt_saving(look_up, function, sp);
}

/* ---- around the program's own assembler */

static void block(uintptr_t p, uintptr_t unused)
{
	(void)unused;
	rf_block((const void *)p);
}

static void system_call(uintptr_t number, uintptr_t unused)
{
	(void)unused;
	rf_syscall((const void *)number);
}

void rf_asm_block(const void *p)
{
	uintptr_t a = (uintptr_t)p;
	if (RT_GET(rf_shadow_planes) && !(a >> ADDRESS_BITS))
		rt_saving(block, a, 0);
}

void rf_asm_syscall(uintptr_t number)
{
	rt_saving(system_call, number, 0);
}

void rf_asm_anything(void)
{
	rt_everything();
}

void rf_asm_wrote(void)
{
	if (!RT_ALONE)
		rt_everything();
}
