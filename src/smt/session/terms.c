/* SPDX-License-Identifier: MIT */
/* Scripts made of terms (terms.h). They use the script's reader and everything that answers its queries, but no items:
 * the mirror has nothing to follow, and what goes to the solver is written from the query (terms_question). The DAG is
 * never cut: a level is the number of assertions below it. */
#include "smt/session/terms.h"

#include "smt/session/internal.h"
#include "smt/term/literal.h"

#include <string.h>

/* Nothing is made; why: for the next call that can say so. */
static uint32_t refuse(struct smt_session *s, const char *what, const char *name)
{
	struct built *b = &s->script.built;
	if (!b->why.n)
		buf_printf(&b->why, "%s '%s'", what, name);
	return 0;
}

static enum rc refused(struct smt_session *s, struct err *e)
{
	struct built *b = &s->script.built;
	enum rc rc = err_set(e, RC_INPUT, "%s", b->why.n ? b->why.at : "this is not a term of this solver");
	buf_clear(&b->why);
	return rc;
}

enum rc terms_begin(struct smt_session *s, const char *logic, struct err *e)
{
	struct script *p = &s->script;
	unsigned theories = 0;
	smt_session_begin(s, "-");
	p->built.on = true;
	s->mirror.stale = true; /* questions that stand alone may leave something in the solver */
	if (!logic)
		return RC_OK;
	if (!exact_logic(logic, strlen(logic), &theories))
		return err_set(e, RC_INPUT, "unknown logic '%s'", logic);
	struct reader *r = &p->reader;
	buf_clear(&s->scratch);
	buf_printf(&s->scratch, "(set-logic %s)", logic);
	p->exact.theories &= theories;
	buf_str_add(&p->logic, logic);
	if (sexpr_parse(&r->x, s->scratch.at, s->scratch.n, 1, 1, NULL) != RC_OK || reader_command(r) != RC_OK)
		return err_set(e, RC_INPUT, "unknown logic '%s'", logic);
	return RC_OK;
}

bool terms_begun(const struct smt_session *s)
{
	return s->script.built.on;
}

/* ---- sorts and terms: numbers are 1 + the DAG's */

static bool is_sort(const struct dag *d, uint32_t sort)
{
	return sort && sort <= d->label.n && d->label.at[sort - 1].kind == LABEL_SORT;
}

static uint32_t known_sort(struct smt_session *s, uint32_t label)
{
	const struct script *p = &s->script;
	const struct dag *d = &p->reader.dag;
	return exact_known_sort(&p->exact, d, label) ? label + 1 : refuse(s, "unknown sort", d->label.at[label].text);
}

uint32_t terms_sort(struct smt_session *s, const char *name)
{
	return known_sort(s, dag_label(&s->script.reader.dag, LABEL_SORT, name, strlen(name), "", 0));
}

uint32_t terms_sort_bits(struct smt_session *s, uint32_t width)
{
	if (!width || width > VALUE_MAX_BITS)
		return refuse(s, "unknown sort", "(_ BitVec n)");
	return known_sort(s, dag_sort_bv(&s->script.reader.dag, width));
}

uint32_t terms_sort_array(struct smt_session *s, uint32_t index, uint32_t elem)
{
	struct dag *d = &s->script.reader.dag;
	if (!is_sort(d, index) || !is_sort(d, elem))
		return refuse(s, "unknown sort", "(Array …)");
	return known_sort(s, dag_sort_array(d, index - 1, elem - 1));
}

/* May a constant or function have this name? */
static bool good_name(const char *name)
{
	size_t n = strlen(name);
	return n && !strpbrk(name, "|\\") && !exact_reserved(name, n);
}

uint32_t terms_constant(struct smt_session *s, const char *name, uint32_t sort)
{
	struct reader *r = &s->script.reader;
	struct dag *d = &r->dag;
	if (!is_sort(d, sort))
		return refuse(s, "no sort for the constant", name);
	if (!good_name(name))
		return refuse(s, "invalid name", name);
	uint32_t y = scope_symbol(&r->scope, name, strlen(name));
	struct symbol *at = &r->scope.symbol.at[y];
	if (at->decl == DECL_VAR && d->term.at[at->value].sort == sort - 1)
		return at->value + 1;
	if (at->decl != DECL_NONE)
		return refuse(s, "another declaration of", name);
	uint32_t v = dag_var(d, dag_label(d, LABEL_VAR, at->name, at->len, "", 0), sort - 1);
	return scope_declare(&r->scope, y, DECL_VAR, v) == RC_OK ? v + 1 : 0;
}

bool terms_function(struct smt_session *s, const char *name, const uint32_t *args, size_t n, uint32_t result)
{
	struct script *p = &s->script;
	struct dag *d = &p->reader.dag;
	struct buf rank = {0};
	bool ok = n && good_name(name) && is_sort(d, result) && (p->exact.theories & THEORY_UF);
	for (size_t i = 0; i <= n && ok; i++) {
		uint32_t sort = i < n ? args[i] : result;
		ok = is_sort(d, sort);
		if (ok)
			buf_add(&rank, d->label.at[sort - 1].text, d->label.at[sort - 1].len + (i < n));
	}
	uint32_t y = ok ? scope_symbol(&p->reader.scope, name, strlen(name)) : 0;
	ok = ok && p->reader.scope.symbol.at[y].decl == DECL_NONE &&
	     scope_declare(&p->reader.scope, y, DECL_FUN,
			   dag_label(d, LABEL_FUN, name, strlen(name), rank.at, rank.n)) == RC_OK;
	buf_release(&rank);
	if (!ok)
		refuse(s, "cannot declare the function", name);
	return ok;
}

/* The term's number if its sort is certain. */
static uint32_t sorted(struct smt_session *s, uint32_t t, const char *name)
{
	struct script *p = &s->script;
	return exact_sort(&p->exact, &p->reader.dag, t) ? t + 1 : refuse(s, "arguments do not fit, or unknown:", name);
}

uint32_t terms_number(struct smt_session *s, uint64_t value, uint32_t width)
{
	struct dag *d = &s->script.reader.dag;
	char text[80];
	if (!width || width > 64 || (width < 64 && value >> width))
		return refuse(s, "number that does not fit", "(_ bvN W)");
	unsigned step = width % 4 ? 1 : 4;
	size_t n = 2;
	memcpy(text, step == 4 ? "#x" : "#b", 2);
	for (uint32_t at = width; at > 0; n++) {
		at -= step;
		text[n] = "0123456789abcdef"[value >> at & ((1u << step) - 1)];
	}
	return dag_value(d, dag_label(d, LABEL_VALUE, text, n, "", 0)) + 1;
}

uint32_t terms_text(struct smt_session *s, const char *text)
{
	struct reader *r = &s->script.reader;
	uint32_t t;
	if (sexpr_parse(&r->x, text, strlen(text), 1, 1, NULL) != RC_OK || r->x.n == 0 || r->x.at[0].next != r->x.n ||
	    builder_term(&r->builder, &r->x, 0, &t) != RC_OK || r->builder.names.n)
		return refuse(s, "not a term:", text);
	return sorted(s, t, text);
}

uint32_t terms_apply(struct smt_session *s, const char *op, const uint32_t *args, size_t n)
{
	struct reader *r = &s->script.reader;
	struct dag *d = &r->dag;
	uint32_t label, few[8], *down = n <= ARRAY_LEN(few) ? few : mem_alloc(n * sizeof *down);
	bool ok = n > 0;
	for (size_t i = 0; i < n && ok; i++) {
		ok = args[i] && args[i] <= d->term.n;
		down[i] = args[i] - 1;
	}
	if (!ok) {
		label = 0;
	} else if (*op == '(') {
		label = dag_label(d, LABEL_OP, op, strlen(op), "", 0);
	} else {
		uint32_t symbol = scope_symbol(&r->scope, op, strlen(op)); /* may move the array */
		const struct symbol *y = &r->scope.symbol.at[symbol];
		ok = y->decl == DECL_NONE || y->decl == DECL_FUN;
		label = y->decl == DECL_FUN ? y->value : dag_label(d, LABEL_OP, op, strlen(op), "", 0);
	}
	uint32_t t = ok ? sorted(s, dag_app(d, label, down, (uint32_t)n), op) : refuse(s, "no arguments for", op);
	if (down != few)
		free(down);
	return t;
}

/* ---- the stack */

/* The last check is no longer about the stack. */
static void changed(struct smt_session *s)
{
	buf_clear(&s->script.last.text);
	s->mirror.checked = false;
}

void terms_push(struct smt_session *s)
{
	vec_push(&s->script.built.level, s->script.reader.assertion.n);
}

enum rc terms_pop(struct smt_session *s, size_t levels, struct err *e)
{
	struct built *b = &s->script.built;
	if (levels > b->level.n)
		return err_set(e, RC_INPUT, "there are only %zu levels to pop", b->level.n);
	if (!levels)
		return RC_OK;
	b->level.n -= levels;
	s->script.reader.assertion.n = b->level.at[b->level.n];
	changed(s);
	return RC_OK;
}

/* RC_INPUT: it is not a Bool. */
static enum rc formula(struct smt_session *s, uint32_t term, struct err *e)
{
	struct script *p = &s->script;
	struct dag *d = &p->reader.dag;
	if (!term || term > d->term.n)
		return refused(s, e);
	if (exact_sort(&p->exact, d, term - 1) != 1 + d->sort_bool)
		return err_set(e, RC_INPUT, "a formula must be a Bool");
	return RC_OK;
}

enum rc terms_assert(struct smt_session *s, uint32_t term, struct err *e)
{
	enum rc rc = formula(s, term, e);
	if (rc != RC_OK)
		return rc;
	vec_push(&s->script.reader.assertion, term - 1);
	changed(s);
	return RC_OK;
}

/* ---- asking */

/* The question that the current query is, up to the check-sat; all: with declarations of everything that is declared,
 * else of what it uses. */
static void write_question(struct smt_session *s, bool all, struct buf *out)
{
	const struct query *q = &s->script.reader.query;
	const struct scope *scope = &s->script.reader.scope;
	buf_add(out, q->context, q->context_len);
	VEC(uint32_t) roots = {0};
	/* programs are asked for their model */
	if (!(s->mirror.solver->kind->flags & (SOLVER_NATIVE_CORE | SOLVER_ONE_SHOT)))
		buf_str_add(out, "(set-option :produce-models true)\n");
	for (size_t i = 0; i < q->flat.n; i++)
		vec_push(&roots, q->flat.at[i]);
	for (size_t i = 0; all && i < scope->var.n; i++)
		vec_push(&roots, scope->var.at[i]);
	vec_clear(&s->printer.todo);
	print_declarations(&s->printer, out, &q->t, roots.at, roots.n);
	vec_release(&roots);
	for (size_t i = 0; i < q->flat.n; i++) {
		buf_str_add(out, "(assert ");
		if (print_term(&s->printer, out, &q->t, q->flat.at[i]) != RC_OK)
			s->script.uncacheable = true; /* longer than any solver would read: it says so */
		buf_str_add(out, ")\n");
	}
}

void terms_question(struct smt_session *s, struct buf *out)
{
	write_question(s, false, out);
}

enum rc terms_check(struct smt_session *s, const uint32_t *assumption, size_t n, enum verdict *out, struct err *e)
{
	static const char text[] = "(check-sat)";
	struct script *p = &s->script;
	struct reader *r = &p->reader;
	struct command c = {.text = text, .n = sizeof text - 1, .line = 1, .col = 1, .x = &r->x};
	size_t asserted = r->assertion.n;
	enum rc rc = RC_OK;
	*out = VERDICT_UNKNOWN;
	for (size_t i = 0; i < n && rc == RC_OK; i++)
		rc = formula(s, assumption[i], e);
	if (rc != RC_OK)
		return rc;
	vec_clear(&p->built.root);
	vec_clear(&p->built.core);
	for (size_t i = 0; i < asserted; i++)
		vec_push(&p->built.root, r->assertion.at[i]);
	for (size_t i = 0; i < n; i++) {
		vec_push(&r->assertion, assumption[i] - 1);
		vec_push(&p->built.root, assumption[i] - 1);
	}
	if (!session_caching(s))
		reader_query(r);
	rc = check_sat(s, &c, e);
	r->assertion.n = asserted;
	buf_clear(&s->out);
	if (rc == RC_OK)
		*out = p->last.verdict;
	return rc;
}

/* ---- what follows an answer */

/* The query as it was asked: terms made since may have moved the DAG. */
static bool asked(struct smt_session *s, enum verdict v)
{
	struct reader *r = &s->script.reader;
	r->query.t = dag_terms(&r->dag);
	return s->script.last.text.n && s->script.last.verdict == v;
}

/* Has the solver hold a model of the question on its own stack. RC_NO: it does not. */
static enum rc hold_model(struct smt_session *s, struct err *e)
{
	struct buf text = {0}, got = {0};
	if (s->mirror.checked)
		return RC_OK;
	buf_str_add(&text, "(reset)\n");
	write_question(s, true, &text);
	if (s->script.last.model_complete) /* values of it have been given */
		values_hold(s, &text);
	buf_str_add(&text, "(check-sat)\n");
	s->mirror.solver->calls++;
	enum rc rc = mirror_send(s, text.at, text.n, &got, e);
	if (rc == RC_OK && solver_find_verdict(buf_str(&got), got.n) != VERDICT_SAT)
		rc = RC_NO;
	s->mirror.checked = rc == RC_OK;
	buf_release(&text);
	buf_release(&got);
	return rc;
}

/* The value in ((TERM VALUE)), in scratch. */
static bool read_value(struct smt_session *s, const struct buf *got)
{
	struct sexpr *x = &s->script.reader.x;
	if (sexpr_parse(x, buf_str(got), got->n, 1, 1, NULL) != RC_OK || x->n < 4 || x->at[0].kind != SEXPR_LIST ||
	    x->at[1].kind != SEXPR_LIST)
		return false;
	uint32_t value = x->at[2].next;
	if (value >= x->at[1].next || x->at[value].next != x->at[1].next)
		return false;
	buf_clear(&s->scratch);
	scope_node_text(x, value, &s->scratch);
	return true;
}

static enum rc ask_value(struct smt_session *s, uint32_t term, struct err *e)
{
	struct buf text = {0}, got = {0};
	const struct query *q = &s->script.reader.query;
	enum rc rc = hold_model(s, e);
	if (rc == RC_OK) {
		buf_str_add(&text, "(get-value (");
		rc = print_term(&s->printer, &text, &q->t, term);
		buf_str_add(&text, "))");
	}
	if (rc == RC_OK)
		rc = mirror_send(s, text.at, text.n, &got, e);
	if (rc == RC_OK && (solver_has_error(&got) || !read_value(s, &got)))
		rc = RC_NO;
	buf_release(&text);
	buf_release(&got);
	return rc;
}

enum rc terms_value(struct smt_session *s, uint32_t term, const char **out, struct err *e)
{
	struct buf *b = &s->scratch;
	*out = NULL;
	if (!term || term > s->script.reader.dag.term.n)
		return refused(s, e);
	if (!asked(s, VERDICT_SAT))
		return RC_NO;
	buf_clear(b);
	enum rc rc = RC_OK;
	if (s->mirror.checked || !values_print(s, term - 1, b))
		rc = ask_value(s, term - 1, e);
	if (rc == RC_OK)
		*out = buf_str(b);
	return rc;
}

/* Is one of the blamed conjuncts in the root? */
static bool is_blamed(struct smt_session *s, uint32_t root)
{
	const struct reader *r = &s->script.reader;
	const struct built *b = &s->script.built;
	VEC(uint32_t) todo = {0};
	bool found = false;
	vec_push(&todo, root);
	while (todo.n && !found) {
		uint32_t i = vec_pop(&todo);
		const struct term *t = &r->dag.term.at[i];
		bool open = t->kind == TERM_APP && t->label == r->dag.op_and;
		for (uint32_t k = 0; open && k < t->n_args; k++)
			vec_push(&todo, r->dag.arg.at[t->args + k]);
		for (size_t k = 0; !open && k < b->core.n && !found; k++)
			found = r->query.conj.at[b->core.at[k]] == i;
	}
	vec_release(&todo);
	return found;
}

enum rc terms_core(struct smt_session *s, const uint32_t **out, size_t *n, struct err *e)
{
	struct built *b = &s->script.built;
	const struct query *q = &s->script.reader.query;
	*n = 0;
	if (!asked(s, VERDICT_UNSAT))
		return RC_NO;
	if (!b->core.n) {
		size_t found = 0;
		vec_reserve(&b->core, q->conj.n + 1);
		enum rc rc = learn_blame(s, b->core.at, &found, e);
		if (rc != RC_OK)
			return rc;
		for (uint32_t i = 0; !found && i < q->conj.n; i++)
			b->core.at[i] = i; /* nobody can say: all of them are to blame */
		b->core.n = found ? found : q->conj.n;
	}
	vec_clear(&b->shown);
	for (size_t i = 0; i < b->root.n; i++)
		if (is_blamed(s, b->root.at[i]))
			vec_push(&b->shown, b->root.at[i] + 1);
	*out = b->shown.at;
	*n = b->shown.n;
	return RC_OK;
}
