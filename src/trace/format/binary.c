/* SPDX-License-Identifier: MIT */
/* Binary formats of fixed-size records, little-endian unless the name says otherwise.
 *
 *	u32, u64, u32be, u64be   keys alone
 *	oracle     libCacheSim's oracleGeneral: u32 time, u64 id, u32 size, i64 next access (1-based index, −1: none)
 *	twr        u32 time, u64 id, u32 key size (10 high bits), value size (22 low bits), u32 operation and TTL
 *	lcs        a header of 8192 bytes (1024 in old files) between two magic numbers, the version at offset 8 and
 *	           the number of requests at 24; the version decides the record: 1 as oracle; 2 has operation and
 *	           tenant, from 3 on sizes have 64 bits, later ones append features
 *	vscsi      v1: u32 serial, u32 length, u32 segments, u16 command, u16 version, u64 block, u64 time;
 *	           v2: u16 command, u16 version, then as v1 from serial to time, u64 response time.
 *	           The version's high byte is 1 or 2, in every record. Blocks have 512 bytes. */
#include "trace/format/formats.h"

#include "base/varint.h"

#include <string.h>

static enum rc decode_u64(struct trace_reader *r, struct err *e)
{
	const unsigned char *p;
	size_t n;
	enum rc rc = trace_records(r, 8, &p, &n, e);
	if (rc)
		return rc;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	/* no copy: the input's buffer is aligned and whole records were skipped */
	if ((uintptr_t)p % sizeof(uint64_t) == 0)
		r->block.keys = (const uint64_t *)(const void *)p;
	else
		memcpy(r->keys, p, 8 * n);
#else
	for (size_t i = 0; i < n; i++)
		r->keys[i] = get_le64(p + 8 * i);
#endif
	input_skip(r->in, 8 * n);
	r->block.n = n;
	return RC_OK;
}

/* Records of one size, one after the other; what is read of record i is inlined. */
static inline __attribute__((always_inline)) enum rc
each_record(struct trace_reader *r, size_t size,
	    enum rc (*one)(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e), struct err *e)
{
	const unsigned char *p;
	size_t n = 0;
	enum rc rc = trace_records(r, size, &p, &n, e);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = one(r, i, p + size * i, e);
		r->block.n += !rc;
	}
	if (!rc)
		input_skip(r->in, size * n);
	return rc;
}

/* A record that is a key alone, as READ has it from the bytes at p. */
#define KEY_ALONE(NAME, SIZE, READ)                                                                                    \
	static enum rc one_##NAME(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)             \
	{                                                                                                              \
		(void)e;                                                                                               \
		r->keys[i] = READ;                                                                                     \
		return RC_OK;                                                                                          \
	}                                                                                                              \
	static enum rc decode_##NAME(struct trace_reader *r, struct err *e)                                            \
	{                                                                                                              \
		return each_record(r, SIZE, one_##NAME, e);                                                            \
	}
KEY_ALONE(u32, 4, get_le32(p))
KEY_ALONE(u32be, 4, __builtin_bswap32(get_le32(p)))
KEY_ALONE(u64be, 8, __builtin_bswap64(get_le64(p)))

/* A request's next access comes later; -1 and the largest number: none, -2 and 0: not known. */
static bool next_is_later(const struct trace_reader *r, size_t i, int64_t next)
{
	return next < 1 ? next >= -2 : (uint64_t)next > r->records + i;
}

static enum rc one_oracle(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	int64_t next = (int64_t)get_le64(p + 16);
	if (!next_is_later(r, i, next))
		return trace_bad_record(r, e, "its next access is number %lld: not an oracleGeneral trace, or damaged",
					(long long)next);
	r->keys[i] = get_le64(p + 4);
	r->column[COLUMN_SIZE][i] = get_le32(p + 12);
	trace_set(r, COLUMN_TIME, get_le32(p));
	return RC_OK;
}

static enum rc decode_oracle(struct trace_reader *r, struct err *e)
{
	return each_record(r, 24, one_oracle, e);
}

static enum rc one_twr(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	uint32_t sizes = get_le32(p + 12), op = p[19];
	if (op && op != 255 && !trace_operation_name(op))
		return trace_bad_record(r, e, "unknown operation %u: not a twr trace, or damaged", op);
	r->keys[i] = get_le64(p + 4);
	r->column[COLUMN_SIZE][i] = (sizes >> 22) + (sizes & 0x3fffff);
	trace_set(r, COLUMN_TIME, get_le32(p));
	trace_set(r, COLUMN_OPERATION, op);
	return RC_OK;
}

/* Every request has an operation; a file in whose first records there is none is another one. */
static enum rc begin_twr(struct trace_reader *r, struct err *e)
{
	enum { LOOK = 64, LEAST = 16, RECORD = 20 };
	const unsigned char *p;
	size_t n, records;
	bool known = false;
	enum rc rc = input_view(r->in, (size_t)LOOK * RECORD, &p, &n, e);
	if (rc)
		return rc;
	records = n / RECORD < LOOK ? n / RECORD : LOOK;
	for (size_t i = 0; i < records; i++)
		known |= p[i * RECORD + 19] && p[i * RECORD + 19] != 255;
	if (records >= LEAST && !known)
		return err_set(e, RC_INPUT, "%s: record 1: no operation: not a twr trace, or damaged", trace_name(r));
	return RC_OK;
}

static enum rc decode_twr(struct trace_reader *r, struct err *e)
{
	return each_record(r, 20, one_twr, e);
}

/* ---- lcs; scratch: record size, version, requests */

static bool sniff_lcs(const unsigned char *p, size_t n)
{
	return n >= 1024 && get_le64(p) == LCS_MAGIC &&
	       (get_le64(p + 1016) == LCS_MAGIC || (n >= 8192 && get_le64(p + 8184) == LCS_MAGIC));
}

static enum rc begin_lcs(struct trace_reader *r, struct err *e)
{
	static const unsigned char records[] = {0, 24, 28, 36, 40, 44, 52, 68, 100};
	const unsigned char *p;
	size_t n;
	enum rc rc = input_view(r->in, 8192, &p, &n, e);
	if (rc)
		return rc;
	if (!sniff_lcs(p, n))
		return err_set(e, RC_INPUT, "%s: not an lcs trace (the magic numbers of its header are missing)",
			       trace_name(r));
	uint64_t version = get_le64(p + 8);
	if (version < 1 || version >= sizeof records)
		return err_set(e, RC_INPUT, "%s: unknown lcs version %llu", trace_name(r), (unsigned long long)version);
	r->scratch[0] = records[version];
	r->scratch[1] = version;
	if (version >= 2) {
		trace_has(r, COLUMN_OPERATION);
		trace_has(r, COLUMN_TENANT);
	}
	r->scratch[2] = get_le64(p + 24);
	input_skip(r->in, n >= 8192 && get_le64(p + 8184) == LCS_MAGIC ? 8192 : 1024);
	return RC_OK;
}

static enum rc one_lcs(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	bool wide = r->scratch[1] >= 3;
	uint64_t bytes = wide ? get_le64(p + 12) : get_le32(p + 12);
	if (bytes >> 63)
		return trace_bad_record(r, e, "its size is negative");
	r->keys[i] = get_le64(p + 4);
	r->column[COLUMN_SIZE][i] = bytes;
	trace_set(r, COLUMN_TIME, get_le32(p));
	if (r->scratch[1] >= 2) {
		uint32_t more = get_le32(p + (wide ? 20 : 16));
		trace_set(r, COLUMN_OPERATION, more & 255);
		trace_set(r, COLUMN_TENANT, more >> 8);
	}
	return RC_OK;
}

static enum rc decode_lcs(struct trace_reader *r, struct err *e)
{
	enum rc rc = each_record(r, (size_t)r->scratch[0], one_lcs, e);
	if (!rc && r->block.n == 0 && r->scratch[2] > r->records)
		return trace_bad_record(r, e, "the file is truncated: its header promises %llu requests",
					(unsigned long long)r->scratch[2]);
	if (!rc && r->scratch[2] && r->records + r->block.n > r->scratch[2])
		return err_set(e, RC_INPUT, "%s: record %llu: the header promises only %llu requests", trace_name(r),
			       (unsigned long long)r->scratch[2] + 1, (unsigned long long)r->scratch[2]);
	return rc;
}

/* ---- vscsi; scratch: version */

static unsigned version_at(const unsigned char *p, unsigned offset)
{
	return p[offset + 1];
}

static enum rc begin_vscsi(struct trace_reader *r, struct err *e)
{
	const unsigned char *p;
	size_t n;
	enum rc rc = input_view(r->in, 80, &p, &n, e);
	if (rc)
		return rc;
	if (n >= 40 && version_at(p, 2) == 2 && (n < 80 || version_at(p + 40, 2) == 2))
		r->scratch[0] = 2;
	else if (n >= 32 && version_at(p, 14) == 1 && (n < 64 || version_at(p + 32, 14) == 1))
		r->scratch[0] = 1;
	else if (n)
		return err_set(e, RC_INPUT, "%s: record 1: not a vscsi trace (version 1 or 2)", trace_name(r));
	return RC_OK;
}

/* READ and WRITE of 6, 10, 12 and 16 bytes; 0: another command. */
static uint64_t scsi_operation(unsigned command)
{
	unsigned c = command & 0x1f;
	return c == 8 ? 12 : c == 10 ? 13 : 0;
}

static enum rc one_vscsi(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	bool two = r->scratch[0] == 2;
	if (version_at(p, two ? 2 : 14) != r->scratch[0])
		return trace_bad_record(r, e, "it is not of version %d", two ? 2 : 1);
	r->keys[i] = get_le64(p + 16);
	r->column[COLUMN_SIZE][i] = get_le32(p + (two ? 8 : 4));
	trace_set(r, COLUMN_TIME, get_le64(p + 24));
	trace_set(r, COLUMN_OPERATION, scsi_operation(p[two ? 0 : 12]));
	return RC_OK;
}

static enum rc decode_vscsi(struct trace_reader *r, struct err *e)
{
	return each_record(r, r->scratch[0] == 2 ? 40 : 32, one_vscsi, e);
}

/* Records without a mark, in units of so many bytes, with so many ticks a second. */
#define RECORDS(NAME, UNIT, TICKS)                                                                                     \
	.name = #NAME, .binary = true, .address_unit = UNIT, .ticks = TICKS, .decode = decode_##NAME
/* Keys alone could be anything. */
#define BARE(NAME) const struct trace_format format_##NAME = {RECORDS(NAME, 1, 0), .suffixes = {"." #NAME}}
BARE(u32);
BARE(u64);
BARE(u32be);
BARE(u64be);
const struct trace_format format_oracle = {
	RECORDS(oracle, 1, 1),
	.suffixes = {".oracleGeneral", ".oracleGeneral.bin", ".oracle"},
	.columns = HAS(SIZE) | HAS(TIME),
};
const struct trace_format format_lcs = {
	.name = "lcs",
	.suffixes = {".lcs"},
	.columns = HAS(SIZE) | HAS(TIME),
	.address_unit = 1,
	.ticks = 1,
	.sniff = sniff_lcs,
	.begin = begin_lcs,
	.decode = decode_lcs,
};
const struct trace_format format_twr = {
	RECORDS(twr, 1, 1),
	.suffixes = {".twr"},
	.columns = HAS(SIZE) | HAS(TIME) | HAS(OPERATION),
	.begin = begin_twr,
};
const struct trace_format format_vscsi = {
	RECORDS(vscsi, 512, 1000000),
	.suffixes = {".vscsi", ".vscsitrace", ".vscsi.bin"},
	.columns = HAS(SIZE) | HAS(TIME) | HAS(OPERATION),
	.begin = begin_vscsi,
};
