/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that the program starts. */
#ifndef VALGRIND_CHILDREN_H
#define VALGRIND_CHILDREN_H

#include "tool.h"

/* folder: each process that is forked, and each program that takes a process over, writes a stream of its own to a new
 * file there; NULL: they are told of (VG_FORK, VG_EXEC) but not followed. process: --rf-process, who this one is;
 * NULL: the first. After the stream was opened. */
void children_start(const HChar *folder, const HChar *process);
/* The process that refrain started, before an exec. */
Bool children_first(void);
/* The same number in all runs for the program that runs here and for its forks. */
ULong children_program(void);
/* The program is about to be replaced by another; name "" when it is not known by name. */
void children_exec(const HChar *name);
/* It was not: what it does from now on was not seen. */
void children_stayed(void);
/* A clock that all processes share, in units of 2^20 ns. */
UInt children_clock(void);

#endif
