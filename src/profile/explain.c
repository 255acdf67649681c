/* SPDX-License-Identifier: MIT */
/* Why two calls differed: the first argument or place, in order of execution, that is not the same in both. */
#include "profile/debug/datanames.h"
#include "profile/profile.h"

#include <string.h>

/* Bytes that read as text are shown as text. */
static bool text_value(uint64_t v, unsigned n, struct buf *out)
{
	char text[9] = "";
	unsigned k = 0;
	for (; k < n && (v >> (8 * k) & 0xff); k++) {
		unsigned c = v >> (8 * k) & 0xff;
		if (c < 32 || c > 126)
			return false;
		text[k] = (char)c;
	}
	/* two letters may be a number */
	if (k < 3 || (k < n && v >> (8 * k)))
		return false;
	buf_printf(out, "\"%s\"", text);
	return true;
}

static void value_text(uint64_t v, bool pointer, unsigned bytes, struct buf *out)
{
	if (pointer)
		buf_printf(out, "pointer %llu", (unsigned long long)v);
	else if (text_value(v, (unsigned)__builtin_popcount(bytes), out))
		return;
	else if (v < 1000000)
		buf_printf(out, "%llu", (unsigned long long)v);
	else
		buf_printf(out, "0x%llx", (unsigned long long)v);
}

/* The bytes that matter, moved to the bottom. */
static uint64_t low_bytes(uint64_t v, unsigned bytes)
{
	return bytes ? v >> (8 * (unsigned)__builtin_ctz(bytes)) : v;
}

static const char *argument_name(const struct profile_function *f, int64_t reg)
{
	for (unsigned i = 0; f->sig && i < f->sig->n_args; i++)
		if (f->sig->arg[i].reg == reg)
			return f->sig->arg[i].name[0] ? f->sig->arg[i].name : "argument";
	return "argument";
}

/* A pointer's number is the order in which it was met: arguments come first. */
static const char *anchor_name(const struct profile_function *f, const struct profile_dump *d, uint32_t anchor)
{
	for (size_t i = 0; i < d->entry.n && d->entry.at[i].where == VG_WHERE_ARG; i++)
		if (d->entry.at[i].before_is_pointer && d->entry.at[i].before == anchor)
			return argument_name(f, d->entry.at[i].offset);
	return NULL;
}

static void place_text(const struct profile_function *f, const struct profile_dump *d, const struct vg_dump_entry *x,
		       struct buf *out)
{
	int64_t offset = x->offset + (x->read | x->written ? __builtin_ctz(x->read | x->written) : 0);
	if (x->where == VG_WHERE_ARG) {
		buf_str_add(out, argument_name(f, x->offset));
	} else if (x->where == VG_WHERE_RESULT) {
		buf_str_add(out, "the result");
	} else if (x->symbol[0]) {
		buf_str_add(out, "global ");
		dataname_add(out, x->symbol);
		if (x->offset > 0)
			buf_printf(out, "+%lld", (long long)x->offset);
	} else {
		const char *name = anchor_name(f, d, x->anchor);
		const char *kind = x->where == VG_WHERE_STACK  ? "the caller's frame"
				   : x->where == VG_WHERE_HEAP ? "the heap"
							       : "memory";
		if (name)
			buf_printf(out, "%s->+%lld", name, (long long)offset);
		else
			buf_printf(out, "%s behind pointer %u, offset %lld", kind, x->anchor, (long long)offset);
	}
}

void profile_entry_text(const struct profile_function *f, const struct vg_dump_entry *d, struct buf *out)
{
	struct profile_dump none = {0};
	place_text(f, f->dump[0].entry.n ? &f->dump[0] : &none, d, out);
	buf_str_add(out, " = ");
	if (d->written)
		value_text(low_bytes(d->after, d->after_is_pointer ? 0 : d->written), d->after_is_pointer, d->written,
			   out);
	else
		value_text(low_bytes(d->before, d->before_is_pointer ? 0 : d->read), d->before_is_pointer, d->read,
			   out);
}

static bool is_input(const struct vg_dump_entry *d)
{
	return d->read != 0;
}

char *profile_difference(const struct profile_function *f)
{
	const struct profile_dump *a = &f->dump[0], *b = &f->dump[1];
	struct buf out = {0};
	size_t n = a->entry.n < b->entry.n ? a->entry.n : b->entry.n;
	for (size_t i = 0; i < n; i++) {
		const struct vg_dump_entry *x = &a->entry.at[i], *y = &b->entry.at[i];
		if (!is_input(x) && !is_input(y))
			break;
		bool same_place =
			x->where == y->where && x->anchor == y->anchor && x->offset == y->offset && x->read == y->read;
		if (same_place && x->before == y->before && x->before_is_pointer == y->before_is_pointer)
			continue;
		if (same_place) {
			place_text(f, a, x, &out);
			buf_str_add(&out, " was ");
			value_text(low_bytes(x->before, x->before_is_pointer ? 0 : x->read), x->before_is_pointer,
				   x->read, &out);
			buf_str_add(&out, ", then ");
			value_text(low_bytes(y->before, y->before_is_pointer ? 0 : y->read), y->before_is_pointer,
				   y->read, &out);
		} else {
			buf_str_add(&out, "one read ");
			place_text(f, a, x, &out);
			buf_str_add(&out, ", the other ");
			place_text(f, b, y, &out);
		}
		break;
	}
	if (!out.n)
		buf_str_add(&out, a->entry.n == b->entry.n ? "no difference found (the program is not deterministic)"
							   : "one read more than the other");
	char *text = mem_strdup(buf_str(&out));
	buf_release(&out);
	return text;
}
