/* SPDX-License-Identifier: MIT */
/* SMT-LIB text through reader, builder, sort check, flattening, cores, printer and reader again: no crash, and a
 * printed core reads back as the same clauses. */
#include "smt/cache/core.h"
#include "smt/value/eval.h"
#include "smt/cache/models.h"
#include "smt/term/print.h"
#include "smt/term/sortcheck.h"

#include "../unit/smt_load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_and_read(const struct query *q, unsigned flags)
{
	struct reader again;
	struct printer p = {.max_bytes = 1 << 20};
	struct buf b = {0};
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < q->conj.n; i++)
		vec_push(&all, i);
	struct core *c = core_new(q, all.at, all.n, flags, "fuzz");
	reader_init(&again);
	if (core_print(c, &p, &b, false) == RC_OK && smt_load(&again, b.at) && flags == CORE_NAMES) {
		for (uint32_t k = 0; k < c->n_clauses && k < again.query.conj.n; k++)
			if (again.dag.term.at[again.query.conj.at[k]].named != c->t.term[c->clause[k].term].named)
				abort();
	}
	reader_release(&again);
	core_free(c);
	printer_release(&p);
	buf_release(&b);
	vec_release(&all);
}

static void whole_script(struct reader *l, const char *text, size_t n)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct sortcheck sorts = {0};
	enum sexpr_found f;
	while ((f = sexpr_split_next(&sp, text, n, true)) != SEXPR_MORE) {
		if (f == SEXPR_STRAY ||
		    sexpr_parse(&l->x, text + sp.start, sp.at - sp.start, sp.start_line, sp.start_col, NULL) != RC_OK)
			continue;
		struct scope_mark m = scope_mark(&l->scope);
		size_t before = l->assertion.n;
		l->dag.budget = 200000;
		if (reader_command(l) != RC_OK) {
			scope_cut(&l->scope, m);
			sortcheck_cut(&sorts, l->dag.term.n);
			l->assertion.n = before;
		} else if (l->assertion.n > before &&
			   !sortcheck_assertion(&sorts, &l->dag, vec_last(&l->assertion), false)) {
			l->assertion.n = before; /* as a session does: it uses what is not declared */
		}
	}
	sortcheck_release(&sorts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader l;
	struct u64s scratch = {0};
	char *copy = mem_alloc(size + 1);
	memcpy(copy, data, size);
	reader_init(&l);
	whole_script(&l, copy, size);
	query_set(&l.query, &l.dag, l.assertion.at, l.assertion.n, buf_str(&l.scope.context), l.scope.context.n);
	query_exact_key(&l.query);
	query_renamed_key(&l.query, &scratch);
	/* a session does not cache text with NULs */
	if (l.query.conj.n && !memchr(copy, 0, size)) {
		print_and_read(&l.query, CORE_NAMES);
		print_and_read(&l.query, CORE_SCALAR);
		struct models *m = models_new(0);
		const char *origin;
		models_add(m, &l.query, copy, size, "fuzz");
		models_lookup(m, &l.query, MODELS_EXACT | MODELS_RENAMED, &origin);
		models_add_text(m, copy, size);
		models_free(m);
	}
	vec_release(&scratch);
	reader_release(&l);
	free(copy);
	return 0;
}
