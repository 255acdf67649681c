/* SPDX-License-Identifier: MIT */
/* A growable string of bytes, always followed by a NUL. All bits zero is the empty buffer (at may be NULL then;
 * buf_str gives "" for it). */
#ifndef DATA_BUF_H
#define DATA_BUF_H

#include "base/fdio.h"
#include "data/err.h"
#include "data/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

struct buf {
	VEC_FIELDS(char);
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_str_add(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
/* Appends word so that a shell reads it as one word: 'it'\''s'. */
void buf_shell_word(struct buf *b, const char *word);
/* Appends n bytes in base64, with padding. */
void buf_base64(struct buf *b, const void *p, size_t n);
const char *buf_str(const struct buf *b);
void buf_clear(struct buf *b);
void buf_release(struct buf *b);

/* Reads a whole file, or descriptor to its end; more than max bytes is RC_INPUT. */
enum rc buf_read_file(struct buf *b, const char *path, size_t max, struct err *e);
enum rc buf_read_fd(struct buf *b, int fd, const char *name, size_t max, struct err *e);

/* Replaces path's content at once and for good (fsync): see data/newfile.h. mode is used for a new file. */
enum rc buf_write_file(const struct buf *b, const char *path, unsigned mode, struct err *e);

#endif
