/* SPDX-License-Identifier: MIT */
/* steps.h for up to 64 caches: words of 64 bits. */
#define WORD uint64_t
#define KINDS steps_many
#include "trace/simulate/steps_words.h"
