/* SPDX-License-Identifier: MIT */
/* What was seen of one function's calls in a run: counts, and the stream of inputs and outputs as dense numbers.
 *
 * A call's input and output come under two names (base/vgproto.h: loose and strict). Loose names may take two different
 * inputs for one: then the same input seems to give different outputs, a conflict. Strict names may take equal inputs
 * for different ones. The loose ones are believed unless the strict ones remove conflicts. */
#ifndef PROFILE_CALLS_H
#define PROFILE_CALLS_H

#include "base/vgproto.h"
#include "data/table.h"
#include "data/vec.h"

/* 64-bit digests to 0, 1, 2, … in order of appearance. Every function has seven of these: data/idmap.h is made for
 * one
 * large one and would take several times the memory. */
struct numbering {
	struct table table;
	VEC(uint64_t) value;
};
uint32_t numbering_of(struct numbering *n, uint64_t value);
void numbering_release(struct numbering *n);

struct call_key {
	uint32_t in, out;
};

struct call {
	struct call_key loose, strict;
	uint32_t instance;
	uint32_t cost;   /* instructions, saturated */
	uint32_t kernel; /* nanoseconds, saturated */
	bool nested;
	bool cut;   /* its input is not known whole */
	bool alone; /* cannot be answered from a cache: cut, or VG_CALL_BOUND */
	bool asks;  /* its answer comes from the world: it needs invalidation */
};

struct calls {
	uint64_t seen; /* all of them */
	uint64_t max;  /* of which so many are kept in order */
	VEC(struct call) call;
	struct numbering in_loose, out_loose, in_strict, out_strict, instance, in_hint, in_args;
	uint64_t cut, no_memory, sys, changed, alloc, freed, unwound, outside, nested, acts, update, bound;
	uint64_t deeper;   /* VG_CALL_DEEPER */
	uint64_t sys_late; /* calls of the second half of the run, by calls, that made system calls */
	uint64_t expected; /* calls the counting pass saw: where the second half begins */
	uint64_t in_bytes, out_bytes, in_places, out_places; /* sums */
	uint64_t fresh_blocks, fresh_bytes;                  /* sums: left behind, allocated by the call */
	uint64_t kernel_ns;                                  /* sum over calls that are not nested */
	uint64_t outer_cost;                                 /* of calls that are not nested */
	uint32_t max_locations;
	uint32_t threads; /* bit set of thread numbers modulo 32 */
};

/* Returns about how many bytes it took to keep it. */
uint64_t calls_add(struct calls *c, const struct vg_call *r);
void calls_release(struct calls *c);
/* Share of calls whose input was seen before, at best (conflicts ignored). */
double calls_repeat_ratio(const struct calls *c);
/* The same for the arguments alone. */
double calls_arguments_ratio(const struct calls *c);
/* Definition 4 of the paper: the share of calls whose tuple of input and output was there before. */
double calls_tuple_ratio(const struct calls *c);
/* The same when what a call reads and also writes is left out: a hint, a counter is no input then. */
double calls_hint_ratio(const struct calls *c);

#endif
