/* SPDX-License-Identifier: MIT */
/* What the two sides of a farm tell each other: see docs/protocol.md. Writers append and sign; readers check
 * the signature first, then every bound, and say why they refuse. */
#ifndef FARM_MESSAGE_H
#define FARM_MESSAGE_H

#include "data/digest.h"
#include "farm/sign.h"
#include "process/runner.h"

enum { MOST_BASES = 4, WORKER_NAME = 6 };

/* No text, bundle or blob is larger: Redis takes no more. */
#define FARM_LARGEST ((size_t)400 << 20)

/* Names on the server: the prefix, then the name of the run, or a digest for a blob. */
#define KEY_TASKS "rft:"    /* stream; its group is GROUP */
#define KEY_VERDICTS "rfv:" /* list */
#define KEY_RUN "rfr:"      /* string: the run's record */
#define KEY_NOTICES "rfn:"  /* channel; without a name: that a run began */
#define KEY_BLOB "rfb:"     /* string */
#define KEY_RUNS "rfruns"   /* sorted set of names, by the time they expire */
#define GROUP "w"

/* A text that variants are differences against. */
struct base_ref {
	uint64_t generation;
	struct digest256 digest;
};

struct run_record {
	int64_t born, expires; /* seconds since 1970 */
	uint32_t lease_ms;     /* after which a test may be taken from a worker that says nothing */
	uint64_t timeout_ms;   /* of a test; 0: none */
	struct digest256 bundle;
	struct base_ref base[MOST_BASES]; /* newest first */
	size_t n_bases;
};

void record_sign(struct buf *out, const struct run_record *r, const struct sign_key *k, const char *run);
enum rc record_check(struct run_record *r, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     int64_t now, struct err *e);

/* A test. Its number is not in it but is signed: the entry's place in the stream. */
struct task {
	uint64_t generation; /* of the base */
	int64_t expires;
	const unsigned char *delta;
	size_t delta_len;
};

void task_sign(struct buf *out, const struct task *t, int64_t born, const struct sign_key *k, const char *run,
	       uint64_t number);
enum rc task_check(struct task *t, const void *bytes, size_t n, int64_t born, const struct sign_key *k, const char *run,
		   uint64_t number, int64_t now, struct err *e);

/* What a worker sends. */
enum answer_kind { ANSWER_VERDICT = 'v', ANSWER_HELLO = 'h', ANSWER_BYE = 'b' };
struct answer_message {
	enum answer_kind kind;
	char worker[WORKER_NAME + 1];
	/* verdict */
	uint64_t number;
	struct run_result result; /* end, code, wall_s; RUN_NOT_STARTED: this worker cannot do it */
	/* hello, bye */
	uint64_t slots;
	int64_t time;
};

void answer_sign(struct buf *out, const struct answer_message *a, const struct sign_key *k, const char *run);
enum rc answer_check(struct answer_message *a, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     int64_t now, struct err *e);

/* What the sender tells all workers of a run. */
enum notice_kind { NOTICE_CANCEL = 'c', NOTICE_BASE = 'b', NOTICE_END = 'e' };
struct notice {
	enum notice_kind kind;
	struct {
		VEC_FIELDS(uint64_t);
	} numbers; /* cancel */
	/* base: what makes the base of a generation of the one before */
	struct base_ref base;
	const unsigned char *delta;
	size_t delta_len;
};

void notice_sign(struct buf *out, const struct notice *x, const struct sign_key *k, const char *run);
/* x->numbers is the caller's to release. */
enum rc notice_check(struct notice *x, const void *bytes, size_t n, const struct sign_key *k, const char *run,
		     struct err *e);

/* Blobs are kept compressed, under the digest of what they hold. */
void blob_pack(struct buf *out, const struct buf *content);
enum rc blob_unpack(struct buf *out, const void *bytes, size_t n, const struct digest256 *digest, struct err *e);

/* A random name of n letters, digits, '-' and '_'; out has room for n + 1. */
void random_name(char *out, size_t n);
bool name_valid(const char *name, size_t n, size_t want);

#endif
