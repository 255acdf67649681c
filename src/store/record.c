/* SPDX-License-Identifier: MIT */
/* Records on the wire: see record.h. All numbers are varints except the checksum, eight bytes, low ones first:
 *
 *   "RFR1" time engine's length, engine, schema, scope (32 bytes), key's length, key, value's length, value, sum */
#include "store/record.h"

#include "base/varint.h"
#include "store/backend.h"

#include <string.h>

static const char magic[4] = {'R', 'F', 'R', '1'};

struct record_name record_name(const struct store_id *id, const void *key, size_t key_len)
{
	struct record_name name;
	unsigned char schema[VARINT_MAX];
	struct digest_parts *d = digest_parts_new();
	digest_parts_str(d, "refrain record");
	digest_parts_str(d, id->engine);
	digest_parts_add(d, schema, varint_put(schema, id->schema));
	digest_parts_add(d, id->scope.byte, sizeof id->scope.byte);
	digest_parts_add(d, key, key_len);
	struct digest256 sum = digest_parts_end(d);
	digest_hex(sum.byte, sizeof sum.byte, name.hex);
	return name;
}

static void add_number(struct buf *out, uint64_t v)
{
	unsigned char bytes[VARINT_MAX];
	buf_add(out, bytes, varint_put(bytes, v));
}

static void add_part(struct buf *out, const void *p, size_t n)
{
	add_number(out, n);
	buf_add(out, p, n);
}

void record_write(struct buf *out, const struct store_id *id, int64_t time, const void *key, size_t key_len,
		  const void *value, size_t value_len)
{
	uint64_t sum = store_sum(store_seed(id), key, key_len, value, value_len);
	unsigned char tail[8];
	buf_add(out, magic, sizeof magic);
	add_number(out, time < 0 ? 0 : (uint64_t)time);
	add_part(out, id->engine, strlen(id->engine));
	add_number(out, id->schema);
	buf_add(out, id->scope.byte, sizeof id->scope.byte);
	add_part(out, key, key_len);
	add_part(out, value, value_len);
	for (unsigned i = 0; i < sizeof tail; i++)
		tail[i] = (unsigned char)(sum >> (8 * i));
	buf_add(out, tail, sizeof tail);
}

/* What is left of a record that is being read. */
struct rest {
	const unsigned char *at;
	size_t n;
};

static bool take(struct rest *r, size_t n, const void **out)
{
	if (n > r->n)
		return false;
	*out = r->at;
	r->at += n;
	r->n -= n;
	return true;
}

static bool take_number(struct rest *r, uint64_t *out)
{
	const void *ignored;
	size_t n = varint_get(r->at, r->n, out);
	return n && take(r, n, &ignored);
}

static bool take_part(struct rest *r, const void **p, size_t *n)
{
	uint64_t len;
	if (!take_number(r, &len) || len > r->n)
		return false;
	*n = (size_t)len;
	return take(r, *n, p);
}

bool record_read(const void *bytes, size_t n, struct store_record *r, char engine[RECORD_ENGINE])
{
	struct rest rest = {bytes, n};
	const void *head, *name, *scope, *tail;
	size_t name_len;
	uint64_t time, schema, sum = 0;
	*r = (struct store_record){.time = 0};
	if (!take(&rest, sizeof magic, &head) || memcmp(head, magic, sizeof magic) != 0 || !take_number(&rest, &time) ||
	    time > INT64_MAX || !take_part(&rest, &name, &name_len) || name_len >= RECORD_ENGINE ||
	    memchr(name, 0, name_len) || !take_number(&rest, &schema) || schema > UINT32_MAX ||
	    !take(&rest, sizeof r->id.scope.byte, &scope) || !take_part(&rest, &r->key, &r->key_len) ||
	    !take_part(&rest, &r->value, &r->value_len) || !take(&rest, 8, &tail) || rest.n)
		return false;
	memcpy(engine, name, name_len);
	engine[name_len] = 0;
	r->time = (int64_t)time;
	r->id.engine = engine;
	r->id.schema = (unsigned)schema;
	memcpy(r->id.scope.byte, scope, sizeof r->id.scope.byte);
	for (unsigned i = 0; i < 8; i++)
		sum |= (uint64_t)((const unsigned char *)tail)[i] << (8 * i);
	return sum == store_sum(store_seed(&r->id), r->key, r->key_len, r->value, r->value_len);
}

bool record_is_of(const struct store_record *r, const struct store_id *id)
{
	return strcmp(r->id.engine, id->engine) == 0 && r->id.schema == id->schema &&
	       memcmp(&r->id.scope, &id->scope, sizeof id->scope) == 0;
}

enum rc record_value(const void *bytes, size_t n, const struct store_id *id, const void *key, size_t key_len,
		     struct buf *out, uint64_t *damaged)
{
	struct store_record r;
	char engine[RECORD_ENGINE];
	if (!record_read(bytes, n, &r, engine) || !record_is_of(&r, id) || r.key_len != key_len ||
	    (key_len && memcmp(r.key, key, key_len) != 0)) {
		++*damaged;
		return RC_NO;
	}
	buf_add(out, r.value, r.value_len);
	return RC_OK;
}
