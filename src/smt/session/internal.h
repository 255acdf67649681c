/* SPDX-License-Identifier: MIT */
/* What the parts of a session share. */
#ifndef SMT_SESSION_INTERNAL_H
#define SMT_SESSION_INTERNAL_H

#include "data/digest.h"
#include "data/table.h"
#include "smt/term/build.h"
#include "smt/cache/models.h"
#include "smt/term/print.h"
#include "smt/session/session.h"
#include "smt/term/sortcheck.h"

/* A command that shapes the stack, or a push. */
struct item {
	size_t off, n;  /* in log */
	long line, col; /* in the script */
	bool push;
	bool option; /* a set-option: refused by the solver, it changes nothing */
};

/* Where a command starts in what a solver was sent, and where it stands in the script. */
struct span {
	uint64_t sent; /* line */
	long line, col;
	bool option;
};

struct level {
	size_t items, assertions, log;
	struct scope_mark scope;
	bool odd;
};

struct smt_session {
	struct smt_session_options o;
	struct solver *solver;
	struct solver aux; /* for questions beside the script's own; started when needed */
	bool aux_ready;
	/* the script */
	char *name;
	uint64_t script; /* number of the script, from 1 */
	struct buf log;  /* text of all items */
	VEC(struct item) item;
	long line, col; /* of the command being answered */
	VEC(struct span) span;
	VEC(struct level) level;
	VEC(uint32_t) assertion;
	struct buf logic; /* "" : none */
	bool own_symbols; /* datatypes or recursive functions were declared */
	bool odd;         /* something was not understood: no caching until a reset */
	bool print_success, plain_options, global_declarations;
	uint64_t checks; /* since the reset */
	bool pushed;     /* a push since the reset */
	/* the solver's own stack */
	size_t mirrored;     /* items it has */
	uint64_t pops;       /* pops it has not heard of */
	bool stale;          /* it holds something else: reset first */
	bool solver_checked; /* its last check-sat is the script's last */
	size_t shown;        /* items whose output has been shown */
	/* the last check */
	struct buf last_check; /* its command's text; empty: none since the stack changed */
	enum verdict last_verdict;
	bool last_by_model;  /* models_eval has its values */
	bool model_complete; /* which has values for all declared constants by now */
	bool last_cacheable; /* query is the question that was asked */
	bool state_asked;    /* the solver was asked of its state after it */
	uint64_t last_key;   /* with o.keys: of the last understood check-sat */
	uint64_t misses,
		states_asked; /* checks put to the solver, and how many of them were followed by such a question */
	/* terms */
	struct dag dag;
	struct scope scope;
	struct builder builder;
	struct sexpr x;
	struct sortcheck sorts;
	struct query query;
	/* caches */
	struct cache *cache;
	struct models *models;
	struct printer printer;
	struct store *store;
	/* whole queries that are unsat: whole.c */
	VEC(struct digest256) whole;
	struct table whole_index;
	bool whole_ready; /* whole_digest is that of query */
	struct digest256 whole_digest;
	/* questions beside the script's own: seconds they took, and seconds that reused cores have saved */
	double side_s, saved_s;
	struct solver_answer answer;
	/* results */
	struct buf out, messages, scratch;
	VEC(struct smt_session_answer) answers;
	VEC(float) lookup_us;
	struct smt_session_stats stats;
};

/* A command as the script has it. */
struct command_text {
	const char *text;
	size_t n;
	long line, col;
};

/* session.c */
/* Asks about the state after the last check-sat: the solver must have made that check. */
enum smt_session_next smt_session_ask_state(struct smt_session *s, const struct command_text *c, struct err *e);

/* ask.c */
/* Brings the solver's own stack up to date; errors it prints are shown. False: it died. */
enum rc smt_session_sync(struct smt_session *s, bool *alive, struct err *e);
/* Sends one command to the up-to-date solver and shows its answer; keeps a copy in got unless NULL. */
enum rc smt_session_pass(struct smt_session *s, const char *text, size_t n, struct buf *got, bool *alive,
			 struct err *e);
/* Makes the solver's last check-sat the script's last. */
enum rc smt_session_recheck(struct smt_session *s, bool *alive, struct err *e);
/* Appends the solver's text with the positions in its errors turned into those of the script. */
void smt_session_show(struct smt_session *s, struct buf *out, const char *text, size_t n);
/* The stack changed back to n items. */
void smt_session_truncate(struct smt_session *s, size_t items);
void smt_session_forget_stack(struct smt_session *s);
/* Every item's text without pushes, then the assumptions as assertions. */
/* sent is the line of the solver's input on which it will start. */
void smt_session_flat_text(struct smt_session *s, struct buf *out, uint64_t sent);
/* How long a question beside the script's own may take when the answer that it builds on took that many seconds. */
double smt_session_side_limit(const struct smt_session *s, double seconds);
/* False when such questions have cost more than they may be worth. */
bool smt_session_side_worth(const struct smt_session *s);
/* A question beside the script's own, which must not disturb it. */
enum rc smt_session_side_query(struct smt_session *s, const struct solver_query *q, struct solver_answer *a,
			       struct err *e);

/* check.c */
enum smt_session_next smt_session_check(struct smt_session *s, const char *text, size_t n, struct err *e);

/* values.c */
enum smt_session_next smt_session_get_value(struct smt_session *s, const struct command_text *c, struct err *e);
enum smt_session_next smt_session_get_model(struct smt_session *s, const struct command_text *c, struct err *e);
/* For what only the solver can say of the model: it says it of ours, if there is one. */
enum smt_session_next smt_session_ask_model(struct smt_session *s, const struct command_text *c, struct err *e);

/* stored.c */
enum rc smt_session_store_open(struct smt_session *s, struct err *e);
bool smt_session_store_has_whole(struct smt_session *s, const struct digest256 *d);
void smt_session_store_whole(struct smt_session *s, const struct digest256 *d);
void smt_session_store_core(struct smt_session *s, const struct core *c);
void smt_session_store_model(struct smt_session *s);
void smt_session_store_close(struct smt_session *s);

/* explain.c */
void smt_session_explain_core(struct smt_session *s, const struct cache_hit *hit);
void smt_session_explain_model(struct smt_session *s, const char *origin);
void smt_session_explain_whole(struct smt_session *s);
enum rc smt_session_write_reproducer(struct smt_session *s, enum verdict reused, enum verdict asked, struct err *e);

/* whole.c */
/* The solver has said unsat to s->query before. */
bool smt_session_whole_known(struct smt_session *s);
/* It did now. */
void smt_session_whole_learn(struct smt_session *s);

#endif
