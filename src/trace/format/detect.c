/* SPDX-License-Identifier: MIT */
/* Which format a trace has, if nobody says so: it is recognised by its first bytes, then by the file's suffix, then as
 * text; a headerless binary without a known suffix must be named, and so must text that is neither numbers nor a word a
 * line. What a name promises and the first bytes deny is refused: text as binary, binary as text, words of another
 * width or byte order, a table of numbers as keys (doubt.c). */
#include "trace/format/formats.h"

#include "base/bits.h"

#include <ctype.h>
#include <string.h>

static const struct trace_format *const formats[] = {
#define X(NAME) &format_##NAME,
	TRACE_FORMATS(X)
#undef X
		NULL,
};

const char *trace_format_name(size_t i)
{
	return i < ARRAY_LEN(formats) && formats[i] ? formats[i]->name : NULL;
}

static const struct trace_format *by_name(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);
	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

static const struct trace_format *by_suffix(const char *name)
{
	size_t n = strlen(name) - input_packed_suffix(name);
	for (size_t i = 0; formats[i]; i++)
		for (size_t j = 0; formats[i]->suffixes[j]; j++)
			if (ends_with(name, n, formats[i]->suffixes[j]))
				return formats[i];
	return NULL;
}

static const struct trace_format *by_content(const unsigned char *p, size_t n)
{
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->sniff && formats[i]->sniff(p, n))
			return formats[i];
	return NULL;
}

/* The place of the first byte that text does not have; n: none. */
static size_t text_until(const unsigned char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (p[i] >= 32 || isspace(p[i])))
		i++;
	return i;
}

static bool starts_as_json(const unsigned char *p, size_t n)
{
	size_t i = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (i < n && isspace(p[i]))
		i++;
	return i < n && (p[i] == '{' || p[i] == '[');
}

/* The name says one thing, the first bytes another. */
static enum rc check_content(struct trace_reader *r, const unsigned char *p, size_t n, struct err *e)
{
	const struct trace_format *f = r->format;
	size_t text = text_until(p, n);
	if (f->binary && text == n && n >= 16)
		return err_set(e, RC_INPUT, "%s: record 1: this is text, not %s (--format=%s reads it all the same)",
			       input_name(r->in), f->name, f->name);
	const char *other = trace_other_words(f, p, n);
	if (other)
		return err_set(e, RC_INPUT,
			       "%s: record 1: the name says %s, but these look like words of %s: name the format "
			       "(--format=%s or --format=%s)",
			       input_name(r->in), f->name, other, other, f->name);
	size_t columns, rising = f == &format_text && !r->o.requests ? trace_rising_column(p, n, &columns) : 0;
	if (rising)
		return err_at(e, RC_INPUT, input_name(r->in), 1, 0,
			      "every line has %zu numbers, and number %zu rises from line to line: name the format "
			      "(--format=columns: a table with the key in --column=N, --format=text: all are keys)",
			      columns, rising);
	if (f->binary || f->sniff || text == n)
		return RC_OK;
	long line = 1;
	for (size_t i = 0; i < text; i++)
		line += p[i] == '\n';
	return err_at(e, RC_INPUT, input_name(r->in), line, 0, "byte 0x%02x: this is not %s but a binary file", p[text],
		      f->name);
}

enum rc trace_find_format(struct trace_reader *r, const char *name, struct err *e)
{
	const unsigned char *p;
	size_t n;
	if (r->o.path && !r->o.format) {
		r->format = &format_jsonl;
		return RC_OK;
	}
	if (r->o.format) {
		if (!(r->format = by_name(r->o.format)))
			return err_set(e, RC_INPUT, "unknown trace format '%s'", r->o.format);
		return RC_OK;
	}
	enum rc rc = input_view(r->in, DOUBT_BYTES, &p, &n, e);
	if (rc)
		return rc;
	n = n < DOUBT_BYTES ? n : DOUBT_BYTES;
	if (!(r->format = by_content(p, n)) && !(r->format = by_suffix(name)) && text_until(p, n) == n)
		r->format = &format_text;
	if (r->format == &format_text && starts_as_json(p, n))
		r->format = &format_jsonl;
	if (!r->format)
		return err_set(e, RC_INPUT, "%s: unknown binary format; name it with --format", input_name(r->in));
	return check_content(r, p, n, e);
}
