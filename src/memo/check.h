/* SPDX-License-Identifier: MIT */
/* The walker over a memo table, for tests; there only where invariants are on. */
#ifndef MEMO_CHECK_H
#define MEMO_CHECK_H

#include "refrain/memo.h"

/* Traps unless the table is as memo.c says. Nobody else may use the table meanwhile. */
void memo_check(const rf_memo *m);

#endif
