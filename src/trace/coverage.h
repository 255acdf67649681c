/* SPDX-License-Identifier: MIT */
/* What a reduced trace still tells the truth about: OLR keeps LRU at every size ≥ k, SAD keeps LRU and OPT there;
 * both keep every policy behind an LRU front of at least k blocks. */
#ifndef TRACE_COVERAGE_H
#define TRACE_COVERAGE_H

#include "trace/simulate/simulate.h"
#include "trace/format/reader.h"

/* RC_OK, or RC_INPUT with the reason. */
enum rc trace_covers(const struct trace_meta *m, const struct sim_spec *s, struct err *e);

#endif
