/* SPDX-License-Identifier: MIT */
/* A small process that puts the terminal back when this one ends without doing so: after a crash or kill −9 nobody
 * else can. It knows that we are gone when its pipe is closed; it has a session of its own, so that keys and hang-ups
 * of the terminal do not reach it. */
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

struct guard;

/* Remembers how standard error's terminal is set; leave is what is written to it then. NULL when that cannot be. */
struct guard *guard_start(const char *leave);
/* The terminal is back already, or will be: the process goes. */
void guard_stop(struct guard *g);

#endif
