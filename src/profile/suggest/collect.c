/* SPDX-License-Identifier: MIT */
/* What goes into the key at a step: of each place the bytes that all rows at this step read. Data whose length is
 * said by another value (digits of a number, elements of an array) is read by fewer or more bytes of the same place:
 * only what decides the length may lead to them, else a longer one would be known by its begin. */
#include "profile/suggest/collect.h"

bool is_read(const struct maker *m, uint32_t row, uint32_t node)
{
	return shape_of(m, node)->where != VG_WHERE_RESULT && (class_of(m, row, node, 0) || class_of(m, row, node, 1));
}

bool reads_text(const struct maker *m, uint32_t row, uint32_t node)
{
	for (uint32_t i = node + 1; i <= m->nodes; i++)
		if (shape_of(m, i)->parent == node && is_read(m, row, i))
			return true;
	return false;
}

static void push_part(struct maker *m, uint32_t step, struct path *p, struct key_part part)
{
	part.at = p->bytes;
	p->bytes += part.kind == KEY_CONST ? 0 : part.bytes;
	if (p->bytes > m->k->key_bytes)
		m->k->key_bytes = p->bytes;
	vec_push(&m->k->step.at[step].part, part);
}

/* A pointer: whether it is NULL, or the string behind it. */
static void add_pointer(struct maker *m, uint32_t step, struct path *p, uint32_t node, enum key_kind kind)
{
	struct buf address = {0};
	bool cast = kind == KEY_TEXT && !types_is_plain_text(&m->n->of[node].type);
	buf_printf(&address, "%s%s", cast ? "(const char *)" : "", buf_str(&m->n->of[node].text));
	push_part(m, step, p,
		  (struct key_part){.kind = kind,
				    .address = mem_strdup(buf_str(&address)),
				    .name = mem_strdup(names_shown(m->n, node)),
				    .bytes = kind == KEY_IS_NULL ? 1 : names_text_bytes(m->n, node)});
	buf_release(&address);
}

/* What never changed may decide in ways that were not seen: calls with another value are not cached. */
static enum key_kind kind_of(const struct maker *m, uint32_t node)
{
	return shape_of(m, node)->varying || shape_of(m, node)->flags & VG_SHAPE_POINTER ? KEY_BYTES : KEY_CONST;
}

void collect_bytes(struct maker *m, uint32_t step, struct path *p, uint32_t node, unsigned bits)
{
	struct collected *c = &p->of[node];
	unsigned first = names_first_byte(m->n, node), end = first + names_bytes(m->n, node, false);
	unsigned want = m->n->of[node].is_parameter ? (1u << end) - 1 : bits & ~(unsigned)c->have;
	want &= ~(unsigned)c->have;
	if (!want)
		return;
	unsigned from = (unsigned)__builtin_ctz(want), to = 32 - (unsigned)__builtin_clz(want);
	struct buf address = {0};
	if (from == first)
		names_address(m->n, node, to - from, &address);
	else
		buf_printf(&address, "%s + %u", buf_str(&m->n->of[node].address), from - first);
	c->kind = kind_of(m, node);
	for (unsigned k = from; k < to; k++) {
		c->have |= (uint8_t)(1u << k);
		c->byte[k] = (unsigned short)(p->bytes + k - from);
	}
	push_part(m, step, p,
		  (struct key_part){.kind = c->kind,
				    .address = mem_strdup(buf_str(&address)),
				    .name = mem_strdup(names_shown(m->n, node)),
				    .bytes = to - from,
				    .value = shape_of(m, node)->first >> 8 * from});
	buf_release(&address);
}

/* Does it hang on a pointer that may be NULL, which was not looked at yet? */
static bool waits(const struct maker *m, const struct path *p, uint32_t node)
{
	uint32_t up = shape_of(m, node)->parent;
	return up && p->of[up].kind == KEY_IS_NULL && !p->of[up].tested;
}

/* What the rows found at a node. */
struct found {
	bool all; /* of them read it */
	bool pointer, zero, number;
	unsigned common, any; /* bytes: read by all, by some */
	uint64_t inputs;
};

static struct found look(const struct maker *m, const struct rowset *rows, uint32_t node)
{
	struct found f = {.all = true, .common = 0xff};
	for (size_t k = 0; k < rows->n && f.all; k++) {
		unsigned c = class_of(m, rows->at[k], node, 0), bits = class_of(m, rows->at[k], node, 3);
		f.all = is_read(m, rows->at[k], node);
		f.pointer |= c == VG_CLASS_POINTER;
		f.zero |= c == VG_CLASS_ZERO;
		f.number |= c != VG_CLASS_POINTER && c != VG_CLASS_ZERO;
		f.common &= bits;
		f.any |= bits;
		f.inputs += m->f->rows.at[rows->at[k]].inputs;
	}
	return f;
}

static void collect_node(struct maker *m, uint32_t step, struct path *p, uint32_t node, struct found f, bool end)
{
	struct collected *c = &p->of[node];
	bool followed = names_has_children(m->n, node) && f.pointer;
	bool bytes = !followed || f.number;
	if (bytes && (!c->done || c->text) && !(followed && !end)) {
		c->done = c->text = true;
		c->sure |= f.inputs >= COLLECT_ENOUGH;
		collect_bytes(m, step, p, node, end ? f.any : f.common);
	} else if (!c->done && !(followed && f.number)) {
		*c = (struct collected){.done = true, .sure = f.inputs >= COLLECT_ENOUGH, .at = p->bytes};
		if (f.zero || shape_of(m, node)->flags & VG_SHAPE_NULL) {
			c->kind = KEY_IS_NULL;
			add_pointer(m, step, p, node, KEY_IS_NULL);
		}
	}
}

/* Where the key has the length; false: it has not. */
static bool length_at(const struct path *p, const struct span *s, unsigned *at)
{
	const struct collected *c = &p->of[s->length];
	if (c->kind != KEY_BYTES)
		return false;
	for (unsigned k = s->first; k < s->first + s->bytes; k++)
		if (!(c->have >> k & 1) || c->byte[k] != c->byte[s->first] + k - s->first)
			return false;
	*at = c->byte[s->first];
	return true;
}

bool collect_span(struct maker *m, uint32_t step, struct path *p, unsigned number)
{
	const struct span *s = &m->span.at[number];
	const struct collected *up = &p->of[s->pointer];
	struct key_part part = {.kind = KEY_SPAN, .span = number + 1, .scale = s->scale, .extra = s->extra - s->from};
	struct buf address = {0}, name = {0};
	if (!up->done || (up->kind == KEY_IS_NULL && !up->tested) || (s->length && !length_at(p, s, &part.length_at)))
		return false;
	p->spans |= 1u << number;
	buf_printf(&address, "((const char *)%s + %u)", buf_str(&m->n->of[s->pointer].text), s->from);
	if (s->length)
		buf_str_add(&name, names_shown(m->n, s->length));
	else
		part.kind = KEY_TEXT;
	part.length_bytes = s->bytes;
	part.most = s->most;
	part.bytes = s->written ? 0 : s->most;
	part.address = mem_strdup(buf_str(&address));
	part.name = mem_strdup(buf_str(&name));
	push_part(m, step, p, part);
	buf_release(&address);
	buf_release(&name);
	return true;
}

static void collect_spans(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows)
{
	for (unsigned i = 0; i < m->span.n; i++) {
		bool all = !m->span.at[i].written && !(p->spans >> i & 1);
		for (size_t k = 0; k < rows->n && all; k++)
			all = span_used(m, &m->span.at[i], rows->at[k]);
		if (all)
			collect_span(m, step, p, i);
	}
}

void collect(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows, bool end)
{
	for (uint32_t i = 1; i <= m->nodes; i++) {
		if (m->covered[i] || !m->n->of[i].named || waits(m, p, i))
			continue;
		struct found f = look(m, rows, i);
		if (!f.all)
			continue;
		collect_node(m, step, p, i, f, end);
		bool text = p->of[i].done && !p->of[i].text && f.pointer && !f.number && names_is_text(m->n, i);
		for (size_t k = 0; k < rows->n && text; k++)
			text = reads_text(m, rows->at[k], i);
		if (text) {
			p->of[i].text = true;
			add_pointer(m, step, p, i, KEY_TEXT);
		}
	}
	collect_spans(m, step, p, rows);
}
