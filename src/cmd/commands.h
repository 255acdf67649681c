/* SPDX-License-Identifier: MIT */
/* The subcommands, one file each. main.c holds the table. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cli/options.h"
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
extern const struct command *const commands[]; /* NULL-ended */

/* Prints e as "refrain: …" on standard error and gives the exit code that belongs to it. */
int cmd_fail(const struct err *e);
/* Writes the finished JSON document to where --json says (nothing without it). RC_ENV when it cannot be written. */
enum rc cmd_json_out(const struct invocation *inv, const struct buf *doc, struct err *e);
/* Opens the run log that --log names, with the whole command line in it; *out is NULL without --log. */
enum rc cmd_log_open(const struct invocation *inv, struct runlog **out, struct err *e);

#endif
