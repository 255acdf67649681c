/* SPDX-License-Identifier: MIT */
/* Reduction of a text in memory, with a function as the test (librefrain).
 *
 *	static int crashes(void *user, const char *text, size_t n) { return parser_crashes(user, text, n); }
 *
 *	rf_reduce_options o = {.size = sizeof o, .interesting = crashes, .user = parser, .language = "json"};
 *	rf_reduction *r;
 *	if (rf_reduce(text, n, &o, &r, NULL) == RF_OK) {
 *		size_t small_n;
 *		const char *small = rf_reduction_text(r, &small_n);
 *		...
 *		rf_reduction_free(r);
 *	}
 *
 * No process is started, no file read or written. Everything happens in the calling thread, unless jobs says that the
 * test may be called from several threads at a time. No text is given to the test twice (unless cache is "none"). One
 * call at a time in a process: grammars are shared. */
#ifndef REFRAIN_REDUCE_H
#define REFRAIN_REDUCE_H

#include <refrain/refrain.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the text (n bytes, then a NUL) is interesting: > 0 yes, 0 no, < 0 stop here with the best text so far.
 * The text is valid during the call only. */
typedef int (*rf_interesting)(void *user, const char *text, size_t n);

/* There is a smaller text (n bytes, then a NUL, valid during the call only) after so many calls of the test: 0 to go
 * on, another number to stop here. */
typedef int (*rf_reduce_progress)(void *user, const char *text, size_t n, uint64_t queries);

/* All zeros but `size` and `interesting` is a good choice. Fields may be added at the end. */
typedef struct rf_reduce_options {
	size_t size; /* sizeof(rf_reduce_options) */
	rf_interesting interesting;
	void *user;
	const char *language;        /* as for `refrain reduce --language`; NULL: by content */
	const char *algorithm;       /* --algorithm; NULL: "full" */
	const char *cache;           /* --cache; NULL: "full" */
	uint64_t max_queries;        /* calls of the test; 0: no limit */
	uint64_t seed;               /* random seed */
	unsigned jobs;               /* > 1: the test is called from that many threads at a time */
	rf_reduce_progress progress; /* NULL, or told about each smaller text, in the calling thread */
} rf_reduce_options;

/* A finished reduction. */
typedef struct rf_reduction rf_reduction;

/* Reduces the text. RF_OK: *out is the result, to be freed by rf_reduction_free. RF_NO: the text is not interesting to
 * begin with. RF_INPUT: an option is wrong or the text is too large. Unless RF_OK, *out is NULL. e may be NULL. */
RF_API rf_status rf_reduce(const char *text, size_t n, const rf_reduce_options *options, rf_reduction **out,
			   rf_error *e);

/* The smallest interesting text that was found, ended by a NUL that *n (may be NULL) does not count. */
RF_API const char *rf_reduction_text(const rf_reduction *r, size_t *n);
/* 0 when max_queries or the test ended it early. */
RF_API int rf_reduction_complete(const rf_reduction *r);
/* How often the test was called, and how many calls were saved because the verdict was known. */
RF_API uint64_t rf_reduction_queries(const rf_reduction *r);
RF_API uint64_t rf_reduction_cache_hits(const rf_reduction *r);
RF_API void rf_reduction_free(rf_reduction *r);

#ifdef __cplusplus
}
#endif

#endif
