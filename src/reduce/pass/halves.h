/* SPDX-License-Identifier: MIT */
/* Asking for many independent edits at once: all of them, then each half of what failed, down to single ones; once
 * something has succeeded, the largest part first. A search in which nothing succeeds is given up after about as many
 * failures as it takes to get down to one.
 *
 * With several jobs parts are asked about while others are undecided: what does not overlap with them at once, and by
 * a guess the halves of what is undecided, as if it had failed, in the order in which one job would come to them. */
#ifndef REDUCE_PASS_HALVES_H
#define REDUCE_PASS_HALVES_H

#include "data/vec.h"
#include "reduce/pass/pass.h"

struct halves_part {
	uint32_t from, to;
	bool split; /* its halves were put into todo by a guess */
};

struct halves_parts {
	VEC_FIELDS(struct halves_part);
};

struct halves {
	unsigned stage;           /* searches of one pass, one after the other */
	struct halves_parts todo; /* the next one last */
	struct halves_parts open; /* undecided */
	struct halves_part asked; /* the last one */
	unsigned failures, successes;
	unsigned patience; /* failures before the first success */
	unsigned limit;    /* questions at most; 0: any */
};

static inline void halves_start(struct halves *h, unsigned stage, uint32_t n)
{
	h->stage = stage;
	h->todo.n = h->open.n = 0;
	h->failures = h->successes = h->limit = 0;
	h->patience = 3;
	for (uint32_t k = n; k; k /= 2)
		h->patience++;
	if (n)
		vec_push(&h->todo, ((struct halves_part){0, n, false}));
}

/* No more is to be asked after so many failures. */
static inline bool halves_over(const struct halves *h, size_t failures)
{
	return (!h->successes && failures >= h->patience) || (h->limit && failures + h->successes >= h->limit);
}

static inline void halves_split(struct halves *h, struct halves_part *p)
{
	uint32_t middle = p->from + (p->to - p->from) / 2;
	p->split = true;
	if (middle == p->from)
		return;
	vec_push(&h->todo, ((struct halves_part){middle, p->to, false}));
	vec_push(&h->todo, ((struct halves_part){p->from, middle, false}));
}

/* Takes a part out of todo. Until something succeeds this goes straight down to single edits, to find out whether any
 * can; then the largest part is next, which on average brings most. */
static inline struct halves_part halves_choose(struct halves *h)
{
	size_t best = h->todo.n - 1;
	for (size_t i = h->todo.n; h->successes && i-- > 0;)
		if (h->todo.at[i].to - h->todo.at[i].from > h->todo.at[best].to - h->todo.at[best].from)
			best = i;
	struct halves_part p = h->todo.at[best];
	for (h->todo.n--; best < h->todo.n; best++)
		h->todo.at[best] = h->todo.at[best + 1];
	return p;
}

/* The next part to ask about, in h->asked, which is undecided from now on; MADE_NONE as a pass's next(). */
static inline enum made halves_next(struct halves *h, enum guess guess)
{
	if (h->open.n && halves_over(h, h->failures + h->open.n))
		return MADE_NONE;
	for (size_t i = h->open.n; !h->todo.n && guess >= GUESS_SWEEP && i-- > 0;)
		if (!h->open.at[i].split)
			halves_split(h, &h->open.at[i]);
	if (!h->todo.n)
		return h->open.n ? MADE_NONE : MADE_END;
	h->asked = halves_choose(h);
	vec_push(&h->open, h->asked);
	return MADE_ONE;
}

/* The candidate that asks about it. */
static inline enum made halves_ask(const struct halves *h, struct candidate *out)
{
	out->class = class_of_size(h->asked.to - h->asked.from);
	out->task = h->stage;
	out->from = h->asked.from;
	out->to = h->asked.to;
	return MADE_ONE;
}

/* The part that was asked about last has nothing to ask. */
static inline void halves_skip(struct halves *h)
{
	h->open.n--;
}

/* Takes a part out of those that are undecided. */
static inline struct halves_part halves_take(struct halves *h, uint32_t from, uint32_t to)
{
	size_t i = 0;
	while (h->open.at[i].from != from || h->open.at[i].to != to)
		i++;
	struct halves_part p = h->open.at[i];
	for (h->open.n--; i < h->open.n; i++)
		h->open.at[i] = h->open.at[i + 1];
	return p;
}

/* The part failed, but it is another question now: it is asked again. */
static inline void halves_again(struct halves *h, const struct candidate *c)
{
	struct halves_part p = halves_take(h, c->from, c->to);
	if (!p.split)
		vec_push(&h->todo, p);
}

/* Of a search that is over: nothing. */
static inline void halves_result(struct halves *h, const struct candidate *c, bool success)
{
	if (c->task != h->stage)
		return;
	struct halves_part p = halves_take(h, c->from, c->to);
	h->successes += success;
	h->failures += !success;
	if (success)
		return;
	if (halves_over(h, h->failures))
		h->todo.n = 0;
	else if (!p.split)
		halves_split(h, &p);
}

/* See struct pass. */
static inline bool halves_wanted(const struct halves *h, const struct candidate *c)
{
	return c->task == h->stage && !halves_over(h, h->failures);
}

static inline void halves_release(struct halves *h)
{
	vec_release_all(&h->todo, &h->open);
}

#endif
