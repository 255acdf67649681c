/* The child that has libz3 loaded. A query is parsed into terms and solved by the solver z3 itself would take for the
 * logic, so answers and times are those of the z3 program; models are read through the API, which costs far
 * less than printing them, and cores come from a second solver whose assertions are tracked one by one, within a limit
 * of z3's own resource count. Everything else goes through z3's command interpreter. */
#include "smt/z3_child.h"

#include "core/buf.h"
#include "smt/print.h"
#include "smt/solver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <z3.h>

#define Z3_FUNCTIONS(X)                                                                                                 \
	X(mk_config) X(mk_context_rc) X(set_error_handler) X(get_error_code) X(global_param_set)                          \
	X(parse_smtlib2_string) X(eval_smtlib2_string) X(ast_vector_inc_ref) X(ast_vector_dec_ref) X(ast_vector_size)   \
	X(ast_vector_get) X(mk_solver) X(mk_solver_for_logic) X(mk_simple_solver) X(solver_inc_ref) X(solver_dec_ref)   \
	X(solver_assert) X(solver_assert_and_track) X(solver_check) X(solver_get_model) X(solver_get_unsat_core)        \
	X(solver_set_params) X(mk_params) X(params_inc_ref) X(params_dec_ref) X(params_set_uint) X(mk_string_symbol)    \
	X(model_inc_ref) X(model_dec_ref) X(model_get_num_consts) X(model_get_const_decl) X(model_get_const_interp)     \
	X(model_get_num_funcs) X(get_decl_name) X(get_symbol_kind) X(get_symbol_string) X(get_ast_kind) X(get_app_decl) X(get_decl_kind)  \
	X(get_app_num_args) X(get_app_arg) X(to_app) X(is_numeral_ast) X(get_sort) X(get_sort_kind) X(get_bv_sort_size) \
	X(get_numeral_uint64) X(get_numeral_string) X(get_ast_id) X(mk_fresh_const) X(mk_bool_sort) X(get_bool_value) \
	X(inc_ref) X(dec_ref)

static struct {
#define X(f) __typeof__(Z3_##f) *f;
	Z3_FUNCTIONS(X)
#undef X
} z3;

static void *open_library(void)
{
	void *lib = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
	return lib ? lib : dlopen("libz3.so", RTLD_NOW | RTLD_LOCAL);
}

static bool load(void)
{
	void *lib = open_library();
	if (!lib)
		return false;
#define X(f)                                                                                                            \
	if (!(*(void **)&z3.f = dlsym(lib, "Z3_" #f)))                                                                  \
		return false;
	Z3_FUNCTIONS(X)
#undef X
	return true;
}

static void quiet(Z3_context c, Z3_error_code e)
{
	(void)c, (void)e;
}

struct child {
	Z3_context query, eval, cores;
	struct buf text, model;
	VEC(uint32_t) core;
	VEC(Z3_ast) flat, track, todo;
	VEC(uint32_t) opened; /* ids of conjunctions already opened */
	struct table opened_index;
	uint64_t conjuncts;
};

static Z3_context new_context(void)
{
	Z3_context c = z3.mk_context_rc(z3.mk_config());
	z3.set_error_handler(c, quiet);
	return c;
}

/* ---- models: booleans, bit-vectors, arrays of them; others make the model unusable */

static bool print_literal(Z3_context c, struct buf *out, Z3_ast a)
{
	uint64_t u;
	Z3_sort s = z3.get_sort(c, a);
	Z3_sort_kind kind = z3.get_sort_kind(c, s);
	if (kind == Z3_BOOL_SORT) {
		Z3_lbool b = z3.get_bool_value(c, a);
		buf_str_add(out, b == Z3_L_TRUE ? "true" : "false");
		return b != Z3_L_UNDEF;
	}
	if (kind != Z3_BV_SORT || !z3.is_numeral_ast(c, a))
		return false;
	unsigned w = z3.get_bv_sort_size(c, s);
	if (w <= 64 && z3.get_numeral_uint64(c, a, &u)) {
		buf_str_add(out, w % 4 ? "#b" : "#x");
		for (unsigned step = w % 4 ? 1 : 4, at = w; at > 0;) {
			at -= step;
			buf_char(out, "0123456789abcdef"[u >> at & ((1u << step) - 1)]);
		}
	} else {
		buf_printf(out, "(_ bv%s %u)", z3.get_numeral_string(c, a), w);
	}
	return true;
}

static bool print_array(struct child *ch, Z3_context c, struct buf *out, Z3_ast a)
{
	vec_clear(&ch->todo);
	while (z3.get_ast_kind(c, a) == Z3_APP_AST && z3.get_decl_kind(c, z3.get_app_decl(c, z3.to_app(c, a))) == Z3_OP_STORE &&
	       z3.get_app_num_args(c, z3.to_app(c, a)) == 3) {
		vec_push(&ch->todo, a);
		a = z3.get_app_arg(c, z3.to_app(c, a), 0);
		buf_str_add(out, "(store ");
	}
	if (z3.get_ast_kind(c, a) != Z3_APP_AST || z3.get_decl_kind(c, z3.get_app_decl(c, z3.to_app(c, a))) != Z3_OP_CONST_ARRAY)
		return false;
	buf_str_add(out, "((as const (Array I E)) ");
	if (!print_literal(c, out, z3.get_app_arg(c, z3.to_app(c, a), 0)))
		return false;
	buf_char(out, ')');
	while (ch->todo.n) {
		Z3_app s = z3.to_app(c, vec_pop(&ch->todo));
		buf_char(out, ' ');
		if (!print_literal(c, out, z3.get_app_arg(c, s, 1)))
			return false;
		buf_char(out, ' ');
		if (!print_literal(c, out, z3.get_app_arg(c, s, 2)))
			return false;
		buf_char(out, ')');
	}
	return true;
}

static bool print_value(struct child *ch, Z3_context c, struct buf *out, Z3_ast a)
{
	if (z3.get_sort_kind(c, z3.get_sort(c, a)) == Z3_ARRAY_SORT)
		return print_array(ch, c, out, a);
	return print_literal(c, out, a);
}

static void read_model(struct child *ch, Z3_context c, Z3_solver s)
{
	Z3_model m = z3.solver_get_model(c, s);
	if (!m)
		return;
	z3.model_inc_ref(c, m);
	bool ok = z3.model_get_num_funcs(c, m) == 0;
	unsigned n = z3.model_get_num_consts(c, m);
	/* a model of a formula without variables says something too */
	buf_str_add(&ch->model, "\n");
	for (unsigned i = 0; i < n && ok; i++) {
		Z3_func_decl d = z3.model_get_const_decl(c, m, i);
		Z3_symbol name = z3.get_decl_name(c, d);
		Z3_ast a = z3.model_get_const_interp(c, m, d);
		ok = a && z3.get_symbol_kind(c, name) == Z3_STRING_SYMBOL;
		if (!ok)
			break;
		buf_str_add(&ch->model, "(define-fun ");
		const char *text = z3.get_symbol_string(c, name);
		size_t len = strlen(text);
		bool bars = len > 1 && text[0] == '|' && text[len - 1] == '|';
		if (bars)
			buf_add(&ch->model, text, len);
		else
			print_symbol(&ch->model, text, len);
		buf_str_add(&ch->model, " () S ");
		ok = print_value(ch, c, &ch->model, a);
		buf_str_add(&ch->model, ")\n");
	}
	if (!ok)
		buf_clear(&ch->model);
	z3.model_dec_ref(c, m);
}

/* ---- cores */

static bool opened_before(struct child *ch, uint32_t id)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&ch->opened_index, id); (r = table_next(&ch->opened_index, &p)) != TABLE_NONE;)
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
		if (z3.get_ast_kind(c, a) == Z3_APP_AST && z3.get_decl_kind(c, z3.get_app_decl(c, z3.to_app(c, a))) == Z3_OP_AND) {
			if (opened_before(ch, z3.get_ast_id(c, a)))
				continue;
			for (unsigned k = z3.get_app_num_args(c, z3.to_app(c, a)); k-- > 0;)
				vec_push(&ch->todo, z3.get_app_arg(c, z3.to_app(c, a), k));
		} else {
			vec_push(&ch->flat, a);
		}
	}
}

enum { CORE_RLIMIT = 20000000 };

/* In a context of its own: terms that the first solver made in its context put those of the query in another order, and the same
 * question took fifteen times as long (seen on pcre). */
static void find_core(struct child *ch, const char *text)
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
	Z3_params p = z3.mk_params(c);
	z3.params_inc_ref(c, p);
	z3.params_set_uint(c, p, z3.mk_string_symbol(c, "rlimit"), CORE_RLIMIT);
	z3.solver_set_params(c, s, p);
	z3.params_dec_ref(c, p);
	flatten(ch, c, v);
	vec_clear(&ch->track);
	Z3_sort boolean = z3.mk_bool_sort(c);
	for (size_t i = 0; i < ch->flat.n; i++) {
		Z3_ast t = z3.mk_fresh_const(c, "rf", boolean);
		z3.inc_ref(c, t);
		vec_push(&ch->track, t);
		z3.solver_assert_and_track(c, s, ch->flat.at[i], t);
	}
	if (z3.solver_check(c, s) == Z3_L_FALSE) {
		Z3_ast_vector core = z3.solver_get_unsat_core(c, s);
		z3.ast_vector_inc_ref(c, core);
		ch->conjuncts = ch->flat.n;
		for (unsigned i = 0; i < z3.ast_vector_size(c, core); i++) {
			Z3_ast t = z3.ast_vector_get(c, core, i);
			for (size_t k = 0; k < ch->track.n; k++)
				if (ch->track.at[k] == t)
					vec_push(&ch->core, (uint32_t)k);
		}
		z3.ast_vector_dec_ref(c, core);
	}
	while (ch->track.n)
		z3.dec_ref(c, vec_pop(&ch->track));
	z3.solver_dec_ref(c, s);
	z3.ast_vector_dec_ref(c, v);
}

/* ---- the two kinds of request */

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

static void set_timeout(Z3_context c, Z3_solver s, uint32_t ms)
{
	if (!ms)
		return;
	Z3_params p = z3.mk_params(c);
	z3.params_inc_ref(c, p);
	z3.params_set_uint(c, p, z3.mk_string_symbol(c, "timeout"), ms);
	z3.solver_set_params(c, s, p);
	z3.params_dec_ref(c, p);
}

static void run_query(struct child *ch, const struct z3_request *q, const char *logic, const char *text, struct z3_reply *r)
{
	if (!ch->query)
		ch->query = new_context();
	Z3_context c = ch->query;
	Z3_ast_vector v = z3.parse_smtlib2_string(c, text, 0, NULL, NULL, 0, NULL, NULL);
	if (z3.get_error_code(c) != Z3_OK || !v) {
		r->failed = 1;
		return;
	}
	z3.ast_vector_inc_ref(c, v);
	Z3_solver s = solver_for(c, logic);
	z3.solver_inc_ref(c, s);
	set_timeout(c, s, q->timeout_ms);
	for (unsigned i = 0; i < z3.ast_vector_size(c, v); i++)
		z3.solver_assert(c, s, z3.ast_vector_get(c, v, i));
	Z3_lbool b = z3.solver_check(c, s);
	if (z3.get_error_code(c) != Z3_OK)
		b = Z3_L_UNDEF;
	r->verdict = b == Z3_L_TRUE ? VERDICT_SAT : b == Z3_L_FALSE ? VERDICT_UNSAT : VERDICT_UNKNOWN;
	if (b == Z3_L_TRUE && (q->want & WANT_MODEL))
		read_model(ch, c, s);
	if (b == Z3_L_FALSE && (q->want & WANT_CORE))
		find_core(ch, text);
	z3.solver_dec_ref(c, s);
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

static bool read_all(int fd, void *p, size_t n)
{
	for (char *at = p; n;) {
		ssize_t k = read(fd, at, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

static void write_all(int fd, const void *p, size_t n)
{
	for (const char *at = p; n;) {
		ssize_t k = write(fd, at, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			_exit(0);
		at += k;
		n -= (size_t)k;
	}
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
		if (q.op == Z3_QUERY)
			run_query(ch, &q, text.at, text.at + q.logic_len + 1, &r);
		else
			run_eval(ch, text.at + q.logic_len + 1);
		r.text_len = ch->text.n;
		r.model_len = ch->model.n;
		r.core_n = (uint32_t)ch->core.n;
		r.conjuncts = ch->conjuncts;
		write_all(out, &r, sizeof r);
		write_all(out, ch->text.at, ch->text.n);
		write_all(out, ch->model.at, ch->model.n);
		write_all(out, ch->core.at, ch->core.n * sizeof *ch->core.at);
	}
}

_Noreturn void z3_child_run(int in, int out, uint32_t memory_mb)
{
	struct child ch = {0};
	if (!load())
		_exit(Z3_NO_LIBRARY);
	if (memory_mb) {
		char mb[16];
		snprintf(mb, sizeof mb, "%u", memory_mb);
		z3.global_param_set("memory_max_size", mb);
	}
	serve(&ch, in, out);
	_exit(0);
}
