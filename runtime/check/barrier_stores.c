/* SPDX-License-Identifier: MIT */
/* The write barrier: what code compiled with -fsanitize=kernel-address (reads, stack and globals off, calls forced)
 * calls before each store. Only refrain-cc links this. The rest of that interface is here as functions that do nothing.
 */
#include "shadow.h"

#define STORE(n)                                                                                                       \
	void __asan_store##n##_noabort(uintptr_t a);                                                                   \
	void __asan_load##n##_noabort(uintptr_t a);                                                                    \
	void __asan_store##n##_noabort(uintptr_t a)                                                                    \
	{                                                                                                              \
		shadow_store(a, n);                                                                                    \
	}                                                                                                              \
	void __asan_load##n##_noabort(uintptr_t a)                                                                     \
	{                                                                                                              \
		(void)a;                                                                                               \
	}
STORE(1)
STORE(2)
STORE(4)
STORE(8)

void __asan_store16_noabort(uintptr_t a);
void __asan_storeN_noabort(uintptr_t a, size_t n);
void __asan_load16_noabort(uintptr_t a);
void __asan_loadN_noabort(uintptr_t a, size_t n);
void __asan_handle_no_return(void);
void __asan_alloca_poison(uintptr_t a, size_t n);
void __asan_allocas_unpoison(uintptr_t a, uintptr_t b);
void __asan_poison_stack_memory(uintptr_t a, size_t n);
void __asan_unpoison_stack_memory(uintptr_t a, size_t n);
void __asan_register_globals(void *p, size_t n);
void __asan_unregister_globals(void *p, size_t n);

void __asan_store16_noabort(uintptr_t a)
{
	shadow_store(a, 8);
	shadow_store(a + 8, 8);
}

void __asan_storeN_noabort(uintptr_t a, size_t n)
{
	if (rf_shadow_planes && (shadow_leaf(a) || shadow_leaf(a + n)))
		rf_store_slow(a, n);
}

void __asan_load16_noabort(uintptr_t a)
{
	(void)a;
}

void __asan_loadN_noabort(uintptr_t a, size_t n)
{
	(void)a;
	(void)n;
}

void __asan_handle_no_return(void)
{
}

void __asan_alloca_poison(uintptr_t a, size_t n)
{
	(void)a;
	(void)n;
}

void __asan_allocas_unpoison(uintptr_t a, uintptr_t b)
{
	(void)a;
	(void)b;
}

void __asan_poison_stack_memory(uintptr_t a, size_t n)
{
	(void)a;
	(void)n;
}

void __asan_unpoison_stack_memory(uintptr_t a, size_t n)
{
	(void)a;
	(void)n;
}

void __asan_register_globals(void *p, size_t n)
{
	(void)p;
	(void)n;
}

void __asan_unregister_globals(void *p, size_t n)
{
	(void)p;
	(void)n;
}
