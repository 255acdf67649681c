/* SPDX-License-Identifier: MIT */
/* How a name can vanish: see vanish.h. */
#include "reduce/rewrite/vanish.h"

#include "reduce/syntax/syntax.h"

#include <string.h>

static void vanish_init(struct vanish *v, struct proposals *p)
{
	struct model *m = p->pass.model;
	*v = (struct vanish){.proposals = p};
	forest_init(&v->forest, m);
	words_init(&v->words, m);
	v->texts = mem_zalloc(mem_mul(m->n_files, sizeof *v->texts));
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].tree)
			snippets_init(&v->texts[i], m->file[i].syntax);
}

static void vanish_release(struct vanish *v)
{
	for (size_t i = 0; i < v->forest.model->n_files; i++)
		snippets_release(&v->texts[i]);
	free(v->texts);
	words_release(&v->words);
	forest_release(&v->forest);
}

void vanish_begin(struct proposals *p, void (*look)(struct vanish *v))
{
	struct vanish v;
	if (!proposals_init(p))
		return;
	vanish_init(&v, p);
	look(&v);
	vanish_release(&v);
	proposals_sort(p);
}

uint32_t vanish_leaf(const struct vanish *v, const struct word_place *p)
{
	return forest_root(&v->forest, p->file) + p->node;
}

/* Which child of its parent a node is; c->n: none. */
static uint32_t index_of(const struct children *c, uint32_t node)
{
	uint32_t i = 0;
	while (i < c->n && c->place[i] != node)
		i++;
	return i;
}

/* The tokens of the list element that child `at` belongs to, with what joins it to its neighbour. */
static bool element_of(const struct vanish *v, const struct children *c, const struct shape *h, uint32_t at,
		       struct span *out)
{
	for (size_t l = 0; l < h->n_lists; l++) {
		const struct shape_list *list = &h->list[l];
		for (uint32_t i = 0; i < list->n; i++) {
			const struct shape_element *e = &h->element[list->first + i];
			if (at < e->from || at >= e->to || (list->n == 1 && !list->may_be_empty))
				continue;
			uint32_t from = e->from, to = e->to;
			if (e->separator != SYNTAX_NONE && i + 1 < list->n)
				to = e->separator + 1;
			else if (i && (e - 1)->separator != SYNTAX_NONE)
				from = (e - 1)->separator;
			*out = (struct span){forest_span(&v->forest, c->place[from]).from,
					     forest_span(&v->forest, c->place[to - 1]).to};
			return out->from < out->to;
		}
	}
	return false;
}

bool vanish_around(const struct vanish *v, uint32_t node, unsigned levels, struct span *out)
{
	for (uint32_t up; (up = forest_parent(&v->forest, node)) != FOREST_NONE; node = up) {
		struct children c;
		struct span s;
		children_of(&v->forest, up, &c);
		const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
		uint32_t at = index_of(&c, node);
		bool found = at < c.n && element_of(v, &c, h, at, &s);
		shape_drop(h);
		children_release(&c);
		if (found && !levels--) {
			*out = s;
			return true;
		}
	}
	return false;
}

/* A literal or keyword, not a name; `own`: a literal of the program. */
static bool is_value(const struct snippet *t, bool own)
{
	if (t->tokens != 1 || t->seed == own)
		return false;
	return own ? t->sort != SNIPPET_OTHER : t->text[0] != ';' && t->text[0] != '_';
}

/* The k-th value for one node; *k counts down. */
static const struct snippet *value_at(const struct vanish *v, const struct snippets *texts, uint32_t node, unsigned *k)
{
	const struct snippet *found = NULL;
	struct children c;
	children_of(&v->forest, forest_parent(&v->forest, node), &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	uint32_t at = index_of(&c, node);
	for (size_t i = 0; h->matched && at < c.n && i < 2 * texts->n && !found; i++) {
		const struct snippet *t = &texts->at[i % texts->n];
		if (is_value(t, i >= texts->n) && shape_accepts(h, at, &t->letter, 1) && !(*k)--)
			found = t;
	}
	shape_drop(h);
	children_release(&c);
	return found;
}

const struct snippet *vanish_value(const struct vanish *v, const struct word_place *p, unsigned k, struct span *where)
{
	const struct snippet *found = NULL;
	uint32_t node = vanish_leaf(v, p), up;
	*where = forest_span(&v->forest, node);
	/* what is nothing but the name may be what the grammar has a value for */
	while (!found && (up = forest_parent(&v->forest, node)) != FOREST_NONE) {
		struct span around = forest_span(&v->forest, up);
		found = value_at(v, &v->texts[p->file], node, &k);
		if (around.from != where->from || around.to != where->to)
			break;
		node = up;
	}
	return found;
}

void vanish_become(const struct vanish *v, const struct word_place *p, const struct word *to)
{
	size_t len;
	char *text = words_text(v->forest.model, p, to->text, to->len, &len);
	proposal_replace(v->proposals, (struct span){p->token, p->token + 1}, text, len, 1);
	free(text);
}

bool vanish_word(const struct vanish *v, uint32_t word, int value, unsigned levels, struct span except)
{
	const struct word *w = &v->words.at[word];
	for (uint32_t i = w->first; i < w->first + w->n; i++) {
		const struct word_place *p = &v->words.place.at[i];
		struct span s;
		if (p->token >= except.from && p->token < except.to)
			continue;
		const struct snippet *t = value < 0 || p->import ? NULL : vanish_value(v, p, (unsigned)value, &s);
		if (t)
			proposal_replace(v->proposals, s, t->text, t->len, t->tokens);
		else if (vanish_around(v, vanish_leaf(v, p), levels, &s))
			proposal_remove(v->proposals, s.from, s.to);
		else
			return false;
	}
	return true;
}
