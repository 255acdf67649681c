/* SPDX-License-Identifier: MIT */
/* refrain's side of the runner, shared by runner.c, pipes.c, scratch.c and signals.c. */
#ifndef PROCESS_INTERNAL_H
#define PROCESS_INTERNAL_H

#include "process/wire.h"
#include "data/vec.h"

/* One guardian process; it runs at most one job at a time and is used again. */
struct guardian {
	pid_t pid;
	int fd;
	struct job *job;
	bool eof; /* end of its messages; not polled */
};

enum job_kind { KIND_JOB, KIND_PROC, KIND_FOREGROUND };

struct job {
	struct runner *r;
	struct guardian *g; /* NULL when finished */
	uint32_t seq;
	enum job_kind kind;
	enum start_stage stage;
	bool over, returned, keep;
	struct run_result result;
	char *name, *dir; /* for messages */
	char *tmp;        /* its TMPDIR; when it is over it goes, or is kept for another if it is empty */
	void *user;
};

struct runner {
	pid_t pid; /* the spawner */
	int sock;
	bool dead; /* the spawner is */
	char *root;
	uint32_t seq;
	unsigned long scratch;
	VEC(struct guardian *) guardians;
	VEC(struct job *) jobs; /* started and not freed */
	VEC(char *) spare_tmp;  /* empty TMPDIRs of jobs that are over */
	size_t running;         /* of kind KIND_JOB, not returned */
};

/* Everything a program is started with. */
struct start {
	enum job_kind kind;
	unsigned flags;
	int fds[WIRE_MAX_FDS]; /* standard ones as flags say, then the extra ones */
	size_t n_fds;
	const int *extra_to;
	size_t n_extra;
	pid_t pgid;
	uint32_t ignored;
};
enum rc runner_start(struct runner *r, const struct run_spec *spec, const struct start *s, struct job **out,
		     struct err *e);

/* Waits until the guardian has told whether the program runs; its pid, or 0 when it does not. */
pid_t runner_await_start(struct runner *r, struct job *j);

/* One wait: for messages of the spawner, of job `only` (NULL: of all jobs of kind KIND_JOB) and for fd (−1: none).
 * What came is handled. True in *fd_ready when fd is readable, in *woken when a signal came; both may be NULL. */
void runner_poll(struct runner *r, struct job *only, double seconds, int fd, bool *fd_ready, bool *woken);

/* Waits until the job is over, up to `seconds` (< 0: for ever); bytes from drain (−1: none) are thrown away
 * meanwhile. True when it is over. */
bool runner_await(struct runner *r, struct job *j, double seconds, int drain);

void job_message(struct job *j, enum wire_type type, int64_t value);

/* Makes the TMPDIR of a job, or takes a spare one. */
enum rc runner_tmp(struct runner *r, struct job *j, const char *dir, struct err *e);
/* The job is over, or was never started. */
void runner_tmp_done(struct runner *r, struct job *j);

/* ---- signals (signals.c) */
enum rc signals_init(struct err *e); /* once, before the spawner is forked */
uint32_t signals_ignored(void);      /* bits of the signals that were ignored when refrain began */
int signals_wake_fd(void);           /* readable when a signal came */
void signals_wake_clear(void);
void signals_foreground(bool on);            /* INT and QUIT are for the program */
int signals_take_forward(void);              /* a signal to be passed on to it, or 0 */
void signals_forget(const struct runner *r); /* the runner is closed */

#endif
