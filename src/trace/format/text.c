/* SPDX-License-Identifier: MIT */
/* Ids in text, between blanks or line by line; lines that start with '#' are comments. What the ids are is decided
 * by the first: numbers (decimal, or 0x…) or strings, which are replaced by their 64-bit hash. Text that was not
 * said to be of this format is a trace if it has numbers only, or one word on each line; anything else might be
 * prose, a log or a table, and is refused with the formats to choose from. */
#include "trace/format/formats.h"

#include "data/digest.h"
#include "data/text.h"

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

/* What the text might be, by the look of its first line. */
static enum rc unknown_text(struct trace_reader *r, const char *p, size_t n, long col, struct err *e)
{
	char shown[48];
	text_escape(p, n < 30 ? n : 30, shown, sizeof shown);
	const char *fields = "strings (keys between blanks), lines (a key on each line) or columns (a table)";
	for (size_t i = 0; i < n; i++)
		if (strchr(",;|\t", p[i]))
			fields = "csv (fields between commas or a --delimiter), columns (a table) or lines (a key on "
				 "each line)";
	return trace_bad_line(r, e, col,
			      "'%s%s' is neither numbers nor one word on a line; name the format with --format: %s",
			      shown, n > 30 ? "…" : "", fields);
}

/* The first token of text whose format was found out: numbers, or a word alone on its line. */
static enum rc decide(struct trace_reader *r, const struct cursor *c, size_t end, struct err *e)
{
	const char *p = (const char *)c->p + c->at;
	uint64_t key;
	if (trace_number(p, end - c->at, &key)) {
		r->tokens = TOKEN_NUMBER;
		return RC_OK;
	}
	const char *line_end = memchr(p, '\n', c->n - c->at);
	size_t n = line_end ? (size_t)(line_end - p) : c->n - c->at, word = end - c->at, rest = word;
	while (rest < n && blank((unsigned char)p[rest]))
		rest++;
	for (size_t i = 0; i < word; i++)
		if (strchr("{}[]<>\"',;|", p[i]))
			rest = 0;
	r->tokens = TOKEN_WORD;
	return rest == n ? RC_OK : unknown_text(r, p, n, (long)(c->at - c->line_start) + 1, e);
}

static enum rc one_token(struct trace_reader *r, const struct cursor *c, size_t end, struct err *e)
{
	const char *p = (const char *)c->p + c->at;
	size_t n = end - c->at;
	long col = (long)(c->at - c->line_start) + 1;
	if (r->tokens == TOKEN_UNKNOWN && !r->said) {
		enum rc rc = decide(r, c, end, e);
		if (rc)
			return rc;
	}
	if (r->tokens >= TOKEN_STRING && memchr(p, 0, n))
		return trace_bad_line(r, e, col, "a NUL byte: this is not text");
	if (r->tokens == TOKEN_WORD && r->line_used)
		return trace_bad_line(r, e, col,
				      "a second word on the line, where lines before had one; name the format with "
				      "--format: strings, lines, csv or columns");
	r->line_used = true;
	trace_set(r, COLUMN_REQUEST, (uint64_t)r->line);
	enum rc rc = trace_token(r, p, n, col, &r->keys[r->block.n], e);
	r->block.n += !rc;
	return rc;
}

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
				r->line_used = false;
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
			enum rc rc = one_token(r, c, end, e);
			if (rc)
				return rc;
		}
		c->at = end;
	}
	return RC_OK;
}

static enum rc decode_tokens(struct trace_reader *r, struct err *e)
{
	for (;;) {
		struct cursor c = {0};
		enum rc rc = input_view(r->in, 4 * LONGEST, &c.p, &c.n, e);
		if (rc)
			return rc;
		if (!r->line && c.n >= 3 && memcmp(c.p, "\xef\xbb\xbf", 3) == 0) /* a byte-order mark */
			c.at = 3;
		r->line += !r->line;
		c.last = c.n < 4 * LONGEST;
		/* in the middle of a line: its start is as far back as the state says */
		size_t before = r->column_at;
		c.line_start = 0 - before;
		rc = tokens_of_view(r, &c, e);
		if (rc)
			return rc;
		r->column_at = c.at - c.line_start;
		input_skip(r->in, c.at);
		if (r->block.n || (c.last && c.at == c.n))
			return RC_OK;
	}
}

static enum rc line_as_key(struct trace_reader *r, const char *p, size_t n, struct err *e)
{
	(void)e;
	trace_set(r, COLUMN_REQUEST, (uint64_t)r->line);
	r->keys[r->block.n++] = hash64(p, n);
	return RC_OK;
}

static enum rc decode_lines(struct trace_reader *r, struct err *e)
{
	return trace_each_line(r, line_as_key, e);
}

const struct trace_format format_text = {
	.name = "text", .suffixes = {".txt", ".text"}, .requests = true, .address_unit = 1, .decode = decode_tokens};
const struct trace_format format_hex = {.name = "hex",
					.suffixes = {".hex"},
					.requests = true,
					.address_unit = 1,
					.begin = begin_hex,
					.decode = decode_tokens};
const struct trace_format format_strings = {
	.name = "strings", .requests = true, .begin = begin_strings, .decode = decode_tokens};
const struct trace_format format_lines = {.name = "lines", .begin = begin_strings, .decode = decode_lines};
