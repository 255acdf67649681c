/* SPDX-License-Identifier: MIT */
/* Writing traces: keys alone (text, u32, u64 and their big-endian kin), tables (csv), libCacheSim's oracleGeneral and
 * lcs, and rft. Only rft carries everything, the unit and a reduction's mark included. To add a format: one row in
 * writer.c. */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "trace/format/reader.h"

struct trace_writer;

/* Names of the formats that can be written, NULL after the last. */
const char *trace_write_format_name(size_t i);
/* The columns that a format has room for: bit c for column c. */
unsigned trace_write_room(const char *format);

/* h: what rft keeps, and which columns the blocks will have. path "-" is standard output; a file appears when closed
 * well. */
enum rc trace_create(struct trace_writer **out, const char *path, const char *format, const struct keytrace_header *h,
		     struct err *e);
/* Errors are kept for trace_close; false once there is one. */
bool trace_write(struct trace_writer *w, const struct trace_block *b);
/* original_requests: of a reduced trace, else 0. Frees w in any case. RC_INPUT when some value does not fit into the
 * format. */
enum rc trace_close(struct trace_writer *w, uint64_t original_requests, struct err *e);
void trace_abandon(struct trace_writer *w);

#endif
