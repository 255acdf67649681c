/* SPDX-License-Identifier: MIT */
/* Inside the engine: what the passes share with the reader of the tools' records. */
#ifndef PROFILE_PASSES_H
#define PROFILE_PASSES_H

#include "process/valgrind.h"
#include "profile/profile.h"
#include "profile/spool.h"

/* What the passes of one profile share. */
struct profiler {
	struct runner *runner;
	const struct profile_options *o;
	struct profile *p;
	struct progress *progress;
	double start;
	struct spool input;
	bool stop; /* no more passes: time is up, or the user said so */
	char what[64];
	VEC(uint32_t) of_tool; /* counting pass: our index by the tool's */
	uint64_t kept_bytes;   /* of recorded calls, in this process: --memory bounds them too */
};

/* A tool's record for a struct profiler: the on_record of struct valgrind_run. */
enum rc profile_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e);

#endif
