/* SPDX-License-Identifier: MIT */
/* A store on a Redis server, shared by machines: see backend.h; docs/protocol.md has the keys.
 *
 * A record stands under "refrain:1:r:NAME" (record.h); a sorted set for each identity, by the server's time of the
 * first put, lists the names. A put writes both at once (a script) and does not wait for the reply; the replies
 * that are owed are read before the next one that is wanted, or when there are many. What the server expired or
 * evicted is a miss, and leaves the list when each() meets it. A failure drops the connection; the next operation
 * opens another (store.c says when).
 *
 * News: a put is published too, on a channel of the identity, as a tag of the writer and the record, or its name when
 * it is large. Who subscribes again, because the connection was lost, asks the list for what came since the last
 * time. */
#include "store/redis_keys.h"

#include "store/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { TAG = 16, NEWS_AT_ONCE = 4096 };
enum { MOST_OWED = 1000, NAMES_AT_ONCE = 1000 };

#define LARGEST_NEWS "16384" /* bytes of a record that is published whole */

static const char put_script[] = "local t=redis.call('TIME') "
				 "redis.call('ZADD',KEYS[2],'NX',t[1]*1000000+t[2],ARGV[1]) "
				 "if ARGV[3]=='0' then redis.call('SET',KEYS[1],ARGV[2]) "
				 "else redis.call('SET',KEYS[1],ARGV[2],'EX',ARGV[3]) end "
				 "if ARGV[4]~='' then redis.call('PUBLISH',ARGV[4],"
				 "ARGV[5]..(#ARGV[2]<=" LARGEST_NEWS " and ARGV[2] or ARGV[1])) end";

struct redis_store {
	struct address address;
	char *engine;
	struct store_id id;
	unsigned flags; /* modes */
	char list[sizeof LIST_PREFIX + RECORD_NAME];
	struct redis_link *link; /* NULL: not connected */
	char script[41];         /* the digest under which the server knows put_script */
	size_t owed;             /* replies to puts that were not read */
	/* news, with STORE_NEWS */
	char channel[sizeof NEWS_PREFIX + RECORD_NAME], tag[TAG + 1];
	struct redis_link *news; /* NULL: not subscribed */
	bool deaf;               /* the server does not let us */
	char since[32];          /* its time of the last subscription, as scores of the list are; "": none yet */
};

/* How long one operation may take. */
static double seconds(const struct redis_store *s)
{
	return s->address.timeout_ms / 1000.0;
}

static void disconnect(struct redis_store *s)
{
	redis_link_close(s->link);
	s->link = NULL;
	s->owed = 0;
}

static enum rc receive(struct redis_store *s, int type, redisReply **out, struct err *e)
{
	return redis_expect(s->link, seconds(s), type, out, e);
}

static enum rc connect_now(struct redis_store *s, struct err *e)
{
	redisReply *reply;
	if (s->link)
		return RC_OK;
	enum rc rc = redis_link_open(&s->link, &s->address, e);
	if (rc != RC_OK)
		return rc;
	redis_send_text(s->link, "SCRIPT", "LOAD", put_script, NULL);
	rc = receive(s, REDIS_REPLY_STRING, &reply, e);
	if (rc != RC_OK) {
		disconnect(s);
		return rc;
	}
	if (reply->type == REDIS_REPLY_STRING && reply->len == sizeof s->script - 1)
		memcpy(s->script, reply->str, reply->len);
	freeReplyObject(reply);
	return RC_OK;
}

/* Reads the replies to puts until at most so many are owed. */
static enum rc settle(struct redis_store *s, size_t most, struct err *e)
{
	enum rc rc = RC_OK;
	while (rc == RC_OK && s->owed > most) {
		redisReply *reply;
		rc = receive(s, REDIS_REPLY_NIL, &reply, e);
		if (rc == RC_OK)
			freeReplyObject(reply);
		s->owed--;
	}
	return rc;
}

/* Connected, with no reply owed but the next one. */
static enum rc ready(struct redis_store *s, struct err *e)
{
	enum rc rc = connect_now(s, e);
	return rc == RC_OK ? settle(s, 0, e) : rc;
}

/* Passes rc on; a failure ends the connection. */
static enum rc ended(struct redis_store *s, enum rc rc)
{
	if (rc != RC_OK && rc != RC_NO)
		disconnect(s);
	return rc;
}

static void close_store(void *state)
{
	struct redis_store *s = state;
	if (s->link)
		settle(s, 0, NULL);
	disconnect(s);
	redis_link_close(s->news);
	address_release(&s->address);
	free(s->engine);
	free(s);
}

/* ---- opening */

/* Asks for news from now on. A server that forbids it has none. */
static enum rc subscribe(struct redis_store *s, struct err *e)
{
	redisReply *reply;
	char now[sizeof s->since];
	enum rc rc = redis_link_open(&s->news, &s->address, e);
	if (rc != RC_OK)
		return rc;
	redis_send_text(s->news, "TIME", NULL);
	redis_send_text(s->news, "SUBSCRIBE", s->channel, NULL);
	rc = redis_expect(s->news, seconds(s), REDIS_REPLY_ARRAY, &reply, e);
	if (rc == RC_OK) {
		bool two = reply->elements == 2 && reply->element[0]->type == REDIS_REPLY_STRING &&
			   reply->element[1]->type == REDIS_REPLY_STRING;
		snprintf(now, sizeof now, "%.12s%06d", two ? reply->element[0]->str : "0",
			 two ? atoi(reply->element[1]->str) : 0);
		freeReplyObject(reply);
		s->deaf = redis_expect(s->news, seconds(s), REDIS_REPLY_ARRAY, &reply, NULL) != RC_OK;
	}
	if (rc == RC_OK && !s->deaf) {
		freeReplyObject(reply);
		memcpy(s->since, now, sizeof now);
	} else {
		redis_link_close(s->news);
		s->news = NULL;
	}
	return rc;
}

static void name_news(struct redis_store *s, const char *list)
{
	unsigned char random[TAG / 2];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		memset(random, 0, sizeof random); /* then our own news come back to us */
	digest_hex(random, sizeof random, s->tag);
	snprintf(s->channel, sizeof s->channel, NEWS_PREFIX "%s", list);
}

typedef enum rc (*address_fn)(struct address *a, const char *rest, struct err *e);

/* An address that cannot be meant, or a server that refuses us, is an error now; one that is not there may come
 * later. */
static enum rc open_with(address_fn parse, void **state, const char *place, const struct store_id *id, unsigned *flags,
			 struct err *e)
{
	struct redis_store *s = mem_zalloc(sizeof *s);
	s->engine = mem_strdup(id->engine);
	s->id = *id;
	s->id.engine = s->engine;
	struct record_name list = record_name(id, "", 0);
	snprintf(s->list, sizeof s->list, LIST_PREFIX "%s", list.hex);
	enum rc rc = parse(&s->address, place, e);
	*flags |= s->address.flags;
	s->flags = *flags;
	if (rc == RC_OK)
		rc = connect_now(s, e);
	if (*flags & STORE_NEWS)
		name_news(s, list.hex);
	if (rc == RC_OK && *s->channel)
		rc = subscribe(s, e);
	*state = s;
	if (rc != RC_OK && rc != RC_ENV)
		close_store(s);
	return rc;
}

static enum rc open_store(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	return open_with(address_redis, state, place, id, flags, e);
}

static enum rc open_socket(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	return open_with(address_unix, state, place, id, flags, e);
}

/* ---- records */

static enum rc get(void *state, const void *key, size_t key_len, struct buf *out, uint64_t *damaged, struct err *e)
{
	struct redis_store *s = state;
	struct record_name name = record_name(&s->id, key, key_len);
	char at[sizeof RECORD_PREFIX + RECORD_NAME];
	redisReply *reply;
	snprintf(at, sizeof at, RECORD_PREFIX "%s", name.hex);
	enum rc rc = ready(s, e);
	if (rc == RC_OK) {
		redis_send_text(s->link, "GET", at, NULL);
		rc = receive(s, REDIS_REPLY_STRING, &reply, e);
	}
	if (rc != RC_OK)
		return ended(s, rc);
	rc = reply->type == REDIS_REPLY_NIL ? RC_NO
					    : record_value(reply->str, reply->len, &s->id, key, key_len, out, damaged);
	freeReplyObject(reply);
	return rc;
}

static enum rc put(void *state, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	struct redis_store *s = state;
	struct record_name name = record_name(&s->id, key, key_len);
	enum rc rc = connect_now(s, e);
	if (rc == RC_OK && s->owed >= MOST_OWED)
		rc = settle(s, MOST_OWED / 2, e);
	if (rc != RC_OK)
		return ended(s, rc);
	char at[sizeof RECORD_PREFIX + RECORD_NAME], ttl[16];
	int at_len = snprintf(at, sizeof at, RECORD_PREFIX "%s", name.hex);
	int ttl_len = snprintf(ttl, sizeof ttl, "%u", s->address.ttl);
	struct buf record = {0};
	record_write(&record, &s->id, (int64_t)time(NULL), key, key_len, value, value_len);
	const struct redis_word words[] = {
		{"EVALSHA", 7},
		{s->script, 40},
		{"2", 1},
		{at, (size_t)at_len},
		{s->list, strlen(s->list)},
		{name.hex, RECORD_NAME},
		{record.at, record.n},
		{ttl, (size_t)ttl_len},
		{s->channel, strlen(s->channel)},
		{s->tag, strlen(s->tag)},
	};
	redis_send(s->link, words, sizeof words / sizeof words[0]);
	s->owed++;
	buf_release(&record);
	return ended(s, redis_flush(s->link, seconds(s), e));
}

/* Puts are on their way at once, without a begin; this waits until the server has them. */
static enum rc commit(void *state, struct err *e)
{
	struct redis_store *s = state;
	return s->link ? ended(s, settle(s, 0, e)) : RC_OK;
}

/* The names of our records, oldest first. */
struct names {
	VEC(struct record_name) all;
	struct buf gone; /* 64 digits each: listed, but not there any more */
};

/* Receives names; *got: how many. */
static enum rc take_names(struct redis_store *s, struct names *n, size_t *got, struct err *e)
{
	redisReply *reply;
	enum rc rc = receive(s, REDIS_REPLY_ARRAY, &reply, e);
	if (rc != RC_OK)
		return rc;
	*got = reply->elements;
	for (size_t i = 0; i < *got; i++) {
		struct record_name name = {{0}};
		const redisReply *x = reply->element[i];
		if (x->type == REDIS_REPLY_STRING && x->len == RECORD_NAME)
			memcpy(name.hex, x->str, RECORD_NAME);
		vec_push(&n->all, name); /* an empty one keeps the count and is never found */
	}
	freeReplyObject(reply);
	return RC_OK;
}

/* Those that came since a time of the server's. */
static enum rc list_since(struct redis_store *s, const char *since, struct names *n, struct err *e)
{
	size_t got;
	enum rc rc = ready(s, e);
	if (rc != RC_OK)
		return rc;
	redis_send_text(s->link, "ZRANGEBYSCORE", s->list, since, "+inf", NULL);
	return take_names(s, n, &got, e);
}

static enum rc list_names(struct redis_store *s, struct names *n, struct err *e)
{
	enum rc rc = RC_OK;
	size_t got = NAMES_AT_ONCE;
	while (rc == RC_OK && got == NAMES_AT_ONCE && n->all.n < MOST_NAMES) {
		char from[24], to[24];
		snprintf(from, sizeof from, "%zu", n->all.n);
		snprintf(to, sizeof to, "%zu", n->all.n + NAMES_AT_ONCE - 1);
		redis_send_text(s->link, "ZRANGE", s->list, from, to, NULL);
		rc = take_names(s, n, &got, e);
	}
	return rc;
}

/* Asks for the records of some names. */
static enum rc fetch(struct redis_store *s, const struct record_name *names, size_t n, redisReply **out, struct err *e)
{
	enum rc rc = ready(s, e);
	return rc == RC_OK ? redis_records(s->link, seconds(s), names, n, out, e) : rc;
}

/* False when fn wants no more. */
static bool give(struct redis_store *s, const char *bytes, size_t n, store_fn fn, void *user, uint64_t *damaged)
{
	struct store_record r;
	char engine[RECORD_ENGINE];
	if (!record_read(bytes, n, &r, engine) || !record_is_of(&r, &s->id)) {
		++*damaged;
		return true;
	}
	return fn(user, r.key, r.key_len, r.value, r.value_len);
}

/* What is listed but gone leaves the list. Nobody waits for it: the reply is owed. */
static enum rc forget_gone(struct redis_store *s, const struct buf *gone, struct err *e)
{
	VEC(struct redis_word) words = {0};
	vec_push(&words, ((struct redis_word){"ZREM", 4}));
	vec_push(&words, ((struct redis_word){s->list, strlen(s->list)}));
	for (size_t i = 0; i + RECORD_NAME <= gone->n; i += RECORD_NAME)
		vec_push(&words, ((struct redis_word){gone->at + i, RECORD_NAME}));
	redisReply *reply;
	enum rc rc = ready(s, e);
	if (rc == RC_OK) {
		redis_send(s->link, words.at, words.n);
		rc = receive(s, REDIS_REPLY_INTEGER, &reply, e);
	}
	if (rc == RC_OK)
		freeReplyObject(reply);
	vec_release(&words);
	return rc;
}

/* Gives the records of names, and keeps the names of those that are gone. */
static enum rc give_all(struct redis_store *s, struct names *names, store_fn fn, void *user, uint64_t *damaged,
			struct err *e)
{
	bool more = true;
	enum rc rc = RC_OK;
	for (size_t i = 0; rc == RC_OK && more && i < names->all.n; i += RECORDS_AT_ONCE) {
		redisReply *reply;
		size_t n = names->all.n - i < RECORDS_AT_ONCE ? names->all.n - i : RECORDS_AT_ONCE;
		rc = fetch(s, names->all.at + i, n, &reply, e);
		if (rc != RC_OK)
			break;
		for (size_t k = 0; more && k < n; k++) {
			const redisReply *x = reply->element[k];
			if (x->type == REDIS_REPLY_NIL)
				buf_add(&names->gone, names->all.at[i + k].hex,
					names->all.at[i + k].hex[0] ? RECORD_NAME : 0);
			else
				more = give(s, x->type == REDIS_REPLY_STRING ? x->str : "", x->len, fn, user, damaged);
		}
		freeReplyObject(reply);
	}
	return rc;
}

static void names_release(struct names *names)
{
	vec_release(&names->all);
	buf_release(&names->gone);
}

static enum rc each(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e)
{
	struct redis_store *s = state;
	struct names names = {0};
	enum rc rc = ready(s, e);
	if (rc == RC_OK)
		rc = list_names(s, &names, e);
	if (rc == RC_OK)
		rc = give_all(s, &names, fn, user, damaged, e);
	if (rc == RC_OK && names.gone.n && !(s->flags & STORE_READONLY))
		rc = forget_gone(s, &names.gone, e);
	names_release(&names);
	return ended(s, rc);
}

/* ---- news */

/* What is said on our channel: a tag and a record, or its name. */
static void take_message(struct redis_store *s, const redisReply *x, struct names *names, store_fn fn, void *user,
			 uint64_t *damaged)
{
	if (x->type != REDIS_REPLY_ARRAY || x->elements != 3 || x->element[2]->type != REDIS_REPLY_STRING)
		return;
	const char *text = x->element[2]->str;
	size_t n = x->element[2]->len;
	if (n < TAG || memcmp(text, s->tag, TAG) == 0)
		return;
	if (n == TAG + RECORD_NAME && strspn(text + TAG, "0123456789abcdef") == RECORD_NAME) {
		struct record_name name = {{0}};
		memcpy(name.hex, text + TAG, RECORD_NAME);
		vec_push(&names->all, name);
	} else {
		give(s, text + TAG, n - TAG, fn, user, damaged);
	}
}

static void unsubscribe(struct redis_store *s)
{
	redis_link_close(s->news);
	s->news = NULL;
}

/* After the connection was lost: subscribes, and lists what was missed. */
static enum rc subscribe_again(struct redis_store *s, struct names *missed, struct err *e)
{
	char before[sizeof s->since];
	memcpy(before, s->since, sizeof before);
	enum rc rc = subscribe(s, e);
	if (rc != RC_OK || !*before)
		return rc;
	rc = list_since(s, before, missed, e);
	if (rc != RC_OK) {
		unsubscribe(s);
		memcpy(s->since, before, sizeof before);
	}
	return rc;
}

static enum rc news(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e)
{
	struct redis_store *s = state;
	struct names names = {0};
	redisReply *reply;
	enum rc rc = RC_OK;
	if (!s->news && !s->deaf)
		rc = subscribe_again(s, &names, e);
	if (rc != RC_OK || !s->news) {
		names_release(&names);
		return ended(s, rc);
	}
	for (size_t i = 0; i < NEWS_AT_ONCE && (rc = redis_receive(s->news, 0, &reply, NULL)) == RC_OK; i++) {
		take_message(s, reply, &names, fn, user, damaged);
		freeReplyObject(reply);
	}
	if (rc != RC_OK && rc != RC_NO)
		unsubscribe(s); /* the next call subscribes again */
	rc = names.all.n ? give_all(s, &names, fn, user, damaged, e) : RC_OK;
	names_release(&names);
	return ended(s, rc);
}

#define REDIS_STORE(name, what, function, looks)                                                                       \
	{                                                                                                              \
		.scheme = name, .summary = what, .remote = true, .expires = true, .open = function, .commit = commit,  \
		.news = news, .admin = looks, STORE_OPERATIONS                                                         \
	}

const struct store_backend store_redis =
	REDIS_STORE("redis", "a Redis server: redis://[USER@]HOST[:PORT][/DATABASE]", open_store, &store_redis_admin);
const struct store_backend store_redis_socket =
	REDIS_STORE("unix", "a Redis server's socket: unix:PATH", open_socket, &store_redis_socket_admin);
