/* SPDX-License-Identifier: MIT */
/* Trees of all files under one numbering: see forest.h. */
#include "reduce/model/forest.h"

#include "base/invariant.h"

#include <string.h>

void forest_init(struct forest *f, struct model *m)
{
	*f = (struct forest){.model = m};
}

void forest_release(struct forest *f)
{
	vec_release(&f->moved);
}

uint32_t forest_root(const struct forest *f, size_t file)
{
	uint32_t n = 0;
	for (size_t i = 0; i < file; i++)
		n += f->model->file[i].syntax->n_nodes;
	return n;
}

uint32_t forest_nodes(const struct forest *f)
{
	return forest_root(f, f->model->n_files);
}

/* The file of a node, and the node's number in it. */
static const struct base_file *forest_file(const struct forest *f, uint32_t node, uint32_t *local)
{
	const struct base_file *file = f->model->file;
	while (node >= file->syntax->n_nodes)
		node -= (file++)->syntax->n_nodes;
	*local = node;
	return file;
}

const struct syn_node *forest_node(const struct forest *f, uint32_t node)
{
	uint32_t local;
	return &forest_file(f, node, &local)->syntax->node[local];
}

uint32_t forest_parent(const struct forest *f, uint32_t node)
{
	uint32_t local;
	const struct base_file *file = forest_file(f, node, &local);
	uint32_t parent = file->syntax->node[local].parent;
	return parent == SYNTAX_NONE ? FOREST_NONE : node - local + parent;
}

struct span forest_span(const struct forest *f, uint32_t node)
{
	uint32_t local;
	const struct base_file *file = forest_file(f, node, &local);
	const struct syn_node *n = &file->syntax->node[local];
	return (struct span){file->first + n->tok, file->first + n->tok + n->n_tok};
}

uint32_t forest_weight(const struct forest *f, uint32_t node)
{
	struct span s = forest_span(f, node);
	return model_count(f->model, s.from, s.to);
}

/* The first entry whose place is not below `place`. */
static size_t moved_find(const struct forest *f, uint32_t place)
{
	size_t lo = 0, hi = f->moved.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->moved.at[mid].place < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t forest_at(const struct forest *f, uint32_t place)
{
	size_t i = moved_find(f, place);
	return i < f->moved.n && f->moved.at[i].place == place ? f->moved.at[i].node : place;
}

#ifdef RF_INVARIANTS
void forest_check(const struct forest *f)
{
	for (size_t i = 0; i < f->moved.n; i++) {
		struct moved m = f->moved.at[i];
		uint32_t local;
		INVARIANT(m.place < forest_nodes(f) && (i == 0 || f->moved.at[i - 1].place < m.place));
		const struct base_file *file = forest_file(f, m.place, &local);
		uint32_t end = m.place - local + file->syntax->node[local].end;
		INVARIANT(m.node == FOREST_SPLICED || (m.node > m.place && m.node < end));
	}
}
#endif

void forest_move(struct forest *f, uint32_t place, uint32_t node)
{
	size_t i = moved_find(f, place);
	if (i == f->moved.n || f->moved.at[i].place != place) {
		vec_reserve(&f->moved, 1);
		memmove(f->moved.at + i + 1, f->moved.at + i, (f->moved.n - i) * sizeof *f->moved.at);
		f->moved.n++;
	}
	f->moved.at[i] = (struct moved){place, node};
	forest_check(f);
}

void children_of(const struct forest *f, uint32_t node, struct children *out)
{
	uint32_t local;
	const struct base_file *file = forest_file(f, node, &local);
	const struct syntax *s = file->syntax;
	uint32_t base = node - local, n = 0;
	for (uint32_t c = syntax_first_child(s, local); c != SYNTAX_NONE; c = syntax_next_sibling(s, c))
		n++;
	*out = (struct children){.rule = s->node[local].rule, .language = s->language};
	out->broken = (s->node[local].flags & NODE_ERROR) != 0;
	out->place = mem_alloc(mem_mul(n, sizeof *out->place));
	out->letter = mem_alloc(mem_mul(n, sizeof *out->letter));
	uint32_t back = n;
	for (uint32_t c = syntax_first_child(s, local); c != SYNTAX_NONE; c = syntax_next_sibling(s, c)) {
		uint32_t at = forest_at(f, base + c);
		/* a child that never had a token (an empty rule) still counts for the parent's */
		if (s->node[c].n_tok && !forest_weight(f, base + c))
			continue;
		if (at == FOREST_SPLICED || s->node[c].flags & NODE_EXTRA) {
			out->place[--back] = base + c;
			continue;
		}
		out->letter[out->n] = s->node[at - base].letter;
		out->place[out->n++] = base + c;
	}
	/* extras were written from the end: bring them behind the children, in order */
	out->n_extras = n - back;
	for (uint32_t i = 0; i < out->n_extras / 2; i++) {
		uint32_t t = out->place[back + i];
		out->place[back + i] = out->place[n - 1 - i];
		out->place[n - 1 - i] = t;
	}
	memmove(out->place + out->n, out->place + back, out->n_extras * sizeof *out->place);
}

void children_release(struct children *c)
{
	free(c->place);
	free(c->letter);
	*c = (struct children){0};
}
