/* SPDX-License-Identifier: MIT */
/* Solvers behind one interface. A solver is started at the first question and restarted after it died or was killed for
 * taking too long; neither loses anything, because every question carries what it needs or follows a replay.
 *
 * To add a solver that speaks SMT-LIB: one row in solver_names[] (solver.c). To add another way of talking to one: a
 * struct solver_kind with its functions, and a row that names it. */
#ifndef SMT_SOLVER_SOLVER_H
#define SMT_SOLVER_SOLVER_H

#include "data/buf.h"
#include "data/err.h"
#include "data/strings.h"
#include "data/vec.h"

enum verdict { VERDICT_NONE, VERDICT_SAT, VERDICT_UNSAT, VERDICT_UNKNOWN };
const char *verdict_text(enum verdict v);
static inline bool verdict_decided(enum verdict v)
{
	return v == VERDICT_SAT || v == VERDICT_UNSAT;
}

enum {
	WANT_MODEL = 1, /* of a sat answer, by kinds with SOLVER_NATIVE_CORE; others have it asked for by send */
	/* Of an unsat answer the places of the top-level conjuncts to blame, by the solver that finds cores (of kinds
	 * with SOLVER_NATIVE_CORE) and within its limit: the verdict is unsat or unknown. */
	WANT_CORE = 2,
	WANT_GENERAL = 4, /* a solver for everything may be tried before the one for the logic */
};

struct solver_query {
	const char *text; /* commands up to the check-sat, which is not in it */
	size_t n;
	const char *logic; /* NULL: none set */
	unsigned want;
	double timeout_s; /* 0: none */
};

struct solver_answer {
	enum verdict verdict;
	bool timed_out;   /* killed or given up for time, memory or a crash: verdict is VERDICT_UNKNOWN */
	struct buf text;  /* all that was printed */
	struct buf model; /* WANT_MODEL: (define-fun …)…; empty when there is none */
	VEC(uint32_t) core;
	size_t conjuncts; /* how many the core's places count over; 0: no core */
	double seconds;   /* waited for it */
	double cpu_s;     /* seconds of CPU, without the model; 0: not known */
	double model_s;   /* what the model cost */
};

/* What it cost: CPU if that is known, else the time that it took. */
static inline double solver_cost(const struct solver_answer *a)
{
	return a->cpu_s > 0 ? a->cpu_s : a->seconds;
}
void solver_answer_clear(struct solver_answer *a);
void solver_answer_release(struct solver_answer *a);

enum {
	SOLVER_ONE_SHOT = 1,    /* a process per question; it answers nothing but check-sat */
	SOLVER_NATIVE_CORE = 2, /* query() answers WANT_CORE */
	SOLVER_STATELESS = 4,   /* query() leaves the state of send() alone */
	SOLVER_NO_ECHO = 8,     /* (echo) is answered without it, as z3 would */
};

struct solver;

struct solver_kind {
	unsigned flags;
	/* One question from an empty state. RC_ENV: cannot be started. Errors of the solver are text. */
	enum rc (*query)(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e);
	/* Commands in the solver's own state; what it prints is appended to out. RC_NO: it died or ran out of time, and
	 * starts afresh at the next command. */
	enum rc (*send)(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e);
	/* Text in which a command does not end, the last that the solver gets; what it prints is appended to
	 * out, and it starts afresh at the next command. NULL: it cannot be told. */
	enum rc (*end)(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e);
	/* Does send() go to a program beside the library? NULL: there is no library. */
	bool (*has_program)(struct solver *s);
	void (*stop)(struct solver *s);
};

struct solver {
	const struct solver_kind *kind;
	struct runner *runner;
	const char *command; /* for programs: what sh runs */
	const char *behind;  /* a setting for its environment: see behind.h */
	const char *limit; /* how the program is told its limit in milliseconds, for printf; NULL: it has no such way */
	double timeout_s;  /* its own limit per question, 0: none */
	bool keeps_options;   /* a (reset) leaves options as they are */
	bool meaning_options; /* its command line may change the meaning of operators */
	bool compliant;       /* its command line switches :print-success on: see options.h */
	bool started;         /* what query() asks is running */
	bool left;            /* it went away by itself, after an error: the last that send() returned RC_NO */
	size_t memory_bytes;  /* 0: no limit */
	uint64_t calls;       /* check-sat questions put to it */
	double seconds;       /* spent waiting for it */
	uint64_t lines;       /* line feeds its standard input has had: what its error positions count from */
	void *state;
};

extern const struct solver_kind solver_z3_library, solver_program, solver_program_once;

/* The names that stand for a solver, NULL after the last. */
const char *solver_name(size_t i);

/* name: one of these, or a command line. options go to the solver. The command's text is allocated into s and
 * freed by solver_release. RC_ENV when a named solver is not installed. */
enum rc solver_init(struct solver *s, const char *name, const struct strings *options, struct runner *runner,
		    struct err *e);
/* The same without options, and never as a library. */
enum rc solver_init_program(struct solver *s, const char *name, struct runner *runner, struct err *e);
/* A second one of the same kind as other, not started yet. */
void solver_init_like(struct solver *s, const struct solver *other);
void solver_release(struct solver *s);

/* For callers to whom a solver that is gone (RC_NO of send) is no different from one that answered. */
static inline enum rc solver_gone_is_ok(enum rc rc)
{
	return rc == RC_NO ? RC_OK : rc;
}

/* The text has an error message of the solver's. */
bool solver_has_error(const struct buf *text);
/* The first sat, unsat or unknown on a line of its own. */
enum verdict solver_find_verdict(const char *text, size_t n);

#endif
