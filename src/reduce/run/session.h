/* SPDX-License-Identifier: MIT */
/* One run of the reducer over files: what its parts share. session.c sets it up and ends it, files.c reads and
 * writes, ask.c answers the engine. */
#ifndef REDUCE_RUN_SESSION_H
#define REDUCE_RUN_SESSION_H

#include "reduce/fold/engine.h"
#include "reduce/run/layout.h"
#include "reduce/run/ledger.h"
#include "reduce/run/recall.h"
#include "reduce/run/reduce.h"
#include "reduce/run/tester.h"

struct session_file {
	const char *path;                /* as given, or below a folder as given */
	char *target;                    /* where the minimum goes, symbolic links followed */
	char *orig;                      /* where the original goes, NULL with -o */
	char *temp;                      /* a new minimum before it is renamed */
	const char *name;                /* in the scratch folder */
	const struct language *language; /* of the input: a small rest may look like anything */
	unsigned mode;
	bool missing;   /* resumed: an earlier run dropped it */
	bool on_target; /* the target is this run's, with the text */
	struct buf written;
	struct buf text;    /* what the run starts from */
	struct buf on_disk; /* resumed: what is there now */
};

/* What is being tested in a slot. */
struct test_slot {
	struct text_query query;
	bool retesting;
	struct buf said; /* what its last test printed, if the pass reads it */
};

/* A minimum that was, to go back to should the result not hold. */
struct past {
	struct buf *texts;
	bool *absent;
	uint64_t bytes, number;
};

struct session {
	const struct reduce_options *o;
	struct reduce_result *r;
	struct layout layout;
	struct session_file *file;
	size_t n_files;
	const char **names;
	unsigned *modes;
	bool *absent; /* files that were dropped: they are not written for the test */
	struct fill_copy *copy;
	size_t n_copies;
	char *argv[4];
	char *test_path;
	struct digest256 scope;
	struct tester *tester;
	struct farm *farm;     /* NULL: all tests run here */
	struct ledger *ledger; /* NULL: none */
	struct model model;
	struct engine engine;
	struct asker asker;
	struct test_slot *slot;   /* what is asked, `slots` of them, and one that is tested again aside */
	unsigned slots, running;  /* at most one test per job runs, */
	VEC(unsigned) queued;     /* the others wait: slots, oldest first */
	struct text_query next;   /* what recall was asked for last; ask takes it over */
	const struct step *asked; /* the step it is about */
	struct buf *texts;        /* scratch, one per file */
	size_t text_logged;       /* bytes of text in the run log */
	struct recall recall;
	struct complaints *usual; /* what is said about the input: no reason for a failure */
	bool from_store;          /* the last verdict that was recalled came from the store */
	double start, first_s;
	uint64_t answered; /* answered by the test or, replayed, by the store */
	uint64_t next_retest;
	enum { ASIDE_NEVER, ASIDE_FREE, ASIDE_WAITS, ASIDE_RUNS } aside;
	uint64_t minima; /* so far */
	uint64_t best; /* the number of the minimum on disk (resumed), else UINT64_MAX: sizes may grow at a new parse */
	bool orig_written, warned, asked_to_skip, resumed;
	struct {
		VEC_FIELDS(struct past);
	} past; /* oldest first */
	const struct pass *pass;
	uint64_t pass_queries, pass_bytes;
	double pass_start;
	uint64_t min_bytes;
};

/* files.c */
/* Lists the files: n_files and all that there is one of per file. */
enum rc session_list_files(struct session *s, struct err *e);
enum rc session_find_test(struct session *s, struct err *e);
enum rc session_read_files(struct session *s, struct err *e);
enum rc session_write_minimum(struct session *s, struct err *e);
/* Makes sure that what was written survives a power cut. */
void session_sync(const struct session *s);
void session_release_files(struct session *s);
/* How to run the test by hand, for people. */
char *session_by_hand(const struct session *s);

/* How people find the scratch folder of the first test. */
char *session_where(const struct session *s, const char *dir);

/* drop.c */
/* Leaves out whole files, with the lines that include or import them, as long as that stays interesting; s->texts has
 * the texts before and after. only_empty: just those without text. */
enum rc session_drop_files(struct session *s, bool only_empty, bool *changed, struct err *e);

/* final.c */
/* Keeps s->texts, a new minimum, to go back to. */
void session_keep_past(struct session *s);
/* The test gave n other answers than before. */
void session_note_flaky(struct session *s, uint64_t n);
/* "KIND-" and the key of a text: the name of what the ledger knows about it. */
char *session_note_name(const char *kind, struct text_query *q);
void session_release_past(struct session *s);
/* Tests the result (s->texts, s->absent) again, several times. If it does not hold, these are an earlier minimum that
 * does, and r->went_back says so. */
enum rc session_final(struct session *s, struct err *e);

/* ask.c */
/* Begins a query: its texts are empty. Files that were dropped are part of what it asks about. */
void session_begin_query(struct session *s);
/* Whether the user wants to stop, or a limit was reached. */
bool session_stopped(struct session *s);
/* s->texts is a new minimum: it goes to disk. */
enum rc session_minimum(struct session *s, struct err *e);
void session_make_asker(struct session *s);
/* The run is over: what is still to be tested again is heard, unless the user stopped the run or it failed (so_far). */
enum rc session_end_aside(struct session *s, enum rc so_far, struct err *e);
enum rc session_guard(struct session *s, struct err *e);
uint64_t session_tokens(const struct session *s);
void session_warn_store(struct session *s);
/* The field "text" of an event, unless it is long or the log has many. */
void session_log_text(struct session *s, struct json_writer *w, const struct buf *text);
/* Tests texts once, outside the engine (slot 0): the first run and the last. */
enum rc session_test_once(struct session *s, const struct buf *texts, struct test_end *end, struct err *e);

#endif
