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

struct blocks_shared {
	uint32_t refs;
	VEC_FIELDS(struct block);
};

struct blocks {
	struct model *model;
	struct blocks_shared *shared;
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

static void find_blocks(const struct base_file *f, struct blocks_shared *out)
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

static void *stubs_start(struct model *m, uint64_t seed)
{
	struct blocks *s = mem_zalloc(sizeof *s);
	(void)seed;
	s->model = m;
	s->shared = mem_zalloc(sizeof *s->shared);
	s->shared->refs = 1;
	for (size_t i = 0; i < m->n_files; i++)
		find_blocks(&m->file[i], s->shared);
	if (s->shared->n)
		qsort(s->shared->at, s->shared->n, sizeof *s->shared->at, by_size);
	return s;
}

static bool stubs_next(void *state, struct edit *out)
{
	struct blocks *s = state;
	struct model *m = s->model;
	for (; s->next < s->shared->n; s->next++) {
		struct block b = s->shared->at[s->next];
		uint32_t first = b.span.from;
		while (first < b.span.to && !model_has(m, first))
			first++;
		/* a block of one token is as short */
		if (first == b.span.to || model_count(m, b.span.from, b.span.to) < 2)
			continue;
		edit_rewrite(out, first, model_symbol(m, first, b.text, strlen(b.text)));
		edit_remove(out, first + 1, b.span.to);
		return true;
	}
	return false;
}

static void stubs_result(void *state, bool success)
{
	struct blocks *s = state;
	(void)success;
	s->next++;
}

static void *stubs_clone(const void *state)
{
	struct blocks *s = mem_dup(state, sizeof *s);
	s->shared->refs++;
	return s;
}

static void stubs_free(void *state)
{
	struct blocks *s = state;
	if (--s->shared->refs == 0) {
		vec_release(s->shared);
		free(s->shared);
	}
	free(s);
}

const struct pass pass_stubs = {
	"stubs",     "blocks that may not be empty become a statement that does nothing",
	PASS_TREE,   stubs_start,
	stubs_next,  stubs_result,
	stubs_clone, stubs_free,
};
