/* What the parts of a session share. */
#ifndef SMT_SESSION_INTERNAL_H
#define SMT_SESSION_INTERNAL_H

#include "smt/build.h"
#include "smt/models.h"
#include "smt/print.h"
#include "smt/session.h"

/* A command that shapes the stack, or a push. */
struct item {
	size_t off, n; /* in log */
	long line;
	bool push;
};

struct level {
	size_t items, assertions, log;
	struct scope_mark scope;
	bool odd;
};

struct session {
	struct session_options o;
	struct solver *solver;
	struct solver aux; /* for questions beside the script's own; started when needed */
	bool aux_ready;
	/* the script */
	char *name;
	uint64_t script;  /* number of the script, from 1 */
	struct buf log;   /* text of all items */
	VEC(struct item) item;
	VEC(struct level) level;
	VEC(uint32_t) assertion;
	uint32_t *assumption; /* of the check being answered */
	struct buf logic;     /* "" : none */
	bool odd;             /* something was not understood: no caching until a reset */
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
	bool last_by_model;
	/* terms */
	struct dag dag;
	struct scope scope;
	struct builder builder;
	struct sexpr x;
	struct query query;
	/* caches */
	struct cache *cache;
	struct models *models;
	struct printer printer;
	struct store *store;
	struct solver_answer answer;
	/* results */
	struct buf out, messages, scratch;
	VEC(struct session_answer) answers;
	VEC(float) lookup_us;
	struct session_stats stats;
};

/* session_ask.c */
/* Brings the solver's own stack up to date; errors it prints are shown. False: it died. */
enum rc session_sync(struct session *s, bool *alive, struct err *e);
/* Sends one command to the up-to-date solver and shows its answer; keeps a copy in got unless NULL. */
enum rc session_pass(struct session *s, const char *text, size_t n, struct buf *got, bool *alive, struct err *e);
/* Makes the solver's last check-sat the script's last. */
enum rc session_recheck(struct session *s, bool *alive, struct err *e);
/* The stack changed back to n items. */
void session_truncate(struct session *s, size_t items);
void session_forget_stack(struct session *s);
/* Every item's text without pushes, then the assumptions as assertions. */
void session_flat_text(struct session *s, struct buf *out);
/* A question beside the script's own, which must not disturb it. */
enum rc session_side_query(struct session *s, const struct solver_query *q, struct solver_answer *a, struct err *e);

/* session_check.c */
enum session_next session_check(struct session *s, const char *text, size_t n, struct err *e);

/* session_store.c */
enum rc session_store_open(struct session *s, struct err *e);
void session_store_core(struct session *s, const struct core *c);
void session_store_model(struct session *s);
void session_store_close(struct session *s);

/* session_explain.c */
void session_explain_core(struct session *s, const struct cache_hit *hit);
void session_explain_model(struct session *s, const char *origin);
enum rc session_write_reproducer(struct session *s, enum verdict reused, enum verdict asked, struct err *e);

#endif
