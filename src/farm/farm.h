/* SPDX-License-Identifier: MIT */
/* Tests of one run, done by workers on other machines: the side that asks. docs/protocol.md has the messages.
 *
 * Tests go out by slot, each with a number of its own; verdicts come back in any order. A worker that dies, a
 * server that dies or a message that is lost gives the test back (FARM_BACK): the caller runs it elsewhere or
 * sends it again. A verdict counts if its signature and number are right and the slot still waits for it; so a
 * verdict that comes twice counts once. Nothing here waits: farm_poll does what can be done now, and farm_fd
 * tells when there is more. */
#ifndef FARM_FARM_H
#define FARM_FARM_H

#include "process/fill.h"
#include "process/runner.h"

struct farm;

struct farm_spec {
	const char *uri;         /* redis:// or unix:, as a store's */
	const char *key_file;    /* NULL: none; only for a server on this machine */
	const char *test;        /* the program that is the test, or NULL and */
	const char *command;     /* a shell command */
	const struct fill *fill; /* stays the caller's */
	unsigned slots;
};

/* Whether a server can be one of workers', and the key file is one: RC_INPUT otherwise. A server that does not
 * answer is no error: it is tried again and again. */
enum rc farm_open(struct farm **out, const struct farm_spec *spec, struct err *e);
/* Tells the workers, and removes what the run left on the server. */
void farm_close(struct farm *f);

/* Readable when farm_poll has something to do; for poll(2). */
int farm_fd(const struct farm *f);
/* The run begins: a text that is interesting, which workers try first, and the time limit of a test (0: none). */
void farm_begin(struct farm *f, const struct buf *texts, const bool *absent, double timeout_s);
/* There is a new minimum. */
void farm_minimum(struct farm *f, const struct buf *texts, const bool *absent);

/* How many tests the workers that are there can run at the same time; 0 when the server does not answer. */
unsigned farm_room(const struct farm *f);
/* Sends a test, or sends it again. The texts stay the caller's and unchanged until the slot is answered or cancelled.
 * False: not now. */
bool farm_start(struct farm *f, unsigned slot, const struct buf *texts, const bool *absent);
/* The verdict is not wanted any more: whoever works on it stops. */
void farm_cancel(struct farm *f, unsigned slot);

enum farm_event {
	FARM_NOTHING,
	FARM_VERDICT, /* of the slot, in *result, which has no output */
	FARM_BACK,    /* nobody works on the slot's test; a verdict may still come until it is cancelled */
};
enum farm_event farm_poll(struct farm *f, unsigned *slot, struct run_result *result);

/* NULL, or what the user should know, once. */
const char *farm_warning(struct farm *f);

struct farm_counts {
	uint64_t sent, verdicts, again, refused; /* again: sent more than once; refused: answers that did not count */
	unsigned most_workers;
};
struct farm_counts farm_counts(const struct farm *f);

#endif
