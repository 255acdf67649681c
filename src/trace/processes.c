/* SPDX-License-Identifier: MIT */
/* See processes.h. The files are read twice: first for the places of their blocks and what else they say, then block by
 * block in order of the time each was written, which is within a few thousand references of the order in which the
 * processes ran. A block's file is opened when it is not the one before's. */
#include "trace/processes.h"

#include "base/keyblock.h"
#include "base/vgproto.h"
#include "data/mem.h"
#include "data/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
	uint32_t when, process; /* process: first the file, then its place in order of start */
	uint32_t count, length; /* keys, and bytes of them */
	uint64_t offset;
	uint64_t number; /* in the file */
};

struct stream {
	struct process about;
	char *path;
	uint32_t file; /* as blocks name it while files are read */
};

struct processes {
	VEC(struct stream) stream;
	VEC(struct block) block;
};

enum { MOST = 1 << 20 }; /* bytes of a record of the recorder */

static enum rc broken(const struct stream *s, struct err *e)
{
	return err_set(e, RC_BUG, "the recorder's stream of process %u is broken", s->about.pid);
}

static enum rc take_image(struct stream *s, const char *p, size_t n, struct err *e)
{
	struct vg_image r;
	if (n <= sizeof r || p[n - 1])
		return broken(s, e);
	memcpy(&r, p, sizeof r);
	free(s->about.program);
	s->about.program = mem_strdup(p + sizeof r);
	s->about.pid = r.pid;
	s->about.parent = r.parent;
	s->about.forked = r.forked;
	s->about.start_ns = r.start_ns;
	return RC_OK;
}

static enum rc take_record(struct processes *all, struct stream *s, struct vg_record r, const char *p, uint64_t at,
			   struct err *e)
{
	s->about.complete = false;
	if (r.kind == VG_IMAGE)
		return take_image(s, p, r.length, e);
	if (r.kind == VG_EXEC)
		s->about.complete = true;
	if (r.kind == VG_DONE && r.length == sizeof(struct vg_done)) {
		struct vg_done d;
		memcpy(&d, p, sizeof d);
		s->about.instructions = d.instructions;
		s->about.stopped = d.flags & VG_DONE_STOPPED;
		s->about.complete = !s->about.stopped;
	}
	if (r.kind != VG_KEYS)
		return RC_OK;
	struct vg_keys k;
	if (r.length < sizeof k)
		return broken(s, e);
	memcpy(&k, p, sizeof k);
	struct block b = {.when = k.pad,
			  .process = s->file,
			  .count = k.count,
			  .length = r.length - (uint32_t)sizeof k,
			  .offset = at + sizeof k,
			  .number = all->block.n};
	if (!k.count || k.count > KEYBLOCK_KEYS)
		return broken(s, e);
	s->about.references += k.count;
	vec_push(&all->block, b);
	return RC_OK;
}

/* A record that is cut short is the end: its process was killed. */
static enum rc read_stream(struct processes *all, struct stream *s, struct err *e)
{
	FILE *f = fopen(s->path, "rb");
	if (!f)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", s->path);
	char *bytes = mem_alloc(MOST);
	struct vg_record r;
	uint64_t at = 0;
	enum rc rc = RC_OK;
	while (!rc && fread(&r, sizeof r, 1, f) == 1) {
		at += sizeof r;
		if (r.length > MOST)
			rc = broken(s, e);
		else if (fread(bytes, 1, r.length, f) != r.length)
			break;
		else
			rc = take_record(all, s, r, bytes, at, e);
		at += r.length;
	}
	free(bytes);
	fclose(f);
	return rc;
}

static int by_start(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;
	return x->about.start_ns < y->about.start_ns ? -1 : x->about.start_ns > y->about.start_ns;
}

/* The clock's 32 bits may run over during a recording. */
static int by_time(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	int32_t later = (int32_t)(x->when - y->when);
	if (later)
		return later < 0 ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void put_in_order(struct processes *p)
{
	uint32_t *place = mem_alloc(mem_mul(p->stream.n + 1, sizeof *place));
	qsort(p->stream.at, p->stream.n, sizeof *p->stream.at, by_start);
	for (size_t i = 0; i < p->stream.n; i++)
		place[p->stream.at[i].file] = (uint32_t)i;
	for (size_t i = 0; i < p->block.n; i++)
		p->block.at[i].process = place[p->block.at[i].process];
	qsort(p->block.at, p->block.n, sizeof *p->block.at, by_time);
	free(place);
}

enum rc processes_read(struct processes **out, const char *folder, struct err *e)
{
	DIR *d = opendir(folder);
	if (!d)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", folder);
	struct processes *p = mem_zalloc(sizeof *p);
	enum rc rc = RC_OK;
	for (struct dirent *entry; !rc && (entry = readdir(d));) {
		if (entry->d_name[0] == '.')
			continue;
		struct stream *s = vec_add(&p->stream);
		*s = (struct stream){.path = mem_printf("%s/%s", folder, entry->d_name),
				     .file = (uint32_t)(p->stream.n - 1)};
		rc = read_stream(p, s, e);
		if (!rc && !s->about.program) { /* it was killed before it said what it is */
			free(s->path);
			p->stream.n--;
		}
	}
	closedir(d);
	if (rc) {
		processes_free(p);
		return rc;
	}
	put_in_order(p);
	*out = p;
	return RC_OK;
}

size_t processes_count(const struct processes *p)
{
	return p->stream.n;
}

const struct process *processes_at(const struct processes *p, size_t i)
{
	return &p->stream.at[i].about;
}

enum rc processes_each(const struct processes *p, size_t only, process_keys_fn fn, void *user, struct err *e)
{
	unsigned char *bytes = mem_alloc(MOST);
	uint64_t *keys = mem_alloc(KEYBLOCK_KEYS * sizeof *keys);
	FILE *f = NULL;
	size_t open = SIZE_MAX;
	enum rc rc = RC_OK;
	for (size_t i = 0; i < p->block.n && !rc; i++) {
		const struct block *b = &p->block.at[i];
		const struct stream *s = &p->stream.at[b->process];
		if (only != SIZE_MAX && b->process != only)
			continue;
		if (open != b->process) {
			if (f)
				fclose(f);
			if (!(f = fopen(s->path, "rb"))) {
				rc = err_sys(e, RC_ENV, errno, "cannot open '%s'", s->path);
				break;
			}
			open = b->process;
		}
		if (fseeko(f, (off_t)b->offset, SEEK_SET) != 0 || fread(bytes, 1, b->length, f) != b->length)
			rc = err_set(e, RC_ENV, "cannot read '%s'", s->path);
		else if (!keyblock_decode(bytes, b->length, keys, b->count))
			rc = broken(s, e);
		else
			rc = fn(user, b->process, keys, b->count, e);
	}
	if (f)
		fclose(f);
	free(bytes);
	free(keys);
	return rc;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->stream.n; i++) {
		free(p->stream.at[i].path);
		free(p->stream.at[i].about.program);
	}
	vec_release_all(&p->stream, &p->block);
	free(p);
}
