/* SPDX-License-Identifier: MIT */
/* rft files: what is written is read; every truncation and every flipped bit is an error that names a record. */
#include <stddef.h>
#include <stdint.h>

#include "testing.h"
#include "base/bits.h"
#include "base/keyblock.h"
#include "data/buf.h"
#include "data/digest.h"
#include "stream/input.h"
#include "stream/keytrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char dir[512];

static const char *in_dir(const char *name)
{
	static char path[600];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static uint64_t key_at(size_t i, int kind)
{
	return kind == 0 ? i : kind == 1 ? mix64(i) : kind == 2 ? (i % 2 ? UINT64_MAX : 0) : 4096 + i * 7919 % 1000;
}

static void write_trace(const char *path, size_t n, int kind, bool sizes)
{
	struct err e = ERR_INIT;
	struct keytrace_header h = {.unit = 4096, .sizes = sizes, .method = KEYTRACE_OLR, .k = 77, .source = "a test"};
	struct keytrace_writer *w;
	assert_int_equal(keytrace_create(&w, path, &h, &e), RC_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(keytrace_add(w, key_at(i, kind), i * 3), RC_OK);
	assert_int_equal(keytrace_close(w, n * 10, &e), RC_OK);
}

/* Reads all; returns the final code and counts what came. */
static enum rc read_pairs(struct input *in, size_t *n, int kind, bool sizes, struct err *e)
{
	struct keytrace_reader *r;
	*n = 0;
	enum rc rc = keytrace_open_input(&r, in, e);
	if (rc)
		return rc;
	uint64_t k[1000], s[1000];
	size_t got;
	while ((rc = keytrace_read(r, k, s, 1000, &got, e)) == RC_OK && got)
		for (size_t i = 0; i < got; i++, ++*n) {
			assert_int_equal(k[i], key_at(*n, kind));
			if (sizes)
				assert_int_equal(s[i], *n * 3);
		}
	if (rc == RC_OK) {
		assert_int_equal(keytrace_original_requests(r), *n * 10);
		assert_int_equal(keytrace_reader_header(r)->method, KEYTRACE_OLR);
		assert_int_equal(keytrace_reader_header(r)->k, 77);
		assert_int_equal(keytrace_reader_header(r)->unit, 4096);
		assert_string_equal(keytrace_reader_header(r)->source, "a test");
	}
	keytrace_reader_free(r);
	return rc;
}

static void what_is_written_is_read(void **unused)
{
	(void)unused;
	static const size_t sizes[] = {0, 1, 8191, 8192, 8193, 50000};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (int kind = 0; kind < 4; kind++) {
			struct err e = ERR_INIT;
			struct input *in;
			size_t n;
			write_trace(in_dir("t.rft"), sizes[i], kind, kind & 1);
			assert_int_equal(input_open(&in, in_dir("t.rft"), &e), RC_OK);
			assert_int_equal(read_pairs(in, &n, kind, kind & 1, &e), RC_OK);
			assert_int_equal(n, sizes[i]);
		}
}

static void load(const char *path, struct buf *b)
{
	struct err e = ERR_INIT;
	assert_int_equal(buf_read_file(b, path, 1 << 24, &e), RC_OK);
}

static void a_cut_or_flipped_file_is_refused(void **unused)
{
	(void)unused;
	struct buf b = {0};
	write_trace(in_dir("t.rft"), 9000, 3, true);
	load(in_dir("t.rft"), &b);
	struct rng rng = {1};
	for (int i = 0; i < 600; i++) {
		struct err e = ERR_INIT;
		struct input *in;
		size_t n, cut = i < 64 ? (size_t)i : i < 128 ? b.n - (size_t)(i - 63) : rng_below(&rng, b.n);
		assert_int_equal(input_open_memory(&in, b.at, cut, "cut", &e), RC_OK);
		assert_int_equal(read_pairs(in, &n, 3, true, &e), RC_INPUT);
		assert_true(n == 0 || n == 8192 || n == 9000);
		if (cut > 100) {
			char want[64];
			snprintf(want, sizeof want, "record %zu", n + 1);
			assert_non_null(strstr(e.text, want));
		}
	}
	for (int i = 0; i < 600; i++) {
		struct err e = ERR_INIT;
		struct input *in;
		size_t n, at = i < 100 ? (size_t)i : i < 140 ? b.n - (size_t)(i - 99) : rng_below(&rng, b.n);
		b.at[at] ^= (char)(1 << rng_below(&rng, 8));
		assert_int_equal(input_open_memory(&in, b.at, b.n, "flipped", &e), RC_OK);
		assert_int_equal(read_pairs(in, &n, 3, true, &e), RC_INPUT);
		load(in_dir("t.rft"), (buf_clear(&b), &b));
	}
	buf_char(&b, 'x');
	struct err e = ERR_INIT;
	struct input *in;
	size_t n;
	assert_int_equal(input_open_memory(&in, b.at, b.n, "longer", &e), RC_OK);
	assert_int_equal(read_pairs(in, &n, 3, true, &e), RC_INPUT);
	buf_release(&b);
}

static void an_abandoned_file_does_not_appear(void **unused)
{
	(void)unused;
	struct err e = ERR_INIT;
	struct keytrace_header h = {0};
	struct keytrace_writer *w;
	assert_int_equal(keytrace_create(&w, in_dir("gone.rft"), &h, &e), RC_OK);
	keytrace_add(w, 1, 0);
	assert_int_not_equal(access(in_dir("gone.rft"), F_OK), 0);
	keytrace_abandon(w);
	assert_int_not_equal(access(in_dir("gone.rft"), F_OK), 0);
	assert_int_equal(keytrace_create(&w, in_dir("none/x.rft"), &h, &e), RC_ENV);
}

static size_t gzip(const struct buf *b, unsigned char *out, size_t room)
{
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)b->at;
	z.avail_in = (uInt)b->n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static void compressed_members_are_joined_and_truncation_is_seen(void **unused)
{
	(void)unused;
	struct buf b = {0};
	for (int i = 0; i < 300000; i++)
		buf_char(&b, (char)((unsigned)i * (unsigned)i >> 7));
	size_t room = 2 * ZSTD_compressBound(b.n);
	unsigned char *z = malloc(room);
	assert_non_null(z);
	for (int zstd = 0; zstd < 2; zstd++) {
		size_t one = zstd ? ZSTD_compress(z, room, b.at, b.n, 3) : gzip(&b, z, room);
		size_t two = zstd ? ZSTD_compress(z + one, room - one, b.at, b.n, 3) : gzip(&b, z + one, room - one);
		for (size_t cut = one + two; cut > one + 1; cut -= 1 + two / 50 < cut ? 1 + two / 50 : cut) {
			struct err e = ERR_INIT;
			struct input *in;
			const unsigned char *p;
			size_t n, total = 0;
			enum rc rc = input_open_memory(&in, z, cut, "z", &e);
			assert_int_equal(rc, RC_OK);
			while ((rc = input_view(in, 1000, &p, &n, &e)) == RC_OK && n) {
				assert_memory_equal(p, b.at + total % b.n,
						    n < b.n - total % b.n ? n : b.n - total % b.n);
				input_skip(in, n);
				total += n;
			}
			assert_int_equal(rc, cut == one + two ? RC_OK : RC_INPUT);
			if (!rc)
				assert_int_equal(total, 2 * b.n);
			input_free(in);
		}
	}
	free(z);
	buf_release(&b);
}

/* Streams of every kind of repetition: the same block again decodes to the same keys whatever was encoded before, and a
 * cut or changed one never reads or writes outside. */
static void blocks_of_keys_come_back(void **unused)
{
	(void)unused;
	static uint64_t keys[KEYBLOCK_KEYS], back[KEYBLOCK_KEYS];
	static unsigned char bytes[KEYBLOCK_BYTES], again[KEYBLOCK_BYTES];
	static struct keyblock_encoder e;
	struct rng rng = {7};
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + rng_below(&rng, round % 3 ? KEYBLOCK_KEYS : 20),
		       range = 1 + rng_below(&rng, round % 7 ? 300 : 60000);
		for (size_t i = 0; i < n; i++)
			keys[i] = round % 5 == 4 ? rng_next(&rng)
						 : rng_below(&rng, range) * (round % 2 ? 1 : 0x100000001u);
		size_t len = keyblock_encode(&e, keys, n, bytes);
		assert_true(len <= n * 9);
		assert_int_equal(keyblock_decode(bytes, len, back, n), len);
		assert_memory_equal(back, keys, n * sizeof *keys);
		struct keyblock_encoder other;
		memset(&other, round, sizeof other);
		assert_int_equal(keyblock_encode(&other, keys, n, again), len);
		assert_memory_equal(again, bytes, len);
		assert_int_equal(keyblock_decode(bytes, len - 1, back, n), 0);
		bytes[rng_below(&rng, len)] ^= (unsigned char)(1 + rng_below(&rng, 255));
		assert_true(keyblock_decode(bytes, len, back, n) <= len);
	}
}

/* A file of version 1, as it was written before: keys 5, 5, 1000 in pages. */
static void the_first_version_is_read(void **unused)
{
	(void)unused;
	unsigned char file[200] = {0};
	size_t n = KEYTRACE_MAGIC_LEN;
	memcpy(file, keytrace_magic, n);
	put_le32(file + n, 1);
	put_le32(file + n + 4, 32);
	put_le64(file + n + 16, 4096);
	n += 8 + 32;
	put_le64(file + n, hash64(file, n));
	unsigned char *b = file + (n += 8);
	size_t len = varint_put(b + 16, zigzag_diff(0, 5));
	len += varint_put(b + 16 + len, 0);
	len += varint_put(b + 16 + len, zigzag_diff(5, 1000));
	put_le32(b, 3);
	put_le32(b + 4, (uint32_t)len);
	put_le64(b + 8, hash64_seed(b + 16, len, get_le64(b)));
	b += 16 + len;
	put_le32(b, 0);
	put_le32(b + 4, 16);
	put_le64(b + 16, 3);
	put_le64(b + 8, hash64_seed(b + 16, 16, get_le64(b)));
	struct err e = ERR_INIT;
	struct input *in;
	struct keytrace_reader *r;
	uint64_t keys[8];
	size_t got;
	assert_int_equal(input_open_memory(&in, file, (size_t)(b + 32 - file), "old", &e), RC_OK);
	assert_int_equal(keytrace_open_input(&r, in, &e), RC_OK);
	assert_int_equal(keytrace_read(r, keys, NULL, 8, &got, &e), RC_OK);
	assert_int_equal(got, 3);
	assert_true(keys[0] == 5 && keys[1] == 5 && keys[2] == 1000);
	keytrace_reader_free(r);
}

static int make_dir(void **unused)
{
	(void)unused;
	const char *tmp = getenv("TMPDIR");
	snprintf(dir, sizeof dir, "%s/keytrace.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **unused)
{
	(void)unused;
	unlink(in_dir("t.rft"));
	return rmdir(dir);
}

UNIT_TESTS_WITH(make_dir, remove_dir, cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_cut_or_flipped_file_is_refused), cmocka_unit_test(an_abandoned_file_does_not_appear),
		cmocka_unit_test(blocks_of_keys_come_back), cmocka_unit_test(the_first_version_is_read),
		cmocka_unit_test(compressed_members_are_joined_and_truncation_is_seen))
