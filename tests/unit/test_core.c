/* SPDX-License-Identifier: MIT */
/* err, text, mem, buf, vec, arena, table, digest: the small pieces everything stands on. */
#include "data/arena.h"
#include "data/buf.h"
#include "data/digest.h"
#include "data/table.h"
#include "data/text.h"

#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void err_first_wins(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char out[300];
	assert_int_equal(err_at(&e, RC_INPUT, "a\nb.txt", 3, 7, "bad %s", "thing\x1b[31m"), RC_INPUT);
	err_set(&e, RC_ENV, "later");
	assert_int_equal(e.rc, RC_INPUT);
	assert_string_equal(err_message(&e, out, sizeof out), "a\\x0ab.txt:3:7: bad thing\\x1b[31m");
	err_clear(&e);
	err_sys(&e, RC_ENV, 2, "cannot open '%s'", "x");
	assert_string_equal(err_message(&e, out, sizeof out), "cannot open 'x': No such file or directory");
	assert_int_equal(err_set(NULL, RC_NO, "nobody listens"), RC_NO);
}

static void escapes_foreign_text(void **state)
{
	(void)state;
	char out[64];
	assert_int_equal(text_escape("a\xc3\xa9\xff\x07", 5, out, sizeof out), 11);
	assert_string_equal(out, "a\xc3\xa9\\xff\\x07");
	text_escape("\xc2\x9b"
		    "1m",
		    4, out, sizeof out);
	assert_string_equal(out, "\\xc2\\x9b1m");
	/* cut at a character boundary, always ended */
	assert_int_equal(text_escape("ab\xe2\x82\xac", 5, out, 5), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(text_utf8_len("\xed\xa0\x80", 3), 0);
	assert_int_equal(text_utf8_len("\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(text_utf8_len("\xc0\x80", 2), 0);
	assert_int_equal(text_utf8_len("\xf0\x9f\x8e\xb5", 4), 4);
	assert_int_equal(text_utf8_len("\xf0\x9f\x8e\xb5", 3), 0);
}

static void reads_numbers_strictly(void **state)
{
	(void)state;
	uint64_t v;
	double d;
	assert_true(text_u64("18446744073709551615", &v) && v == UINT64_MAX);
	assert_false(text_u64("18446744073709551616", &v));
	assert_false(text_u64("", &v) || text_u64("-1", &v) || text_u64("1x", &v) || text_u64(" 1", &v));
	assert_true(text_size("3K", &v) && v == 3072);
	assert_true(text_size("2GiB", &v) && v == (uint64_t)2 << 30);
	assert_false(text_size("17000000T", &v) || text_size("1KK", &v) || text_size("K", &v));
	assert_true(text_seconds("1.5", &d) && d == 1.5);
	assert_false(text_seconds("nan", &d) || text_seconds("-1", &d) || text_seconds("1e999", &d) ||
		     text_seconds("1s", &d));
}

static void counts_memory(void **state)
{
	(void)state;
	struct mem_counter c = {0};
	void *p = mem_resize(&c, NULL, 0, 100);
	p = mem_resize(&c, p, 100, 50);
	assert_int_equal(c.now, 50);
	assert_int_equal(c.peak, 100);
	assert_int_equal(c.blocks, 1);
	mem_release(&c, p, 50);
	assert_int_equal(c.now, 0);
	assert_int_equal(c.blocks, 0);
}

static void buffers_files(void **state)
{
	(void)state;
	char *dir = mem_printf("%s/refrain-unit.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	char *path = mem_printf("%s/f", dir), *link_path = mem_printf("%s/l", dir);
	struct buf b = {0}, back = {0};
	struct err e = ERR_INIT;
	buf_printf(&b, "%s %d\n", "hello", 42);
	assert_int_equal(buf_write_file(&b, path, 0640, &e), RC_OK);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	chmod(path, 0755);
	/* through a link: the link stays, the target keeps its mode */
	assert_int_equal(symlink("f", link_path), 0);
	buf_str_add(&b, "more");
	assert_int_equal(buf_write_file(&b, link_path, 0600, &e), RC_OK);
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	stat(path, &st);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(buf_read_file(&back, path, 1000, &e), RC_OK);
	assert_string_equal(buf_str(&back), "hello 42\nmore");
	buf_clear(&back);
	assert_int_equal(buf_read_file(&back, path, 5, &e), RC_INPUT);
	err_clear(&e);
	assert_int_equal(buf_read_file(&back, dir, 5, &e), RC_INPUT);
	err_clear(&e);
	assert_int_equal(buf_read_file(&back, "/nonexistent/x", 5, &e), RC_INPUT);
	unlink(path);
	unlink(link_path);
	rmdir(dir);
	free(path);
	free(link_path);
	free(dir);
	buf_release(&b);
	buf_release(&back);
}

static void arena_gives_and_takes(void **state)
{
	(void)state;
	struct mem_counter c = {0};
	struct arena a = {.counter = &c};
	struct rng r = {7};
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2000; i++) {
			size_t n = rng_below(&r, 300) + (i % 500 == 0 ? 100000 : 0);
			char *p = arena_alloc(&a, n);
			assert_int_equal((uintptr_t)p % 16, 0);
			memset(p, i, n);
		}
		arena_clear(&a);
		assert_int_equal(c.blocks, 1);
	}
	assert_string_equal(arena_strndup(&a, "abc", 2), "ab");
	arena_release(&a);
	assert_int_equal(c.now, 0);
}

/* against a plain array of what is in */
static void table_agrees_with_a_list(void **state)
{
	(void)state;
	enum { KEYS = 3000, STEPS = 60000 };
	struct mem_counter c = {0};
	struct table t = {.counter = &c};
	static bool in[KEYS];
	struct rng r = {42};
	size_t n = 0;
	memset(in, 0, sizeof in);
	for (int step = 0; step < STEPS; step++) {
		uint32_t k = (uint32_t)rng_below(&r, KEYS);
		uint64_t hash = k % 97; /* many equal hashes */
		if (in[k]) {
			assert_true(table_remove(&t, hash, k));
			assert_false(table_remove(&t, hash, k));
			n--;
		} else {
			table_insert(&t, hash, k);
			n++;
		}
		in[k] = !in[k];
		if (step % 100 == 0)
			table_check(&t);
		assert_int_equal(t.n, n);
		uint32_t look = (uint32_t)rng_below(&r, KEYS), ref;
		bool found = false;
		for (struct table_probe p = table_probe(&t, look % 97); (ref = table_next(&t, &p)) != TABLE_NONE;)
			found |= ref == look;
		assert_int_equal(found, in[look]);
	}
	assert_true(t.n > 0);
	table_clear(&t);
	assert_int_equal(t.n, 0);
	table_insert(&t, 5, 1);
	assert_true(table_remove(&t, 5, 1));
	table_release(&t);
	assert_int_equal(c.now, 0);
}

static void digests_are_the_known_ones(void **state)
{
	(void)state;
	char hex[129];
	digest_hex(digest_sha256("abc", 3).byte, 32, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	digest_hex(digest_sha512("", 0).byte, 4, hex);
	assert_string_equal(hex, "cf83e135");
	struct digest_parts *p = digest_parts_new(), *q = digest_parts_new();
	digest_parts_str(p, "ab");
	digest_parts_str(p, "c");
	digest_parts_str(q, "a");
	digest_parts_str(q, "bc");
	struct digest256 a = digest_parts_end(p), b = digest_parts_end(q);
	assert_memory_not_equal(a.byte, b.byte, 32);
	assert_int_equal(hash64("x", 1), hash64("x", 1));
	assert_int_not_equal(hash64("x", 1), hash64_seed("x", 1, 1));
}

UNIT_TESTS(cmocka_unit_test(err_first_wins), cmocka_unit_test(escapes_foreign_text),
	   cmocka_unit_test(reads_numbers_strictly), cmocka_unit_test(counts_memory), cmocka_unit_test(buffers_files),
	   cmocka_unit_test(arena_gives_and_takes), cmocka_unit_test(table_agrees_with_a_list),
	   cmocka_unit_test(digests_are_the_known_ones))
