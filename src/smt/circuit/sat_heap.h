/* SPDX-License-Identifier: MIT */
/* The search's variables to decide, the most active on top. Only variables of the question are ever in it. */
#ifndef SMT_DECIDE_SAT_HEAP_H
#define SMT_DECIDE_SAT_HEAP_H

#include "smt/circuit/sat.h"

/* The variables of a new question, without those that have a value. */
void heap_fill(struct sat *s, const uint32_t *variables, size_t n);
/* Takes the most active out. There must be one. */
uint32_t heap_pop(struct sat *s);
/* The variable's activity has grown. */
void heap_raised(struct sat *s, uint32_t v);
/* The variable has lost its value: back into the heap, if the question is about it. */
void heap_return(struct sat *s, uint32_t v);

#endif
