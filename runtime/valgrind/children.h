/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that the recorded program starts. */
#ifndef VALGRIND_CHILDREN_H
#define VALGRIND_CHILDREN_H

#include "tool.h"

/* folder: each process that is forked, and each program that takes a process over, writes a stream of its own to a new
 * file there; NULL: they are told of (VG_FORK, VG_EXEC) but not recorded. After the stream was opened. */
void children_start(const HChar *folder);
/* A clock that all processes share, in units of 2^20 ns. */
UInt children_clock(void);

#endif
