/* SPDX-License-Identifier: MIT */
/* Inside the engine: what the passes share with the reader of the tools' records. */
#ifndef PROFILE_PASSES_H
#define PROFILE_PASSES_H

#include "process/valgrind.h"
#include "profile/profile.h"
#include "profile/spool.h"

enum {
	MAX_DUMPS = 16,   /* of a function in a list */
	FIRST_PROGRAM = 1 /* struct vg_image */
};

/* What the passes of one profile share. */
struct profiler {
	struct runner *runner;
	const struct profile_options *o;
	struct profile *p; /* the process whose records are read */
	struct profile *first;
	struct progress *progress;
	double start;
	struct spool input;
	bool stop;       /* no more passes: time is up, or the user said so */
	bool counting;   /* the first pass: processes that were not known are new */
	bool close_look; /* the last one: the calls are known already */
	uint64_t depth;  /* references to follow; 0: our own method */
	struct layouts layouts;
	char what[64];
	VEC(uint32_t) of_tool; /* counting pass: our index by the tool's */
	uint64_t kept_bytes;   /* of recorded calls, in this process: --memory bounds them too */
};

/* A function to look at, in a list for the tool: one line for all processes that run the same program. */
struct wanted {
	uint64_t program;
	const struct profile_function *f; /* of one of them */
	uint64_t most, last;              /* see runtime/valgrind/sets/list.c */
	uint64_t dump[MAX_DUMPS];         /* calls to be written out */
	unsigned n_dumps;
};

struct wanted_list {
	VEC_FIELDS(struct wanted);
};

/* A tool's record for a struct profiler: the on_record of struct valgrind_run. */
enum rc profile_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e);

/* Seconds for the next pass; 0: no limit. */
double profile_pass_seconds(const struct profiler *pr);
/* One run for all candidates, which are n. */
enum rc profile_candidates(struct profiler *pr, uint64_t limit, size_t *n, struct err *e);
/* ---- memoizeit.c: in place of the memory passes */
enum rc pass_memoizeit(struct profiler *pr, struct err *e);

/* ---- native.c: the program without a tool */
/* What an instruction and what the kernel cost. */
void native_costs(struct profiler *pr);
/* Where its time goes: the rates of the functions. */
void native_samples(struct profiler *pr);

/* ---- family.c: the processes */
/* The i-th, the first one included; NULL behind the last. */
struct profile *family_at(const struct profiler *pr, size_t i);
/* A record VG_IMAGE: the records that follow are of that process. pr->p is NULL when no pass before knew it. */
enum rc family_image(struct profiler *pr, const void *p, size_t n, struct err *e);
/* What the processes that the program started left in the folder. */
enum rc family_read(struct profiler *pr, const char *folder,
		    void (*ended)(struct profiler *, const struct vg_done *, bool), struct err *e);
/* After the counting pass: their order, and what each takes of all. */
void family_share(struct profiler *pr);
/* Adds a function of a process to the lists. */
void family_want(struct wanted_list *list, struct profile *p, uint32_t fn, uint64_t most, uint64_t last, bool dumps);
/* Writes them as FOLDER/functions.PROGRAM, the first program's with the types. */
enum rc family_write(const struct wanted_list *list, const struct layouts *types, const char *folder, struct err *e);

#endif
