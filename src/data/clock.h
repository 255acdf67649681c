/* SPDX-License-Identifier: MIT */
/* The one clock: seconds that never go back, from an arbitrary start. For limits and reports; a schedule or a budget
 * counts queries and steps instead. */
#ifndef DATA_CLOCK_H
#define DATA_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU seconds of the calling thread: what a piece of our own work cost, whatever else the machine does. */
static inline double clock_cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
