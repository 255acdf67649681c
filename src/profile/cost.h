/* SPDX-License-Identifier: MIT */
/* What things cost on this machine: a look-up in a memo table (measured by runtime/cost/lookup.c with the library
 * that a
 * suggested cache would use), and the program's own instructions and system calls in nanoseconds (from one run of it
 * without any tool). */
#ifndef PROFILE_COST_H
#define PROFILE_COST_H

#include "process/runner.h"

enum cost_kind { COST_SINGLE, COST_MULTI, COST_LARGE, COST_KINDS }; /* large: a table that waits for memory */
enum { COST_SIZES = 3 };

struct cost_point {
	double key_bytes;
	double hit_instructions, hit_ns, miss_instructions, miss_ns;
};

struct cost_model {
	struct cost_point at[COST_KINDS][COST_SIZES];
	bool measured;         /* false: figures of another machine */
	double ns_instruction; /* of the program, without a tool; 0: not known */
	double kernel_scale;   /* what the kernel's time under the tool is worth without it */
	double user_s, sys_s;  /* of that run, without starting a program; 0: none */
	double whole_s;        /* with it */
	double shell_s;        /* of a run, the part that is our shell's */
};

/* Runs the measurement; when it cannot, the figures of the machine it was written on are used. */
void cost_measure(struct cost_model *m, struct runner *r);
/* For a key of this size; miss is the get that misses and the put after it. */
struct cost_point cost_lookup(const struct cost_model *m, enum cost_kind kind, double key_bytes);
/* Instructions: a call that costs less is better computed than looked up. */
double cost_cheap_call(const struct cost_model *m);
/* In a table of so many entries. */
struct cost_point cost_table(const struct cost_model *m, double entries, double key_bytes);

#endif
