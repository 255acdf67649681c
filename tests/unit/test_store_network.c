/* SPDX-License-Identifier: MIT */
/* Stores on servers: a real Redis and a real nginx against a plain model, modes, passwords, lists of stores;
 * servers that die, come back, say nothing, or lie. */
#include "folder.h"
#include "testing.h"
#include "store_words.h"
#include "servers.h"
#include "base/bits.h"
#include "store/address.h"
#include "store/record.h"
#include "store/redis_link.h"
#include "store/store.h"

#include <sys/stat.h>

static pid_t redis, nginx;
static int http_port;
static char redis_uri[256], http_uri[128];

static struct store *open_scope(const char *uri, const char *scope, unsigned flags)
{
	struct store_id id = make_id("unit", 1, scope);
	return open_ok(uri, &id, flags);
}

/* A command to the server, outside the store. The reply is printed as text. */
static const char *tell_redis4(const char *a, const char *b, const char *c, const char *d)
{
	static char text[4096];
	struct address at = {.path = path_of("redis.sock"), .timeout_ms = 20000};
	struct redis_link *l;
	struct err e = ERR_INIT;
	redisReply *reply;
	assert_int_equal(redis_link_open(&l, &at, &e), RC_OK);
	redis_send_text(l, a, b, c, d, NULL);
	assert_int_equal(redis_receive(l, 20, &reply, &e), RC_OK);
	if (reply->type == REDIS_REPLY_INTEGER)
		snprintf(text, sizeof text, "%lld", reply->integer);
	else if (reply->type == REDIS_REPLY_ARRAY && reply->elements)
		snprintf(text, sizeof text, "%s", reply->element[0]->str);
	else
		snprintf(text, sizeof text, "%s", reply->str ? reply->str : "");
	freeReplyObject(reply);
	redis_link_close(l);
	return text;
}

static const char *tell_redis(const char *a, const char *b, const char *c)
{
	return tell_redis4(a, b, c, NULL);
}

/* ---- against a model */

enum { KEYS = 40 };

struct model {
	char value[KEYS][64];
	bool has[KEYS];
	unsigned seen;
};

static bool compare_entry(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct model *m = user;
	char name[16] = "";
	assert_true(key_len < sizeof name);
	memcpy(name, key, key_len);
	unsigned k = (unsigned)atoi(name + 1);
	assert_true(k < KEYS && m->has[k]);
	assert_int_equal(value_len, strlen(m->value[k]));
	assert_memory_equal(value, m->value[k], value_len);
	m->seen++;
	return true;
}

static void compare_all(struct store *s, struct model *m)
{
	unsigned n = 0;
	m->seen = 0;
	assert_int_equal(store_each(s, compare_entry, m, NULL), RC_OK);
	for (unsigned k = 0; k < KEYS; k++)
		n += m->has[k];
	assert_int_equal(m->seen, n);
}

/* Two stores of one identity and one of another, in turn; the model says what each must answer. */
static void random_operations(const char *uri, const char *scope, unsigned n)
{
	struct model m = {0};
	struct store *one = open_scope(uri, scope, 0), *two = open_scope(uri, scope, 0),
		     *other = open_scope(uri, "another", 0);
	struct rng r = {7};
	for (unsigned i = 0; i < n; i++) {
		unsigned k = (unsigned)rng_below(&r, KEYS);
		struct store *s = rng_below(&r, 2) ? one : two;
		char key[16];
		snprintf(key, sizeof key, "k%u", k);
		if (rng_below(&r, 3) == 0) {
			snprintf(m.value[k], sizeof m.value[k], "value %llu", (unsigned long long)rng_next(&r));
			m.has[k] = true;
			put(s, key, m.value[k]);
			/* puts do not wait for the server; the other store's connection must see it all the same */
			get(s, key);
		} else {
			const char *got = get(s, key);
			assert_int_equal(got != NULL, m.has[k]);
			if (got)
				assert_string_equal(got, m.value[k]);
		}
		assert_null(get(other, key));
	}
	store_close(two);
	compare_all(one, &m);
	assert_null(store_warning(one));
	store_close(one);
	store_close(other);
	one = open_scope(uri, scope, STORE_READONLY);
	compare_all(one, &m);
	put(one, "k0", "read-only");
	const char *now = get(one, "k0");
	assert_true(m.has[0] ? now && strcmp(now, m.value[0]) == 0 : !now);
	store_close(one);
}

static void test_redis_model(void **state)
{
	(void)state;
	random_operations(redis_uri, "model", 1500);
}

static void test_http_model(void **state)
{
	(void)state;
	random_operations(http_uri, "model", 400);
}

static void test_two_levels_model(void **state)
{
	char uri[600];
	(void)state;
	/* one near file for both stores: two files would keep what the other store has replaced since */
	snprintf(uri, sizeof uri, "%s,%s", path_of("near.db"), redis_uri);
	random_operations(uri, "levels", 600);
}

static void test_bytes(void **state)
{
	(void)state;
	const char *uris[] = {redis_uri, http_uri};
	for (size_t u = 0; u < 2; u++) {
		struct store *s = open_scope(uris[u], "bytes", 0);
		struct buf out = {0};
		size_t n = 300000;
		char *large = calloc(1, n);
		for (size_t i = 0; i < n; i++)
			large[i] = (char)(i * i);
		assert_int_equal(store_put(s, "a\0b\r\n", 5, large, n, NULL), RC_OK);
		assert_int_equal(store_put(s, "", 0, "", 0, NULL), RC_OK);
		assert_int_equal(store_get(s, "a\0b\r\n", 5, &out, NULL), RC_OK);
		assert_int_equal(out.n, n);
		assert_memory_equal(out.at, large, n);
		assert_int_equal(store_get(s, "a\0b\r", 4, &out, NULL), RC_NO);
		assert_int_equal(store_get(s, "", 0, &out, NULL), RC_OK);
		assert_int_equal(out.n, n);
		buf_release(&out);
		free(large);
		store_close(s);
	}
}

/* ---- levels */

static void test_answers_move_near(void **state)
{
	char uri[600], near[256];
	(void)state;
	snprintf(near, sizeof near, "%s", path_of("answers.db"));
	snprintf(uri, sizeof uri, "%s,%s", near, redis_uri);
	struct store *far = open_scope(redis_uri, "near", 0);
	put(far, "k", "v");
	store_close(far);
	struct store *both = open_scope(uri, "near", 0);
	assert_string_equal(get(both, "k"), "v");
	put(both, "k2", "v2");
	store_close(both);
	struct store *file = open_scope(near, "near", 0);
	assert_string_equal(get(file, "k"), "v");
	assert_string_equal(get(file, "k2"), "v2");
	store_close(file);
	far = open_scope(redis_uri, "near", 0);
	assert_string_equal(get(far, "k2"), "v2");
	store_close(far);
}

/* ---- modes */

static void test_modes(void **state)
{
	char uri[300];
	(void)state;
	struct store *s = open_scope(redis_uri, "modes", 0);
	put(s, "k", "v");
	store_close(s);
	snprintf(uri, sizeof uri, "%s?mode=write&ttl=1000", redis_uri);
	s = open_scope(uri, "modes", 0);
	assert_null(get(s, "k"));
	put(s, "w", "v");
	store_close(s);
	snprintf(uri, sizeof uri, "%s?mode=read", redis_uri);
	s = open_scope(uri, "modes", 0);
	assert_string_equal(get(s, "w"), "v");
	put(s, "r", "v");
	assert_null(get(s, "r"));
	store_close(s);
	snprintf(uri, sizeof uri, "%s?mode=frozen", redis_uri);
	s = open_scope(uri, "modes", 0);
	struct buf out = {0};
	struct err e = ERR_INIT;
	assert_int_equal(store_get(s, "w", 1, &out, &e), RC_OK);
	assert_int_equal(store_get(s, "r", 1, &out, &e), RC_INPUT);
	buf_release(&out);
	store_close(s);
	/* with ttl= a record expires, without it stays */
	struct store_id id = make_id("unit", 1, "modes");
	char name[100];
	snprintf(name, sizeof name, "refrain:1:r:%s", record_name(&id, "w", 1).hex);
	int left = atoi(tell_redis("TTL", name, NULL));
	assert_in_range(left, 1, 1000);
	snprintf(name, sizeof name, "refrain:1:r:%s", record_name(&id, "k", 1).hex);
	assert_string_equal(tell_redis("TTL", name, NULL), "-1");
}

static void test_expired_is_a_miss(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "expired");
	struct model m = {.has = {[2] = true}, .value = {[2] = "v2"}};
	struct store *s = open_scope(redis_uri, "expired", 0);
	char name[100];
	put(s, "k1", "v1");
	put(s, "k2", "v2");
	assert_string_equal(get(s, "k1"), "v1");
	snprintf(name, sizeof name, "refrain:1:r:%s", record_name(&id, "k1", 2).hex);
	tell_redis("DEL", name, NULL);
	assert_null(get(s, "k1"));
	compare_all(s, &m);
	/* what is gone left the list */
	snprintf(name, sizeof name, "refrain:1:i:%s", record_name(&id, "", 0).hex);
	assert_string_equal(tell_redis("ZCARD", name, NULL), "1");
	assert_int_equal(store_stats(s).damaged, 0);
	store_close(s);
}

static void test_lies_are_misses(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "lies");
	struct store *s = open_scope(redis_uri, "lies", 0);
	struct buf record = {0};
	char name[100];
	put(s, "k", "v");
	assert_string_equal(get(s, "k"), "v");
	snprintf(name, sizeof name, "refrain:1:r:%s", record_name(&id, "k", 1).hex);
	/* bytes that are no record, a record of another key, one of another identity */
	tell_redis("SET", name, "v");
	assert_null(get(s, "k"));
	struct store_id other = make_id("unit", 1, "another scope");
	record_write(&record, &other, 1, "k", 1, "lie", 3);
	struct address at = {.path = path_of("redis.sock"), .timeout_ms = 20000};
	struct redis_link *l;
	redisReply *reply;
	assert_int_equal(redis_link_open(&l, &at, NULL), RC_OK);
	redis_send(l, (struct redis_word[]){{"SET", 3}, {name, strlen(name)}, {record.at, record.n}}, 3);
	assert_int_equal(redis_receive(l, 20, &reply, NULL), RC_OK);
	freeReplyObject(reply);
	redis_link_close(l);
	assert_null(get(s, "k"));
	assert_int_equal(store_stats(s).damaged, 2);
	assert_null(store_warning(s));
	put(s, "k", "v again");
	assert_string_equal(get(s, "k"), "v again");
	buf_release(&record);
	store_close(s);
}

/* A command as a line does what it does otherwise, whatever is in its words: none of them becomes a second command. */
static void test_lines(void **state)
{
	(void)state;
	static const struct redis_word values[] = {
		{"plain-_:.>", 10}, {"", 0}, {"two words", 9}, {"\"quote", 6}, {"a\r\nDEL line", 11}, {"a\0b", 3},
	};
	struct address at = {.path = path_of("redis.sock"), .timeout_ms = 20000};
	struct redis_link *l;
	redisReply *reply;
	assert_int_equal(redis_link_open(&l, &at, NULL), RC_OK);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		redis_send_line(l, (struct redis_word[]){{"SET", 3}, {"line", 4}, values[i]}, 3);
		redis_send_line(l, (struct redis_word[]){{"GET", 3}, {"line", 4}}, 2);
		assert_int_equal(redis_receive(l, 20, &reply, NULL), RC_OK);
		assert_string_equal(reply->str, "OK");
		freeReplyObject(reply);
		assert_int_equal(redis_receive(l, 20, &reply, NULL), RC_OK);
		assert_int_equal(reply->type, REDIS_REPLY_STRING);
		assert_int_equal(reply->len, values[i].n);
		assert_memory_equal(reply->str, values[i].at, values[i].n);
		freeReplyObject(reply);
	}
	redis_link_close(l);
}

/* ---- who gets in */

static void refused(const char *uri, const char *word)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	struct store_id id = make_id("unit", 1, "x");
	if (store_open(&s, uri, &id, 0, &e) != RC_INPUT || !strstr(e.text, word))
		fail_msg("%s: %d '%s' instead of '%s'", uri, e.rc, e.text, word);
}

static void test_addresses_that_are_refused(void **state)
{
	(void)state;
	refused("redis://u:secret@localhost", "password");
	refused("redis://localhost:0", "port");
	refused("redis://localhost:66000", "port");
	refused("redis://localhost/x", "database");
	refused("redis://", "host");
	refused("redis:localhost", "slashes");
	refused("redis://localhost?tll=3", "tll");
	refused("redis://localhost?ttl", "value");
	refused("redis://localhost?mode=fast", "mode");
	refused("redis://localhost?timeout=0", "timeout");
	refused("redis://[::1]x", "strangely");
	refused("unix:", "socket");
	refused("rediss://localhost", "unknown kind");
	refused("http://user@localhost/x", "netrc");
	refused("http://localhost/a%20b", "path");
	refused("memory:,,redis://localhost", "empty place");
}

static void test_password(void **state)
{
	char uri[300];
	(void)state;
	pid_t pid = start_redis("locked", "--requirepass", "opensesame");
	snprintf(uri, sizeof uri, "unix:%s", path_of("locked.sock"));
	refused(uri, "refuses");
	FILE *f = fopen(path_of("password"), "w");
	fputs("opensesame\n", f);
	fclose(f);
	setenv("RF_STORE_PASSWORD_FILE", path_of("password"), 1);
	struct store *s = open_scope(uri, "password", 0);
	put(s, "k", "v");
	assert_string_equal(get(s, "k"), "v");
	store_close(s);
	setenv("RF_STORE_PASSWORD", "wrong", 1);
	refused(uri, "refuses");
	unsetenv("RF_STORE_PASSWORD");
	unsetenv("RF_STORE_PASSWORD_FILE");
	stop_program(pid);
}

static void test_token(void **state)
{
	char uri[128];
	(void)state;
	snprintf(uri, sizeof uri, "http://127.0.0.1:%d/closed", http_port);
	refused(uri, "token");
	setenv("RF_STORE_TOKEN", "sesame", 1);
	struct store *s = open_scope(uri, "token", 0);
	put(s, "k", "v");
	assert_string_equal(get(s, "k"), "v");
	assert_null(store_warning(s));
	store_close(s);
	unsetenv("RF_STORE_TOKEN");
	/* a server that takes no PUT says how to be asked */
	snprintf(uri, sizeof uri, "http://127.0.0.1:%d/fixed", http_port);
	s = open_scope(uri, "token", 0);
	assert_null(get(s, "k"));
	put(s, "k", "v");
	assert_non_null(strstr(store_warning(s), "mode=read"));
	assert_false(store_failed(s));
	store_close(s);
	/* too large for it: not stored, and no reason to leave the server alone */
	s = open_scope(http_uri, "token", 0);
	char *large = calloc(1, 2 << 20);
	assert_int_equal(store_put(s, "large", 5, large, 2 << 20, NULL), RC_OK);
	free(large);
	assert_int_equal(store_stats(s).puts, 0);
	assert_null(store_warning(s));
	store_close(s);
}

/* ---- news */

static struct buf heard;

static bool hear(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	(void)user;
	buf_printf(&heard, "%.*s=%.3s:%zu ", (int)key_len, (const char *)key, (const char *)value, value_len);
	return true;
}

/* Waits until what is expected was heard. */
static void waits_for(struct store *s, const char *what)
{
	for (int i = 0; i < 30000 && !strstr(buf_str(&heard), what); i++) {
		store_news(s, hear, NULL);
		usleep(1000);
	}
	assert_non_null(strstr(buf_str(&heard), what));
}

/* The same; nothing else was heard. */
static void hears(struct store *s, const char *what)
{
	buf_clear(&heard);
	waits_for(s, what);
	assert_string_equal(buf_str(&heard), what);
}

static void test_news(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "news");
	char channel[100], uri[300];
	struct store *a = open_scope(redis_uri, "news", STORE_NEWS), *b = open_scope(redis_uri, "news", STORE_NEWS);
	snprintf(uri, sizeof uri, "%s,%s", path_of("news.db"), redis_uri);
	struct store *silent = open_scope(redis_uri, "news", 0), *near = open_scope(uri, "news", STORE_NEWS);
	put(silent, "silent", "not told");
	assert_string_equal(get(silent, "silent"), "not told");
	put(a, "one", "111");
	hears(b, "one=111:3 ");
	/* a large one comes by its name; nobody hears himself */
	char *large = calloc(1, 100000);
	memset(large, 'x', 99999);
	put(a, "large", large);
	free(large);
	hears(b, "large=xxx:99999 ");
	put(b, "two", "222");
	hears(a, "two=222:3 ");
	/* what is new comes near */
	waits_for(near, "one=111:3 ");
	waits_for(near, "two=222:3 ");
	struct store *file = open_scope(path_of("news.db"), "news", 0);
	assert_string_equal(get(file, "one"), "111");
	store_close(file);
	/* a connection that was lost: nothing is missed, some comes again */
	assert_string_equal(tell_redis4("CLIENT", "KILL", "TYPE", "pubsub"), "3");
	put(b, "three", "333");
	assert_string_equal(get(b, "three"), "333");
	waits_for(a, "three=333:3 ");
	assert_null(store_warning(a));
	/* others may say what they like on the channel */
	snprintf(channel, sizeof channel, "refrain:1:n:%s", record_name(&id, "", 0).hex);
	tell_redis("PUBLISH", channel, "x");
	tell_redis("PUBLISH", channel, "0123456789abcdefRFR1 something else");
	put(b, "four", "444");
	hears(a, "four=444:3 ");
	assert_int_equal(store_stats(a).damaged, 1);
	store_close(a);
	store_close(b);
	store_close(silent);
	store_close(near);
	buf_release(&heard);
}

/* ---- servers that go away */

static void test_server_dies_and_returns(void **state)
{
	char uri[300];
	(void)state;
	pid_t pid = start_redis("mortal", NULL, NULL);
	snprintf(uri, sizeof uri, "unix:%s", path_of("mortal.sock"));
	struct store *s = open_scope(uri, "mortal", 0);
	put(s, "k", "v");
	assert_string_equal(get(s, "k"), "v");
	assert_null(store_warning(s));
	stop_program(pid);
	assert_null(get(s, "k"));
	assert_non_null(strstr(store_warning(s), "until it answers"));
	assert_false(store_failed(s));
	unlink(path_of("mortal.sock"));
	pid = start_redis("mortal", NULL, NULL);
	/* it is left alone for a second; then a put reaches it again */
	for (int i = 0; i < 3000 && !get(s, "k"); i++) {
		put(s, "k", "again");
		usleep(10000);
	}
	assert_string_equal(get(s, "k"), "again");
	store_close(s);
	stop_program(pid);
	/* not there from the start: the same */
	unlink(path_of("mortal.sock"));
	s = open_scope(uri, "mortal", 0);
	assert_non_null(store_warning(s));
	assert_null(get(s, "k"));
	store_close(s);
	/* but a frozen store cannot do without */
	s = open_scope(uri, "mortal", STORE_FROZEN);
	struct err e = ERR_INIT;
	struct buf out = {0};
	assert_int_equal(store_get(s, "k", 1, &out, &e), RC_INPUT);
	store_close(s);
}

/* A server that takes connections and sends the given text a byte at a time, or nothing, for ever. */
static pid_t start_bad_server(const char *name, const char *text)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int len = snprintf(a.sun_path, sizeof a.sun_path, "%s/%s", folder, name);
	assert_true(len < (int)sizeof a.sun_path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(fd, 8), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int c = accept(fd, NULL, NULL);
		for (size_t i = 0;; i++) {
			if (text && write(c, text + (i < strlen(text) ? i : strlen(text) - 1), 1) != 1)
				_exit(0);
			usleep(2000);
		}
	}
	close(fd);
	return pid;
}

/* Nothing a server sends, or does not send, keeps us: opening ends, and the store is asked no more for a while. */
static void test_bad_servers(void **state)
{
	static const char *const texts[] = {
		NULL,
		"+",                                    /* a status that never ends */
		"$99999999999\r\nx",                    /* a string that never ends */
		"+OK\r\n$40\r\n0123456789",             /* stops in the middle */
		"*1000000\r\n*1000000\r\n*1000000\r\n", /* arrays in arrays */
		"HTTP/1.1 400 Bad Request\r\n",
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		char name[32], uri[300];
		snprintf(name, sizeof name, "bad%zu", i);
		pid_t pid = start_bad_server(name, texts[i]);
		snprintf(uri, sizeof uri, "unix:%s?timeout=100", path_of(name));
		struct store *s = open_scope(uri, "bad", 0);
		assert_null(get(s, "k"));
		put(s, "k", "v");
		assert_non_null(store_warning(s));
		assert_int_equal(store_stats(s).puts, 0);
		store_close(s);
		stop_program(pid);
	}
}

static void test_records(void **state)
{
	(void)state;
	struct store_id id = make_id("unit", 1, "records");
	struct buf b = {0};
	struct store_record r;
	char engine[RECORD_ENGINE];
	record_write(&b, &id, 1234, "key", 3, "value", 5);
	assert_true(record_read(b.at, b.n, &r, engine));
	assert_int_equal(r.time, 1234);
	assert_string_equal(r.id.engine, "unit");
	assert_memory_equal(r.key, "key", 3);
	assert_memory_equal(r.value, "value", 5);
	/* cut anywhere, longer, or with any bit turned that the value depends on: no record */
	for (size_t n = 0; n < b.n; n++)
		assert_false(record_read(b.at, n, &r, engine));
	buf_char(&b, 0);
	assert_false(record_read(b.at, b.n, &r, engine));
	b.n--;
	for (size_t i = 0; i < b.n * 8; i++) {
		b.at[i / 8] = (char)(b.at[i / 8] ^ (1 << (i % 8)));
		if (record_read(b.at, b.n, &r, engine))
			assert_true(r.time != 1234); /* the time is not part of the answer */
		b.at[i / 8] = (char)(b.at[i / 8] ^ (1 << (i % 8)));
	}
	buf_release(&b);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s/network.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(folder) || mkdir(path_of("www"), 0700))
		return -1;
	unsetenv("RF_STORE_PASSWORD");
	unsetenv("RF_STORE_PASSWORD_FILE");
	unsetenv("RF_STORE_TOKEN");
	unsetenv("RF_STORE_TOKEN_FILE");
	redis = start_redis("redis", NULL, NULL);
	snprintf(redis_uri, sizeof redis_uri, "unix:%s", path_of("redis.sock"));
	nginx = start_nginx(&http_port);
	snprintf(http_uri, sizeof http_uri, "http://127.0.0.1:%d/cache/team", http_port);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stop_program(redis);
	stop_program(nginx);
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

UNIT_TESTS_WITH(set_up, tear_down, cmocka_unit_test(test_records), cmocka_unit_test(test_redis_model),
		cmocka_unit_test(test_http_model), cmocka_unit_test(test_two_levels_model),
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_answers_move_near), cmocka_unit_test(test_modes),
		cmocka_unit_test(test_expired_is_a_miss), cmocka_unit_test(test_lies_are_misses),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_addresses_that_are_refused),
		cmocka_unit_test(test_password), cmocka_unit_test(test_token), cmocka_unit_test(test_news),
		cmocka_unit_test(test_server_dies_and_returns), cmocka_unit_test(test_bad_servers))
