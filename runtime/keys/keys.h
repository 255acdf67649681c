/* SPDX-License-Identifier: MIT */
/* The key stream of a cache that lives in somebody else's process: little-endian 64-bit keys, one after the other
 * (what `refrain trace` calls u64), so that a program that dies still leaves a usable file. libc only; errors end
 * the stream silently. Not thread-safe: the owner locks. */
#ifndef KEYS_KEYS_H
#define KEYS_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct rt_keys;

/* folder/name.u64; NULL when it cannot be created or the name has other bytes than letters, digits, '-', '_', '.'. */
struct rt_keys *rt_keys_open(const char *folder, const char *name);
void rt_keys_add(struct rt_keys *k, uint64_t key); /* k may be NULL */
void rt_keys_close(struct rt_keys *k);             /* k may be NULL */

#endif
