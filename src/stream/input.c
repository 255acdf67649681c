/* SPDX-License-Identifier: MIT */
/* Bytes in, see input.h. Raw bytes come from a descriptor or from memory; a filter (none, inflate, zstd, xz)
 * turns them into data in one buffer. buf[at … end) is what a view shows; before a refill it is moved to the
 * front. */
#include "stream/input.h"

#include "base/bits.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { RAW_SIZE = 1 << 17, BUF_SIZE = INPUT_MAX_VIEW };

enum filter { FILTER_NONE, FILTER_GZIP, FILTER_ZSTD, FILTER_XZ };

/* What a decoder may take for the dictionary an xz header asks for; xz -9 needs 65 MiB. */
#define XZ_MEMORY (UINT64_C(2) << 30)

struct input {
	char *name;
	int fd; /* −1: memory */
	enum filter filter;
	unsigned char *raw; /* not yet decompressed; for memory: the caller's block */
	size_t raw_at, raw_end;
	bool raw_over;  /* the source has no more */
	bool in_member; /* inside a compressed member */
	bool over;      /* no more data after buf */
	z_stream z;
	ZSTD_DStream *zstd;
	lzma_stream xz;
	unsigned char *buf;
	size_t at, end;
	uint64_t consumed;
	uint64_t raw_size, raw_read; /* of a file: its bytes, and how many were read; raw_size 0: not known */
};

static bool (*interrupted)(void);

void input_on_interrupt(bool (*stop)(void))
{
	interrupted = stop;
}

/* read, again after a signal unless that is to stop us. */
static enum rc read_some(struct input *in, unsigned char *to, size_t room, size_t *got, struct err *e)
{
	ssize_t n;
	while ((n = read(in->fd, to, room)) < 0 && errno == EINTR)
		if (interrupted && interrupted())
			return err_set(e, RC_STOPPED, "stopped");
	if (n < 0)
		return err_sys(e, errno == EISDIR ? RC_INPUT : RC_ENV, errno, "cannot read '%s'", in->name);
	*got = (size_t)n;
	in->raw_read += (size_t)n;
	return RC_OK;
}

/* More raw bytes behind those left; the left ones are moved to the front. */
static enum rc raw_fill(struct input *in, struct err *e)
{
	if (in->fd < 0 || in->raw_over) {
		in->raw_over = true;
		return RC_OK;
	}
	memmove(in->raw, in->raw + in->raw_at, in->raw_end - in->raw_at);
	in->raw_end -= in->raw_at;
	in->raw_at = 0;
	size_t got = 0;
	enum rc rc = read_some(in, in->raw + in->raw_end, RAW_SIZE - in->raw_end, &got, e);
	in->raw_over = got == 0;
	in->raw_end += got;
	return rc;
}

static enum rc damaged(struct input *in, const char *what, struct err *e)
{
	return err_set(e, RC_INPUT, "%s: %s after %llu bytes of data", in->name, what,
		       (unsigned long long)(in->consumed + (in->end - in->at)));
}

/* Each fill_* appends at least one byte to buf, or ends the data. */
static enum rc fill_none(struct input *in, struct err *e)
{
	if (in->raw_at < in->raw_end) {
		size_t n = in->raw_end - in->raw_at, room = BUF_SIZE - in->end;
		n = n < room ? n : room;
		memcpy(in->buf + in->end, in->raw + in->raw_at, n);
		in->raw_at += n;
		in->end += n;
		return RC_OK;
	}
	if (in->fd < 0 || in->raw_over) {
		in->over = true;
		return RC_OK;
	}
	size_t got = 0;
	enum rc rc = read_some(in, in->buf + in->end, BUF_SIZE - in->end, &got, e);
	in->over = got == 0;
	in->end += got;
	return rc;
}

/* Decompresses some of the raw bytes; dry: there are none, although a member is open. */
static enum rc step_gzip(struct input *in, bool dry, struct err *e)
{
	if (dry)
		return damaged(in, "the gzip data ends early", e);
	in->in_member = true;
	in->z.next_in = in->raw + in->raw_at;
	in->z.avail_in = (uInt)(in->raw_end - in->raw_at > UINT_MAX ? UINT_MAX : in->raw_end - in->raw_at);
	in->z.next_out = in->buf + in->end;
	in->z.avail_out = (uInt)(BUF_SIZE - in->end);
	uInt had = in->z.avail_in;
	int r = inflate(&in->z, Z_NO_FLUSH);
	in->raw_at += had - in->z.avail_in;
	in->end = BUF_SIZE - in->z.avail_out;
	if (r == Z_STREAM_END) {
		in->in_member = false;
		inflateReset(&in->z);
	} else if (r == Z_MEM_ERROR) {
		mem_oom(0);
	} else if (r != Z_OK && r != Z_BUF_ERROR) {
		return damaged(in, "the gzip data is damaged", e);
	}
	return RC_OK;
}

static enum rc step_zstd(struct input *in, bool dry, struct err *e)
{
	ZSTD_inBuffer src = {in->raw, in->raw_end, in->raw_at};
	ZSTD_outBuffer dst = {in->buf, BUF_SIZE, in->end};
	size_t r = ZSTD_decompressStream(in->zstd, &dst, &src);
	if (ZSTD_isError(r))
		return damaged(in, ZSTD_getErrorName(r), e);
	/* data may still come out of the window after the last raw byte */
	if (dry && dst.pos == in->end && r != 0)
		return damaged(in, "the zstd data ends early", e);
	in->in_member = r != 0;
	in->raw_at = src.pos;
	in->end = dst.pos;
	return RC_OK;
}

static enum rc step_xz(struct input *in, bool dry, struct err *e)
{
	in->in_member = true;
	in->xz.next_in = in->raw + in->raw_at;
	in->xz.avail_in = in->raw_end - in->raw_at;
	in->xz.next_out = in->buf + in->end;
	in->xz.avail_out = BUF_SIZE - in->end;
	lzma_ret r = lzma_code(&in->xz, dry ? LZMA_FINISH : LZMA_RUN);
	in->raw_at = in->raw_end - in->xz.avail_in;
	in->end = BUF_SIZE - in->xz.avail_out;
	switch (r) {
	case LZMA_OK:
		return RC_OK;
	case LZMA_STREAM_END: /* of all streams: the decoder joins them */
		in->in_member = false;
		return RC_OK;
	case LZMA_MEM_ERROR:
		mem_oom(0);
	case LZMA_MEMLIMIT_ERROR:
		return damaged(in, "the xz data wants more than 2 GiB of memory", e);
	case LZMA_BUF_ERROR:
		return damaged(in, "the xz data ends early", e);
	default:
		return damaged(in, "the xz data is damaged", e);
	}
}

/* Steps until something comes out, or the last member is over. */
static enum rc fill_members(struct input *in, struct err *e)
{
	size_t start = in->end;
	while (in->end == start) {
		enum rc rc = in->raw_at == in->raw_end && !in->raw_over ? raw_fill(in, e) : RC_OK;
		if (rc != RC_OK)
			return rc;
		bool dry = in->raw_at == in->raw_end;
		if (dry && !in->in_member) {
			in->over = true;
			return RC_OK;
		}
		rc = in->filter == FILTER_GZIP   ? step_gzip(in, dry, e)
		     : in->filter == FILTER_ZSTD ? step_zstd(in, dry, e)
						 : step_xz(in, dry, e);
		if (rc != RC_OK)
			return rc;
	}
	return RC_OK;
}

static enum rc detect(struct input *in, struct err *e)
{
	while (in->raw_end < 6 && !in->raw_over) {
		enum rc rc = raw_fill(in, e);
		if (rc)
			return rc;
	}
	const unsigned char *p = in->raw;
	if (in->raw_end >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8) {
		in->filter = FILTER_GZIP;
		if (inflateInit2(&in->z, 15 + 16) != Z_OK)
			mem_oom(0);
	} else if (in->raw_end >= 4 && ((p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) ||
					((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18))) {
		in->filter = FILTER_ZSTD;
		in->zstd = ZSTD_createDStream();
		if (!in->zstd)
			mem_oom(0);
		ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, sizeof(size_t) == 8 ? 31 : 27);
	} else if (in->raw_end >= 6 && memcmp(p,
					      "\xfd"
					      "7zXZ",
					      6) == 0) {
		in->filter = FILTER_XZ;
		in->xz = (lzma_stream)LZMA_STREAM_INIT;
		if (lzma_stream_decoder(&in->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
			mem_oom(0);
	}
	return RC_OK;
}

static enum rc start(struct input **out, struct input *in, struct err *e)
{
	in->buf = bigmem_alloc(BUF_SIZE); /* on a page of its own: the kernel copies faster to aligned places */
	enum rc rc = detect(in, e);
	if (rc) {
		input_free(in);
		return rc;
	}
	*out = in;
	return RC_OK;
}

size_t input_packed_suffix(const char *name)
{
	static const char *const suffix[] = {".gz", ".zst", ".zstd", ".xz"};
	size_t n = strlen(name);
	for (size_t i = 0; i < ARRAY_LEN(suffix); i++)
		if (n >= strlen(suffix[i]) && strcasecmp(name + n - strlen(suffix[i]), suffix[i]) == 0)
			return strlen(suffix[i]);
	return 0;
}

enum rc input_open(struct input **out, const char *path, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_sys(e, RC_INPUT, errno, "cannot open '%s'", path);
	struct input *in = mem_zalloc(sizeof *in);
	in->name = mem_strdup(is_stdin ? "standard input" : path);
	in->fd = fd;
	in->raw = mem_alloc(RAW_SIZE);
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		in->raw_size = (uint64_t)st.st_size;
	enum rc rc = start(&in, in, e);
	if (rc)
		return rc;
	if (!input_compressed(in) && input_packed_suffix(path)) {
		err_set(e, RC_INPUT, "%s: neither gzip, zstd nor xz data, as its name says: cut, damaged or misnamed",
			path);
		input_free(in);
		return RC_INPUT;
	}
	*out = in;
	return RC_OK;
}

enum rc input_open_memory(struct input **out, const void *p, size_t n, const char *name, struct err *e)
{
	struct input *in = mem_zalloc(sizeof *in);
	in->name = mem_strdup(name);
	in->fd = -1;
	in->raw = (unsigned char *)p; /* never written: raw_fill returns at once */
	in->raw_end = n;
	return start(out, in, e);
}

enum rc input_view(struct input *in, size_t min, const unsigned char **p, size_t *n, struct err *e)
{
	if (in->end - in->at < min && !in->over) {
		memmove(in->buf, in->buf + in->at, in->end - in->at);
		in->end -= in->at;
		in->at = 0;
	}
	while (in->end - in->at < min && !in->over) {
		enum rc rc = in->filter == FILTER_NONE ? fill_none(in, e) : fill_members(in, e);
		if (rc)
			return rc;
	}
	*p = in->buf + in->at;
	*n = in->end - in->at;
	return RC_OK;
}

void input_skip(struct input *in, size_t n)
{
	in->at += n;
	in->consumed += n;
}

const char *input_name(const struct input *in)
{
	return in->name;
}

bool input_compressed(const struct input *in)
{
	return in->filter != FILTER_NONE;
}

double input_position(const struct input *in)
{
	if (!in->raw_size)
		return -1;
	double at = (double)in->raw_read / (double)in->raw_size;
	return at < 1 ? at : 1;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->filter == FILTER_GZIP)
		inflateEnd(&in->z);
	if (in->filter == FILTER_XZ)
		lzma_end(&in->xz);
	ZSTD_freeDStream(in->zstd);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	if (in->fd >= 0)
		free(in->raw);
	bigmem_free(in->buf, BUF_SIZE);
	free(in->name);
	free(in);
}
