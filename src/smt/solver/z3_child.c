/* SPDX-License-Identifier: MIT */
/* The child that has libz3 loaded. A query is parsed into terms and solved; models are read through the API
 * (z3_model.c); cores come from a solver whose assertions are tracked one by one, within a limit of z3's own resource
 * count. A verdict alone comes from the solver that z3 itself would take for the logic, so answers and times are those
 * of the z3 program; where there is a cache to fill the general solver may go first. Everything else goes through z3's
 * command interpreter. */
#include "smt/solver/z3_child.h"

#include "data/buf.h"
#include "data/table.h"
#include "data/vec.h"
#include "smt/solver/books.h"
#include "smt/solver/exchange.h"
#include "smt/solver/solver.h"
#include "smt/solver/z3_api.h"
#include "smt/solver/z3_model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void quiet(Z3_context c, Z3_error_code e)
{
	(void)c, (void)e;
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct child {
	Z3_context query, eval, cores;
	struct buf text, model;
	VEC(uint32_t) core;
	VEC(Z3_ast) flat, todo;
	VEC(Z3_ast) track;    /* the literal of each of flat, while the tracked solver is asked */
	struct table tracked; /* their declarations' ids → places in track */
	VEC(uint32_t) opened; /* ids of conjunctions already opened */
	struct table opened_index;
	uint64_t conjuncts;
	struct books general; /* of asking the general solver first */
	uint64_t eligible;    /* questions for which that was possible */
};

static Z3_context new_context(void)
{
	Z3_context c = z3.mk_context_rc(z3.mk_config());
	z3.set_error_handler(c, quiet);
	return c;
}

/* ---- cores */

static uint32_t decl_id(Z3_context c, Z3_func_decl d)
{
	return z3.get_ast_id(c, z3.func_decl_to_ast(c, d));
}

/* Which conjunct's literal has this declaration; TABLE_NONE: none's. */
static uint32_t tracked_place(struct child *ch, Z3_context c, Z3_func_decl d)
{
	uint32_t k, id = decl_id(c, d);
	for (struct table_probe p = table_probe(&ch->tracked, id); (k = table_next(&ch->tracked, &p)) != TABLE_NONE;)
		if (decl_id(c, z3.get_app_decl(c, z3.to_app(c, ch->track.at[k]))) == id)
			break;
	return k;
}

static bool opened_before(struct child *ch, uint32_t id)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&ch->opened_index, id);
	     (r = table_next(&ch->opened_index, &p)) != TABLE_NONE;)
		if (ch->opened.at[r] == id)
			return true;
	vec_push(&ch->opened, id);
	table_insert(&ch->opened_index, id, (uint32_t)ch->opened.n - 1);
	return false;
}

/* The conjuncts in the order in which query.c counts them. */
static void flatten(struct child *ch, Z3_context c, Z3_ast_vector v)
{
	vec_clear(&ch->flat);
	vec_clear(&ch->todo);
	vec_clear(&ch->opened);
	table_clear(&ch->opened_index);
	for (unsigned i = z3.ast_vector_size(c, v); i-- > 0;)
		vec_push(&ch->todo, z3.ast_vector_get(c, v, i));
	while (ch->todo.n) {
		Z3_ast a = vec_pop(&ch->todo);
		if (z3.get_ast_kind(c, a) == Z3_APP_AST &&
		    z3.get_decl_kind(c, z3.get_app_decl(c, z3.to_app(c, a))) == Z3_OP_AND) {
			if (opened_before(ch, z3.get_ast_id(c, a)))
				continue;
			for (unsigned k = z3.get_app_num_args(c, z3.to_app(c, a)); k-- > 0;)
				vec_push(&ch->todo, z3.get_app_arg(c, z3.to_app(c, a), k));
		} else {
			vec_push(&ch->flat, a);
		}
	}
}

enum { FIRST_RLIMIT = 1000000, CORE_RLIMIT = 20000000 };
/* Of the questions that may go to the general solver first, one in so many does not, to see what that costs. */
enum { SAMPLE = 8 };

static void set_limits(Z3_context c, Z3_solver s, uint32_t timeout_ms, uint32_t rlimit)
{
	if (!timeout_ms && !rlimit)
		return;
	Z3_params p = z3.mk_params(c);
	z3.params_inc_ref(c, p);
	if (timeout_ms)
		z3.params_set_uint(c, p, z3.mk_string_symbol(c, "timeout"), timeout_ms);
	if (rlimit)
		z3.params_set_uint(c, p, z3.mk_string_symbol(c, "rlimit"), rlimit);
	z3.solver_set_params(c, s, p);
	z3.params_dec_ref(c, p);
}

static void read_core(struct child *ch, Z3_context c, Z3_solver s)
{
	Z3_ast_vector core = z3.solver_get_unsat_core(c, s);
	z3.ast_vector_inc_ref(c, core);
	ch->conjuncts = ch->flat.n;
	for (unsigned i = 0; i < z3.ast_vector_size(c, core); i++) {
		uint32_t k = tracked_place(ch, c, z3.get_app_decl(c, z3.to_app(c, z3.ast_vector_get(c, core, i))));
		if (k != TABLE_NONE)
			vec_push(&ch->core, k);
	}
	z3.ast_vector_dec_ref(c, core);
}

/* The tracked solver: every conjunct has a literal of its own, so that an unsat answer comes with its core. In a
 * context of its own: terms that the solver of a logic made in its context put those of the query in another order,
 * and the same question took fifteen times as long (seen on pcre). timeout_ms 0: no limit but that of z3's resource
 * count. */
static void ask_tracked(struct child *ch, const char *text, uint32_t timeout_ms, struct z3_reply *r)
{
	if (!ch->cores)
		ch->cores = new_context();
	Z3_context c = ch->cores;
	Z3_ast_vector v = z3.parse_smtlib2_string(c, text, 0, NULL, NULL, 0, NULL, NULL);
	if (z3.get_error_code(c) != Z3_OK || !v)
		return;
	z3.ast_vector_inc_ref(c, v);
	Z3_solver s = z3.mk_simple_solver(c);
	z3.solver_inc_ref(c, s);
	set_limits(c, s, timeout_ms, CORE_RLIMIT);
	flatten(ch, c, v);
	Z3_sort boolean = z3.mk_bool_sort(c);
	for (size_t i = 0; i < ch->flat.n; i++) {
		Z3_ast t = z3.mk_fresh_const(c, "rf", boolean);
		z3.inc_ref(c, t);
		table_insert(&ch->tracked, decl_id(c, z3.get_app_decl(c, z3.to_app(c, t))), (uint32_t)ch->track.n);
		vec_push(&ch->track, t);
		z3.solver_assert_and_track(c, s, ch->flat.at[i], t);
	}
	if (z3.solver_check(c, s) == Z3_L_FALSE)
		read_core(ch, c, s);
	r->checks++;
	while (ch->track.n)
		z3.dec_ref(c, vec_pop(&ch->track));
	table_clear(&ch->tracked);
	z3.solver_dec_ref(c, s);
	z3.ast_vector_dec_ref(c, v);
}

/* ---- requests */

static Z3_solver solver_for(Z3_context c, const char *logic)
{
	Z3_solver s = NULL;
	if (*logic) {
		s = z3.mk_solver_for_logic(c, z3.mk_string_symbol(c, logic));
		if (z3.get_error_code(c) != Z3_OK)
			s = NULL;
	}
	return s ? s : z3.mk_solver(c);
}

/* z3's general solver answers some streams of questions much sooner than the solver for their logic, some of them a
 * hundred times sooner, and others later. It goes first, within a small limit, while that pays. */
static bool general_first(struct child *ch, const struct z3_request *q)
{
	if (!(q->want & WANT_GENERAL))
		return false;
	uint64_t k = ch->eligible++;
	return k >= 2 && k % SAMPLE && books_allow(&ch->general, 0);
}

static enum verdict verdict_of(Z3_lbool b)
{
	return b == Z3_L_TRUE ? VERDICT_SAT : b == Z3_L_FALSE ? VERDICT_UNSAT : VERDICT_UNKNOWN;
}

/* A request being answered: its assertions, and since when. */
struct task {
	const struct z3_request *q;
	Z3_ast_vector v;
	struct z3_reply *r;
};

/* Puts the assertions to a new solver. */
static Z3_lbool ask_plain(struct child *ch, const struct task *t, Z3_solver s, uint32_t rlimit)
{
	Z3_context c = ch->query;
	Z3_ast_vector v = t->v;
	z3.solver_inc_ref(c, s);
	/* the limit is for each solver by itself: what is tried first must not cost the answer */
	set_limits(c, s, t->q->timeout_ms, rlimit);
	for (unsigned i = 0; i < z3.ast_vector_size(c, v); i++)
		z3.solver_assert(c, s, z3.ast_vector_get(c, v, i));
	Z3_lbool b = z3.solver_check(c, s);
	if (z3.get_error_code(c) != Z3_OK)
		b = Z3_L_UNDEF;
	t->r->checks++;
	t->r->verdict = verdict_of(b);
	if (b == Z3_L_TRUE && (t->q->want & WANT_MODEL)) {
		double start = cpu_seconds();
		z3_model_read(c, s, &ch->model);
		t->r->model_s = cpu_seconds() - start;
	}
	z3.solver_dec_ref(c, s);
	return b;
}

static void run_query(struct child *ch, const struct z3_request *q, const char *logic, const char *text,
		      struct z3_reply *r)
{
	if (q->want & WANT_CORE) {
		ask_tracked(ch, text, q->timeout_ms, r);
		r->verdict = ch->conjuncts ? VERDICT_UNSAT : VERDICT_UNKNOWN;
		return;
	}
	if (!ch->query)
		ch->query = new_context();
	Z3_context c = ch->query;
	Z3_ast_vector v = z3.parse_smtlib2_string(c, text, 0, NULL, NULL, 0, NULL, NULL);
	if (z3.get_error_code(c) != Z3_OK || !v) {
		r->failed = 1;
		return;
	}
	z3.ast_vector_inc_ref(c, v);
	struct task t = {q, v, r};
	Z3_lbool b = Z3_L_UNDEF;
	double start = cpu_seconds();
	if (general_first(ch, q)) {
		b = ask_plain(ch, &t, z3.mk_simple_solver(c), FIRST_RLIMIT);
		books_spend(&ch->general, cpu_seconds() - start);
		if (b != Z3_L_UNDEF)
			books_save(&ch->general);
		start = cpu_seconds();
	}
	if (b == Z3_L_UNDEF) {
		ask_plain(ch, &t, solver_for(c, logic), 0);
		if (q->want & WANT_GENERAL)
			books_work(&ch->general, cpu_seconds() - start);
	}
	z3.ast_vector_dec_ref(c, v);
}

static void run_eval(struct child *ch, const char *text)
{
	if (!ch->eval)
		ch->eval = new_context();
	const char *out = z3.eval_smtlib2_string(ch->eval, text);
	if (out)
		buf_str_add(&ch->text, out);
}

/* Nobody to answer: the parent is gone. */
static void reply(int fd, const void *p, size_t n)
{
	if (!write_all(fd, p, n))
		_exit(0);
}

static void serve(struct child *ch, int in, int out)
{
	struct z3_request q;
	struct buf text = {0};
	while (read_all(in, &q, sizeof q)) {
		buf_clear(&text);
		vec_reserve(&text, (size_t)q.logic_len + q.text_len + 2);
		if (!read_all(in, text.at, q.logic_len) || !read_all(in, text.at + q.logic_len + 1, q.text_len))
			return;
		text.at[q.logic_len] = 0;
		text.at[q.logic_len + 1 + q.text_len] = 0;
		buf_clear(&ch->text);
		buf_clear(&ch->model);
		vec_clear(&ch->core);
		ch->conjuncts = 0;
		struct z3_reply r = {0};
		double start = cpu_seconds();
		if (q.op == Z3_QUERY)
			run_query(ch, &q, text.at, text.at + q.logic_len + 1, &r);
		else
			run_eval(ch, text.at + q.logic_len + 1);
		r.cpu_s = cpu_seconds() - start;
		r.text_len = ch->text.n;
		r.model_len = ch->model.n;
		r.core_n = (uint32_t)ch->core.n;
		r.conjuncts = ch->conjuncts;
		reply(out, &r, sizeof r);
		reply(out, ch->text.at, ch->text.n);
		reply(out, ch->model.at, ch->model.n);
		reply(out, ch->core.at, ch->core.n * sizeof *ch->core.at);
	}
}

_Noreturn void z3_child_run(int in, int out, uint32_t memory_mb)
{
	struct child ch = {0};
	if (!z3_api_load())
		_exit(Z3_NO_LIBRARY);
	if (memory_mb) {
		char mb[16];
		snprintf(mb, sizeof mb, "%u", memory_mb);
		z3.global_param_set("memory_max_size", mb);
	}
	serve(&ch, in, out);
	_exit(0);
}
