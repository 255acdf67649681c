/* SPDX-License-Identifier: MIT */
/* The reducer: shrinks files while a test says "interesting", and asks about no variant twice.
 *
 * variant.h says what a program, a minimum and an edit are; pass.h what generates edits; verdicts.h what remembers;
 * engine.h how they work together; tester.h runs the test; ledger.h keeps verdicts on disk. This is what the command
 * uses. */
#ifndef REDUCE_RUN_REDUCE_H
#define REDUCE_RUN_REDUCE_H

#include "data/buf.h"
#include "data/err.h"
#include "data/json/json.h"
#include "data/strings.h"
#include "reduce/pass/pass.h"
#include "reduce/cache/verdicts.h"

#include <stdbool.h>
#include <stdint.h>

struct keytrace_writer;
struct language;
struct runlog;
struct progress;
struct runner;

struct reduce_options {
	struct runner *runner;
	const char *test;         /* a program, or NULL and */
	const char *command;      /* a shell command */
	const char *const *files; /* or folders: see layout.h */
	size_t n_files;
	const struct strings *with; /* copied beside them; may be NULL */
	const char *out;            /* NULL: in place; a folder if there are several files */
	unsigned jobs;
	const char *workers;  /* NULL, or the server where workers are */
	const char *key_file; /* NULL, or the key that they have */
	bool deterministic;   /* several jobs: the same run whatever the timing */
	const struct algorithm *algorithm;
	const struct verdicts_kind *cache;
	const struct language *language; /* NULL: by name and content */
	double timeout_s;                /* 0: ten times the first run, at least 10 s */
	double max_time_s;               /* 0: no limit */
	uint64_t max_queries;            /* 0: no limit */
	const char *store;               /* NULL: FILE.refrain; "none": no store */
	bool resume;
	const struct strings *skip, *keep;
	struct runlog *log;
	struct keytrace_writer *keys; /* NULL, or where the key of every variant goes that the cache is asked for */
	bool deaf;                    /* do not read what the test prints */
	struct progress *progress;
	int key_fd; /* −1, or where key strokes come from: 's' skips a pass */
};

struct reduce_result {
	bool complete;
	uint64_t bytes_before, bytes_after, tokens_before, tokens_after;
	uint64_t queries;   /* tests that were started, but for */
	uint64_t retests;   /* those that were repeated on purpose */
	uint64_t cancelled; /* of both: ended before their verdict because it was not wanted any more */
	/* the queries, each once: the verdict counted, late successes were merged, it came to nothing */
	uint64_t useful, merged, wasted;
	uint64_t cache_hits, store_hits;
	struct verdicts_stats cache;
	double wall_s, test_s, engine_s;
	uint64_t flaky;      /* retests that gave another verdict */
	bool final_failed;   /* the result, tested several times more, was mostly not interesting */
	bool went_back;      /* so the result is an earlier minimum that was */
	const char *stopped; /* NULL, or why it ended early: "signal", "max-time", "max-queries" */
	bool store_failed;   /* --store could not be written to the end; a warning has said so */
	char language[32];
	/* RC_NO: what the test said about the original */
	char *output;
	size_t output_len;
	char *how;   /* a shell command that runs the test by hand */
	char *where; /* the scratch folder that it ran in, and what was in it */
	uint64_t files_before, files_after;
	char what[64];    /* "exit code 1" */
	char *store_over; /* see reduce_over */
};

/* Reduces. RC_NO: the original is not interesting (output, how and what are filled). Wherever it ends the best
 * result so far is in the file. */
enum rc reduce_files(const struct reduce_options *o, struct reduce_result *r, struct err *e);
/* Runs the test once on the original and fills output, how and what: RC_OK or RC_NO. */
enum rc reduce_check(const struct reduce_options *o, struct reduce_result *r, struct err *e);
/* Removes the store of a run that is over. The last thing to do before the process ends: a run that is killed
 * earlier is resumed from its store without a test. */
void reduce_over(struct reduce_result *r);
/* The result's figures as members of an open object: for the run log and for --json. */
void reduce_result_json(const struct reduce_result *r, struct json_writer *w);
void reduce_result_release(struct reduce_result *r);

#endif
