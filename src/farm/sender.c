/* SPDX-License-Identifier: MIT */
/* The side that asks: see farm.h.
 *
 * Tests are entries of a stream; their numbers grow and are the entries' names. A verdict that came is
 * acknowledged, in batches; what is not acknowledged in the time of the lease goes to another worker, by the
 * server's books. When the server goes away all tests are given back. Texts are sent as differences against a
 * base, an earlier minimum. A new base is made when differences grow. */
#include "farm/sender.h"

#include "data/clock.h"
#include "farm/bundle.h"
#include "farm/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
	LEASE_MS = 3000,
	LIFE_S = 60,           /* of a test beyond its time limit, */
	LIFE_UNLIMITED = 3600, /* or if it has none */
	ACK_AT = 16,           /* verdicts that are acknowledged together, or after ACK_S */
	BASE_DELTA = 40,       /* bytes of difference from which a minimum becomes the base */
	LARGEST_NEWS = 8192,   /* such a difference is sent along with the notice up to this size */
};
#define ACK_S 0.3

/* ---- what is due */

void sender_acknowledge(struct farm *f, uint64_t number)
{
	if (!f->acks.n)
		f->ack_at = clock_seconds() + ACK_S;
	vec_push(&f->acks, number);
}

void sender_settled(struct farm *f, unsigned slot)
{
	struct sent *s = &f->slot[slot];
	for (size_t i = 0; f->up && i < s->numbers.n; i++)
		sender_acknowledge(f, s->numbers.at[i]);
	vec_clear(&s->numbers);
	s->waits = s->out = false;
}

static void send_acks(struct farm *f)
{
	if (!f->acks.n || (f->acks.n < ACK_AT && clock_seconds() < f->ack_at))
		return;
	VEC(struct redis_word) words = {0};
	char(*id)[24] = mem_alloc(mem_mul(f->acks.n, sizeof *id));
	uint64_t oldest = f->number + 1;
	vec_push(&words, ((struct redis_word)WORD("XACK")));
	vec_push(&words, ((struct redis_word)WORD(f->tasks)));
	vec_push(&words, ((struct redis_word)WORD(GROUP)));
	for (size_t i = 0; i < f->acks.n; i++) {
		int n = snprintf(id[i], sizeof *id, "%llu", (unsigned long long)f->acks.at[i]);
		vec_push(&words, ((struct redis_word){id[i], (size_t)n}));
	}
	sender_command(f, OWED_ANY, words.at, words.n);
	for (unsigned i = 0; i < f->slots; i++)
		if (f->slot[i].waits && f->slot[i].numbers.n && f->slot[i].numbers.at[0] < oldest)
			oldest = f->slot[i].numbers.at[0];
	/* entries before the oldest that is waited for go, now and then */
	if (oldest >= f->trimmed + 64) {
		snprintf(id[0], sizeof *id, "%llu", (unsigned long long)oldest);
		COMMAND(f, OWED_ANY, WORD("XTRIM"), WORD(f->tasks), WORD("MINID"), WORD(id[0]));
		f->trimmed = oldest;
	}
	vec_clear(&f->acks);
	vec_release(&words);
	free(id);
}

static void send_cancels(struct farm *f)
{
	if (!f->cancels.numbers.n)
		return;
	f->cancels.kind = NOTICE_CANCEL;
	sender_publish(f, &f->cancels);
	vec_clear(&f->cancels.numbers);
}

/* The next slot whose test nobody works on any more: no worker is left, or its time is over. */
static bool next_back(struct farm *f, unsigned *slot)
{
	double now = clock_seconds();
	if (!f->give_back && f->back_at >= f->slots)
		f->back_at = 0;
	for (; f->back_at < f->slots; f->back_at++) {
		struct sent *s = &f->slot[f->back_at];
		if (!s->waits || !s->out || !(f->give_back || now > s->deadline))
			continue;
		s->out = false;
		*slot = f->back_at++;
		return true;
	}
	f->give_back = false;
	return false;
}

enum farm_event farm_poll(struct farm *f, unsigned *slot, struct run_result *result)
{
	if (f->up && f->begun) {
		send_acks(f);
		send_cancels(f);
	}
	enum farm_event ev = sender_look_after(f) ? sender_answer(f, slot, result) : FARM_NOTHING;
	if (ev == FARM_NOTHING && next_back(f, slot))
		ev = FARM_BACK;
	return ev;
}

/* ---- tests */

unsigned farm_room(const struct farm *f)
{
	unsigned n = 0;
	for (size_t i = 0; f->up && i < f->workers.n; i++)
		n += f->workers.at[i].slots;
	return n;
}

static unsigned out_now(const struct farm *f)
{
	unsigned n = 0;
	for (unsigned i = 0; i < f->slots; i++)
		n += f->slot[i].out;
	return n;
}

bool farm_start(struct farm *f, unsigned slot, const struct buf *texts, const bool *absent)
{
	struct sent *s = &f->slot[slot];
	if (!f->up || !f->begun || out_now(f) >= farm_room(f))
		return false;
	struct buf delta = {0};
	delta_write(&delta, &f->base, texts, absent);
	uint64_t limit = f->record.timeout_ms ? f->record.timeout_ms / 1000 + LIFE_S : LIFE_UNLIMITED;
	struct task t = {f->record.base[0].generation, (int64_t)time(NULL) + (int64_t)limit,
			 (const unsigned char *)buf_str(&delta), delta.n};
	uint64_t number = ++f->number;
	char id[24];
	snprintf(id, sizeof id, "%llu", (unsigned long long)number);
	buf_clear(&f->scratch);
	task_sign(&f->scratch, &t, f->record.born, &f->key, f->run, number);
	buf_release(&delta);
	COMMAND(f, OWED_ANY, WORD("XADD"), WORD(f->tasks), WORD(id), WORD("t"), {f->scratch.at, f->scratch.n});
	if (!sender_flush(f))
		return false;
	f->counts.again += s->numbers.n > 0;
	f->counts.sent++;
	vec_push(&s->numbers, number);
	s->waits = s->out = true;
	s->deadline = clock_seconds() + (double)limit;
	return true;
}

void farm_cancel(struct farm *f, unsigned slot)
{
	struct sent *s = &f->slot[slot];
	for (size_t i = 0; f->up && s->waits && i < s->numbers.n; i++) {
		char id[24];
		snprintf(id, sizeof id, "%llu", (unsigned long long)s->numbers.at[i]);
		COMMAND(f, OWED_ANY, WORD("XDEL"), WORD(f->tasks), WORD(id));
		vec_push(&f->cancels.numbers, s->numbers.at[i]);
	}
	sender_settled(f, slot);
	if (f->up) {
		send_cancels(f);
		sender_flush(f);
	}
}

/* ---- the base */

static void make_base(struct farm *f, const struct buf *texts, const bool *absent)
{
	struct buf whole = {0};
	struct run_record *r = &f->record;
	uint64_t generation = r->n_bases ? r->base[0].generation + 1 : 1;
	texts_copy(&f->base, texts, absent);
	texts_write(&whole, &f->base);
	if (r->n_bases == MOST_BASES)
		r->n_bases--;
	memmove(r->base + 1, r->base, r->n_bases * sizeof *r->base);
	r->base[0] = (struct base_ref){generation, digest_sha256(buf_str(&whole), whole.n)};
	r->n_bases++;
	buf_clear(&f->base_blob);
	blob_pack(&f->base_blob, &whole);
	buf_release(&whole);
}

void farm_minimum(struct farm *f, const struct buf *texts, const bool *absent)
{
	struct buf delta = {0};
	if (!f->begun)
		return;
	delta_write(&delta, &f->base, texts, absent);
	if (delta.n >= BASE_DELTA) {
		struct base_ref oldest = f->record.base[f->record.n_bases - 1];
		bool full = f->record.n_bases == MOST_BASES;
		make_base(f, texts, absent);
		if (f->up) {
			char key[80];
			struct notice x = {.kind = NOTICE_BASE, .base = f->record.base[0]};
			x.delta = (const unsigned char *)delta.at;
			x.delta_len = delta.n <= LARGEST_NEWS ? delta.n : 0;
			sender_put_blob(f, &f->record.base[0].digest, &f->base_blob);
			sender_put_record(f);
			sender_publish(f, &x);
			sender_blob_key(key, sizeof key, &oldest.digest);
			if (full)
				COMMAND(f, OWED_ANY, WORD("DEL"), WORD(key));
			sender_flush(f);
		}
	}
	buf_release(&delta);
}

void farm_begin(struct farm *f, const struct buf *texts, const bool *absent, double timeout_s)
{
	f->record.timeout_ms = (uint64_t)(timeout_s * 1000);
	f->record.born = (int64_t)time(NULL);
	f->record.lease_ms = LEASE_MS;
	make_base(f, texts, absent);
	f->begun = true;
	if (f->up) {
		sender_put_run(f);
		sender_flush(f);
	}
}

/* ---- opening and closing */

static enum rc make_bundle(struct farm *f, const struct farm_spec *spec, struct err *e)
{
	struct buf program = {0}, bundle = {0};
	enum rc rc = spec->test ? buf_read_file(&program, spec->test, FARM_LARGEST, e) : RC_OK;
	if (rc == RC_OK) {
		bundle_write(&bundle, spec->command, &program, spec->fill);
		if (bundle.n > FARM_LARGEST)
			rc = err_set(e, RC_INPUT, "the test and what stands beside it are too large for workers");
	}
	if (rc == RC_OK) {
		f->record.bundle = digest_sha256(bundle.at, bundle.n);
		blob_pack(&f->bundle, &bundle);
	}
	buf_release(&program);
	buf_release(&bundle);
	return rc;
}

enum rc farm_open(struct farm **out, const struct farm_spec *spec, struct err *e)
{
	struct farm *f = mem_zalloc(sizeof *f);
	f->slots = spec->slots;
	f->slot = mem_zalloc(mem_mul(f->slots, sizeof *f->slot));
	f->watch = epoll_create1(EPOLL_CLOEXEC);
	random_name(f->run, RUN_NAME);
	snprintf(f->tasks, sizeof f->tasks, KEY_TASKS "%s", f->run);
	snprintf(f->verdicts, sizeof f->verdicts, KEY_VERDICTS "%s", f->run);
	snprintf(f->record_key, sizeof f->record_key, KEY_RUN "%s", f->run);
	snprintf(f->channel, sizeof f->channel, KEY_NOTICES "%s", f->run);
	texts_init(&f->base, spec->fill->n_files);
	enum rc rc = sign_key_read(&f->key, spec->key_file, e);
	if (rc == RC_OK)
		rc = place_parse(&f->address, spec->uri, &f->key, e);
	if (rc == RC_OK)
		rc = make_bundle(f, spec, e);
	if (rc == RC_OK) {
		struct err why = ERR_INIT;
		double start = clock_seconds();
		rc = sender_connect(f, &why);
		if (rc == RC_ENV) {
			sender_went_away(f, &why, clock_seconds() - start);
			rc = RC_OK;
		} else if (rc != RC_OK && e) {
			*e = why;
		}
	}
	if (rc == RC_OK)
		*out = f;
	else
		farm_close(f);
	return rc;
}

void farm_close(struct farm *f)
{
	if (!f)
		return;
	if (f->up && f->begun)
		sender_remove_run(f);
	sender_disconnect(f);
	close(f->watch);
	for (unsigned i = 0; i < f->slots; i++)
		vec_release(&f->slot[i].numbers);
	free(f->slot);
	vec_release_all(&f->owed, &f->workers, &f->acks, &f->cancels.numbers);
	texts_release(&f->base);
	vec_release_all(&f->bundle, &f->base_blob, &f->scratch);
	sign_key_release(&f->key);
	address_release(&f->address);
	free(f->warning);
	free(f);
}

int farm_fd(const struct farm *f)
{
	return f->watch;
}

const char *farm_warning(struct farm *f)
{
	if (!f->warning || f->told)
		return NULL;
	f->told = true;
	return f->warning;
}

struct farm_counts farm_counts(const struct farm *f)
{
	return f->counts;
}
