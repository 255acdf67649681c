/* SPDX-License-Identifier: MIT */
/* Printing the result of `refrain profile`. */
#ifndef CMD_PROFILE_H
#define CMD_PROFILE_H

#include "cmd/commands.h"
#include "stream/runlog.h"
#include "profile/profile.h"

void profile_print(const struct profile *p, const struct profile_options *o, bool verbose);
enum rc profile_json(const struct invocation *inv, const struct profile *p, struct err *e);
void profile_log(struct runlog *log, const struct profile *p);

#endif
