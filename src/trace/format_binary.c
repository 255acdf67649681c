/* SPDX-License-Identifier: MIT */
/* Binary formats of fixed-size little-endian records.
 *
 *	u32, u64   keys alone
 *	oracle     libCacheSim's oracleGeneral: u32 time, u64 id, u32 size, i64 next access (1-based index, −1: none)
 *	twr        u32 time, u64 id, u32 key size (10 high bits), value size (22 low bits), u32 operation and TTL
 *	lcs        a header of 8192 bytes (1024 in old files) between two magic numbers, the version at offset 8 and
 *	           the number of requests at 24; the version decides the record: 1 as oracle; 2 has operation and
 *	           tenant, from 3 on sizes have 64 bits, later ones append features
 *	vscsi      v1: u32 serial, u32 length, u32 segments, u16 command, u16 version, u64 block, u64 time;
 *	           v2: u16 command, u16 version, then as v1 from serial to time, u64 response time.
 *	           The version's high byte is 1 or 2, in every record. Blocks have 512 bytes. */
#include "trace/formats.h"

#include "base/varint.h"

#include <string.h>

#define LCS_MAGIC 0x123456789abcdef0u

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

static enum rc one_u32(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	(void)e;
	r->keys[i] = get_le32(p);
	return RC_OK;
}

static enum rc decode_u32(struct trace_reader *r, struct err *e)
{
	return each_record(r, 4, one_u32, e);
}

static enum rc one_oracle(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	(void)e;
	r->keys[i] = get_le64(p + 4);
	r->sizes[i] = get_le32(p + 12);
	return RC_OK;
}

static enum rc decode_oracle(struct trace_reader *r, struct err *e)
{
	return each_record(r, 24, one_oracle, e);
}

static enum rc one_twr(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	uint32_t sizes = get_le32(p + 12);
	(void)e;
	r->keys[i] = get_le64(p + 4);
	r->sizes[i] = (sizes >> 22) + (sizes & 0x3fffff);
	return RC_OK;
}

static enum rc decode_twr(struct trace_reader *r, struct err *e)
{
	return each_record(r, 20, one_twr, e);
}

/* ---- lcs; scratch: record size, whether sizes have 64 bits, requests */

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
	r->scratch[1] = version >= 3;
	r->scratch[2] = get_le64(p + 24);
	input_skip(r->in, n >= 8192 && get_le64(p + 8184) == LCS_MAGIC ? 8192 : 1024);
	return RC_OK;
}

static enum rc one_lcs(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	uint64_t bytes = r->scratch[1] ? get_le64(p + 12) : get_le32(p + 12);
	if (bytes > UINT32_MAX)
		return trace_bad_record(r, e, "an object of %llu bytes is too large", (unsigned long long)bytes);
	r->keys[i] = get_le64(p + 4);
	r->sizes[i] = (uint32_t)bytes;
	return RC_OK;
}

static enum rc decode_lcs(struct trace_reader *r, struct err *e)
{
	enum rc rc = each_record(r, (size_t)r->scratch[0], one_lcs, e);
	if (!rc && r->block.n == 0 && r->scratch[2] > r->records)
		return trace_bad_record(r, e, "the file is truncated: its header promises %llu requests",
					(unsigned long long)r->scratch[2]);
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

static enum rc one_vscsi(struct trace_reader *r, size_t i, const unsigned char *p, struct err *e)
{
	bool two = r->scratch[0] == 2;
	if (version_at(p, two ? 2 : 14) != r->scratch[0])
		return trace_bad_record(r, e, "it is not of version %d", two ? 2 : 1);
	r->keys[i] = get_le64(p + 16);
	r->sizes[i] = get_le32(p + (two ? 8 : 4));
	return RC_OK;
}

static enum rc decode_vscsi(struct trace_reader *r, struct err *e)
{
	return each_record(r, r->scratch[0] == 2 ? 40 : 32, one_vscsi, e);
}

const struct trace_format format_u64 = {.name = "u64", .suffixes = {".u64"}, .address_unit = 1, .decode = decode_u64};
const struct trace_format format_u32 = {.name = "u32", .suffixes = {".u32"}, .address_unit = 1, .decode = decode_u32};
const struct trace_format format_oracle = {
	.name = "oracle",
	.suffixes = {".oracleGeneral", ".oracleGeneral.bin", ".oracle"},
	.sizes = true,
	.address_unit = 1,
	.decode = decode_oracle,
};
const struct trace_format format_lcs = {
	.name = "lcs",
	.suffixes = {".lcs"},
	.sizes = true,
	.address_unit = 1,
	.sniff = sniff_lcs,
	.begin = begin_lcs,
	.decode = decode_lcs,
};
const struct trace_format format_twr = {
	.name = "twr", .suffixes = {".twr"}, .sizes = true, .address_unit = 1, .decode = decode_twr};
const struct trace_format format_vscsi = {
	.name = "vscsi",
	.suffixes = {".vscsi", ".vscsitrace", ".vscsi.bin"},
	.sizes = true,
	.address_unit = 512,
	.begin = begin_vscsi,
	.decode = decode_vscsi,
};
