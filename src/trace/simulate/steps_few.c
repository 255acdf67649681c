/* SPDX-License-Identifier: MIT */
/* steps.h for up to 8 caches: words of 8 bits. */
#define WORD uint8_t
#define KINDS steps_few
#include "trace/simulate/steps_words.h"
