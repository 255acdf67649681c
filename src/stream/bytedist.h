/* SPDX-License-Identifier: MIT */
/* LRU stack distances in bytes: the bytes of all objects referenced since the last reference to this one, itself
 * included. A cache of at least so many bytes hits, if no object is larger than the cache and none changes its size. */
#ifndef STREAM_BYTEDIST_H
#define STREAM_BYTEDIST_H

#include <stddef.h>
#include <stdint.h>

struct bytedist;

/* For ids below n_ids. */
struct bytedist *bytedist_new(uint32_t n_ids);
/* One reference; its distance, UINT64_MAX for a first one. */
uint64_t bytedist_reference(struct bytedist *b, uint32_t id, uint64_t size);
void bytedist_free(struct bytedist *b);

#endif
