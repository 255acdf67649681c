/* SPDX-License-Identifier: MIT */
/* See outfile.h. */
#include "stream/outfile.h"

#include "data/buf.h"
#include "data/mem.h"
#include "data/newfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUF_SIZE = 1 << 16 };

struct outfile {
	struct newfile file;
	bool standard; /* standard output: file.fd is not ours to close */
	int sys;       /* errno of the first failed write */
	unsigned char *buf;
	size_t n;
};

static void outfile_free(struct outfile *o)
{
	free(o->buf);
	free(o);
}

static unsigned usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~(unsigned)mask;
}

enum rc outfile_create(struct outfile **out, const char *path, struct err *e)
{
	struct outfile *o = mem_zalloc(sizeof *o);
	o->standard = strcmp(path, "-") == 0;
	o->file.fd = STDOUT_FILENO;
	enum rc rc = o->standard ? RC_OK : newfile_create(&o->file, path, usual_mode(), e);
	if (rc) {
		free(o);
		return rc;
	}
	o->buf = mem_alloc(BUF_SIZE);
	*out = o;
	return RC_OK;
}

static void flush_bytes(struct outfile *o, const unsigned char *p, size_t n)
{
	if (!o->sys && !write_all(o->file.fd, p, n))
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
	enum rc rc = RC_OK;
	flush_bytes(o, o->buf, o->n);
	if (o->standard)
		rc = o->sys ? err_sys(e, RC_ENV, o->sys, "cannot write standard output") : RC_OK;
	else if (o->sys)
		rc = err_sys(e, RC_ENV, o->sys, "cannot write '%s'", o->file.path);
	else
		rc = newfile_commit(&o->file, false, e);
	if (o->sys)
		outfile_abandon(o);
	else
		outfile_free(o);
	return rc;
}

void outfile_abandon(struct outfile *o)
{
	if (!o)
		return;
	if (!o->standard)
		newfile_abandon(&o->file);
	outfile_free(o);
}
