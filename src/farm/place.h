/* SPDX-License-Identifier: MIT */
/* The server a farm meets at: a Redis server, as a store's. */
#ifndef FARM_PLACE_H
#define FARM_PLACE_H

#include "farm/sign.h"
#include "store/address.h"

/* Parses "redis://…" or "unix:…". Whoever reaches the server can send work: RC_INPUT without a key unless only this
 * machine can. Release the address in any case. */
enum rc place_parse(struct address *a, const char *uri, const struct sign_key *k, struct err *e);

#endif
