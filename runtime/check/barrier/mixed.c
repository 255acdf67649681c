/* SPDX-License-Identifier: MIT */
/* In programs that mix code without the barrier that calls code with it: what it writes between two calls is not
 * seen. */
#include "refrain/check.h"

__attribute__((section(".preinit_array"), used)) static void (*const mixed)(void) = rf_mixed;
