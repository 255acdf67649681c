/* SPDX-License-Identifier: MIT */
/* Byte buffers and whole-file reading and writing: see buf.h. */
#include "data/buf.h"

#include "data/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void buf_add(struct buf *b, const void *p, size_t n)
{
	vec_reserve(b, mem_add(n, 1));
	if (n)
		memcpy(b->at + b->n, p, n);
	b->n += n;
	b->at[b->n] = '\0';
}

void buf_str_add(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		vec_reserve(b, mem_add((size_t)n, 1));
		vsnprintf(b->at + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_base64(struct buf *b, const void *p, size_t n)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *u = p;
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t v =
			(uint32_t)u[i] << 16 | (left > 1 ? (uint32_t)u[i + 1] << 8 : 0) | (left > 2 ? u[i + 2] : 0);
		buf_char(b, set[v >> 18]);
		buf_char(b, set[v >> 12 & 63]);
		buf_char(b, left > 1 ? set[v >> 6 & 63] : '=');
		buf_char(b, left > 2 ? set[v & 63] : '=');
	}
}

void buf_shell_word(struct buf *b, const char *word)
{
	buf_char(b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_str_add(b, "'\\''");
		else
			buf_char(b, *word);
	}
	buf_char(b, '\'');
}

const char *buf_str(const struct buf *b)
{
	return b->n ? b->at : "";
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->at)
		b->at[0] = '\0';
}

void buf_release(struct buf *b)
{
	vec_release(b);
}

enum rc buf_read_fd(struct buf *b, int fd, const char *name, size_t max, struct err *e)
{
	size_t start = b->n;
	for (;;) {
		vec_reserve(b, 65536 + 1);
		ssize_t got = read(fd, b->at + b->n, b->cap - b->n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, RC_ENV, errno, "cannot read '%s'", name);
		b->n += (size_t)got;
		b->at[b->n] = '\0';
		if (b->n - start > max)
			return err_set(e, RC_INPUT, "'%s' is larger than %zu bytes", name, max);
		if (got == 0)
			return RC_OK;
	}
}

enum rc buf_read_file(struct buf *b, const char *path, size_t max, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, RC_INPUT, errno, "cannot open '%s'", path);
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(e, RC_INPUT, "'%s' is a folder", path);
	}
	if (S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size <= max)
		vec_reserve(b, (size_t)st.st_size + 65538);
	enum rc rc = buf_read_fd(b, fd, path, max, e);
	close(fd);
	return rc;
}

enum rc buf_write_file(const struct buf *b, const char *path, unsigned mode, struct err *e)
{
	struct newfile f;
	enum rc rc = newfile_create(&f, path, mode, e);
	if (rc != RC_OK)
		return rc;
	if (write_all(f.fd, buf_str(b), b->n))
		return newfile_commit(&f, true, e);
	rc = err_sys(e, RC_ENV, errno, "cannot write '%s'", path);
	newfile_abandon(&f);
	return rc;
}
