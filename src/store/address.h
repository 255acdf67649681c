/* SPDX-License-Identifier: MIT */
/* Where a store on a network is, and the parameters that come after '?' in its URI.
 *
 *   redis://[USER@]HOST[:PORT][/DATABASE][?PARAMETERS]
 *   unix:PATH[?PARAMETERS]
 *   http[s]://HOST[:PORT]/PREFIX[?PARAMETERS]
 *
 * A password in a URI is refused: command lines and logs are read by others. It comes from a file or the
 * environment. */
#ifndef STORE_ADDRESS_H
#define STORE_ADDRESS_H

#include "data/buf.h"
#include "data/err.h"

struct address {
	char *user, *host; /* NULL: none */
	unsigned port;
	char *path;          /* of a socket, or of a URL; NULL: none */
	unsigned database;   /* Redis */
	unsigned ttl;        /* seconds until a record expires; 0: never */
	unsigned timeout_ms; /* for one operation */
	unsigned flags;      /* STORE_READONLY, STORE_FROZEN or STORE_WRITEONLY from mode= */
};

/* rest is what follows the scheme's colon. RC_INPUT for what is not understood. Release the address in any case. */
enum rc address_redis(struct address *a, const char *rest, struct err *e);
enum rc address_unix(struct address *a, const char *rest, struct err *e);
enum rc address_http(struct address *a, const char *rest, struct err *e);
void address_release(struct address *a);

/* The secret of the environment variable NAME, or of the file that NAME_FILE names (its first line); empty when neither
 * is set. */
enum rc address_secret(struct buf *out, const char *name, struct err *e);

#endif
