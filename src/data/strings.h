/* SPDX-License-Identifier: MIT */
/* A list of strings that belong to somebody else. */
#ifndef DATA_STRINGS_H
#define DATA_STRINGS_H

#include "data/vec.h"

struct strings {
	VEC_FIELDS(const char *);
};

#endif
