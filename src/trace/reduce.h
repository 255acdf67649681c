/* SPDX-License-Identifier: MIT */
/* Reducing a trace on its way through: OLR or SAD between a reader and a writer, in memory that depends on k only. */
#ifndef TRACE_REDUCE_H
#define TRACE_REDUCE_H

#include "trace/format/reader.h"
#include "trace/format/writer.h"

struct reduction {
	enum keytrace_method method; /* OLR or SAD */
	uint32_t k;
	bool (*tick)(void *user, uint64_t references); /* false stops */
	void *user;
	/* results */
	uint64_t in, out, misses; /* misses of LRU at size k; OLR only */
	uint32_t longest_window;  /* OLR only */
};

/* The caller closes w (or abandons it on failure). A failed write is RC_OK here: closing reports it. */
enum rc trace_reduce(struct trace_reader *r, struct trace_writer *w, struct reduction *d, struct err *e);

#endif
