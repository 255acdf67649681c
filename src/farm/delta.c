/* SPDX-License-Identifier: MIT */
/* Texts and their differences: see delta.h.
 *
 * A difference names the files that changed. A changed file is a list of steps: some new bytes, then a jump in the base
 * and a stretch copied from there. The writer walks both texts together; where they part it looks for the next bytes of
 * the text further on in the base: what a reducer does is mostly to leave things out. A small budget bounds the search;
 * what is not found is sent as it is. Nothing here may be wrong, only longer than need be. */
#include "farm/delta.h"

#include "farm/cursor.h"

#include <string.h>

enum {
	ANCHOR = 32,      /* bytes that must agree to go on far away, */
	NEAR_ANCHOR = 8,  /* or near by, */
	NEAR = 4096,      /* that is, within so many bytes */
	SEARCH = 64 << 20 /* bytes of the base that one text may cost to search */
};

void texts_init(struct texts *t, size_t n)
{
	t->text = mem_zalloc(mem_mul(n, sizeof *t->text));
	t->absent = mem_zalloc(n);
	t->n = n;
}

void texts_release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		buf_release(&t->text[i]);
	free(t->text);
	free(t->absent);
	*t = (struct texts){0};
}

void texts_copy(struct texts *t, const struct buf *text, const bool *absent)
{
	for (size_t i = 0; i < t->n; i++) {
		t->absent[i] = absent && absent[i];
		buf_clear(&t->text[i]);
		if (!t->absent[i])
			buf_add(&t->text[i], buf_str(&text[i]), text[i].n);
	}
}

void texts_write(struct buf *out, const struct texts *t)
{
	put_number(out, t->n);
	for (size_t i = 0; i < t->n; i++) {
		put_number(out, t->absent[i] ? 0 : (uint64_t)t->text[i].n + 1);
		if (!t->absent[i])
			buf_add(out, buf_str(&t->text[i]), t->text[i].n);
	}
}

static enum rc malformed(struct err *e)
{
	return err_set(e, RC_INPUT, "a text that is not well formed");
}

enum rc texts_read(struct texts *t, const void *bytes, size_t n, size_t most, struct err *e)
{
	struct cursor c = {.at = bytes, .left = n};
	if (n > most || cursor_number(&c) != t->n)
		return malformed(e);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t len = cursor_number(&c);
		const unsigned char *p = cursor_bytes(&c, len ? len - 1 : 0);
		if (!p)
			return malformed(e);
		t->absent[i] = !len;
		buf_clear(&t->text[i]);
		buf_add(&t->text[i], p, len ? len - 1 : 0);
	}
	return c.bad || c.left ? malformed(e) : RC_OK;
}

/* ---- writing a difference */

/* How many bytes at the beginnings of a and b, both at least n long, agree. */
static size_t agree(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	while (i + 4096 <= n && memcmp(a + i, b + i, 4096) == 0)
		i += 4096;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static size_t agree_back(const char *a_end, const char *b_end, size_t n)
{
	size_t i = 0;
	while (i + 4096 <= n && memcmp(a_end - i - 4096, b_end - i - 4096, 4096) == 0)
		i += 4096;
	while (i < n && a_end[-1 - (ptrdiff_t)i] == b_end[-1 - (ptrdiff_t)i])
		i++;
	return i;
}

struct differ {
	struct buf *out;
	const char *base, *text;
	size_t n_base, n_text;
	size_t copied;  /* end of the last stretch in the base */
	size_t literal; /* start of the bytes that are not written yet */
	uint64_t budget;
};

/* Bytes up to `at`, then n bytes of the base from `from`; n 0: nothing more. */
static void step(struct differ *d, size_t at, size_t from, size_t n)
{
	put_counted(d->out, d->text + d->literal, at - d->literal);
	put_number(d->out, zigzag_diff(d->copied, from));
	put_number(d->out, n);
	d->copied = from + n;
	d->literal = at + n;
}

/* Where in the base, from `from` on, the text goes on that stands at `at`; SIZE_MAX: nowhere. */
static size_t find(struct differ *d, size_t from, size_t at)
{
	size_t left = d->n_text - at, room = d->n_base - from;
	const char *p = NULL;
	if (left >= ANCHOR && room >= ANCHOR && d->budget >= room) {
		p = memmem(d->base + from, room, d->text + at, ANCHOR);
		d->budget -= p ? (size_t)(p - d->base) - from : room;
	}
	if (!p && left >= NEAR_ANCHOR && d->budget >= NEAR) {
		p = memmem(d->base + from, room < NEAR ? room : NEAR, d->text + at, NEAR_ANCHOR);
		d->budget -= NEAR;
	}
	return p ? (size_t)(p - d->base) : SIZE_MAX;
}

/* One file: its length, then steps up to that length. */
static void write_file(struct buf *out, const struct buf *base, const struct buf *text)
{
	struct differ d = {out, buf_str(base), buf_str(text), base->n, text->n, 0, 0, SEARCH};
	size_t less = base->n < text->n ? base->n : text->n;
	size_t head = agree(d.base, d.text, less);
	size_t tail = agree_back(d.base + base->n, d.text + text->n, less - head);
	size_t at = head, from = head, end = text->n - tail;
	put_number(out, text->n);
	if (head)
		step(&d, 0, 0, head);
	while (at < end) {
		size_t q = find(&d, from, at);
		if (q == SIZE_MAX) {
			at++;
			continue;
		}
		size_t most = text->n - at < base->n - q ? text->n - at : base->n - q;
		size_t n = agree(d.base + q, d.text + at, most);
		step(&d, at, q, n);
		at += n;
		from = q + n;
	}
	if (at < text->n && at >= end)
		step(&d, at, base->n - (text->n - at), text->n - at);
	else if (d.literal < text->n)
		step(&d, text->n, d.copied, 0);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (!a->n || memcmp(a->at, b->at, a->n) == 0);
}

void delta_write(struct buf *out, const struct texts *base, const struct buf *text, const bool *absent)
{
	static const struct buf nothing;
	size_t last = 0;
	for (size_t i = 0; i < base->n; i++) {
		bool gone = absent && absent[i];
		if (gone == base->absent[i] && (gone || same(&base->text[i], &text[i])))
			continue;
		put_number(out, (uint64_t)(i - last) << 1 | gone);
		last = i + 1;
		if (!gone)
			write_file(out, base->absent[i] ? &nothing : &base->text[i], &text[i]);
	}
}

/* ---- reading one */

static bool read_file(struct cursor *c, const struct buf *base, struct buf *out, size_t most)
{
	uint64_t size = cursor_number(c), at = 0;
	if (c->bad || size > most)
		return false;
	buf_clear(out);
	while (out->n < size) {
		uint64_t n = cursor_number(c);
		const unsigned char *p = cursor_bytes(c, n);
		if (!p || n > size - out->n)
			return false;
		buf_add(out, p, n);
		at = zigzag_apply(at, cursor_number(c));
		uint64_t copy = cursor_number(c);
		if (c->bad || at > base->n || copy > base->n - at || copy > size - out->n || !(n || copy))
			return false;
		buf_add(out, buf_str(base) + at, copy);
		at += copy;
	}
	return true;
}

enum rc delta_read(struct texts *t, const struct texts *base, const void *bytes, size_t n, size_t most, struct err *e)
{
	static const struct buf nothing;
	struct cursor c = {.at = bytes, .left = n};
	size_t total = 0;
	if (t->n != base->n)
		return malformed(e);
	texts_copy(t, base->text, base->absent);
	for (size_t i = 0; i < t->n; i++)
		total += t->text[i].n;
	for (uint64_t next = 0; c.left;) {
		uint64_t word = cursor_number(&c), at = word >> 1;
		if (c.bad || total > most || next >= t->n || at >= t->n - next)
			return malformed(e);
		at += next;
		next = at + 1;
		total -= t->text[at].n;
		t->absent[at] = word & 1;
		buf_clear(&t->text[at]);
		const struct buf *from = base->absent[at] ? &nothing : &base->text[at];
		if (!t->absent[at] && !read_file(&c, from, &t->text[at], most - total))
			return malformed(e);
		total += t->text[at].n;
	}
	return RC_OK;
}
