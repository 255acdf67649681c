/* SPDX-License-Identifier: MIT */
/* One connection to a Redis server on which nothing waits for longer than it was told to.
 *
 * hiredis formats commands and parses replies; the socket never blocks, and every wait has an end. After a failure
 * the link is of no more use: close it and open another. */
#ifndef STORE_REDIS_LINK_H
#define STORE_REDIS_LINK_H

#include "data/buf.h"
#include "data/err.h"
#include "store/address.h"

#include <hiredis/hiredis.h>

struct redis_link;

/* One word of a command. */
struct redis_word {
	const void *at;
	size_t n;
};

/* Connects, gives the password (RF_STORE_PASSWORD) and chooses the database, all within the address's time-out.
 * RC_INPUT when the server refuses user, password or database, RC_ENV when it cannot be reached. A host's name is
 * looked up by the system, which has time-outs of its own. */
enum rc redis_link_open(struct redis_link **out, const struct address *a, struct err *e);
/* Opens several, n of them, to where out[i] points; on failure all of these are NULL. */
enum rc redis_links_open(struct redis_link **const *out, size_t n, const struct address *a, struct err *e);
void redis_link_close(struct redis_link *l);
int redis_link_fd(const struct redis_link *l);

/* Queues a command; its reply must be received, in the order of the commands. */
void redis_send(struct redis_link *l, const struct redis_word *words, size_t n);
void redis_send_text(struct redis_link *l, const char *word, ...) __attribute__((sentinel));
/* The same as a line of text ("inline command"), which is half as long on the wire; with words that are not plain
 * (letters, digits, -_:.>) it is redis_send. */
void redis_send_line(struct redis_link *l, const struct redis_word *words, size_t n);
/* Writes what is queued. */
enum rc redis_flush(struct redis_link *l, double seconds, struct err *e);
/* The next reply, for freeReplyObject. RC_NO when none came in this time; the link stays usable. */
enum rc redis_receive(struct redis_link *l, double seconds, redisReply **out, struct err *e);
/* The next reply, which must be of this REDIS_REPLY_ type, or nil for a string; an error of the server, or no reply
 * in time, is RC_ENV. */
enum rc redis_expect(struct redis_link *l, double seconds, int type, redisReply **out, struct err *e);

#endif
