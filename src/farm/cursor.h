/* SPDX-License-Identifier: MIT */
/* Reading messages that somebody else wrote: every read is bounded, the first failure makes all later ones fail. */
#ifndef FARM_CURSOR_H
#define FARM_CURSOR_H

#include "base/varint.h"
#include "data/buf.h"

#include <stdbool.h>

struct cursor {
	const unsigned char *at;
	size_t left;
	bool bad;
};

static inline uint64_t cursor_number(struct cursor *c)
{
	uint64_t v = 0;
	size_t n = c->bad ? 0 : varint_get(c->at, c->left, &v);
	if (!n) {
		c->bad = true;
		return 0;
	}
	c->at += n;
	c->left -= n;
	return v;
}

/* n bytes, or NULL. */
static inline const unsigned char *cursor_bytes(struct cursor *c, uint64_t n)
{
	if (c->bad || n > c->left) {
		c->bad = true;
		return NULL;
	}
	const unsigned char *p = c->at;
	c->at += n;
	c->left -= n;
	return p;
}

static inline void put_number(struct buf *b, uint64_t v)
{
	unsigned char bytes[VARINT_MAX];
	buf_add(b, bytes, varint_put(bytes, v));
}

static inline void put_counted(struct buf *b, const void *p, size_t n)
{
	put_number(b, n);
	buf_add(b, p, n);
}

#endif
