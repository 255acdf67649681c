/* SPDX-License-Identifier: MIT */
/* What workers are sent: differences of texts against a plain copy, bundles that try to leave their folder, and
 * messages that were forged, altered or kept too long. */
#include "folder.h"
#include "testing.h"
#include "base/bits.h"
#include "farm/bundle.h"
#include "farm/delta.h"
#include "farm/message.h"
#include "farm/place.h"

#include <sys/stat.h>
#include <unistd.h>

static void random_text(struct rng *r, struct buf *out, size_t n)
{
	static const char *const words[] = {"int ", "x", " = ", "f(", ");\n", "{\n", "}\n", "return ", "0", "\t", "\0"};
	while (out->n < n) {
		size_t i = (size_t)rng_below(r, ARRAY_LEN(words));
		buf_add(out, words[i], strlen(words[i]) + (i == ARRAY_LEN(words) - 1));
	}
}

/* Leaves out, puts in and rewrites stretches of a text. */
static void edit(struct rng *r, const struct buf *from, struct buf *to)
{
	buf_add(to, buf_str(from), from->n);
	for (uint64_t k = rng_below(r, 5); k && to->n; k--) {
		size_t at = (size_t)rng_below(r, to->n), n = (size_t)rng_below(r, 1 + (to->n - at) / 2);
		struct buf rest = {0}, in = {0};
		buf_add(&rest, to->at + at + n, to->n - at - n);
		random_text(r, &in, (size_t)rng_below(r, 3) * 3);
		to->n = at;
		buf_add(to, buf_str(&in), in.n);
		buf_add(to, buf_str(&rest), rest.n);
		buf_release(&rest);
		buf_release(&in);
	}
}

static bool same_texts(const struct texts *a, const struct texts *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->absent[i] != b->absent[i] ||
		    (!a->absent[i] && (a->text[i].n != b->text[i].n ||
				       memcmp(buf_str(&a->text[i]), buf_str(&b->text[i]), a->text[i].n) != 0)))
			return false;
	return true;
}

static void test_differences(void **state)
{
	(void)state;
	struct rng r = {7};
	for (int round = 0; round < 400; round++) {
		struct texts base, want, got;
		struct buf delta = {0}, whole = {0};
		size_t n = 1 + (size_t)rng_below(&r, 4);
		texts_init(&base, n);
		texts_init(&want, n);
		texts_init(&got, n);
		for (size_t i = 0; i < n; i++) {
			random_text(&r, &base.text[i], (size_t)rng_below(&r, 3000));
			base.absent[i] = n > 1 && !rng_below(&r, 6);
			want.absent[i] = n > 1 && !rng_below(&r, 6);
			edit(&r, &base.text[i], &want.text[i]);
		}
		delta_write(&delta, &base, want.text, want.absent);
		assert_int_equal(delta_read(&got, &base, buf_str(&delta), delta.n, 1 << 20, NULL), RC_OK);
		assert_true(same_texts(&want, &got));
		texts_write(&whole, &want);
		assert_int_equal(texts_read(&got, whole.at, whole.n, 1 << 20, NULL), RC_OK);
		assert_true(same_texts(&want, &got));
		/* cut short, or with a bit changed, it is refused or is another text, never more */
		for (int k = 0; k < 4 && delta.n; k++) {
			size_t at = (size_t)rng_below(&r, delta.n);
			delta_read(&got, &base, delta.at, at, 1 << 20, NULL);
			delta.at[at] ^= (char)(1 << rng_below(&r, 8));
			delta_read(&got, &base, delta.at, delta.n, 1 << 20, NULL);
		}
		texts_release(&base);
		texts_release(&want);
		texts_release(&got);
		vec_release_all(&delta, &whole);
	}
}

/* What a reducer does most: leave one stretch out of a large text. */
static void test_small(void **state)
{
	(void)state;
	struct rng r = {11};
	struct texts base;
	struct buf text = {0}, delta = {0};
	texts_init(&base, 1);
	random_text(&r, &base.text[0], 500000);
	for (int k = 0; k < 50; k++) {
		size_t at = (size_t)rng_below(&r, 400000), n = 1 + (size_t)rng_below(&r, 5000);
		buf_clear(&text);
		buf_clear(&delta);
		buf_add(&text, base.text[0].at, at);
		buf_add(&text, base.text[0].at + at + n, base.text[0].n - at - n);
		delta_write(&delta, &base, &text, NULL);
		assert_in_range(delta.n, 1, 20);
	}
	texts_release(&base);
	buf_release(&text);
	buf_release(&delta);
}

static void test_bounds(void **state)
{
	(void)state;
	struct texts base, got;
	struct buf text = {0}, delta = {0};
	texts_init(&base, 1);
	texts_init(&got, 1);
	buf_str_add(&base.text[0], "0123456789");
	for (int i = 0; i < 1000; i++)
		buf_str_add(&text, "0123456789");
	delta_write(&delta, &base, &text, NULL);
	assert_int_equal(delta_read(&got, &base, delta.at, delta.n, text.n, NULL), RC_OK);
	assert_int_equal(delta_read(&got, &base, delta.at, delta.n, text.n - 1, NULL), RC_INPUT);
	texts_release(&base);
	texts_release(&got);
	buf_release(&text);
	buf_release(&delta);
}

/* ---- bundles */

static enum rc try_names(const char *file, const char *copy, const char *link)
{
	struct buf bytes = {0}, program = {0}, text = {0};
	struct bundle b;
	unsigned mode = 0644;
	buf_str_add(&text, "x");
	struct fill_copy copies[2] = {{.name = copy, .text = &text, .mode = 0600}, {.name = "link", .link = link}};
	struct fill fill = {&file, &mode, 1, copies, link ? 2 : 1};
	bundle_write(&bytes, NULL, &program, &fill);
	enum rc rc = bundle_read(&b, bytes.at, bytes.n, NULL);
	if (rc == RC_OK) {
		assert_int_equal(b.fill.n_files, 1);
		assert_string_equal(b.fill.names[0], file);
		assert_string_equal(b.fill.copy[0].name, copy);
		assert_string_equal(buf_str(b.fill.copy[0].text), "x");
	}
	bundle_release(&b);
	/* no beginning of a bundle is one */
	for (size_t n = 0; n < bytes.n; n++) {
		assert_int_equal(bundle_read(&b, bytes.at, n, NULL), RC_INPUT);
		bundle_release(&b);
	}
	vec_release_all(&bytes, &text);
	return rc;
}

static void test_bundle_names(void **state)
{
	(void)state;
	static const char *const bad[] = {"../a", "/a", "a/../b", "a/..", "..",   ".",     "./a",       "a//b",
					  "a/",   "",   "b",      "b/c",  "link", "link/", "link/../x", "link/x"};
	assert_int_equal(try_names("a", "b", "/etc"), RC_OK);
	assert_int_equal(try_names("d/a", "d/b", "d"), RC_OK);
	assert_int_equal(try_names("a..b", "...", "..x"), RC_OK);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(try_names(bad[i], "b", "/etc"), RC_INPUT);
		if (strcmp(bad[i], "b/c") != 0)
			assert_int_equal(try_names("b", bad[i], "/etc"), RC_INPUT);
	}
	assert_int_equal(try_names("a", "a", NULL), RC_INPUT);
	assert_int_equal(try_names("a", "a/b", NULL), RC_INPUT);
	assert_int_equal(try_names("a/b", "a", NULL), RC_INPUT);
}

/* ---- messages */

static struct sign_key key_of(const char *text)
{
	struct sign_key k = {0};
	buf_str_add(&k.bytes, text);
	return k;
}

static const char run[] = "RUNrun01";

static void test_tasks(void **state)
{
	(void)state;
	struct sign_key k = key_of("0123456789abcdef"), other = key_of("0123456789abcdeg"), none = {0};
	struct task t = {3, 1000100, (const unsigned char *)"delta", 5}, got;
	struct buf b = {0};
	task_sign(&b, &t, 1000000, &k, run, 42);
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &k, run, 42, 1000050, NULL), RC_OK);
	assert_int_equal(got.generation, 3);
	assert_int_equal(got.delta_len, 5);
	assert_memory_equal(got.delta, "delta", 5);
	/* another key, another number, another run, too late */
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &other, run, 42, 1000050, NULL), RC_INPUT);
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &none, run, 42, 1000050, NULL), RC_INPUT);
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &k, run, 43, 1000050, NULL), RC_INPUT);
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &k, "RUNrun02", 42, 1000050, NULL), RC_INPUT);
	assert_int_equal(task_check(&got, b.at, b.n, 1000000, &k, run, 42, 1000101, NULL), RC_INPUT);
	for (size_t i = 0; i < b.n; i++) {
		b.at[i] ^= 1;
		assert_int_equal(task_check(&got, b.at, b.n, 1000000, &k, run, 42, 1000050, NULL), RC_INPUT);
		b.at[i] ^= 1;
		assert_int_equal(task_check(&got, b.at, i, 1000000, &k, run, 42, 1000050, NULL), RC_INPUT);
	}
	/* a task is no notice and no answer, though all are signed alike */
	struct notice x;
	struct answer_message a;
	assert_int_equal(notice_check(&x, b.at, b.n, &k, run, NULL), RC_INPUT);
	assert_int_equal(answer_check(&a, b.at, b.n, &k, run, 1000050, NULL), RC_INPUT);
	buf_release(&b);
	sign_key_release(&k);
	sign_key_release(&other);
}

static void test_records(void **state)
{
	(void)state;
	struct sign_key k = key_of("0123456789abcdef");
	struct run_record r = {.born = 5000, .expires = 5060, .lease_ms = 3000, .timeout_ms = 10000, .n_bases = 2}, got;
	struct buf b = {0};
	r.base[0].generation = 9;
	record_sign(&b, &r, &k, run);
	assert_int_equal(record_check(&got, b.at, b.n, &k, run, 5010, NULL), RC_OK);
	assert_int_equal(got.base[0].generation, 9);
	assert_int_equal(got.timeout_ms, 10000);
	assert_int_equal(record_check(&got, b.at, b.n, &k, run, 5060 + 61, NULL), RC_INPUT);
	assert_int_equal(record_check(&got, b.at, b.n, &k, run, 5000 - 61, NULL), RC_INPUT);
	assert_int_equal(record_check(&got, b.at, b.n, &k, "RUNrun02", 5010, NULL), RC_INPUT);
	for (size_t i = 0; i < b.n; i++)
		assert_int_equal(record_check(&got, b.at, i, &k, run, 5010, NULL), RC_INPUT);
	buf_release(&b);
	sign_key_release(&k);
}

static void test_answers(void **state)
{
	(void)state;
	struct sign_key k = key_of("0123456789abcdef");
	struct answer_message a = {.kind = ANSWER_VERDICT, .worker = "worker", .number = 77}, got;
	struct buf b = {0};
	a.result = (struct run_result){.end = RUN_EXITED, .code = 1, .wall_s = 0.25};
	answer_sign(&b, &a, &k, run);
	assert_int_equal(answer_check(&got, b.at, b.n, &k, run, 0, NULL), RC_OK);
	assert_int_equal(got.number, 77);
	assert_int_equal(got.result.code, 1);
	b.at[8] ^= 1;
	assert_int_equal(answer_check(&got, b.at, b.n, &k, run, 0, NULL), RC_INPUT);
	buf_clear(&b);
	a = (struct answer_message){.kind = ANSWER_HELLO, .worker = "worker", .slots = 4, .time = 1000};
	answer_sign(&b, &a, &k, run);
	assert_int_equal(answer_check(&got, b.at, b.n, &k, run, 1030, NULL), RC_OK);
	assert_int_equal(got.slots, 4);
	assert_int_equal(answer_check(&got, b.at, b.n, &k, run, 1100, NULL), RC_INPUT);
	buf_release(&b);
	sign_key_release(&k);
}

static void test_blobs(void **state)
{
	(void)state;
	struct buf content = {0}, blob = {0}, out = {0};
	struct rng r = {3};
	random_text(&r, &content, 10000);
	struct digest256 d = digest_sha256(content.at, content.n);
	blob_pack(&blob, &content);
	assert_in_range(blob.n, 1, content.n / 2);
	assert_int_equal(blob_unpack(&out, blob.at, blob.n, &d, NULL), RC_OK);
	assert_int_equal(out.n, content.n);
	for (int i = 0; i < 200; i++) {
		size_t at = (size_t)rng_below(&r, blob.n);
		char bit = (char)(1 << rng_below(&r, 8));
		blob.at[at] ^= bit;
		buf_clear(&out);
		if (blob_unpack(&out, blob.at, blob.n, &d, NULL) == RC_OK)
			assert_memory_equal(out.at, content.at, content.n);
		blob.at[at] ^= bit;
	}
	d.byte[0] ^= 1;
	buf_clear(&out);
	assert_int_equal(blob_unpack(&out, blob.at, blob.n, &d, NULL), RC_INPUT);
	vec_release_all(&content, &blob, &out);
}

/* ---- who may send work */

static void test_places(void **state)
{
	(void)state;
	static const char *const here[] = {"redis://127.0.0.1:1", "redis://localhost", "redis://[::1]:7", "unix:/x",
					   "redis://127.9.9.9"};
	static const char *const there[] = {"redis://10.0.0.1", "redis://example.org:1", "redis://[fe80::1]:7",
					    "redis://localhost.example.org", "redis://127.0.0.1.example.org"};
	struct sign_key none = {0}, k = key_of("0123456789abcdef");
	struct address a;
	for (size_t i = 0; i < ARRAY_LEN(here); i++) {
		assert_int_equal(place_parse(&a, here[i], &none, NULL), RC_OK);
		address_release(&a);
	}
	for (size_t i = 0; i < ARRAY_LEN(there); i++) {
		assert_int_equal(place_parse(&a, there[i], &none, NULL), RC_INPUT);
		address_release(&a);
		assert_int_equal(place_parse(&a, there[i], &k, NULL), RC_OK);
		address_release(&a);
	}
	assert_int_equal(place_parse(&a, "http://localhost/x", &k, NULL), RC_INPUT);
	address_release(&a);
	sign_key_release(&k);
}

static void write_key(const char *text, unsigned mode)
{
	FILE *f = fopen(path_of("key"), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path_of("key"), mode), 0);
}

static void test_key_files(void **state)
{
	(void)state;
	struct sign_key k;
	write_key("0123456789abcdef\n", 0600);
	assert_int_equal(sign_key_read(&k, path_of("key"), NULL), RC_OK);
	assert_int_equal(k.bytes.n, 16);
	sign_key_release(&k);
	write_key("0123456789abcde\n", 0600);
	assert_int_equal(sign_key_read(&k, path_of("key"), NULL), RC_INPUT);
	sign_key_release(&k);
	write_key("0123456789abcdef\n", 0644);
	assert_int_equal(sign_key_read(&k, path_of("key"), NULL), RC_INPUT);
	sign_key_release(&k);
	assert_int_equal(sign_key_read(&k, path_of("none"), NULL), RC_INPUT);
	sign_key_release(&k);
}

static int set_up(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/refrain-farm-XXXXXX", base && *base ? base : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path_of("key"));
	return rmdir(folder);
}

UNIT_TESTS_WITH(set_up, tear_down, cmocka_unit_test(test_differences), cmocka_unit_test(test_small),
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_bundle_names), cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_records), cmocka_unit_test(test_answers), cmocka_unit_test(test_blobs),
		cmocka_unit_test(test_places), cmocka_unit_test(test_key_files))
