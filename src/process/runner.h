/* SPDX-License-Identifier: MIT */
/* Runs other programs and keeps them under control. Three kinds: a job (a test: own scratch folder, limits,
 * verdict), a pipe (a solver: we talk to it), a foreground program (profiled: owns the terminal).
 *
 * main forks a small spawner before anything else. It is a sub-reaper; each process tree we start hangs below a
 * guardian of its own that is a sub-reaper too, so setsid and double forks do not escape: when a job ends, is
 * cancelled or hits a limit its whole tree is killed, and when refrain dies (even by kill −9) the spawner sees the
 * socket close, kills every tree and removes every scratch folder.
 *
 * Only a normal exit is a verdict. "Could not start" (no memory, no space, no such program) is RUN_NOT_STARTED, and
 * job_failure gives the RC_ENV text for it: it ends the run, it is never "not interesting".
 * One thread only may use a struct runner. Programs get the environment and working folder refrain had at
 * runner_open, changed as their run_spec says. */
#ifndef PROCESS_RUNNER_H
#define PROCESS_RUNNER_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct runner;

/* Forks the spawner; call it while single-threaded and before large allocations. Scratch folders are made below a
 * private folder in $TMPDIR (or /tmp), which goes when the runner closes or dies. */
enum rc runner_open(struct runner **out, struct err *e);
/* Ends all trees, removes all scratch folders, frees the jobs that were not freed. r may be NULL. */
void runner_close(struct runner *r);
/* All programs started from now on: no network, all files read-only but those in scratch folders. RC_ENV where
 * the system does not allow it. */
enum rc runner_sandbox(struct runner *r, struct err *e);

/* Limits of a whole process tree; 0 means none. */
struct run_limits {
	double wall_s, cpu_s;
	uint64_t rss_bytes;    /* resident memory of the tree (sum), polled */
	uint64_t output_bytes; /* standard output and error together */
	uint64_t file_bytes;   /* largest file a process may write (RLIMIT_FSIZE) */
	uint64_t files;        /* descriptors (RLIMIT_NOFILE) */
};

struct run_spec {
	const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH unless it has a slash (then: from dir) */
	const char *const *env;  /* NAME=VALUE set besides the inherited environment, NULL-ended; may be NULL */
	const char *dir;         /* working folder; NULL: stays where refrain is */
	struct run_limits limits;
	bool keep_output; /* job: collect standard output and error (up to output_bytes or 1 MB) */
	void *user;       /* for the caller */
};

enum run_end {
	RUN_EXITED,      /* code is the exit code: the only verdict */
	RUN_SIGNALLED,   /* code is the signal */
	RUN_TIMEOUT,     /* wall or CPU limit */
	RUN_MEMORY,      /* resident memory limit */
	RUN_OUTPUT,      /* output limit */
	RUN_CANCELLED,   /* job_cancel, proc_kill, or a stop request in the foreground */
	RUN_NOT_STARTED, /* code is errno */
};

struct run_result {
	enum run_end end;
	int code;
	double wall_s, user_s, sys_s; /* CPU of the whole tree */
	uint64_t peak_rss;            /* largest process of the tree, as the kernel counts it */
	char *output;                 /* keep_output: owned by the job; else NULL */
	size_t output_len;
};

const char *run_end_text(enum run_end end);

/* A fresh, empty scratch folder (mode 700); its path is copied to out. The spawner knows it and removes it when
 * we die. */
enum rc runner_scratch(struct runner *r, char *out, size_t size, struct err *e);
/* Removes it with all that is in it (read-only folders, foreign symbolic links: the link goes, not its target). */
void runner_scratch_remove(struct runner *r, const char *path);

struct job;
/* The job's TMPDIR is a folder of its own beside spec->dir if that is a scratch folder, else a new scratch folder; it
 * goes when the job is over. Standard input is empty, no descriptor of ours is inherited; without keep_output and
 * output_bytes its output goes to /dev/null. It leads a session of its own and dumps no core. */
enum rc job_start(struct runner *r, const struct run_spec *spec, struct job **out, struct err *e);
/* Waits up to `seconds` (< 0: for ever) until some job is over; *done NULL on time-out or when a signal came.
 * Returned jobs are finished: read job_result, then job_free. Their process trees are gone. */
enum rc runner_wait(struct runner *r, double seconds, struct job **done, struct err *e);
/* As runner_wait, but also returns (*done NULL) when descriptor fd is readable (fd −1: none). */
enum rc runner_wait_fd(struct runner *r, double seconds, int fd, struct job **done, struct err *e);
/* Asks for its end; it still comes back from runner_wait, as RUN_CANCELLED unless it was over before. */
void job_cancel(struct job *j);
/* RC_ENV with "cannot run 'x': …" when the job is RUN_NOT_STARTED, else RC_OK. */
enum rc job_failure(const struct job *j, struct err *e);
const struct run_result *job_result(const struct job *j);
void *job_user(const struct job *j);
void job_free(struct job *j);               /* a job that is not over is ended first */
size_t runner_jobs(const struct runner *r); /* started and not yet returned */

/* A co-process: our ends of its standard input and output. Standard error is ours, or kept when keep_output is set.
 * Its limits' wall_s is ignored: the caller decides per question, with proc_kill. When it dies, out ends and writing to
 * in gives EPIPE (and SIGPIPE, unless that is ignored); runner_wait does not return it. proc_start waits until it
 * runs and fails with RC_ENV when it cannot. */
struct proc {
	int in, out; /* we write in, we read out; close-on-exec */
	pid_t pid;
	struct job *job;
};
enum rc proc_start(struct runner *r, const struct run_spec *spec, struct proc *out, struct err *e);
/* Ends the whole tree now and frees it; result may be NULL. result->output is the caller's to free. */
void proc_kill(struct runner *r, struct proc *p, struct run_result *result);
/* Closes in, waits up to seconds for it to end by itself, then kills. */
void proc_finish(struct runner *r, struct proc *p, double seconds, struct run_result *result);

/* A foreground program: inherits standard input, output, error and the terminal (it joins our process group); SIGINT
 * and SIGQUIT go to it, not to us, while it runs; a stop request is passed on as TERM, and KILL two seconds later.
 * extra_fds (n_extra of them, each > 2) are inherited under the same numbers. stdout_to_stderr: its standard output
 * goes to our standard error. While it runs, on_readable (if not NULL) is called with spec.user whenever watch_fd is
 * readable; returning false stops watching. */
struct foreground {
	struct run_spec spec;
	const int *extra_fds;
	size_t n_extra;
	bool stdout_to_stderr;
	int watch_fd; /* −1: none */
	bool (*on_readable)(void *user);
};
enum rc runner_foreground(struct runner *r, const struct foreground *f, struct run_result *result, struct err *e);

/* Stop requests. runner_catch_signals installs handlers for INT, TERM, HUP: the first sets the flag that
 * runner_stopped returns (the signal's number) and ends one wait early; a second one kills all trees and ends the
 * process at once with 128+signal. What was ignored when refrain began (nohup) stays ignored. */
void runner_catch_signals(struct runner *r);
int runner_stopped(void);

#endif
