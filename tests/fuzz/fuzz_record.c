/* SPDX-License-Identifier: MIT */
/* Records and addresses of stores on servers. A record that is accepted is written again and must be the same
 * bytes, and answers for its own key and no other; an address is accepted or refused, never more. */
#include "store/address.h"
#include "store/record.h"

#include <stdlib.h>
#include <string.h>

static void try_record(const uint8_t *data, size_t n)
{
	struct store_record r;
	char engine[RECORD_ENGINE];
	struct buf again = {0}, value = {0};
	uint64_t damaged = 0;
	if (!record_read(data, n, &r, engine))
		return;
	record_write(&again, &r.id, r.time, r.key, r.key_len, r.value, r.value_len);
	struct store_record second;
	char other[RECORD_ENGINE];
	/* a varint may be longer than it need be: compare what was read */
	if (!record_read(again.at, again.n, &second, other) || strcmp(engine, other) != 0 ||
	    second.value_len != r.value_len || second.time != r.time)
		abort();
	if (record_value(data, n, &r.id, r.key, r.key_len, &value, &damaged) != RC_OK || value.n != r.value_len)
		abort();
	if (r.key_len && record_value(data, n, &r.id, r.key, r.key_len - 1, &value, &damaged) != RC_NO)
		abort();
	buf_release(&again);
	buf_release(&value);
}

static void try_address(const uint8_t *data, size_t n)
{
	struct address a;
	char *text = mem_strndup((const char *)data, n);
	address_redis(&a, text, NULL);
	address_release(&a);
	address_unix(&a, text, NULL);
	address_release(&a);
	address_http(&a, text, NULL);
	address_release(&a);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	try_record(data, n);
	try_address(data, n);
	return 0;
}
