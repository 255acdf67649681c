/* SPDX-License-Identifier: MIT */
/* Finding functions that are worth memoizing (Della Toffola, Pradel, Gross: MemoizeIt, OOPSLA 2015), for native
 * programs.
 *
 * The program is run several times: (1) calls and instructions of all functions; (2) the arguments of those that
 * take time
 * and the memory they read and write, with a limit on the places per call that
 * is low at first and high in a second run for the functions that need it. A function is dropped when too few of its
 * inputs repeat: more detail only splits inputs, so what is dropped stays hopeless. A call that reaches the last
 * limit is
 * a miss, and no more than that. (3) Caches are simulated on the recorded
 * calls, functions clustered and ranked by the time a cache would save. (4) A last run looks closely at single
 * calls to name what differed. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "data/buf.h"
#include "cli/progress.h"
#include "process/runner.h"
#include "profile/caches.h"
#include "profile/cost.h"
#include "profile/debug/layout.h"

#include <stdbool.h>

struct profile_options {
	const char *const *program; /* NULL-ended */
	const char *path;
	struct { /* --functions; n 0: all */
		const char *const *at;
		size_t n;
	} wanted;
	double min_share;     /* of the run's instructions (r_min) */
	uint64_t min_average; /* instructions per call (t_min) */
	uint64_t min_calls;
	double min_hit_ratio; /* h_min */
	uint64_t first_locations, max_locations, max_calls, max_functions, memory;
	double timeout;   /* of everything; 0: none */
	const char *from; /* the part looked at begins with the first call of this function, or NULL */
	double window_s;  /* and takes so long in the counting pass; 0: up to the end */
	bool scrub, explain, stdout_to_stderr;
	uint64_t first_depth; /* --method=memoizeit: references followed in the first pass; 0: our own method */
	bool children;        /* look into the processes that the program starts too */
	bool whole_shapes;    /* look at every call of the best functions: code is made of it */
};

enum profile_status {
	STATUS_CANDIDATE, /* not decided yet */
	STATUS_OPPORTUNITY,
	STATUS_COLD,         /* below a threshold of pass 1 */
	STATUS_NO_SIGNATURE, /* no debug information for it, or arguments we cannot follow */
	STATUS_ARGUMENTS,    /* its arguments alone do not repeat */
	STATUS_INPUTS,       /* its inputs do not repeat */
	STATUS_CONFLICTS,    /* inputs repeat, outputs do not */
	STATUS_TOO_LARGE,    /* limit reached: too much read or written to say */
	STATUS_UNDECIDED,    /* --timeout */
	STATUS_NOT_CALLED,
	STATUS_INLINED, /* no code of its own that ran */
	STATUS_EFFECTS, /* inputs repeat, but it changes the world or frees what it was given */
};
const char *profile_status_name(enum profile_status s);

struct profile_global {
	const char *name;
	unsigned flags; /* VG_GLOBAL_… */
	uint64_t calls, changes;
};

/* What its calls asked of the system. */
struct profile_file {
	const char *path; /* "": no file that has a name */
	unsigned number;  /* of the system call */
};

/* What it did to memory that calls of another function, the owner, had left behind. */
struct profile_peer {
	uint32_t owner; /* index of the function */
	uint64_t frees, changes;
};

/* A place of its input or output, over all calls (base/vgproto.h); node numbers are indices + 1. */
struct profile_place {
	struct vg_shape s;
	const char *symbol; /* of static data, or "" */
};

/* Calls that read and write the same places with the same deciding values (base/vgproto.h). */
struct profile_row {
	uint64_t calls, cost;
	uint32_t flags, n, inputs; /* inputs: different ones */
	const uint8_t *at;         /* VG_ROW_BYTES for each of n nodes */
};

/* The values that half a node had. */
struct profile_half {
	uint32_t node, half, bits, n;
	const uint32_t *at;
};

/* A call written out. */
struct profile_dump {
	uint64_t call;
	VEC(struct vg_dump_entry) entry;
};

struct profile_function {
	const char *name, *object;
	uint64_t entry;
	const struct signature *sig; /* NULL: none */
	uint64_t calls, inclusive, outer, sys_calls, self, kernel_ns;
	uint64_t samples; /* of the run without a tool: in it or in what it called */
	double rate;      /* what an instruction of it takes, callees included; 1: the program's average */
	bool asked;       /* named by --functions */
	enum profile_status status;
	unsigned round; /* in which it was decided; 0: counting, 1: arguments, 2 …: memory */
	uint64_t limit; /* places per call in its last run */
	struct calls seen;
	struct caches caches;
	double hit_ratio;               /* of the suggested cache */
	uint64_t hint_inputs;           /* few distinct inputs but for memory it also writes (a counter?); 0: no hint */
	double time_share, saved_share; /* of the run's CPU time, the kernel's included */
	bool small_key_saves;           /* a cache saves if the key is small, which is known only after a close look */
	double written_share;           /* saved by the cache that --suggest writes */
	double saved_instructions;      /* as a share of the run's; negative: the cache takes more than it saves */
	const char *doubt;              /* why the prediction may be wrong, or NULL */
	bool grows;                     /* more data needs a larger cache */
	bool asks_world;                /* most hits are calls that ask the system: needs invalidation */
	const char *size, *scope;       /* suggestion: "single" or "multi", "global" or "instance" */
	uint64_t entries;
	VEC(struct profile_global) globals;
	VEC(struct profile_file) files;
	VEC(struct profile_peer) peers;
	uint32_t releaser; /* index + 1 of the function that frees what it leaves behind; 0: none that does just that */
	bool kept;         /* nobody that was looked at changes it: whoever caches it shares it */
	uint32_t changer;  /* index + 1 of the function that goes on changing it; 0: none */
	VEC(struct profile_place) shape; /* empty when not looked at */
	VEC(struct profile_row) rows;    /* what its calls have in common; empty when not looked at, or too much */
	VEC(struct profile_half) values;
	const struct layout_signature *flat; /* --method=memoizeit; and from there: */
	double potential;                    /* hit ratio of Definition 4 */
	uint64_t depth;                      /* references that were followed */
	char *verdict;
	unsigned rank, cluster;      /* from 1 in each of the two lists, by asks_world; 0: none */
	struct profile_dump dump[2]; /* two calls with different inputs; empty when not looked at */
	uint64_t same[2];            /* two calls with the same input; equal when there are none */
	char *difference;            /* what was different between the dumped calls, or NULL */
	char *key;                   /* what its key is made of, by name, or NULL when that was not looked at */
};

/* A function without code of its own that ran. */
struct profile_inlined {
	const char *name;
	double share; /* of the run, about: of the functions that hold the copies, by size of code */
};

struct profile_edge {
	uint32_t caller, callee; /* indices of functions */
	uint64_t calls;
};

/* One run of Algorithm 1. */
struct profile_iteration {
	uint64_t depth;
	size_t candidates, dropped,
		explored; /* looked at, dropped for their hit ratio, decided with nothing left out */
	double wall_s;
};

/* Which program in which process a profile is of. */
struct profile_process {
	uint64_t id, program, from; /* struct vg_image: the same in all passes */
	uint64_t start_ns;
	const char *path;
	bool forked;             /* it begins at a fork, in the middle of that program */
	bool replaced;           /* it ended by becoming another program */
	bool cold;               /* takes too little to be looked at: counted only */
	uint64_t forks;          /* children it started */
	double share;            /* of the CPU time of all of them */
	unsigned number, parent; /* from 1, in order of start; parent 0: none */
};

struct profile {
	struct arena arena; /* names */
	struct profile_process process;
	bool followed;                /* --children */
	VEC(struct profile *) others; /* of the first process, those of the others, in order of start */
	VEC(uint32_t) listed;         /* function + 1 by its number in the lists for the tool; 0: none */
	VEC(struct profile_function) fn;
	VEC(struct profile_edge) edge;
	VEC(struct profile_inlined)
	inlined; /* most expensive first: exist only as copies in functions that take time */
	struct {
		VEC_FIELDS(struct profile_object);
	} object;
	VEC(struct profile_iteration) iterations; /* --method=memoizeit */
	uint64_t instructions;
	uint64_t system_calls;
	uint64_t kernel_ns; /* under the counting tool */
	struct cost_model cost;
	unsigned passes, threads;
	bool complete, no_debug_info, memory_full;
	bool windowed;      /* only a part of the run was looked at, as asked */
	int program_signal; /* the program died of it; 0: no */
	int program_code;
	double wall_s;
	uint64_t tool_peak_bytes;
	uint32_t *ranking; /* indices of the reported functions, best first */
	size_t n_ranking;
};

struct profile_object {
	const char *path;
	struct signatures sigs;
	bool read;
};

enum rc profile_run(struct runner *r, const struct profile_options *o, struct progress *progress, struct profile *out,
		    struct err *e);
void profile_release(struct profile *p);

/* ---- parts */
/* Marks the candidates of the counting pass; finds their signatures; adds names of --functions that did not run; lists
 * functions that exist only as inlined copies. */
/* Is this the function a user means by that name? */
bool profile_same_function(const char *name, const char *wanted);
void profile_choose(struct profile *p, const struct profile_options *o);
enum rc profile_link(struct profile *p, struct err *e);
void profile_add_missing(struct profile *p, const struct profile_options *o);
void profile_find_inlined(struct profile *p, const struct profile_options *o);
void profile_judge(struct profile *p, const struct profile_options *o,
		   struct profile_function *f); /* suggestion and savings */
/* Of one call, on average: what the close look found to differ between calls, or without it all that they read. */
double profile_key_bytes(const struct profile_function *f);
/* Does it change this global, but for an initialisation? */
bool profile_changes(const struct profile_function *f, const struct profile_global *g);
char *profile_verdict(const struct profile *p, const struct profile_function *f); /* is it safe? in words */
/* CPU time of so many instructions and of so much of the kernel's time under the tool. */
double profile_ns(const struct profile *p, double instructions, double kernel_ns);
/* The same for instructions of one function. */
double profile_ns_of(const struct profile *p, const struct profile_function *f, double instructions, double kernel_ns);
/* Is this object a library that is nobody's to change, and its callers are looked at? */
bool profile_is_system(const char *object);
/* Rates of the functions, from a file of samples (runtime/cost/sample.c). */
void samples_read(struct profile *p, const char *path);
void profile_rank(struct profile *p, const struct profile_options *o);
/* Again, after the close look: it knows what the keys of the best functions are made of. */
void profile_rank_again(struct profile *p, const struct profile_options *o);
char *profile_difference(const struct profile_function *f);
void profile_name_keys(struct profile *p); /* after the close look */
/* "sum(n)" field of one dumped entry, for people. */
void profile_entry_text(const struct profile_function *f, const struct vg_dump_entry *d, struct buf *out);

#endif
