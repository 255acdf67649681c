/* SPDX-License-Identifier: MIT */
/* store_lies SOCKET ENGINE: turns every answer of an engine in a Redis store into a lie, with names and checksums
 * that hold, as somebody would who may write to the server. reduce: every verdict becomes its contrary. smt: every
 * core loses all but its first assertion. Prints how many there were. */
#include "base/bits.h"
#include "store/record.h"
#include "store/redis_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static redisReply *ask(struct redis_link *l, const struct redis_word *words, size_t n)
{
	redisReply *reply;
	struct err e = ERR_INIT;
	redis_send(l, words, n);
	if (redis_receive(l, 60, &reply, &e) != RC_OK) {
		fprintf(stderr, "store_lies: %s\n", e.text);
		exit(3);
	}
	return reply;
}

/* The lie to tell instead of a value; false when there is none. */
static bool lie(const struct store_record *r, struct buf *out)
{
	const char *value = r->value;
	if (strcmp(r->id.engine, "reduce-shared") == 0 && r->value_len == 1) {
		buf_char(out, value[0] == '1' ? '0' : '1');
		return true;
	}
	if (strcmp(r->id.engine, "smt") != 0 || !r->key_len || *(const char *)r->key != 'c')
		return false;
	struct buf text = {0};
	buf_add(&text, value, r->value_len);
	const char *first = strstr(buf_str(&text), "(assert"), *second = first ? strstr(first + 1, "(assert") : NULL;
	if (second)
		buf_add(out, text.at, (size_t)(second - text.at));
	buf_release(&text);
	return second != NULL;
}

static bool turn(struct redis_link *l, const char *name, const char *engine)
{
	struct store_record r;
	char owner[RECORD_ENGINE];
	struct buf value = {0}, record = {0};
	redisReply *old = ask(l, (struct redis_word[]){{"GET", 3}, {name, strlen(name)}}, 2);
	bool turned = old->type == REDIS_REPLY_STRING && record_read(old->str, old->len, &r, owner) &&
		      strcmp(owner, engine) == 0 && lie(&r, &value);
	if (turned) {
		record_write(&record, &r.id, r.time, r.key, r.key_len, value.at, value.n);
		freeReplyObject(
			ask(l, (struct redis_word[]){{"SET", 3}, {name, strlen(name)}, {record.at, record.n}}, 3));
	}
	freeReplyObject(old);
	buf_release(&value);
	buf_release(&record);
	return turned;
}

int main(int argc, char **argv)
{
	struct redis_link *l;
	struct err e = ERR_INIT;
	unsigned turned = 0;
	if (argc != 3)
		return 2;
	struct address at = {.path = argv[1], .timeout_ms = 20000};
	if (redis_link_open(&l, &at, &e) != RC_OK) {
		fprintf(stderr, "store_lies: %s\n", e.text);
		return 3;
	}
	redisReply *names = ask(l, (struct redis_word[]){{"KEYS", 4}, {"refrain:1:r:*", 13}}, 2);
	for (size_t i = 0; i < names->elements; i++)
		turned += turn(l, names->element[i]->str, argv[2]);
	freeReplyObject(names);
	redis_link_close(l);
	printf("%u\n", turned);
	return 0;
}
