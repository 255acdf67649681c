/* SPDX-License-Identifier: MIT */
/* What an instruction of a function takes, callees included, compared with the program's average: samples of the
 * native run that were in it or in what it called, divided by what its instructions would lead one to expect.
 *
 * A sample has places on the stack that may be return addresses. Such a place is believed when the function it
 * is in is known to call the one below (its instruction says so, or the counting pass saw such calls), or one
 * that ends with a jump to it. The system's libraries have variants of functions for each processor, and under a
 * tool another one runs than alone: inside them the first place outside is believed. Chains that do not lead
 * back to a function that no other calls were cut (deep stacks, large frames). Who called the last function of such
 * a chain is not known: those that may have lose samples, and where that may be more than one in ten nothing is
 * concluded. */
#include "profile/profile.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So many samples at the average rate are added to those of each function: a few say little. */
#define USUAL_SAMPLES 12.0
#define ENOUGH_COMPLETE 0.9 /* of a function's own */
#define ENOUGH_COMPLETE_ALL 0.5
enum { ENOUGH_SAMPLES = 200 };

/* A function that ran and where it is in its object. */
struct where {
	uint64_t entry;
	uint32_t fn;
};

struct object {
	bool system;
	VEC(GElf_Phdr) segments;
	VEC(struct where) at;
};

struct samples {
	struct profile *p;
	VEC(struct object) object; /* by number in this run */
	uint64_t *edges;           /* caller in the upper half, sorted */
	bool *called;              /* by a function outside the system's libraries */
	uint32_t *seen;            /* the last sample that was counted for a function */
	uint32_t *cut, *missed;    /* chains that ended at a function too early, and those that may have led to it */
	uint32_t n, complete;
};

/* ---- objects */

static void segments_read(struct object *o, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t n = 0;
	if (elf && elf_getphdrnum(elf, &n) == 0)
		for (size_t i = 0; i < n; i++) {
			GElf_Phdr h;
			if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD)
				vec_push(&o->segments, h);
		}
	elf_end(elf);
	close(fd);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int by_entry(const void *a, const void *b)
{
	const struct where *x = a, *y = b;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void object_add(struct samples *s, const char *path)
{
	struct object o = {.system = profile_is_system(path)};
	const char *known = NULL; /* functions of one object stand together */
	bool same = false;
	for (uint32_t i = 0; i < s->p->fn.n; i++) {
		const struct profile_function *f = &s->p->fn.at[i];
		if (!known || strcmp(known, f->object) != 0) {
			known = f->object;
			same = same_file(known, path);
		}
		struct where w = {f->entry, i};
		if (same)
			vec_push(&o.at, w);
	}
	if (o.at.n) {
		qsort(o.at.at, o.at.n, sizeof *o.at.at, by_entry);
		segments_read(&o, path);
	}
	vec_push(&s->object, o);
}

static void objects_clear(struct samples *s)
{
	for (size_t i = 0; i < s->object.n; i++)
		vec_release_all(&s->object.at[i].segments, &s->object.at[i].at);
	vec_clear(&s->object);
}

/* The function that is at an offset of an object's file: the last one that begins there or before (`first`: there);
 * −1: none. */
static int64_t function_at(const struct object *o, uint64_t offset, bool first)
{
	size_t i = 0, low = 0, high = o->at.n;
	while (i < o->segments.n && (offset < o->segments.at[i].p_offset ||
				     offset - o->segments.at[i].p_offset >= o->segments.at[i].p_filesz))
		i++;
	if (i == o->segments.n)
		return -1;
	uint64_t address = offset - o->segments.at[i].p_offset + o->segments.at[i].p_vaddr;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (o->at.at[mid].entry <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && (!first || o->at.at[low - 1].entry == address) ? (int64_t)o->at.at[low - 1].fn : -1;
}

/* ---- who calls whom */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static bool calls(const struct samples *s, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	return bsearch(&key, s->edges, s->p->edge.n, sizeof key, by_number) != NULL;
}

/* A place in a call instruction. */
struct place {
	const struct object *o;
	int64_t fn, target; /* the function it is in, and the one that it calls; −1: not known */
};

/* Was `top` called from there? Directly, or by a function that ends with a jump: `by`, −1 for none. */
static bool leads_to(const struct samples *s, const struct place *x, uint32_t top, int64_t *by)
{
	*by = -1;
	if (x->target == (int64_t)top)
		return true;
	if (x->target >= 0) {
		*by = x->target;
		return calls(s, (uint32_t)x->target, top);
	}
	if (calls(s, (uint32_t)x->fn, top))
		return true;
	/* a call by a pointer, then a jump: which function that was is known when only one can be it */
	unsigned n = 0;
	for (size_t i = 0; i < s->p->edge.n; i++) {
		const struct profile_edge *e = &s->p->edge.at[i];
		if (e->callee == top && calls(s, (uint32_t)x->fn, e->caller)) {
			*by = e->caller;
			n++;
		}
	}
	if (n > 1)
		*by = -1;
	return n > 0;
}

static void samples_init(struct samples *s, struct profile *p)
{
	*s = (struct samples){.p = p};
	s->edges = mem_alloc(mem_mul(p->edge.n + 1, sizeof *s->edges));
	s->called = mem_zalloc(p->fn.n + 1);
	s->seen = mem_zalloc(mem_mul(p->fn.n + 1, sizeof *s->seen));
	s->cut = mem_zalloc(mem_mul(p->fn.n + 1, sizeof *s->cut));
	s->missed = mem_zalloc(mem_mul(p->fn.n + 1, sizeof *s->missed));
	for (size_t i = 0; i < p->edge.n; i++) {
		const struct profile_edge *e = &p->edge.at[i];
		s->edges[i] = (uint64_t)e->caller << 32 | e->callee;
		if (!profile_is_system(p->fn.at[e->caller].object) && e->caller != e->callee)
			s->called[e->callee] = true;
	}
	qsort(s->edges, p->edge.n, sizeof *s->edges, by_number);
}

static void samples_release(struct samples *s)
{
	objects_clear(s);
	vec_release(&s->object);
	free(s->edges);
	free(s->called);
	free(s->seen);
	free(s->cut);
	free(s->missed);
}

/* ---- a sample */

static void count(struct samples *s, int64_t fn)
{
	/* of calls inside calls of the same function the outer one counts */
	if (fn < 0 || s->seen[fn] == s->n)
		return;
	s->seen[fn] = s->n;
	s->p->fn.at[fn].samples++;
}

/* OBJECT:OFFSET[:TARGET] in the text; its end, or NULL. */
static const char *parse_place(const struct samples *s, const char *text, struct place *x)
{
	unsigned long long number, offset, target;
	int used = 0, more = 0;
	if (sscanf(text, " %llu:%llu%n:%llu%n", &number, &offset, &used, &target, &more) < 2 || !used ||
	    number >= s->object.n)
		return NULL;
	x->o = &s->object.at[number];
	x->fn = function_at(x->o, offset, false);
	x->target = more ? function_at(x->o, target, true) : -1;
	return text + (more ? more : used);
}

static void on_sample(struct samples *s, const char *text)
{
	struct place x;
	if (!(text = parse_place(s, text, &x)))
		return;
	s->n++;
	int64_t top = x.fn, by;
	bool inside = x.o->system; /* one of its variants: which one is not known */
	if (!inside)
		count(s, top);
	while ((inside || top >= 0) && (text = parse_place(s, text, &x))) {
		by = -1;
		if (x.fn < 0 || (inside ? x.o->system : !leads_to(s, &x, (uint32_t)top, &by)))
			continue;
		inside = x.o->system;
		count(s, by);
		count(s, x.fn);
		top = x.fn;
	}
	bool whole = inside || top < 0 || !s->called[top];
	s->complete += whole;
	if (!whole)
		s->cut[top]++;
}

static void read_lines(struct samples *s, FILE *file)
{
	static char line[1 << 14];
	while (fgets(line, sizeof line, file)) {
		char *path = line;
		line[strcspn(line, "\n")] = 0;
		if (line[0] == 'R')
			objects_clear(s);
		else if (line[0] == 'S')
			on_sample(s, line + 1);
		else if (line[0] == 'O' && line[1] && (path = strchr(line + 2, ' ')))
			object_add(s, path + 1);
	}
}

/* Everybody who calls this function, or one that does, may have been in its chains. */
static void miss(struct samples *s, const uint64_t *callers, size_t n, uint32_t fn)
{
	VEC(uint32_t) list = {0};
	bool *met = mem_zalloc(s->p->fn.n + 1);
	met[fn] = true;
	vec_push(&list, fn);
	for (size_t i = 0; i < list.n; i++) {
		size_t low = 0, high = n;
		while (low < high) {
			size_t mid = low + (high - low) / 2;
			if (callers[mid] >> 32 < list.at[i])
				low = mid + 1;
			else
				high = mid;
		}
		for (; low < n && callers[low] >> 32 == list.at[i]; low++) {
			uint32_t caller = (uint32_t)callers[low];
			if (met[caller])
				continue;
			met[caller] = true;
			s->missed[caller] += s->cut[fn];
			vec_push(&list, caller);
		}
	}
	vec_release(&list);
	free(met);
}

static void count_missed(struct samples *s)
{
	size_t n = s->p->edge.n;
	uint64_t *callers = mem_alloc(mem_mul(n + 1, sizeof *callers));
	for (size_t i = 0; i < n; i++)
		callers[i] = (uint64_t)s->p->edge.at[i].callee << 32 | s->p->edge.at[i].caller;
	qsort(callers, n, sizeof *callers, by_number);
	for (uint32_t i = 0; i < s->p->fn.n; i++)
		if (s->cut[i])
			miss(s, callers, n, i);
	free(callers);
}

void samples_read(struct profile *p, const char *path)
{
	struct samples s;
	FILE *file = fopen(path, "r");
	if (!file)
		return;
	samples_init(&s, p);
	read_lines(&s, file);
	fclose(file);
	bool enough = s.n >= ENOUGH_SAMPLES && s.complete >= ENOUGH_COMPLETE_ALL * s.n && p->instructions;
	count_missed(&s);
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		double expected = enough ? (double)f->inclusive / (double)p->instructions * s.n : 0;
		double most = (double)f->samples + s.missed[i];
		if (enough && (double)f->samples >= ENOUGH_COMPLETE * most && !profile_is_system(f->object))
			f->rate = ((double)f->samples + USUAL_SAMPLES) / (expected + USUAL_SAMPLES);
	}
	samples_release(&s);
}
