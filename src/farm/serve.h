/* SPDX-License-Identifier: MIT */
/* The parts of a worker: worker.c talks to the server, served.c keeps the runs it serves and their tests. */
#ifndef FARM_SERVE_H
#define FARM_SERVE_H

#include "farm/bundle.h"
#include "farm/delta.h"
#include "farm/message.h"
#include "farm/worker.h"
#include "store/address.h"
#include "store/redis_link.h"

#include <limits.h>

enum { MOST_DONE = 4096, MOST_GONE = 256 };
#define HELLO_S 3.0 /* how often a run hears that we are there, if it hears nothing else */

struct base {
	uint64_t generation;
	struct texts texts;
};

enum served_state {
	SERVED_TRYING, /* its first text is being tested here */
	SERVED_READY,
	SERVED_NOT, /* refused; kept so that it is said once */
};

struct served {
	char run[RUN_NAME + 1], tasks[32], verdicts[32], record_key[32], channel[32];
	enum served_state state;
	bool here; /* its record is on the server */
	bool over; /* goes when its last test is reaped */
	struct run_record record;
	struct bundle bundle;
	char dir[PATH_MAX]; /* where the program is */
	char *argv[4];
	bool flat;
	struct base base[MOST_BASES]; /* newest first */
	size_t n_bases;
	VEC(char *) spare; /* folders for the next tests */
	/* what was answered, so that nothing is run twice; and numbers that are not wanted */
	VEC(struct answer_message) done;
	size_t done_at;
	uint64_t gone[MOST_GONE];
	size_t gone_at;
	unsigned running;
	double hello_at, check_at, missing_since;
	bool listed; /* by the server, when it was asked last */
};

struct work {
	struct served *run;
	uint64_t number; /* 0: the first text */
	bool cancelled;
	double renew_at; /* when its lease is to be renewed */
	struct job *job;
	char dir[PATH_MAX];
};

struct worker {
	const struct worker_spec *spec;
	struct worker_counts *counts;
	struct address address;
	struct sign_key key;
	char name[WORKER_NAME + 1];
	VEC(struct served *) runs;
	VEC(struct work *) works;
	/* answers that the server has not confirmed */
	struct pending {
		VEC_FIELDS(struct unsent {
			struct served *run;
			struct answer_message a;
		});
	} unsent;
	/* the server */
	bool up, looked, said_away;
	struct redis_link *fetch, *news, *out;
	int watch;
	bool fetching;
	double fetch_until, fetch_at, try_at, look_at, claim_at;
};

/* ---- served.c */

void worker_say(struct worker *w, const struct served *r, const char *fmt, ...) PRINTF_LIKE(3, 4);
struct served *served_find(struct worker *w, const char *run);
/* A run that was heard of: NULL when it is known. */
struct served *served_add(struct worker *w, const char *run);
/* Its bundle and first base are there: makes ready what tests need and tests the base. */
enum rc served_begin(struct worker *w, struct served *r, const struct buf *bundle, const struct buf *base,
		     struct err *e);
void served_refuse(struct worker *w, struct served *r, const char *why);
/* Tells a run that we are there, or go. */
void served_hello(struct worker *w, struct served *r, enum answer_kind kind);
/* Ends its tests; it goes when they are gone. */
void served_over(struct worker *w, struct served *r);
/* Frees what is over and has no test any more. */
void served_sweep(struct worker *w);
const struct base *served_base(const struct served *r, uint64_t generation);
/* A new base, if it can be made of the newest and has the digest. */
void served_new_base(struct served *r, const struct notice *x);
enum rc served_add_base(struct served *r, uint64_t generation, const struct buf *whole, struct err *e);

/* An entry of the stream. claimed: it came to a worker before. False: it is refused, and should be on the server no
 * more; *want_base: the base is needed first. */
bool served_task(struct worker *w, struct served *r, uint64_t number, const void *bytes, size_t n, bool claimed,
		 bool *want_base);
/* This worker cannot do it. */
void served_give_back(struct worker *w, struct served *r, uint64_t number);
/* After how many seconds a lease is renewed: half of it, so that most tests end before. */
double served_renewal(const struct served *r);
void served_cancel(struct worker *w, struct served *r, uint64_t number);
/* A job of the runner is over. */
void served_job(struct worker *w, struct job *job);
/* Ends all tests and gives them back. */
void served_stop(struct worker *w);
void served_release_all(struct worker *w);

#endif
