/* SPDX-License-Identifier: MIT */
/* A script's declarations and assertions as a query, for tests of the smt engine. */
#ifndef TESTS_SMT_LOAD_H
#define TESTS_SMT_LOAD_H

#include "smt/term/reader.h"

#include <string.h>

/* False when some command is not understood. */
static inline bool smt_load(struct reader *r, const char *text)
{
	return reader_text(r, text, strlen(text)) == RC_OK;
}

#endif
