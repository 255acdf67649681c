/* SPDX-License-Identifier: MIT */
/* The layout of rft files, shared by writer and reader.
 *
 *	header   magic, u32 version, u32 length of what follows up to its checksum, u32 flags (bit c: column c of enum
 *	         keytrace_column), u32 method, u64 unit, u64 k, u64 original requests, version 3: u64 ticks in a
 *	         second, source text; u64 XXH3 of all from the magic on
 *	block    u32 count (not 0), u32 length, u64 XXH3 of count, length and payload; payload: count keys as
 *	         base/keyblock.h has them (version 1: as zigzag differences from the key before, 0 at first), then
 *	         for each column of the file count varints, times and requests as zigzag differences from the one
 *	         before (0 at first)
 *	footer   as a block with count 0; payload: u64 requests, u64 original requests
 * Nothing follows the footer. A file with no other column than sizes is written as version 2. */
#ifndef STREAM_KEYTRACE_FORMAT_H
#define STREAM_KEYTRACE_FORMAT_H

#include "base/keyblock.h"
#include "stream/keytrace.h"

enum {
	RFT_VERSION = 3,           /* the newest; all are read */
	RFT_BLOCK = KEYBLOCK_KEYS, /* keys in a block; a reader accepts no more */
	RFT_ROWS = RFT_BLOCK / 4,  /* keys in a block that a writer of version 3 makes, so that its payload fits */
	RFT_FIXED = 32,            /* header bytes between length and source text; version 3 has 8 more */
	RFT_BLOCK_HEAD = 16,
	RFT_FOOTER = 16,
	RFT_MAX_PAYLOAD = KEYBLOCK_BYTES + RFT_BLOCK * 2 * VARINT_MAX,
};

static inline bool column_is_relative(unsigned c)
{
	return c == COLUMN_TIME || c == COLUMN_REQUEST;
}

#endif
