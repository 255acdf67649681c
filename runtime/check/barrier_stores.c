/* SPDX-License-Identifier: MIT */
/* The write barrier: what code compiled with -fsanitize=kernel-address (reads, stack and globals off, calls forced)
 * calls before each store. Only refrain-cc links this. The rest of that interface is here as functions that do nothing.
 */
#include "shadow.h"

#define STORE(n)                                                                                                       \
	void __asan_store##n##_noabort(uintptr_t a);                                                                   \
	void __asan_store##n##_noabort(uintptr_t a)                                                                    \
	{                                                                                                              \
		shadow_store(a, n);                                                                                    \
	}
STORE(1)
STORE(2)
STORE(4)
STORE(8)

void __asan_store16_noabort(uintptr_t a);
void __asan_storeN_noabort(uintptr_t a, size_t n);

void __asan_store16_noabort(uintptr_t a)
{
	shadow_store(a, 8);
	shadow_store(a + 8, 8);
}

void __asan_storeN_noabort(uintptr_t a, size_t n)
{
	shadow_store_range(a, n);
}

/* ---- the rest of the interface */

void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
}

#define LOAD(n)                                                                                                        \
	void __asan_load##n##_noabort(uintptr_t a);                                                                    \
	void __asan_load##n##_noabort(uintptr_t a)                                                                     \
	{                                                                                                              \
		(void)a;                                                                                               \
	}
LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)

#define NOTHING(name, A, B)                                                                                            \
	void name(A a, B b);                                                                                           \
	void name(A a, B b)                                                                                            \
	{                                                                                                              \
		(void)a, (void)b;                                                                                      \
	}
NOTHING(__asan_loadN_noabort, uintptr_t, size_t)
NOTHING(__asan_alloca_poison, uintptr_t, size_t)
NOTHING(__asan_allocas_unpoison, uintptr_t, uintptr_t)
NOTHING(__asan_poison_stack_memory, uintptr_t, size_t)
NOTHING(__asan_unpoison_stack_memory, uintptr_t, size_t)
NOTHING(__asan_register_globals, void *, size_t)
NOTHING(__asan_unregister_globals, void *, size_t)
