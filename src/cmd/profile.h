/* SPDX-License-Identifier: MIT */
/* Printing the result of `refrain profile`. */
#ifndef CMD_PROFILE_H
#define CMD_PROFILE_H

#include "cmd/commands.h"
#include "stream/runlog.h"
#include "profile/profile.h"
#include "profile/suggest/try.h"

struct profile_tries {
	VEC_FIELDS(struct try_result);
};

void profile_print(const struct profile *p, const struct profile_options *o, bool verbose);
enum rc profile_json(const struct invocation *inv, const struct profile *p, const struct profile_tries *tries,
		     struct err *e);
/* --suggest: a patch for each of its functions on standard output. The last refusal is in e, others are printed. */
enum rc profile_suggest(const struct profile *p, const struct profile_options *o, const char *root, struct err *e);
/* --try: one function, or the best three. */
enum rc profile_try(const struct invocation *inv, const struct profile *p, const struct profile_options *o,
		    const struct try_options *t, const char *function, struct profile_tries *out, struct err *e);
void profile_print_tries(const struct profile_tries *t);
void profile_json_tries(struct json_writer *w, const struct profile_tries *t);
void profile_tries_release(struct profile_tries *t);
void profile_log_tries(struct runlog *log, const struct profile_tries *t);
void profile_log(struct runlog *log, const struct profile *p);

#endif
