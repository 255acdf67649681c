/* SPDX-License-Identifier: MIT */
/* Models of bit-vectors and arrays are read through z3's API, which costs far less than having them printed; all others
 * are printed. */
#include "smt/solver/z3_model.h"

#include "data/vec.h"
#include "smt/term/print.h"
#include "smt/solver/z3_api.h"

#include <string.h>

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

static bool is_app_of(Z3_context c, Z3_ast a, Z3_decl_kind kind)
{
	return z3.get_ast_kind(c, a) == Z3_APP_AST && z3.get_decl_kind(c, z3.get_app_decl(c, z3.to_app(c, a))) == kind;
}

static bool print_array(Z3_context c, struct buf *out, Z3_ast a)
{
	VEC(Z3_app) stores = {0};
	for (; is_app_of(c, a, Z3_OP_STORE) && z3.get_app_num_args(c, z3.to_app(c, a)) == 3;
	     a = z3.get_app_arg(c, z3.to_app(c, a), 0)) {
		vec_push(&stores, z3.to_app(c, a));
		buf_str_add(out, "(store ");
	}
	buf_str_add(out, "((as const (Array I E)) ");
	bool ok = is_app_of(c, a, Z3_OP_CONST_ARRAY) && print_literal(c, out, z3.get_app_arg(c, z3.to_app(c, a), 0));
	buf_char(out, ')');
	while (ok && stores.n) {
		Z3_app s = vec_pop(&stores);
		buf_char(out, ' ');
		ok = print_literal(c, out, z3.get_app_arg(c, s, 1));
		buf_char(out, ' ');
		ok = ok && print_literal(c, out, z3.get_app_arg(c, s, 2));
		buf_char(out, ')');
	}
	vec_release(&stores);
	return ok;
}

static bool print_value(Z3_context c, struct buf *out, Z3_ast a)
{
	if (z3.get_sort_kind(c, z3.get_sort(c, a)) == Z3_ARRAY_SORT)
		return print_array(c, out, a);
	return print_literal(c, out, a);
}

void z3_model_read(Z3_context c, Z3_solver s, struct buf *out)
{
	Z3_model m = z3.solver_get_model(c, s);
	if (!m)
		return;
	z3.model_inc_ref(c, m);
	bool ok = z3.model_get_num_funcs(c, m) == 0;
	unsigned n = z3.model_get_num_consts(c, m);
	/* a model of a formula without variables says something too */
	buf_str_add(out, "\n");
	for (unsigned i = 0; i < n && ok; i++) {
		Z3_func_decl d = z3.model_get_const_decl(c, m, i);
		Z3_symbol name = z3.get_decl_name(c, d);
		Z3_ast a = z3.model_get_const_interp(c, m, d);
		ok = a && z3.get_symbol_kind(c, name) == Z3_STRING_SYMBOL;
		if (!ok)
			break;
		buf_str_add(out, "(define-fun ");
		const char *text = z3.get_symbol_string(c, name);
		size_t len = strlen(text);
		bool bars = len > 1 && text[0] == '|' && text[len - 1] == '|';
		if (bars)
			buf_add(out, text, len);
		else
			print_symbol(out, text, len);
		buf_str_add(out, " () S ");
		ok = print_value(c, out, a);
		buf_str_add(out, ")\n");
	}
	if (!ok) {
		buf_clear(out);
		z3.set_ast_print_mode(c, Z3_PRINT_SMTLIB2_COMPLIANT);
		const char *text = z3.model_to_string(c, m);
		if (text && z3.get_error_code(c) == Z3_OK)
			buf_str_add(out, text);
	}
	z3.model_dec_ref(c, m);
}
