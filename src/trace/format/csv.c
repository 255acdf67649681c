/* SPDX-License-Identifier: MIT */
/* Tables in text: fields between delimiters (csv) or blanks (columns), the key in one, what else is known of a
 * reference in others. Fields may be quoted ("a ""b"""), and a quoted one may go on over line ends. The first row
 * has the names of the columns if it was said to, if a column is asked for by name, or if it looks so: none of its
 * fields is a number, and some field of the second row is. With such names and a column called "key", the other
 * columns that have our names (size, time, operation, tenant, cost, request) are found by themselves, as we write
 * them. */
#include "trace/format/formats.h"

#include "data/mem.h"
#include "data/text.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

struct csv {
	size_t key, column[COLUMNS]; /* from 0; NONE: not there */
	size_t last;                 /* the last that is needed */
	char delimiter;
	bool blanks;
	char *unquoted; /* a field without its quotes */
	size_t room;
	struct buf row; /* one that has several lines */
};

struct field {
	const char *p;
	size_t n;
	long col;
	bool open;    /* its quotes are not closed */
	bool garbage; /* something follows its closing quote */
};

static bool ends_field(const struct csv *c, char ch)
{
	return c->blanks ? ch == ' ' || ch == '\t' : ch == c->delimiter;
}

/* The quoted field whose first quote is at *at. */
static void quoted_field(struct csv *c, const char *p, size_t n, size_t *at, struct field *f)
{
	size_t i = *at + 1, m = 0;
	if (c->room < n) {
		c->unquoted = mem_realloc(c->unquoted, n);
		c->room = n;
	}
	for (; i < n && (p[i] != '"' || (i + 1 < n && p[i + 1] == '"')); i++) {
		i += p[i] == '"';
		c->unquoted[m++] = p[i];
	}
	f->p = c->unquoted;
	f->n = m;
	f->open = i >= n;
	for (i++; i < n && !ends_field(c, p[i]); i++)
		f->garbage |= p[i] != ' ';
	*at = i + 1;
}

/* The field that starts at *at, which moves behind its delimiter; false when the row has no more. */
static bool next_field(struct csv *c, const char *p, size_t n, size_t *at, struct field *f)
{
	*f = (struct field){0};
	while (c->blanks && *at < n && ends_field(c, p[*at]))
		++*at;
	if (*at > n || (c->blanks && *at == n))
		return false;
	f->col = (long)*at + 1;
	if (*at < n && p[*at] == '"') {
		quoted_field(c, p, n, at, f);
		return true;
	}
	size_t end = *at;
	if (c->blanks) {
		while (end < n && !ends_field(c, p[end]))
			end++;
	} else {
		const char *d = memchr(p + *at, c->delimiter, n - *at);
		end = d ? (size_t)(d - p) : n;
	}
	f->p = p + *at;
	f->n = end - *at;
	*at = end + 1;
	while (f->n && *f->p == ' ')
		f->p++, f->n--, f->col++;
	while (f->n && f->p[f->n - 1] == ' ')
		f->n--;
	return true;
}

static bool is_open(struct csv *c, const char *p, size_t n)
{
	struct field f;
	size_t at = 0;
	bool open = false;
	if (!memchr(p, '"', n))
		return false;
	while (next_field(c, p, n, &at, &f))
		open = f.open;
	return open;
}

/* The next row: a line, or several while quotes are open. *p NULL at the end. */
static enum rc next_row(struct trace_reader *r, const char **p, size_t *n, struct err *e)
{
	enum { LONGEST = 1 << 20 };
	struct csv *c = r->state;
	enum rc rc = trace_line(r, p, n, e);
	if (rc || !*p || !is_open(c, *p, *n))
		return rc;
	long first = r->line;
	buf_clear(&c->row);
	while (!rc && *p) {
		buf_add(&c->row, *p, *n);
		if (!is_open(c, c->row.at, c->row.n)) {
			*p = c->row.at;
			*n = c->row.n;
			return RC_OK;
		}
		if (c->row.n > LONGEST)
			break;
		buf_char(&c->row, '\n');
		rc = trace_line(r, p, n, e);
	}
	r->line = first;
	return rc ? rc : trace_bad_line(r, e, 1, "a quoted field that is not closed");
}

static bool same(const struct field *f, const char *name, size_t n)
{
	return f->n == n && memcmp(f->p, name, n) == 0;
}

/* The number of the column with this name; NONE. */
static size_t find_name(struct csv *c, const char *row, size_t n, const char *name)
{
	size_t at = 0, i = 0;
	struct field f;
	for (; row && next_field(c, row, n, &at, &f); i++)
		if (same(&f, name, strlen(name)))
			return i;
	return NONE;
}

/* The same among --names. */
static size_t find_given(const char *names, const char *name)
{
	size_t i = 0;
	for (const char *p = names; p; i++) {
		const char *comma = strchr(p, ',');
		struct field f = {.p = p, .n = comma ? (size_t)(comma - p) : strlen(p)};
		if (same(&f, name, strlen(name)))
			return i;
		p = comma ? comma + 1 : NULL;
	}
	return NONE;
}

static bool is_index(const char *want, size_t *out)
{
	uint64_t number;
	if (!text_u64(want, &number) || number < 1 || number > 9999)
		return false;
	*out = (size_t)number - 1;
	return true;
}

static enum rc find_column(struct trace_reader *r, const char *want, const char *row, size_t n, size_t *out,
			   struct err *e)
{
	if (is_index(want, out))
		return RC_OK;
	*out = r->o.names ? find_given(r->o.names, want) : find_name(r->state, row, n, want);
	if (*out != NONE)
		return RC_OK;
	return err_set(e, RC_INPUT, "%s: no column '%s' in %s", trace_name(r), want,
		       r->o.names ? "--names" : "the first line");
}

static bool is_number(const struct field *f)
{
	size_t i = f->n && (*f->p == '-' || *f->p == '+'), digits = 0;
	uint64_t v;
	if (trace_number(f->p, f->n, &v))
		return true;
	for (; i < f->n; i++) {
		if (f->p[i] >= '0' && f->p[i] <= '9')
			digits++;
		else if (!strchr(".eE+-", f->p[i]))
			return false;
	}
	return digits > 0;
}

/* The numbers of a row's fields that are numbers, as bits, and how many fields it has; later ones do not count. */
static uint64_t numbers_of(struct csv *c, const char *p, size_t n, size_t *fields)
{
	uint64_t bits = 0;
	size_t at = 0;
	struct field f;
	for (*fields = 0; n && *fields < 64 && next_field(c, p, n, &at, &f); ++*fields)
		bits |= (uint64_t)is_number(&f) << *fields;
	return bits;
}

/* Takes the first row off the front of *p, which has *n bytes. */
static struct field take_row(struct csv *c, const char **p, size_t *n)
{
	struct field row = {.p = *p};
	const char *end;
	do {
		end = memchr(*p + row.n, '\n', *n - row.n);
		row.n = end ? (size_t)(end - *p) + 1 : *n;
	} while (end && is_open(c, row.p, row.n));
	*p += row.n;
	*n -= row.n;
	while (row.n && (row.p[row.n - 1] == '\n' || row.p[row.n - 1] == '\r'))
		row.n--;
	return row;
}

/* Whether the first row looks like names, and like ours: see the top. */
static enum rc looks_like_header(struct trace_reader *r, bool *out, bool *ours, struct err *e)
{
	const unsigned char *v;
	size_t n, columns, others;
	*out = *ours = false;
	enum rc rc = input_view(r->in, 1 << 16, &v, &n, e);
	if (rc || !n)
		return rc;
	const char *p = (const char *)v;
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3, n -= 3;
	struct field first = take_row(r->state, &p, &n), second = take_row(r->state, &p, &n);
	uint64_t names = numbers_of(r->state, first.p, first.n, &columns);
	uint64_t values = numbers_of(r->state, second.p, second.n, &others);
	*ours = find_name(r->state, first.p, first.n, "key") != NONE;
	*out = columns && !names && ((values && columns == others) || *ours);
	return RC_OK;
}

/* Fields between semicolons are not one key: a first row without the usual delimiter but with another is refused. */
static enum rc check_delimiter(struct trace_reader *r, struct err *e)
{
	const struct csv *c = r->state;
	const unsigned char *v;
	size_t n;
	enum rc rc = input_view(r->in, 1 << 16, &v, &n, e);
	if (rc || !n)
		return rc;
	const char *p = (const char *)v;
	struct field row = take_row(r->state, &p, &n);
	if (c->blanks || !r->default_delimiter || memchr(row.p, c->delimiter, row.n))
		return RC_OK;
	for (const char *other = ",;\t|"; *other; other++)
		if (*other != c->delimiter && memchr(row.p, *other, row.n))
			return err_at(e, RC_INPUT, trace_name(r), 1, 1,
				      "fields seem to end at '%s', not at '%s': say so with --delimiter",
				      *other == '\t' ? "\\t" : (char[]){*other, 0}, c->delimiter == '\t' ? "\\t" : ",");
	return RC_OK;
}

/* Whether anything was said of the columns. */
static bool columns_said(const struct trace_reader *r)
{
	bool said = r->o.key || r->o.names;
	for (unsigned c = 0; c < COLUMNS; c++)
		said |= r->o.column[c] != NULL;
	return said;
}

/* Nobody said where the key is, nor does the first row: how many columns there are to choose from. */
static enum rc assume_key(struct trace_reader *r, struct err *e)
{
	const unsigned char *v;
	size_t n, columns;
	enum rc rc = input_view(r->in, 1 << 16, &v, &n, e);
	if (rc || !n)
		return rc;
	const char *p = (const char *)v;
	struct field row = take_row(r->state, &p, &n);
	numbers_of(r->state, row.p, row.n, &columns);
	if (columns > 1 && find_name(r->state, row.p, row.n, "key") == NONE)
		r->meta.assumed = (unsigned)columns;
	return RC_OK;
}

static enum rc has_header(struct trace_reader *r, bool *out, struct err *e)
{
	size_t index;
	bool ours = false;
	*out = r->o.header;
	if (*out || r->o.no_header || r->o.names)
		return RC_OK;
	*out = r->o.key && !is_index(r->o.key, &index);
	for (unsigned c = 0; c < COLUMNS; c++)
		*out |= r->o.column[c] && !is_index(r->o.column[c], &index);
	if (*out)
		return RC_OK;
	enum rc rc = looks_like_header(r, out, &ours, e);
	r->meta.header_found = *out && !ours;
	return rc;
}

static enum rc find_columns(struct trace_reader *r, const char *row, size_t n, struct err *e)
{
	struct csv *c = r->state;
	size_t key = r->o.names ? find_given(r->o.names, "key") : find_name(c, row, n, "key");
	bool ours = !r->o.key && key != NONE;
	enum rc rc = RC_OK;
	c->key = ours ? key : 0;
	if (r->o.key)
		rc = find_column(r, r->o.key, row, n, &c->key, e);
	c->last = c->key;
	for (unsigned i = 0; i < COLUMNS && !rc; i++) {
		c->column[i] = NONE;
		if (r->o.column[i])
			rc = find_column(r, r->o.column[i], row, n, &c->column[i], e);
		else if (ours)
			c->column[i] = r->o.names ? find_given(r->o.names, keytrace_column_name(i))
						  : find_name(c, row, n, keytrace_column_name(i));
		if (c->column[i] == NONE)
			continue;
		trace_has(r, i);
		c->last = c->column[i] > c->last ? c->column[i] : c->last;
	}
	return rc;
}

static enum rc begin(struct trace_reader *r, struct err *e)
{
	struct csv *c = mem_zalloc(sizeof *c);
	r->state = c;
	c->blanks = r->format == &format_columns;
	c->delimiter = strcmp(r->o.delimiter, "\\t") == 0 ? '\t' : r->o.delimiter[0];
	if (!c->delimiter || (r->o.delimiter[1] && c->delimiter != '\t') || c->delimiter == '"')
		return err_set(e, RC_INPUT, "--delimiter must be one character");
	const char *row = NULL;
	size_t n = 0;
	bool header;
	enum rc rc = check_delimiter(r, e);
	if (!rc && !columns_said(r))
		rc = assume_key(r, e);
	if (!rc)
		rc = has_header(r, &header, e);
	if (!rc && header)
		rc = next_row(r, &row, &n, e);
	return rc ? rc : find_columns(r, row, n, e);
}

static enum rc one_field(struct trace_reader *r, const struct field *f, size_t i, struct err *e)
{
	struct csv *c = r->state;
	enum rc rc = RC_OK;
	if (f->garbage)
		return trace_bad_line(r, e, f->col, "something follows the closing quote of this field");
	if (i == c->key)
		rc = trace_token(r, f->p, f->n, f->col, &r->keys[r->block.n], e);
	for (unsigned k = 0; k < COLUMNS && !rc; k++)
		if (i == c->column[k] && r->column[k])
			rc = trace_value(r, k, f->p, f->n, f->col, &r->column[k][r->block.n], e);
	return rc;
}

static enum rc decode(struct trace_reader *r, struct err *e)
{
	struct csv *c = r->state;
	const char *p;
	size_t n;
	while (r->block.n < TRACE_BLOCK) {
		enum rc rc = next_row(r, &p, &n, e);
		if (rc || !p)
			return rc;
		struct field f;
		size_t at = 0, i = 0;
		if (!n)
			continue;
		for (; i <= c->last && next_field(c, p, n, &at, &f); i++)
			if ((rc = one_field(r, &f, i, e)))
				return rc;
		if (c->blanks && !i)
			continue;
		if (i <= c->last)
			return trace_bad_line(r, e, (long)n + 1, "the line has no column %zu", c->last + 1);
		r->block.n++;
	}
	return RC_OK;
}

static void end(struct trace_reader *r)
{
	struct csv *c = r->state;
	if (!c)
		return;
	free(c->unquoted);
	buf_release(&c->row);
	free(c);
}

const struct trace_format format_csv = {
	.name = "csv", .suffixes = {".csv", ".tsv"}, .address_unit = 1, .begin = begin, .decode = decode, .end = end};
const struct trace_format format_columns = {
	.name = "columns", .address_unit = 1, .begin = begin, .decode = decode, .end = end};
