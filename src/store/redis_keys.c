/* SPDX-License-Identifier: MIT */
/* Records of a Redis server by their names: see redis_keys.h. */
#include "store/redis_keys.h"

#include <stdio.h>

enum rc redis_records(struct redis_link *l, double seconds, const struct record_name *names, size_t n, redisReply **out,
		      struct err *e)
{
	char at[RECORDS_AT_ONCE][sizeof RECORD_PREFIX + RECORD_NAME];
	struct redis_word words[1 + RECORDS_AT_ONCE] = {{"MGET", 4}};
	for (size_t i = 0; i < n; i++) {
		int len = snprintf(at[i], sizeof at[i], RECORD_PREFIX "%s", names[i].hex);
		words[1 + i] = (struct redis_word){at[i], (size_t)len};
	}
	redis_send(l, words, 1 + n);
	enum rc rc = redis_expect(l, seconds, REDIS_REPLY_ARRAY, out, e);
	if (rc == RC_OK && (*out)->elements != n) {
		freeReplyObject(*out);
		rc = err_set(e, RC_ENV, "the Redis server gives an answer of another length");
	}
	return rc;
}
