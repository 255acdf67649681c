/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following the program through fork and exec (--rf-children=FOLDER).
 *
 * The first program writes to the pipe. After a fork the child is silent (threads.c); here it forgets what its parent
 * had not written yet and opens a file. A program that another one was replaced by (--trace-children=yes starts the
 * tool again, with the same options) must not use the number of the pipe, which may be anything by now: the option is
 * taken out of what Valgrind hands on, and a tool that has no pipe opens a file. What was seen is written before a
 * system call that is exec, because after it there is nobody to do so.
 *
 * Each run of the program starts the same processes under other pids. They are known by how they came to be: the first
 * is 1, and the n-th child of a process, or the program that takes it over, has a digest of that.
 *
 * Invariant: a file is one program in one process, from its start to an exec or to its end. */
#include "children.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_xarray.h"
#include "stop.h"

extern XArray *VG_(args_for_valgrind); /* of HChar *: handed on at an exec */
/* What Valgrind itself asks before it lets a program go. */
extern SysRes VG_(pre_exec_check)(const HChar *name, Int *fd, Bool allow_setuid);

enum { FIRST = 1, REPLACES = 0 };

static const HChar *streams;
static ULong self = FIRST, program = FIRST, from; /* program: the process in which it began */
static UInt forks;
static Bool leaving;        /* an exec was announced */
static HChar handed_on[40]; /* --rf-process=… for the program after an exec */

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

Bool children_first(void)
{
	return self == FIRST;
}

ULong children_program(void)
{
	return program;
}

/* The n-th child of a process, or what takes it over. */
static ULong descendant(ULong of, UInt n)
{
	return mix64(mix64(of) + n) | 2;
}

static void tell_image(Bool forked)
{
	struct vg_image r = {.start_ns = now_ns(),
			     .pid = (UInt)VG_(getpid)(),
			     .parent = (UInt)VG_(getppid)(),
			     .forked = forked,
			     .process = self,
			     .program = program,
			     .from = from};
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
	tool_tick();
	out_flush();
}

static void parent_after_fork(ThreadId tid)
{
	(void)tid;
	forks++;
	out_record((enum vg_kind)VG_FORK, NULL, 0);
}

static void child_after_fork(ThreadId tid)
{
	(void)tid;
	from = self;
	self = descendant(self, forks + 1);
	forks = 0;
	tool_restart();
	if (streams)
		open_stream(True);
}

void children_exec(const HChar *name)
{
	/* a shell tries one folder of PATH after the other; without a name it is an open file */
	if (name[0] && sr_isError(VG_(pre_exec_check)(name, NULL, True)))
		return;
	if (streams)
		VG_(sprintf)(handed_on, "--rf-process=%llx,%llx", descendant(self, REPLACES), self);
	tool_exec();
	leaving = True;
	out_record((enum vg_kind)VG_EXEC, NULL, 0);
	out_flush();
}

void children_stayed(void)
{
	if (leaving)
		out_record((enum vg_kind)VG_STAYED, NULL, 0);
	leaving = False;
	out_flush();
}

/* --rf-fd=N is for this program alone, and so is who it is. */
static void keep_pipe_private(void)
{
	static HChar no_pipe[] = "--rf-fd=-1";
	for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
		HChar **arg = VG_(indexXA)(VG_(args_for_valgrind), i);
		if (VG_(strncmp)(*arg, no_pipe, 8) == 0)
			*arg = no_pipe;
		else if (VG_(strncmp)(*arg, "--rf-process=", 13) == 0)
			*arg = handed_on;
	}
}

/* "SELF,FROM" in hexadecimal. */
static void read_identity(const HChar *text)
{
	HChar *end;
	self = program = VG_(strtoull16)(text, &end);
	from = *end == ',' ? VG_(strtoull16)(end + 1, &end) : 0;
}

void children_start(const HChar *folder, const HChar *process)
{
	streams = folder;
	VG_(atfork)(before_fork, parent_after_fork, child_after_fork);
	if (!folder)
		return;
	if (process)
		read_identity(process);
	keep_pipe_private();
	if (out_silent())
		open_stream(False);
	else
		tell_image(False);
}
