/* SPDX-License-Identifier: MIT */
/* Bundles: see bundle.h. Names are sorted once to find those that are there twice or stand below a link or a file. */
#include "farm/bundle.h"

#include "farm/cursor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1 << 20, MOST_NAME = 1024, KIND_COPY = 1, KIND_LINK = 2 };

static const char magic[] = "RFB1";

void bundle_write(struct buf *out, const char *command, const struct buf *program, const struct fill *fill)
{
	buf_str_add(out, magic);
	put_number(out, command ? 1 : 0);
	if (command)
		put_counted(out, command, strlen(command));
	else
		put_counted(out, buf_str(program), program->n);
	put_number(out, fill->n_files);
	for (size_t i = 0; i < fill->n_files; i++) {
		put_counted(out, fill->names[i], strlen(fill->names[i]));
		put_number(out, fill->modes[i]);
	}
	put_number(out, fill->n_copies);
	for (size_t i = 0; i < fill->n_copies; i++) {
		const struct fill_copy *c = &fill->copy[i];
		put_counted(out, c->name, strlen(c->name));
		put_number(out, c->link ? KIND_LINK : KIND_COPY);
		if (c->link) {
			put_counted(out, c->link, strlen(c->link));
		} else {
			put_number(out, c->mode);
			put_counted(out, buf_str(c->text), c->text->n);
		}
	}
}

/* ---- reading */

/* Whether a name stays in the folder: relative, no empty part, no "." or "..". */
static bool safe_name(const char *name)
{
	for (const char *p = name;; p++) {
		size_t n = strcspn(p, "/");
		if (!n || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
		if (!*p)
			return true;
	}
}

static char *read_text(struct cursor *c, size_t most)
{
	uint64_t n = cursor_number(c);
	const unsigned char *p = cursor_bytes(c, n <= most ? n : UINT64_MAX);
	if (!p || !n || memchr(p, 0, n)) {
		c->bad = true;
		return NULL;
	}
	return mem_strndup((const char *)p, n);
}

static char *read_name(struct cursor *c)
{
	char *name = read_text(c, MOST_NAME);
	if (name && !safe_name(name))
		c->bad = true;
	return name;
}

static unsigned read_mode(struct cursor *c)
{
	uint64_t mode = cursor_number(c);
	/* no set-user-id and the like */
	if (mode > 07777)
		c->bad = true;
	return (unsigned)mode & 0777;
}

static void read_files(struct bundle *b, struct cursor *c)
{
	uint64_t n = cursor_number(c);
	if (c->bad || !n || n > MOST_FILES || n > c->left) {
		c->bad = true;
		return;
	}
	b->names = mem_zalloc(mem_mul(n, sizeof *b->names));
	b->modes = mem_zalloc(mem_mul(n, sizeof *b->modes));
	for (; b->fill.n_files < n && !c->bad; b->fill.n_files++) {
		b->names[b->fill.n_files] = read_name(c);
		b->modes[b->fill.n_files] = read_mode(c);
	}
	b->fill.names = (const char *const *)b->names;
	b->fill.modes = b->modes;
}

static void read_copy(struct fill_copy *copy, struct buf *text, struct cursor *c)
{
	copy->name = read_name(c);
	copy->text = text;
	uint64_t kind = cursor_number(c);
	if (kind == KIND_LINK) {
		copy->link = read_text(c, PATH_MAX - 1);
		return;
	}
	copy->mode = read_mode(c);
	uint64_t n = cursor_number(c);
	const unsigned char *p = cursor_bytes(c, n);
	if (p && kind == KIND_COPY)
		buf_add(text, p, n);
	else
		c->bad = true;
}

static void read_copies(struct bundle *b, struct cursor *c)
{
	uint64_t n = cursor_number(c);
	if (c->bad || n > MOST_FILES || n > c->left) {
		c->bad = true;
		return;
	}
	b->copies = mem_zalloc(mem_mul(n, sizeof *b->copies));
	b->copy_texts = mem_zalloc(mem_mul(n, sizeof *b->copy_texts));
	for (; b->fill.n_copies < n && !c->bad; b->fill.n_copies++)
		read_copy(&b->copies[b->fill.n_copies], &b->copy_texts[b->fill.n_copies], c);
	b->fill.copy = b->copies;
}

/* '/' sorts before every other byte, so that what stands below a name comes right after it. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *p = *(const unsigned char *const *)a, *q = *(const unsigned char *const *)b;
	while (*p && *p == *q)
		p++, q++;
	return (*p == '/' ? 1 : *p ? *p + 1 : 0) - (*q == '/' ? 1 : *q ? *q + 1 : 0);
}

/* Whether no name is there twice or stands below another one, which may be a link. */
static bool names_apart(const struct bundle *b)
{
	size_t n = b->fill.n_files + b->fill.n_copies;
	const char **all = mem_alloc(mem_mul(n + 1, sizeof *all));
	for (size_t i = 0; i < n; i++)
		all[i] = i < b->fill.n_files ? b->names[i] : b->copies[i - b->fill.n_files].name;
	qsort(all, n, sizeof *all, by_path);
	bool apart = true;
	for (size_t i = 1; i < n && apart; i++) {
		size_t len = strlen(all[i - 1]);
		apart = strncmp(all[i - 1], all[i], len) != 0 || (all[i][len] && all[i][len] != '/');
	}
	free(all);
	return apart;
}

enum rc bundle_read(struct bundle *b, const void *bytes, size_t n, struct err *e)
{
	struct cursor c = {.at = bytes, .left = n};
	*b = (struct bundle){0};
	const unsigned char *head = cursor_bytes(&c, sizeof magic - 1);
	if (!head || memcmp(head, magic, sizeof magic - 1) != 0)
		return err_set(e, RC_INPUT, "a bundle of another kind");
	uint64_t kind = cursor_number(&c);
	if (kind == 1) {
		b->command = read_text(&c, 1 << 20);
	} else if (kind == 0) {
		uint64_t len = cursor_number(&c);
		const unsigned char *p = cursor_bytes(&c, len);
		if (p)
			buf_add(&b->program, p, len);
	}
	if (kind > 1)
		c.bad = true;
	read_files(b, &c);
	read_copies(b, &c);
	if (c.bad || c.left)
		return err_set(e, RC_INPUT, "a bundle that is not well formed, or names files outside its folder");
	return names_apart(b) ? RC_OK : err_set(e, RC_INPUT, "a bundle with names that stand in each other's way");
}

void bundle_release(struct bundle *b)
{
	for (size_t i = 0; i < b->fill.n_files; i++)
		free(b->names[i]);
	for (size_t i = 0; i < b->fill.n_copies; i++) {
		free((char *)b->copies[i].name);
		free((char *)b->copies[i].link);
		buf_release(&b->copy_texts[i]);
	}
	free_all(b->names, b->modes, b->copies, b->copy_texts, b->command);
	buf_release(&b->program);
	*b = (struct bundle){0};
}
