/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the run that is looked at: from the first call of one function on, and for so many milliseconds or
 * instructions. Before it no call is followed; calls that are open when it begins are not part of it. At its end the
 * program is ended. */
#include "tool.h"

#include "stop.h"

Bool window_open = True;
static const HChar *from; /* NULL: from the start */
static ULong start, most; /* instructions; most 0: no limit */
static UInt ms, opened_ms;
static ULong kernel_ns, system_calls; /* before it */

void window_set(const HChar *function, ULong instructions, UInt milliseconds)
{
	from = function;
	most = instructions;
	ms = milliseconds;
	window_open = !function;
}

/* As a user writes it: without a namespace and without parameters, or exactly. */
Bool window_begins_at(const HChar *name)
{
	if (!from)
		return False;
	if (VG_STREQ(name, from))
		return True;
	SizeT n = VG_(strlen)(from), end = 0;
	while (name[end] && name[end] != '(' && name[end] != '<')
		end++;
	return end >= n && VG_(strncmp)(name + end - n, from, n) == 0 && (end == n || name[end - n - 1] == ':');
}

void window_begin(void)
{
	window_open = True;
	start = threads_instructions();
	opened_ms = VG_(read_millisecond_timer)();
	kernel_ns = world_kernel_ns();
	system_calls = world_system_calls();
}

ULong window_instructions(void)
{
	return window_open ? threads_instructions() - start : 0;
}

ULong window_kernel_ns(void)
{
	return world_kernel_ns() - kernel_ns;
}

ULong window_system_calls(void)
{
	return world_system_calls() - system_calls;
}

Bool window_over(UInt now_ms)
{
	return window_open && ((most && window_instructions() >= most) || (ms && now_ms - opened_ms >= ms));
}
