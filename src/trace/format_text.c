/* SPDX-License-Identifier: MIT */
/* Ids in text, between blanks or line by line; lines that start with '#' are comments. What the ids are is decided by
 * the first: numbers (decimal, or 0x…) or strings, which are replaced by their 64-bit hash. */
#include "trace/formats.h"

#include "data/digest.h"

#include <string.h>

enum { LONGEST = 4096 };

static enum rc begin_hex(struct trace_reader *r, struct err *e)
{
	(void)e;
	r->tokens = TOKEN_HEX;
	return RC_OK;
}

static enum rc begin_strings(struct trace_reader *r, struct err *e)
{
	(void)e;
	r->tokens = TOKEN_STRING;
	r->meta.strings = true;
	return RC_OK;
}

static bool blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Where the parser is in a view; only line and column live on between views. */
struct cursor {
	const unsigned char *p;
	size_t n, at;
	size_t line_start; /* offset of the line's first byte, as far as it is in this view */
	bool last;         /* nothing follows the view */
};

static enum rc tokens_of_view(struct trace_reader *r, struct cursor *c, struct err *e)
{
	/* a token that starts before `safe` ends inside the view, or is too long */
	size_t safe = c->last ? c->n : c->n - LONGEST;
	while (c->at < safe && r->block.n < TRACE_BLOCK) {
		unsigned char ch = c->p[c->at];
		if (blank(ch)) {
			c->at++;
			if (ch == '\n') {
				r->line++;
				c->line_start = c->at;
			}
			continue;
		}
		size_t end = c->at;
		bool comment = ch == '#' && c->at == c->line_start;
		while (end < c->n && (comment ? c->p[end] != '\n' : !blank(c->p[end])))
			end++;
		long col = (long)(c->at - c->line_start) + 1;
		if (end - c->at > LONGEST || (end == c->n && !c->last))
			return trace_bad_line(r, e, col, "longer than %d bytes", LONGEST);
		if (!comment) {
			enum rc rc =
				trace_token(r, (const char *)c->p + c->at, end - c->at, col, &r->keys[r->block.n], e);
			if (rc)
				return rc;
			r->block.n++;
		}
		c->at = end;
	}
	return RC_OK;
}

static enum rc decode_tokens(struct trace_reader *r, struct err *e)
{
	if (!r->line)
		r->line = 1;
	for (;;) {
		struct cursor c = {0};
		enum rc rc = input_view(r->in, 4 * LONGEST, &c.p, &c.n, e);
		if (rc)
			return rc;
		c.last = c.n < 4 * LONGEST;
		/* in the middle of a line: its start is as far back as the state says */
		size_t before = r->column;
		c.line_start = 0 - before;
		rc = tokens_of_view(r, &c, e);
		if (rc)
			return rc;
		r->column = c.at - c.line_start;
		input_skip(r->in, c.at);
		if (r->block.n || (c.last && c.at == c.n))
			return RC_OK;
	}
}

static enum rc line_as_key(struct trace_reader *r, const char *p, size_t n, struct err *e)
{
	(void)e;
	r->keys[r->block.n++] = hash64(p, n);
	return RC_OK;
}

static enum rc decode_lines(struct trace_reader *r, struct err *e)
{
	return trace_each_line(r, line_as_key, e);
}

const struct trace_format format_text = {
	.name = "text", .suffixes = {".txt", ".text"}, .address_unit = 1, .decode = decode_tokens};
const struct trace_format format_hex = {
	.name = "hex", .suffixes = {".hex"}, .address_unit = 1, .begin = begin_hex, .decode = decode_tokens};
const struct trace_format format_strings = {.name = "strings", .begin = begin_strings, .decode = decode_tokens};
const struct trace_format format_lines = {.name = "lines", .begin = begin_strings, .decode = decode_lines};
