/* SPDX-License-Identifier: MIT */
/* Which cache to suggest, what it would save, and whether it is safe.
 *
 * The saving is that of the calls that hit, minus what the cache itself takes: collecting the key, the look-up, on
 * a miss
 * the insertion, on a hit putting the output where the call would have put it. It is counted twice, in instructions and
 * in CPU time, and a promise is made only when both agree. */
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

/* Collecting a key or putting back an output, per piece of memory and per byte; a new block on a hit. In instructions;
 * their time is that of the program's other instructions. */
#define PIECE 3.0
/* Comparing a piece that never changed. */
#define COMPARE 1.0
#define OUTPUT_BYTE 0.25
#define NEW_BLOCK 120.0
/* An entry in each object is a field of it: found without hashing, compared with the arguments that are not the
 * object. */
#define FIELD_HIT 12.0
#define FIELD_MISS 20.0
#define FIELD_ARGUMENT 3.0
/* A function that does nothing but release takes at most so much for each block. */
#define RELEASE_BLOCK 500.0
/* When the run without tools told nothing. */
#define USUAL_NS_INSTRUCTION 0.3

static double ratio(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

static bool has_instance(const struct profile_function *f)
{
	for (unsigned i = 0; i < f->sig->n_args; i++)
		if (f->sig->arg[i].object)
			return true;
	return false;
}

double profile_ns(const struct profile *p, double instructions, double kernel_ns)
{
	double ns = p->cost.ns_instruction > 0 ? p->cost.ns_instruction : USUAL_NS_INSTRUCTION;
	return instructions * ns + kernel_ns * p->cost.kernel_scale;
}

double profile_ns_of(const struct profile *p, const struct profile_function *f, double instructions, double kernel_ns)
{
	return profile_ns(p, instructions * f->rate, kernel_ns);
}

/* One way to cache the function. */
struct offer {
	const struct cache_result *r;
	const char *size, *scope;
	bool instance;
	uint64_t entries;
	double net_instructions, net_ns, own_ns; /* saved; of the cache itself */
};

static unsigned other_arguments(const struct profile_function *f)
{
	unsigned n = 0, object = 0;
	while (object < f->sig->n_args && !f->sig->arg[object].object)
		object++;
	for (unsigned i = 0; i < f->sig->n_args; i++)
		n += strcmp(f->sig->arg[i].name, f->sig->arg[object < f->sig->n_args ? object : 0].name) != 0;
	return n;
}

/* Is the place part of a text, of which some part differed between calls? */
static bool in_text(const struct profile_function *f, uint32_t parent)
{
	if (!parent || (f->shape.at[parent - 1].s.flags & (VG_SHAPE_ENDS | VG_SHAPE_BEYOND)) != VG_SHAPE_ENDS)
		return false;
	for (size_t i = 0; i < f->shape.n; i++)
		if (f->shape.at[i].s.parent == parent && f->shape.at[i].s.changed)
			return true;
	return false;
}

/* Bytes of one place of the input that a key has to hold. A place that never changed is compared, not kept; a
 * pointer is followed, not kept; a text is kept whole. */
static unsigned kept_bytes(const struct profile_function *f, const struct vg_shape *s)
{
	if (!s->calls || s->where == VG_WHERE_RESULT)
		return 0;
	if (s->flags & VG_SHAPE_POINTER && !(s->flags & VG_SHAPE_VALUE))
		return s->flags & VG_SHAPE_NULL ? 1 : 0;
	if (!s->changed && !in_text(f, s->parent))
		return 0;
	if (s->where == VG_WHERE_ARG && s->offset >= 0 && s->offset < (int64_t)f->sig->n_args)
		return f->sig->arg[s->offset].size;
	return (unsigned)__builtin_popcount(s->read);
}

static bool is_full(const struct profile_function *f)
{
	return f->shape.n && f->shape.at[0].s.flags & VG_SHAPE_FULL;
}

/* Places that the tree had no room for are taken to be like those in it. */
double profile_key_bytes(const struct profile_function *f)
{
	double all = ratio(f->seen.in_bytes, f->seen.seen), kept = 0, known = 0;
	for (size_t i = 0; i < f->shape.n; i++) {
		const struct vg_shape *s = &f->shape.at[i].s;
		kept += kept_bytes(f, s) * ratio(s->calls, s->all);
		known += __builtin_popcount(s->read) * ratio(s->calls, s->all);
	}
	if (is_full(f) && known > 0 && known < all)
		kept *= all / known;
	return f->shape.n && kept < all ? kept : all;
}

/* Instructions of a call for collecting its key. What never changed is compared; where it is too much for that, whoever
 * writes the cache has to know that it is a table. */
static double collecting(const struct profile_function *f)
{
	const struct calls *c = &f->seen;
	double all = ratio(c->in_bytes, c->seen), kept = all > 0 ? profile_key_bytes(f) / all : 1;
	return ratio(c->in_places, c->seen) * (PIECE * kept + (is_full(f) ? 0 : COMPARE) * (1 - kept));
}

/* cheap: calls of fewer instructions are not looked up; they are taken to be hits. */
static void price(const struct profile *p, const struct profile_function *f, struct offer *o, double cheap)
{
	const struct calls *c = &f->seen;
	double calls = (double)f->caches.calls, hits = (double)o->r->hits, all = calls;
	double saved = (double)o->r->saved;
	for (size_t i = 0; i < c->call.n && cheap > 0; i++)
		if (c->call.at[i].cost < cheap && hits > 0) {
			calls--;
			hits--;
			saved -= c->call.at[i].cost;
		}
	struct cost_point look = o->size[0] == 's' ? cost_lookup(&p->cost, COST_SINGLE, profile_key_bytes(f))
						   : cost_table(&p->cost, (double)o->entries, profile_key_bytes(f));
	if (o->instance && o->size[0] == 's') {
		double compare = FIELD_ARGUMENT * other_arguments(f);
		look.hit_instructions = FIELD_HIT + compare;
		look.miss_instructions = FIELD_MISS + compare;
		look.hit_ns = profile_ns(p, look.hit_instructions, 0);
		look.miss_ns = profile_ns(p, look.miss_instructions, 0);
	}
	double collect = o->instance && o->size[0] == 's' ? 0 : all * collecting(f);
	double restore = hits * (PIECE * ratio(c->out_places, c->seen) +
				 OUTPUT_BYTE * ratio(c->out_bytes + c->fresh_bytes, c->seen) +
				 NEW_BLOCK * ratio(c->fresh_blocks, c->seen));
	double own = collect + restore + hits * look.hit_instructions + (calls - hits) * look.miss_instructions;
	o->own_ns = profile_ns(p, collect + restore, 0) + hits * look.hit_ns + (calls - hits) * look.miss_ns;
	double saved_ns = profile_ns_of(p, f, saved, (double)o->r->saved_kernel);
	if (f->releaser || f->kept) {
		/* not copied */
		own -= restore - hits * PIECE * ratio(c->out_places, c->seen);
		o->own_ns -= profile_ns(p, restore - hits * PIECE * ratio(c->out_places, c->seen), 0);
	}
	if (f->releaser) {
		/* nor released: who gets it does so with a hit's share of all calls */
		const struct profile_function *g = &p->fn.at[f->releaser - 1];
		double shared = (double)g->inclusive * (double)o->r->hits / all;
		saved += shared;
		saved_ns += profile_ns_of(p, g, shared, 0);
	}
	o->net_instructions = saved - own;
	o->net_ns = saved_ns - o->own_ns;
}

static const struct profile_peer *peer_of(const struct profile_function *g, uint32_t owner)
{
	static const struct profile_peer none;
	for (size_t i = 0; i < g->peers.n; i++)
		if (g->peers.at[i].owner == owner)
			return &g->peers.at[i];
	return &none;
}

/* Who goes on changing what calls of f left behind, and who frees it: nothing but that, and what the changer added. */
static void find_peers(const struct profile *p, struct profile_function *f)
{
	uint32_t owner = (uint32_t)(f - p->fn.at);
	uint64_t most = 0;
	f->releaser = f->changer = 0;
	f->kept = f->seen.alloc != 0;
	for (uint32_t i = 0; f->seen.alloc && i < p->fn.n; i++) {
		const struct profile_function *g = &p->fn.at[i];
		uint64_t changes = peer_of(g, owner)->changes;
		f->kept &= !changes;
		if (changes * 2 > g->calls && changes > most) {
			most = changes;
			f->changer = i + 1;
		}
	}
	for (uint32_t i = 0; f->seen.alloc && i < p->fn.n; i++) {
		const struct profile_function *g = &p->fn.at[i];
		uint64_t all = 0, mine = peer_of(g, owner)->frees, added = 0;
		for (size_t k = 0; k < g->peers.n; k++)
			all += g->peers.at[k].frees;
		if (f->changer)
			added = peer_of(g, f->changer - 1)->frees;
		bool nothing_else =
			(mine + added) * 10 >= all * 9 && (double)g->inclusive <= RELEASE_BLOCK * (double)all;
		if (mine && nothing_else && mine * 2 >= f->seen.fresh_blocks && g->calls * 2 >= f->seen.alloc)
			f->releaser = i + 1;
	}
}

/* The working set of the whole run is much larger than that of its first half: it grows with the data. */
static bool grows(const struct caches *c)
{
	return c->lru_enough > 16 && c->lru_enough > c->half_enough + c->half_enough / 2;
}

/* The paper's four. The simplest wins unless another one saves much more; a table whose working set grows with the
 * data is no simple one. */
static bool suggest(struct profile *p, const struct profile_options *o, struct profile_function *f, struct offer *out)
{
	const struct caches *c = &f->caches;
	struct offer rows[] = {
		{.r = &c->single_global, .size = "single", .scope = "global", .entries = 1},
		{.r = &c->single_instance, .size = "single", .scope = "instance", .instance = true, .entries = 1},
		{.r = &c->multi_global, .size = "multi", .scope = "global", .entries = c->lru_enough},
		{.r = &c->multi_instance,
		 .size = "multi",
		 .scope = "instance",
		 .instance = true,
		 .entries = c->multi_instance.entries},
	};
	const struct offer *best = NULL;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct offer *x = &rows[i];
		if ((x->instance && !has_instance(f)) || ratio(x->r->hits, c->calls) < o->min_hit_ratio)
			continue;
		price(p, f, x, 0);
		double enough = best ? best->net_ns + 0.1 * (best->net_ns > 0 ? best->net_ns : -best->net_ns) : 0;
		if (!best || x->net_ns > enough)
			best = x;
	}
	if (best)
		*out = *best;
	return best != NULL;
}

/* What looking up takes with a small key, in ns. */
static double small_lookups(const struct profile *p, const struct offer *o, double calls)
{
	enum { KEY = 16 };
	struct cost_point look = cost_lookup(&p->cost, COST_MULTI, KEY);
	return (double)o->r->hits * look.hit_ns + (calls - (double)o->r->hits) * look.miss_ns;
}

/* What is written for a cache in each object: one table for all of them. */
static struct offer as_written(const struct profile *p, const struct profile_function *f, const struct offer *best)
{
	const struct caches *c = &f->caches;
	struct offer o = *best;
	if (best->instance)
		o = (struct offer){.r = &c->multi_global, .size = "multi", .scope = "global", .entries = c->lru_enough};
	price(p, f, &o, cost_cheap_call(&p->cost));
	return o;
}

/* Why the prediction may be wrong, or NULL. */
static const char *doubt(const struct profile_function *f, const struct offer *o)
{
	if (o->net_ns > 0 && o->net_instructions <= 0)
		return "the cache takes more instructions than it saves, though less time";
	if (o->net_instructions > 0 && o->net_ns <= 0)
		return "the cache takes more time than it saves, though fewer instructions";
	if (o->net_ns > 0 && o->net_ns < 0.5 * o->own_ns)
		return "a look-up costs nearly as much as the call";
	if (strcmp(o->size, "multi") == 0 && grows(&f->caches))
		return "its working set grows with the data: a cache of this size may not hold that of a longer run";
	return NULL;
}

/* Enough calls would hit if those that were not seen completely did. */
static bool cut_decides(const struct profile_function *f, const struct profile_options *o)
{
	const struct caches *c = &f->caches;
	return f->seen.cut && ratio(c->multi_global.hits + f->seen.cut, c->calls) >= o->min_hit_ratio;
}

void profile_judge(struct profile *p, const struct profile_options *o, struct profile_function *f)
{
	struct offer best;
	caches_simulate(&f->seen, &f->caches);
	f->grows = grows(&f->caches);
	find_peers(p, f);
	/* those who might change it were not looked at */
	f->kept &= !o->wanted.n;
	/* what the compiler passes in place of the parameters is not known: it must have differed */
	if (f->sig && f->sig->hidden && f->caches.conflicts && !f->seen.sys) {
		f->status = STATUS_NO_SIGNATURE;
		return;
	}
	if (!suggest(p, o, f, &best)) {
		f->status = f->caches.conflicts                ? STATUS_CONFLICTS
			    : f->seen.bound > f->seen.seen / 2 ? STATUS_EFFECTS
			    : cut_decides(f, o)                ? STATUS_TOO_LARGE
							       : STATUS_INPUTS;
		f->hit_ratio = ratio(f->caches.multi_global.hits, f->caches.calls);
		return;
	}
	f->size = best.size;
	f->scope = best.scope;
	f->entries = best.entries;
	f->hit_ratio = ratio(best.r->hits, f->caches.calls);
	f->asks_world = best.r->asking * 2 > best.r->hits;
	double outer = 0, outer_ns = 0;
	for (size_t i = 0; i < f->seen.call.n; i++)
		if (!f->seen.call.at[i].nested) {
			outer += f->seen.call.at[i].cost;
			outer_ns += profile_ns_of(p, f, f->seen.call.at[i].cost, f->seen.call.at[i].kernel);
		}
	/* of the whole process: starting it takes time too */
	double run_ns = profile_ns(p, (double)p->instructions, (double)p->kernel_ns), whole_ns = p->cost.whole_s * 1e9;
	double part = whole_ns > run_ns ? run_ns / whole_ns : 1;
	f->saved_share = outer_ns > 0 && best.net_ns > 0 ? part * f->time_share * best.net_ns / outer_ns : 0;
	f->small_key_saves = best.net_ns + best.own_ns > small_lookups(p, &best, (double)f->caches.calls);
	double written_ns = as_written(p, f, &best).net_ns;
	f->written_share = outer_ns > 0 && written_ns > 0 ? part * f->time_share * written_ns / outer_ns : 0;
	f->saved_instructions =
		outer > 0 && p->instructions ? ratio(f->inclusive, p->instructions) * best.net_instructions / outer : 0;
	f->doubt = doubt(f, &best);
}

/* ---- safety, in words */

/* Changed once in a hundred calls or less, it is initialised rather than changed. */
bool profile_changes(const struct profile_function *f, const struct profile_global *g)
{
	return g->flags & VG_GLOBAL_CHANGED && g->changes * 100 > f->seen.seen;
}

static unsigned flags_of(const struct profile_function *f, const struct profile_global *g)
{
	return profile_changes(f, g) ? g->flags : g->flags & ~(unsigned)VG_GLOBAL_CHANGED;
}

static void list_globals(const struct profile_function *f, unsigned flag, unsigned without, struct buf *b)
{
	unsigned n = 0;
	for (size_t i = 0; i < f->globals.n; i++) {
		const struct profile_global *g = &f->globals.at[i];
		if (!(flags_of(f, g) & flag) || (flags_of(f, g) & without))
			continue;
		if (n++ == 6) {
			buf_str_add(b, ", …");
			return;
		}
		buf_printf(b, "%s%s", n > 1 ? ", " : " ", g->name);
	}
}

static unsigned count_globals(const struct profile_function *f, unsigned flag, unsigned without)
{
	unsigned n = 0;
	for (size_t i = 0; i < f->globals.n; i++)
		n += (flags_of(f, &f->globals.at[i]) & flag) && !(flags_of(f, &f->globals.at[i]) & without);
	return n;
}

static void say(struct buf *b, const char *text)
{
	if (b->n)
		buf_str_add(b, "; ");
	buf_str_add(b, text);
}

/* What only some of the calls do. */
static void say_few(struct buf *b, const char *what, uint64_t n, uint64_t of)
{
	say(b, what);
	buf_printf(b, " in %llu of %llu calls, do not memoize these", (unsigned long long)n, (unsigned long long)of);
}

/* What it asks of the world, or does to it. A few calls at the begin are an initialisation. */
static void say_world(const struct profile_function *f, struct buf *b)
{
	const struct calls *c = &f->seen;
	unsigned long long n = c->sys, of = c->seen;
	if (!c->sys)
		return;
	if (c->sys * 100 <= c->seen && !c->sys_late) {
		buf_printf(b, "does I/O (system calls) in the first %s only, an initialisation",
			   n == 1 ? "call" : "calls");
	} else if (c->acts * 2 > c->sys) {
		buf_str_add(b, "does I/O (system calls)");
		if (c->sys < c->seen)
			buf_printf(b, " in %llu of %llu calls, do not memoize these", n, of);
		else
			buf_str_add(b, ", do not memoize");
	} else {
		buf_str_add(b, "asks the system");
		if (c->sys < c->seen)
			buf_printf(b, " in %llu of %llu calls", n, of);
		buf_str_add(b, ", needs invalidation");
	}
}

char *profile_verdict(const struct profile *p, const struct profile_function *f)
{
	const struct calls *c = &f->seen;
	struct buf b = {0};
	say_world(f, &b);
	if (c->freed * 2 > c->seen)
		say(&b, "frees memory from before the call, do not memoize");
	else if (c->freed)
		say_few(&b, "frees memory from before the call", c->freed, c->seen);
	if (c->update * 2 > c->seen)
		say(&b, "changes in place what it read");
	if (c->unwound)
		say(&b, "sometimes left by longjmp or an exception");
	if (count_globals(f, VG_GLOBAL_CHANGED, 0)) {
		say(&b, "changes globals");
		list_globals(f, VG_GLOBAL_CHANGED, 0, &b);
	}
	if (c->outside)
		say(&b, "fills memory it was given, memoize that too");
	if (c->alloc)
		say(&b, "returns new memory, share or copy it");
	if (f->releaser)
		buf_printf(&b, " (%s frees it)", p->fn.at[f->releaser - 1].name);
	if (f->changer)
		buf_printf(&b, "; %s changes that memory later: a shared one keeps the changes",
			   p->fn.at[f->changer - 1].name);
	if (count_globals(f, VG_GLOBAL_READ, VG_GLOBAL_CHANGED)) {
		say(&b, "depends on globals");
		list_globals(f, VG_GLOBAL_READ, VG_GLOBAL_CHANGED, &b);
	}
	if (f->shape.n && f->shape.at[0].s.flags & VG_SHAPE_HIDDEN)
		say(&b, "depends on state of libc (environment, locale, …) that is no part of its key");
	if (f->caches.conflicts)
		say(&b, "gave different outputs for the same input");
	if (c->threads & (c->threads - 1))
		say(&b, "is called by several threads");
	if (c->cut)
		say(&b, "was not seen completely");
	if (!b.n)
		say(&b, "pure on this run");
	char *text = mem_strdup(buf_str(&b));
	buf_release(&b);
	return text;
}
