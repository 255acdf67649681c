/* SPDX-License-Identifier: MIT */
/* The pass "stubs": a block that may not be empty becomes the statement that does nothing (Python: `pass`), the
 * heaviest blocks first. Deletion alone cannot say that: a body that is run must be there, and any other single
 * statement has an effect. The first token of the block gets the new text, the others go. */
#include "reduce/syntax/syntax.h"
#include "reduce/model/forest.h"
#include "reduce/pass/pass.h"

#include <string.h>

/* To add a language: the node that holds the statements, and the statement that does nothing. */
static const struct {
	enum language_id language;
	const char *node, *text;
} stubs[] = {
	{LANG_PYTHON, "block", "pass"},
};

struct block {
	struct span span; /* base tokens */
	const char *text;
};

struct blocks {
	struct pass_state pass;
	VEC_FIELDS(struct block);
	size_t next;
};

static int by_size(const void *a, const void *b)
{
	const struct span *x = &((const struct block *)a)->span, *y = &((const struct block *)b)->span;
	uint32_t n = x->to - x->from, m = y->to - y->from;
	if (n != m)
		return n > m ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void find_blocks(const struct base_file *f, struct blocks *out)
{
	for (size_t k = 0; k < sizeof stubs / sizeof *stubs; k++) {
		const struct syntax *x = f->syntax;
		if (!f->tree || x->language->id != stubs[k].language)
			continue;
		uint16_t sym = syntax_symbol(x->language, stubs[k].node, true);
		for (uint32_t i = 0; i < x->n_nodes; i++)
			if (x->node[i].sym == sym && x->node[i].n_tok > 1)
				vec_push(out, ((struct block){{f->first + x->node[i].tok,
							       f->first + x->node[i].tok + x->node[i].n_tok},
							      stubs[k].text}));
	}
}

static void stubs_begin(void *state)
{
	struct blocks *s = state;
	struct model *m = s->pass.model;
	for (size_t i = 0; i < m->n_files; i++)
		find_blocks(&m->file[i], s);
	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, by_size);
}

static enum made stubs_next(void *state, struct candidate *out, enum guess guess)
{
	struct blocks *s = state;
	struct model *m = s->pass.model;
	(void)guess;
	while (s->next < s->n) {
		struct block b = s->at[s->next++];
		uint32_t first = b.span.from;
		while (first < b.span.to && !model_has(m, first))
			first++;
		/* a block of one token is as short */
		if (first == b.span.to || model_count(m, b.span.from, b.span.to) < 2)
			continue;
		edit_rewrite(&out->edit, first, model_symbol(m, first, b.text, strlen(b.text)));
		edit_remove(&out->edit, first + 1, b.span.to);
		return MADE_ONE;
	}
	return MADE_END;
}

static void stubs_release(void *state)
{
	struct blocks *s = state;
	vec_release(s);
}

static const struct pass_frame frame = {sizeof(struct blocks), stubs_next, NULL, stubs_release, NULL};

const struct pass pass_stubs = {"stubs", "blocks that may not be empty become a statement that does nothing", PASS_TREE,
				stubs_begin, &frame};
