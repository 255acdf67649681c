/* SPDX-License-Identifier: MIT */
/* The processes of a profile: the program that was started, and with --children those that it started in turn.
 *
 * Every pass starts them again, under other pids. The tool says who each one is by how it came to be (runtime/valgrind/
 * children.c), so what a pass says is added to what the passes before said of the same process. A process that the
 * counting pass did not see is ignored.
 *
 * A process and its forks run one program, and share the tool's list of functions: the code they have in common is
 * translated once. A list names a function by its line; each process knows which of its own functions that is. */
#include "profile/passes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile *family_at(const struct profiler *pr, size_t i)
{
	return i == 0 ? pr->first : i <= pr->first->others.n ? pr->first->others.at[i - 1] : NULL;
}

/* ---- what they left */

static struct profile *find(const struct profiler *pr, uint64_t id)
{
	struct profile *p;
	for (size_t i = 0; (p = family_at(pr, i)); i++)
		if (p->process.id == id)
			return p;
	return NULL;
}

enum rc family_image(struct profiler *pr, const void *p, size_t n, struct err *e)
{
	struct vg_image r;
	const char *path = (const char *)p + sizeof r;
	if (n <= sizeof r || ((const char *)p)[n - 1])
		return err_set(e, RC_BUG, "the tool sent a damaged record of a process");
	memcpy(&r, p, sizeof r);
	vec_clear(&pr->of_tool);
	if ((pr->p = find(pr, r.process)) || !pr->counting)
		return RC_OK;
	pr->p = mem_zalloc(sizeof *pr->p);
	*pr->p = (struct profile){.complete = true, .followed = true};
	pr->p->process = (struct profile_process){.id = r.process,
						  .program = r.program,
						  .from = r.from,
						  .start_ns = r.start_ns,
						  .path = arena_strndup(&pr->p->arena, path, strlen(path)),
						  .forked = r.forked};
	vec_push(&pr->first->others, pr->p);
	return RC_OK;
}

enum rc family_read(struct profiler *pr, const char *folder,
		    void (*ended)(struct profiler *, const struct vg_done *, bool), struct err *e)
{
	const struct valgrind_run v = {.on_record = profile_record, .user = pr};
	enum rc rc = RC_OK;
	DIR *d = opendir(folder);
	if (!d)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", folder);
	for (struct dirent *entry; !rc && (entry = readdir(d));) {
		char path[PATH_MAX];
		struct valgrind_result r;
		if (entry->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
			continue;
		pr->p = NULL; /* it was killed before it said who it is */
		rc = valgrind_stream(path, &v, &r, e);
		if (!rc && pr->p)
			ended(pr, &r.end, r.done);
	}
	closedir(d);
	pr->p = pr->first;
	return rc;
}

/* ---- what each takes */

static int by_start(const void *a, const void *b)
{
	const struct profile *const *x = a, *const *y = b;
	return (*x)->process.start_ns < (*y)->process.start_ns ? -1 : (*x)->process.start_ns > (*y)->process.start_ns;
}

void family_share(struct profiler *pr)
{
	struct profile *first = pr->first, *p;
	if (first->others.n)
		qsort(first->others.at, first->others.n, sizeof *first->others.at, by_start);
	double all = 0;
	for (size_t i = 0; (p = family_at(pr, i)); i++) {
		if (i)
			p->cost = first->cost;
		p->process.number = (unsigned)i + 1;
		all += profile_ns(p, (double)p->instructions, (double)p->kernel_ns);
	}
	for (size_t i = 0; (p = family_at(pr, i)); i++) {
		const struct profile *parent = i ? find(pr, p->process.from) : NULL;
		p->process.parent = parent ? parent->process.number : 0;
		p->process.share = all > 0 ? profile_ns(p, (double)p->instructions, (double)p->kernel_ns) / all : 1;
		p->process.cold = i && !pr->o->wanted.n && p->process.share < pr->o->min_share;
		p->cost.whole_s *= p->process.share;
	}
}

/* ---- lists for the tool */

static struct wanted *line_of(struct wanted_list *list, const struct profile *p, const struct profile_function *f)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].program == p->process.program && list->at[i].f->entry == f->entry &&
		    strcmp(list->at[i].f->object, f->object) == 0)
			return &list->at[i];
	struct wanted *w = vec_add(list);
	*w = (struct wanted){.program = p->process.program, .f = f, .most = 1, .last = 1};
	return w;
}

/* 0 means without a limit. */
static void larger(uint64_t *limit, uint64_t n)
{
	if (*limit && (!n || n > *limit))
		*limit = n;
}

void family_want(struct wanted_list *list, struct profile *p, uint32_t fn, uint64_t most, uint64_t last, bool dumps)
{
	const struct profile_function *f = &p->fn.at[fn];
	struct wanted *w = line_of(list, p, f);
	larger(&w->most, most);
	larger(&w->last, last);
	for (int i = 0; dumps && i < 2 && w->n_dumps < MAX_DUMPS; i++)
		w->dump[w->n_dumps++] = f->dump[i].call;
	size_t line = (size_t)(w - list->at);
	while (p->listed.n <= line)
		vec_push(&p->listed, 0);
	p->listed.at[line] = fn + 1;
}

/* flat: what they carry, or NULL */
static void print_slots(struct buf *b, const struct signature_slot *s, unsigned n, const struct layout_leaf *flat)
{
	buf_char(b, ' ');
	if (!n)
		buf_char(b, '-');
	for (unsigned i = 0; i < n; i++) {
		buf_printf(b, "%sr%u%s:%u%s%s", i ? "," : "", s[i].reg, s[i].high ? "+8" : "", s[i].size,
			   s[i].pointer ? "p" : "", s[i].object ? "o" : "");
		if (flat)
			buf_printf(b, "=%c%u", (char)flat[i].kind, flat[i].type);
	}
}

static void print_line(struct buf *b, const struct wanted *w, size_t line)
{
	const struct profile_function *f = w->f;
	buf_printf(b, "%zu %llx %llu %llu %llu", line, (unsigned long long)f->entry, (unsigned long long)f->limit,
		   (unsigned long long)w->most, (unsigned long long)w->last);
	print_slots(b, f->sig->arg, f->sig->n_args, f->flat ? f->flat->arg : NULL);
	print_slots(b, f->sig->result, f->sig->n_results, f->flat ? f->flat->result : NULL);
	buf_str_add(b, w->n_dumps ? " " : " -");
	for (unsigned i = 0; i < w->n_dumps; i++)
		buf_printf(b, "%s%llu", i ? "," : "", (unsigned long long)w->dump[i]);
	buf_printf(b, " %s\n", f->object);
}

static void print_types(struct buf *b, const struct layouts *types)
{
	for (size_t i = 0; i < types->type.n; i++) {
		const struct layout_type *t = &types->type.at[i];
		buf_printf(b, "T %zu %llu", i + 1, (unsigned long long)t->size);
		for (size_t k = 0; k < t->leaf.n; k++)
			buf_printf(b, " %c%llu:%llu", (char)t->leaf.at[k].kind,
				   (unsigned long long)t->leaf.at[k].offset,
				   t->leaf.at[k].kind == LAYOUT_POINTER ? (unsigned long long)t->leaf.at[k].type
									: (unsigned long long)t->leaf.at[k].size);
		buf_char(b, '\n');
	}
}

static enum rc write_list(const struct wanted_list *list, uint64_t program, const struct layouts *types,
			  const char *folder, struct err *e)
{
	char path[PATH_MAX + 64];
	struct buf text = {0};
	print_types(&text, types);
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].program == program)
			print_line(&text, &list->at[i], i);
	snprintf(path, sizeof path, "%s/functions.%llx", folder, (unsigned long long)program);
	enum rc rc = buf_write_file(&text, path, 0600, e);
	buf_release(&text);
	return rc;
}

/* The first program's list may be empty; others that have none are not looked at. */
enum rc family_write(const struct wanted_list *list, const struct layouts *types, const char *folder, struct err *e)
{
	enum rc rc = write_list(list, FIRST_PROGRAM, types, folder, e);
	for (size_t i = 0; i < list->n && !rc; i++) {
		bool again = list->at[i].program == FIRST_PROGRAM;
		for (size_t k = 0; k < i; k++)
			again |= list->at[k].program == list->at[i].program;
		if (!again)
			rc = write_list(list, list->at[i].program, types, folder, e);
	}
	return rc;
}
