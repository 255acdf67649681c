/* SPDX-License-Identifier: MIT */
/* What instrumented code calls from its asm statements, linked hidden into the program and into each shared library
 * (calls through a table of the linker may lose r11). A stub gets its operand in r11 and keeps every other register;
 * the runtime's functions behind them keep the vector registers. Each image also tells the runtime which functions of
 * it are instrumented. */
#include "refrain/check.h"

#ifdef __x86_64__
#define SAVE                                                                                                           \
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\nmov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"         \
	"push %rax; push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10\nand $-16,%rsp\n"
#define RESTORE                                                                                                        \
	"lea -64(%rbp),%rsp\npop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop %rax\n"           \
	"pop %rbp\n.cfi_def_cfa %rsp,8\nret\n"
#define STUB(name, arguments, function)                                                                                \
	__asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ",@function\n" name                            \
		":\n.cfi_startproc\n" SAVE arguments "call " function "@PLT\n" RESTORE ".cfi_endproc\n.size " name     \
		",.-" name "\n");
#define STORE(n) STUB("__rf_store_" #n, "mov %r11,%rdi\nmov $" #n ",%esi\n", "rf_store_slow")
STORE(1)
STORE(2)
STORE(4)
STORE(8)
STORE(16)
STORE(32)
STORE(64)
/* the stack pointer of the function that calls out */
#define STACK_POINTER "lea 16(%rbp),%rdi\n"
STUB("__rf_out", STACK_POINTER, "rf_out")
STUB("__rf_callback", STACK_POINTER, "rf_callback")
STUB("__rf_back", STACK_POINTER, "rf_back")
STUB("__rf_indirect", STACK_POINTER "mov %r11,%rsi\n", "rf_indirect")
/* before and after the program's own assembler, of which registers may be operands already */
STUB("__rf_asm_block", "mov %r11,%rdi\n", "rf_asm_block")
STUB("__rf_asm_syscall", "mov %r11,%rdi\n", "rf_asm_syscall")
STUB("__rf_asm_anything", "", "rf_asm_anything")
STUB("__rf_asm_wrote", "", "rf_asm_wrote")

extern const uintptr_t __start_rf_text[] __attribute__((weak, visibility("hidden")));
extern const uintptr_t __stop_rf_text[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor(101))) static void say_what_is_instrumented(void)
{
	if (__start_rf_text)
		rf_instrumented(__start_rf_text, __stop_rf_text, 1);
}

extern const char __start_rf_sites[] __attribute__((weak, visibility("hidden")));
extern const char __stop_rf_sites[] __attribute__((weak, visibility("hidden")));

/* After those that register the image's types. */
__attribute__((constructor)) static void say_where_tests_are(void)
{
	if (__start_rf_sites)
		rf_sites(__start_rf_sites, __stop_rf_sites, 1);
}

__attribute__((destructor(101))) static void say_tests_are_gone(void)
{
	if (__start_rf_sites)
		rf_sites(__start_rf_sites, __stop_rf_sites, 0);
}

__attribute__((destructor(101))) static void say_it_is_gone(void)
{
	if (__start_rf_text)
		rf_instrumented(__start_rf_text, __stop_rf_text, 0);
}
#endif
