/* SPDX-License-Identifier: MIT */
/* What is printed of a text when only some of its tokens are kept, as an assertion. */
#ifndef TESTS_UNIT_KEPT_PRINTS_H
#define TESTS_UNIT_KEPT_PRINTS_H

#include "kept.h"
#include "testing.h"

/* Frees s. */
static inline void assert_kept_prints(struct syntax *s, const uint32_t *kept, size_t n, const char *want)
{
	struct buf out = {0};
	print_kept(s, kept, n, NULL, 0, &out);
	assert_string_equal(buf_str(&out), want);
	buf_release(&out);
	syntax_free(s);
}

#endif
