/* SPDX-License-Identifier: MIT */
/* JSON writer: see json.h. Keeps the commas; an unbalanced call is a bug of ours, caught in tests. */
#include "data/json/json.h"

#include "base/invariant.h"
#include "data/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_writer_init(struct json_writer *w, struct buf *out, bool pretty)
{
	*w = (struct json_writer){.out = out, .pretty = pretty};
}

static void newline(struct json_writer *w)
{
	if (!w->pretty)
		return;
	buf_char(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_str_add(w->out, "  ");
}

/* Before any value or key: a comma if the open list has members, unless a key was just written. */
static void separate(struct json_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->depth == 0)
		return;
	if (w->some[w->depth - 1])
		buf_char(w->out, ',');
	w->some[w->depth - 1] = true;
	newline(w);
}

static void open_list(struct json_writer *w, char c)
{
	separate(w);
	INVARIANT(w->depth < JSON_MAX_DEPTH);
	buf_char(w->out, c);
	w->some[w->depth++] = false;
}

static void close_list(struct json_writer *w, char c)
{
	INVARIANT(w->depth > 0 && !w->after_key);
	bool some = w->some[--w->depth];
	if (some)
		newline(w);
	buf_char(w->out, c);
}

void json_object(struct json_writer *w)
{
	open_list(w, '{');
}

void json_object_end(struct json_writer *w)
{
	close_list(w, '}');
}

void json_array(struct json_writer *w)
{
	open_list(w, '[');
}

void json_array_end(struct json_writer *w)
{
	close_list(w, ']');
}

static void quote(struct buf *out, const char *s, size_t n)
{
	buf_char(out, '"');
	size_t plain = 0; /* start of the run not yet copied */
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];
		unsigned len = text_utf8_len(s + i, n - i);
		if (len > 0 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
			i += len;
			continue;
		}
		buf_add(out, s + plain, i - plain);
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_str_add(out, "\\n");
		else if (c == '\t')
			buf_str_add(out, "\\t");
		else if (len == 0)
			buf_str_add(out, "\\ufffd");
		else
			buf_printf(out, "\\u%04x", c);
		plain = ++i;
	}
	buf_add(out, s + plain, n - plain);
	buf_char(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
	INVARIANT(!w->after_key && w->depth > 0);
	separate(w);
	quote(w->out, key, strlen(key));
	buf_str_add(w->out, w->pretty ? ": " : ":");
	w->after_key = true;
}

void json_string_n(struct json_writer *w, const char *s, size_t n)
{
	separate(w);
	quote(w->out, s, n);
}

void json_string(struct json_writer *w, const char *s)
{
	json_string_n(w, s, strlen(s));
}

void json_int(struct json_writer *w, int64_t v)
{
	separate(w);
	buf_printf(w->out, "%" PRId64, v);
}

void json_uint(struct json_writer *w, uint64_t v)
{
	separate(w);
	buf_printf(w->out, "%" PRIu64, v);
}

void json_double(struct json_writer *w, double v)
{
	char text[40];
	separate(w);
	if (!isfinite(v)) {
		buf_str_add(w->out, "null");
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_str_add(w->out, text);
}

void json_bool(struct json_writer *w, bool v)
{
	separate(w);
	buf_str_add(w->out, v ? "true" : "false");
}

void json_null(struct json_writer *w)
{
	separate(w);
	buf_str_add(w->out, "null");
}

#define KEY_AND_VALUE(kind, type)                                                                                      \
	void json_kv_##kind(struct json_writer *w, const char *key, type v)                                            \
	{                                                                                                              \
		json_key(w, key);                                                                                      \
		json_##kind(w, v);                                                                                     \
	}
KEY_AND_VALUE(string, const char *)
KEY_AND_VALUE(int, int64_t)
KEY_AND_VALUE(uint, uint64_t)
KEY_AND_VALUE(double, double)
KEY_AND_VALUE(bool, bool)
