/* SPDX-License-Identifier: MIT */
/* The readers of JSON and of run logs, and the report made from what they accept. A text that was read is written and
 * read again: both must agree. */
#include "data/json/json.h"
#include "stream/runlog.h"
#include "report/page/html.h"

#include <stdlib.h>
#include <string.h>

/* Writes a tree without recursion: next is where to go on after a list's end. */
static void write_tree(struct json_writer *w, const struct json *root)
{
	VEC(const struct json *) open = {0};
	const struct json *v = root;
	while (v || open.n) {
		if (!v) {
			const struct json *list = vec_pop(&open);
			if (list->type == JSON_OBJECT)
				json_object_end(w);
			else
				json_array_end(w);
			v = open.n ? list->next : NULL;
			if (!open.n)
				break;
			continue;
		}
		/* the writer ends a key at a NUL: the second text has what it left */
		if (v->key && open.n)
			json_key(w, v->key);
		if (v->type == JSON_OBJECT || v->type == JSON_ARRAY) {
			if (v->type == JSON_OBJECT)
				json_object(w);
			else
				json_array(w);
			vec_push(&open, v);
			v = v->u.list.first;
			continue;
		}
		if (v->type == JSON_NULL)
			json_null(w);
		else if (v->type == JSON_BOOL)
			json_bool(w, v->u.boolean);
		else if (v->type == JSON_STRING)
			json_string_n(w, v->u.string.at, v->u.string.n);
		else if (v->u.number.value == 0)
			json_int(w, 0); /* -0 and what is too small to be told from it */
		else if (v->u.number.is_integer)
			json_int(w, v->u.number.integer);
		else
			json_double(w, v->u.number.value);
		v = open.n ? v->next : NULL;
	}
	vec_release(&open);
}

static void round_trip(const char *text, size_t n)
{
	struct arena a = {0};
	struct json *first, *second;
	struct err e = ERR_INIT;
	if (json_parse(&a, text, n, "fuzz", 100000, &first, &e) == RC_OK) {
		struct buf once = {0}, twice = {0}, data = {0};
		struct json_writer w;
		json_writer_init(&w, &once, false);
		write_tree(&w, first);
		if (json_parse(&a, buf_str(&once), once.n, "once", 200000, &second, &e) != RC_OK)
			abort();
		json_writer_init(&w, &twice, false);
		write_tree(&w, second);
		if (once.n != twice.n || memcmp(buf_str(&once), buf_str(&twice), once.n) != 0)
			abort();
		html_data(&data, buf_str(&once), once.n);
		if (memchr(buf_str(&data), '<', data.n) ||
		    json_parse(&a, buf_str(&data), data.n, "data", 200000, &second, &e) != RC_OK)
			abort();
		buf_release(&once);
		buf_release(&twice);
		buf_release(&data);
	}
	arena_release(&a);
}

static void read_log(const char *text, size_t n)
{
	struct runlog_reader *r = runlog_read_bytes(text, n, "fuzz.log");
	enum runlog_event ev;
	const struct json *event;
	struct err e = ERR_INIT;
	while (runlog_read_next(r, &ev, &event, &e) == RC_OK)
		;
	runlog_read_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	round_trip(text, size);
	read_log(text, size);
	/* as a log whose first line is right, so that the rest is looked at */
	static const char start[] = "{\"event\":\"start\",\"schema\":\"" RUNLOG_SCHEMA "\"}\n";
	struct buf log = {0};
	buf_add(&log, start, sizeof start - 1);
	buf_add(&log, text, size);
	read_log(log.at, log.n);
	buf_release(&log);
	return 0;
}
