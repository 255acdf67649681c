/* SPDX-License-Identifier: MIT */
/* `refrain store` on stores that the library made. */
#include "testing.h"

#include "data/json/json.h"
#include "store/store.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[200], db[220];
static struct buf out;

/* Runs "refrain ARGS" in the folder; its standard output is in out, its standard error in FOLDER/err. */
static int refrain(const char *args)
{
	char *cmd = mem_printf("cd '%s' && '%s' %s 2> err", folder, getenv("REFRAIN"), args);
	FILE *p = popen(cmd, "r");
	assert_non_null(p);
	buf_clear(&out);
	assert_int_equal(buf_read_fd(&out, fileno(p), "pipe", 1 << 24, NULL), RC_OK);
	int status = pclose(p);
	free(cmd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static double number(const char *field)
{
	struct arena a = {0};
	struct json *v;
	assert_int_equal(json_parse(&a, buf_str(&out), out.n, "out", 0, &v, NULL), RC_OK);
	assert_string_equal(json_string_or(v, "schema", ""), "refrain.store/1");
	double n = json_number_or(v, field, -1);
	arena_release(&a);
	return n;
}

static void fill(const char *engine, const char *scope, unsigned n)
{
	struct store *s;
	struct store_id id = {engine, 1, digest_sha256(scope, strlen(scope))};
	assert_int_equal(store_open(&s, db, &id, 0, NULL), RC_OK);
	for (unsigned i = 0; i < n; i++) {
		char key[32];
		int len = snprintf(key, sizeof key, "key \"%u\"", i);
		store_put(s, key, (size_t)len, "the value", 9, NULL);
	}
	store_put(s, "\xff\x00\x01", 3, "\xfe", 1, NULL);
	assert_null(store_warning(s));
	store_close(s);
}

static void test_info(void **state)
{
	(void)state;
	fill("reduce", "a", 10);
	fill("smt", "b", 5);
	assert_int_equal(refrain("store info s.db"), 0);
	assert_non_null(strstr(out.at, "reduce"));
	assert_non_null(strstr(out.at, "smt"));
	assert_int_equal(refrain("store info s.db --json"), 0);
	assert_true(number("entries") == 17);
	assert_true(number("damaged") == 0);
	assert_int_equal(refrain("store info sqlite:s.db --json --engine=smt"), 0);
	assert_true(number("entries") == 6);
	assert_int_equal(refrain("store info --json s.db --scope=00000000"), 0);
	assert_true(number("entries") == 0);
}

static void test_usage(void **state)
{
	(void)state;
	static const char *const bad[] = {"store",
					  "store info",
					  "store info a b",
					  "store info missing.db",
					  "store info memory:",
					  "store prune s.db",
					  "store eat s.db",
					  "store info s.db --scope=XYZ",
					  "store verify err",
					  "store export http://127.0.0.1:1/x"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(refrain(bad[i]), 2);
		assert_int_equal(out.n, 0);
	}
	assert_int_equal(refrain("store --help"), 0);
	assert_int_equal(refrain("store prune --help"), 0);
	assert_non_null(strstr(out.at, "--max-bytes"));
}

static void test_export(void **state)
{
	(void)state;
	assert_int_equal(refrain("store export s.db --engine smt"), 0);
	unsigned lines = 0;
	for (size_t i = 0; i < out.n; i++)
		lines += out.at[i] == '\n';
	assert_int_equal(lines, 6);
	assert_non_null(strstr(out.at, "\"key\":\"key \\\"0\\\"\",\"value\":\"the value\""));
	assert_non_null(strstr(out.at, "\"key_base64\":\"/wAB\",\"value_base64\":\"/g==\""));
	assert_int_equal(refrain("store export s.db -o x.jsonl"), 0);
	assert_int_equal(out.n, 0);
	assert_int_equal(refrain("store export s.db -o no/such/x"), 3);
}

static void test_verify_and_prune(void **state)
{
	(void)state;
	assert_int_equal(refrain("store verify s.db"), 0);
	/* hurt one value */
	struct buf b = {0};
	assert_int_equal(buf_read_file(&b, db, 1 << 24, NULL), RC_OK);
	char *at = memmem(b.at, b.n, "the value", 9);
	assert_non_null(at);
	at[4] ^= 4;
	assert_int_equal(buf_write_file(&b, db, 0644, NULL), RC_OK);
	buf_release(&b);
	assert_int_equal(refrain("store verify s.db --json"), 1);
	assert_true(number("damaged") == 1);
	assert_non_null(strstr(out.at, "\"sound\": false"));
	assert_int_equal(refrain("store info s.db --json"), 0);
	assert_true(number("damaged") == 1);
	assert_int_equal(refrain("store prune s.db --older-than 1 --json"), 0);
	assert_true(number("removed_entries") == 0);
	assert_int_equal(refrain("store prune s.db --damaged --json"), 0);
	assert_true(number("removed_entries") == 1);
	assert_int_equal(refrain("store verify s.db"), 0);
	assert_int_equal(refrain("store prune s.db --engine=smt --max-bytes=4 --json"), 0);
	assert_true(number("removed_entries") >= 4);
	assert_int_equal(refrain("store prune s.db --max-bytes=0"), 0);
	assert_int_equal(refrain("store info s.db --json"), 0);
	assert_true(number("entries") == 0);
}

static int set_up(void **state)
{
	(void)state;
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/store.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(db, sizeof db, "%s/s.db", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	char *cmd = mem_printf("rm -rf '%s'", folder);
	int rc = system(cmd);
	free(cmd);
	buf_release(&out);
	return rc;
}

UNIT_TESTS_WITH(set_up, tear_down, cmocka_unit_test(test_info), cmocka_unit_test(test_usage),
		cmocka_unit_test(test_export), cmocka_unit_test(test_verify_and_prune))
