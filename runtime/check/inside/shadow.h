/* SPDX-License-Identifier: MIT */
/* Shadow memory of the contract runtime: what is known about each 8-byte granule of the program's memory.
 *
 * A two-level table: rf_shadow_dir has one pointer per 32 MB of address space, to a leaf that is mapped when first
 * needed; the kernel gives pages to those parts only that are written. A leaf has
 *   cell      16 bits per granule and plane: the verified node that lives there (engine B),
 *   live      a bit per granule: inside a block that malloc gave out (barrier/malloc.c),
 *   freed     a bit per granule: inside a block that was freed and not allocated again,
 *   record    a number per granule: the record of the node that starts there (measure.c), 0 if it has none,
 *   marked    a bit per page: a cell was written there since all were cleared,
 *   readable  a bit per page: was probed and can be read.
 * A cell is 0, the start of a node (C_START, its type and state), or the distance back to the start (C_INTERIOR).
 * Nodes of two types may lie on one address: then the types are in different planes.
 *
 * Instrumented code does not read it: it tests the watch map (watch_map.h). */
#ifndef RT_CHECK_SHADOW_H
#define RT_CHECK_SHADOW_H

#include "base/bits.h"
#include "refrain/check.h"

/* Linux gives a program addresses below 2^47, on arm64 below 2^48; a pointer beyond is not one of its memory. */
#ifdef __aarch64__
#define USER_ADDRESS_BITS 48
#else
#define USER_ADDRESS_BITS 47
#endif
_Static_assert(sizeof(uintptr_t) == 8, "the shadow is laid out for 64-bit addresses");

enum {
	LEAF_BITS = 25,
	GRANULE_BITS = 3,
	ADDRESS_BITS = USER_ADDRESS_BITS,
	PAGE_BITS = 12, /* what is probed at once; the kernel's pages may be larger */
	MAX_PLANES = 8,
};
#define LEAF_CELLS ((size_t)1 << (LEAF_BITS - GRANULE_BITS))
#define LEAF_PAGES ((size_t)1 << (LEAF_BITS - PAGE_BITS))
#define DIR_SIZE ((size_t)1 << (ADDRESS_BITS - LEAF_BITS))

enum {
	C_TYPE = 0x03ff,
	C_HASP = 0x0400,  /* a verified node has an edge to this one */
	C_BLACK = 0x0800, /* verified, no store since */
	C_DIRTY = 0x1000, /* was verified, then changed: in the queue; with C_BLACK: its numbers only (marks.h) */
	C_SNAP = 0x2000,  /* was below a node that is in the queue */
	C_START = 0x4000,
	C_INTERIOR = 0x8000,
	C_DISTANCE = 0x7fff,
	MAX_TYPES = C_TYPE,
};

/* Of a node of a `shared` type, by its start. */
struct graph_cell {
	int64_t rank : 40;   /* below those of all `shared` nodes it leads to: so there is no cycle */
	uint64_t count : 24; /* edges of verified nodes to it; GRAPH_MANY: so many, or more */
};
#define GRAPH_MANY ((1u << 24) - 1)

struct shadow_leaf {
	uint16_t cell[MAX_PLANES][LEAF_CELLS];
	struct shadow_bits {
		uint64_t live, freed;
	} bits[LEAF_CELLS / 64];
	uint32_t record[LEAF_CELLS];
	uint64_t marked[LEAF_PAGES / 64];
	uint8_t readable[LEAF_PAGES / 8];
	struct graph_cell *graph[MAX_PLANES]; /* LEAF_CELLS each, mapped when first needed */
	uintptr_t from;                       /* the first address it is about */
	bool watch_shared;                    /* another leaf has the same bytes of the watch map */
	struct shadow_leaf *next;             /* all leaves: rt_leaves */
};

static inline struct shadow_leaf *shadow_leaf(uintptr_t a)
{
	return __atomic_load_n(&rf_shadow_dir[(a >> LEAF_BITS) & (DIR_SIZE - 1)], __ATOMIC_ACQUIRE);
}

static inline size_t shadow_index(uintptr_t a)
{
	return (a >> GRANULE_BITS) & (LEAF_CELLS - 1);
}

#endif
