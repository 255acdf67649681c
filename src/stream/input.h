/* SPDX-License-Identifier: MIT */
/* Bytes in: a file or standard input, plain, gzip, zstd or xz (recognised by their first bytes; a
 * name that promises one of these and does not keep it is RC_INPUT), read as a stream through one buffer. Compressed
 * data may have several members; long zstd windows are accepted. Data that ends in the middle of a compressed member,
 * or that does not decompress, is RC_INPUT. */
#ifndef STREAM_INPUT_H
#define STREAM_INPUT_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;

enum { INPUT_MAX_VIEW = 1 << 18 };

/* path "-" is standard input. */
enum rc input_open(struct input **out, const char *path, struct err *e);
/* How many bytes at the end of a name say that it is compressed: ".gz", ".zst", ".zstd", ".xz". */
size_t input_packed_suffix(const char *name);
/* Reads from memory that must outlive it; name is used in messages. For tests and fuzzing. */
enum rc input_open_memory(struct input **out, const void *p, size_t n, const char *name, struct err *e);
/* Points to the next bytes, at least `min` of them (min ≤ INPUT_MAX_VIEW) unless the data ends before; *n is 0
 * only at the end. Aligned to 16 as long as all skips were multiples of 16. */
enum rc input_view(struct input *in, size_t min, const unsigned char **p, size_t *n, struct err *e);
/* Consumes n bytes of the last view. */
void input_skip(struct input *in, size_t n);
const char *input_name(const struct input *in);
/* Called when a signal interrupts a read: true ends it with RC_STOPPED. One for the whole process; NULL: reads
 * continue. */
void input_on_interrupt(bool (*stop)(void));
/* How much of the file was read, 0 … 1, compressed bytes counted; negative: its size is not known. */
double input_position(const struct input *in);
bool input_compressed(const struct input *in);
void input_free(struct input *in);

#endif
