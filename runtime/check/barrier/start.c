/* SPDX-License-Identifier: MIT */
/* In every program that refrain-cc links: the watch map must be there before the first store of instrumented code,
 * which may be in the constructor of a library. */
#include "refrain/check.h"

__attribute__((section(".preinit_array"), used)) static void (*const start)(void) = rf_barrier_start;
