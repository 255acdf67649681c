/* SPDX-License-Identifier: MIT */
/* A caching SMT solver: SMT-LIB 2.6 commands in, answers out. Questions met before, under whatever variable names, are
 * answered without the solver; docs/smt.md says when and why that can be trusted.
 *
 *	rf_smt *s;
 *	rf_error e;
 *	if (rf_smt_new(&s, NULL, &e) != RF_OK)
 *		…e.text says why…
 *	if (rf_smt_commands(s, text, strlen(text), &e) == RF_OK)
 *		puts(rf_smt_answers(s, NULL));      // "sat\n", "unsat\n", "(error …)\n"
 *	rf_smt_free(s);
 *
 * What a program must know of its own process:
 *
 * - Processes. rf_smt_new forks a small process that starts solver programs and ends them all when the caller's process
 *   ends, however it ends. With the solver "z3" the first question forks a second one, which loads libz3. Both are
 *   children of the caller: it must not reap them (wait, or waitpid with −1) while an rf_smt lives.
 * - Threads. An rf_smt belongs to the thread that made it, and its solver ends with that thread. As fork copies only
 *   the calling thread, make it, and ask it the first question, before other threads start; with solver programs
 *   ("z3 -in", "cvc5") only rf_smt_new has to come first. Several may live at a time.
 * - Signals. No handler is installed and no disposition changed. A solver that dies raises no SIGPIPE in the caller.
 * - Descriptors are all close-on-exec. If 0, 1 or 2 is closed, it is opened on /dev/null. What solver programs write to
 *   standard error goes to the caller's.
 * - A child that the caller forks must not use its copy of an rf_smt. */
#ifndef REFRAIN_SMT_H
#define REFRAIN_SMT_H

#include <refrain/refrain.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_smt rf_smt;

typedef struct rf_smt_options {
	size_t size;           /* of this struct: it may grow, RF_SMT_OPTIONS_INIT sets it */
	const char *solver;    /* "z3", "cvc5", "boolector" or a command that reads SMT-LIB; NULL: "z3" */
	const char *cache;     /* "full", "cache-a-lot", "utopia", "subset", "exact" or "none"; NULL: "full" */
	const char *store;     /* the file or address that keeps answers for later runs; NULL: memory only */
	double timeout_s;      /* a question that takes longer is answered unknown; 0: no limit */
	uint64_t memory_bytes; /* limit of the solver; 0: none */
} rf_smt_options;

#define RF_SMT_OPTIONS_INIT                                                                                            \
	{                                                                                                              \
		sizeof(rf_smt_options), NULL, NULL, NULL, 0, 0                                                         \
	}

/* Makes one; options may be NULL. The strings in it are copied. RF_INPUT: an option is wrong. RF_ENV: the solver is not
 * installed, the store cannot be used, no process can be started. *out is NULL on failure. */
RF_API rf_status rf_smt_new(rf_smt **out, const rf_smt_options *options, rf_error *e);
/* Ends the solver, frees everything; NULL is allowed. */
RF_API void rf_smt_free(rf_smt *s);

/* Answers the commands in text[0 … n), which must be whole. Errors in them are answers too, as solvers print them.
 * RF_NO: (exit) was read; what follows it is ignored, and the next call starts with an empty assertion stack.
 * RF_INPUT: the last command does not end; those before it were answered. RF_ENV: the solver cannot be run. */
RF_API rf_status rf_smt_commands(rf_smt *s, const char *text, size_t n, rf_error *e);
/* The answers since the last call, ended by NUL; *n is their length (n may be NULL). Valid until the next call that
 * takes s. */
RF_API const char *rf_smt_answers(rf_smt *s, size_t *n);

typedef struct rf_smt_totals {
	uint64_t queries, sat, unsat, unknown;
	uint64_t reused_sat, reused_unsat; /* answered without the solver */
	uint64_t solver_calls;             /* check-sats put to the solver, those for cores and proofs too */
	uint64_t errors;                   /* (error …) answers */
	double solver_s, cache_s;          /* seconds */
} rf_smt_totals;

/* Fills the first size bytes of out. Give sizeof *out: the struct may grow. */
RF_API void rf_smt_stats(const rf_smt *s, rf_smt_totals *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
