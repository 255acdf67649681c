/* SPDX-License-Identifier: MIT */
/* A worker's talk with the server: see worker.h and docs/protocol.md.
 *
 * Three connections: tests are waited for on one (XREADGROUP blocks it), notices come on another (SUBSCRIBE),
 * everything else goes over the third and waits for its reply. A connection that fails ends all three; tests
 * that run go on, and their verdicts are kept until the server has confirmed them. */
#include "farm/serve.h"

#include "base/bits.h"
#include "data/clock.h"
#include "data/text.h"
#include "farm/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define REPLY_S 3.0    /* the longest wait for a reply */
#define LOOK_S 1.0     /* how often new runs are looked for */
#define BLOCK_MS "900" /* how long a request for tests stays with the server */
#define CHECK_S 5.0    /* how often it is looked whether a run is still there */
#define MISSING_S 20.0 /* how long a run may be missing on the server: it may have been restarted */

#define WORD(text)                                                                                                     \
	{                                                                                                              \
		text, strlen(text)                                                                                     \
	}

/* ---- the connections */

static void disconnect(struct worker *w)
{
	redis_link_close(w->fetch);
	redis_link_close(w->news);
	redis_link_close(w->out);
	w->fetch = w->news = w->out = NULL;
	w->up = w->fetching = false;
	w->try_at = clock_seconds() + 0.2;
}

static void went_away(struct worker *w, const struct err *why)
{
	disconnect(w);
	if (!w->said_away)
		worker_say(w, NULL, "%s; trying again", why->text);
	w->said_away = true;
}

static void watch(struct worker *w, struct redis_link *l)
{
	struct epoll_event ev = {.events = EPOLLIN};
	epoll_ctl(w->watch, EPOLL_CTL_ADD, redis_link_fd(l), &ev);
}

static void subscribe(struct worker *w, const char *channel)
{
	redis_send_text(w->news, "SUBSCRIBE", channel, NULL);
}

static enum rc connect_now(struct worker *w, struct err *e)
{
	struct redis_link **const links[] = {&w->out, &w->fetch, &w->news};
	enum rc rc = redis_links_open(links, ARRAY_LEN(links), &w->address, e);
	if (rc == RC_OK) {
		subscribe(w, KEY_NOTICES);
		for (size_t i = 0; i < w->runs.n; i++)
			subscribe(w, w->runs.at[i]->channel);
		rc = redis_flush(w->news, REPLY_S, e);
	}
	if (rc != RC_OK) {
		disconnect(w);
		return rc;
	}
	watch(w, w->fetch);
	watch(w, w->news);
	w->up = true;
	w->look_at = w->fetch_at = 0;
	for (size_t i = 0; i < w->runs.n; i++)
		w->runs.at[i]->hello_at = w->runs.at[i]->check_at = 0;
	if (w->said_away)
		worker_say(w, NULL, "the server is there again");
	w->said_away = false;
	return RC_OK;
}

/* One command and its reply, which is of this type or nil. NULL: the connection is of no more use. */
static redisReply *ask(struct worker *w, int type, const struct redis_word *words, size_t n)
{
	struct err why = ERR_INIT;
	redisReply *reply = NULL;
	if (!w->up)
		return NULL;
	redis_send(w->out, words, n);
	enum rc rc = redis_receive(w->out, REPLY_S, &reply, &why);
	if (rc == RC_NO)
		err_set(&why, RC_ENV, "the Redis server does not answer in time");
	else if (rc == RC_OK && reply->type == REDIS_REPLY_ERROR)
		err_set(&why, RC_ENV, "the Redis server says: %.200s", reply->str);
	else if (rc == RC_OK && reply->type != type && reply->type != REDIS_REPLY_NIL)
		err_set(&why, RC_ENV, "the Redis server gives an answer of another kind");
	if (why.rc == RC_OK)
		return reply;
	if (reply)
		freeReplyObject(reply);
	went_away(w, &why);
	return NULL;
}

#define ASK(w, type, ...)                                                                                              \
	ask(w, type, (const struct redis_word[]){__VA_ARGS__},                                                         \
	    sizeof((const struct redis_word[]){__VA_ARGS__}) / sizeof(struct redis_word))

/* ---- runs */

/* The content of a blob: RC_NO when it is not there, or the server is not. */
static enum rc get_blob(struct worker *w, const struct digest256 *d, struct buf *out, struct err *e)
{
	char key[80] = KEY_BLOB;
	digest_hex(d->byte, sizeof d->byte, key + strlen(KEY_BLOB));
	redisReply *reply = ASK(w, REDIS_REPLY_STRING, WORD("GET"), WORD(key));
	enum rc rc = RC_NO;
	if (reply && reply->type == REDIS_REPLY_STRING)
		rc = blob_unpack(out, reply->str, reply->len, d, e);
	if (reply)
		freeReplyObject(reply);
	return rc;
}

/* Reads a run's record: RC_NO when it is not there. */
static enum rc get_record(struct worker *w, struct served *r, struct err *e)
{
	redisReply *reply = ASK(w, REDIS_REPLY_STRING, WORD("GET"), WORD(r->record_key));
	enum rc rc = RC_NO;
	struct run_record record;
	if (reply && reply->type == REDIS_REPLY_STRING)
		rc = record_check(&record, reply->str, reply->len, &w->key, r->run, (int64_t)time(NULL), e);
	if (reply)
		freeReplyObject(reply);
	if (rc == RC_OK)
		r->record = record;
	return rc;
}

static void join(struct worker *w, const char *run)
{
	struct served *r = served_add(w, run);
	struct buf bundle = {0}, base = {0};
	struct err why = ERR_INIT;
	if (!r)
		return;
	subscribe(w, r->channel);
	if (redis_flush(w->news, REPLY_S, &why) != RC_OK) {
		served_over(w, r);
		went_away(w, &why);
		return;
	}
	r->listed = true;
	enum rc rc = get_record(w, r, &why);
	if (rc == RC_OK)
		rc = get_blob(w, &r->record.bundle, &bundle, &why);
	if (rc == RC_OK)
		rc = get_blob(w, &r->record.base[0].digest, &base, &why);
	if (rc == RC_OK)
		rc = served_begin(w, r, &bundle, &base, &why);
	if (rc == RC_NO)
		served_over(w, r); /* it went while we looked, or the server did */
	else if (rc != RC_OK)
		served_refuse(w, r, why.text);
	buf_release(&bundle);
	buf_release(&base);
}

static void look_for_runs(struct worker *w)
{
	if (clock_seconds() < w->look_at)
		return;
	w->look_at = clock_seconds() + LOOK_S;
	redisReply *reply = ASK(w, REDIS_REPLY_ARRAY, WORD("ZRANGE"), WORD(KEY_RUNS), WORD("0"), WORD("255"));
	for (size_t i = 0; i < w->runs.n; i++)
		w->runs.at[i]->listed = false;
	for (size_t i = 0; reply && w->up && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
		const redisReply *x = reply->element[i];
		if (x->type != REDIS_REPLY_STRING || !name_valid(x->str, x->len, RUN_NAME))
			continue;
		struct served *known = served_find(w, x->str);
		if (known)
			known->listed = true;
		else
			join(w, x->str);
	}
	for (size_t i = 0; reply && w->up && i < w->runs.n; i++)
		if (w->runs.at[i]->state == SERVED_NOT && !w->runs.at[i]->listed)
			served_over(w, w->runs.at[i]);
	if (reply)
		freeReplyObject(reply);
}

/* Whether the run is still on the server. One that the server lost may come again: it has some time for that. */
static void check_run(struct worker *w, struct served *r, double now)
{
	struct err why = ERR_INIT;
	if (now < r->check_at || r->over || r->state == SERVED_NOT)
		return;
	enum rc rc = get_record(w, r, &why);
	if (!w->up)
		return;
	r->here = rc == RC_OK;
	r->check_at = now + (r->here ? CHECK_S : 0.3);
	if (r->here)
		r->missing_since = 0;
	else if (!r->missing_since)
		r->missing_since = now;
	else if (now - r->missing_since > MISSING_S)
		served_over(w, r);
}

/* ---- answers */

/* Sends what is not confirmed, all at once. An answer leaves the list when the server has it. */
static void send_answers(struct worker *w)
{
	struct err why = ERR_INIT;
	struct buf b = {0};
	size_t done = 0, n = w->unsent.n;
	enum rc rc = RC_OK;
	if (!w->up || !n)
		return;
	for (size_t i = 0; i < n; i++) {
		struct served *r = w->unsent.at[i].run;
		buf_clear(&b);
		answer_sign(&b, &w->unsent.at[i].a, &w->key, r->run);
		const struct redis_word words[] = {WORD("RPUSH"), WORD(r->verdicts), {b.at, b.n}};
		redis_send(w->out, words, 3);
		r->hello_at = clock_seconds() + HELLO_S;
	}
	buf_release(&b);
	for (; done < n && rc == RC_OK; done++) {
		redisReply *reply = NULL;
		rc = redis_receive(w->out, REPLY_S, &reply, &why);
		if (rc == RC_OK && reply->type == REDIS_REPLY_ERROR)
			rc = err_set(&why, RC_ENV, "the Redis server says: %.200s", reply->str);
		if (rc == RC_NO)
			rc = err_set(&why, RC_ENV, "the Redis server does not answer in time");
		if (reply)
			freeReplyObject(reply);
		if (rc != RC_OK)
			break;
	}
	memmove(w->unsent.at, w->unsent.at + done, (w->unsent.n - done) * sizeof *w->unsent.at);
	w->unsent.n -= done;
	if (rc != RC_OK)
		went_away(w, &why);
}

/* ---- notices */

static void take_notice(struct worker *w, const redisReply *channel, const redisReply *payload)
{
	struct notice x;
	struct err why = ERR_INIT;
	if (channel->len == strlen(KEY_NOTICES)) {
		w->look_at = 0; /* a run began */
		return;
	}
	struct served *r = served_find(w, channel->str + strlen(KEY_NOTICES));
	if (!r || r->state == SERVED_NOT)
		return;
	if (notice_check(&x, payload->str, payload->len, &w->key, r->run, &why) != RC_OK) {
		w->counts->refused++;
		worker_say(w, r, "%s was refused", why.text);
	} else if (x.kind == NOTICE_CANCEL) {
		for (size_t i = 0; i < x.numbers.n; i++)
			served_cancel(w, r, x.numbers.at[i]);
	} else if (x.kind == NOTICE_BASE) {
		served_new_base(r, &x);
	} else {
		served_over(w, r);
	}
	vec_release(&x.numbers);
}

static void take_notices(struct worker *w)
{
	struct err why = ERR_INIT;
	redisReply *reply;
	enum rc rc = RC_OK;
	while (w->up && (rc = redis_receive(w->news, 0, &reply, &why)) == RC_OK) {
		if (reply->type == REDIS_REPLY_ERROR)
			rc = err_set(&why, RC_ENV, "the Redis server says: %.200s", reply->str);
		else if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 &&
			 reply->element[0]->type == REDIS_REPLY_STRING &&
			 strcmp(reply->element[0]->str, "message") == 0 &&
			 reply->element[1]->type == REDIS_REPLY_STRING &&
			 strncmp(reply->element[1]->str, KEY_NOTICES, strlen(KEY_NOTICES)) == 0 &&
			 reply->element[2]->type == REDIS_REPLY_STRING)
			take_notice(w, reply->element[1], reply->element[2]);
		freeReplyObject(reply);
		if (rc != RC_OK)
			break;
	}
	if (w->up && rc != RC_OK && rc != RC_NO)
		went_away(w, &why);
}

/* ---- tests */

/* "NUMBER-0", as we name entries; 0: of another form. */
static uint64_t entry_number(const redisReply *id)
{
	uint64_t n = 0;
	if (id->type != REDIS_REPLY_STRING || id->len < 3 || id->len > 22 || strcmp(id->str + id->len - 2, "-0") != 0)
		return 0;
	char text[24];
	snprintf(text, sizeof text, "%.*s", (int)id->len - 2, id->str);
	return text_u64(text, &n) ? n : 0;
}

/* What was refused is no test of this run: it goes. */
static void remove_entry(struct worker *w, struct served *r, const redisReply *id)
{
	if (id->type != REDIS_REPLY_STRING)
		return;
	redisReply *reply = ASK(w, REDIS_REPLY_INTEGER, WORD("XACK"), WORD(r->tasks), WORD(GROUP), {id->str, id->len});
	if (reply)
		freeReplyObject(reply);
	reply = ASK(w, REDIS_REPLY_INTEGER, WORD("XDEL"), WORD(r->tasks), {id->str, id->len});
	if (reply)
		freeReplyObject(reply);
}

/* Gets the bases that the run has now; false: the one that is wanted is not among them. */
static bool get_base(struct worker *w, struct served *r, const struct task *t)
{
	struct err why = ERR_INIT;
	struct buf whole = {0};
	if (get_record(w, r, &why) == RC_OK)
		for (size_t i = 0; i < r->record.n_bases; i++)
			if (r->record.base[i].generation == t->generation &&
			    get_blob(w, &r->record.base[i].digest, &whole, &why) == RC_OK)
				served_add_base(r, t->generation, &whole, &why);
	buf_release(&whole);
	return served_base(r, t->generation);
}

static void take_entry(struct worker *w, struct served *r, const redisReply *x, bool claimed)
{
	bool want_base = false;
	if (x->type != REDIS_REPLY_ARRAY || x->elements != 2 || x->element[1]->type != REDIS_REPLY_ARRAY ||
	    x->element[1]->elements != 2 || x->element[1]->element[1]->type != REDIS_REPLY_STRING)
		return;
	const redisReply *body = x->element[1]->element[1];
	uint64_t number = entry_number(x->element[0]);
	bool fine = served_task(w, r, number, body->str, body->len, claimed, &want_base);
	if (fine && want_base) {
		struct task t;
		if (task_check(&t, body->str, body->len, r->record.born, &w->key, r->run, number, (int64_t)time(NULL),
			       NULL) == RC_OK &&
		    get_base(w, r, &t))
			fine = served_task(w, r, number, body->str, body->len, claimed, &want_base);
		else
			served_give_back(w, r, number);
	}
	if (!fine)
		remove_entry(w, r, x->element[0]);
}

static void take_entries(struct worker *w, struct served *r, const redisReply *list, bool claimed)
{
	for (size_t i = 0; list->type == REDIS_REPLY_ARRAY && i < list->elements; i++)
		take_entry(w, r, list->element[i], claimed);
}

static unsigned free_slots(const struct worker *w)
{
	return w->works.n < w->spec->slots ? w->spec->slots - (unsigned)w->works.n : 0;
}

static bool open_for_tests(const struct served *r)
{
	return r->state == SERVED_READY && r->here && !r->over;
}

/* Takes over tests of workers that say nothing any more. */
static void claim(struct worker *w, double now)
{
	char lease[16], count[16];
	if (now < w->claim_at)
		return;
	w->claim_at = now + 1;
	for (size_t i = 0; i < w->runs.n && w->up; i++) {
		struct served *r = w->runs.at[i];
		if (!open_for_tests(r) || !free_slots(w))
			continue;
		snprintf(lease, sizeof lease, "%u", r->record.lease_ms);
		snprintf(count, sizeof count, "%u", free_slots(w));
		w->claim_at = now + (double)r->record.lease_ms / 2000;
		const struct redis_word words[] = {
			WORD("XAUTOCLAIM"), WORD(r->tasks), WORD(GROUP),   WORD(w->name),
			WORD(lease),        WORD("0-0"),    WORD("COUNT"), WORD(count),
		};
		struct err why = ERR_INIT;
		redisReply *reply = NULL;
		redis_send_line(w->out, words, sizeof words / sizeof words[0]);
		enum rc rc = redis_receive(w->out, REPLY_S, &reply, &why);
		if (rc != RC_OK) {
			went_away(w, &why);
			return;
		}
		if (reply->type == REDIS_REPLY_ARRAY && reply->elements >= 2)
			take_entries(w, r, reply->element[1], true);
		else
			r->check_at = 0; /* the run is over, or the server lost it */
		freeReplyObject(reply);
	}
}

/* Long tests are still ours. */
static void renew_leases(struct worker *w, double now)
{
	for (size_t i = 0; i < w->works.n && w->up; i++) {
		struct work *x = w->works.at[i];
		char id[24];
		if (!x->number || x->cancelled || !open_for_tests(x->run) || now < x->renew_at)
			continue;
		x->renew_at = now + served_renewal(x->run);
		snprintf(id, sizeof id, "%llu", (unsigned long long)x->number);
		const struct redis_word words[] = {
			WORD("XCLAIM"), WORD(x->run->tasks), WORD(GROUP), WORD(w->name), WORD("0"),
			WORD(id),       WORD("JUSTID"),
		};
		struct err why = ERR_INIT;
		redisReply *reply = NULL;
		redis_send_line(w->out, words, sizeof words / sizeof words[0]);
		if (redis_receive(w->out, REPLY_S, &reply, &why) != RC_OK)
			went_away(w, &why);
		else
			freeReplyObject(reply);
	}
}

static void send_fetch(struct worker *w, double now)
{
	VEC(struct redis_word) words = {0};
	char count[16];
	size_t n = 0;
	if (w->fetching || now < w->fetch_at || !free_slots(w))
		return;
	snprintf(count, sizeof count, "%u", free_slots(w));
	const struct redis_word head[] = {
		WORD("XREADGROUP"), WORD("GROUP"), WORD(GROUP),    WORD(w->name),   WORD("COUNT"),
		WORD(count),        WORD("BLOCK"), WORD(BLOCK_MS), WORD("STREAMS"),
	};
	for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
		vec_push(&words, head[i]);
	for (size_t i = 0; i < w->runs.n; i++)
		if (open_for_tests(w->runs.at[i])) {
			vec_push(&words, ((struct redis_word)WORD(w->runs.at[i]->tasks)));
			n++;
		}
	for (size_t i = 0; i < n; i++)
		vec_push(&words, ((struct redis_word)WORD(">")));
	if (n) {
		struct err why = ERR_INIT;
		redis_send_line(w->fetch, words.at, words.n);
		w->fetching = true;
		w->fetch_until = now + REPLY_S;
		if (redis_flush(w->fetch, REPLY_S, &why) != RC_OK)
			went_away(w, &why);
	}
	vec_release(&words);
}

static void take_fetched(struct worker *w, double now)
{
	struct err why = ERR_INIT;
	redisReply *reply;
	if (!w->fetching)
		return;
	enum rc rc = redis_receive(w->fetch, 0, &reply, &why);
	if (rc == RC_NO && now > w->fetch_until)
		rc = err_set(&why, RC_ENV, "the Redis server does not answer in time");
	if (rc == RC_NO)
		return;
	if (rc != RC_OK) {
		went_away(w, &why);
		return;
	}
	w->fetching = false;
	if (reply->type == REDIS_REPLY_ERROR) {
		/* a run is over, or the server lost it: looked at before the next request */
		for (size_t i = 0; i < w->runs.n; i++)
			w->runs.at[i]->check_at = 0;
		w->fetch_at = now + 0.2;
	}
	for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
		const redisReply *x = reply->element[i];
		if (x->type != REDIS_REPLY_ARRAY || x->elements != 2 || x->element[0]->type != REDIS_REPLY_STRING ||
		    strncmp(x->element[0]->str, KEY_TASKS, strlen(KEY_TASKS)) != 0)
			continue;
		struct served *r = served_find(w, x->element[0]->str + strlen(KEY_TASKS));
		if (r)
			take_entries(w, r, x->element[1], false);
	}
	freeReplyObject(reply);
}

/* ---- the loop */

static void talk(struct worker *w)
{
	double now = clock_seconds();
	struct err why = ERR_INIT;
	if (!w->up && now >= w->try_at && connect_now(w, &why) != RC_OK)
		went_away(w, &why);
	if (!w->up)
		return;
	take_notices(w);
	look_for_runs(w);
	for (size_t i = 0; i < w->runs.n && w->up; i++) {
		struct served *r = w->runs.at[i];
		check_run(w, r, now);
		if (open_for_tests(r) && now >= r->hello_at)
			served_hello(w, r, ANSWER_HELLO);
	}
	take_fetched(w, now);
	send_answers(w);
	if (w->up)
		renew_leases(w, now);
	if (w->up && !w->fetching)
		claim(w, now);
	send_answers(w);
	if (w->up)
		send_fetch(w, now);
}

static enum rc serve(struct worker *w, struct err *e)
{
	while (!runner_stopped()) {
		struct job *job = NULL;
		talk(w);
		/* what is on its way wakes us; time does for the rest */
		enum rc rc = runner_wait_fd(w->spec->runner, w->up ? 0.25 : 0.1, w->up ? w->watch : -1, &job, e);
		if (rc != RC_OK)
			return rc;
		for (; job; rc = runner_wait(w->spec->runner, 0, &job, e)) {
			if (rc != RC_OK)
				return rc;
			served_job(w, job);
		}
		served_sweep(w);
	}
	served_stop(w);
	for (size_t i = 0; i < w->runs.n; i++)
		if (open_for_tests(w->runs.at[i]))
			served_hello(w, w->runs.at[i], ANSWER_BYE);
	send_answers(w);
	return RC_OK;
}

enum rc worker_serve(const struct worker_spec *spec, struct worker_counts *counts, struct err *e)
{
	struct worker w = {.spec = spec, .counts = counts};
	*counts = (struct worker_counts){0};
	random_name(w.name, WORKER_NAME);
	enum rc rc = sign_key_read(&w.key, spec->key_file, e);
	if (rc == RC_OK)
		rc = place_parse(&w.address, spec->uri, &w.key, e);
	if (rc == RC_OK) {
		struct err why = ERR_INIT;
		w.watch = epoll_create1(EPOLL_CLOEXEC);
		rc = connect_now(&w, &why);
		if (rc == RC_ENV) {
			went_away(&w, &why);
			rc = RC_OK;
		} else if (rc != RC_OK && e) {
			*e = why;
		}
		if (rc == RC_OK)
			rc = serve(&w, e);
		disconnect(&w);
		close(w.watch);
	}
	served_release_all(&w);
	vec_release_all(&w.works, &w.unsent);
	sign_key_release(&w.key);
	address_release(&w.address);
	return rc;
}
