/* SPDX-License-Identifier: MIT */
/* The functions of libz3 that we call, found when they are needed: refrain runs without the library. */
#ifndef SMT_SOLVER_Z3_API_H
#define SMT_SOLVER_Z3_API_H

#include <stdbool.h>
#include <z3.h>

/* A list of calls, which the formatter cannot lay out. */
/* clang-format off */
#define Z3_FUNCTIONS(X) \
	X(mk_config) X(mk_context_rc) X(set_error_handler) X(get_error_code) X(global_param_set) \
	X(parse_smtlib2_string) X(eval_smtlib2_string) X(ast_vector_inc_ref) X(ast_vector_dec_ref) \
	X(ast_vector_size) X(ast_vector_get) X(mk_solver) X(mk_solver_for_logic) X(mk_simple_solver) \
	X(solver_inc_ref) X(solver_dec_ref) X(solver_assert) X(solver_assert_and_track) X(solver_check) \
	X(solver_get_model) X(solver_get_unsat_core) X(solver_set_params) X(mk_params) X(params_inc_ref) \
	X(params_dec_ref) X(params_set_uint) X(mk_string_symbol) X(model_inc_ref) X(model_dec_ref) \
	X(model_get_num_consts) X(model_get_const_decl) X(model_get_const_interp) X(model_get_num_funcs) \
	X(get_decl_name) X(get_symbol_kind) X(get_symbol_string) X(get_ast_kind) X(get_app_decl) \
	X(get_decl_kind) X(get_app_num_args) X(get_app_arg) X(to_app) X(is_numeral_ast) X(get_sort) \
	X(get_sort_kind) X(get_bv_sort_size) X(get_numeral_uint64) X(get_numeral_string) X(get_ast_id) \
	X(mk_fresh_const) X(mk_bool_sort) X(get_bool_value) X(inc_ref) X(dec_ref) X(func_decl_to_ast) \
	X(set_ast_print_mode) X(model_to_string)
/* clang-format on */

/* z3.mk_config is Z3_mk_config, and so on; valid after z3_api_load. */
struct z3_api {
#define X(f) __typeof__(Z3_##f) *f;
	Z3_FUNCTIONS(X)
#undef X
};

extern struct z3_api z3;

/* False: there is no such library, or it lacks a function. */
bool z3_api_load(void);

#endif
