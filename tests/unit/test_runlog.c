/* SPDX-License-Identifier: MIT */
/* Run logs: what is written can be read, what the table does not declare is refused, cut-off and foreign files. */
#include "testing.h"
#include "stream/runlog.h"

#include "base/bits.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[200];

static const char *const event_name[] = {
#define X(symbol, name, fields) name,
	RUNLOG_EVENTS(X)
#undef X
};
static const char *const event_fields[] = {
#define X(symbol, name, fields) fields,
	RUNLOG_EVENTS(X)
#undef X
};

static struct runlog *open_log(void)
{
	static const char *const args[] = {"-k", "10", "in \"quoted\"\xff.txt"};
	struct runlog *log = NULL;
	struct err e = ERR_INIT;
	assert_int_equal(runlog_open(&log, path, "trace reduce", 3, args, &e), RC_OK);
	return log;
}

static void test_write_and_read(void **state)
{
	(void)state;
	struct runlog *log = open_log();
	struct json_writer *w = runlog_begin(log, EVENT_TRACE_RESULT);
	json_kv_string(w, "name", "a\nb");
	json_kv_string(w, "policy", "lru");
	json_kv_uint(w, "size", 7);
	json_kv_uint(w, "requests", 1ull << 60);
	runlog_end(log);
	assert_int_equal(runlog_close(log, 1, true, NULL), RC_OK);

	struct runlog_reader *r;
	enum runlog_event ev;
	const struct json *v;
	struct err e = ERR_INIT;
	assert_int_equal(runlog_read_open(&r, path, &e), RC_OK);
	assert_int_equal(runlog_read_next(r, &ev, &v, &e), RC_OK);
	assert_int_equal(ev, EVENT_START);
	assert_string_equal(json_string_or(v, "command", ""), "trace reduce");
	assert_string_equal(json_string_or(v, "version", ""), RF_VERSION);
	assert_int_equal(json_get(v, "args")->u.list.n, 3);
	assert_int_equal(runlog_read_next(r, &ev, &v, &e), RC_OK);
	assert_int_equal(ev, EVENT_TRACE_RESULT);
	assert_string_equal(json_string_or(v, "name", ""), "a\nb");
	assert_true(json_get(v, "requests")->u.number.integer == 1ll << 60);
	assert_true(json_number_or(v, "t", -1) >= 0);
	assert_int_equal(runlog_read_next(r, &ev, &v, &e), RC_OK);
	assert_int_equal(ev, EVENT_END);
	assert_true(json_number_or(v, "exit", -1) == 1);
	assert_int_equal(runlog_read_next(r, &ev, &v, &e), RC_NO);
	assert_false(runlog_read_truncated(r));
	runlog_read_close(r);
}

static void test_no_log(void **state)
{
	(void)state;
	assert_null(runlog_begin(NULL, EVENT_END));
	runlog_end(NULL);
	assert_int_equal(runlog_close(NULL, 0, true, NULL), RC_OK);
}

/* The writer's check is on in the tests: an event that the table does not know like that is an error of ours. */
static void test_undeclared_field(void **state)
{
	(void)state;
	setenv("RF_LOG_CHECK", "1", 1);
	struct runlog *log = open_log();
	struct err e = ERR_INIT;
	json_kv_uint(runlog_begin(log, EVENT_TRACE_RESULT), "sizes", 1);
	runlog_end(log);
	assert_int_equal(runlog_close(log, 0, true, &e), RC_BUG);
	assert_non_null(strstr(e.text, "'sizes'"));
	/* of another type */
	err_clear(&e);
	log = open_log();
	json_kv_string(runlog_begin(log, EVENT_TRACE_RESULT), "size", "1");
	runlog_end(log);
	assert_int_equal(runlog_close(log, 0, true, &e), RC_BUG);
	assert_non_null(strstr(e.text, "'size'"));
	/* a whole number is asked for; null is "not known" */
	err_clear(&e);
	log = open_log();
	json_kv_double(runlog_begin(log, EVENT_TRACE_RESULT), "size", 1.5);
	runlog_end(log);
	assert_int_equal(runlog_close(log, 0, true, &e), RC_BUG);
	err_clear(&e);
	log = open_log();
	struct json_writer *w = runlog_begin(log, EVENT_TRACE_RESULT);
	json_key(w, "size");
	json_null(w);
	runlog_end(log);
	assert_int_equal(runlog_close(log, 0, true, &e), RC_OK);
}

static void test_table_is_well_formed(void **state)
{
	(void)state;
	for (enum runlog_event ev = 0; ev < N_RUNLOG_EVENTS; ev++) {
		assert_int_equal(runlog_event_find(event_name[ev]), ev);
		for (const char *f = event_fields[ev]; *f;) {
			size_t name = strspn(f, "abcdefghijklmnopqrstuvwxyz_0123456789");
			assert_true(name > 0 && f[name] == ':' && strchr("udsbao", f[name + 1]));
			assert_true(f[name + 2] == '\0' || (f[name + 2] == ' ' && f[name + 3] != ' ' && f[name + 3]));
			f += f[name + 2] ? name + 3 : name + 2;
		}
	}
	assert_int_equal(runlog_event_find("no.such"), N_RUNLOG_EVENTS);
}

static void test_write_fails(void **state)
{
	(void)state;
	struct runlog *log;
	struct err e = ERR_INIT;
	assert_int_equal(runlog_open(&log, "/nonexistent/log", "x", 0, NULL, &e), RC_ENV);
	if (access("/dev/full", W_OK) != 0)
		skip();
	err_clear(&e);
	assert_int_equal(runlog_open(&log, "/dev/full", "x", 0, NULL, &e), RC_ENV);
	assert_non_null(strstr(e.text, "'/dev/full'"));
}

/* A log that fails in the middle takes further events and reports the failure when it is closed. */
static void test_disk_fills_up(void **state)
{
	(void)state;
	struct rlimit before, small;
	struct err e = ERR_INIT;
	struct runlog *log = open_log();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 1;
	setrlimit(RLIMIT_FSIZE, &small);
	bool writer = true;
	for (int i = 0; i < 2; i++) {
		writer &= runlog_begin(log, EVENT_TRACE_RESULT) != NULL;
		runlog_end(log);
	}
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(writer);
	assert_int_equal(runlog_close(log, 0, true, &e), RC_ENV);
	assert_non_null(strstr(e.text, path));
}

#define START "{\"event\":\"start\",\"t\":0,\"schema\":\"refrain.log/1\",\"command\":\"x\"}\n"

/* Reads all; returns the number of events or −line for an error. */
static long read_text(const char *text, size_t n, bool *truncated)
{
	struct runlog_reader *r = runlog_read_bytes(text, n, "x.log");
	enum runlog_event ev;
	const struct json *v;
	struct err e = ERR_INIT;
	long events = 0;
	enum rc rc;
	while ((rc = runlog_read_next(r, &ev, &v, &e)) == RC_OK)
		events++;
	if (truncated)
		*truncated = runlog_read_truncated(r);
	runlog_read_close(r);
	if (rc == RC_NO)
		return events;
	assert_int_equal(rc, RC_INPUT);
	return e.line ? -e.line : -1000;
}

static void test_strange_logs(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		long result;
		bool truncated;
	} cases[] = {
		{"", -1000, false},
		{"\n", -1000, false},
		{"hello\n", -1, false},
		{"hello", -1, false},
		{"[]\n", -1, false},
		{"{\"event\":\"end\"}\n", -1, false},
		{"{\"event\":\"start\",\"schema\":\"other/1\"}\n", -1, false},
		{START, 1, false},
		{START "\n\n{\"event\":\"end\",\"exit\":0}\n", 2, false},
		{START "{\"event\":\"end\",\"exit\":0}", 2, false},
		{START "{\"event\":\"end\",\"ex", 1, true},
		{START "{", 1, true},
		{START "{\"event\":\"end\",\"ex\n", -2, false},
		{START "{\"event\":\"end\",\"ex\n{\"event\":\"end\"}\n", -2, false},
		{START "{\"event\":\"from.the.future\",\"x\":1}\n", 2, false},
		{START "{\"event\":\"end\",\"exit\":\"no\"}\n", -2, false},
		{START "{\"event\":7}\n", -2, false},
		{START "null\n", -2, false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool truncated;
		assert_int_equal(read_text(cases[i].text, strlen(cases[i].text), &truncated), cases[i].result);
		assert_int_equal(truncated, cases[i].truncated);
	}
}

/* Lines longer than any buffer, cut at every place of the last one. */
static void test_long_lines_and_cuts(void **state)
{
	(void)state;
	struct runlog *log = open_log();
	for (unsigned i = 0; i < 3; i++) {
		struct json_writer *w = runlog_begin(log, EVENT_TRACE_CURVE);
		json_key(w, "points");
		json_array(w);
		for (unsigned k = 0; k < 30000; k++)
			json_uint(w, k);
		json_array_end(w);
		runlog_end(log);
	}
	assert_int_equal(runlog_close(log, 0, true, NULL), RC_OK);
	struct buf b = {0};
	assert_int_equal(buf_read_file(&b, path, 1 << 24, NULL), RC_OK);
	struct runlog_reader *r;
	enum runlog_event ev;
	const struct json *v;
	assert_int_equal(runlog_read_open(&r, path, NULL), RC_OK);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(runlog_read_next(r, &ev, &v, NULL), RC_OK);
		if (ev == EVENT_TRACE_CURVE)
			assert_int_equal(json_get(v, "points")->u.list.n, 30000);
	}
	assert_int_equal(runlog_read_next(r, &ev, &v, NULL), RC_NO);
	runlog_read_close(r);
	size_t last = b.n - 1;
	while (b.at[last - 1] != '\n')
		last--;
	for (size_t n = last; n < b.n; n++) {
		bool truncated;
		long events = read_text(b.at, n, &truncated);
		assert_int_equal(events, n == b.n - 1 ? 5 : 4);
		assert_int_equal(truncated, n > last && n < b.n - 1);
	}
	buf_release(&b);
}

static int set_up(void **state)
{
	(void)state;
	const char *tmp = getenv("TMPDIR");
	setenv("RF_LOG_CHECK", "1", 1);
	snprintf(path, sizeof path, "%s/log.XXXXXX", tmp ? tmp : "/tmp");
	int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

UNIT_TESTS_WITH(set_up, tear_down, cmocka_unit_test(test_write_and_read), cmocka_unit_test(test_no_log),
		cmocka_unit_test(test_undeclared_field), cmocka_unit_test(test_table_is_well_formed),
		cmocka_unit_test(test_write_fails), cmocka_unit_test(test_disk_fills_up),
		cmocka_unit_test(test_strange_logs), cmocka_unit_test(test_long_lines_and_cuts))
