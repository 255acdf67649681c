/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending the run early: at a deadline, or when the recorder has enough. The program is left where it is; what was seen
 * until then is written as if it had ended. Also the sign of life every fraction of a second. */
#include "stop.h"

static UInt deadline_ms, last_tick_ms;
static Bool finished;

void stop_at(UInt ms)
{
	deadline_ms = ms;
}

void stop_finish(UInt flags)
{
	if (finished)
		return;
	finished = True;
	if (out_silent())
		return;
	tool_finish();
	struct vg_done d = {
		.flags = flags | (window_open ? 0 : VG_DONE_UNOPENED) | (budget_hit() ? VG_DONE_MEMORY : 0) |
			 (threads_too_deep() ? VG_DONE_DEEP : 0),
		.threads = threads_seen(),
		.instructions = window_instructions(),
		.system_calls = window_system_calls(),
		.kernel_ns = window_kernel_ns(),
		.references = tool_references(),
		.peak_bytes = budget_peak(),
	};
	out_record(VG_DONE, &d, sizeof d);
	out_flush();
}

static void stop_with(UInt flags)
{
	stop_finish(flags);
	VG_(exit)(0);
}

void stop_now(void)
{
	stop_with(VG_DONE_STOPPED);
}

/* Called at each time slice of each thread. Slices end at each allocation and system call too, and the clock is a
 * system call itself: it is looked at after some work, or a number of slices. */
void stop_poll(void)
{
	enum { WORK = 50000, SLICES = 16 };
	static UInt slices, skipped, now;
	static ULong looked_at;
	if (!slices)
		budget_look();
	ULong done = run_instructions;
	if (!slices || done - looked_at >= WORK || ++skipped == SLICES) {
		now = VG_(read_millisecond_timer)();
		looked_at = done;
		skipped = 0;
	}
	if (window_over(now) && !out_silent())
		stop_with(VG_DONE_WINDOW);
	if (++slices % 16)
		return;
	if (deadline_ms && now >= deadline_ms && !out_silent())
		stop_now();
	if (now - last_tick_ms >= 200) {
		last_tick_ms = now;
		budget_look();
		struct vg_tick t = {threads_instructions()};
		tool_tick();
		out_record(VG_TICK, &t, sizeof t);
		out_flush();
	}
}
