/* SPDX-License-Identifier: MIT */
/* Lines of fields: the key in one column, its object's size perhaps in another. Fields may be quoted ("a ""b"""). */
#include "trace/formats.h"

#include "data/digest.h"
#include "data/mem.h"
#include "data/text.h"

#include <stdlib.h>
#include <string.h>

struct csv {
	size_t key, size; /* columns from 0; size SIZE_MAX: none */
	char delimiter;
	char *unquoted; /* a field without its quotes */
	size_t room;
};

struct field {
	const char *p;
	size_t n;
	long col;
};

/* The field that starts at *at, which moves behind its delimiter; false when the line has no more. */
static bool next_field(struct csv *c, const char *p, size_t n, size_t *at, struct field *f)
{
	if (*at > n)
		return false;
	f->col = (long)*at + 1;
	if (*at < n && p[*at] == '"') {
		size_t i = *at + 1, m = 0;
		if (c->room < n) {
			c->unquoted = mem_realloc(c->unquoted, n);
			c->room = n;
		}
		for (; i < n; i++) {
			if (p[i] == '"' && i + 1 < n && p[i + 1] == '"')
				i++;
			else if (p[i] == '"')
				break;
			c->unquoted[m++] = p[i];
		}
		f->p = c->unquoted;
		f->n = m;
		while (i < n && p[i] != c->delimiter)
			i++;
		*at = i + 1;
		return true;
	}
	const char *end = memchr(p + *at, c->delimiter, n - *at);
	f->p = p + *at;
	f->n = end ? (size_t)(end - f->p) : n - *at;
	*at += f->n + 1;
	while (f->n && *f->p == ' ')
		f->p++, f->n--, f->col++;
	while (f->n && f->p[f->n - 1] == ' ')
		f->n--;
	return true;
}

static enum rc find_column(struct trace_reader *r, const char *want, const char *line, size_t n, size_t *out,
			   struct err *e)
{
	struct csv *c = r->state;
	uint64_t number;
	if (text_u64(want, &number) && number > 0 && number < 10000) {
		*out = (size_t)number - 1;
		return RC_OK;
	}
	size_t at = 0, i = 0;
	struct field f;
	for (; line && next_field(c, line, n, &at, &f); i++)
		if (f.n == strlen(want) && memcmp(f.p, want, f.n) == 0) {
			*out = i;
			return RC_OK;
		}
	return err_set(e, RC_INPUT,
		       line ? "%s: no column '%s' in the header line"
			    : "%s: column '%s': without --header a column is a number from 1",
		       trace_name(r), want);
}

static enum rc begin(struct trace_reader *r, struct err *e)
{
	struct csv *c = mem_zalloc(sizeof *c);
	r->state = c;
	c->delimiter = strcmp(r->o.delimiter, "\\t") == 0 ? '\t' : r->o.delimiter[0];
	if (!c->delimiter || (r->o.delimiter[1] && c->delimiter != '\t') || c->delimiter == '"')
		return err_set(e, RC_INPUT, "--delimiter must be one character");
	const char *line = NULL;
	size_t n = 0;
	enum rc rc = r->o.header ? trace_line(r, &line, &n, e) : RC_OK;
	if (!rc)
		rc = find_column(r, r->o.column ? r->o.column : "1", line, n, &c->key, e);
	c->size = SIZE_MAX;
	if (!rc && r->o.size_column) {
		rc = find_column(r, r->o.size_column, line, n, &c->size, e);
		r->meta.sizes = true;
	}
	return rc;
}

static enum rc one_line(struct trace_reader *r, const char *p, size_t n, struct err *e)
{
	struct csv *c = r->state;
	struct field f;
	size_t at = 0;
	bool key = false, size = c->size == SIZE_MAX;
	if (!n)
		return RC_OK;
	for (size_t i = 0; (!key || !size) && next_field(c, p, n, &at, &f); i++) {
		if (i == c->key) {
			enum rc rc = trace_token(r, f.p, f.n, f.col, &r->keys[r->block.n], e);
			if (rc)
				return rc;
			key = true;
		}
		if (i == c->size) {
			char digits[24];
			uint64_t v;
			size_t m = f.n < sizeof digits ? f.n : sizeof digits - 1;
			memcpy(digits, f.p, m);
			digits[m] = 0;
			if (!text_u64(digits, &v) || v > UINT32_MAX)
				return trace_bad_line(r, e, f.col, "the size must be a number below 2^32");
			r->sizes[r->block.n] = (uint32_t)v;
			size = true;
		}
	}
	if (!key || !size)
		return trace_bad_line(r, e, (long)n + 1, "the line has no column %zu", (key ? c->size : c->key) + 1);
	r->block.n++;
	return RC_OK;
}

static enum rc decode(struct trace_reader *r, struct err *e)
{
	return trace_each_line(r, one_line, e);
}

static void end(struct trace_reader *r)
{
	struct csv *c = r->state;
	if (c)
		free(c->unquoted);
	free(c);
}

const struct trace_format format_csv = {
	.name = "csv", .suffixes = {".csv", ".tsv"}, .address_unit = 1, .begin = begin, .decode = decode, .end = end};
