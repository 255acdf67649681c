/* SPDX-License-Identifier: MIT */
/* Stores under ill treatment: several processes, kill −9, truncated and bit-flipped files, no space. Whatever
 * happens, a get answers the value that was put or a miss. */
#include "folder.h"
#include "testing.h"
#include "store/store.h"
#include "store/admin.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct store_id id = {.engine = "torture", .schema = 1};

/* Everything about record i follows from i: its key, and the only value it ever has. */
static size_t key_of(unsigned i, char *key)
{
	return (size_t)snprintf(key, 64, "key %u%s", i, i % 3 ? "" : " and some more of it");
}

static size_t value_of(unsigned i, char *value)
{
	struct rng r = {i};
	size_t n = i % 16 ? i % 200 : 5000 + i % 1000;
	for (size_t k = 0; k < n; k++)
		value[k] = (char)rng_next(&r);
	return n;
}

enum { LONGEST = 8192 };

static void put(struct store *s, unsigned i)
{
	char key[64], value[LONGEST];
	size_t kn = key_of(i, key);
	store_put(s, key, kn, value, value_of(i, value), NULL);
}

/* 1 the right value, 0 a miss, −1 a wrong answer */
static int get(struct store *s, unsigned i)
{
	char key[64], value[LONGEST];
	struct buf out = {0};
	size_t kn = key_of(i, key), vn = value_of(i, value);
	enum rc rc = store_get(s, key, kn, &out, NULL);
	int answer = rc == RC_NO ? 0 : rc == RC_OK && out.n == vn && memcmp(buf_str(&out), value, vn) == 0 ? 1 : -1;
	buf_release(&out);
	return answer;
}

static struct store *open_ok(const char *path)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	if (store_open(&s, path, &id, 0, &e) != RC_OK)
		fail_msg("%s: %s", path, e.text);
	return s;
}

/* The children of the next tests say what went wrong by their exit code. */
static int crowd_member(const char *path, unsigned me)
{
	struct store *s;
	struct rng r = {me};
	if (store_open(&s, path, &id, 0, NULL) != RC_OK)
		return 10;
	for (unsigned step = 0; step < 400; step++) {
		unsigned i = (unsigned)rng_below(&r, 500);
		if (step % 50 == 0)
			store_begin(s, NULL);
		if (get(s, i) < 0)
			return 11;
		put(s, i);
		if (get(s, i) != 1)
			return 12;
		if (step % 50 == 10)
			store_commit(s, NULL);
	}
	int bad = store_warning(s) || store_stats(s).damaged;
	store_close(s);
	return bad ? 13 : 0;
}

static void test_processes_at_once(void **state)
{
	(void)state;
	enum { CROWD = 4 };
	pid_t pid[CROWD];
	for (unsigned c = 0; c < CROWD; c++) {
		pid[c] = fork();
		if (pid[c] == 0)
			_exit(crowd_member(path_of("crowd.db"), c + 1));
	}
	for (unsigned c = 0; c < CROWD; c++) {
		int status;
		waitpid(pid[c], &status, 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	struct store_admin *a;
	struct buf problems = {0};
	assert_int_equal(store_admin_open(&a, path_of("crowd.db"), false, NULL), RC_OK);
	assert_int_equal(store_admin_check(a, &problems, NULL), RC_OK);
	store_admin_close(a);
	buf_release(&problems);
}

/* Puts without end and says through the pipe which ones returned. */
static void victim(const char *path, int pipe_fd, unsigned first)
{
	struct store *s;
	if (store_open(&s, path, &id, 0, NULL) != RC_OK)
		_exit(10);
	for (unsigned i = first;; i++) {
		bool batch = i % 64 < 8;
		if (i % 64 == 0)
			store_begin(s, NULL);
		put(s, i);
		if (i % 64 == 7)
			store_commit(s, NULL);
		if (store_warning(s))
			_exit(11);
		unsigned said = batch ? i % 64 == 7 ? i : 0 : i;
		if (said && write(pipe_fd, &said, sizeof said) != sizeof said)
			_exit(12);
	}
}

static void test_kill_in_mid_write(void **state)
{
	(void)state;
	struct rng r = {7};
	VEC(unsigned char) put_returned = {0};
	unsigned next = 1, survived = 0;
	for (unsigned round = 0; round < 100; round++) {
		/* now and then a new file: its making is killed too */
		if (round % 10 == 0) {
			unlink(path_of("kill.db"));
			unlink(path_of("kill.db-wal"));
			unlink(path_of("kill.db-shm"));
			unlink(path_of("kill.db-journal"));
			vec_clear(&put_returned);
			next = 1;
		}
		int p[2];
		assert_int_equal(pipe(p), 0);
		pid_t pid = fork();
		if (pid == 0) {
			close(p[0]);
			victim(path_of("kill.db"), p[1], next);
		}
		close(p[1]);
		/* in the middle of the work: after so many puts, or (a new file) at some moment of its making */
		unsigned i, wanted = round % 10 == 0 ? 0 : (unsigned)rng_below(&r, 80), heard = 0;
		if (wanted == 0)
			usleep((useconds_t)rng_below(&r, 4000));
		for (bool killed = false;; heard++) {
			if (!killed && heard >= wanted)
				killed = kill(pid, SIGKILL) == 0;
			if (read(p[0], &i, sizeof i) != sizeof i)
				break;
			while (put_returned.n <= i)
				vec_push(&put_returned, 0);
			put_returned.at[i] = 1;
			/* a batch says only its last one */
			for (unsigned k = i; i % 64 == 7 && k > i - 7; k--)
				put_returned.at[k] |= k >= next;
			survived++;
		}
		close(p[0]);
		int status;
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status));
		struct store *s = open_ok(path_of("kill.db"));
		for (unsigned k = 0; k < put_returned.n; k++)
			assert_int_equal(get(s, k), put_returned.at[k] ? 1 : get(s, k) == 1);
		assert_null(store_warning(s));
		assert_int_equal(store_stats(s).damaged, 0);
		store_close(s);
		next = (unsigned)put_returned.n + 64;
	}
	vec_release(&put_returned);
	assert_true(survived > 2000);
}

/* A store of n records, its bytes. */
static void make_bytes(struct buf *bytes, unsigned n)
{
	struct store *s = open_ok(path_of("whole.db"));
	store_begin(s, NULL);
	for (unsigned i = 0; i < n; i++)
		put(s, i);
	store_commit(s, NULL);
	store_close(s);
	assert_int_equal(buf_read_file(bytes, path_of("whole.db"), 1 << 26, NULL), RC_OK);
	unlink(path_of("whole.db"));
}

static void write_bytes(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	close(fd);
}

static bool count(void *user, const struct store_record *r)
{
	*(size_t *)user += r->damaged;
	return true;
}

static bool only_right(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	char k[64], v[LONGEST];
	unsigned i, n = *(unsigned *)user;
	for (i = 0; i < n; i++)
		if (key_of(i, k) == key_len && memcmp(k, key, key_len) == 0)
			break;
	assert_true(i < n);
	assert_int_equal(value_of(i, v), value_len);
	assert_memory_equal(v, value, value_len);
	return true;
}

/* Uses a damaged file in every way; returns how many of its n records could still be read. */
static unsigned use_damaged(const char *path, unsigned n)
{
	struct store *s;
	struct err e = ERR_INIT;
	unsigned right = 0;
	size_t damaged = 0;
	struct store_admin *a;
	struct buf problems = {0};
	if (store_admin_open(&a, path, false, &e) == RC_OK) {
		store_admin_each(a, count, &damaged, &e);
		store_admin_check(a, &problems, &e);
		store_admin_close(a);
	}
	buf_release(&problems);
	err_clear(&e);
	if (store_open(&s, path, &id, 0, &e) != RC_OK) {
		assert_int_equal(e.rc, RC_INPUT);
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		int answer = get(s, i);
		assert_true(answer >= 0);
		right += (unsigned)answer;
	}
	assert_int_equal(store_each(s, only_right, &n, NULL), RC_OK);
	for (unsigned i = 0; i < n; i += 7) {
		put(s, i);
		assert_true(get(s, i) >= 0);
	}
	store_close(s);
	return right;
}

static void remove_store(const char *name)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char *p = mem_printf("%s%s", path_of(name), ends[i]);
		unlink(p);
		free(p);
	}
}

static void test_truncated(void **state)
{
	(void)state;
	enum { N = 200 };
	struct buf bytes = {0};
	struct rng r = {3};
	make_bytes(&bytes, N);
	for (unsigned round = 0; round < 100; round++) {
		size_t n = round < 20       ? round * 10
			   : round % 3 == 0 ? 4096 * (size_t)rng_below(&r, bytes.n / 4096)
					    : rng_below(&r, bytes.n);
		remove_store("cut.db");
		write_bytes(path_of("cut.db"), bytes.at, n);
		use_damaged(path_of("cut.db"), N);
	}
	buf_release(&bytes);
}

static void test_bit_flips(void **state)
{
	(void)state;
	enum { N = 120 };
	struct buf bytes = {0};
	struct rng r = {5};
	unsigned right = 0, rounds = 300;
	make_bytes(&bytes, N);
	for (unsigned round = 0; round < rounds; round++) {
		/* the first pages (header, schema) are hit more often; sometimes several bits, or a whole sector */
		size_t at = round % 2 ? rng_below(&r, bytes.n) : rng_below(&r, bytes.n < 16384 ? bytes.n : 16384);
		struct buf hurt = {0};
		buf_add(&hurt, bytes.at, bytes.n);
		for (unsigned k = 0; k < 1 + round % 4; k++)
			hurt.at[(at + k * 97) % hurt.n] ^= (char)(1u << rng_below(&r, 8));
		if (round % 50 == 49)
			memset(hurt.at + at / 512 * 512, 0, 512);
		remove_store("flip.db");
		write_bytes(path_of("flip.db"), hurt.at, hurt.n);
		right += use_damaged(path_of("flip.db"), N);
		buf_release(&hurt);
	}
	buf_release(&bytes);
	/* damage costs what it hit, not everything */
	assert_true(right > rounds * N / 3);
}

/* A process that was killed leaves a write-ahead log beside the file: that may be hurt too. */
static void test_hurt_log(void **state)
{
	(void)state;
	enum { N = 60 };
	struct rng r = {11};
	struct buf file = {0}, log = {0};
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s = open_ok(path_of("log.db"));
		for (unsigned i = 0; i < N; i++)
			put(s, i);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(buf_read_file(&file, path_of("log.db"), 1 << 26, NULL), RC_OK);
	assert_int_equal(buf_read_file(&log, path_of("log.db-wal"), 1 << 26, NULL), RC_OK);
	assert_true(log.n > 4096);
	for (unsigned round = 0; round < 80; round++) {
		size_t n = round % 2 ? rng_below(&r, log.n) : log.n, at = rng_below(&r, round % 4 ? log.n : 64);
		remove_store("log.db");
		write_bytes(path_of("log.db"), file.at, file.n);
		log.at[at] ^= round % 2 ? 0 : 16;
		write_bytes(path_of("log.db-wal"), log.at, n);
		log.at[at] ^= round % 2 ? 0 : 16;
		use_damaged(path_of("log.db"), N);
	}
	/* unhurt, all of it is there */
	remove_store("log.db");
	write_bytes(path_of("log.db"), file.at, file.n);
	write_bytes(path_of("log.db-wal"), log.at, log.n);
	assert_int_equal(use_damaged(path_of("log.db"), N), N);
	buf_release(&file);
	buf_release(&log);
}

/* Every single bit of one record's value: the get is a miss, and it is counted. */
static void test_damaged_record_is_counted(void **state)
{
	(void)state;
	static const char value[] = "a value that can be found in the file";
	struct store *s = open_ok(path_of("one.db"));
	store_put(s, "key", 3, value, strlen(value), NULL);
	store_close(s);
	struct buf bytes = {0}, out = {0};
	assert_int_equal(buf_read_file(&bytes, path_of("one.db"), 1 << 20, NULL), RC_OK);
	char *at = memmem(bytes.at, bytes.n, value, strlen(value));
	assert_non_null(at);
	for (unsigned bit = 0; bit < 8 * strlen(value); bit++) {
		at[bit / 8] ^= (char)(1 << bit % 8);
		write_bytes(path_of("one.db"), bytes.at, bytes.n);
		s = open_ok(path_of("one.db"));
		assert_int_equal(store_get(s, "key", 3, &out, NULL), RC_NO);
		assert_int_equal(store_stats(s).damaged, 1);
		assert_null(store_warning(s));
		/* a put repairs it */
		store_put(s, "key", 3, "new", 3, NULL);
		assert_int_equal(store_get(s, "key", 3, &out, NULL), RC_OK);
		assert_string_equal(buf_str(&out), "new");
		buf_clear(&out);
		store_close(s);
		at[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_int_equal(out.n, 0);
	buf_release(&bytes);
	buf_release(&out);
}

static void test_damaged_while_in_use(void **state)
{
	(void)state;
	enum { N = 600 };
	for (unsigned how = 0; how < 3; how++) {
		remove_store("live.db");
		struct store *s = open_ok(path_of("live.db"));
		for (unsigned i = 0; i < N; i++)
			put(s, i);
		store_close(s);
		s = open_ok(path_of("live.db"));
		assert_int_equal(get(s, 0), 1);
		if (how == 0) {
			assert_int_equal(truncate(path_of("live.db"), 5000), 0);
		} else if (how == 1) {
			assert_int_equal(truncate(path_of("live.db"), 0), 0);
		} else {
			int fd = open(path_of("live.db"), O_RDWR);
			static char noise[1 << 16];
			memset(noise, 0xa5, sizeof noise);
			assert_int_equal(pwrite(fd, noise, sizeof noise, 0), sizeof noise);
			close(fd);
		}
		for (unsigned i = 0; i < N; i++)
			assert_true(get(s, i) >= 0);
		for (unsigned i = 0; i < N; i++)
			put(s, i);
		for (unsigned i = 0; i < N; i++)
			assert_true(get(s, i) >= 0);
		store_close(s);
	}
}

/* Files may not grow beyond a limit, as on a full disk. */
static int fill_disk(const char *path)
{
	struct rlimit limit = {3000000, 3000000};
	struct store *s;
	struct err e = ERR_INIT;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 10;
	if (store_open(&s, path, &id, 0, &e) != RC_OK)
		return 11;
	unsigned stored = 0;
	for (unsigned i = 0; i < 5000; i++) {
		put(s, i);
		if (!store_warning(s))
			stored = i;
		else if (get(s, i) != 0)
			return 12;
	}
	if (!store_warning(s) || stored < 100)
		return 13;
	store_close(s);
	/* what was put before is still there */
	if (store_open(&s, path, &id, STORE_READONLY, &e) != RC_OK)
		return 14;
	for (unsigned i = 0; i <= stored; i++)
		if (get(s, i) != 1)
			return 15;
	store_close(s);
	return 0;
}

static void test_no_space(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0)
		_exit(fill_disk(path_of("full.db")));
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int make_folder(void **state)
{
	(void)state;
	const char *tmp = getenv("TMPDIR");
	/* in memory if possible: thousands of fsyncs on a busy disk take minutes and prove nothing more */
	snprintf(folder, sizeof folder, "/dev/shm/torture.XXXXXX");
	if (mkdtemp(folder))
		return 0;
	snprintf(folder, sizeof folder, "%s/torture.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char *cmd = mem_printf("rm -rf '%s'", folder);
	int rc = system(cmd);
	free(cmd);
	return rc;
}

UNIT_TESTS_WITH(make_folder, remove_folder, cmocka_unit_test(test_processes_at_once),
		cmocka_unit_test(test_kill_in_mid_write), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_bit_flips), cmocka_unit_test(test_hurt_log),
		cmocka_unit_test(test_damaged_record_is_counted), cmocka_unit_test(test_damaged_while_in_use),
		cmocka_unit_test(test_no_space))
