/* SPDX-License-Identifier: MIT */
/* The layout of rft files, shared by writer and reader.
 *
 *	header   magic, u32 version, u32 length of what follows up to its checksum, u32 flags (1: sizes), u32 method,
 *	         u64 unit, u64 k, u64 original requests, source text; u64 XXH3 of all from the magic on
 *	block    u32 count (not 0), u32 length, u64 XXH3 of count, length and payload; payload: count keys as
 *	         base/keyblock.h has them (version 1: as zigzag differences from the key before, 0 at first), then
 *	         count sizes if the file has them
 *	footer   as a block with count 0; payload: u64 requests, u64 original requests
 * Nothing follows the footer. */
#ifndef STREAM_KEYTRACE_FORMAT_H
#define STREAM_KEYTRACE_FORMAT_H

#include "base/keyblock.h"
#include "stream/keytrace.h"

enum {
	RFT_VERSION = 2,           /* written; 1 is read too */
	RFT_BLOCK = KEYBLOCK_KEYS, /* keys in a block; a reader accepts no more */
	RFT_FIXED = 32,            /* header bytes between length and source text */
	RFT_BLOCK_HEAD = 16,
	RFT_FOOTER = 16,
	RFT_MAX_PAYLOAD = KEYBLOCK_BYTES + RFT_BLOCK * 2 * VARINT_MAX,
};

#endif
