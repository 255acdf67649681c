/* SPDX-License-Identifier: MIT */
/* Verdicts on disk: what the test said about each text, and what a later run needs to go on where this one ended.
 *
 * A verdict's key is the SHA-256 of the texts, its scope the SHA-256 of the test and the files' names: an edited
 * test is never answered from old verdicts. What describes the run (the input, the time limit, the test's digest)
 * stands beside them under an identity of its own, so that a run with another test can be recognised and refused. */
#ifndef REDUCE_RUN_LEDGER_H
#define REDUCE_RUN_LEDGER_H

#include "data/buf.h"
#include "data/digest.h"
#include "data/err.h"

#include <stdbool.h>
#include <stdint.h>

struct ledger;

struct ledger_spec {
	const char *uri; /* a file or a store's address */
	const char *run; /* names this run in it: the path of the first file */
	struct digest256 scope;
	bool resume;  /* go on with an earlier run if there is one; it must have been made with the same test */
	bool private; /* the file is this run's alone: an old one is removed first unless resume */
};

enum rc ledger_open(struct ledger **out, const struct ledger_spec *spec, struct err *e);
/* Whether verdicts of earlier runs may be in it: else there is no need to ask. */
bool ledger_shared(const struct ledger *l);
/* Whether there was an earlier run to go on with. */
bool ledger_resumed(const struct ledger *l);
bool ledger_get(struct ledger *l, const struct digest256 *key, bool *interesting);
void ledger_put(struct ledger *l, const struct digest256 *key, bool interesting);
/* How many verdicts there are. */
uint64_t ledger_count(struct ledger *l);
/* What describes the run. ledger_note_get appends to out; false if there is none. */
void ledger_note(struct ledger *l, const char *name, const void *value, size_t n);
bool ledger_note_get(struct ledger *l, const char *name, struct buf *out);
/* NULL, or a warning to be shown once. */
const char *ledger_warning(const struct ledger *l);
/* Whether what was to be kept in a file could not be: see store_failed. */
bool ledger_failed(const struct ledger *l);
/* Whether all in it was tested by runs of this user. Others may lie: see recall.c. */
bool ledger_own(const struct ledger *l);
/* Closes. over: the run is over; the path of its private file (NULL: it has none) is the caller's to free, and to
 * give to ledger_remove when nothing is left to do. over NULL: it may go on later. */
void ledger_close(struct ledger *l, char **over);
void ledger_remove(const char *path);

struct digest256 ledger_key(const struct buf *texts, size_t n);

#endif
