/* SPDX-License-Identifier: MIT */
/* A decision tree over the rows of a function. What all rows at a step read is collected; as long as the rows
 * differ in what else they read or write, the collected value that tells them apart best (least entropy left,
 * then fewest branches) sends them different ways. So a place is read by the cache only when every call with
 * the same deciding values, two at least, read it. Rows that must not be cached, or cost less than a look-up,
 * are one kind, whatever they read. */
#include "profile/suggest/cases.h"

#include "base/bits.h"
#include "profile/suggest/collect.h"
#include "profile/suggest/discern.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 24, MAX_STEPS = 400, MAX_KEY = 4096 };

/* ---- rows */

/* errno is put back apart: key_errno. */
static unsigned wrote(const struct maker *m, uint32_t row, uint32_t node)
{
	if (shape_of(m, node)->where == VG_WHERE_ERRNO)
		return 0;
	return class_of(m, row, node, 2);
}

static char *say(const char *fmt, const char *what)
{
	struct buf b = {0};
	buf_printf(&b, fmt, what);
	char *text = mem_strdup(buf_str(&b));
	buf_release(&b);
	return text;
}

/* 0: the node's values follow no such rule; else 1 + the first row that found there what all later ones did.
 * The calls before it, two at most, are an initialisation if they left another value there themselves: what others
 * changed between two calls would be an input. */
static uint32_t settles(const struct maker *m, uint32_t node)
{
	uint32_t last = (uint32_t)m->f->rows.n, first = 0;
	uint64_t before = 0;
	while (last && !is_read(m, last - 1, node))
		last--;
	if (!last || class_of(m, last - 1, node, 0) == VG_CLASS_MANY || class_of(m, last - 1, node, 1) == VG_CLASS_MANY)
		return 0;
	for (uint32_t i = 0; i < last; i++) {
		bool same = class_of(m, i, node, 0) == class_of(m, last - 1, node, 0) &&
			    class_of(m, i, node, 1) == class_of(m, last - 1, node, 1);
		if (!is_read(m, i, node))
			continue;
		if (same && !first)
			first = i + 1;
		if (!same && (first || !wrote(m, i, node)))
			return 0;
		before += same ? 0 : m->f->rows.at[i].calls;
	}
	return before <= 2 ? first : 0;
}

static bool is_initialisation(const struct maker *m, uint32_t row)
{
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (!m->n->of[i].named && shape_of(m, i)->varying && is_read(m, row, i) && row + 1 < settles(m, i))
			return true;
	return false;
}

static char *bad_input(const struct maker *m, uint32_t node)
{
	const struct profile_place *p = &m->f->shape.at[node - 1];
	const struct named *n = &m->n->of[node];
	bool nameless = n->is_address || strcmp(buf_str(&n->text), "this") == 0;
	if (nameless && !names_has_children(m->n, node))
		return say("it depends on the address of %s", names_shown(m->n, node));
	/* another one than those that were seen may do anything, and their addresses differ from run to run */
	if (n->named && p->s.flags & VG_SHAPE_CODE)
		return say("it calls what %s leads to, which may be another function at another time",
			   names_shown(m->n, node));
	if (n->named)
		return NULL;
	if (p->s.where == VG_WHERE_BELOW && !p->s.parent)
		return mem_strdup("an argument is passed on the stack");
	if (p->s.where == VG_WHERE_THREAD)
		return mem_strdup("it depends on a thread-local variable that has no name in its source file");
	if ((p->s.varying || p->s.flags & VG_SHAPE_NULL) && !settles(m, node))
		return say("it depends on %s, which has no name in its source file",
			   p->symbol[0] ? p->symbol : "memory that no argument leads to");
	return NULL;
}

static char *bad_output(const struct maker *m, uint32_t node, unsigned state)
{
	const struct profile_place *p = &m->f->shape.at[node - 1];
	const struct named *same = p->s.same ? &m->n->of[p->s.same] : NULL;
	bool moves = state & VG_WROTE_POINTER || p->s.flags & VG_SHAPE_STORES ||
		     (same && (!same->named || same->is_address));
	if (p->s.where == VG_WHERE_RESULT)
		return state & VG_WROTE_NEW
			       ? mem_strdup("it returns new memory: whoever caches that must copy or share it")
		       : moves ? mem_strdup("it returns a pointer to memory that may go away")
			       : NULL;
	if (p->s.where == VG_WHERE_STATIC)
		return say("it changes the global %s", p->symbol);
	if (p->s.where == VG_WHERE_THREAD)
		return mem_strdup("it changes a thread-local variable");
	if (!m->n->of[node].named)
		return mem_strdup("it writes to memory that no argument leads to");
	if (state & VG_WROTE_NEW)
		return say("it leaves new memory behind, in %s", names_shown(m->n, node));
	if (moves)
		return say("it stores a pointer in %s", names_shown(m->n, node));
	if (p->s.flags & VG_SHAPE_SOMETIMES && !span_of(m, node, true))
		return say("only some of its calls write all of %s", names_shown(m->n, node));
	return NULL;
}

static char *bad_row(const struct maker *m, uint32_t row)
{
	unsigned flags = m->f->rows.at[row].flags;
	char *why = NULL;
	if (flags & VG_CALL_ACTS)
		return mem_strdup("it does input or output");
	if (flags & VG_CALL_FREED)
		return mem_strdup("it frees memory from before the call");
	if (flags & VG_CALL_UNWOUND)
		return mem_strdup("it is left by longjmp or an exception");
	for (uint32_t i = 1; i <= m->nodes && !why; i++) {
		if (is_read(m, row, i))
			why = bad_input(m, i);
		if (!why && wrote(m, row, i))
			why = bad_output(m, i, wrote(m, row, i));
	}
	return why;
}

static void describe_row(struct maker *m, uint32_t row)
{
	const struct profile_row *r = &m->f->rows.at[row];
	uint64_t h = 0, w = 0;
	for (uint32_t i = 1; i <= m->nodes; i++) {
		if (!m->covered[i] && is_read(m, row, i)) {
			h += mix64(2 * (uint64_t)i + ((uint64_t)class_of(m, row, i, 3) << 32));
			if (names_is_text(m->n, i) && reads_text(m, row, i))
				h += mix64(2 * (uint64_t)i + 1);
		}
		if (wrote(m, row, i) && !span_of(m, i, true))
			w += mix64((uint64_t)i << 20);
	}
	for (size_t i = 0; i < m->span.n; i++)
		if (span_used(m, &m->span.at[i], row))
			h += mix64((uint64_t)(i + 1) << 40);
	m->bad[row] = bad_row(m, row);
	m->kind[row] = m->bad[row]                                      ? KIND_BAD
		       : (double)r->cost <= m->cheap * (double)r->calls ? KIND_CHEAP
									: mix64(h + w) | 4;
}

/* ---- cases */

/* A pointer that is sometimes a number is followed only where enough said that it is one. */
static bool is_sure(const struct maker *m, const struct path *p)
{
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (p->of[i].done && !p->of[i].sure && shape_of(m, i)->flags & VG_SHAPE_VALUE &&
		    names_has_children(m->n, i))
			return false;
	return true;
}

static bool all_pointers(const struct maker *m, const struct rowset *rows, uint32_t node)
{
	for (size_t i = 0; i < rows->n; i++)
		if (class_of(m, rows->at[i], node, 0) != VG_CLASS_POINTER)
			return false;
	return true;
}

static const char *name_of(const struct maker *m, uint32_t node)
{
	return names_shown(m->n, node);
}

/* Places that only some rows read: fields of a structure that is there may be read by all. NULL, or why not. */
static char *collect_rest(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows)
{
	for (uint32_t i = 1; i <= m->nodes; i++) {
		size_t n = 0, text = 0;
		unsigned bytes = 0;
		bool uneven = false;
		for (size_t k = 0; k < rows->n; k++) {
			bool reads = !m->covered[i] && is_read(m, rows->at[k], i);
			uneven |= reads && bytes && bytes != class_of(m, rows->at[k], i, 3);
			bytes = reads ? class_of(m, rows->at[k], i, 3) : bytes;
			n += reads;
			text += reads && names_is_text(m->n, i) && reads_text(m, rows->at[k], i);
		}
		uint32_t up = shape_of(m, i)->parent;
		if (uneven && up && m->n->of[i].named && !names_inside(m->n, i))
			return say("only some of its calls read all of %s", name_of(m, i));
		if (!m->n->of[i].named || !n || (n == rows->n && (!text || text == n)))
			continue;
		if (!names_inside(m->n, i) || !all_pointers(m, rows, up) || text ||
		    (shape_of(m, i)->flags & VG_SHAPE_POINTER && names_has_children(m->n, i)))
			return say("only some of its calls read %s", name_of(m, i));
		collect_bytes(m, step, p, i, shape_of(m, i)->read);
	}
	return NULL;
}

/* Some calls that get here cannot be cached. Does the result say which? */
static bool result_tells(const struct maker *m, const struct rowset *rows, struct key_step *s)
{
	uint32_t node = 1;
	while (node <= m->nodes && (shape_of(m, node)->where != VG_WHERE_RESULT || shape_of(m, node)->offset))
		node++;
	if (node > m->nodes)
		return false;
	for (size_t i = 0; i < rows->n; i++) {
		uint32_t a, b;
		if (!discern_value(m, rows->at[i], node, 0, false, &a))
			return false;
		for (size_t k = 0; k < rows->n; k++)
			if (!m->bad[rows->at[i]] && m->bad[rows->at[k]] &&
			    (!discern_value(m, rows->at[k], node, 0, false, &b) || a == b))
				return false;
		size_t k = 0;
		while (k < s->result.n && s->result.at[k] != a)
			k++;
		if (!m->bad[rows->at[i]] && k == s->result.n)
			vec_push(&s->result, a);
	}
	unsigned size = m->f->sig->result[0].size;
	m->k->result_bytes = size < 4 ? size : 4;
	return true;
}

static void add_output(struct maker *m, uint32_t node, unsigned number)
{
	const struct vg_shape *s = shape_of(m, node);
	struct key_part part = {.kind = KEY_BYTES, .bytes = names_bytes(m->n, node, true), .cases = 1ull << number};
	struct buf address = {0};
	if (s->same) {
		part.kind = KEY_SAME;
		part.bytes = 8;
		part.source = mem_strdup(buf_str(&m->n->of[s->same].text));
	} else if (s->where == VG_WHERE_RESULT) {
		return;
	}
	if (s->where == VG_WHERE_RESULT) {
		buf_printf(&address, "(char *)&rf_value.result + %u", 8 * (unsigned)s->offset);
		part.is_result = true;
	} else {
		names_address(m->n, node, part.bytes, &address);
		part.leads = names_has_children(m->n, node);
	}
	for (size_t i = 0; i < m->k->out.n; i++)
		if (strcmp(m->k->out.at[i].address, buf_str(&address)) == 0) {
			m->k->out.at[i].cases |= part.cases;
			buf_release(&address);
			free(part.source);
			return;
		}
	part.address = mem_strdup(buf_str(&address));
	part.name = mem_strdup(s->where == VG_WHERE_RESULT ? "the result" : name_of(m, node));
	part.at = m->k->value_bytes;
	m->k->value_bytes += part.kind == KEY_SAME ? 0 : part.bytes;
	buf_release(&address);
	vec_push(&m->k->out, part);
}

static void add_output_span(struct maker *m, unsigned number, unsigned of)
{
	const struct span *s = &m->span.at[number];
	struct buf address = {0};
	for (size_t i = 0; i < m->k->out.n; i++)
		if (m->k->out.at[i].span == number + 1) {
			m->k->out.at[i].cases |= 1ull << of;
			return;
		}
	buf_printf(&address, "((const char *)%s + %u)", buf_str(&m->n->of[s->pointer].text), s->from);
	struct key_part part = {.kind = KEY_SPAN,
				.address = mem_strdup(buf_str(&address)),
				.name = mem_strdup(name_of(m, s->pointer)),
				.bytes = s->most,
				.span = number + 1,
				.at = m->k->value_bytes,
				.cases = 1ull << of};
	m->k->value_bytes += s->most;
	buf_release(&address);
	vec_push(&m->k->out, part);
}

/* What is as long as a value says: all calls must read it, or none; the same for what they write. */
static char *close_spans(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows)
{
	for (unsigned i = 0; i < m->span.n; i++) {
		const struct span *s = &m->span.at[i];
		size_t used = 0, good = 0;
		for (size_t k = 0; k < rows->n; k++)
			if (!m->bad[rows->at[k]]) {
				used += span_used(m, s, rows->at[k]);
				good++;
			}
		if (!used || (!s->written && p->spans >> i & 1))
			continue;
		if (used < good || !s->written || !collect_span(m, step, p, i))
			return say(s->written ? "only some of its calls write what %s leads to"
					      : "only some of its calls read what %s leads to",
				   name_of(m, s->pointer));
	}
	return NULL;
}

/* NULL, or why calls that get here are not cached. */
static char *close_case(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows)
{
	uint32_t bad = UINT32_MAX, good = UINT32_MAX;
	uint64_t calls = 0, cost = 0;
	for (size_t i = 0; i < rows->n; i++) {
		uint32_t r = rows->at[i];
		calls += m->f->rows.at[r].calls;
		cost += m->f->rows.at[r].cost;
		if (!m->bad[r])
			good = r;
		else if (bad == UINT32_MAX || m->f->rows.at[r].cost > m->f->rows.at[bad].cost)
			bad = r;
	}
	if (good == UINT32_MAX)
		return mem_strdup(m->bad[bad]);
	if ((double)cost <= m->cheap * (double)calls)
		return mem_strdup("they cost less than a look-up");
	if (calls < 2 || !is_sure(m, p))
		return mem_strdup("too few calls were like this");
	if (bad != UINT32_MAX && !result_tells(m, rows, &m->k->step.at[step]))
		return mem_strdup(m->bad[bad]);
	char *why = collect_rest(m, step, p, rows);
	for (uint32_t i = 1; i <= m->nodes && !why; i++)
		for (size_t k = 0; k < rows->n && !why; k++)
			if (!m->bad[rows->at[k]] && !span_of(m, i, true) &&
			    !wrote(m, rows->at[k], i) != !wrote(m, good, i))
				why = say("only some of its calls write %s", name_of(m, i));
	if (!why)
		why = close_spans(m, step, p, rows);
	if (why)
		return why;
	if (m->k->cases == KEY_CASES || p->bytes > MAX_KEY)
		return mem_strdup("its calls differ in too many ways");
	m->k->step.at[step].number = ++m->k->cases;
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (wrote(m, good, i) && !span_of(m, i, true))
			add_output(m, i, m->k->cases);
	for (size_t i = 0; i < m->span.n; i++)
		if (m->span.at[i].written && p->spans >> i & 1)
			add_output_span(m, (unsigned)i, m->k->cases);
	return NULL;
}

static uint32_t make_step(struct maker *m, const struct path *from, const struct rowset *rows);

/* Where the deciding bytes are in the key. */
static void place_test(struct maker *m, struct key_step *s, const struct path *p, const struct test *t)
{
	s->test_name = mem_strdup(name_of(m, t->node));
	if (p->of[t->node].kind == KEY_IS_NULL) {
		s->test_at = p->of[t->node].at;
		s->test_bytes = 1;
		return;
	}
	unsigned bits = m->value[2 * t->node + t->half]->bits, low = (unsigned)__builtin_ctz(bits);
	s->test_bytes = 32 - (unsigned)__builtin_clz(bits) - low;
	s->test_at = p->of[t->node].byte[4 * t->half + low];
	if (bits >> low != (1u << s->test_bytes) - 1)
		for (unsigned i = 0; i < s->test_bytes; i++)
			s->test_mask |= bits >> (low + i) & 1 ? 0xffu << 8 * i : 0;
}

/* Do samples [from, to), which have one value, say what calls with that value do? One call does not; and where a
 * pointer would be followed from here on that other calls had a number in, it takes COLLECT_ENOUGH inputs. */
static bool is_rule(const struct maker *m, const struct path *p, const struct test *t, size_t from, size_t to)
{
	uint64_t calls = 0, inputs = 0;
	bool follows = false;
	for (size_t i = from; i < to; i++) {
		calls += t->at[i].calls;
		inputs += m->f->rows.at[t->at[i].row].inputs;
		for (uint32_t k = 1; k <= m->nodes && !follows; k++)
			follows = !p->of[k].done && shape_of(m, k)->flags & VG_SHAPE_VALUE &&
				  names_has_children(m->n, k) && class_of(m, t->at[i].row, k, 0) == VG_CLASS_POINTER;
	}
	return calls >= 2 && (!follows || inputs >= COLLECT_ENOUGH);
}

static void branch_off(struct maker *m, uint32_t step, struct path *p, const struct test *t)
{
	bool null = p->of[t->node].kind == KEY_IS_NULL;
	unsigned shift = null ? 0 : 8 * (unsigned)__builtin_ctz(m->value[2 * t->node + t->half]->bits);
	bool *gone = mem_zalloc(t->n + 1);
	place_test(m, &m->k->step.at[step], p, t);
	p->of[t->node].tested = true;
	for (size_t i = 0; i < t->n; i = discern_same_value(t, i)) {
		uint64_t h = discern_kinds(t->at, i, discern_same_value(t, i));
		struct key_branch b = {0};
		struct rowset rows = {0};
		for (size_t k = i; k < t->n; k = discern_same_value(t, k)) {
			size_t to = discern_same_value(t, k);
			if (gone[k] || discern_kinds(t->at, k, to) != h)
				continue;
			gone[k] = true;
			if (!is_rule(m, p, t, k, to))
				continue;
			vec_push(&b.value, t->at[k].value >> shift);
			for (size_t j = k; j < to; j++)
				vec_push(&rows, t->at[j].row);
		}
		if (rows.n) {
			b.step = make_step(m, p, &rows);
			vec_push(&m->k->step.at[step].branch, b);
		}
		vec_release(&rows);
	}
	free(gone);
}

static uint32_t make_step(struct maker *m, const struct path *from, const struct rowset *rows)
{
	uint32_t step = (uint32_t)m->k->step.n;
	struct path p = *from;
	struct test t = {0};
	bool known = true;
	p.of = mem_alloc(mem_mul(m->nodes + 1, sizeof *p.of));
	memcpy(p.of, from->of, (m->nodes + 1) * sizeof *p.of);
	p.depth++;
	vec_push(&m->k->step, (struct key_step){0});
	for (size_t i = 0; i < rows->n; i++) {
		const struct profile_row *r = &m->f->rows.at[rows->at[i]];
		m->k->step.at[step].calls += r->calls;
		m->k->step.at[step].cost += r->cost;
		known &= m->kind[rows->at[i]] <= KIND_CHEAP;
	}
	collect(m, step, &p, rows, false);
	if (!known && p.depth < MAX_DEPTH && m->k->step.n < MAX_STEPS && discern(m, rows, &p, &t)) {
		branch_off(m, step, &p, &t);
		vec_release(&t);
	} else {
		collect(m, step, &p, rows, true);
		m->k->step.at[step].why = close_case(m, step, &p, rows);
	}
	free(p.of);
	return step;
}

/* ---- all of it */

static void cover(struct maker *m)
{
	for (uint32_t i = 1; i <= m->nodes; i++) {
		const struct vg_shape *s = shape_of(m, i);
		m->covered[i] = s->where == VG_WHERE_RESULT || !m->n->of[i].named ||
				(s->parent && (m->covered[s->parent] || names_is_text(m->n, s->parent)));
	}
	for (size_t i = 0; i < m->f->values.n; i++) {
		const struct profile_half *v = &m->f->values.at[i];
		if (v->node && v->node <= m->nodes && v->bits)
			m->value[2 * v->node + v->half] = v;
	}
	span_find(m);
	for (uint32_t i = 1; i <= m->nodes; i++)
		m->covered[i] |= span_of(m, i, false) != NULL;
	m->k->spans = (unsigned)m->span.n;
}

/* Parameters that are followed were never equal where both are: the second would have no places of its own. What one
 * call writes through the first, and reads through the second, no other call shows. */
static void keep_apart(struct maker *m)
{
	for (uint32_t i = 1; i <= m->nodes; i++)
		for (uint32_t j = i + 1; j <= m->nodes && m->n->of[i].is_parameter; j++) {
			if (!m->n->of[j].is_parameter || !names_has_children(m->n, i) || !names_has_children(m->n, j))
				continue;
			vec_push(&m->k->apart, mem_strdup(buf_str(&m->n->of[i].text)));
			vec_push(&m->k->apart, mem_strdup(buf_str(&m->n->of[j].text)));
		}
}

/* Most of the work must be in calls that are cached. */
static void refuse(struct maker *m)
{
	uint64_t all = 0, cached = 0;
	const struct key_step *worst = NULL;
	for (size_t i = 0; i < m->f->rows.n; i++)
		all += m->f->rows.at[i].cost;
	for (size_t i = 0; i < m->k->step.n; i++) {
		const struct key_step *s = &m->k->step.at[i];
		if (s->number)
			cached += s->cost;
		else if (!s->branch.n && s->why && (!worst || s->cost > worst->cost))
			worst = s;
	}
	if (cached * 2 < all)
		m->k->refusal = mem_strdup(worst ? worst->why : "what its calls read follows no rule");
}

/* NULL, or why what calls leave in errno cannot be put back. */
static char *judge_errno(struct maker *m)
{
	uint32_t node = 1, writes = 0;
	while (node <= m->nodes && shape_of(m, node)->where != VG_WHERE_ERRNO)
		node++;
	if (node > m->nodes)
		return NULL;
	for (uint32_t i = 0; i < m->f->rows.n; i++)
		writes += class_of(m, i, node, 2) != 0;
	if (writes && writes < m->f->rows.n && (shape_of(m, node)->calls || shape_of(m, node)->flags & VG_SHAPE_ZERO))
		return mem_strdup("only some of its calls set errno");
	m->k->errno_kind = !writes                  ? KEY_ERRNO_NOTHING
			   : writes == m->f->rows.n ? KEY_ERRNO_ALWAYS
						    : KEY_ERRNO_SOMETIMES;
	return NULL;
}

void cases_make(struct key *k, const struct names *n, double cheap)
{
	const struct profile_function *f = n->f;
	struct maker m = {.k = k, .n = n, .f = f, .nodes = (uint32_t)f->shape.n, .cheap = cheap};
	struct path p = {.of = mem_zalloc(mem_mul(m.nodes + 1, sizeof *p.of))};
	struct rowset rows = {0};
	m.covered = mem_zalloc(m.nodes + 1);
	m.value = mem_zalloc(mem_mul(2 * m.nodes + 2, sizeof *m.value));
	m.bad = mem_zalloc(mem_mul(f->rows.n, sizeof *m.bad));
	m.kind = mem_zalloc(mem_mul(f->rows.n, sizeof *m.kind));
	m.span_in = mem_zalloc(mem_mul(m.nodes + 1, sizeof *m.span_in));
	m.span_out = mem_zalloc(mem_mul(m.nodes + 1, sizeof *m.span_out));
	cover(&m);
	keep_apart(&m);
	for (uint32_t i = 0; i < f->rows.n; i++) {
		describe_row(&m, i);
		if (!is_initialisation(&m, i))
			vec_push(&rows, i);
	}
	make_step(&m, &p, &rows);
	refuse(&m);
	if (!k->refusal)
		k->refusal = judge_errno(&m);
	for (uint32_t i = 0; i < f->rows.n; i++)
		free(m.bad[i]);
	free(m.bad);
	free(m.kind);
	free(m.value);
	free(m.covered);
	free(m.span_in);
	free(m.span_out);
	vec_release(&m.span);
	free(p.of);
	vec_release(&rows);
}
