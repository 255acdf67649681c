/* SPDX-License-Identifier: MIT */
/* Two kinds of nodes with measures of the same name, one above the other. */
#include "walk.h"

struct dir {
	struct file *files;
	struct dir *sub;
	int nf;
	struct dir *next;
};

struct file {
	struct file *next;
	struct dir *link;
	long size;
};

/*@ regtype file : struct file = null | { next : file, size : int(0..1000) };
    measure bytes(file) = size + bytes(next); measure nfiles(file) = 1 + nfiles(next);
    regtype dir : struct dir = null | { files : file, sub : dir, next : dir, nf == nfiles(files) };
    measure bytes(dir) = bytes(files) + bytes(sub) + bytes(next);
    measure depth(dir) = max(1 + depth(sub), depth(next));
    pred probe(x) : dir(x), depth(x) <= 3; */
NOINLINE void probe(struct dir *x)
{
	(void)x;
}

static struct dir *root, *all[60];
static int n;
static struct dir *nd(void)
{
	return all[n++] = calloc(1, sizeof *root);
}

static void build(void)
{
	root = nd();
}

static void mutate(void)
{
	struct dir *d = all[rnd(n)];
	switch (rnd(8)) {
	case 0:
	case 1: {
		struct file *f = calloc(1, sizeof *f);
		f->size = rnd(100);
		f->next = d->files;
		d->files = f;
		d->nf++;
	} break;
	case 2:
		if (d->files) {
			struct file *f = d->files;
			d->files = f->next;
			free(f);
			d->nf--;
		}
		break;
	case 3:
		if (n < 12) {
			struct dir *s = nd();
			s->next = d->sub;
			d->sub = s;
		}
		break;
	case 4:
		if (d->files)
			d->files->size = rnd(1100);
		break;
	case 5:
		d->nf += rnd(6) == 0;
		break;
	default:
		for (int i = 0; i < n; i++) {
			int k = 0;
			for (struct file *f = all[i]->files; f; f = f->next) {
				k++;
				f->size = 5;
			}
			all[i]->nf = k;
		}
		if (rnd(20) == 0) {
			root->sub = 0;
			n = 1;
		}
	}
}

static int dep(struct dir *d)
{
	if (!d)
		return 0;
	int a = 1 + dep(d->sub), b = dep(d->next);
	return a > b ? a : b;
}

static int ok(struct dir *d)
{
	if (!d)
		return 1;
	int k = 0;
	for (struct file *f = d->files; f; f = f->next) {
		k++;
		if (f->size < 0 || f->size > 1000)
			return 0;
	}
	return k == d->nf && ok(d->sub) && ok(d->next);
}

static int walk(void)
{
	return ok(root) && dep(root) <= 3;
}

static void call(void)
{
	probe(root);
}
