/* SPDX-License-Identifier: MIT */
/* One list of a node's children: see perses_list.h. A separator stays exactly when an element is kept on both sides. */
#include "reduce/pass/perses_list.h"

#include <string.h>

static void view_items(struct list_view *v, const struct shape *h, uint32_t k)
{
	if (k == h->n_lists) { /* extras: comments and what did not parse */
		v->free = true;
		v->n_items = v->children.n_extras;
		v->item = mem_alloc(mem_mul(v->n_items, sizeof *v->item));
		for (uint32_t i = 0; i < v->n_items; i++)
			v->item[i] = (struct list_item){v->children.n + i, v->children.n + i + 1, SYNTAX_NONE};
		return;
	}
	const struct shape_list *l = &h->list[k];
	v->free = l->free || v->children.broken;
	v->n_items = l->n;
	v->item = mem_alloc(mem_mul(l->n, sizeof *v->item));
	for (uint32_t i = 0; i < l->n; i++) {
		const struct shape_element *e = &h->element[l->first + i];
		v->item[i] = (struct list_item){e->from, e->to, e->separator};
	}
}

bool list_start(struct list_state *s, const struct forest *f, uint32_t node, uint32_t k)
{
	struct list_view *v = mem_zalloc(sizeof *v);
	v->refs = 1;
	children_of(f, node, &v->children);
	const struct shape *h = shape_get(v->children.language, v->children.rule, v->children.letter, v->children.n);
	bool there = k < h->n_lists + (v->children.n_extras > 0);
	if (there)
		view_items(v, h, k);
	shape_drop(h);
	*s = (struct list_state){.view = v, .n_left = v->n_items};
	s->left = mem_alloc(mem_mul(v->n_items, sizeof *s->left));
	for (uint32_t i = 0; i < v->n_items; i++)
		s->left[i] = i;
	s->chunk = s->from = v->n_items;
	if (!there)
		list_release(s);
	return there;
}

static struct span children_span(const struct list_view *v, const struct forest *f, uint32_t from, uint32_t to)
{
	struct span a = forest_span(f, v->children.place[from]), b = forest_span(f, v->children.place[to - 1]);
	return (struct span){a.from, b.to};
}

/* Whether the rule allows what is left without left[from … to−1]. */
static bool allowed(const struct list_state *s)
{
	const struct list_view *v = s->view;
	if (v->free)
		return true;
	uint16_t *letter = mem_alloc(mem_mul(v->children.n, sizeof *letter));
	uint32_t n = 0, next = 0, last = s->to == s->n_left ? s->from : s->n_left;
	/* `next` walks over the kept items, c over children that belong to no item or to a kept one */
	for (uint32_t c = 0, item = 0; c < v->children.n; c++) {
		while (item < v->n_items && c >= v->item[item].to && c != v->item[item].separator)
			item++;
		if (item == v->n_items || (c < v->item[item].from)) {
			letter[n++] = v->children.letter[c];
			continue;
		}
		while (next < s->n_left && (s->left[next] < item || (next >= s->from && next < s->to)))
			next++;
		bool kept = next < s->n_left && s->left[next] == item;
		if (kept && !(c == v->item[item].separator && next + 1 == last))
			letter[n++] = v->children.letter[c];
	}
	bool ok = shape_valid(v->children.language, v->children.rule, letter, n);
	free(letter);
	return ok;
}

static void remove_chunk(const struct list_state *s, const struct forest *f, struct edit *out)
{
	const struct list_view *v = s->view;
	for (uint32_t i = s->from; i < s->to; i++) {
		const struct list_item *it = &v->item[s->left[i]];
		struct span sp = children_span(v, f, it->from, it->to);
		if (it->separator != SYNTAX_NONE)
			sp.to = forest_span(f, v->children.place[it->separator]).to;
		if (out->remove.n && vec_last(&out->remove).to == sp.from)
			vec_last(&out->remove).to = sp.to;
		else
			edit_remove(out, sp.from, sp.to);
	}
	if (s->to == s->n_left && s->from) { /* a new last element: what joined it to the next goes */
		uint32_t sep = v->item[s->left[s->from - 1]].separator;
		if (sep != SYNTAX_NONE) {
			struct span sp = forest_span(f, v->children.place[sep]);
			edit_remove(out, sp.from, sp.to);
		}
	}
}

uint32_t list_next_chunk(const struct list_state *s)
{
	if (s->from)
		return 0;
	return s->chunk < s->n_left ? s->chunk / 2 : s->n_left / 2;
}

void list_skip_to(struct list_state *s, uint32_t chunk)
{
	s->chunk = chunk < s->n_left ? chunk : s->n_left;
}

/* The chunk before the last one asked about, or the first of the next size. */
static bool advance(struct list_state *s)
{
	if (!s->from) {
		s->chunk = list_next_chunk(s);
		s->from = s->n_left;
	}
	if (!s->chunk)
		return false;
	s->to = s->from;
	s->from -= s->chunk < s->from ? s->chunk : s->from;
	return true;
}

bool list_next(struct list_state *s, const struct forest *f, struct edit *out)
{
	while (s->n_left && advance(s)) {
		if (!allowed(s))
			continue;
		remove_chunk(s, f, out);
		return true;
	}
	return false;
}

void list_result(struct list_state *s, bool success)
{
	if (!success)
		return;
	memmove(s->left + s->from, s->left + s->to, (s->n_left - s->to) * sizeof *s->left);
	s->n_left -= s->to - s->from;
}

void list_copy(struct list_state *to, const struct list_state *from)
{
	*to = *from;
	if (!from->view)
		return;
	to->view->refs++;
	to->left = mem_dup(from->left, mem_mul(from->n_left, sizeof *from->left));
}

void list_release(struct list_state *s)
{
	if (s->view && --s->view->refs == 0) {
		children_release(&s->view->children);
		free(s->view->item);
		free(s->view);
	}
	free(s->left);
	*s = (struct list_state){0};
}
