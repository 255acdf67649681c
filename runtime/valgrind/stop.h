/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending the run, early or not. */
#ifndef VALGRIND_STOP_H
#define VALGRIND_STOP_H

#include "tool.h"

/* Milliseconds after the start; 0: never. */
void stop_at(UInt ms);
void stop_poll(void);
/* Writes the last records; flags are those of struct vg_done. */
void stop_finish(UInt flags);
/* Ends the program. */
void stop_now(void);

/* Defined by each tool: its last records before VG_DONE, and what must go out with a sign of life. */
void tool_finish(void);
void tool_tick(void);
ULong tool_references(void);
/* Defined by each tool: in a child that is a copy of its parent, as if nothing had been seen; and the last moment
 * before an exec. */
void tool_restart(void);
void tool_exec(void);

#endif
