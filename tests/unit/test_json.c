/* SPDX-License-Identifier: MIT */
/* JSON writer and reader: round trips, strictness, hostile input. */
#include "data/json/json.h"

#include "base/bits.h"
#include "testing.h"

static void writes_valid_json(void **state)
{
	(void)state;
	struct buf b = {0};
	struct json_writer w;
	json_writer_init(&w, &b, false);
	json_object(&w);
	json_kv_string(&w, "a\"b", "x\n\\\x01\xff\xe2\x82\xac");
	json_key(&w, "list");
	json_array(&w);
	json_int(&w, -3);
	json_uint(&w, UINT64_MAX);
	json_double(&w, 0.1);
	json_double(&w, 1.0 / 0.0);
	json_bool(&w, true);
	json_null(&w);
	json_array(&w);
	json_array_end(&w);
	json_array_end(&w);
	json_kv_bool(&w, "end", false);
	json_object_end(&w);
	assert_string_equal(buf_str(&b),
			    "{\"a\\\"b\":\"x\\n\\\\\\u0001\\ufffd\xe2\x82\xac\",\"list\":[-3,18446744073709551615,"
			    "0.1,null,true,null,[]],\"end\":false}");
	buf_release(&b);
}

static struct json *parse(struct arena *a, const char *text, enum rc want)
{
	struct json *v = NULL;
	struct err e = ERR_INIT;
	/* a block of its exact size: a read past the end is seen by the sanitizer */
	size_t n = strlen(text);
	char *copy = mem_dup(text, n);
	enum rc rc = json_parse(a, copy, n, "in", 1000, &v, &e);
	free(copy);
	if (rc != want)
		print_message("%s: rc %d, %s\n", text, rc, e.text);
	assert_int_equal(rc, want);
	return v;
}

static void reads_values(void **state)
{
	(void)state;
	struct arena a = {0};
	struct json *v = parse(
		&a, " {\"n\": 12, \"n\": -1.5e2, \"s\": \"\\ud83c\\udfb5\\u0041\", \"l\": [true, null, {}]} ", RC_OK);
	assert_true(json_number_or(v, "n", 0) == -150);
	assert_string_equal(json_string_or(v, "s", ""), "\xf0\x9f\x8e\xb5"
							"A");
	const struct json *l = json_get(v, "l");
	assert_int_equal(l->u.list.n, 3);
	assert_int_equal(l->u.list.first->next->next->type, JSON_OBJECT);
	assert_null(json_get(l, "x"));
	v = parse(&a, "9223372036854775807", RC_OK);
	assert_true(v->u.number.is_integer && v->u.number.integer == INT64_MAX);
	v = parse(&a, "9223372036854775808", RC_OK);
	assert_false(v->u.number.is_integer);
	arena_release(&a);
}

static void refuses_what_is_not_json(void **state)
{
	(void)state;
	static const char *const bad[] = {"",      "{",       "[1,]",        "{\"a\"}",     "{\"a\":}", "{a:1}",
					  "01",    "1.",      "1e",          "-",           "+1",       "tru",
					  "\"",    "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\t\"",   "\"\xff\"",
					  "[1 2]", "1 2",     "[}",          "nan",         "\"\\u12"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct arena a = {0};
		parse(&a, bad[i], RC_INPUT);
		arena_release(&a);
	}
}

static void depth_costs_no_stack(void **state)
{
	(void)state;
	struct arena a = {0};
	struct json *v;
	struct err e = ERR_INIT;
	size_t n = 1000000;
	char *deep = mem_alloc(n);
	memset(deep, '[', n);
	assert_int_equal(json_parse(&a, deep, n, "deep", 0, &v, &e), RC_INPUT);
	memset(deep, ' ', n);
	for (size_t i = 0; i < 20000; i++) {
		deep[i] = '[';
		deep[n - 1 - i] = ']';
	}
	err_clear(&e);
	assert_int_equal(json_parse(&a, deep, n, "deep", 0, &v, &e), RC_OK);
	assert_int_equal(json_parse(&a, deep, n, "deep", 100, &v, &e), RC_INPUT);
	free(deep);
	arena_release(&a);
}

/* writes a random value and reads it back */
static void round_trip(struct rng *r, bool pretty)
{
	struct buf b = {0};
	struct json_writer w;
	struct arena a = {0};
	double numbers[20];
	char texts[20][40];
	json_writer_init(&w, &b, pretty);
	json_array(&w);
	for (int i = 0; i < 20; i++) {
		uint64_t bits = rng_next(r) & 0xffeffffffffffffful;
		memcpy(&numbers[i], &bits, sizeof bits);
		json_double(&w, numbers[i]);
		for (int k = 0; k < 39; k++)
			texts[i][k] = (char)rng_below(r, 128);
		texts[i][39] = 0;
		json_string_n(&w, texts[i], 39);
	}
	json_array_end(&w);
	struct json *v;
	struct err e = ERR_INIT;
	assert_int_equal(json_parse(&a, b.at, b.n, "x", 0, &v, &e), RC_OK);
	const struct json *m = v->u.list.first;
	for (int i = 0; i < 20; i++, m = m->next) {
		assert_true(m->u.number.value == numbers[i]);
		m = m->next;
		assert_int_equal(m->u.string.n, 39);
		assert_memory_equal(m->u.string.at, texts[i], 39);
	}
	arena_release(&a);
	buf_release(&b);
}

static void round_trips(void **state)
{
	(void)state;
	struct rng r = {3};
	for (int round = 0; round < 300; round++)
		round_trip(&r, round % 2);
}

UNIT_TESTS(cmocka_unit_test(writes_valid_json), cmocka_unit_test(reads_values),
	   cmocka_unit_test(refuses_what_is_not_json), cmocka_unit_test(depth_costs_no_stack),
	   cmocka_unit_test(round_trips))
