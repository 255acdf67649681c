/* SPDX-License-Identifier: MIT */
/* Standard input for several passes: a pipe's contents are kept while the first pass reads them. */
#ifndef PROFILE_SPOOL_H
#define PROFILE_SPOOL_H

#include "data/err.h"

#include <sys/types.h>

struct spool {
	off_t start; /* where standard input was, when it can be read again; −1 otherwise */
	int file;    /* what was read, or −1 */
	pid_t relay; /* 0: none */
};

/* Before the first pass. Standard input may be another descriptor from then on. */
enum rc spool_begin(struct spool *s, struct err *e);
/* After it: the next passes read what the first one was given. */
void spool_end(struct spool *s);
/* Before each further pass. */
void spool_rewind(const struct spool *s);

#endif
