/* SPDX-License-Identifier: MIT */
/* The parts of a session and what its files offer one another.
 *
 *	script   what the user has said since the last reset: as text for the solver, as terms for the caches
 *	mirror   how far the solver's own assertion stack follows the script's
 *	side     questions of our own, which must not disturb the script's
 *	learnt   what outlives a script: cores, models, whole queries, the store
 *
 * A command is parsed once, in smt_session_command, and handed on as a struct command. The functions below that return
 * an enum rc use RC_NO as said there and fill e for anything beyond it. */
#ifndef SMT_SESSION_INTERNAL_H
#define SMT_SESSION_INTERNAL_H

#include "data/digest.h"
#include "data/table.h"
#include "farm/sign.h"
#include "smt/cache/models.h"
#include "smt/decide/decide.h"
#include "smt/session/session.h"
#include "smt/solver/books.h"
#include "smt/solver/options.h"
#include "smt/value/exact.h"
#include "smt/term/print.h"
#include "smt/term/reader.h"
#include "smt/term/sortcheck.h"

/* A command as the script has it. */
struct command {
	const char *text;
	size_t n;
	long line, col;
	const struct sexpr *x;             /* parsed */
	const struct statement *statement; /* NULL: it is not one */
	bool assuming;                     /* a check-sat with assumptions, at node 2 */
};

/* A command that shapes the stack, or a push. */
struct item {
	size_t off, n;  /* in log */
	long line, col; /* in the script */
	bool push;
	bool declares;  /* outlives a pop when declarations are global */
	bool sure;      /* the solver accepts it without output */
	uint8_t option; /* enum option_kind: a set-option; refused by the solver, it changes nothing */
	bool lasts;     /* an option that a (reset) does not undo */
	bool asserts;   /* an assertion that the solver may refuse … */
	bool refused;   /* … and has refused */
};

struct level {
	size_t items, assertions, log, sorts;
	struct scope_mark scope;
	bool uncacheable;
};

/* The check-sat answered last. */
struct last_check {
	struct buf text; /* of the command; empty: none since the stack changed, so there is no state to ask about */
	size_t items;    /* the script had when it was asked */
	bool doubted;    /* an assertion has followed that the solver may refuse, which would leave the state */
	bool other;      /* so has a command that we do not know and that may have made a state */
	enum verdict verdict;
	bool cacheable;      /* reader.query is the question that was asked */
	bool by_model;       /* models_eval has the values of its model … */
	bool model_complete; /* … for all declared constants by now */
	bool state_asked;    /* the solver was asked about its state after it */
	uint64_t key;        /* with o.keys: of the last understood check-sat */
};

/* A script that is not text but terms (terms.h): there are no items. */
struct built {
	bool on;
	VEC(size_t) level;   /* assertions below it */
	VEC(uint32_t) root;  /* assertions and assumptions of the last check */
	VEC(uint32_t) core;  /* places in reader.query.conj that are to blame for its unsat; empty: not known */
	VEC(uint32_t) shown; /* what the caller was given of it */
	struct buf why;      /* the first term could not be made because of this */
};

/* Invariant: level i restores items, assertions, log and scope to what they were before the i-th open push, and the
 * sort checkers know no term that the DAG has forgotten. */
struct script {
	char *name;
	struct buf log; /* text of all items */
	VEC(struct item) item;
	size_t unsure; /* no item from this one on is unsure */
	VEC(struct level) level;
	struct buf logic;   /* "": none */
	struct buf channel; /* where its output goes; "": nothing was said */
	struct reader reader;
	struct sortcheck sorts;
	struct exact exact;
	bool own_symbols; /* datatypes or recursive functions were declared */
	bool uncacheable; /* something was not understood: no caching until a reset */
	bool print_success;
	bool no_models;           /* it does not want them: what asks for one is an error */
	bool compliant;           /* z3's option of that name is on: see options.h */
	bool ends_at_error;       /* the script ends at the first error */
	bool lasting_options;     /* there was an option that a reset may leave as it is */
	bool plain_options;       /* the same of one whose value can be set back: see mirror.c */
	bool stack_only;          /* only a program that got every command answers as it should */
	bool meaning_options;     /* there is an OPTION_MEANING */
	bool global_declarations; /* are on */
	bool initialized;         /* there was something else than options … */
	bool initialized_unsaid;  /* … that is not, or may not stay, among the items */
	bool pushed;              /* a push since the reset */
	uint64_t checks;          /* since the reset */
	enum verdict status;      /* what the script expects; VERDICT_NONE: it does not say */
	struct last_check last;
	struct built built;
};

/* Where a command starts in what a solver was sent, and where it stands in the script. */
struct span {
	uint64_t sent; /* line */
	long line, col;
	uint8_t option; /* enum option_kind */
	size_t item;    /* its number, counted from 1; 0: it is not one */
};

/* Invariant: unless stale, the solver's stack is the script's first `items` items with `pops` more levels on top, which
 * it has not been told to pop; the output of the script's first `shown` items has been shown. */
struct mirror {
	struct solver *solver; /* the caller's */
	size_t items, shown;
	uint64_t pops;
	bool stale;     /* it holds something else: reset first */
	bool checked;   /* its state is that after the script's last check-sat and what followed it */
	bool held;      /* the last of the pops is a level with the values of the last answer's model: see values.c */
	bool no_models; /* it does not print them */
	bool spoke;     /* something was printed about a command since the script's start */
	bool datatypes; /* a script had such declarations since the solver was started */
	bool options;   /* an earlier script had options that are to be set back */
	VEC(struct span) span;
	uint64_t parts;                /* marks that have been sent to it */
	uint64_t misses, states_asked; /* checks put to the solver; how many a question about its state followed */
};

struct side {
	struct solver second; /* for what would disturb the first; kind NULL: not needed yet */
	double seconds;       /* that such questions have taken */
	double saved_s;       /* that reused cores have saved */
	struct books cores;   /* of looking for cores */
	struct books models;  /* of fetching and keeping models */
	struct books lookups; /* of matching cores, and of keeping whole queries as such */
	double held_s;        /* that the last question with a model's values took */
	double whole_s;       /* per conjunct, that the last query kept as such took */
};

/* A set of digests; of whole queries that are unsat, by the digest of their text: see whole.c. */
struct wholes {
	VEC(struct digest256) digest;
	struct table index;
	bool ready; /* current is that of the script's query */
	struct digest256 current;
};

struct learnt {
	struct cache *cache;
	struct models *models; /* NULL: this mode keeps none */
	struct decide *decide; /* NULL: this mode has no stages of its own */
	struct wholes wholes;
	struct wholes silent; /* scripts about which the solver had nothing to say: see silent.c */
	struct store *store;  /* NULL: memory only */
	bool store_warned;
	double news_at;               /* when it is asked for news again */
	struct wholes shared, proved; /* cores that are in the store, by the digest of their text; those signed */
	struct digest256 scope;       /* of the store */
	struct sign_key key;          /* empty: none */
};

struct smt_session {
	struct smt_session_options o;
	struct script script;
	struct mirror mirror;
	struct side side;
	struct learnt learnt;
	struct solver_answer answer; /* to the last question put to the solver */
	struct printer printer;
	struct buf scratch;
	struct place {
		long line, col;
	} command, error; /* in the script: of the last command that starts with '(', and of the one in error last */
	bool after_error; /* the last command was answered with an error: up to the next '(' nothing is said */
	bool ended;       /* the script: nothing but the first said bytes of out is to be said */
	size_t said;
	/* results, for the caller */
	struct buf out, messages;
	VEC(struct smt_session_answer) answers;
	VEC(float) lookup_us;
	struct smt_session_stats stats;
};

/* session.c */
void session_reset(struct smt_session *s);
/* Has all of the script been understood? It is read without a cache too, to know what the solver must see. */
bool session_reading(const struct smt_session *s);
/* May what the script says now be cached? */
bool session_caching(const struct smt_session *s);
/* Does a query mean what SMT-LIB says it means? Else an option or an argument of the solver's may have changed the
 * meaning of operators, and only the solver can tell. */
bool session_standard(const struct smt_session *s);
/* Was the last command answered with an error? errors: how many there were before; what is still to be said of earlier
 * commands may come with its answer. */
bool session_failed(const struct smt_session *s, uint64_t errors);
/* Not what the script says the answer is: solvers complain about that. */
bool session_unexpected(const struct smt_session *s, enum verdict v);
/* Do most scripts ask for something of the solver's state after a question? One that was put to the solver alone is put
 * again then, so it has the stack from the start. */
bool session_asks_after(const struct smt_session *s);
const char *session_logic(const struct smt_session *s); /* NULL: none set */
double session_waited(const struct smt_session *s);     /* seconds spent waiting for solvers */
double session_timeout(const struct smt_session *s);    /* of the next question; 0: none */

/* mirror.c. RC_NO: the solver is gone; what it had is forgotten. */
/* Brings the solver's own stack up to date; errors it prints are shown. */
enum rc mirror_sync(struct smt_session *s, struct err *e);
/* Has the output of all commands so far been shown? If not, that is done now: the solver is brought up to date. What
 * this prints comes before what is answered next. Not RC_NO. */
enum rc mirror_settle(struct smt_session *s, struct err *e);
/* Sends one command to the up-to-date solver and shows its answer; keeps a copy in got unless NULL. */
enum rc mirror_pass(struct smt_session *s, const struct command *c, struct buf *got, struct err *e);
/* The same for a check-sat, to a solver that need not be up to date and is then; got is needed. An error ends
 * caching. */
enum rc mirror_ask(struct smt_session *s, const struct command *c, struct buf *got, struct err *e);
/* Sends a command that does not end, the script's last, and shows what the solver says. False: it could not be told. */
bool mirror_end(struct smt_session *s, const struct command *c);
/* Brings the solver into the state in which it would be had it answered every check-sat: it hears the script up to the
 * last one, that question, and what has followed. */
enum rc mirror_recheck(struct smt_session *s, struct err *e);
/* It is known whether the solver refused the first items: if it took an assertion since the last check-sat, the
 * state after that is gone. */
void mirror_judge(struct smt_session *s, size_t items);
/* There is no state to ask about any longer: the stack has changed. */
void mirror_state_gone(struct smt_session *s);
/* Sends text that is not of the script; what it prints is appended to got. */
enum rc mirror_send(struct smt_session *s, const char *text, size_t n, struct buf *got, struct err *e);
/* Appends the solver's text with the positions in its errors turned into those of the script. */
void mirror_show(struct smt_session *s, struct buf *out, const struct buf *text);
/* Cuts the script back to its first items; with global declarations, those that came later stay: returns how many. */
size_t mirror_truncate(struct smt_session *s, size_t items);
/* The solver has nothing of the script. */
void mirror_forget(struct mirror *m);
/* The question c as one script without pushes, assumptions as assertions, up to the check-sat. plainly: without options
 * that are more than plain, which the library would keep for all later questions. */
void mirror_question(struct smt_session *s, const struct command *c, bool plainly, struct buf *out);

/* side.c */
/* Which solver a question of our own goes to. */
struct solver *side_solver(struct smt_session *s);
/* How long one may take when the answer that it builds on took that many seconds. */
double side_limit(const struct smt_session *s, double seconds);
/* Do the books allow what is expected to cost that much? Those of cores and models share one loan. */
bool side_allow(const struct smt_session *s, const struct books *b, double expected);
enum rc side_ask(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e);
/* The same to find or prove a core, at the expense of its books. */
enum rc side_ask_core(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e);
/* The same of a process that is started for it and has seen nothing else. */
enum rc side_ask_fresh(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e);
/* How the core of an unsat answer to the current query is to be found. */
enum core_way {
	CORE_NONE,    /* not at all */
	CORE_TRACKED, /* by a question to the solver's own finder of cores */
	CORE_NAMED,   /* by a question that names every conjunct */
};
enum core_way side_core_way(const struct smt_session *s);
/* Is the question worth asking whether values agree with a query that such questions have answered before? */
bool side_held_pays(const struct smt_session *s);
/* Asks it, at the expense of the models' books; *sat: they do. */
enum rc side_ask_held(struct smt_session *s, const struct buf *text, bool *sat, struct err *e);

/* certain.c. The command has been taken by the reader (RC_OK): does every solver accept it without output? */
bool certain_statement(struct smt_session *s, const struct command *c);
bool certain_term(struct smt_session *s, uint32_t term);
bool certain_info(const struct sexpr *x);

/* commands.c */
/* The command has been taken. With :print-success it is confirmed, unless the solver prints something else; where an
 * error ends the script, it is looked for now. */
enum rc commands_success(struct smt_session *s, struct err *e);
/* Makes the command an item of the script; sure: every solver accepts it without output. */
struct item *commands_add(struct smt_session *s, const struct command *c, bool sure);
/* A command that is not kept, or a level that may go, after which options and a logic come too late. */
void commands_initialize(struct script *p);
/* Before such an option or logic: to a solver that hears the script again it comes too late as well. */
void commands_note_initialized(struct smt_session *s, const struct command *c);
/* Both, for a command after which options come too late. */
enum rc commands_keep(struct smt_session *s, const struct command *c, bool sure, struct err *e);
/* No caching until a reset, whatever is popped. */
void commands_give_up(struct script *p);
/* Asks about nothing but the stack, or nothing at all. */
enum rc commands_ask_stack(struct smt_session *s, const struct command *c, struct err *e);
/* Asks about the state after the last check-sat: the solver must have made that check. */
enum rc commands_ask_state(struct smt_session *s, const struct command *c, struct err *e);

/* settings.c */
enum rc settings_logic(struct smt_session *s, const struct command *c, struct err *e);
enum rc settings_option(struct smt_session *s, const struct command *c, struct err *e);
enum rc settings_info(struct smt_session *s, const struct command *c, struct err *e);
enum rc settings_get(struct smt_session *s, const struct command *c, struct err *e);
/* Appends a string without its quotes, doubled quotes single. */
void settings_string(struct buf *out, const struct sexpr *x, uint32_t node);

/* check.c */
enum rc check_sat(struct smt_session *s, const struct command *c, struct err *e);
/* Prints and counts a verdict; by: who gave it. */
void check_answer(struct smt_session *s, enum verdict v, const char *by);

/* reuse.c */
/* Answers the current query from what is learnt. RC_NO: it is not there. */
enum rc reuse_answer(struct smt_session *s, const struct command *c, struct err *e);

/* stages.c */
/* Asks the stages that look, or those that solve. RC_NO: not answered, or there are none. A sat answer has been
 * evaluated. */
enum rc stages_answer(struct smt_session *s, bool solve, struct decide_answer *a, struct err *e);
/* A core has answered the current query. */
void stages_unsat(struct smt_session *s);
/* Gives them the solver's answer, s->answer. */
void stages_learn(struct smt_session *s);

/* learn.c */
/* Keeps s->answer, the solver's to the current query. */
enum rc learn_answer(struct smt_session *s, struct err *e);
/* Keeps the conjuncts at these places as a core. proved: they have been shown to be unsat by themselves; number: of the
 * query. */
void learn_core(struct smt_session *s, const uint32_t *places, size_t n, bool proved, uint64_t number);
/* The places of conjuncts of the current query, which is unsat, that are to blame; *n is 0 if the solver cannot say. */
enum rc learn_blame(struct smt_session *s, uint32_t *out, size_t *n, struct err *e);
/* models_lookup for the current query; there must be models. */
enum rc learn_lookup(struct smt_session *s, unsigned how, const char **origin);
/* A script that has the solver name the conjuncts to blame starts with it. */
extern const char learn_core_option[];

/* terms.c. The current query as a question, up to the check-sat. */
void terms_question(struct smt_session *s, struct buf *out);

/* values.c */
enum rc values_get_value(struct smt_session *s, const struct command *c, struct err *e);
enum rc values_get_model(struct smt_session *s, const struct command *c, struct err *e);
/* For what only the solver can say of the model: it says it of ours, if there is one. */
enum rc values_ask(struct smt_session *s, const struct command *c, struct err *e);

/* The term's value in the model at hand; false: there is none. */
bool values_print(struct smt_session *s, uint32_t term, struct buf *out);
/* Assertions that hold every constant at its value in that model. */
void values_hold(struct smt_session *s, struct buf *out);

/* store.c. Without a store these do nothing. */
enum rc stored_open(struct smt_session *s, struct err *e);
/* Digests: kind 'w' of whole queries (whole.c), 's' of silent scripts (silent.c). */
bool stored_has(struct smt_session *s, char kind, const struct digest256 *d);
void stored_add(struct smt_session *s, char kind, const struct digest256 *d);
void stored_add_core(struct smt_session *s, const struct core *c);
/* The core has been proved: others who have the key need not do that again. */
void stored_proved(struct smt_session *s, const struct core *c);
/* Takes over what other processes have learnt. */
void stored_news(struct smt_session *s);
void stored_add_model(struct smt_session *s);

/* explain.c */
void explain_core(struct smt_session *s, const struct cache_hit *hit);
/* confirmed: by the solver, else by our evaluator. */
void explain_model(struct smt_session *s, const char *origin, bool confirmed);
void explain_whole(struct smt_session *s);
void explain_stage(struct smt_session *s, const struct decide_answer *a);
/* Writes the query that --verify found answered in two ways; always an error. */
enum rc explain_difference(struct smt_session *s, const struct command *c, enum verdict reused, enum verdict asked,
			   struct err *e);

bool wholes_has(const struct wholes *w, const struct digest256 *d);
void wholes_add(struct wholes *w, const struct digest256 *d);

/* silent.c */
/* The solver has had nothing to say about exactly these commands before. */
bool silent_known(struct smt_session *s);
/* It had nothing to say about them now. */
void silent_learn(struct smt_session *s);

/* whole.c */
/* The solver has said unsat to the current query before. */
bool whole_known(struct smt_session *s);
/* It did now. */
void whole_learn(struct smt_session *s);

#endif
