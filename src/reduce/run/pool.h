/* SPDX-License-Identifier: MIT */
/* Threads that test texts with the caller's function: at most one text per slot, answers in any order. All functions
 * are for one thread, the one that made the pool; the test is called by the others. */
#ifndef REDUCE_RUN_POOL_H
#define REDUCE_RUN_POOL_H

#include "data/buf.h"
#include "data/err.h"

#include <stdbool.h>

struct pool;

/* > 0 interesting, 0 not, < 0 stop the run. */
typedef int (*pool_test)(void *user, const struct buf *text);

enum rc pool_new(struct pool **out, unsigned threads, unsigned slots, pool_test test, void *user, struct err *e);
/* The text stays the caller's and must not change before the slot is answered or cancelled. */
void pool_start(struct pool *p, unsigned slot, const struct buf *text);
/* Takes one answer, waiting for it if block; false: there is none yet. */
bool pool_wait(struct pool *p, bool block, unsigned *slot, int *answer);
/* A test that runs is waited for, its answer dropped. */
void pool_cancel(struct pool *p, unsigned slot);
/* Waits for tests that run. */
void pool_free(struct pool *p);

#endif
