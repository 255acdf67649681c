/* SPDX-License-Identifier: MIT */
/* Writing traces: text (a decimal id a line), u64, oracle (libCacheSim's oracleGeneral) and rft. Only rft carries sizes
 * without loss, the unit and a reduction's mark. */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "stream/keytrace.h"

struct trace_writer;

/* Names of the formats that can be written, NULL after the last. */
const char *trace_write_format_name(size_t i);

/* h: what rft keeps. path "-" is standard output; a file appears when closed well. */
enum rc trace_create(struct trace_writer **out, const char *path, const char *format, const struct keytrace_header *h,
		     struct err *e);
/* sizes may be NULL. Errors are kept for trace_close; false once there is one. */
bool trace_write(struct trace_writer *w, const uint64_t *keys, const uint32_t *sizes, size_t n);
/* original_requests: of a reduced trace, else 0. Frees w in any case. */
enum rc trace_close(struct trace_writer *w, uint64_t original_requests, struct err *e);
void trace_abandon(struct trace_writer *w);

#endif
