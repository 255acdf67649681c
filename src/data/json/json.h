/* SPDX-License-Identifier: MIT */
/* JSON out and in.
 *
 * The writer appends to a struct buf and keeps the commas; strings are bytes, invalid UTF-8 is written as U+FFFD,
 * so the output is always valid JSON. Numbers that are not finite are written as null.
 * The reader builds a tree in an arena, without recursion, within a budget of nodes and depth; duplicate keys
 * are kept in order, json_get finds the last. */
#ifndef DATA_JSON_H
#define DATA_JSON_H

#include "data/arena.h"
#include "data/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_MAX_DEPTH = 512 };

struct json_writer {
	struct buf *out;
	unsigned depth;
	bool pretty;               /* indent by two blanks */
	bool some[JSON_MAX_DEPTH]; /* whether the open object or array at this depth has a member */
	bool after_key;
};

void json_writer_init(struct json_writer *w, struct buf *out, bool pretty);
void json_object(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_string(struct json_writer *w, const char *s);
void json_string_n(struct json_writer *w, const char *s, size_t n);
void json_int(struct json_writer *w, int64_t v);
void json_uint(struct json_writer *w, uint64_t v);
void json_double(struct json_writer *w, double v); /* shortest form that reads back as v */
void json_bool(struct json_writer *w, bool v);
void json_null(struct json_writer *w);
/* key and value in one */
void json_kv_string(struct json_writer *w, const char *key, const char *s);
void json_kv_int(struct json_writer *w, const char *key, int64_t v);
void json_kv_uint(struct json_writer *w, const char *key, uint64_t v);
void json_kv_double(struct json_writer *w, const char *key, double v);
void json_kv_bool(struct json_writer *w, const char *key, bool v);

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	const char *key; /* of an object's member, else NULL */
	size_t key_len;
	union {
		bool boolean;
		struct {
			const char *at; /* ended by NUL; may hold NUL bytes */
			size_t n;
		} string;
		struct {
			double value;
			int64_t integer;  /* exact when is_integer */
			const char *text; /* its digits, in what was parsed */
			size_t len;
			bool is_integer;
		} number;
		struct {
			struct json *first; /* members in order, linked by next */
			size_t n;
		} list;
	} u;
	struct json *next;
};

/* name is used in error positions. max_nodes 0 means ten million. */
enum rc json_parse(struct arena *a, const char *text, size_t n, const char *name, size_t max_nodes, struct json **out,
		   struct err *e);
/* NULL when o is not an object or has no such member. */
const struct json *json_get(const struct json *o, const char *key);
/* Defaults when absent or of another type. */
double json_number_or(const struct json *o, const char *key, double def);
const char *json_string_or(const struct json *o, const char *key, const char *def);

#endif
