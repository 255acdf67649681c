/* SPDX-License-Identifier: MIT */
/* One list of a node's children: see perses_list.h. A separator stays exactly when an element is kept on both sides. */
#include "reduce/pass/perses_list.h"

#include <string.h>

static void find_items(struct list_state *s, const struct shape *h, uint32_t k)
{
	if (k == h->n_lists) { /* extras: comments and what did not parse */
		s->free = true;
		s->n_items = s->children.n_extras;
		s->item = mem_alloc(mem_mul(s->n_items, sizeof *s->item));
		for (uint32_t i = 0; i < s->n_items; i++)
			s->item[i] = (struct list_item){s->children.n + i, s->children.n + i + 1, SYNTAX_NONE};
		return;
	}
	const struct shape_list *l = &h->list[k];
	s->free = l->free || s->children.broken;
	s->n_items = l->n;
	s->item = mem_alloc(mem_mul(l->n, sizeof *s->item));
	for (uint32_t i = 0; i < l->n; i++) {
		const struct shape_element *e = &h->element[l->first + i];
		s->item[i] = (struct list_item){e->from, e->to, e->separator};
	}
}

bool list_start(struct list_state *s, const struct forest *f, uint32_t node, uint32_t k)
{
	*s = (struct list_state){.begun = true};
	children_of(f, node, &s->children);
	const struct shape *h = shape_get(s->children.language, s->children.rule, s->children.letter, s->children.n);
	bool there = k < h->n_lists + (s->children.n_extras > 0);
	if (there)
		find_items(s, h, k);
	shape_drop(h);
	left_init(&s->left, s->n_items);
	s->chunk = s->from = s->n_items;
	if (!there)
		list_release(s);
	return there;
}

static struct span children_span(const struct list_state *s, const struct forest *f, uint32_t from, uint32_t to)
{
	struct span a = forest_span(f, s->children.place[from]), b = forest_span(f, s->children.place[to - 1]);
	return (struct span){a.from, b.to};
}

/* Whether the rule allows what is left without left[from … to−1]. */
static bool allowed(const struct list_state *s)
{
	if (s->free)
		return true;
	uint16_t *letter = mem_alloc(mem_mul(s->children.n, sizeof *letter));
	uint32_t n = 0, next = 0, last = s->to == s->left.n ? s->from : s->left.n;
	/* `next` walks over the kept items, c over children that belong to no item or to a kept one */
	for (uint32_t c = 0, item = 0; c < s->children.n; c++) {
		while (item < s->n_items && c >= s->item[item].to && c != s->item[item].separator)
			item++;
		if (item == s->n_items || (c < s->item[item].from)) {
			letter[n++] = s->children.letter[c];
			continue;
		}
		while (next < s->left.n && (s->left.at[next] < item || (next >= s->from && next < s->to)))
			next++;
		bool kept = next < s->left.n && s->left.at[next] == item;
		if (kept && !(c == s->item[item].separator && next + 1 == last))
			letter[n++] = s->children.letter[c];
	}
	bool ok = shape_valid(s->children.language, s->children.rule, letter, n);
	free(letter);
	return ok;
}

static void remove_chunk(const struct list_state *s, const struct forest *f, struct edit *out)
{
	for (uint32_t i = s->from; i < s->to; i++) {
		const struct list_item *it = &s->item[s->left.at[i]];
		struct span sp = children_span(s, f, it->from, it->to);
		if (it->separator != SYNTAX_NONE)
			sp.to = forest_span(f, s->children.place[it->separator]).to;
		if (out->remove.n && vec_last(&out->remove).to == sp.from)
			vec_last(&out->remove).to = sp.to;
		else
			edit_remove(out, sp.from, sp.to);
	}
	if (s->to == s->left.n && s->from) { /* a new last element: what joined it to the next goes */
		uint32_t sep = s->item[s->left.at[s->from - 1]].separator;
		if (sep != SYNTAX_NONE) {
			struct span sp = forest_span(f, s->children.place[sep]);
			edit_remove(out, sp.from, sp.to);
		}
	}
}

uint32_t list_next_chunk(const struct list_state *s)
{
	if (s->from)
		return 0;
	return s->chunk < s->left.n ? s->chunk / 2 : s->left.n / 2;
}

void list_skip_to(struct list_state *s, uint32_t chunk)
{
	s->chunk = chunk < s->left.n ? chunk : s->left.n;
}

/* Between two sweeps: drops items that went by another way (a merged success). An item that never had a token stays:
 * what joins it to the one before can go. */
static void drop_gone(struct list_state *s, const struct forest *f)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->left.n; i++) {
		const struct list_item *it = &s->item[s->left.at[i]];
		struct span sp = children_span(s, f, it->from, it->to);
		if (sp.from == sp.to || model_count(f->model, sp.from, sp.to))
			s->left.at[n++] = s->left.at[i];
	}
	s->left.n = n;
}

enum made list_next(struct list_state *s, const struct forest *f, bool sweep, struct candidate *out)
{
	while (s->left.n) {
		if (!s->from) {
			if (!sweep)
				return MADE_NONE;
			if (s->several)
				drop_gone(s, f);
			s->chunk = list_next_chunk(s);
			s->from = s->left.n;
		}
		if (!s->chunk || !s->left.n)
			break;
		s->to = s->from;
		s->from -= s->chunk < s->from ? s->chunk : s->from;
		if (!allowed(s))
			continue;
		remove_chunk(s, f, &out->edit);
		out->from = s->left.at[s->from];
		out->to = s->left.at[s->to - 1];
		out->class = class_of_size(s->to - s->from);
		return MADE_ONE;
	}
	return MADE_END;
}

void list_result(struct list_state *s, const struct candidate *c, bool success)
{
	if (success)
		left_remove(&s->left, c->from, c->to, &s->from);
}

void list_release(struct list_state *s)
{
	if (s->begun)
		children_release(&s->children);
	free(s->item);
	left_release(&s->left);
	*s = (struct list_state){0};
}
