/* SPDX-License-Identifier: MIT */
/* Closes every descriptor from `first` on, in a child that is about to become something else. The system call is made
 * directly: not every C library has a function for it. */
#ifndef PROCESS_CLOSE_FROM_H
#define PROCESS_CLOSE_FROM_H

#include <sys/syscall.h>
#include <unistd.h>

static inline void close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	long max = sysconf(_SC_OPEN_MAX);
	for (unsigned fd = first; fd < (max > 0 ? (unsigned)max : 1024); fd++)
		close((int)fd);
}

#endif
