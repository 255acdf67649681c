/* SPDX-License-Identifier: MIT */
/* The part of <refrain/smt.h> that has no text: calls of terms.h, with the errors of the public headers. */
#include "smt/session/library.h"

#include "data/library.h"
#include "smt/session/terms.h"

/* The session, ready for terms. A logic that is not known was refused when s was made. */
static struct smt_session *ready(rf_smt *s)
{
	struct err none = ERR_INIT;
	if (!terms_begun(s->session))
		terms_begin(s->session, s->logic, &none);
	return s->session;
}

rf_sort rf_smt_sort(rf_smt *s, const char *name)
{
	return terms_sort(ready(s), name);
}

rf_sort rf_smt_bits(rf_smt *s, unsigned width)
{
	return terms_sort_bits(ready(s), width);
}

rf_sort rf_smt_array(rf_smt *s, rf_sort index, rf_sort element)
{
	return terms_sort_array(ready(s), index, element);
}

rf_term rf_smt_constant(rf_smt *s, const char *name, rf_sort sort)
{
	return terms_constant(ready(s), name, sort);
}

rf_status rf_smt_function(rf_smt *s, const char *name, size_t n, const rf_sort *arguments, rf_sort result, rf_error *e)
{
	struct err err = ERR_INIT;
	enum rc rc = terms_function(ready(s), name, arguments, n, result)
			     ? RC_OK
			     : err_set(&err, RC_INPUT, "cannot declare the function '%s'", name);
	return library_status(rc, &err, e);
}

rf_term rf_smt_number(rf_smt *s, uint64_t value, unsigned width)
{
	return terms_number(ready(s), value, width);
}

rf_term rf_smt_term(rf_smt *s, const char *text)
{
	return terms_text(ready(s), text);
}

rf_term rf_smt_apply(rf_smt *s, const char *op, size_t n, const rf_term *arguments)
{
	return terms_apply(ready(s), op, arguments, n);
}

rf_status rf_smt_push(rf_smt *s, rf_error *e)
{
	terms_push(ready(s));
	return library_status(RC_OK, NULL, e);
}

rf_status rf_smt_pop(rf_smt *s, size_t levels, rf_error *e)
{
	struct err err = ERR_INIT;
	return library_status(terms_pop(ready(s), levels, &err), &err, e);
}

rf_status rf_smt_assert(rf_smt *s, rf_term formula, rf_error *e)
{
	struct err err = ERR_INIT;
	return library_status(terms_assert(ready(s), formula, &err), &err, e);
}

void rf_smt_reset(rf_smt *s)
{
	smt_session_begin(s->session, "-");
}

rf_status rf_smt_check(rf_smt *s, const rf_term *assumptions, size_t n, rf_smt_verdict *answer, rf_error *e)
{
	struct err err = ERR_INIT;
	struct pipe_guard g;
	enum verdict v;
	guard_begin(&g);
	enum rc rc = terms_check(ready(s), assumptions, n, &v, &err);
	guard_end(&g);
	buf_clear(smt_session_messages(s->session));
	*answer = v == VERDICT_SAT ? RF_SMT_SAT : v == VERDICT_UNSAT ? RF_SMT_UNSAT : RF_SMT_UNKNOWN;
	return library_status(rc, &err, e);
}

const char *rf_smt_value(rf_smt *s, rf_term term, rf_error *e)
{
	struct err err = ERR_INIT;
	struct pipe_guard g;
	const char *value;
	guard_begin(&g);
	enum rc rc = terms_value(ready(s), term, &value, &err);
	guard_end(&g);
	library_status(rc, &err, e);
	return value;
}

rf_status rf_smt_core(rf_smt *s, const rf_term **core, size_t *n, rf_error *e)
{
	struct err err = ERR_INIT;
	struct pipe_guard g;
	guard_begin(&g);
	enum rc rc = terms_core(ready(s), core, n, &err);
	guard_end(&g);
	return library_status(rc, &err, e);
}
