/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference recorder. */
#ifndef VALGRIND_RECORD_H
#define VALGRIND_RECORD_H

#include "tool.h"

/* kinds: data, code or both; limit: end the program after so many recorded units, 0 never; gated: only while record_on.
 */
void record_init(UInt shift, const HChar *kinds, ULong limit, Bool gated);
void record_on(Bool on);
/* While a block is instrumented: at its begin, behind what may open a call; for what it does; before each way out. */
void record_block(void);
void record_instruction(IRSB *out, Addr a, UInt length);
void record_access(IRSB *out, IRExpr *addr, UInt size, Bool write, IRExpr *guard);
void record_leave(IRSB *out);
void record_flush(void);
/* As if nothing had been recorded, in a child that is a copy of its parent. */
void record_restart(void);
ULong record_count(void);

#endif
