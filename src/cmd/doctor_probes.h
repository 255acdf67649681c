/* SPDX-License-Identifier: MIT */
/* What works on this machine, and what to install for the rest: one row per thing, see rows[] in doctor_probes.c. */
#ifndef CMD_DOCTOR_PROBES_H
#define CMD_DOCTOR_PROBES_H

#include "data/buf.h"
#include "process/runner.h"

struct doctor_finding {
	const char *group;   /* "core" or an engine */
	const char *name;    /* "z3" */
	const char *use;     /* what it is for */
	const char *package; /* the Debian package that brings it; NULL: none does */
	bool core;           /* refrain is of little use without it */
	bool works;
	struct buf detail; /* a version, a list, or why it does not work; may be empty */
};

struct doctor_findings {
	VEC_FIELDS(struct doctor_finding);
};

/* Tries everything; takes a second or two. Whether all of the core works. */
bool doctor_examine(struct doctor_findings *out);
void doctor_release(struct doctor_findings *f);

#endif
