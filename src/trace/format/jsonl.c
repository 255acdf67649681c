/* SPDX-License-Identifier: MIT */
/* JSON lines: a value on each line, the keys in it where a path says. "hash_ids[]" is every element of the member
 * hash_ids, "request.key" a member of a member, "[2]" the third element. A line is a request: its keys are one or more
 * references, and a column's path gives one value for all of them or one for each.
 *
 * The values of one line are collected before they are handed out, because there may be more than a block holds. */
#include "trace/format/formats.h"

#include "data/json/json.h"
#include "data/mem.h"
#include "data/text.h"

#include <stdlib.h>
#include <string.h>

struct step {
	enum { MEMBER, INDEX, EACH } kind;
	char *name;
	uint64_t index;
};

struct path {
	VEC_FIELDS(struct step);
};

struct values {
	VEC_FIELDS(const struct json *);
};

struct jsonl {
	struct path key, column[COLUMNS];
	struct arena arena; /* of one line */
	struct values keys, more[COLUMNS];
	size_t at; /* of keys: handed out */
};

static void path_release(struct path *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->at[i].name);
	vec_release(p);
}

static enum rc path_parse(const char *text, struct path *out, struct err *e)
{
	const char *p = text;
	while (*p) {
		struct step s = {.kind = MEMBER};
		const char *end;
		if (*p == '[') {
			if (!(end = strchr(p, ']')))
				break;
			char *inside = mem_strndup(p + 1, (size_t)(end - p) - 1);
			s.kind = *inside ? INDEX : EACH;
			bool good = !*inside || text_u64(inside, &s.index);
			free(inside);
			if (!good)
				break;
			p = end + 1;
		} else {
			p += *p == '.' && p > text;
			size_t n = strcspn(p, ".[");
			if (!n)
				break;
			s.name = mem_strndup(p, n);
			p += n;
		}
		vec_push(out, s);
	}
	if (*p || !out->n)
		return err_set(e, RC_INPUT, "invalid path '%s' (such as key, request.key, hash_ids[], [0])", text);
	return RC_OK;
}

/* All values that the path leads to from v, in order; false when it leads nowhere. */
static bool collect(const struct path *p, size_t at, const struct json *v, struct values *out)
{
	if (at == p->n) {
		vec_push(out, v);
		return true;
	}
	const struct step *s = &p->at[at];
	if (s->kind == MEMBER) {
		v = json_get(v, s->name);
		return v && collect(p, at + 1, v, out);
	}
	if (v->type != JSON_ARRAY)
		return false;
	uint64_t i = 0;
	for (const struct json *x = v->u.list.first; x; x = x->next, i++)
		if ((s->kind == EACH || i == s->index) && !collect(p, at + 1, x, out))
			return false;
	return s->kind == EACH || s->index < i;
}

static void list_paths(const struct json *v, const char *before, unsigned depth, struct buf *out)
{
	for (const struct json *x = v->u.list.first; x && out->n < 150; x = x->next) {
		char *path = mem_printf("%s%s%s", before, *before ? "." : "", x->key);
		if (x->type == JSON_OBJECT && depth < 3)
			list_paths(x, path, depth + 1, out);
		else
			buf_printf(out, "%s%s%s", out->n ? ", " : "", path, x->type == JSON_ARRAY ? "[]" : "");
		free(path);
	}
}

/* Parses a line into the arena; the error has the line's place. */
static enum rc parse_line(struct trace_reader *r, const char *p, size_t n, struct json **out, struct err *e)
{
	struct jsonl *j = r->state;
	struct err why = ERR_INIT;
	arena_clear(&j->arena);
	if (json_parse(&j->arena, p, n, NULL, 0, out, &why) == RC_OK)
		return RC_OK;
	return trace_bad_line(r, e, why.col ? why.col : 1, "not JSON: %s", why.text);
}

/* No path was given: says which there are. */
static enum rc ask_for_path(struct trace_reader *r, struct err *e)
{
	const char *p;
	size_t n;
	struct json *v;
	struct buf names = {0};
	char shown[256];
	enum rc rc;
	do
		rc = trace_line(r, &p, &n, e);
	while (!rc && p && !n);
	if (rc || !p || (rc = parse_line(r, p, n, &v, e)))
		return rc;
	if (v->type == JSON_OBJECT)
		list_paths(v, "", 0, &names);
	else if (v->type == JSON_ARRAY)
		buf_str_add(&names, "[]");
	text_escape(buf_str(&names), names.n, shown, sizeof shown);
	rc = trace_bad_line(r, e, 1, "JSON lines: say where the key is with --path (the first has: %s)", shown);
	buf_release(&names);
	return rc;
}

static enum rc begin(struct trace_reader *r, struct err *e)
{
	struct jsonl *j = mem_zalloc(sizeof *j);
	const char *key = r->o.path ? r->o.path : r->o.key;
	r->state = j;
	if (!key)
		return ask_for_path(r, e);
	enum rc rc = path_parse(key, &j->key, e);
	for (unsigned c = 0; c < COLUMNS && !rc; c++)
		if (r->o.column[c] && !(rc = path_parse(r->o.column[c], &j->column[c], e)))
			trace_has(r, c);
	if (r->o.all_columns && !rc)
		trace_has(r, COLUMN_REQUEST);
	return rc;
}

static const char *text_of(const struct json *v, size_t *n)
{
	bool string = v->type == JSON_STRING;
	*n = string ? v->u.string.n : v->u.number.len;
	return string ? v->u.string.at : v->u.number.text;
}

static bool is_scalar(const struct json *v)
{
	return v->type == JSON_STRING || v->type == JSON_NUMBER;
}

static enum rc set_key(struct trace_reader *r, const struct json *v, struct err *e)
{
	size_t n;
	const char *p = text_of(v, &n);
	uint64_t *key = &r->keys[r->block.n];
	if (r->tokens == TOKEN_UNKNOWN)
		r->tokens = v->type == JSON_STRING ? TOKEN_STRING : TOKEN_NUMBER;
	if (r->tokens == TOKEN_NUMBER && v->type == JSON_NUMBER && v->u.number.is_integer && v->u.number.integer < 0) {
		*key = (uint64_t)v->u.number.integer; /* hashes are often signed */
		return RC_OK;
	}
	if ((r->tokens == TOKEN_STRING) != (v->type == JSON_STRING) && !r->o.strings)
		return trace_bad_line(r, e, 1,
				      "the key is a %s, those before were not (--strings takes all as strings)",
				      v->type == JSON_STRING ? "string" : "number");
	return trace_token(r, p, n, 1, key, e);
}

/* The next line's values; none at the end of the data. */
static enum rc next_request(struct trace_reader *r, bool *end, struct err *e)
{
	struct jsonl *j = r->state;
	const char *p;
	size_t n;
	struct json *v;
	enum rc rc = trace_line(r, &p, &n, e);
	*end = !p;
	j->keys.n = j->at = 0;
	if (rc || !p || strspn(p, " \t\r") >= n)
		return rc;
	if ((rc = parse_line(r, p, n, &v, e)))
		return rc;
	if (!collect(&j->key, 0, v, &j->keys))
		return trace_bad_line(r, e, 1, "there is nothing at the path '%s'", r->o.path ? r->o.path : r->o.key);
	for (size_t i = 0; i < j->keys.n; i++)
		if (!is_scalar(j->keys.at[i]))
			return trace_bad_line(r, e, 1, "the key is neither a number nor a string%s",
					      j->keys.at[i]->type == JSON_ARRAY ? " but an array: end the path with []"
										: "");
	for (unsigned c = 0; c < COLUMNS; c++) {
		j->more[c].n = 0;
		if (!j->column[c].n)
			continue;
		if (!collect(&j->column[c], 0, v, &j->more[c]) || (j->more[c].n != 1 && j->more[c].n != j->keys.n))
			return trace_bad_line(r, e, 1, "the path '%s' has neither one value nor one for each key",
					      r->o.column[c]);
		for (size_t i = 0; i < j->more[c].n; i++)
			if (!is_scalar(j->more[c].at[i]))
				return trace_bad_line(r, e, 1, "the %s is neither a number nor a string",
						      keytrace_column_name(c));
	}
	return RC_OK;
}

static enum rc one_key(struct trace_reader *r, struct err *e)
{
	struct jsonl *j = r->state;
	enum rc rc = set_key(r, j->keys.at[j->at], e);
	for (unsigned c = 0; c < COLUMNS && !rc; c++) {
		if (!r->column[c])
			continue;
		if (!j->column[c].n) {
			r->column[c][r->block.n] = (uint64_t)r->line; /* the request */
			continue;
		}
		size_t n;
		const char *p = text_of(j->more[c].at[j->more[c].n == 1 ? 0 : j->at], &n);
		rc = trace_value(r, c, p, n, 1, &r->column[c][r->block.n], e);
	}
	if (!rc) {
		r->block.n++;
		j->at++;
	}
	return rc;
}

static enum rc decode(struct trace_reader *r, struct err *e)
{
	struct jsonl *j = r->state;
	bool end = false;
	while (r->block.n < TRACE_BLOCK && !end) {
		enum rc rc = j->at < j->keys.n ? one_key(r, e) : next_request(r, &end, e);
		if (rc)
			return rc;
	}
	return RC_OK;
}

static void end(struct trace_reader *r)
{
	struct jsonl *j = r->state;
	if (!j)
		return;
	path_release(&j->key);
	for (unsigned c = 0; c < COLUMNS; c++) {
		path_release(&j->column[c]);
		vec_release(&j->more[c]);
	}
	vec_release(&j->keys);
	arena_release(&j->arena);
	free(j);
}

const struct trace_format format_jsonl = {
	.name = "jsonl",
	.suffixes = {".jsonl", ".ndjson"},
	.requests = true,
	.address_unit = 1,
	.begin = begin,
	.decode = decode,
	.end = end,
};
