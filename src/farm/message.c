/* SPDX-License-Identifier: MIT */
/* Messages: see message.h. A clock that is wrong by more than CLOCK_SLACK refuses everything: that is said. */
#include "farm/message.h"

#include "farm/cursor.h"

#include <errno.h>
#include <openssl/rand.h>
#include <string.h>
#include <zstd.h>

enum { CLOCK_SLACK = 60, MOST_CANCELLED = 1 << 16, LONGEST_LEASE_MS = 3600000 };

static enum rc forged(struct err *e, const char *what)
{
	return err_set(e, RC_INPUT, "%s with a wrong signature", what);
}

static enum rc malformed(struct err *e, const char *what)
{
	return err_set(e, RC_INPUT, "%s that is not well formed", what);
}

/* ---- run records */

static const char record_magic[] = "RFW1";

void record_sign(struct buf *out, const struct run_record *r, const struct sign_key *k, const char *run)
{
	buf_str_add(out, record_magic);
	put_number(out, (uint64_t)r->born);
	put_number(out, (uint64_t)r->expires);
	put_number(out, r->lease_ms);
	put_number(out, r->timeout_ms);
	buf_add(out, r->bundle.byte, sizeof r->bundle.byte);
	put_number(out, r->n_bases);
	for (size_t i = 0; i < r->n_bases; i++) {
		put_number(out, r->base[i].generation);
		buf_add(out, r->base[i].digest.byte, sizeof r->base[i].digest.byte);
	}
	sign(out, k, SIGN_RUN, run, 0);
}

static void read_digest(struct cursor *c, struct digest256 *d)
{
	const unsigned char *p = cursor_bytes(c, sizeof d->byte);
	if (p)
		memcpy(d->byte, p, sizeof d->byte);
}

enum rc record_check(struct run_record *r, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     int64_t now, struct err *e)
{
	if (!sign_check(bytes, &n, k, SIGN_RUN, run, 0))
		return forged(e, "a run");
	struct cursor c = {.at = bytes, .left = n};
	const unsigned char *head = cursor_bytes(&c, sizeof record_magic - 1);
	if (!head || memcmp(head, record_magic, sizeof record_magic - 1) != 0)
		return err_set(e, RC_INPUT, "a run of another version of refrain");
	*r = (struct run_record){0};
	r->born = (int64_t)(cursor_number(&c) & INT64_MAX);
	r->expires = (int64_t)(cursor_number(&c) & INT64_MAX);
	uint64_t lease = cursor_number(&c);
	r->timeout_ms = cursor_number(&c);
	read_digest(&c, &r->bundle);
	r->n_bases = cursor_number(&c);
	if (c.bad || r->n_bases > MOST_BASES || !r->n_bases || !lease || lease > LONGEST_LEASE_MS)
		return malformed(e, "a run");
	r->lease_ms = (uint32_t)lease;
	for (size_t i = 0; i < r->n_bases; i++) {
		r->base[i].generation = cursor_number(&c);
		read_digest(&c, &r->base[i].digest);
	}
	if (c.bad || c.left)
		return malformed(e, "a run");
	return now > r->expires + CLOCK_SLACK || now < r->born - CLOCK_SLACK
		       ? err_set(e, RC_INPUT, "a run that has expired, or comes from a machine with another time")
		       : RC_OK;
}

/* ---- tasks */

void task_sign(struct buf *out, const struct task *t, int64_t born, const struct sign_key *k, const char *run,
	       uint64_t number)
{
	put_number(out, t->generation);
	put_number(out, (uint64_t)(t->expires - born));
	buf_add(out, t->delta, t->delta_len);
	sign(out, k, SIGN_TASK, run, number);
}

enum rc task_check(struct task *t, const void *bytes, size_t n, int64_t born, const struct sign_key *k, const char *run,
		   uint64_t number, int64_t now, struct err *e)
{
	if (!sign_check(bytes, &n, k, SIGN_TASK, run, number))
		return forged(e, "a test");
	struct cursor c = {.at = bytes, .left = n};
	t->generation = cursor_number(&c);
	uint64_t life = cursor_number(&c);
	if (c.bad || life > INT32_MAX)
		return malformed(e, "a test");
	t->expires = born + (int64_t)life;
	t->delta = c.at;
	t->delta_len = c.left;
	return now > t->expires ? err_set(e, RC_INPUT, "a test that has expired") : RC_OK;
}

/* ---- answers */

void answer_sign(struct buf *out, const struct answer_message *a, const struct sign_key *k, const char *run)
{
	buf_char(out, (char)a->kind);
	buf_add(out, a->worker, WORKER_NAME);
	if (a->kind == ANSWER_VERDICT) {
		put_number(out, a->number);
		put_number(out, (uint64_t)a->result.end);
		put_number(out, (uint64_t)a->result.code);
		put_number(out, (uint64_t)(a->result.wall_s * 1000));
	} else {
		put_number(out, a->slots);
		put_number(out, (uint64_t)a->time);
	}
	sign(out, k, SIGN_VERDICT, run, 0);
}

enum rc answer_check(struct answer_message *a, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     int64_t now, struct err *e)
{
	if (!sign_check(bytes, &n, k, SIGN_VERDICT, run, 0))
		return forged(e, "an answer");
	struct cursor c = {.at = bytes, .left = n};
	*a = (struct answer_message){0};
	const unsigned char *kind = cursor_bytes(&c, 1), *worker = cursor_bytes(&c, WORKER_NAME);
	if (!worker || !name_valid((const char *)worker, WORKER_NAME, WORKER_NAME))
		return malformed(e, "an answer");
	a->kind = (enum answer_kind) * kind;
	memcpy(a->worker, worker, WORKER_NAME);
	if (a->kind == ANSWER_VERDICT) {
		a->number = cursor_number(&c);
		uint64_t end = cursor_number(&c), code = cursor_number(&c);
		a->result.wall_s = (double)cursor_number(&c) / 1000;
		if (c.bad || c.left || end > RUN_NOT_STARTED || code > 255)
			return malformed(e, "an answer");
		a->result.end = (enum run_end)end;
		a->result.code = (int)code;
		return RC_OK;
	}
	a->slots = cursor_number(&c);
	a->time = (int64_t)(cursor_number(&c) & INT64_MAX);
	if (c.bad || c.left || (a->kind != ANSWER_HELLO && a->kind != ANSWER_BYE) || a->slots > 65536)
		return malformed(e, "an answer");
	if (a->time < now - CLOCK_SLACK || a->time > now + CLOCK_SLACK)
		return err_set(e, RC_INPUT, "an answer that is old, or from a machine with another time");
	return RC_OK;
}

/* ---- notices */

void notice_sign(struct buf *out, const struct notice *x, const struct sign_key *k, const char *run)
{
	buf_char(out, (char)x->kind);
	if (x->kind == NOTICE_CANCEL) {
		put_number(out, x->numbers.n);
		for (size_t i = 0; i < x->numbers.n; i++)
			put_number(out, x->numbers.at[i]);
	} else if (x->kind == NOTICE_BASE) {
		put_number(out, x->base.generation);
		buf_add(out, x->base.digest.byte, sizeof x->base.digest.byte);
		buf_add(out, x->delta, x->delta_len);
	}
	sign(out, k, SIGN_NOTICE, run, 0);
}

enum rc notice_check(struct notice *x, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     struct err *e)
{
	*x = (struct notice){0};
	if (!sign_check(bytes, &n, k, SIGN_NOTICE, run, 0))
		return forged(e, "a notice");
	struct cursor c = {.at = bytes, .left = n};
	const unsigned char *kind = cursor_bytes(&c, 1);
	if (!kind)
		return malformed(e, "a notice");
	x->kind = (enum notice_kind) * kind;
	if (x->kind == NOTICE_CANCEL) {
		uint64_t count = cursor_number(&c);
		if (c.bad || count > MOST_CANCELLED || count > c.left)
			return malformed(e, "a notice");
		for (uint64_t i = 0; i < count; i++)
			vec_push(&x->numbers, cursor_number(&c));
	} else if (x->kind == NOTICE_BASE) {
		x->base.generation = cursor_number(&c);
		read_digest(&c, &x->base.digest);
		x->delta = c.at;
		x->delta_len = c.left;
		c.left = 0;
	} else if (x->kind != NOTICE_END) {
		c.bad = true;
	}
	return c.bad || c.left ? malformed(e, "a notice") : RC_OK;
}

/* ---- blobs */

void blob_pack(struct buf *out, const struct buf *content)
{
	size_t most = ZSTD_compressBound(content->n);
	vec_reserve(out, most + 1);
	size_t n = ZSTD_compress(out->at + out->n, most, buf_str(content), content->n, 3);
	if (ZSTD_isError(n))
		mem_oom(most);
	out->n += n;
	out->at[out->n] = 0;
}

enum rc blob_unpack(struct buf *out, const void *bytes, size_t n, const struct digest256 *digest, struct err *e)
{
	unsigned long long size = ZSTD_getFrameContentSize(bytes, n);
	if (size > FARM_LARGEST) /* also: unknown, or not of this format */
		return malformed(e, "a blob");
	vec_reserve(out, (size_t)size + 1);
	size_t got = ZSTD_decompress(out->at, (size_t)size, bytes, n);
	if (ZSTD_isError(got) || got != size)
		return malformed(e, "a blob");
	out->n = (size_t)size;
	out->at[out->n] = 0;
	struct digest256 d = digest_sha256(out->at, out->n);
	return memcmp(d.byte, digest->byte, sizeof d.byte) == 0
		       ? RC_OK
		       : err_set(e, RC_INPUT, "a blob that is not what its name says");
}

/* ---- names */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void random_name(char *out, size_t n)
{
	unsigned char byte[64];
	if (n > sizeof byte || RAND_bytes(byte, (int)n) != 1)
		mem_oom(0);
	for (size_t i = 0; i < n; i++)
		out[i] = letters[byte[i] & 63];
	out[n] = 0;
}

bool name_valid(const char *name, size_t n, size_t want)
{
	if (n != want)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!name[i] || !strchr(letters, name[i]))
			return false;
	return true;
}
