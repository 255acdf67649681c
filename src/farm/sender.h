/* SPDX-License-Identifier: MIT */
/* The parts of a sender: sender.c has the tests of a run, sender_server.c what is on the server and who answers. */
#ifndef FARM_SENDER_H
#define FARM_SENDER_H

#include "farm/delta.h"
#include "farm/farm.h"
#include "farm/message.h"
#include "store/redis_link.h"

#include <string.h>

#define SLOWEST_S 3.0 /* for the server to answer */

struct known_worker {
	char name[WORKER_NAME + 1];
	unsigned slots;
	double heard;
};

struct sent {
	bool waits; /* for a verdict */
	bool out;   /* a worker may be at it */
	double deadline;
	VEC(uint64_t) numbers; /* that were sent, oldest first */
};

/* What reply is owed for a command. */
enum owed { OWED_ANY, OWED_NONZERO, OWED_MAY_FAIL };

struct farm {
	struct address address;
	struct sign_key key;
	char run[RUN_NAME + 1], channel[32], tasks[32], verdicts[32], record_key[32];
	struct run_record record;
	struct buf bundle; /* packed */
	struct texts base;
	struct buf base_blob;
	bool begun, up;
	struct redis_link *out, *in;
	int watch;
	VEC(unsigned char) owed; /* oldest first */
	double owed_since;
	unsigned pops;
	double try_at, pause, renew_at, ack_at;
	uint64_t number, trimmed;
	struct sent *slot;
	unsigned slots, back_at; /* back_at: slots before it were looked at */
	bool give_back;
	VEC(struct known_worker) workers;
	VEC(uint64_t) acks;
	struct notice cancels;
	struct buf scratch;
	char *warning;
	bool warned_away, warned_forged, told;
	struct farm_counts counts;
};

#define WORD(text)                                                                                                     \
	{                                                                                                              \
		text, strlen(text)                                                                                     \
	}
/* Queues a command whose reply is owed. */
#define COMMAND(f, what, ...)                                                                                          \
	do {                                                                                                           \
		const struct redis_word words_[] = {__VA_ARGS__};                                                      \
		sender_command(f, what, words_, sizeof words_ / sizeof words_[0]);                                     \
	} while (0)
void sender_command(struct farm *f, enum owed what, const struct redis_word *words, size_t n);
/* Writes what is queued; false: the server is not there. */
bool sender_flush(struct farm *f);

void sender_blob_key(char *out, size_t size, const struct digest256 *d);
void sender_put_blob(struct farm *f, const struct digest256 *d, const struct buf *blob);
void sender_put_record(struct farm *f);
/* Puts the whole run on the server. */
void sender_put_run(struct farm *f);
void sender_publish(struct farm *f, const struct notice *x);
/* Tells the workers that the run is over, and removes it. */
void sender_remove_run(struct farm *f);

enum rc sender_connect(struct farm *f, struct err *e);
void sender_disconnect(struct farm *f);
/* The server failed, which took so many seconds: it is left alone for a while. */
void sender_went_away(struct farm *f, const struct err *why, double cost);
/* Connects again if it is time, renews what expires, takes replies. False: the server is not there. */
bool sender_look_after(struct farm *f);
/* The next answer of a worker that concerns a slot. */
enum farm_event sender_answer(struct farm *f, unsigned *slot, struct run_result *result);

/* sender.c: the slot has its verdict, or needs none. */
void sender_settled(struct farm *f, unsigned slot);
/* A number that nobody waits for: the server shall forget it. */
void sender_acknowledge(struct farm *f, uint64_t number);

#endif
