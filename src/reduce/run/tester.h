/* SPDX-License-Identifier: MIT */
/* Runs the user's test on texts: a clean scratch folder per test that holds just the file(s) and the copies, one slot
 * per test at a time. Only a normal exit is a verdict. With a farm, what the machine itself has no room for goes to
 * workers; what these give back waits for room here or there. */
#ifndef REDUCE_RUN_TESTER_H
#define REDUCE_RUN_TESTER_H

#include "data/buf.h"
#include "data/err.h"
#include "process/fill.h"
#include "reduce/fold/engine.h"

struct farm;
struct runner;
struct tester;

struct tester_spec {
	struct runner *runner;
	const char *const *argv; /* the test, NULL-ended; argv[0] absolute or found in PATH */
	struct fill fill;        /* the files and what stands beside them */
	const bool *absent;      /* NULL, or which of the files are not written at all; read at each start */
	unsigned slots;
	int key_fd;        /* −1, or where key strokes come from */
	struct farm *farm; /* NULL: all tests run here */
	unsigned here;     /* with a farm: how many run here at the same time */
};

/* The outcome of one test. */
struct test_end {
	enum answer answer; /* never pending */
	double wall_s;
	const char *what; /* "exit 1", "timeout": for people */
	const char *dir;  /* the folder it ran in, until the next call; empty: elsewhere */
	char *output;     /* if it was kept; the caller's to free */
	size_t output_len;
};

struct tester *tester_new(const struct tester_spec *spec);
void tester_free(struct tester *t);
void tester_set_timeout(struct tester *t, double seconds); /* 0: none */
/* The time limit of a test: what the user asked for (0: nothing), else ten times what the first test took, at least
 * 10 s: a variant may take longer than the original, and a busy machine makes short tests long. */
double tester_timeout(double asked_s, double first_s);

/* Starts a test of texts[0 … n_files−1], here if its output is to be kept. The texts stay the caller's; with a
 * farm they must not change before the slot is answered or cancelled. */
enum rc tester_start(struct tester *t, unsigned slot, const struct buf *texts, bool keep_output, struct err *e);
/* Waits up to seconds (< 0: for ever); *slot = slots when nothing ended: time is up, a signal or a key came. */
enum rc tester_wait(struct tester *t, double seconds, unsigned *slot, struct test_end *end, struct err *e);
void tester_cancel(struct tester *t, unsigned slot);
/* How many tests can run at the same time now, here (`here` of them) and on workers. */
unsigned tester_room(const struct tester *t, unsigned here);

/* Tests run, and seconds during which at least one ran. */
double tester_busy_s(const struct tester *t);
double tester_sum_s(const struct tester *t); /* wall time of all tests added up */

#endif
