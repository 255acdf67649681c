/* SPDX-License-Identifier: MIT */
/* In every program that refrain-cc links: the watch map must be there before the first store of instrumented code,
 * which may be in the constructor of a library. Until the program's own constructors have run (this archive is the last
 * at the link), and when its destructors do, objects without the barrier may have some among them. */
#include "refrain/check.h"

#include <stdlib.h>

static void start(void)
{
	rf_barrier_start();
	atexit(rf_mixed); /* the first is called last, before the destructors */
}

__attribute__((section(".preinit_array"), used)) static void (*const started_first)(void) = start;

__attribute__((constructor)) static void started(void)
{
	rf_barrier_started();
}
