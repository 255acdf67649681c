/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking over the memory accesses of a statement. */
#ifndef VALGRIND_INSTRUMENT_H
#define VALGRIND_INSTRUMENT_H

#include "tool.h"

/* addr is an atom; guard is NULL or an atom that says whether the access happens */
typedef void (*access_fn)(IRSB *out, IRExpr *addr, UInt size, Bool write, IRExpr *guard);
void instrument_accesses(IRSB *out, IRStmt *s, access_fn fn);

#endif
