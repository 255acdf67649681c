/* SPDX-License-Identifier: MIT */
/* See windows.h. A stretch is read backwards: an id that was not met in it yet has its last use here. */
#include "trace/simulate/windows.h"

#include "data/bigmem.h"

/* On traces of programs 64 references have some 14 different pages; in a longer stretch more of them miss. */
enum { WINDOW = 64 };

static void cut_one(struct windows *w, struct windows_seen *seen, const uint32_t *id, uint32_t n)
{
	struct policy_window cut = {.n = n, .at = (uint32_t)w->last.n};
	uint32_t late[WINDOW], times[WINDOW];
	seen->window++;
	for (uint32_t i = n; i-- > 0;) {
		struct windows_mark *m = &seen->mark[id[i]];
		if (m->window == seen->window) {
			times[m->at]++;
			continue;
		}
		*m = (struct windows_mark){seen->window, cut.distinct};
		late[cut.distinct] = id[i];
		times[cut.distinct++] = 1;
	}
	for (uint32_t i = cut.distinct; i-- > 0;) {
		vec_push(&w->last, late[i]);
		vec_push(&w->times, (uint8_t)times[i]);
	}
	vec_push(&w->window, cut);
}

void windows_cut(struct windows *w, struct windows_seen *seen, struct policy_refs *r, uint32_t n_ids)
{
	if (n_ids > seen->n_ids) {
		size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), one = sizeof *seen->mark;
		seen->mark = bigmem_grow(seen->mark, seen->n_ids * one, n * one);
		seen->n_ids = n;
	}
	w->window.n = w->last.n = w->times.n = 0;
	for (size_t at = 0; at < r->n; at += WINDOW)
		cut_one(w, seen, r->id + at, r->n - at < WINDOW ? (uint32_t)(r->n - at) : WINDOW);
	if (w->last.n > r->n / 2)
		windows_release(w);
	windows_view(w, r);
}

void windows_view(const struct windows *w, struct policy_refs *r)
{
	r->window = w->window.at;
	r->n_windows = w->window.n;
	r->last = w->last.at;
	r->times = w->times.at;
}

void windows_release(struct windows *w)
{
	vec_release_all(&w->window, &w->last, &w->times);
}

void windows_seen_release(struct windows_seen *seen)
{
	bigmem_free(seen->mark, seen->n_ids * sizeof *seen->mark);
}
