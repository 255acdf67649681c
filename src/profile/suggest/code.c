/* SPDX-License-Identifier: MIT */
/* Writing the code. It builds the key, looks it up, and on a miss calls the function once more with a flag that
 * lets that call through to the body. The flag is per thread and is taken down by the call it is for, so
 * recursion finds the cache again. Calls of no known case go to the body as if nothing were there. */
#include "profile/suggest/code.h"

#include <ctype.h>
#include <string.h>

static void indent(struct buf *b, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		buf_char(b, '\t');
}

/* The function's name with letters, digits and underscores only. */
static void write_name(struct buf *b, const struct profile_function *f)
{
	for (const char *s = f->sig->name; *s; s++)
		buf_char(b, isalnum((unsigned char)*s) ? *s : '_');
}

static void write_call(struct buf *b, const struct types_function *t, const char *name)
{
	buf_printf(b, "%s(", name);
	bool any = false;
	for (unsigned i = 0; i < t->n; i++)
		if (!t->parameter[i].artificial) {
			buf_printf(b, "%s%s", any ? ", " : "", t->parameter[i].name);
			any = true;
		}
	buf_char(b, ')');
}

static const char *kind_of(const struct profile_function *f)
{
	return strcmp(f->size, "single") == 0 && strcmp(f->scope, "global") == 0 ? "RF_MEMO_SINGLE" : "RF_MEMO_LRU";
}

/* A cache in each object is kept here as one table for all of them: as many entries as inputs were alive at once. */
static uint64_t entries_of(const struct profile_function *f)
{
	uint64_t n = strcmp(f->scope, "instance") == 0 ? f->caches.lru_enough : f->entries, all = 16;
	if (f->grows)
		n *= 2;
	while (all < n && all < 1 << 20)
		all *= 2;
	return all;
}

/* ---- the key */

/* How long it is; then what it holds. */
static void write_span(struct buf *b, const struct key_part *p, unsigned depth)
{
	buf_printf(b, "rf_length = 0; /* %s */\n", p->name);
	indent(b, depth);
	buf_printf(b, "memcpy(&rf_length, rf_key + %u, %u);\n", p->length_at, p->length_bytes);
	indent(b, depth);
	buf_printf(b, "if (rf_length > %u)\n", (p->most - p->extra) / p->scale);
	indent(b, depth + 1);
	buf_str_add(b, "break;\n");
	indent(b, depth);
	buf_printf(b, "rf_bytes%u = %u * rf_length + %u;\n", p->span, p->scale, p->extra);
	if (!p->bytes)
		return;
	indent(b, depth);
	buf_printf(b, "memcpy(rf_key + %u, %s, rf_bytes%u);\n", p->at, p->address, p->span);
}

static void write_part(struct buf *b, const struct key_part *p, unsigned depth)
{
	indent(b, depth);
	if (p->kind == KEY_BYTES) {
		buf_printf(b, "memcpy(rf_key + %u, %s, %u);\n", p->at, p->address, p->bytes);
	} else if (p->kind == KEY_SPAN) {
		write_span(b, p, depth);
	} else if (p->kind == KEY_IS_NULL) {
		buf_printf(b, "rf_key[%u] = %s != 0;\n", p->at, p->address);
	} else if (p->kind == KEY_CONST) {
		buf_printf(b, "if (memcmp(%s, \"", p->address);
		for (unsigned i = 0; i < p->bytes; i++)
			buf_printf(b, "\\%03o", (unsigned)(p->value >> 8 * i & 0xff));
		buf_printf(b, "\", %u) != 0)\n", p->bytes);
		indent(b, depth + 1);
		buf_str_add(b, "break;\n");
	} else {
		buf_printf(b, "if (strlen(%s) >= %u)\n", p->address, p->bytes);
		indent(b, depth + 1);
		buf_str_add(b, "break;\n");
		indent(b, depth);
		buf_printf(b, "memcpy(rf_key + %u, %s, strlen(%s));\n", p->at, p->address, p->address);
	}
}

/* rf_word against the values, runs of them by their ends. */
static void write_condition(struct buf *b, const uint32_t *value, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t k = i + 1;
		while (k < n && value[k] == value[k - 1] + 1)
			k++;
		buf_str_add(b, i ? " || " : "");
		if (k - i < 3) {
			buf_printf(b, "rf_word == %u", value[i]);
			k = i + 1;
		} else if (value[i] == 0) {
			buf_printf(b, "rf_word <= %u", value[k - 1]);
		} else {
			const char *open = n > k - i ? "(" : "", *close = n > k - i ? ")" : "";
			buf_printf(b, "%srf_word >= %u && rf_word <= %u%s", open, value[i], value[k - 1], close);
		}
		i = k;
	}
}

/* The same data through two pointers is another case than equal data at two places. */
static void write_apart(struct buf *b, const struct key *k)
{
	for (size_t i = 0; i + 1 < k->apart.n; i += 2) {
		const char *one = k->apart.at[i], *other = k->apart.at[i + 1];
		bool is_address = one[0] == '(' && one[1] == '&';
		buf_printf(b, "\t\t\tif (%s%s(const void *)%s == (const void *)%s)\n\t\t\t\tbreak;\n",
			   is_address ? "" : one, is_address ? "" : " && ", one, other);
	}
}

static bool is_cached(const struct key *k, uint32_t step)
{
	const struct key_step *s = &k->step.at[step];
	bool any = s->number != 0;
	for (size_t i = 0; i < s->branch.n; i++)
		any |= is_cached(k, s->branch.at[i].step);
	return any;
}

static void write_step(struct buf *b, const struct key *k, uint32_t step, unsigned depth)
{
	const struct key_step *s = &k->step.at[step];
	for (size_t i = 0; i < s->part.n; i++)
		write_part(b, &s->part.at[i], depth);
	if (s->number) {
		indent(b, depth);
		buf_printf(b, "rf_case = %u;\n", s->number);
	}
	if (!is_cached(k, step) || !s->branch.n)
		return;
	indent(b, depth);
	buf_printf(b, "rf_word = 0; /* %s */\n", s->test_name);
	indent(b, depth);
	buf_printf(b, "memcpy(&rf_word, rf_key + %u, %u);\n", s->test_at, s->test_bytes);
	if (s->test_mask) {
		indent(b, depth);
		buf_printf(b, "rf_word &= 0x%xu;\n", s->test_mask);
	}
	bool first = true;
	for (size_t i = 0; i < s->branch.n; i++) {
		const struct key_branch *x = &s->branch.at[i];
		if (!is_cached(k, x->step))
			continue;
		if (first)
			indent(b, depth);
		buf_str_add(b, first ? "if (" : " else if (");
		write_condition(b, x->value.at, x->value.n);
		buf_str_add(b, ") {\n");
		write_step(b, k, x->step, depth + 1);
		indent(b, depth);
		buf_char(b, '}');
		first = false;
	}
	buf_char(b, '\n');
}

/* ---- the value */

static void write_cases(struct buf *b, const struct key *k, uint64_t cases, unsigned depth)
{
	bool any = false;
	if (cases == ((2ull << k->cases) - 2))
		return;
	buf_str_add(b, "if (");
	for (unsigned i = 1; i <= k->cases; i++)
		if (cases >> i & 1) {
			buf_printf(b, "%srf_case == %u", any ? " || " : "", i);
			any = true;
		}
	buf_str_add(b, ")\n");
	indent(b, depth);
}

/* Where the value goes, and the pointers in it, as expressions of what was there before the call: after it, or after
 * one of them was written, they may lead elsewhere. */
static bool moves(const struct key *k)
{
	bool any = false;
	for (size_t i = 0; i < k->out.n; i++)
		any |= k->out.at[i].kind == KEY_SAME || k->out.at[i].leads;
	return any;
}

static void write_places(struct buf *b, const struct key *k)
{
	buf_str_add(b, "\t\tif (rf_case) {\n");
	for (size_t i = 0; i < k->out.n; i++) {
		const struct key_part *p = &k->out.at[i];
		if (!p->is_result) {
			buf_str_add(b, "\t\t\t");
			write_cases(b, k, p->cases, 4);
			buf_printf(b, "rf_place[%zu] = (void *)(%s);\n", i, p->address);
		}
		if (p->kind == KEY_SAME) {
			buf_str_add(b, "\t\t\t");
			write_cases(b, k, p->cases, 4);
			buf_printf(b, "memcpy(&rf_same[%zu], &%s, %u);\n", i, p->source, p->bytes);
		}
	}
	buf_str_add(b, "\t\t}\n");
}

/* Only what is used is declared: the patch compiles without warnings. */
static void declare_places(struct buf *b, const struct key *k)
{
	bool place = false, same = false;
	for (size_t i = 0; i < k->out.n; i++) {
		place |= !k->out.at[i].is_result;
		same |= k->out.at[i].kind == KEY_SAME;
	}
	if (place)
		buf_printf(b, "\t\tvoid *rf_place[%zu] = {0};\n", k->out.n);
	if (same)
		buf_printf(b, "\t\tvoid *rf_same[%zu] = {0};\n", k->out.n);
}

/* An output's address. */
static void write_place(struct buf *place, const struct key *k, size_t i)
{
	buf_clear(place);
	if (moves(k) && !k->out.at[i].is_result)
		buf_printf(place, "rf_place[%zu]", i);
	else
		buf_printf(place, "(void *)(%s)", k->out.at[i].address);
}

static void write_outputs(struct buf *b, const struct key *k, bool restore)
{
	struct buf place = {0};
	for (size_t i = 0; i < k->out.n; i++) {
		const struct key_part *p = &k->out.at[i];
		if (p->kind == KEY_SAME && !restore)
			continue;
		buf_str_add(b, "\t\t\t");
		write_cases(b, k, p->cases, 4);
		write_place(&place, k, i);
		const char *at = restore || moves(k) ? buf_str(&place) : p->address;
		if (p->kind == KEY_SAME)
			buf_printf(b, "memcpy(%s, &rf_same[%zu], %u);\n", at, i, p->bytes);
		else if (p->kind == KEY_SPAN && restore)
			buf_printf(b, "memcpy(%s, rf_value.out + %u, rf_bytes%u);\n", at, p->at, p->span);
		else if (p->kind == KEY_SPAN)
			buf_printf(b, "memcpy(rf_value.out + %u, %s, rf_bytes%u);\n", p->at, at, p->span);
		else if (restore)
			buf_printf(b, "memcpy(%s, rf_value.out + %u, %u);\n", at, p->at, p->bytes);
		else
			buf_printf(b, "memcpy(rf_value.out + %u, %s, %u);\n", p->at, at, p->bytes);
	}
	buf_release(&place);
}

/* Only some results of a case may be kept. */
static void write_kept(struct buf *b, const struct key *k)
{
	bool any = false;
	for (size_t i = 0; i < k->step.n; i++) {
		const struct key_step *s = &k->step.at[i];
		if (!s->number || !s->result.n)
			continue;
		if (!any)
			buf_printf(b, "\t\t\trf_word = 0;\n\t\t\tmemcpy(&rf_word, &rf_value.result, %u);\n",
				   k->result_bytes);
		any = true;
		buf_printf(b, "\t\t\tif (rf_case == %u && !(", s->number);
		write_condition(b, s->result.at, s->result.n);
		buf_str_add(b, "))\n\t\t\t\treturn rf_value.result;\n");
	}
}

/* ---- all of it */

static bool uses_word(const struct key *k)
{
	bool uses = false;
	for (size_t i = 0; i < k->step.n; i++) {
		const struct key_step *s = &k->step.at[i];
		uses |= (s->branch.n && is_cached(k, (uint32_t)i)) || (s->number && s->result.n);
	}
	return uses;
}

static void write_lengths(struct buf *b, const struct key *k)
{
	uint32_t used = 0;
	for (size_t i = 0; i < k->step.n; i++)
		for (size_t j = 0; j < k->step.at[i].part.n; j++)
			if (k->step.at[i].part.at[j].kind == KEY_SPAN && is_cached(k, (uint32_t)i))
				used |= 1u << (k->step.at[i].part.at[j].span - 1);
	if (used)
		buf_str_add(b, "\t\tunsigned long rf_length;\n");
	for (unsigned n = 1; n <= k->spans; n++)
		if (used >> (n - 1) & 1)
			buf_printf(b, "\t\tunsigned long rf_bytes%u = 0;\n", n);
}

void code_table(struct buf *b, const struct profile_function *f)
{
	struct buf name = {0};
	write_name(&name, f);
	buf_printf(b, "static rf_memo *rf_table_%s;\n", buf_str(&name));
	if (f->asks_world)
		buf_printf(b,
			   "/* refrain: to be called when what %s asked the system may have another answer */\n"
			   "void rf_%s_forget(void);\nvoid rf_%s_forget(void)\n{\n\trf_memo_clear(rf_table_%s);\n}\n",
			   f->sig->name, buf_str(&name), buf_str(&name), buf_str(&name));
	buf_release(&name);
}

static void write_table(struct buf *b, const struct profile *p, const struct profile_function *f, const char *table)
{
	buf_printf(b,
		   "\t\tif (!%s) {\n\t\t\trf_memo_config rf_config;\n\t\t\tmemset(&rf_config, 0, sizeof "
		   "rf_config);\n"
		   "\t\t\trf_config.name = \"%s\";\n\t\t\trf_config.kind = %s;\n\t\t\trf_config.entries = %llu;\n"
		   "\t\t\trf_config.key_size = sizeof rf_key;\n\t\t\trf_config.value_size = sizeof rf_value;\n%s"
		   "\t\t\t%s = rf_memo_new(&rf_config);\n\t\t}\n",
		   table, table + strlen("rf_table_"), kind_of(f), (unsigned long long)entries_of(f),
		   p->threads > 1 ? "\t\t\trf_config.thread_safe = 1;\n" : "", table);
}

void code_body(struct buf *b, const struct profile *p, const struct profile_function *f, const struct types_function *t,
	       const struct key *k)
{
	struct buf call = {0}, table = {0}, lengths = {0};
	write_call(&call, t, f->sig->name);
	write_lengths(&lengths, k);
	if (moves(k))
		declare_places(&lengths, k);
	buf_str_add(&table, "rf_table_");
	write_name(&table, f);
	buf_str_add(b,
		    "\t/* refrain: what the same input gave before is not computed again */\n"
		    "\tstatic __thread int rf_computing;\n\tif (rf_computing) {\n\t\trf_computing = 0;\n\t} else {\n");
	buf_printf(b, "\t\tunsigned char rf_key[%u] = {0};\n\t\tstruct {\n", k->key_bytes ? k->key_bytes : 1);
	if (t->returns)
		buf_printf(b, "\t\t\t__typeof__(%s) result;\n", buf_str(&call));
	if (k->errno_kind)
		buf_printf(b, "\t\t\tint error; /* left in errno%s */\n",
			   k->errno_kind == KEY_ERRNO_SOMETIMES ? "; 0: nothing" : "");
	if (k->value_bytes || !t->returns)
		buf_printf(b, "\t\t\tunsigned char out[%u];\n", k->value_bytes ? k->value_bytes : 1);
	buf_printf(b,
		   "\t\t} rf_value;\n\t\tint rf_case = 0; /* of the ways in which calls were seen to differ; 0: "
		   "another one */\n%s%s"
		   "\t\tmemset(%s&rf_value, 0, sizeof rf_value);\n\t\tdo {\n",
		   uses_word(k) ? "\t\tunsigned rf_word;\n" : "", buf_str(&lengths), t->cplusplus ? "(void *)" : "");
	write_apart(b, k);
	write_step(b, k, 0, 3);
	buf_str_add(b, "\t\t} while (0);\n");
	write_table(b, p, f, buf_str(&table));
	if (moves(k))
		write_places(b, k);
	buf_printf(b, "\t\tif (rf_case && RF_MEMO_GET(%s, &rf_key, &rf_value)) {\n", buf_str(&table));
	write_outputs(b, k, true);
	if (k->errno_kind)
		buf_printf(b, "%s\t\t\terrno = rf_value.error;\n",
			   k->errno_kind == KEY_ERRNO_SOMETIMES ? "\t\t\tif (rf_value.error)\n\t" : "");
	buf_printf(b, "\t\t\treturn%s;\n\t\t}\n\t\tif (rf_case) {\n%s\t\t\trf_computing = 1;\n\t\t\t%s%s;\n",
		   t->returns ? " rf_value.result" : "",
		   k->errno_kind == KEY_ERRNO_SOMETIMES ? "\t\t\tint rf_errno = errno;\n\t\t\terrno = 0;\n" : "",
		   t->returns ? "rf_value.result = " : "", buf_str(&call));
	if (k->errno_kind)
		buf_str_add(b, "\t\t\trf_value.error = errno;\n");
	if (k->errno_kind == KEY_ERRNO_SOMETIMES)
		buf_str_add(b, "\t\t\tif (!errno)\n\t\t\t\terrno = rf_errno;\n");
	write_kept(b, k);
	write_outputs(b, k, false);
	buf_printf(b, "\t\t\tRF_MEMO_PUT(%s, &rf_key, &rf_value);\n\t\t\treturn%s;\n\t\t}\n\t}\n", buf_str(&table),
		   t->returns ? " rf_value.result" : "");
	buf_release(&call);
	buf_release(&table);
	buf_release(&lengths);
}
