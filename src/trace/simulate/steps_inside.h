/* SPDX-License-Identifier: MIT */
/* Inside of steps.c: the words of a block and the caches' queues of ids, in order of arrival, with the size each came
 * with when the limit is in bytes. */
#ifndef TRACE_STEPS_INSIDE_H
#define TRACE_STEPS_INSIDE_H

#include "base/bits.h"
#include "trace/simulate/steps.h"
#include "trace/simulate/steps_lfu.h"

#include <stddef.h>
#include <string.h>

enum {
	PRESENT,
	MARK,
	SMALL = PRESENT,
	MAIN,
	GHOST,
	COUNT_LOW,
	COUNT_HIGH,
	STALE_LOW,
	STALE_HIGH,
	WORDS = 8
}; /* of S3-FIFO: a cache line */
enum { NO_HAND = -1 };
#define NO_ID UINT32_MAX
#define CHANGED UINT64_MAX

/* A queue in a ring; at[i & (room − 1)] for i from first to end are its entries, oldest first. */
struct ring {
	uint32_t *at;
	uint64_t *size; /* by bytes only */
	uint64_t first, end;
	uint64_t room;   /* a power of two, or 0 */
	uint64_t weight; /* by bytes, and of ghosts: of its entries that count */
};

/* SIEVE's queue: entries from … end of an array, older first, NO_ID where one was taken out. */
struct sieve {
	uint32_t *at;
	uint64_t *size;
	int64_t room, from, end, live, hand;
};

/* The queues of a cache of few blocks: arrays from which an entry is taken by moving the newer ones down, at a cost
 * that does not depend on how many there are. Small caches miss most often, and a branch that cannot be foreseen is
 * dear. */
enum { TINY = 16, TINY_ROOM = 2 * TINY, TINY_GHOSTS = 4 * TINY };
struct tiny {
	uint32_t first[2], end[2]; /* of rings of TINY_ROOM: S3-FIFO's small and main */
	uint32_t queue[2][TINY_ROOM];
	uint32_t gone_first, gone_end;
	uint32_t gone[TINY_GHOSTS + TINY_ROOM]; /* NO_ID behind the end */
};

struct cache {
	uint64_t limit, used, misses, miss_bytes;
	uint64_t main, ghosts;      /* S3-FIFO: most of these */
	struct ring queue[2], gone; /* S3-FIFO: small and main, ghosts; others have queue[0] */
	struct sieve sieve;
	struct lfu_queue lfu;
	struct rng rng;    /* RANDOM */
	struct tiny *tiny; /* of at most TINY blocks: these instead */
};

struct steps {
	void (*run)(struct steps *s, const struct policy_refs *r);
	unsigned n, words, width;
	bool bytes, lfu;
	uint64_t all, tiny;  /* a bit for each cache, and for each that has few blocks */
	void *word;          /* `words` of `width` bytes per id */
	struct lfu_use *use; /* LFU: per id */
	uint64_t now;        /* LFU: references so far */
	uint64_t *size_of;   /* per id, S3-FIFO by bytes: its size + 1, or CHANGED when it had several */
	size_t n_ids;
	bool near; /* the words are few: fetching ahead costs more than it saves */
	struct cache cache[STEPS_MOST];
};

/* How a policy is simulated with words of one width. */
struct steps_kind {
	const char *policy;
	unsigned least; /* caches; fewer are faster alone */
	unsigned words;
	void (*blocks)(struct steps *s, const struct policy_refs *r);
	void (*bytes)(struct steps *s, const struct policy_refs *r);
};
enum { STEPS_KINDS = 6, STEPS_FEW = 8 };
/* For up to STEPS_FEW and up to STEPS_MOST caches. */
extern const struct steps_kind steps_few[STEPS_KINDS], steps_many[STEPS_KINDS];

#define INLINE static inline __attribute__((always_inline))

/* ---- few blocks */

/* Takes at[0] out of a queue that has fewer than TINY entries more; 2 · TINY places can be read. */
INLINE void tiny_take(uint32_t *at)
{
	uint32_t rest[TINY];
	memcpy(rest, at + 1, sizeof rest);
	memcpy(at, rest, sizeof rest);
}

/* Where the id is; it is in exactly one of TINY places. */
INLINE unsigned tiny_find(const uint32_t *at, uint32_t id)
{
	typedef uint32_t four __attribute__((vector_size(16)));
	four here[TINY / 4], want = {id, id, id, id}, place = {0, 1, 2, 3}, found;
	memcpy(here, at, sizeof here);
	found = ((four)(here[0] == want) & place) | ((four)(here[1] == want) & (place + 4)) |
		((four)(here[2] == want) & (place + 8)) | ((four)(here[3] == want) & (place + 12));
	return found[0] | found[1] | found[2] | found[3];
}

/* ---- rings */

void steps_ring_grow(struct ring *q, bool bytes);

INLINE uint64_t ring_n(const struct ring *q)
{
	return q->end - q->first;
}

INLINE void ring_push(struct ring *q, uint32_t id, uint64_t w, bool bytes)
{
	if (UNLIKELY(ring_n(q) == q->room))
		steps_ring_grow(q, bytes);
	uint64_t i = q->end++ & (q->room - 1);
	q->at[i] = id;
	if (bytes) {
		q->size[i] = w;
		q->weight += w;
	}
}

/* The oldest entry. */
INLINE uint32_t ring_pop(struct ring *q, uint64_t *w, bool bytes)
{
	uint64_t i = q->first++ & (q->room - 1);
	*w = bytes ? q->size[i] : 1;
	if (bytes)
		q->weight -= *w;
	return q->at[i];
}

/* By blocks each entry weighs one. */
INLINE uint64_t ring_weight(const struct ring *q, bool bytes)
{
	return bytes ? q->weight : ring_n(q);
}

/* The newest entry of a block, which has one. */
static inline uint64_t ring_find(const struct ring *q, uint32_t id)
{
	uint64_t i = q->end - 1;
	while (q->at[i & (q->room - 1)] != id)
		i--;
	return i;
}

/* ---- SIEVE's queue */

/* Moves the entries together, into a larger array if they fill more than half of this one. */
void steps_sieve_squeeze(struct sieve *q, bool bytes);

/* From where on a live entry is looked for: towards newer ones. */
INLINE int64_t sieve_live(const struct sieve *q, int64_t i)
{
	while (i < q->end && q->at[i] == NO_ID)
		i++;
	return i < q->end ? i : NO_HAND;
}

/* The oldest. */
INLINE int64_t sieve_oldest(struct sieve *q)
{
	while (q->at[q->from] == NO_ID)
		q->from++;
	return q->from;
}

#endif
