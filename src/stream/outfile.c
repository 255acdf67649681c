/* SPDX-License-Identifier: MIT */
/* See outfile.h. */
#include "stream/outfile.h"

#include "data/buf.h"
#include "data/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUF_SIZE = 1 << 16 };

struct outfile {
	int fd, sys;       /* sys: errno of the first failed write */
	char *path, *temp; /* temp NULL: written directly */
	unsigned char *buf;
	size_t n;
};

static enum rc open_temp(struct outfile *o, const struct stat *old, struct err *e)
{
	o->temp = mem_printf("%s.XXXXXX", o->path);
	o->fd = mkostemp(o->temp, O_CLOEXEC);
	if (o->fd < 0) {
		int sys = errno;
		free(o->temp);
		o->temp = NULL;
		return err_sys(e, RC_ENV, sys, "cannot create '%s'", o->path);
	}
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(o->fd, old ? old->st_mode & 07777 : 0666 & ~mask) < 0)
		return err_sys(e, RC_ENV, errno, "cannot create '%s'", o->path);
	return RC_OK;
}

enum rc outfile_create(struct outfile **out, const char *path, struct err *e)
{
	struct outfile *o = mem_zalloc(sizeof *o);
	o->fd = -1;
	o->buf = mem_alloc(BUF_SIZE);
	struct stat st;
	enum rc rc = RC_OK;
	if (strcmp(path, "-") == 0) {
		o->path = mem_strdup("standard output");
		o->fd = STDOUT_FILENO;
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->path = mem_strdup(path);
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (o->fd < 0)
			rc = err_sys(e, RC_ENV, errno, "cannot write '%s'", path);
	} else {
		char *real = realpath(path, NULL);
		o->path = mem_strdup(real ? real : path);
		rc = open_temp(o, real && stat(real, &st) == 0 ? &st : NULL, e);
		free(real);
	}
	if (rc) {
		outfile_abandon(o);
		return rc;
	}
	*out = o;
	return RC_OK;
}

static void flush_bytes(struct outfile *o, const unsigned char *p, size_t n)
{
	if (!o->sys && !write_all(o->fd, p, n))
		o->sys = errno;
}

bool outfile_write(struct outfile *o, const void *p, size_t n)
{
	if (o->n + n > BUF_SIZE) {
		flush_bytes(o, o->buf, o->n);
		o->n = 0;
	}
	if (n > BUF_SIZE) {
		flush_bytes(o, p, n);
	} else {
		memcpy(o->buf + o->n, p, n);
		o->n += n;
	}
	return !o->sys;
}

enum rc outfile_close(struct outfile *o, struct err *e)
{
	flush_bytes(o, o->buf, o->n);
	if (o->temp && !o->sys && close(o->fd) < 0)
		o->sys = errno;
	if (o->temp)
		o->fd = -1;
	if (o->temp && !o->sys && rename(o->temp, o->path) < 0)
		o->sys = errno;
	enum rc rc = o->sys ? err_sys(e, RC_ENV, o->sys, "cannot write '%s'", o->path) : RC_OK;
	if (!rc && o->temp) {
		free(o->temp);
		o->temp = NULL;
	}
	outfile_abandon(o);
	return rc;
}

void outfile_abandon(struct outfile *o)
{
	if (!o)
		return;
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	free(o->buf);
	free(o);
}
