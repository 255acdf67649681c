/* SPDX-License-Identifier: MIT */
/* Finding spans. For each row the end of what is read below a pointer is compared with the values that the row has
 * elsewhere: a value says the length when no row goes beyond extra + scale * value, and most calls, with at least
 * LENGTHS different values, go exactly so far and leave nothing out. What the tool saw of NULs says where a text
 * inside a structure may begin. */
#include "profile/suggest/span.h"

#include "profile/suggest/collect.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 3, LONGEST = 1 << 16 };

/* What rows did with the bytes behind a pointer, from a place on. */
struct extent {
	int64_t end;    /* behind the last byte; 0: nothing */
	unsigned count; /* bytes */
	bool follows;   /* the pointer is one */
};

static bool below(const struct maker *m, uint32_t node, const struct span *s)
{
	return shape_of(m, node)->parent == s->pointer && shape_of(m, node)->offset + 7 >= (int64_t)s->from;
}

/* A number, or text: nothing hangs on it. */
static bool is_plain(const struct maker *m, uint32_t node)
{
	return !(shape_of(m, node)->flags & (VG_SHAPE_POINTER | VG_SHAPE_CODE)) && !names_has_children(m->n, node);
}

static unsigned bits_of(const struct maker *m, uint32_t row, uint32_t node, bool written)
{
	return class_of(m, row, node, written ? 4 : 3);
}

static struct extent *extents(const struct maker *m, const struct span *s)
{
	struct extent *e = mem_zalloc(mem_mul(m->f->rows.n + 1, sizeof *e));
	for (uint32_t r = 0; r < m->f->rows.n; r++)
		e[r].follows = class_of(m, r, s->pointer, 0) == VG_CLASS_POINTER;
	for (uint32_t i = 1; i <= m->nodes; i++)
		for (uint32_t r = 0; r < m->f->rows.n && below(m, i, s); r++) {
			unsigned bits = bits_of(m, r, i, s->written);
			int64_t end = bits ? shape_of(m, i)->offset + 32 - __builtin_clz(bits) : 0;
			e[r].end = end > e[r].end ? end : e[r].end;
			e[r].count += (unsigned)__builtin_popcount(bits);
		}
	return e;
}

/* The value of all bytes of the length, if the row has it. */
static bool length_of(const struct maker *m, const struct span *s, uint32_t row, uint64_t *out)
{
	uint32_t low = 0, high = 0;
	if (s->first >= 4) {
		if (!discern_value(m, row, s->length, 1, false, &high))
			return false;
		*out = high >> 8 * (s->first - 4);
		return true;
	}
	if (!discern_value(m, row, s->length, 0, false, &low) ||
	    (s->first + s->bytes > 4 && !discern_value(m, row, s->length, 1, false, &high)))
		return false;
	*out = ((uint64_t)high << 32 | low) >> 8 * s->first;
	return *out <= LONGEST;
}

/* Which bytes of the node are the length. */
static bool set_length(const struct maker *m, struct span *s, uint32_t node)
{
	unsigned bits = shape_of(m, node)->read;
	if (!bits || m->covered[node] || !is_plain(m, node) || !m->n->of[node].named)
		return false;
	s->length = node;
	s->first = (unsigned)__builtin_ctz(bits);
	s->bytes = (unsigned)__builtin_popcount(bits);
	return bits == ((1u << s->bytes) - 1) << s->first &&
	       (s->first >= 4 || s->first + s->bytes <= 4 || bits == 0xff);
}

static unsigned room(unsigned longest)
{
	return (longest + longest / 2 + 15) & ~15u;
}

/* Does the length, times the scale, say how far rows go? */
static bool fits(const struct maker *m, struct span *s, const struct extent *e)
{
	uint64_t v, exact = 0, all = 0, seen[LENGTHS];
	int64_t extra = s->from;
	unsigned lengths = 0, longest = 0;
	for (uint32_t r = 0; r < m->f->rows.n; r++) {
		if (!e[r].end || !e[r].follows)
			continue;
		if (!length_of(m, s, r, &v))
			return false;
		if (e[r].end - (int64_t)(v * s->scale) > extra)
			extra = e[r].end - (int64_t)(v * s->scale);
	}
	for (uint32_t r = 0; r < m->f->rows.n; r++) {
		if (!e[r].end || !e[r].follows || !length_of(m, s, r, &v))
			continue;
		unsigned size = (unsigned)(extra + (int64_t)(v * s->scale));
		longest = size - s->from > longest ? size - s->from : longest;
		all += m->f->rows.at[r].calls;
		if (e[r].end != size || e[r].count != size - s->from)
			continue;
		exact += m->f->rows.at[r].calls;
		unsigned k = 0;
		while (k < lengths && seen[k] != v)
			k++;
		if (k == lengths && lengths < LENGTHS)
			seen[lengths++] = v;
	}
	s->extra = (unsigned)extra;
	s->most = room(longest);
	return lengths == LENGTHS && (s->written ? exact == all : exact * 2 > all) && (extra - (int64_t)s->from) <= 8;
}

static bool try_lengths(const struct maker *m, struct span *s)
{
	const struct span begin = *s;
	for (uint32_t i = 1; i <= m->nodes; i++) {
		*s = begin;
		if (!set_length(m, s, i))
			continue;
		if (shape_of(m, i)->parent == s->pointer && shape_of(m, i)->offset + 8 > (int64_t)s->from)
			s->from = (unsigned)shape_of(m, i)->offset + 8;
		struct extent *e = extents(m, s);
		bool found = false;
		for (unsigned scale = 1; scale <= 8 && !found; scale *= 2) {
			s->scale = scale;
			found = fits(m, s, e);
		}
		free(e);
		if (found)
			return true;
	}
	return false;
}

/* Where what is not yet known by another rule begins behind the pointer: numbers only, from there on. */
static bool begins(const struct maker *m, struct span *s)
{
	int64_t from = -1, after = 0;
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (shape_of(m, i)->parent == s->pointer && !is_plain(m, i) && shape_of(m, i)->offset + 8 > after)
			after = shape_of(m, i)->offset + 8;
	for (uint32_t i = 1; i <= m->nodes; i++) {
		const struct vg_shape *x = shape_of(m, i);
		unsigned bits = s->written ? x->written : x->read;
		if (x->parent != s->pointer || x->where != VG_WHERE_BELOW || !bits)
			continue;
		if (x->offset < 0)
			return false;
		int64_t at = x->offset + __builtin_ctz(bits);
		if (at >= after && (from < 0 || at < from))
			from = at;
	}
	s->from = (unsigned)from;
	return from >= 0 && from < LONGEST;
}

/* A text inside a structure: all that read on from some place read its first byte, and never behind a NUL. */
static bool try_text(const struct maker *m, struct span *s)
{
	const struct vg_shape *p = shape_of(m, s->pointer);
	int64_t longest = 0;
	if (s->written || !p->text_end)
		return false;
	if (p->text_from > s->from)
		s->from = (unsigned)p->text_from;
	uint32_t first = 0;
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (below(m, i, s)) {
			int64_t at = shape_of(m, i)->offset;
			first = at <= (int64_t)s->from ? i : first;
			longest = at + 8 > longest ? at + 8 : longest;
		}
	if (!first || p->text_end < s->from || longest - s->from > LONGEST)
		return false;
	unsigned bit = 1u << (s->from - (unsigned)shape_of(m, first)->offset);
	if (shape_of(m, first)->read & (bit - 1))
		return false;
	for (uint32_t r = 0; r < m->f->rows.n; r++) {
		bool any = (bits_of(m, r, first, false) & ~(bit - 1)) != 0;
		for (uint32_t i = 1; i <= m->nodes && !any; i++)
			any = below(m, i, s) && is_read(m, r, i);
		if (any && !(bits_of(m, r, first, false) & bit))
			return false;
	}
	s->most = room((unsigned)longest - s->from);
	return true;
}

static void add(struct maker *m, const struct span *s)
{
	vec_push(&m->span, *s);
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (below(m, i, s))
			(s->written ? m->span_out : m->span_in)[i] = (uint32_t)m->span.n;
}

void span_find(struct maker *m)
{
	for (uint32_t i = 1; i <= m->nodes && m->span.n < SPANS; i++) {
		struct span s = {.pointer = i, .scale = 1};
		if (!m->n->of[i].named || m->covered[i] || names_is_text(m->n, i))
			continue;
		if (begins(m, &s) && (try_lengths(m, &s) || (begins(m, &s) && try_text(m, &s))))
			add(m, &s);
		s = (struct span){.pointer = i, .scale = 1, .written = true};
		if (m->span.n < SPANS && begins(m, &s) && try_lengths(m, &s))
			add(m, &s);
	}
}

bool span_used(const struct maker *m, const struct span *s, uint32_t row)
{
	uint64_t v;
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (span_of(m, i, s->written) == s && (s->written ? class_of(m, row, i, 2) != 0 : is_read(m, row, i)))
			return true;
	return s->length && class_of(m, row, s->pointer, 0) == VG_CLASS_POINTER && is_read(m, row, s->length) &&
	       length_of(m, s, row, &v) && !v && !s->extra;
}

const struct span *span_of(const struct maker *m, uint32_t node, bool written)
{
	uint32_t i = (written ? m->span_out : m->span_in)[node];
	return i ? &m->span.at[i - 1] : NULL;
}

void span_extent(const struct names *n, const struct span *s, struct buf *out)
{
	if (!s->length)
		buf_str_add(out, "text");
	else if (s->scale == 1)
		buf_printf(out, "%s bytes", names_shown(n, s->length));
	else
		buf_printf(out, "%u * %s bytes", s->scale, names_shown(n, s->length));
}
