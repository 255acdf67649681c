/* SPDX-License-Identifier: MIT */
/* The subcommands, one file each (main.c holds the table), and what they share.
 *
 * Every output can fail. A command reports what it could not write as RC_ENV with the file's name; standard output and
 * the run log are main's, which checks both once, when the command is over. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cli/options.h"
#include "data/json/json.h"
#include "stream/runlog.h"

extern const struct command cmd_doctor;
extern const struct command cmd_check;
extern const struct command cmd_help;
extern const struct command cmd_profile;
extern const struct command cmd_smt;
extern const struct command cmd_reduce;
extern const struct command cmd_report;
extern const struct command cmd_store;
extern const struct command cmd_trace;
extern const struct command cmd_worker;
extern const struct command *const commands[];    /* NULL-ended */
extern const struct command_link command_links[]; /* a row without a name at the end */

/* The command of a list whose last word is `word`, or NULL. */
const struct command *cmd_find(const struct command *const *list, const char *word);

/* Whether messages are coloured: --color. */
void cmd_color(const char *mode);
/* Prints e as "refrain: …" on standard error and gives the exit code that belongs to it. */
int cmd_fail(const struct err *e);
/* The same for an output that could not be written when the command itself ended with `code`: done and "the answer is
 * no" become 3, any other code stays. */
int cmd_fail_output(const struct err *e, int code);

/* Whether the JSON document goes to standard output. */
bool cmd_json_stdout(const struct invocation *inv);
/* The JSON document of --json: begun with its schema as an open object, ended and written to where --json says (nothing
 * is written without it). cmd_json_end releases d. */
struct json_doc {
	struct buf text;
	struct json_writer w;
};
struct json_writer *cmd_json_begin(struct json_doc *d, const char *schema);
enum rc cmd_json_end(const struct invocation *inv, struct json_doc *d, struct err *e);
/* A document of a name, a text and counts. */
struct json_count {
	const char *name;
	uint64_t value;
};
enum rc cmd_json_counts(const struct invocation *inv, const char *schema, const char *name, const char *text,
			const struct json_count *counts, size_t n, struct err *e);
/* Writes text to the file `path`, or to standard output when that is "-", "" or NULL. */
enum rc cmd_write(const char *path, const struct buf *text, struct err *e);

/* Flushes standard output; RC_ENV when something could not be written. */
enum rc cmd_flush_stdout(struct err *e);
/* Closes standard output and gives the exit code: `code`, unless something could not be written. For main, at the end;
 * a second call changes nothing. */
int cmd_close_stdout(int code);

#endif
