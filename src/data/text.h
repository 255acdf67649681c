/* SPDX-License-Identifier: MIT */
/* Showing foreign text safely, and reading numbers strictly. */
#ifndef DATA_TEXT_H
#define DATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies n bytes into out (of size bytes, always ended by NUL), control bytes and invalid UTF-8 as \xNN;
 * what does not fit is cut at a character boundary. Returns out's length. */
size_t text_escape(const char *s, size_t n, char *out, size_t size);

/* The length (1–4) of the valid UTF-8 sequence at s with n bytes left, or 0. */
unsigned text_utf8_len(const char *s, size_t n);

/* A whole decimal number, nothing before or after it, no sign; false on anything else or on overflow. */
bool text_u64(const char *s, uint64_t *out);

/* As text_u64 with an optional K, M, G or T (powers of 1024, "KB" and "KiB" too). */
bool text_size(const char *s, uint64_t *out);

/* A finite decimal fraction ≥ 0, nothing after it. */
bool text_seconds(const char *s, double *out);

#endif
