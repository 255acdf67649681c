/* SPDX-License-Identifier: MIT */
/* A real worker and a real Redis: verdicts, cancelling, and all that a worker must refuse: tests that were
 * forged, altered, kept too long or sent twice run nothing, and the worker says so. Answers that were forged do
 * not count either. */
#include "folder.h"
#include "testing.h"
#include "servers.h"
#include "data/clock.h"
#include "farm/bundle.h"
#include "farm/sender.h"
#include "farm/worker.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

enum { SLOTS = 8 };

static pid_t redis, worker;
static char uri[256];
static struct farm *farm;
static struct redis_link *raw; /* an attacker's */
static struct buf text[SLOTS];
static struct buf message; /* that the attacker makes */
static const char *const names[] = {"a"};
static const unsigned modes[] = {0644};
static const struct fill fill = {.names = names, .modes = modes, .n_files = 1};

static void put_file(const char *name, const char *content, unsigned mode)
{
	FILE *f = fopen(path_of(name), "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
	assert_int_equal(chmod(path_of(name), mode), 0);
}

/* How often a text is in a file. */
static unsigned count_in(const char *name, const char *what)
{
	struct buf b = {0};
	unsigned n = 0;
	if (access(path_of(name), F_OK) == 0)
		assert_int_equal(buf_read_file(&b, path_of(name), 1 << 20, NULL), RC_OK);
	for (const char *p = buf_str(&b); (p = strstr(p, what)); p++)
		n++;
	buf_release(&b);
	return n;
}

static void say(void *user, const char *line)
{
	(void)user;
	FILE *f = fopen(path_of("said"), "a");
	if (f) {
		fprintf(f, "%s\n", line);
		fclose(f);
	}
}

static void be_worker(void)
{
	struct worker_spec spec = {.uri = uri, .key_file = path_of("key"), .slots = 2, .say = say};
	struct worker_counts counts;
	struct err e = ERR_INIT;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (runner_open(&spec.runner, &e) != RC_OK)
		_exit(3);
	runner_catch_signals(spec.runner);
	enum rc rc = worker_serve(&spec, &counts, &e);
	runner_close(spec.runner);
	_exit(rc == RC_OK ? 0 : 1);
}

/* Polls the farm until a slot has its verdict, at most a minute. */
static struct run_result verdict_of(unsigned want)
{
	struct run_result r = {0};
	double until = clock_seconds() + 60;
	while (clock_seconds() < until) {
		unsigned slot = SLOTS;
		if (farm_poll(farm, &slot, &r) == FARM_VERDICT && slot == want)
			return r;
		usleep(2000);
	}
	fail_msg("no verdict");
	return r;
}

static void send_text(unsigned slot, const char *content)
{
	struct run_result r;
	unsigned other;
	double until = clock_seconds() + 60;
	buf_clear(&text[slot]);
	buf_str_add(&text[slot], content);
	while (!farm_start(farm, slot, &text[slot], NULL) && clock_seconds() < until) {
		farm_poll(farm, &other, &r);
		usleep(2000);
	}
}

static enum rc ask(const char *content)
{
	send_text(0, content);
	struct run_result r = verdict_of(0);
	assert_int_equal(r.end, RUN_EXITED);
	return r.code == 0 ? RC_OK : RC_NO;
}

static void test_verdicts(void **state)
{
	(void)state;
	assert_int_equal(ask("yes one"), RC_OK);
	assert_int_equal(ask("no two"), RC_NO);
	assert_int_equal(ask("yes three"), RC_OK);
	send_text(1, "yes four");
	send_text(2, "no five");
	assert_int_equal(verdict_of(2).code, 1);
	assert_int_equal(farm->slot[1].waits ? verdict_of(1).code : 0, 0);
	assert_int_equal(count_in("ran", "yes four"), 1);
}

static void test_signal_is_no_exit(void **state)
{
	(void)state;
	send_text(0, "dies");
	struct run_result r = verdict_of(0);
	assert_int_equal(r.end, RUN_SIGNALLED);
	assert_int_equal(r.code, SIGSEGV);
}

/* A pid that a test has written. */
static pid_t pid_in(const char *name)
{
	struct run_result r;
	unsigned slot;
	for (int i = 0; i < 6000; i++) {
		struct buf b = {0};
		long pid = 0;
		if (access(path_of(name), F_OK) == 0 && buf_read_file(&b, path_of(name), 100, NULL) == RC_OK)
			pid = strchr(buf_str(&b), '\n') ? strtol(buf_str(&b), NULL, 10) : 0;
		buf_release(&b);
		if (pid > 0)
			return (pid_t)pid;
		farm_poll(farm, &slot, &r);
		usleep(10000);
	}
	fail_msg("the test did not start");
	return 0;
}

static void test_cancel(void **state)
{
	(void)state;
	send_text(3, "slow");
	pid_t pid = pid_in("pid");
	assert_int_equal(kill(pid, 0), 0);
	farm_cancel(farm, 3);
	double start = clock_seconds();
	while (kill(pid, 0) == 0 && clock_seconds() - start < 30)
		usleep(1000);
	print_message("cancelled and gone after %.0f ms\n", 1000 * (clock_seconds() - start));
	assert_int_not_equal(kill(pid, 0), 0);
	/* and the worker works on */
	assert_int_equal(ask("yes after"), RC_OK);
}

/* ---- what must be refused */

static redisReply *attack(const struct redis_word *words, size_t n)
{
	redisReply *reply = NULL;
	redis_send(raw, words, n);
	assert_int_equal(redis_receive(raw, 10, &reply, NULL), RC_OK);
	if (reply->type == REDIS_REPLY_ERROR)
		fail_msg("%s", reply->str);
	return reply;
}

#define ATTACK(...)                                                                                                    \
	do {                                                                                                           \
		const struct redis_word words_[] = {__VA_ARGS__};                                                      \
		freeReplyObject(attack(words_, sizeof words_ / sizeof words_[0]));                                     \
	} while (0)

/* Puts the message on the server. */
static void add_entry(uint64_t number)
{
	char id[24];
	snprintf(id, sizeof id, "%llu", (unsigned long long)number);
	ATTACK(WORD("XADD"), WORD(farm->tasks), WORD(id), WORD("t"), {message.at, message.n});
}

/* The message is a test of a text, signed by a key, until a time. */
static void make_task(const char *content, const struct sign_key *k, int64_t until, uint64_t number)
{
	struct buf delta = {0}, bytes = {0};
	buf_str_add(&bytes, content);
	delta_write(&delta, &farm->base, &bytes, NULL);
	struct task t = {farm->record.base[0].generation, until, (const unsigned char *)delta.at, delta.n};
	buf_clear(&message);
	task_sign(&message, &t, farm->record.born, k, farm->run, number);
	vec_release_all(&delta, &bytes);
}

static void await_in(const char *name, const char *what, unsigned n)
{
	struct run_result r;
	unsigned slot;
	for (int i = 0; i < 2000 && count_in(name, what) < n; i++) {
		farm_poll(farm, &slot, &r);
		usleep(10000);
	}
	assert_int_equal(count_in(name, what), n);
}

/* Puts a test on the server by hand, signed with k; its number. */
static uint64_t add_test(const char *text, const struct sign_key *k, int64_t expires)
{
	uint64_t number = ++farm->number;
	make_task(text, k, expires, number);
	add_entry(number);
	return number;
}

/* Honest tests still run; those with this text ran n times. */
static void served_only_honest(const char *text, unsigned n)
{
	assert_int_equal(ask("yes honest"), RC_OK);
	assert_int_equal(count_in("ran", text), n);
}

/* A key that the farm does not know. */
static struct sign_key another_key(void)
{
	struct sign_key k = {0};
	buf_str_add(&k.bytes, "another key that is long enough");
	return k;
}

static void test_forged(void **state)
{
	(void)state;
	struct sign_key other = another_key(), none = {0};
	unsigned before = count_in("said", "refused: a test with a wrong signature");
	add_test("yes forged", &other, INT64_C(100) + time(NULL));
	add_test("yes forged", &none, INT64_C(100) + time(NULL));
	await_in("said", "refused: a test with a wrong signature", before + 2);
	served_only_honest("forged", 0);
	sign_key_release(&other);
}

static void test_altered(void **state)
{
	(void)state;
	unsigned before = count_in("said", "refused: a test with a wrong signature");
	uint64_t number = ++farm->number;
	make_task("yes original", &farm->key, INT64_C(100) + time(NULL), number);
	char *p = memmem(message.at, message.n, "original", 8);
	assert_non_null(p);
	memcpy(p, "ALTERED!", 8);
	add_entry(number);
	await_in("said", "refused: a test with a wrong signature", before + 1);
	served_only_honest("ALTERED", 0);
}

static void test_expired(void **state)
{
	(void)state;
	/* it was good until the run began */
	while (time(NULL) <= farm->record.born)
		usleep(10000);
	add_test("yes expired", &farm->key, farm->record.born);
	await_in("said", "refused: a test that has expired", 1);
	served_only_honest("expired", 0);
}

/* A test that ran is put on the server again, word for word: only one who can remove the whole stream can do that. */
static void test_replayed(void **state)
{
	(void)state;
	uint64_t number = add_test("yes replayed", &farm->key, INT64_C(100) + time(NULL));
	await_in("ran", "replayed", 1);
	/* under another number it has a wrong signature */
	unsigned before = count_in("said", "refused: a test with a wrong signature");
	add_entry(++farm->number);
	await_in("said", "refused: a test with a wrong signature", before + 1);
	ATTACK(WORD("DEL"), WORD(farm->tasks));
	ATTACK(WORD("XGROUP"), WORD("CREATE"), WORD(farm->tasks), WORD(GROUP), WORD("0"), WORD("MKSTREAM"));
	add_entry(number);
	await_in("said", "refused: it came before", 1);
	served_only_honest("replayed", 1);
}

static void test_forged_run(void **state)
{
	(void)state;
	struct sign_key other = another_key();
	struct run_record r = farm->record;
	buf_clear(&message);
	record_sign(&message, &r, &other, "FORGED00");
	ATTACK(WORD("SET"), WORD("rfr:FORGED00"), {message.at, message.n});
	ATTACK(WORD("ZADD"), WORD(KEY_RUNS), WORD("99999999999"), WORD("FORGED00"));
	await_in("said", "run FORGED00: not served: a run with a wrong signature", 1);
	/* a copy of a run that is right, under another name */
	buf_clear(&message);
	record_sign(&message, &r, &farm->key, farm->run);
	ATTACK(WORD("SET"), WORD("rfr:COPIED00"), {message.at, message.n});
	ATTACK(WORD("ZADD"), WORD(KEY_RUNS), WORD("99999999999"), WORD("COPIED00"));
	await_in("said", "run COPIED00: not served: a run with a wrong signature", 1);
	ATTACK(WORD("DEL"), WORD("rfr:FORGED00"), WORD("rfr:COPIED00"));
	ATTACK(WORD("ZREM"), WORD(KEY_RUNS), WORD("FORGED00"), WORD("COPIED00"));
	assert_int_equal(ask("yes honest"), RC_OK);
	sign_key_release(&other);
}

/* Whoever reaches the server may push answers: without the key they do not count. */
static void test_forged_answer(void **state)
{
	(void)state;
	struct sign_key other = another_key();
	uint64_t before = farm_counts(farm).refused;
	unlink(path_of("pid"));
	send_text(4, "slow again");
	pid_in("pid");
	struct answer_message a = {.kind = ANSWER_VERDICT, .worker = "forger", .number = farm->number};
	a.result = (struct run_result){.end = RUN_EXITED, .code = 0};
	buf_clear(&message);
	answer_sign(&message, &a, &other, farm->run);
	ATTACK(WORD("RPUSH"), WORD(farm->verdicts), {message.at, message.n});
	struct run_result r;
	unsigned slot;
	double until = clock_seconds() + 60;
	while (farm_counts(farm).refused == before && clock_seconds() < until) {
		assert_int_not_equal(farm_poll(farm, &slot, &r), FARM_VERDICT);
		usleep(1000);
	}
	assert_int_equal(farm_counts(farm).refused, before + 1);
	farm_cancel(farm, 4);
	assert_int_equal(ask("yes honest"), RC_OK);
	sign_key_release(&other);
}

/* A worker where the test does not work does not serve the run. */
static void test_not_interesting_here(void **state)
{
	(void)state;
	struct farm_spec spec = {uri, path_of("key"), NULL, "exit 7", &fill, SLOTS};
	struct farm *second = NULL;
	struct run_result r;
	unsigned slot;
	assert_int_equal(farm_open(&second, &spec, NULL), RC_OK);
	farm_begin(second, text, NULL, 10);
	for (int i = 0; i < 6000 && !count_in("said", "its test exits with 7 here"); i++) {
		farm_poll(second, &slot, &r);
		usleep(10000);
	}
	assert_int_equal(count_in("said", "its test exits with 7 here"), 1);
	assert_int_equal(farm_room(second), 0);
	farm_close(second);
}

static void test_nothing_is_left(void **state)
{
	(void)state;
	farm_close(farm);
	farm = NULL;
	redisReply *reply = attack((const struct redis_word[]){WORD("DBSIZE")}, 1);
	assert_int_equal(reply->integer, 0);
	freeReplyObject(reply);
}

static int set_up(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/refrain-worker-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	char *script = mem_printf("#!/bin/sh\ncat a >> %s/ran; echo >> %s/ran\ncase $(cat a) in\nyes*) exit 0;;\n"
				  "dies*) kill -SEGV $$;;\nslow*) echo $$ > %s/pid; exec sleep 100;;\nesac\nexit 1\n",
				  folder, folder, folder);
	put_file("t.sh", script, 0755);
	free(script);
	put_file("key", "a key of which others know nothing\n", 0600);
	snprintf(uri, sizeof uri, "unix:%s/r.sock", folder);
	redis = start_redis("r", NULL, NULL);
	worker = fork();
	if (worker == 0)
		be_worker();
	struct address a;
	assert_int_equal(address_unix(&a, uri + 5, NULL), RC_OK);
	assert_int_equal(redis_link_open(&raw, &a, NULL), RC_OK);
	address_release(&a);
	struct farm_spec spec = {uri, path_of("key"), path_of("t.sh"), NULL, &fill, SLOTS};
	assert_int_equal(farm_open(&farm, &spec, NULL), RC_OK);
	buf_str_add(&text[0], "yes at the beginning");
	farm_begin(farm, text, NULL, 60);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	farm_close(farm);
	redis_link_close(raw);
	kill(worker, SIGTERM);
	int status = -1;
	waitpid(worker, &status, 0);
	stop_program(redis);
	for (size_t i = 0; i < SLOTS; i++)
		buf_release(&text[i]);
	buf_release(&message);
	static const char *const left[] = {"t.sh", "key", "ran", "said", "pid", "r.sock", "r.log"};
	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
		unlink(path_of(left[i]));
	if (rmdir(folder) != 0)
		return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

UNIT_TESTS_WITH(set_up, tear_down, cmocka_unit_test(test_verdicts), cmocka_unit_test(test_signal_is_no_exit),
		cmocka_unit_test(test_cancel), cmocka_unit_test(test_forged), cmocka_unit_test(test_altered),
		cmocka_unit_test(test_expired), cmocka_unit_test(test_replayed), cmocka_unit_test(test_forged_run),
		cmocka_unit_test(test_forged_answer), cmocka_unit_test(test_not_interesting_here),
		cmocka_unit_test(test_nothing_is_left))
