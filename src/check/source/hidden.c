/* SPDX-License-Identifier: MIT */
/* Annotations that no compiler keeps: the preprocessor drops the comments in the definition of a macro, so a contract
 * there would be switched off without a word. The text is that of a file before it is preprocessed. Lines, comments
 * and strings are told apart as C does, but for trigraphs; what stands in a part that is left out (#if 0) counts. */
#include "check/source/hidden.h"

#include <string.h>

struct reader {
	const char *p, *end;
	long line;
	const char *line_start;
	bool fresh, define; /* nothing but blanks on the line yet; in the definition of a macro */
};

static bool at(const struct reader *r, const char *s)
{
	size_t n = strlen(s);
	return (size_t)(r->end - r->p) >= n && memcmp(r->p, s, n) == 0;
}

static void step(struct reader *r)
{
	if (*r->p == '\\' && r->p + 1 < r->end && r->p[1] == '\n')
		r->p++; /* the line goes on */
	else if (*r->p == '\n')
		r->fresh = true, r->define = false;
	if (*r->p == '\n') {
		r->line++;
		r->line_start = r->p + 1;
	}
	r->p++;
}

/* Is the '#' here that of #define? */
static bool is_define(const struct reader *r)
{
	const char *s = r->p + 1;
	while (s < r->end && (*s == ' ' || *s == '\t'))
		s++;
	return r->end - s > 6 && memcmp(s, "define", 6) == 0 && (s[6] == ' ' || s[6] == '\t');
}

/* At the start of a comment; r goes behind it. */
static enum rc comment(struct reader *r, const char *file, struct err *e)
{
	bool block = r->p[1] == '*', define = r->define, fresh = r->fresh;
	struct place where = {file, r->line, (long)(r->p - r->line_start) + 1};
	const char *from = r->p += 2;
	while (r->p < r->end && !(block ? at(r, "*/") : *r->p == '\n'))
		step(r);
	const char *to = r->p;
	r->p += block && r->p < r->end ? 2 : 0;
	r->define = define && block; /* a comment of several lines does not end a directive */
	r->fresh = fresh || !block;
	if (define && from < to && *from == '@' && annot_is_ours(from + 1, (size_t)(to - from - 1)))
		return annot_fail(e, where,
				  "the compiler drops the comments in the definition of a macro: write the "
				  "annotation outside it");
	return RC_OK;
}

static void string(struct reader *r)
{
	char quote = *r->p;
	step(r);
	while (r->p < r->end && *r->p != quote && *r->p != '\n') {
		if (*r->p == '\\' && r->p + 1 < r->end && r->p[1] != '\n')
			r->p++;
		step(r);
	}
	if (r->p < r->end && *r->p == quote)
		step(r);
}

enum rc annot_in_macros(const char *text, size_t n, const char *file, struct err *e)
{
	struct reader r = {.p = text, .end = text + n, .line = 1, .line_start = text, .fresh = true};
	while (r.p < r.end) {
		if (at(&r, "/*") || at(&r, "//")) {
			if (comment(&r, file, e) != RC_OK)
				return RC_INPUT;
		} else if (*r.p == '"' || *r.p == '\'') {
			r.fresh = false;
			string(&r);
		} else {
			r.define |= r.fresh && *r.p == '#' && is_define(&r);
			r.fresh &= *r.p == ' ' || *r.p == '\t';
			step(&r);
		}
	}
	return RC_OK;
}
