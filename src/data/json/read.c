/* SPDX-License-Identifier: MIT */
/* JSON reader: a single pass with an explicit stack of open lists, so depth costs heap, not C stack. Strict: RFC 8259,
 * nothing after the document, no control bytes in strings, valid UTF-8 only. See json.h. */
#include "data/json/json.h"

#include "data/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { DEFAULT_MAX_NODES = 10000000 };

struct open_list {
	struct json *list;
	struct json **tail; /* where the next member is linked */
};

struct reader {
	struct arena *arena;
	const char *at, *end, *start;
	const char *name;
	size_t nodes_left;
	VEC(struct open_list) open;
	struct buf scratch;
	struct err *e;
};

static enum rc fail(struct reader *r, const char *what)
{
	long line = 1, col = 1;
	for (const char *p = r->start; p < r->at; p++) {
		col++;
		if (*p == '\n') {
			line++;
			col = 1;
		}
	}
	return err_at(r->e, RC_INPUT, r->name, line, col, "%s", what);
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
		r->at++;
}

static bool read_hex4(struct reader *r, unsigned *out)
{
	*out = 0;
	if (r->end - r->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = r->at[i];
		if (!isxdigit((unsigned char)c))
			return false;
		*out = *out * 16 +
		       (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
	}
	r->at += 4;
	return true;
}

static void add_utf8(struct buf *b, unsigned c)
{
	if (c < 0x80) {
		buf_char(b, (char)c);
	} else if (c < 0x800) {
		buf_char(b, (char)(0xc0 | c >> 6));
		buf_char(b, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		buf_char(b, (char)(0xe0 | c >> 12));
		buf_char(b, (char)(0x80 | ((c >> 6) & 63)));
		buf_char(b, (char)(0x80 | (c & 63)));
	} else {
		buf_char(b, (char)(0xf0 | c >> 18));
		buf_char(b, (char)(0x80 | ((c >> 12) & 63)));
		buf_char(b, (char)(0x80 | ((c >> 6) & 63)));
		buf_char(b, (char)(0x80 | (c & 63)));
	}
}

/* After the backslash. */
static enum rc read_escape(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (r->at == r->end)
		return fail(r, "unfinished string");
	char c = *r->at++;
	const char *simple = c ? strchr(from, c) : NULL;
	if (simple) {
		buf_char(&r->scratch, to[simple - from]);
		return RC_OK;
	}
	unsigned u, low;
	if (c != 'u' || !read_hex4(r, &u))
		return fail(r, "bad escape in string");
	if (u >= 0xd800 && u < 0xdc00) {
		if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
			return fail(r, "half a surrogate pair");
		r->at += 2;
		if (!read_hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
			return fail(r, "half a surrogate pair");
		u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
	} else if (u >= 0xdc00 && u < 0xe000) {
		return fail(r, "half a surrogate pair");
	}
	add_utf8(&r->scratch, u);
	return RC_OK;
}

static enum rc read_string(struct reader *r, const char **out, size_t *n)
{
	buf_clear(&r->scratch);
	r->at++;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\') {
			r->at++;
			if (read_escape(r) != RC_OK)
				return RC_INPUT;
			continue;
		}
		if ((unsigned char)*r->at < 0x20)
			return fail(r, "control byte in string");
		unsigned len = text_utf8_len(r->at, (size_t)(r->end - r->at));
		if (len == 0)
			return fail(r, "string is not UTF-8");
		buf_add(&r->scratch, r->at, len);
		r->at += len;
	}
	if (r->at == r->end)
		return fail(r, "unfinished string");
	r->at++;
	*n = r->scratch.n;
	*out = arena_strndup(r->arena, buf_str(&r->scratch), r->scratch.n);
	return RC_OK;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p;
}

static enum rc read_number(struct reader *r, struct json *v)
{
	const char *p = r->at, *digits;
	bool integer = true;
	if (*p == '-')
		p++;
	digits = p;
	p = skip_digits(p, r->end);
	if (p == digits || (*digits == '0' && p - digits > 1))
		return fail(r, "bad number");
	if (p < r->end && *p == '.') {
		integer = false;
		digits = ++p;
		p = skip_digits(p, r->end);
		if (p == digits)
			return fail(r, "bad number");
	}
	if (p < r->end && (*p == 'e' || *p == 'E')) {
		integer = false;
		p++;
		if (p < r->end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		p = skip_digits(p, r->end);
		if (p == digits)
			return fail(r, "bad number");
	}
	/* the text is not ended by NUL here */
	buf_clear(&r->scratch);
	buf_add(&r->scratch, r->at, (size_t)(p - r->at));
	v->type = JSON_NUMBER;
	v->u.number.value = strtod(buf_str(&r->scratch), NULL);
	errno = 0;
	v->u.number.integer = integer ? strtoll(buf_str(&r->scratch), NULL, 10) : 0;
	v->u.number.is_integer = integer && errno == 0;
	v->u.number.text = r->at;
	v->u.number.len = (size_t)(p - r->at);
	r->at = p;
	return RC_OK;
}

static bool read_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static enum rc open_value(struct reader *r, struct json *v)
{
	v->type = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
	r->at++;
	if (r->open.n >= JSON_MAX_DEPTH * (size_t)64)
		return fail(r, "nested too deeply");
	vec_push(&r->open, ((struct open_list){v, &v->u.list.first}));
	return RC_OK;
}

static enum rc read_value(struct reader *r, struct json *v)
{
	if (r->at == r->end)
		return fail(r, "unexpected end");
	char c = *r->at;
	if (c == '{' || c == '[')
		return open_value(r, v);
	if (c == '"') {
		v->type = JSON_STRING;
		return read_string(r, &v->u.string.at, &v->u.string.n);
	}
	if (c == '-' || isdigit((unsigned char)c))
		return read_number(r, v);
	v->type = JSON_BOOL;
	if (read_word(r, "true")) {
		v->u.boolean = true;
		return RC_OK;
	}
	if (read_word(r, "false"))
		return RC_OK;
	v->type = JSON_NULL;
	return read_word(r, "null") ? RC_OK : fail(r, "unexpected character");
}

static enum rc new_node(struct reader *r, struct json **out)
{
	if (r->nodes_left-- == 0)
		return fail(r, "too many values");
	*out = arena_new(r->arena, struct json);
	return RC_OK;
}

/* One step inside the innermost open list: a member, or its end. */
static enum rc read_member(struct reader *r)
{
	struct json *list = vec_last(&r->open).list;
	char close = list->type == JSON_OBJECT ? '}' : ']';
	skip_blanks(r);
	if (r->at < r->end && *r->at == close) {
		r->at++;
		r->open.n--;
		return RC_OK;
	}
	if (list->u.list.n > 0) {
		if (r->at == r->end || *r->at != ',')
			return fail(r, list->type == JSON_OBJECT ? "expected , or }" : "expected , or ]");
		r->at++;
		skip_blanks(r);
	}
	struct json *v = NULL;
	if (new_node(r, &v) != RC_OK)
		return RC_INPUT;
	if (list->type == JSON_OBJECT) {
		if (r->at == r->end || *r->at != '"')
			return fail(r, "expected a member's name");
		if (read_string(r, &v->key, &v->key_len) != RC_OK)
			return RC_INPUT;
		skip_blanks(r);
		if (r->at == r->end || *r->at != ':')
			return fail(r, "expected :");
		r->at++;
		skip_blanks(r);
	}
	*vec_last(&r->open).tail = v;
	vec_last(&r->open).tail = &v->next;
	list->u.list.n++;
	return read_value(r, v);
}

enum rc json_parse(struct arena *a, const char *text, size_t n, const char *name, size_t max_nodes, struct json **out,
		   struct err *e)
{
	struct reader r = {.arena = a, .at = text, .end = text + n, .start = text, .name = name, .e = e};
	r.nodes_left = max_nodes ? max_nodes : DEFAULT_MAX_NODES;
	struct json *root = NULL;
	enum rc rc = new_node(&r, &root);
	skip_blanks(&r);
	if (rc == RC_OK)
		rc = read_value(&r, root);
	while (rc == RC_OK && r.open.n > 0)
		rc = read_member(&r);
	skip_blanks(&r);
	if (rc == RC_OK && r.at != r.end)
		rc = fail(&r, "something follows the document");
	vec_release(&r.open);
	buf_release(&r.scratch);
	if (rc == RC_OK)
		*out = root;
	return rc;
}

const struct json *json_get(const struct json *o, const char *key)
{
	const struct json *found = NULL;
	if (!o || o->type != JSON_OBJECT)
		return NULL;
	size_t n = strlen(key);
	for (const struct json *m = o->u.list.first; m; m = m->next)
		if (m->key_len == n && memcmp(m->key, key, n) == 0)
			found = m;
	return found;
}

double json_number_or(const struct json *o, const char *key, double def)
{
	const struct json *v = json_get(o, key);
	return v && v->type == JSON_NUMBER ? v->u.number.value : def;
}

const char *json_string_or(const struct json *o, const char *key, const char *def)
{
	const struct json *v = json_get(o, key);
	return v && v->type == JSON_STRING ? v->u.string.at : def;
}
