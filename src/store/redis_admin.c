/* SPDX-License-Identifier: MIT */
/* A Redis store seen from outside: every record of every identity, pruning. See admin.h.
 *
 * The server lists its keys in no order and may list one twice, so the names are collected and sorted first, then the
 * records are read once for their times and again, oldest first, for whoever asked. Others go on using the server
 * meanwhile: what they put after the listing is not seen, what expires is left out. A record that stands under
 * another name than its own is damaged: no get will ever find it. */
#include "store/redis_keys.h"

#include "data/vec.h"
#include "store/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REMOVED_AT_ONCE = 256 };

struct redis_admin {
	struct address address;
	struct redis_link *link;
};

struct entry {
	struct record_name name, list; /* list: of its identity; empty when damage hides that */
	int64_t time;
	uint64_t bytes;
};

struct entries {
	VEC(struct record_name) names;
	VEC(struct entry) all;
	const struct store_prune *what; /* NULL: all */
};

typedef bool (*named_fn)(void *user, const struct record_name *name, const struct store_record *r);

static double seconds(const struct redis_admin *a)
{
	return a->address.timeout_ms / 1000.0;
}

static void admin_close(void *state)
{
	struct redis_admin *a = state;
	redis_link_close(a->link);
	address_release(&a->address);
	free(a);
}

static enum rc open_at(enum rc (*parse)(struct address *, const char *, struct err *), void **state, const char *place,
		       bool write, struct err *e)
{
	struct redis_admin *a = mem_zalloc(sizeof *a);
	enum rc rc = parse(&a->address, place, e);
	if (rc == RC_OK && write && (a->address.flags & STORE_READONLY))
		rc = err_set(e, RC_INPUT, "nothing is removed from a store with mode=read or mode=frozen");
	if (rc == RC_OK)
		rc = redis_link_open(&a->link, &a->address, e);
	if (rc == RC_OK)
		*state = a;
	else
		admin_close(a);
	return rc;
}

static enum rc open_server(void **state, const char *place, bool write, struct err *e)
{
	return open_at(address_redis, state, place, write, e);
}

static enum rc open_socket(void **state, const char *place, bool write, struct err *e)
{
	return open_at(address_unix, state, place, write, e);
}

/* ---- reading */

/* One answer to SCAN: the next cursor and some keys. */
static enum rc take_keys(const redisReply *reply, char *cursor, size_t size, struct entries *to, struct err *e)
{
	const size_t prefix = sizeof RECORD_PREFIX - 1;
	if (reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING || reply->element[0]->len >= size ||
	    reply->element[1]->type != REDIS_REPLY_ARRAY)
		return err_set(e, RC_ENV, "the Redis server gives an answer of another kind");
	memcpy(cursor, reply->element[0]->str, reply->element[0]->len + 1);
	for (size_t i = 0; i < reply->element[1]->elements; i++) {
		const redisReply *key = reply->element[1]->element[i];
		struct record_name name = {{0}};
		if (key->type != REDIS_REPLY_STRING || key->len != prefix + RECORD_NAME)
			continue;
		memcpy(name.hex, key->str + prefix, RECORD_NAME);
		vec_push(&to->names, name);
	}
	return to->names.n <= MOST_NAMES ? RC_OK : err_set(e, RC_ENV, "more than %d records", MOST_NAMES);
}

static int compare_names(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct record_name));
}

static enum rc list_records(const struct redis_admin *a, struct entries *to, struct err *e)
{
	char cursor[32] = "0";
	enum rc rc;
	do {
		redisReply *reply;
		redis_send_text(a->link, "SCAN", cursor, "MATCH", RECORD_PREFIX "*", "COUNT", "1000", NULL);
		rc = redis_expect(a->link, seconds(a), REDIS_REPLY_ARRAY, &reply, e);
		if (rc != RC_OK)
			return rc;
		rc = take_keys(reply, cursor, sizeof cursor, to, e);
		freeReplyObject(reply);
	} while (rc == RC_OK && strcmp(cursor, "0") != 0);
	if (rc != RC_OK || !to->names.n)
		return rc;
	qsort(to->names.at, to->names.n, sizeof *to->names.at, compare_names);
	size_t kept = 1;
	for (size_t i = 1; i < to->names.n; i++)
		if (compare_names(&to->names.at[i], &to->names.at[kept - 1]) != 0)
			to->names.at[kept++] = to->names.at[i];
	to->names.n = kept;
	return RC_OK;
}

static bool give(const struct record_name *name, const redisReply *x, named_fn fn, void *user)
{
	struct store_record r;
	char engine[RECORD_ENGINE];
	if (x->type != REDIS_REPLY_STRING)
		return true; /* it has expired, or is no record */
	if (record_read(x->str, x->len, &r, engine)) {
		struct record_name own = record_name(&r.id, r.key, r.key_len);
		r.damaged = compare_names(&own, name) != 0;
	} else {
		r = (struct store_record){
			.id.engine = "", .key = "", .value = x->str, .value_len = x->len, .damaged = true};
	}
	return fn(user, name, &r);
}

/* Reads the records of names, in their order. */
static enum rc read_records(const struct redis_admin *a, const struct record_name *names, size_t n, named_fn fn,
			    void *user, struct err *e)
{
	bool more = true;
	enum rc rc = RC_OK;
	for (size_t i = 0; rc == RC_OK && more && i < n; i += RECORDS_AT_ONCE) {
		redisReply *reply;
		size_t some = n - i < RECORDS_AT_ONCE ? n - i : RECORDS_AT_ONCE;
		rc = redis_records(a->link, seconds(a), names + i, some, &reply, e);
		if (rc != RC_OK)
			break;
		for (size_t k = 0; more && k < some; k++)
			more = give(&names[i + k], reply->element[k], fn, user);
		freeReplyObject(reply);
	}
	return rc;
}

static bool note_entry(void *user, const struct record_name *name, const struct store_record *r)
{
	struct entries *to = user;
	if (to->what && !store_prune_meets(to->what, r))
		return true;
	struct entry entry = {.name = *name, .time = r->time, .bytes = r->key_len + r->value_len};
	if (*r->id.engine)
		entry.list = record_name(&r->id, "", 0);
	vec_push(&to->all, entry);
	return true;
}

static int older_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->time != y->time ? (x->time < y->time ? -1 : 1) : compare_names(&x->name, &y->name);
}

/* The records that are wanted, oldest first. */
static enum rc find_entries(const struct redis_admin *a, struct entries *to, struct err *e)
{
	enum rc rc = list_records(a, to, e);
	if (rc == RC_OK)
		rc = read_records(a, to->names.at, to->names.n, note_entry, to, e);
	if (rc == RC_OK && to->all.n)
		qsort(to->all.at, to->all.n, sizeof *to->all.at, older_first);
	return rc;
}

static void entries_release(struct entries *s)
{
	vec_release(&s->names);
	vec_release(&s->all);
}

struct reader {
	store_record_fn fn;
	void *user;
};

static bool pass_on(void *user, const struct record_name *name, const struct store_record *r)
{
	const struct reader *to = user;
	(void)name;
	return to->fn(to->user, r);
}

static enum rc admin_each(void *state, store_record_fn fn, void *user, struct err *e)
{
	const struct redis_admin *a = state;
	struct entries found = {.what = NULL};
	struct reader to = {fn, user};
	enum rc rc = find_entries(a, &found, e);
	for (size_t i = 0; i < found.all.n; i++)
		found.names.at[i] = found.all.at[i].name;
	if (rc == RC_OK)
		rc = read_records(a, found.names.at, found.all.n, pass_on, &to, e);
	entries_release(&found);
	return rc;
}

/* The server keeps its own structures; ours are the records, which admin_each looks at. */
static enum rc admin_check(void *state, struct buf *problems, struct err *e)
{
	(void)state, (void)problems, (void)e;
	return RC_OK;
}

/* ---- removing */

/* How many bytes the server has allocated; 0 when it does not say. */
static enum rc memory_used(const struct redis_admin *a, uint64_t *out, struct err *e)
{
	static const char name[] = "used_memory:";
	redisReply *reply;
	redis_send_text(a->link, "INFO", "memory", NULL);
	enum rc rc = redis_expect(a->link, seconds(a), REDIS_REPLY_STRING, &reply, e);
	if (rc != RC_OK)
		return rc;
	const char *at = reply->type == REDIS_REPLY_STRING ? strstr(reply->str, name) : NULL;
	*out = at ? strtoull(at + sizeof name - 1, NULL, 10) : 0;
	freeReplyObject(reply);
	return RC_OK;
}

static void send_removal(const struct redis_admin *a, const struct entry *entry)
{
	char key[sizeof RECORD_PREFIX + RECORD_NAME], list[sizeof LIST_PREFIX + RECORD_NAME];
	snprintf(key, sizeof key, RECORD_PREFIX "%s", entry->name.hex);
	snprintf(list, sizeof list, LIST_PREFIX "%s", entry->list.hex);
	redis_send_text(a->link, "DEL", key, NULL);
	redis_send_text(a->link, "ZREM", list, entry->name.hex, NULL);
}

static enum rc remove_some(const struct redis_admin *a, const struct entry *entries, size_t n, struct store_pruned *out,
			   struct err *e)
{
	enum rc rc = RC_OK;
	for (size_t i = 0; i < n; i++)
		send_removal(a, &entries[i]);
	for (size_t i = 0; rc == RC_OK && i < 2 * n; i++) {
		redisReply *reply;
		rc = redis_expect(a->link, seconds(a), REDIS_REPLY_INTEGER, &reply, e);
		if (rc != RC_OK)
			break;
		if (i % 2 == 0 && reply->integer > 0) {
			out->entries++;
			out->bytes += entries[i / 2].bytes;
		}
		freeReplyObject(reply);
	}
	return rc;
}

static enum rc admin_prune(void *state, const struct store_prune *what, struct store_pruned *out, struct err *e)
{
	const struct redis_admin *a = state;
	struct entries found = {.what = what};
	uint64_t kept = 0;
	*out = (struct store_pruned){.entries = 0};
	enum rc rc = memory_used(a, &out->file_before, e);
	if (rc == RC_OK)
		rc = find_entries(a, &found, e);
	/* the newest may stay */
	while (what->keep_bytes && found.all.n && kept + vec_last(&found.all).bytes <= what->keep_bytes)
		kept += found.all.at[--found.all.n].bytes;
	for (size_t i = 0; rc == RC_OK && i < found.all.n; i += REMOVED_AT_ONCE) {
		size_t n = found.all.n - i < REMOVED_AT_ONCE ? found.all.n - i : REMOVED_AT_ONCE;
		rc = remove_some(a, found.all.at + i, n, out, e);
	}
	entries_release(&found);
	return rc == RC_OK ? memory_used(a, &out->file_after, e) : rc;
}

#define REDIS_ADMIN(function)                                                                                          \
	{                                                                                                              \
		.open = function, .each = admin_each, .check = admin_check, .prune = admin_prune, .close = admin_close \
	}

const struct store_admin_ops store_redis_admin = REDIS_ADMIN(open_server);
const struct store_admin_ops store_redis_socket_admin = REDIS_ADMIN(open_socket);
