/* SPDX-License-Identifier: MIT */
/* What a run keeps on the server, and the answers of its workers: see sender.h and docs/protocol.md.
 *
 * Two connections: commands go out on one, answers of workers come in on the other (BLPOP, several under way).
 * Replies to commands are owed and taken when they are there; one that is an error, or does not come, ends the
 * connection. Everything on the server expires unless it is renewed, so a run that is killed leaves nothing
 * behind for long. When the server goes away and comes again, perhaps empty, the run is put there anew. */
#include "farm/sender.h"

#include "base/bits.h"
#include "data/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum {
	KEEP_S = 60,        /* what is on the server expires after so long, */
	RENEW_S = 15,       /* and is renewed so often */
	WORKER_GONE_S = 10, /* without a word */
	MOST_POPS = 32,
};

/* ---- commands */

static void owe(struct farm *f, enum owed what)
{
	if (!f->owed.n)
		f->owed_since = clock_seconds();
	vec_push(&f->owed, (unsigned char)what);
}

void sender_command(struct farm *f, enum owed what, const struct redis_word *words, size_t n)
{
	redis_send(f->out, words, n);
	owe(f, what);
}

void sender_blob_key(char *out, size_t size, const struct digest256 *d)
{
	char hex[65];
	digest_hex(d->byte, sizeof d->byte, hex);
	snprintf(out, size, KEY_BLOB "%s", hex);
}

void sender_put_blob(struct farm *f, const struct digest256 *d, const struct buf *blob)
{
	char key[80], keep[16];
	sender_blob_key(key, sizeof key, d);
	snprintf(keep, sizeof keep, "%d", KEEP_S);
	COMMAND(f, OWED_ANY, WORD("SET"), WORD(key), {buf_str(blob), blob->n}, WORD("EX"), WORD(keep));
}

void sender_put_record(struct farm *f)
{
	char keep[16], score[32];
	snprintf(keep, sizeof keep, "%d", KEEP_S);
	f->record.expires = (int64_t)time(NULL) + KEEP_S;
	buf_clear(&f->scratch);
	record_sign(&f->scratch, &f->record, &f->key, f->run);
	COMMAND(f, OWED_ANY, WORD("SET"), WORD(f->record_key), {f->scratch.at, f->scratch.n}, WORD("EX"), WORD(keep));
	snprintf(score, sizeof score, "%lld", (long long)f->record.expires);
	COMMAND(f, OWED_ANY, WORD("ZADD"), WORD(KEY_RUNS), WORD(score), WORD(f->run));
	snprintf(score, sizeof score, "(%lld", (long long)time(NULL));
	COMMAND(f, OWED_ANY, WORD("ZREMRANGEBYSCORE"), WORD(KEY_RUNS), WORD("-inf"), WORD(score));
	COMMAND(f, OWED_ANY, WORD("EXPIRE"), WORD(KEY_RUNS), WORD(keep));
}

void sender_publish(struct farm *f, const struct notice *x)
{
	buf_clear(&f->scratch);
	notice_sign(&f->scratch, x, &f->key, f->run);
	COMMAND(f, OWED_ANY, WORD("PUBLISH"), WORD(f->channel), {f->scratch.at, f->scratch.n});
}

/* Renews what expires. The stream must still be there: if the server lost it, the run is put there anew. */
static void renew(struct farm *f)
{
	char keep[16], key[80];
	snprintf(keep, sizeof keep, "%d", KEEP_S);
	COMMAND(f, OWED_NONZERO, WORD("EXPIRE"), WORD(f->tasks), WORD(keep));
	COMMAND(f, OWED_ANY, WORD("EXPIRE"), WORD(f->verdicts), WORD(keep));
	sender_blob_key(key, sizeof key, &f->record.bundle);
	COMMAND(f, OWED_NONZERO, WORD("EXPIRE"), WORD(key), WORD(keep));
	for (size_t i = 0; i < f->record.n_bases; i++) {
		sender_blob_key(key, sizeof key, &f->record.base[i].digest);
		COMMAND(f, i ? OWED_ANY : OWED_NONZERO, WORD("EXPIRE"), WORD(key), WORD(keep));
	}
	sender_put_record(f);
	f->renew_at = clock_seconds() + RENEW_S;
}

/* ---- the connection */

static void note(struct farm *f, bool *once, const char *fmt, const char *what)
{
	if (*once)
		return;
	*once = true;
	free(f->warning);
	f->warning = mem_printf(fmt, what); /* NOLINT: the formats are ours */
	f->told = false;
}

void sender_disconnect(struct farm *f)
{
	redis_link_close(f->out);
	redis_link_close(f->in);
	f->out = f->in = NULL;
	f->up = false;
	f->pops = 0;
	vec_clear(&f->owed);
	vec_clear(&f->acks);
	vec_clear(&f->cancels.numbers);
	vec_clear(&f->workers);
	f->give_back = true;
	f->back_at = 0;
}

void sender_went_away(struct farm *f, const struct err *why, double cost)
{
	sender_disconnect(f);
	f->pause = cost * 20 < 0.2 ? 0.2 : cost * 20 > 60 ? 60 : cost * 20;
	f->try_at = clock_seconds() + f->pause;
	note(f, &f->warned_away, "%s; running tests here until it answers", why->text);
}

bool sender_flush(struct farm *f)
{
	struct err why = ERR_INIT;
	if (!f->up || redis_flush(f->out, SLOWEST_S, &why) == RC_OK)
		return f->up;
	sender_went_away(f, &why, 0);
	return false;
}

static void watch(struct farm *f, struct redis_link *l)
{
	struct epoll_event ev = {.events = EPOLLIN};
	epoll_ctl(f->watch, EPOLL_CTL_ADD, redis_link_fd(l), &ev);
}

/* Puts the run on the server. */
void sender_put_run(struct farm *f)
{
	char keep[16];
	snprintf(keep, sizeof keep, "%d", KEEP_S);
	sender_put_blob(f, &f->record.bundle, &f->bundle);
	sender_put_blob(f, &f->record.base[0].digest, &f->base_blob);
	f->record.n_bases = 1;
	COMMAND(f, OWED_MAY_FAIL, WORD("XGROUP"), WORD("CREATE"), WORD(f->tasks), WORD(GROUP), WORD("0"),
		WORD("MKSTREAM"));
	COMMAND(f, OWED_NONZERO, WORD("EXPIRE"), WORD(f->tasks), WORD(keep));
	sender_put_record(f);
	COMMAND(f, OWED_ANY, WORD("PUBLISH"), WORD(KEY_NOTICES), WORD(f->run));
	f->renew_at = clock_seconds() + RENEW_S;
}

enum rc sender_connect(struct farm *f, struct err *e)
{
	struct redis_link **const links[] = {&f->out, &f->in};
	enum rc rc = redis_links_open(links, ARRAY_LEN(links), &f->address, e);
	if (rc != RC_OK) {
		sender_disconnect(f);
		return rc;
	}
	watch(f, f->out);
	watch(f, f->in);
	f->up = true;
	if (f->begun)
		sender_put_run(f);
	return RC_OK;
}

static void try_again(struct farm *f)
{
	struct err why = ERR_INIT;
	double now = clock_seconds();
	if (f->up || now < f->try_at)
		return;
	enum rc rc = sender_connect(f, &why);
	if (rc != RC_OK)
		sender_went_away(f, &why, clock_seconds() - now);
	else
		sender_flush(f);
}

/* ---- replies */

/* Takes the replies that are there; false when the connection is of no more use. */
static bool take_owed(struct farm *f)
{
	struct err why = ERR_INIT;
	redisReply *reply;
	enum rc rc = RC_OK;
	size_t done = 0;
	while (done < f->owed.n && (rc = redis_receive(f->out, 0, &reply, &why)) == RC_OK) {
		enum owed what = (enum owed)f->owed.at[done++];
		if (reply->type == REDIS_REPLY_ERROR && what != OWED_MAY_FAIL)
			rc = err_set(&why, RC_ENV, "the Redis server says: %.200s", reply->str);
		else if (what == OWED_NONZERO && (reply->type != REDIS_REPLY_INTEGER || !reply->integer))
			rc = err_set(&why, RC_ENV, "the Redis server has lost the run");
		freeReplyObject(reply);
		if (rc != RC_OK)
			break;
	}
	if (done) {
		memmove(f->owed.at, f->owed.at + done, f->owed.n - done);
		f->owed.n -= done;
		f->owed_since = clock_seconds();
	}
	if (rc == RC_NO && f->owed.n && clock_seconds() - f->owed_since > SLOWEST_S)
		rc = err_set(&why, RC_ENV, "the Redis server does not answer in time");
	if (rc != RC_OK && rc != RC_NO) {
		sender_went_away(f, &why, 0);
		return false;
	}
	return true;
}

static struct known_worker *find_worker(struct farm *f, const char *name)
{
	for (size_t i = 0; i < f->workers.n; i++)
		if (memcmp(f->workers.at[i].name, name, WORKER_NAME) == 0)
			return &f->workers.at[i];
	return NULL;
}

static void drop_worker(struct farm *f, struct known_worker *w)
{
	*w = vec_last(&f->workers);
	f->workers.n--;
}

static void heard_from(struct farm *f, const struct answer_message *a)
{
	struct known_worker *w = find_worker(f, a->worker);
	if (a->kind == ANSWER_BYE) {
		if (w)
			drop_worker(f, w);
		return;
	}
	if (!w && a->kind == ANSWER_HELLO) {
		w = vec_add(&f->workers);
		*w = (struct known_worker){0};
		memcpy(w->name, a->worker, WORKER_NAME);
	}
	if (w && a->kind == ANSWER_HELLO)
		w->slots = (unsigned)a->slots;
	if (w)
		w->heard = clock_seconds();
	if (f->workers.n > f->counts.most_workers)
		f->counts.most_workers = (unsigned)f->workers.n;
}

/* The slot whose test has this number, or slots. */
static unsigned slot_of(const struct farm *f, uint64_t number)
{
	for (unsigned i = 0; i < f->slots; i++)
		for (size_t k = 0; f->slot[i].waits && k < f->slot[i].numbers.n; k++)
			if (f->slot[i].numbers.at[k] == number)
				return i;
	return f->slots;
}

/* An answer of a worker; true when it is a verdict that a slot waited for, or gives its test back. */
static enum farm_event take_answer(struct farm *f, const redisReply *x, unsigned *slot, struct run_result *result)
{
	struct answer_message a;
	struct err why = ERR_INIT;
	if (x->type != REDIS_REPLY_STRING ||
	    answer_check(&a, x->str, x->len, &f->key, f->run, (int64_t)time(NULL), &why) != RC_OK) {
		f->counts.refused++;
		note(f, &f->warned_forged, "workers' server: %s was refused",
		     why.text[0] ? why.text : "an answer of another kind");
		return FARM_NOTHING;
	}
	heard_from(f, &a);
	if (a.kind != ANSWER_VERDICT)
		return FARM_NOTHING;
	*slot = slot_of(f, a.number);
	if (*slot == f->slots) {
		sender_acknowledge(f, a.number);
		return FARM_NOTHING;
	}
	if (a.result.end == RUN_NOT_STARTED || a.result.end == RUN_CANCELLED) {
		/* this worker cannot: it says why where it runs */
		f->slot[*slot].out = false;
		return FARM_BACK;
	}
	*result = a.result;
	sender_settled(f, *slot);
	f->counts.verdicts++;
	return FARM_VERDICT;
}

enum farm_event sender_answer(struct farm *f, unsigned *slot, struct run_result *result)
{
	struct err why = ERR_INIT;
	redisReply *reply;
	enum rc rc = RC_OK;
	enum farm_event ev = FARM_NOTHING;
	while (f->pops && ev == FARM_NOTHING && (rc = redis_receive(f->in, 0, &reply, &why)) == RC_OK) {
		f->pops--;
		if (reply->type == REDIS_REPLY_ERROR)
			rc = err_set(&why, RC_ENV, "the Redis server says: %.200s", reply->str);
		else if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2)
			ev = take_answer(f, reply->element[1], slot, result);
		freeReplyObject(reply);
		if (rc != RC_OK)
			break;
	}
	if (rc != RC_OK && rc != RC_NO)
		sender_went_away(f, &why, 0);
	return ev;
}

static void keep_popping(struct farm *f)
{
	static const struct redis_word zero = WORD("0");
	unsigned busy = 4;
	for (unsigned i = 0; i < f->slots && busy < MOST_POPS; i++)
		busy += f->slot[i].waits;
	if (f->pops > busy / 2)
		return;
	for (; f->pops < busy; f->pops++) {
		const struct redis_word words[] = {WORD("BLPOP"), WORD(f->verdicts), zero};
		redis_send_line(f->in, words, 3);
	}
	struct err why = ERR_INIT;
	if (redis_flush(f->in, SLOWEST_S, &why) != RC_OK)
		sender_went_away(f, &why, 0);
}

static void forget_workers(struct farm *f)
{
	double now = clock_seconds();
	bool had = f->workers.n;
	for (size_t i = f->workers.n; i-- > 0;)
		if (now - f->workers.at[i].heard > WORKER_GONE_S)
			drop_worker(f, &f->workers.at[i]);
	if (had && !f->workers.n) {
		f->give_back = true;
		f->back_at = 0;
	}
}

/* Tells the workers and removes everything. */
void sender_remove_run(struct farm *f)
{
	char key[80];
	struct err ignored = ERR_INIT;
	struct notice x = {.kind = NOTICE_END};
	sender_publish(f, &x);
	COMMAND(f, OWED_ANY, WORD("DEL"), WORD(f->tasks), WORD(f->verdicts), WORD(f->record_key));
	COMMAND(f, OWED_ANY, WORD("ZREM"), WORD(KEY_RUNS), WORD(f->run));
	for (size_t i = 0; i < f->record.n_bases; i++) {
		sender_blob_key(key, sizeof key, &f->record.base[i].digest);
		COMMAND(f, OWED_ANY, WORD("DEL"), WORD(key));
	}
	sender_blob_key(key, sizeof key, &f->record.bundle);
	COMMAND(f, OWED_ANY, WORD("DEL"), WORD(key));
	/* what the server has not answered it may not have done */
	redisReply *reply;
	while (f->owed.n-- && redis_receive(f->out, 1, &reply, &ignored) == RC_OK)
		freeReplyObject(reply);
}

bool sender_look_after(struct farm *f)
{
	try_again(f);
	if (!f->up || !f->begun)
		return false;
	if (clock_seconds() >= f->renew_at)
		renew(f);
	forget_workers(f);
	if (sender_flush(f) && take_owed(f))
		keep_popping(f);
	return f->up;
}
