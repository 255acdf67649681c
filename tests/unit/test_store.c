/* SPDX-License-Identifier: MIT */
/* Stores: what a get may answer, against a plain model; identities; modes; strange files. */
#include "folder.h"
#include "testing.h"
#include "store_words.h"
#include "store/store.h"
#include "store/admin.h"

#include "base/bits.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void basics(const char *uri)
{
	struct store_id id = make_id("unit", 1, "a");
	struct store *s = open_ok(uri, &id, 0);
	assert_null(get(s, "k"));
	put(s, "k", "v1");
	put(s, "k2", "");
	put(s, "", "empty key");
	assert_string_equal(get(s, "k"), "v1");
	assert_string_equal(get(s, "k2"), "");
	assert_string_equal(get(s, ""), "empty key");
	put(s, "k", "another, longer value");
	assert_string_equal(get(s, "k"), "another, longer value");
	/* appended, not replaced */
	struct buf b = {0};
	buf_str_add(&b, "before:");
	assert_int_equal(store_get(s, "k2", 2, &b, NULL), RC_OK);
	assert_int_equal(store_get(s, "k", 1, &b, NULL), RC_OK);
	assert_string_equal(buf_str(&b), "before:another, longer value");
	buf_release(&b);
	/* bytes are bytes */
	struct buf out = {0};
	assert_int_equal(store_put(s, "a\0b", 3, "x\0y\0", 4, NULL), RC_OK);
	assert_int_equal(store_get(s, "a\0c", 3, &out, NULL), RC_NO);
	assert_int_equal(store_get(s, "a", 1, &out, NULL), RC_NO);
	assert_int_equal(store_get(s, "a\0b", 3, &out, NULL), RC_OK);
	assert_int_equal(out.n, 4);
	assert_memory_equal(out.at, "x\0y\0", 4);
	buf_release(&out);
	struct store_stats st = store_stats(s);
	assert_int_equal(st.puts, 5);
	assert_int_equal(st.gets, 10);
	assert_int_equal(st.hits, 7);
	assert_int_equal(st.damaged, 0);
	assert_null(store_warning(s));
	store_close(s);
}

static void test_basics(void **state)
{
	(void)state;
	char uri[300];
	basics("memory:");
	basics(path_of("basics.db"));
	snprintf(uri, sizeof uri, "sqlite:%s", path_of("basics2.db"));
	basics(uri);
	/* names that SQLite would read as something else, relative to the working folder */
	assert_int_equal(chdir(folder), 0);
	basics(":memory:");
	basics("file:x?mode=memory");
	basics("a b%20#?.db");
	assert_int_equal(access(":memory:", F_OK), 0);
	assert_int_equal(access("file:x?mode=memory", F_OK), 0);
	assert_int_equal(chdir("/"), 0);
}

static void test_uri_errors(void **state)
{
	(void)state;
	static const char *const bad[] = {"rediss://host", "memory:x", "sqlite:", "", "/"};
	struct store_id id = make_id("unit", 1, "a");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = ERR_INIT;
		struct store *s;
		assert_int_equal(store_open(&s, bad[i], &id, 0, &e), RC_INPUT);
		assert_true(e.text[0] != '\0');
	}
	struct err e = ERR_INIT;
	struct store *s;
	assert_int_equal(store_open(&s, path_of("no/such/folder.db"), &id, 0, &e), RC_ENV);
}

static void test_identities_are_apart(void **state)
{
	(void)state;
	struct store_id ids[] = {make_id("unit", 1, "a"), make_id("unit", 1, "b"), make_id("unit", 2, "a"),
				 make_id("unis", 1, "a")};
	char value[16];
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < ARRAY_LEN(ids); i++) {
			struct store *s = open_ok(path_of("ids.db"), &ids[i], 0);
			snprintf(value, sizeof value, "value %u", i);
			if (round == 0) {
				assert_null(get(s, "key"));
				put(s, "key", value);
			}
			assert_string_equal(get(s, "key"), value);
			store_close(s);
		}
}

/* A model: the last value of each of a few keys. */
enum { KEYS = 300 };
struct model {
	char *value[KEYS];
	size_t len[KEYS];
	unsigned order[KEYS], n; /* keys in the order of their first put */
	unsigned at;             /* for each */
	size_t seen;
};

static size_t random_key(struct rng *r, unsigned k, char *key)
{
	/* keys of very different lengths, some longer than a page */
	size_t n = 4 + (k % 7 == 0 ? 6000 : k % 5) + (k % 3) * 20;
	memset(key, 'k', n);
	memcpy(key, &k, sizeof k);
	(void)r;
	return n;
}

static bool each_in_order(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct model *m = user;
	unsigned k;
	(void)key_len;
	assert_true(m->at < m->n);
	memcpy(&k, key, sizeof k);
	assert_int_equal(k, m->order[m->at]);
	assert_int_equal(value_len, m->len[k]);
	assert_memory_equal(value, m->value[k], value_len);
	m->at++;
	return true;
}

static void against_model(const char *uri, uint64_t seed, unsigned steps)
{
	static char key[8000], value[20000];
	struct rng r = {seed};
	struct model m = {0};
	struct buf out = {0};
	struct store_id id = make_id("unit", 1, "model");
	struct store *s = open_ok(uri, &id, 0);
	bool memory = strncmp(uri, "memory:", 7) == 0;
	for (unsigned step = 0; step < steps; step++) {
		unsigned k = (unsigned)rng_below(&r, KEYS);
		size_t kn = random_key(&r, k, key);
		switch (rng_below(&r, 20)) {
		case 0:
			store_begin(s, NULL);
			break;
		case 1:
			store_commit(s, NULL);
			break;
		case 2:
			if (!memory && rng_below(&r, 10) == 0) {
				store_close(s); /* commits */
				s = open_ok(uri, &id, 0);
			}
			break;
		case 3:
			m.at = 0;
			assert_int_equal(store_each(s, each_in_order, &m, NULL), RC_OK);
			assert_int_equal(m.at, m.n);
			break;
		case 4:
		case 5:
		case 6:
		case 7:
		case 8:
		case 9: {
			size_t vn = rng_below(&r, 8) ? rng_below(&r, 100) : rng_below(&r, sizeof value);
			for (size_t i = 0; i < vn; i++)
				value[i] = (char)rng_next(&r);
			store_put(s, key, kn, value, vn, NULL);
			if (!m.value[k])
				m.order[m.n++] = k;
			free(m.value[k]);
			m.value[k] = mem_dup(value, vn);
			m.len[k] = vn;
			break;
		}
		default:
			buf_clear(&out);
			assert_int_equal(store_get(s, key, kn, &out, NULL), m.value[k] ? RC_OK : RC_NO);
			assert_int_equal(out.n, m.value[k] ? m.len[k] : 0);
			if (m.value[k])
				assert_memory_equal(buf_str(&out), m.value[k], out.n);
		}
		assert_null(store_warning(s));
	}
	store_close(s);
	for (unsigned k = 0; k < KEYS; k++)
		free(m.value[k]);
	buf_release(&out);
}

static void test_model(void **state)
{
	(void)state;
	against_model("memory:", 1, 6000);
	against_model(path_of("model.db"), 2, 6000);
}

/* Nobody else may read a new store, nor the files that SQLite keeps beside it; an old one keeps its mode. */
static void test_private(void **state)
{
	(void)state;
	static const char *const files[] = {"private.db", "private.db-wal", "private.db-shm"};
	struct store_id id = make_id("unit", 1, "private");
	struct stat st;
	mode_t mask = umask(0);
	struct store *s = open_ok(path_of(files[0]), &id, 0);
	put(s, "k", "v");
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		assert_int_equal(stat(path_of(files[i]), &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	store_close(s);
	assert_int_equal(chmod(path_of(files[0]), 0640), 0);
	store_close(open_ok(path_of(files[0]), &id, 0));
	umask(mask);
	assert_int_equal(stat(path_of(files[0]), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void test_readonly(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "a"), other = make_id("unit", 1, "b");
	struct err e = ERR_INIT;
	struct store *s;
	assert_int_equal(store_open(&s, path_of("missing.db"), &id, STORE_READONLY, &e), RC_INPUT);
	assert_int_equal(access(path_of("missing.db"), F_OK), -1);
	s = open_ok(path_of("ro.db"), &id, 0);
	put(s, "k", "v");
	store_close(s);
	s = open_ok(path_of("ro.db"), &id, STORE_READONLY);
	put(s, "k", "other");
	put(s, "new", "v");
	assert_string_equal(get(s, "k"), "v");
	assert_null(get(s, "new"));
	assert_int_equal(store_stats(s).puts, 0);
	store_close(s);
	s = open_ok(path_of("ro.db"), &id, STORE_FROZEN);
	struct buf out = {0};
	err_clear(&e);
	assert_int_equal(store_get(s, "k", 1, &out, &e), RC_OK);
	assert_int_equal(store_get(s, "new", 3, &out, &e), RC_INPUT);
	assert_non_null(strstr(e.text, "frozen"));
	store_close(s);
	s = open_ok(path_of("ro.db"), &other, STORE_FROZEN);
	err_clear(&e);
	assert_int_equal(store_get(s, "k", 1, &out, &e), RC_INPUT);
	store_close(s);
	buf_release(&out);
}

/* Runs fn as a user for whom permissions count (root gives up the right to pass over them); its exit code is 0 when all
 * went well. */
static int with_permissions(int (*fn)(const char *), const char *arg)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
		struct __user_cap_data_struct none[2] = {{0}};
		if (syscall(SYS_capset, &head, none) != 0)
			_exit(100);
		_exit(fn(arg));
	}
	int status;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int use_readonly_folder(const char *path)
{
	struct store_id id = make_id("unit", 1, "a");
	struct store *s;
	struct err e = ERR_INIT;
	struct buf out = {0};
	if (store_open(&s, path, &id, 0, &e) != RC_ENV)
		return 1;
	err_clear(&e);
	if (store_open(&s, path, &id, STORE_FROZEN, &e) != RC_OK)
		return 2;
	if (store_get(s, "k", 1, &out, &e) != RC_OK || strcmp(buf_str(&out), "v") != 0)
		return 3;
	if (store_get(s, "absent", 6, &out, &e) != RC_INPUT)
		return 4;
	store_close(s);
	buf_release(&out);
	return 0;
}

static void test_readonly_folder(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "a");
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(mkdir(path_of("ro?%"), 0755), 0);
	struct store *s = open_ok(path_of("ro?%/x#.db"), &id, 0);
	put(s, "k", "v");
	store_close(s);
	assert_int_equal(chmod(path_of("ro?%/x#.db"), 0444), 0);
	assert_int_equal(chmod(path_of("ro?%"), 0555), 0);
	int code = with_permissions(use_readonly_folder, path_of("ro?%/x#.db"));
	assert_int_equal(chmod(path_of("ro?%"), 0755), 0);
	if (code == 100)
		skip();
	assert_int_equal(code, 0);
}

static void write_bytes(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	close(fd);
}

static void must_refuse_unchanged(const char *path)
{
	struct store_id id = make_id("unit", 1, "a");
	struct buf before = {0}, after = {0};
	static const unsigned modes[] = {0, STORE_READONLY, STORE_FROZEN};
	assert_int_equal(buf_read_file(&before, path, 1 << 24, NULL), RC_OK);
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct store *s;
		struct err e = ERR_INIT;
		assert_int_equal(store_open(&s, path, &id, modes[i], &e), RC_INPUT);
		assert_non_null(strstr(e.text, path));
	}
	assert_int_equal(buf_read_file(&after, path, 1 << 24, NULL), RC_OK);
	assert_int_equal(after.n, before.n);
	assert_memory_equal(after.at, before.at, before.n);
	char *beside = mem_printf("%s-journal", path);
	assert_int_equal(access(beside, F_OK), -1);
	free(beside);
	buf_release(&before);
	buf_release(&after);
}

static void test_foreign_files(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "a");
	write_bytes(path_of("text"), "int main(void) { return 0; }\n", 29);
	must_refuse_unchanged(path_of("text"));
	static char zeros[8192];
	write_bytes(path_of("zeros"), zeros, sizeof zeros);
	must_refuse_unchanged(path_of("zeros"));
	/* a store of ours whose application_id is somebody else's; one from the future */
	struct buf b = {0};
	store_close(open_ok(path_of("own.db"), &id, 0));
	assert_int_equal(buf_read_file(&b, path_of("own.db"), 1 << 24, NULL), RC_OK);
	b.at[70] ^= 1;
	write_bytes(path_of("foreign.db"), b.at, b.n);
	must_refuse_unchanged(path_of("foreign.db"));
	b.at[70] ^= 1;
	b.at[63] = 9;
	write_bytes(path_of("future.db"), b.at, b.n);
	must_refuse_unchanged(path_of("future.db"));
	buf_release(&b);
	assert_int_equal(mkfifo(path_of("fifo"), 0666), 0);
	struct store *s;
	assert_int_equal(store_open(&s, path_of("fifo"), &id, 0, NULL), RC_INPUT);
	/* an empty file (mktemp made it) becomes a store */
	write_bytes(path_of("empty"), "", 0);
	s = open_ok(path_of("empty"), &id, 0);
	put(s, "k", "v");
	store_close(s);
}

static void test_file_goes_away(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "a");
	struct store *s = open_ok(path_of("gone.db"), &id, 0);
	put(s, "k", "v");
	assert_int_equal(unlink(path_of("gone.db")), 0);
	put(s, "k2", "v");
	assert_non_null(store_warning(s));
	assert_non_null(strstr(store_warning(s), "deleted"));
	assert_null(get(s, "k"));
	put(s, "k3", "v");
	store_begin(s, NULL);
	put(s, "k4", "v");
	store_commit(s, NULL);
	store_close(s);
}

struct totals {
	uint64_t records, damaged, bytes;
};

static bool total(void *user, const struct store_record *r)
{
	struct totals *t = user;
	t->records++;
	t->damaged += r->damaged;
	t->bytes += r->key_len + r->value_len;
	return true;
}

static struct totals totals_of(const char *path)
{
	struct totals t = {0};
	struct store_admin *a;
	assert_int_equal(store_admin_open(&a, path, false, NULL), RC_OK);
	assert_int_equal(store_admin_each(a, total, &t, NULL), RC_OK);
	store_admin_close(a);
	return t;
}

static struct store_pruned prune(const char *path, const struct store_prune *what)
{
	struct store_admin *a;
	struct store_pruned p;
	struct err e = ERR_INIT;
	assert_int_equal(store_admin_open(&a, path, true, &e), RC_OK);
	if (store_admin_prune(a, what, &p, &e) != RC_OK)
		fail_msg("%s", e.text);
	store_admin_close(a);
	return p;
}

static void fill(const char *path, const struct store_id *id, unsigned n)
{
	struct store *s = open_ok(path, id, 0);
	store_begin(s, NULL);
	for (unsigned i = 0; i < n; i++) {
		char key[32], value[400];
		snprintf(key, sizeof key, "key %u", i);
		memset(value, 'a' + (int)(i % 26), sizeof value - 1);
		value[sizeof value - 1] = '\0';
		put(s, key, value);
	}
	store_commit(s, NULL);
	assert_null(store_warning(s));
	store_close(s);
}

/* Runs SQL on a store behind its back. */
static void tamper(const char *path, const char *sql)
{
	sqlite3 *db;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* What is damaged is no answer, and the next one takes its place. */
static void answered_anew(const char *path, const struct store_id *id)
{
	struct store *s = open_ok(path, id, 0);
	assert_null(get(s, "question"));
	put(s, "question", "answer");
	assert_string_equal(get(s, "question"), "answer");
	store_close(s);
}

/* Damage may move a record to another identity, or under the hash of another key: it is an answer to neither. */
static void test_moved_records(void **state)
{
	(void)state;
	char *path = mem_strdup(path_of("moved.db")), sql[200];
	struct store_id a = make_id("unit", 1, "a"), b = make_id("unit", 1, "b");
	struct store *s = open_ok(path, &a, 0);
	put(s, "key", "value of a");
	store_close(s);
	s = open_ok(path, &b, 0);
	put(s, "another key", "value of b");
	store_close(s);
	tamper(path, "UPDATE entry SET identity=2 WHERE id=1");
	s = open_ok(path, &b, 0);
	assert_null(get(s, "key"));
	assert_int_equal(store_stats(s).damaged, 1);
	store_close(s);
	tamper(path, "UPDATE entry SET identity=1 WHERE id=1");
	snprintf(sql, sizeof sql, "UPDATE entry SET hash=%lld WHERE id=1", (long long)hash64("question", 8));
	tamper(path, sql);
	answered_anew(path, &a);
	/* a column holds bytes; text with the same ones is somebody else's */
	tamper(path, "UPDATE entry SET value=CAST(value AS TEXT) WHERE id=3");
	answered_anew(path, &a);
	/* what is not in our schema is not looked at */
	tamper(path, "CREATE VIEW extra AS SELECT 1");
	struct err e = ERR_INIT;
	assert_int_equal(store_open(&s, path, &a, 0, &e), RC_INPUT);
	free(path);
}

static void test_prune(void **state)
{
	(void)state;
	char *path = mem_strdup(path_of("prune.db"));
	struct store_id a = make_id("unit", 1, "a"), b = make_id("unit", 1, "b"), c = make_id("other", 1, "a");
	fill(path, &a, 1000);
	fill(path, &b, 100);
	fill(path, &c, 10);
	assert_int_equal(totals_of(path).records, 1110);
	assert_int_equal(totals_of(path).damaged, 0);
	/* nothing is that old; nothing is damaged */
	assert_int_equal(prune(path, &(struct store_prune){.before = 1000}).entries, 0);
	assert_int_equal(prune(path, &(struct store_prune){.before = INT64_MAX, .damaged = true}).entries, 0);
	assert_int_equal(prune(path, &(struct store_prune){.before = INT64_MAX, .engine = "other"}).entries, 10);
	char hex[65];
	digest_hex(b.scope.byte, 32, hex);
	hex[12] = '\0';
	assert_int_equal(prune(path, &(struct store_prune){.before = INT64_MAX, .scope = hex}).entries, 100);
	/* the newest stay */
	struct store_pruned p = prune(path, &(struct store_prune){.before = INT64_MAX, .keep_bytes = 10 * 406 + 5});
	assert_int_equal(p.entries, 990);
	assert_true(p.file_after < p.file_before / 4);
	struct store *s = open_ok(path, &a, 0);
	assert_null(get(s, "key 0"));
	assert_null(get(s, "key 989"));
	assert_non_null(get(s, "key 990"));
	assert_non_null(get(s, "key 999"));
	/* another process prunes all of it while we use it */
	assert_int_equal(prune(path, &(struct store_prune){.before = INT64_MAX}).entries, 10);
	assert_null(get(s, "key 999"));
	put(s, "key 999", "again");
	assert_string_equal(get(s, "key 999"), "again");
	assert_null(store_warning(s));
	store_close(s);
	assert_int_equal(totals_of(path).records, 1);
	assert_int_equal(totals_of(path).damaged, 0);
	free(path);
}

static int remove_folder(void **state)
{
	(void)state;
	char *cmd = mem_printf("chmod -R u+rwx '%s'; rm -rf '%s'", folder, folder);
	int rc = system(cmd);
	free(cmd);
	return rc;
}

static int make_folder(void **state)
{
	(void)state;
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/store.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

UNIT_TESTS_WITH(make_folder, remove_folder, cmocka_unit_test(test_basics), cmocka_unit_test(test_uri_errors),
		cmocka_unit_test(test_identities_are_apart), cmocka_unit_test(test_model),
		cmocka_unit_test(test_private), cmocka_unit_test(test_readonly), cmocka_unit_test(test_readonly_folder),
		cmocka_unit_test(test_foreign_files), cmocka_unit_test(test_file_goes_away),
		cmocka_unit_test(test_moved_records), cmocka_unit_test(test_prune))
