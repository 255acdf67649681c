/* SPDX-License-Identifier: MIT */
/* One job: each candidate is decided before the next is made. The order of questions is the definition of each pass. */
#ifndef REDUCE_RUN_SEQUENCE_H
#define REDUCE_RUN_SEQUENCE_H

#include "reduce/fold/plan.h"

/* Runs the plan to its end, or until the asker wants to stop (engine->stopped). */
enum rc sequence_run(struct plan *p, struct err *e);

#endif
