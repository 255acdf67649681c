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
 * - Threads. One thread at a time may use an rf_smt; several of them may be used by several threads at once, and share
 *   nothing. Its processes end with the thread that made it. As fork copies only the calling thread, make it, and ask
 *   it the first question, before other threads start; with solver programs ("z3 -in", "cvc5") only rf_smt_new has to
 *   come first.
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
	const char *logic;     /* of terms (below); NULL: none, text says its own */
	uint64_t cache_bytes;  /* what may be kept in memory: the least recently used goes above it; 0: 1 GB */
} rf_smt_options;

#define RF_SMT_OPTIONS_INIT                                                                                            \
	{                                                                                                              \
		sizeof(rf_smt_options), NULL, NULL, NULL, 0, 0, NULL, 0                                                \
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

/* ---- Without text: terms are built, asserted and asked about. Nothing is printed or parsed unless the solver has to
 * be asked, and then by the library.
 *
 *	rf_term x = rf_smt_constant(s, "x", rf_smt_bits(s, 8));
 *	rf_smt_assert(s, rf_smt_apply(s, "bvult", 2, (rf_term[]){x, rf_smt_number(s, 5, 8)}), &e);
 *	if (rf_smt_check(s, NULL, 0, &answer, &e) == RF_OK && answer == RF_SMT_SAT)
 *		puts(rf_smt_value(s, x, &e));               // "#x00"
 *
 * Sorts and terms belong to one rf_smt and live until rf_smt_reset; equal terms are equal numbers. 0 is no term: calls
 * that make one return it when they cannot, and what is made of it is 0 as well; the first call with an rf_status that
 * is given such a term fails with RF_INPUT and says why. Terms are those of SMT-LIB's theories of bit-vectors (up to
 * 4,096 bits), arrays, integers, reals and uninterpreted functions, without quantifiers and floating point.
 *
 * Text and terms do not mix: the first call of the other kind starts with an empty assertion stack. */

typedef uint32_t rf_sort, rf_term;

typedef enum rf_smt_verdict {
	RF_SMT_UNKNOWN,
	RF_SMT_SAT,
	RF_SMT_UNSAT,
} rf_smt_verdict;

RF_API rf_sort rf_smt_sort(rf_smt *s, const char *name); /* "Bool", "Int", "Real" */
RF_API rf_sort rf_smt_bits(rf_smt *s, unsigned width);
RF_API rf_sort rf_smt_array(rf_smt *s, rf_sort index, rf_sort element);

/* The constant of that name; it is declared when it is new, and must have the same sort when it is not. */
RF_API rf_term rf_smt_constant(rf_smt *s, const char *name, rf_sort sort);
/* Declares a function of n arguments, for rf_smt_apply. */
RF_API rf_status rf_smt_function(rf_smt *s, const char *name, size_t n, const rf_sort *arguments, rf_sort result,
				 rf_error *e);
/* A bit-vector of at most 64 bits. */
RF_API rf_term rf_smt_number(rf_smt *s, uint64_t value, unsigned width);
/* A term as SMT-LIB writes it: "true", "(- 3)", "(bvadd x #x01)". */
RF_API rf_term rf_smt_term(rf_smt *s, const char *text);
/* An operator as SMT-LIB writes it ("bvadd", "select", "(_ extract 7 0)", "(as const (Array (_ BitVec 8) Bool))"), or a
 * declared function. */
RF_API rf_term rf_smt_apply(rf_smt *s, const char *op, size_t n, const rf_term *arguments);

RF_API rf_status rf_smt_push(rf_smt *s, rf_error *e);
RF_API rf_status rf_smt_pop(rf_smt *s, size_t levels, rf_error *e);
RF_API rf_status rf_smt_assert(rf_smt *s, rf_term formula, rf_error *e);
/* Forgets all terms, sorts and assertions. What is learnt stays. */
RF_API void rf_smt_reset(rf_smt *s);

/* Are the assertions and the n assumptions satisfiable together? RF_ENV: the solver cannot be run. */
RF_API rf_status rf_smt_check(rf_smt *s, const rf_term *assumptions, size_t n, rf_smt_verdict *answer, rf_error *e);
/* The term's value in a model of the last check, as SMT-LIB writes it; all values are of one model. Valid until the
 * next call that takes s. NULL, with e->status RF_NO: that check was not sat, assertions have changed since, or the
 * solver has no value. */
RF_API const char *rf_smt_value(rf_smt *s, rf_term term, rf_error *e);
/* Which of the assertions and assumptions of the last check are unsat together; not always the fewest. Valid until the
 * next call that takes s. RF_NO: that check was not unsat, or assertions have changed since. */
RF_API rf_status rf_smt_core(rf_smt *s, const rf_term **core, size_t *n, rf_error *e);

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
