/* SPDX-License-Identifier: MIT */
/* The side that works: takes tests of running reductions from a Redis server and sends back how they ended. What comes
 * from the server is checked before anything is done with it (message.h); a run is served only if its test says
 * "interesting" here about the text it starts from. */
#ifndef FARM_WORKER_H
#define FARM_WORKER_H

#include "data/err.h"
#include "process/runner.h"

struct worker_spec {
	struct runner *runner;
	const char *uri, *key_file; /* as a farm's */
	unsigned slots;             /* tests at the same time */
	/* what the user should know */
	void (*say)(void *user, const char *text);
	void *user;
};

struct worker_counts {
	uint64_t runs, tests, cancelled, refused;
};

/* Works until it is told to stop (runner_stopped). A server that does not answer is tried again. */
enum rc worker_serve(const struct worker_spec *spec, struct worker_counts *counts, struct err *e);

#endif
