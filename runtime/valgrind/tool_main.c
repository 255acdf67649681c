/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What both tools say of themselves to Valgrind's core, and the options both take. */
#include "tool.h"

#include "children.h"
#include "stop.h"

static Int clo_fd = -1, clo_deadline, clo_window;
static Long clo_memory, clo_most;
static const HChar *clo_from, *clo_children, *clo_process;
static Bool (*own_option)(const HChar *arg);

static Bool option(const HChar *arg)
{
	if VG_INT_CLO (arg, "--rf-fd", clo_fd) {
	} else if VG_INT_CLO (arg, "--rf-deadline", clo_deadline) {
	} else if VG_INT_CLO (arg, "--rf-memory", clo_memory) {
	} else if VG_STR_CLO (arg, "--rf-from", clo_from) {
	} else if VG_INT_CLO (arg, "--rf-window", clo_window) {
	} else if VG_INT_CLO (arg, "--rf-most", clo_most) {
	} else if VG_STR_CLO (arg, "--rf-children", clo_children) {
	} else if VG_STR_CLO (arg, "--rf-process", clo_process) {
	} else {
		return own_option(arg);
	}
	return True;
}

static void usage(void)
{
	VG_(printf)("    started by refrain; see docs/profile.md\n");
}

static void no_usage(void)
{
}

static void fini(Int code)
{
	(void)code;
	stop_finish(0);
}

void tool_describe(const struct tool *t)
{
	VG_(details_name)(t->name);
	VG_(details_version)(RF_VERSION);
	VG_(details_description)(t->description);
	VG_(details_copyright_author)("GNU GPL 2; see runtime/valgrind/README.md.");
	VG_(details_bug_reports_to)("the refrain project");
	VG_(details_avg_translation_sizeB)(t->translation_bytes);
	VG_(basic_tool_funcs)(t->after_options, t->instrument, fini);
	own_option = t->option;
	VG_(needs_command_line_options)(option, usage, no_usage);
	threads_init();
}

void tool_start(void)
{
	instrument_init();
	out_open(clo_fd);
	if (clo_memory)
		budget_set((ULong)clo_memory);
	threads_start();
	stop_at((UInt)clo_deadline);
	window_set(clo_from, (ULong)clo_most, (UInt)clo_window);
}

void tool_children(void)
{
	children_start(clo_children, clo_process);
}
