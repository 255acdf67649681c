/* SPDX-License-Identifier: MIT */
/* What each run of a pass took, on standard error: rounds of the clock, queries, the share of the workers that was
 * busy, tokens left. It is the difference to what the run had come to when the last pass ended. */
#ifndef BENCH_PASS_LOG_H
#define BENCH_PASS_LOG_H

#include "reduce/run/in_process.h"

#include <stdio.h>

struct pass_log {
	const struct in_process *run; /* NULL: not wanted */
	struct in_process before;     /* what it had come to when the last pass ended */
	const struct model *model;
};

static void pass_log(struct pass_log *log, const struct pass *pass)
{
	const struct in_process *run = log->run, *before = &log->before;
	if (!run)
		return;
	double rounds = run->time - before->time;
	fprintf(stderr, "%-9s rounds %7.1f queries %5llu busy %5.1f %% tokens %u\n", pass->name, rounds,
		(unsigned long long)(run->queries - before->queries),
		rounds > 0 ? 100 * (run->busy - before->busy) / rounds / run->jobs : 0.0, log->model->n);
	log->before = *run;
}

#endif
