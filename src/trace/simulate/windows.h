/* SPDX-License-Identifier: MIT */
/* References cut into short stretches, for policies that take a stretch of hits together (policy.h). What the stretches
 * are is found once and serves all caches of a run. */
#ifndef TRACE_WINDOWS_H
#define TRACE_WINDOWS_H

#include "base/policy.h"
#include "data/vec.h"

struct windows {
	VEC(struct policy_window) window;
	VEC(uint32_t) last;
	VEC(uint8_t) times;
};

/* What was seen in the stretch that is cut, per id. */
struct windows_seen {
	struct windows_mark {
		uint64_t window;
		uint32_t at;
	} * mark;
	size_t n_ids;
	uint64_t window;
};

/* Cuts r's references, all with ids below n_ids, and lets r point to the result. Where stretches repeat too little to
 * be of use r has none. */
void windows_cut(struct windows *w, struct windows_seen *seen, struct policy_refs *r, uint32_t n_ids);
void windows_view(const struct windows *w, struct policy_refs *r);
void windows_release(struct windows *w);
void windows_seen_release(struct windows_seen *seen);

#endif
