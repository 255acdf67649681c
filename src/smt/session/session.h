/* SPDX-License-Identifier: MIT */
/* An SMT-LIB session: takes commands, keeps the assertion stack, answers check-sat from the caches or the solver.
 *
 * The solver lags behind: commands that only change the stack are kept, and sent when a question has to be asked. A
 * question that stands alone (no push, the first check-sat since a reset) is put as one independent query; others
 * go to the solver's own stack, which is brought up to date first. What is not understood goes to the solver
 * unchanged and ends caching until a reset. */
#ifndef SMT_SESSION_SESSION_H
#define SMT_SESSION_SESSION_H

#include "smt/cache/cache.h"
#include "smt/decide/decide.h"
#include "smt/solver/solver.h"

struct smt_session;

struct smt_session_options {
	const struct cache_mode *mode;
	struct cache_options cache;
	unsigned without; /* stages switched off: bit 1 << enum decide_stage */
	double timeout_s; /* per question; 0: none */
	double deadline;  /* of the run, on data/clock.h: what then goes on is answered "timeout"; 0: none */
	bool verify, explain;
	bool answers;           /* all are kept for smt_session_answers, else the last one is */
	bool keys;              /* answers carry the query's key */
	bool frozen;            /* a miss is an error */
	bool trust_store;       /* whole queries that a store says are unsat are not asked again */
	bool statistics;        /* the solver is to know them: it gets every question on its own stack */
	bool ends_with_solver;  /* where the solver ends at an error, as cvc5 does, so does the script */
	const char *store;      /* NULL: memory only */
	const char *trust_key;  /* a key file: stored cores signed with it need no proof; NULL: none */
	const char *reproducer; /* where --verify writes the query that differs */
	/* The script names another :regular-output-channel: what is in smt_session_output goes to the old one, what
	 * comes later to this. NULL, the start of a script, is the first one. False: it cannot be opened, and the first
	 * one is used. NULL: the caller takes all output. */
	bool (*channel)(void *caller, const char *name);
	void *caller;
};

struct smt_session_answer {
	char *file;
	enum verdict verdict;
	const char *by; /* "solver", "core", "model", "exact" (whole.c) or a stage's name (decide.h) */
	double solver_s, cache_s;
	bool has_key; /* it was understood */
	uint64_t key; /* the same for permuted duplicates */
};

struct smt_session_stats {
	uint64_t queries, sat, unsat, unknown, reused_unsat, reused_sat, errors;
	uint64_t decided_unsat, decided_sat; /* by ourselves, without an earlier answer */
	uint64_t solver_calls, refused_cores, cores;
	uint64_t brakes; /* look-ups that ran out of steps or memory */
	double solver_s, cache_s, lookup_median_s;
	size_t cache_peak_bytes, lookup_peak_bytes;
	struct decide_stats stages; /* of the stages in front of the solver */
};

/* The solver stays the caller's and must outlive the session. RC_INPUT, RC_ENV: the store cannot be opened. */
enum rc smt_session_new(struct smt_session **out, const struct smt_session_options *o, struct solver *solver,
			struct err *e);
void smt_session_free(struct smt_session *s);

/* A new script starts, from an empty stack; name is for messages and answers. */
void smt_session_begin(struct smt_session *s, const char *name);

/* One command: text is one expression, at line and col of the script. Its output is appended to smt_session_output.
 * RC_NO: it was (exit). Anything else but RC_OK ends the session. */
enum rc smt_session_command(struct smt_session *s, const char *text, size_t n, long line, long col, struct err *e);
/* No command is at hand: what the solver has to say about those so far is put out. RC_NO: the script is at its end. */
enum rc smt_session_idle(struct smt_session *s, struct err *e);
/* What z3 prints for -st: its statistics, or that nothing was spent when it was asked nothing. */
enum rc smt_session_statistics(struct smt_session *s, struct err *e);
/* A syntax error met by the reader, at line and col from 1: answered as z3 does, which counts columns from 0 on all
 * lines but the first. */
void smt_session_syntax_error(struct smt_session *s, long line, long col, const char *what);
/* The script ends within a command, which begins at line and col. */
void smt_session_unfinished(struct smt_session *s, const char *text, size_t n, long line, long col);

struct buf *smt_session_output(struct smt_session *s);   /* the caller prints and clears it */
struct buf *smt_session_messages(struct smt_session *s); /* --explain, warnings: for standard error */
struct smt_session_stats smt_session_stats(const struct smt_session *s);
const struct smt_session_answer *smt_session_answers(const struct smt_session *s, size_t *n);
/* Has refrain started us, as the solver that it asks? */
bool smt_started_by_refrain(void);
/* The process becomes that solver, with these words as its arguments. Returns only if it cannot: RC_ENV. */
enum rc smt_become_solver(const char *solver, const struct strings *words, struct err *e);
/* NULL, or why the store could not be used to the end. */
const char *smt_session_store_warning(const struct smt_session *s);
/* Whether what was to be kept in a file could not be: see store_failed. */
bool smt_session_store_failed(const struct smt_session *s);

#endif
