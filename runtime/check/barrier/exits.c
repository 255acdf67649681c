/* SPDX-License-Identifier: MIT */
/* What is called when the program or a thread ends, in front of the C library's functions: a function that was not
 * compiled by refrain-cc (the destructor of a library's object) is called as other code without the barrier is. Weak: a
 * program that has functions of these names keeps them. */
#include "refrain/check.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void ending(void *);
typedef int registers(ending *, void *, void *);

extern registers __cxa_atexit, __cxa_thread_atexit_impl;

struct foreign {
	ending *function;
	void *argument;
};

static void call_foreign(void *p)
{
	struct foreign f = *(struct foreign *)p;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	free(p);
	rf_out(sp);
	f.function(f.argument);
	rf_back(sp);
}

static int add(const char *name, ending *function, void *argument, void *image)
{
	registers *real;
	struct foreign *f = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, name);
	if (rf_is_foreign((const void *)(uintptr_t)function) && (f = malloc(sizeof *f))) {
		*f = (struct foreign){function, argument};
		return real(call_foreign, f, image);
	}
	return real(function, argument, image);
}

__attribute__((weak)) int __cxa_atexit(ending *function, void *argument, void *image)
{
	return add("__cxa_atexit", function, argument, image);
}

__attribute__((weak)) int __cxa_thread_atexit_impl(ending *function, void *argument, void *image)
{
	return add("__cxa_thread_atexit_impl", function, argument, image);
}
