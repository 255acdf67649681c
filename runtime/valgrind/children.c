/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following the recorded program through fork and exec (--rf-children=FOLDER).
 *
 * The first program writes to the pipe. After a fork the child is silent (threads.c); here it forgets what its parent
 * had not written yet and opens a file. A program that another one was replaced by (--trace-children=yes starts the
 * tool again, with the same options) must not use the number of the pipe, which may be anything by now: the option is
 * taken out of what Valgrind hands on, and a tool that has no pipe opens a file. What was recorded is written before a
 * system call that might be exec, because after it there is nobody to do so.
 *
 * Invariant: a file is one program in one process, from its start to an exec or to its end. */
#include "children.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_xarray.h"
#include "record.h"

extern XArray *VG_(args_for_valgrind); /* of HChar *: handed on at an exec */

enum { SYS_EXECVE = 59, SYS_EXECVEAT = 322 };

static const HChar *streams;

static ULong now_ns(void)
{
	struct vki_timespec t;
	VG_(clock_gettime)(&t, VKI_CLOCK_MONOTONIC);
	return (ULong)t.tv_sec * 1000000000ULL + (ULong)t.tv_nsec;
}

UInt children_clock(void)
{
	return (UInt)(now_ns() >> 20);
}

static void tell_image(Bool forked)
{
	struct vg_image r = {now_ns(), (UInt)VG_(getpid)(), (UInt)VG_(getppid)(), forked, 0};
	const HChar *name = VG_(args_the_exename) ? VG_(args_the_exename) : "";
	struct out_part part[] = {{&r, sizeof r}, {name, VG_(strlen)(name) + 1}};
	out_parts((enum vg_kind)VG_IMAGE, part, 2);
	out_flush();
}

static void open_stream(Bool forked)
{
	out_file(streams);
	tell_image(forked);
}

static void before_fork(ThreadId tid)
{
	(void)tid;
	record_flush();
	out_flush();
}

static void parent_after_fork(ThreadId tid)
{
	(void)tid;
	out_record((enum vg_kind)VG_FORK, NULL, 0);
}

static void child_after_fork(ThreadId tid)
{
	(void)tid;
	record_restart();
	if (streams)
		open_stream(True);
}

/* The thread is about to do a system call, or its time is over. */
static void client_stops(ThreadId tid, ULong blocks)
{
	ULong number;
	(void)blocks;
	VG_(get_shadow_regs_area)(tid, (UChar *)&number, 0, GUEST(RAX), sizeof number);
	if (number != SYS_EXECVE && number != SYS_EXECVEAT)
		return;
	record_flush();
	out_record((enum vg_kind)VG_EXEC, NULL, 0);
	out_flush();
}

/* --rf-fd=N is for this program alone. */
static void keep_pipe_private(void)
{
	static HChar no_pipe[] = "--rf-fd=-1";
	for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
		HChar **arg = VG_(indexXA)(VG_(args_for_valgrind), i);
		if (VG_(strncmp)(*arg, no_pipe, 8) == 0)
			*arg = no_pipe;
	}
}

void children_start(const HChar *folder)
{
	streams = folder;
	VG_(atfork)(before_fork, parent_after_fork, child_after_fork);
	VG_(track_stop_client_code)(client_stops);
	if (!folder)
		return;
	keep_pipe_private();
	if (out_silent())
		open_stream(False);
	else
		tell_image(False);
}
