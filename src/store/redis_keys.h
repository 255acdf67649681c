/* SPDX-License-Identifier: MIT */
/* Under which names records stand on a Redis server (docs/protocol.md), and how several are asked for. */
#ifndef STORE_REDIS_KEYS_H
#define STORE_REDIS_KEYS_H

#include "store/record.h"
#include "store/redis_link.h"

#define RECORD_PREFIX "refrain:1:r:" /* before a record's name: the record */
#define LIST_PREFIX "refrain:1:i:"   /* before the name of an empty key: a sorted set of the identity's records */
#define NEWS_PREFIX "refrain:1:n:"   /* before the same: the channel on which puts are told */

enum { RECORDS_AT_ONCE = 64, MOST_NAMES = 1 << 24 };

/* Asks for the records of at most RECORDS_AT_ONCE names: an array of n strings, or nil for what is not there. */
enum rc redis_records(struct redis_link *l, double seconds, const struct record_name *names, size_t n, redisReply **out,
		      struct err *e);

#endif
