/* SPDX-License-Identifier: MIT */
/* See run.h.
 *
 * A stream passes through a ring of blocks; each unit (unit.h) has the number of blocks it has seen, and a worker takes
 * the unit that is furthest behind. A block is long where there are several units: each finds its tables in the
 * processor's caches for longer. Whatever needs the end of the trace first (sizes that depend on it, policies that
 * look into the future) makes us keep all of it: then the blocks are slices of that, and a worker takes a unit through
 * all of them. One unit alone runs in the reader's thread, without any of this. */
#include "trace/simulate/run.h"

#include "data/idmap.h"
#include "data/mem.h"
#include "data/vec.h"
#include "trace/simulate/shards.h"
#include "trace/simulate/windows.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING = 8, BLOCK = 2 * TRACE_BLOCK, LONG_BLOCK = 32 * BLOCK };

/* A block on its way to the caches. */
struct slice {
	struct policy_refs refs;
	uint32_t n_ids;
	bool reset; /* the warm-up ends before it */
	uint32_t *id;
	uint64_t *key, *size;
	struct windows windows;
};

/* The whole trace. */
struct whole {
	VEC(uint32_t) id;
	VEC(uint64_t) size;
	VEC(uint64_t) key;
	uint64_t *next;
	uint32_t *near; /* the same in 32 bits; UINT32_MAX: none */
};

/* The units of one call, and the references on their way to them. */
struct simulation {
	struct trace_reader *r;
	const struct run_options *o;
	struct run_totals *t;
	struct run_cache *cache;
	size_t n;
	unit_list unit;
	bool keys; /* some policy needs the real keys */
	struct idmap map;
	struct whole all;
	uint64_t warmup; /* references */
	struct windows_seen seen;
	struct windows *windows; /* of the whole trace's slices; NULL: they are not cut */
	/* the ring */
	struct slice ring[RING];
	pthread_mutex_t lock;
	pthread_cond_t change;
	uint64_t produced;
	uint64_t *done; /* blocks, per unit */
	bool *busy, finished;
};

static unsigned thread_count(const struct simulation *u)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return u->o->threads ? u->o->threads : cores > 0 ? (unsigned)cores : 1;
}

/* What only the whole trace tells. */
static struct unit_facts facts(const struct simulation *u)
{
	struct unit_facts f = {.whole = u->all.id.n > 0, .trace = {u->all.id.n, u->map.n, u->all.id.at, u->all.near}};
	uint64_t *known = u->t->sizes ? mem_zalloc(mem_mul((size_t)u->map.n + 1, sizeof *known)) : NULL;
	for (size_t i = 0; known && i < u->all.id.n; i++) {
		uint64_t size = u->all.size.at[i], *k = &known[u->all.id.at[i]];
		f.largest = size > f.largest ? size : f.largest;
		f.sizes_change |= *k && *k != size + 1;
		u->t->distinct_bytes += *k ? 0 : size;
		*k = size + 1;
	}
	free(known);
	return f;
}

static enum rc make_units(struct simulation *u, struct err *e)
{
	for (size_t i = 0; u->all.id.n && !u->all.near && i < u->n; i++)
		if (turns_by_place(u->cache[i].spec.policy, u->map.n))
			u->all.near = turns_next(u->all.id.at, u->all.id.n, u->map.n);
	struct unit_facts f = facts(u);
	u->t->distinct = u->map.n;
	if (u->o->plan)
		u->o->plan(u->o->user, u->t, u->cache, u->n);
	for (size_t i = 0; i < u->n; i++) {
		struct run_cache *c = &u->cache[i];
		double size = round(c->percent * (double)u->map.n / 100);
		if (c->percent > 0)
			c->spec.size = size < 1 ? 1 : (uint64_t)size;
	}
	enum rc rc = units_plan(u->cache, u->n, &f, thread_count(u), &u->unit, e);
	u->done = mem_zalloc(mem_mul(u->unit.n + 1, sizeof *u->done));
	u->busy = mem_zalloc(u->unit.n + 1);
	return rc;
}

static enum rc stopped(struct simulation *u, uint64_t references, struct err *e)
{
	if (u->o->tick && !u->o->tick(u->o->user, references))
		return err_set(e, RC_STOPPED, "stopped");
	return RC_OK;
}

/* Counts what is simulated after the warm-up. */
static void count(struct simulation *u, uint64_t from, size_t n, const uint64_t *size)
{
	for (size_t i = 0; size && i < n; i++)
		if (from + i >= u->warmup)
			u->t->bytes += size[i];
}

/* ---- threads */

static long furthest_behind(const struct simulation *u)
{
	long best = -1;
	for (size_t i = 0; i < u->unit.n; i++)
		if (!u->busy[i] && u->done[i] < u->produced && (best < 0 || u->done[i] < u->done[best]))
			best = (long)i;
	return best;
}

static bool all_done(const struct simulation *u)
{
	for (size_t i = 0; i < u->unit.n; i++)
		if (u->done[i] < u->produced)
			return false;
	return u->finished;
}

static struct slice whole_slice(const struct simulation *u, uint64_t index);

/* Where several caches gain from it. */
static bool cut_windows(const struct simulation *u)
{
	size_t n = 0;
	for (size_t i = 0; i < u->unit.n; i++)
		n += unit_takes_windows(u->unit.at[i]);
	return n > 1;
}

static void feed(struct unit *x, const struct slice *b)
{
	if (b->reset)
		unit_reset_counts(x);
	unit_run(x, &b->refs, b->n_ids);
}

/* Takes a unit through the whole trace, keeps its results and frees its tables: those of all sizes together may not fit
 * into memory, and the next unit finds their pages ready. */
static enum rc run_unit(struct simulation *u, size_t i, uint64_t slices, struct err *e)
{
	struct unit *x = u->unit.at[i];
	for (uint64_t at = 0; at < slices; at++) {
		/* workers have nobody to tell */
		enum rc rc = e ? stopped(u, (i * slices + at) * BLOCK / u->unit.n, e) : RC_OK;
		if (rc)
			return rc;
		struct slice b = whole_slice(u, at);
		feed(x, &b);
	}
	if (u->t->references == 0) /* all of it was warm-up */
		unit_reset_counts(x);
	unit_harvest(x, u->cache);
	unit_free(x);
	u->unit.at[i] = NULL;
	return RC_OK;
}

static void *worker(void *arg)
{
	struct simulation *u = arg;
	pthread_mutex_lock(&u->lock);
	while (!all_done(u)) {
		long i = furthest_behind(u);
		if (i < 0) {
			pthread_cond_wait(&u->change, &u->lock);
			continue;
		}
		uint64_t from = u->done[i], to = u->all.id.at ? u->produced : from + 1;
		u->busy[i] = true;
		pthread_mutex_unlock(&u->lock);
		if (u->all.id.at)
			run_unit(u, (size_t)i, to, NULL);
		else
			feed(u->unit.at[i], &u->ring[from % RING]);
		pthread_mutex_lock(&u->lock);
		u->busy[i] = false;
		u->done[i] = to;
		pthread_cond_broadcast(&u->change);
	}
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

/* Waits until the ring has a free place. */
static struct slice *free_slice(struct simulation *u)
{
	pthread_mutex_lock(&u->lock);
	for (;;) {
		uint64_t least = u->produced;
		for (size_t i = 0; i < u->unit.n; i++)
			if (u->done[i] < least)
				least = u->done[i];
		if (u->produced - least < RING)
			break;
		pthread_cond_wait(&u->change, &u->lock);
	}
	pthread_mutex_unlock(&u->lock);
	return &u->ring[u->produced % RING];
}

static void publish(struct simulation *u, uint64_t produced, bool finished)
{
	pthread_mutex_lock(&u->lock);
	u->produced = produced;
	u->finished = finished;
	pthread_cond_broadcast(&u->change);
	pthread_mutex_unlock(&u->lock);
}

/* ---- a stream */

static size_t slice_room(const struct simulation *u)
{
	return u->unit.n > 1 ? LONG_BLOCK : BLOCK;
}

static void slice_init(struct simulation *u, struct slice *s)
{
	size_t room = slice_room(u);
	s->id = mem_alloc(room * sizeof *s->id);
	s->size = u->t->sizes ? mem_alloc(room * sizeof *s->size) : NULL;
	s->key = u->keys ? mem_alloc(room * sizeof *s->key) : NULL;
}

static void slice_release(struct slice *s)
{
	free(s->id);
	free(s->size);
	free(s->key);
	windows_release(&s->windows);
}

/* Appends n references, for which there is room. */
static enum rc append(struct simulation *u, struct slice *s, const struct trace_block *b, size_t from, size_t n,
		      struct err *e)
{
	size_t at = s->refs.n;
	enum rc rc = idmap_map(&u->map, b->keys + from, s->id + at, n, e);
	if (rc)
		return rc;
	if (s->key)
		memcpy(s->key + at, b->keys + from, n * sizeof *s->key);
	if (s->size)
		memcpy(s->size + at, b->sizes + from, n * sizeof *s->size);
	s->refs.n += n;
	return RC_OK;
}

/* Hands a slice on. threads 0: the caches run right here. */
static void finish(struct simulation *u, struct slice *s, unsigned threads)
{
	s->n_ids = u->map.n;
	if (cut_windows(u))
		windows_cut(&s->windows, &u->seen, &s->refs, s->n_ids);
	if (threads)
		publish(u, u->produced + 1, false);
	else
		for (size_t i = 0; i < u->unit.n; i++)
			feed(u->unit.at[i], s);
}

/* The slice that begins with reference `seen`. */
static struct slice *begin(struct simulation *u, struct slice *own, uint64_t seen)
{
	struct slice *s = own ? own : free_slice(u);
	s->refs = (struct policy_refs){.id = s->id, .key = s->key, .size = s->size};
	s->reset = u->warmup && seen == u->warmup;
	return s;
}

/* References go into slices; one ends where the warm-up ends. */
static enum rc slices(struct simulation *u, struct slice *own, unsigned threads, uint64_t *seen, struct err *e)
{
	struct trace_block b;
	struct slice *s = begin(u, own, 0);
	size_t room = slice_room(u);
	enum rc rc;
	while ((rc = trace_next(u->r, &b, e)) == RC_OK && b.n && (rc = stopped(u, *seen, e)) == RC_OK) {
		for (size_t from = 0, n; from < b.n; from += n) {
			n = b.n - from < room - s->refs.n ? b.n - from : room - s->refs.n;
			if (*seen < u->warmup && n > u->warmup - *seen)
				n = (size_t)(u->warmup - *seen);
			if ((rc = append(u, s, &b, from, n, e)))
				return rc;
			count(u, *seen, n, s->size ? s->size + s->refs.n - n : NULL);
			*seen += n;
			if (s->refs.n < room && *seen != u->warmup)
				continue;
			finish(u, s, threads);
			s = begin(u, own, *seen);
		}
	}
	if (!rc && s->refs.n)
		finish(u, s, threads);
	return rc;
}

static enum rc stream(struct simulation *u, unsigned threads, struct err *e)
{
	uint64_t seen = 0;
	struct slice own = {0};
	if (!threads)
		slice_init(u, &own);
	for (unsigned i = 0; threads && i < RING; i++)
		slice_init(u, &u->ring[i]);
	enum rc rc = slices(u, threads ? NULL : &own, threads, &seen, e);
	if (!rc && seen <= u->warmup) /* nothing was left to be counted */
		for (size_t i = 0; !threads && i < u->unit.n; i++)
			unit_reset_counts(u->unit.at[i]);
	u->t->references = seen > u->warmup ? seen - u->warmup : 0;
	slice_release(&own);
	return rc;
}

/* ---- the whole trace in memory */

/* The references of a block to keys that are followed, moved to its front. */
static void sample(const struct simulation *u, struct trace_block *b, uint64_t *keys, uint64_t *sizes)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (!shards_follows(b->keys[i], u->o->rate))
			continue;
		keys[n] = b->keys[i];
		if (b->sizes)
			sizes[n] = b->sizes[i];
		n++;
	}
	b->keys = keys;
	b->sizes = b->sizes ? sizes : NULL;
	b->n = n;
}

static enum rc read_whole(struct simulation *u, struct err *e)
{
	struct trace_block b;
	enum rc rc;
	uint64_t *keys = mem_alloc(TRACE_BLOCK * sizeof *keys), *sizes = mem_alloc(TRACE_BLOCK * sizeof *sizes);
	while ((rc = trace_next(u->r, &b, e)) == RC_OK && b.n && (rc = stopped(u, u->t->read, e)) == RC_OK) {
		u->t->read += b.n;
		if (u->o->rate > 0)
			sample(u, &b, keys, sizes);
		vec_reserve(&u->all.id, b.n);
		if ((rc = idmap_map(&u->map, b.keys, u->all.id.at + u->all.id.n, b.n, e)))
			break;
		u->all.id.n += b.n;
		if (b.sizes) {
			vec_reserve(&u->all.size, b.n);
			memcpy(u->all.size.at + u->all.size.n, b.sizes, b.n * sizeof *u->all.size.at);
			u->all.size.n += b.n;
		}
		for (size_t i = 0; u->keys && i < b.n; i++)
			vec_push(&u->all.key, b.keys[i]);
	}
	free(keys);
	free(sizes);
	return rc;
}

static void find_next_uses(struct simulation *u)
{
	size_t n = u->all.id.n;
	uint64_t *seen = mem_alloc(mem_mul((size_t)u->map.n + 1, sizeof *seen));
	u->all.next = mem_alloc(mem_mul(n, sizeof *u->all.next));
	memset(seen, 0xff, (size_t)u->map.n * sizeof *seen);
	for (size_t i = n; i-- > 0;) {
		u->all.next[i] = seen[u->all.id.at[i]];
		seen[u->all.id.at[i]] = i;
	}
	free(seen);
}

/* Slice 0 … : the warm-up in slices of its own, so that one starts where it ends. */
static uint64_t warmup_slices(const struct simulation *u)
{
	return (u->warmup + BLOCK - 1) / BLOCK;
}

static uint64_t whole_slices(const struct simulation *u)
{
	uint64_t rest = u->all.id.n - u->warmup;
	return warmup_slices(u) + (rest + BLOCK - 1) / BLOCK;
}

static struct slice whole_slice(const struct simulation *u, uint64_t index)
{
	uint64_t w = warmup_slices(u);
	uint64_t from = index < w ? index * BLOCK : u->warmup + (index - w) * BLOCK;
	uint64_t end = index < w ? u->warmup : u->all.id.n;
	size_t n = (size_t)(end - from < BLOCK ? end - from : BLOCK);
	struct slice s = {
		.refs = {.id = u->all.id.at + from,
			 .key = u->keys ? u->all.key.at + from : NULL,
			 .next = u->all.next ? u->all.next + from : NULL,
			 .size = u->t->sizes ? u->all.size.at + from : NULL,
			 .n = n},
		.n_ids = u->map.n,
		.reset = index == w && w > 0,
	};
	if (u->windows)
		windows_view(&u->windows[index], &s.refs);
	return s;
}

static void cut_whole(struct simulation *u, uint64_t n)
{
	if (!cut_windows(u))
		return;
	struct windows *w = mem_zalloc(mem_mul(n + 1, sizeof *w));
	for (uint64_t i = 0; i < n; i++) {
		struct slice s = whole_slice(u, i);
		windows_cut(&w[i], &u->seen, &s.refs, s.n_ids);
	}
	u->windows = w;
}

static enum rc run_whole(struct simulation *u, unsigned threads, struct err *e)
{
	if (u->o->warmup_percent > 0)
		u->warmup = (uint64_t)((double)u->all.id.n * u->o->warmup_percent / 100);
	if (u->warmup > u->all.id.n)
		u->warmup = u->all.id.n;
	for (size_t i = 0; i < u->n; i++)
		if (u->cache[i].spec.policy->flags & POLICY_FUTURE && !u->all.next)
			find_next_uses(u);
	u->t->references = u->all.id.n - u->warmup;
	count(u, 0, u->all.id.n, u->t->sizes ? u->all.size.at : NULL);
	uint64_t n = whole_slices(u);
	cut_whole(u, n);
	if (threads) {
		publish(u, n, true);
		return RC_OK;
	}
	for (size_t i = 0; i < u->unit.n; i++) {
		enum rc rc = run_unit(u, i, n, e);
		if (rc)
			return rc;
	}
	return RC_OK;
}

/* ---- all together */

static enum rc run_threads(struct simulation *u, unsigned threads, bool whole, struct err *e)
{
	pthread_t *t = mem_alloc(mem_mul(threads, sizeof *t));
	unsigned started = 0;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->change, NULL);
	while (started < threads && pthread_create(&t[started], NULL, worker, u) == 0)
		started++;
	enum rc rc = !started ? err_set(e, RC_ENV, "cannot start a thread")
		     : whole  ? run_whole(u, threads, e)
			      : stream(u, threads, e);
	publish(u, u->produced, true);
	for (unsigned i = 0; i < started; i++)
		pthread_join(t[i], NULL);
	for (size_t i = 0; i < u->unit.n && !whole; i++)
		if (!rc && u->t->references == 0)
			unit_reset_counts(u->unit.at[i]);
	pthread_cond_destroy(&u->change);
	pthread_mutex_destroy(&u->lock);
	free(t);
	return rc;
}

static enum rc run(struct simulation *u, struct err *e)
{
	bool whole = u->o->warmup_percent > 0 || u->o->plan;
	for (size_t i = 0; i < u->n; i++) {
		whole |= u->cache[i].percent > 0 || (u->cache[i].spec.policy->flags & POLICY_FUTURE);
		u->keys |= u->cache[i].spec.policy->flags & POLICY_PLACED;
	}
	enum rc rc = whole ? read_whole(u, e) : RC_OK;
	if (!rc)
		rc = make_units(u, e);
	unsigned threads = thread_count(u);
	threads = threads < u->unit.n ? threads : (unsigned)u->unit.n;
	threads = threads > 1 ? threads : 0;
	if (!rc)
		rc = threads ? run_threads(u, threads, whole, e) : whole ? run_whole(u, 0, e) : stream(u, 0, e);
	for (size_t i = 0; i < u->unit.n && !rc && !whole; i++)
		unit_harvest(u->unit.at[i], u->cache);
	u->t->distinct = u->map.n;
	u->t->warmup = u->warmup;
	return rc;
}

enum rc trace_run(struct trace_reader *r, struct run_cache *caches, size_t n, const struct run_options *o,
		  struct run_totals *t, struct err *e)
{
	struct simulation u = {.r = r, .o = o, .t = t, .cache = caches, .n = n, .warmup = o->warmup};
	*t = (struct run_totals){.sizes = trace_meta(r)->sizes};
	idmap_init(&u.map);
	enum rc rc = run(&u, e);
	for (size_t i = 0; i < u.unit.n; i++)
		unit_free(u.unit.at[i]);
	for (unsigned i = 0; i < RING; i++)
		slice_release(&u.ring[i]);
	idmap_release(&u.map);
	for (uint64_t i = 0; u.windows && i < whole_slices(&u); i++)
		windows_release(&u.windows[i]);
	free(u.windows);
	windows_seen_release(&u.seen);
	vec_release_all(&u.all.id, &u.all.size, &u.all.key, &u.unit);
	free(u.all.next);
	free(u.all.near);
	free(u.done);
	free(u.busy);
	return rc;
}
