/* SPDX-License-Identifier: MIT */
/* Which functions are looked at: those that take time, or those the user named; what debug information says of them;
 * and what cannot be seen because it was inlined. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* Does the name go on with nothing, parameters, a clone's suffix, a tag of its ABI or template arguments? */
static bool ends_at(const char *name, size_t n)
{
	return name[n] == 0 || strchr("(.<[", name[n]);
}

/* "f" also means the C++ functions f(int), space::f(int), f<int>(int), int f<int>(int) and f[abi:cxx11](), and the
 * clone f.isra.0. */
bool profile_same_function(const char *name, const char *wanted)
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t n = strlen(wanted);
	int depth = 0;
	bool begins = true; /* outside template arguments, behind "::" or a result's type */
	for (const char *p = name; *p; p++) {
		if (begins && strncmp(p, wanted, n) == 0 && ends_at(p, n))
			return true;
		if (*p == '(' && depth == 0) {
			if (strncmp(p, unnamed, sizeof unnamed - 1) != 0)
				return false;
			p += sizeof unnamed - 2;
		}
		depth += (*p == '<') - (*p == '>');
		begins = depth == 0 && (*p == ' ' || (*p == ':' && p > name && p[-1] == ':'));
	}
	return false;
}

static bool is_wanted(const struct profile_options *o, const char *name)
{
	for (size_t i = 0; i < o->wanted.n; i++)
		if (profile_same_function(name, o->wanted.at[i]))
			return true;
	return false;
}

static enum rc object_read(struct profile *p, const char *path, struct profile_object **out, struct err *e)
{
	for (size_t i = 0; i < p->object.n; i++)
		if (strcmp(p->object.at[i].path, path) == 0) {
			*out = &p->object.at[i];
			return RC_OK;
		}
	struct profile_object o = {.path = path};
	enum rc rc = signatures_read(&o.sigs, path, e);
	if (rc)
		return rc;
	vec_push(&p->object, o);
	*out = &vec_last(&p->object);
	return RC_OK;
}

/* Signatures stay where they are, but the array of objects may move: functions are linked when all are read. */
enum rc profile_link(struct profile *p, struct err *e)
{
	struct profile_object *o;
	for (size_t i = 0; i < p->fn.n; i++) {
		struct err ignored = ERR_INIT;
		if (p->fn.at[i].status == STATUS_CANDIDATE && object_read(p, p->fn.at[i].object, &o, &ignored) != RC_OK)
			p->fn.at[i].status = STATUS_NO_SIGNATURE;
	}
	bool any = false;
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		if (f->status != STATUS_CANDIDATE)
			continue;
		if (object_read(p, f->object, &o, e) != RC_OK)
			return e->rc;
		any |= o->sigs.debug_info;
		f->sig = signatures_find(&o->sigs, f->entry);
		if (!f->sig || !f->sig->usable)
			f->status = STATUS_NO_SIGNATURE;
	}
	p->no_debug_info = !any;
	return RC_OK;
}

/* The kernel's time as instructions that take as long. */
static double work_of(const struct profile *p, const struct profile_function *f)
{
	return (double)f->inclusive * f->rate + profile_ns(p, 0, (double)f->kernel_ns) / profile_ns(p, 1, 0);
}

/* libc and what comes with the compiler are nobody's to change: their callers are looked at. */
bool profile_is_system(const char *object)
{
	static const char *const names[] = {"libc.so", "ld-linux", "libm.so", "libpthread", "libstdc++", "libgcc_s"};
	const char *slash = strrchr(object, '/'), *base = slash ? slash + 1 : object;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_hot(const struct profile *p, const struct profile_options *o, const struct profile_function *f)
{
	double work = work_of(p, f);
	return f->calls >= o->min_calls && f->time_share >= o->min_share &&
	       work / (double)f->calls >= (double)o->min_average;
}

static int by_cost(const void *a, const void *b)
{
	const struct profile_function *const *x = a, *const *y = b;
	return (*x)->inclusive < (*y)->inclusive ? 1 : (*x)->inclusive > (*y)->inclusive ? -1 : 0;
}

static int by_self(const void *a, const void *b)
{
	const struct profile_function *const *x = a, *const *y = b;
	return (*x)->self < (*y)->self ? 1 : (*x)->self > (*y)->self ? -1 : 0;
}

struct hot {
	VEC_FIELDS(struct profile_function *);
};

/* At most `most` of them: in turn the one with the largest share, callees included, and the one with the largest
 * share of
 * its own. Callees included alone would be all callers of one deep function. */
static void take_turns(struct hot *hot, uint64_t most)
{
	struct hot own = {0};
	for (size_t i = 0; i < hot->n; i++) {
		hot->at[i]->status = STATUS_UNDECIDED;
		vec_push(&own, hot->at[i]);
	}
	if (hot->n) {
		qsort(hot->at, hot->n, sizeof *hot->at, by_cost);
		qsort(own.at, own.n, sizeof *own.at, by_self);
	}
	uint64_t taken = 0;
	for (size_t i = 0; i < 2 * hot->n && taken < most; i++) {
		struct profile_function *f = i % 2 ? own.at[i / 2] : hot->at[i / 2];
		taken += f->status != STATUS_CANDIDATE;
		f->status = STATUS_CANDIDATE;
	}
	vec_release(&own);
}

void profile_choose(struct profile *p, const struct profile_options *o)
{
	struct hot hot = {0};
	double all = profile_ns(p, (double)p->instructions, (double)p->kernel_ns);
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		f->time_share = all > 0 ? profile_ns_of(p, f, (double)f->inclusive, (double)f->kernel_ns) / all : 0;
		f->asked = is_wanted(o, f->name);
		if (o->wanted.n ? f->asked : is_hot(p, o, f) && !profile_is_system(f->object))
			vec_push(&hot, f);
	}
	take_turns(&hot, o->max_functions);
	vec_release(&hot);
}

/* Names of --functions that did not run. */
void profile_add_missing(struct profile *p, const struct profile_options *o)
{
	size_t n = p->fn.n;
	for (size_t w = 0; w < o->wanted.n; w++) {
		bool found = false;
		for (size_t i = 0; i < n && !found; i++)
			found = profile_same_function(p->fn.at[i].name, o->wanted.at[w]);
		if (found)
			continue;
		struct profile_function f = {
			.name = o->wanted.at[w], .object = "", .asked = true, .status = STATUS_NOT_CALLED};
		struct profile_object *main_program;
		struct err ignored = ERR_INIT;
		if (object_read(p, o->path, &main_program, &ignored) == RC_OK)
			for (size_t i = 0; i < main_program->sigs.inlined.n; i++)
				if (strcmp(main_program->sigs.inlined.at[i].name, f.name) == 0)
					f.status = STATUS_INLINED;
		vec_push(&p->fn, f);
	}
}

static int by_entry(const void *a, const void *b)
{
	const struct profile_function *const *x = a, *const *y = b;
	return (*x)->entry < (*y)->entry ? -1 : (*x)->entry > (*y)->entry;
}

static const struct profile_function *function_at(const struct hot *fn, uint64_t entry, const char *object)
{
	size_t low = 0, high = fn->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (fn->at[mid]->entry < entry)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < fn->n && fn->at[low]->entry == entry; low++)
		if (strcmp(fn->at[low]->object, object) == 0)
			return fn->at[low];
	return NULL;
}

static int by_share(const void *a, const void *b)
{
	const struct profile_inlined *x = a, *y = b;
	return x->share < y->share ? 1 : x->share > y->share ? -1 : strcmp(x->name, y->name);
}

static void add_inlined(struct profile *p, const char *name, double share)
{
	for (size_t i = 0; i < p->inlined.n; i++)
		if (strcmp(p->inlined.at[i].name, name) == 0) {
			p->inlined.at[i].share += share;
			return;
		}
	for (size_t i = 0; i < p->fn.n; i++)
		if (strcmp(p->fn.at[i].name, name) == 0)
			return; /* it has code of its own that ran */
	struct profile_inlined in = {name, share};
	vec_push(&p->inlined, in);
}

/* Functions that exist only as copies, the most expensive first: a copy is charged its part, by size, of what the
 * function
 * around it costs by itself. */
void profile_find_inlined(struct profile *p, const struct profile_options *o)
{
	enum { MOST = 20 };
	struct hot fn = {0};
	for (size_t i = 0; i < p->fn.n; i++)
		vec_push(&fn, &p->fn.at[i]);
	if (fn.n)
		qsort(fn.at, fn.n, sizeof *fn.at, by_entry);
	for (size_t k = 0; k < p->object.n; k++) {
		const struct signatures *s = &p->object.at[k].sigs;
		for (size_t i = 0; i < s->inlined.n; i++) {
			const struct signature_inlined *in = &s->inlined.at[i];
			const struct profile_function *f = function_at(&fn, in->inside, p->object.at[k].path);
			const struct signature *sig = f && f->self ? signatures_find(s, in->inside) : NULL;
			double part = sig && sig->bytes ? (double)in->bytes / (double)sig->bytes : 0;
			if (part > 0 && p->instructions)
				add_inlined(p, in->name,
					    (part < 1 ? part : 1) * (double)f->self / (double)p->instructions);
		}
	}
	vec_release(&fn);
	if (p->inlined.n)
		qsort(p->inlined.at, p->inlined.n, sizeof *p->inlined.at, by_share);
	size_t n = 0;
	while (n < p->inlined.n && n < MOST && p->inlined.at[n].share >= o->min_share)
		n++;
	p->inlined.n = n;
}
