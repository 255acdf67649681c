/* SPDX-License-Identifier: MIT */
/* The scratch folder of a test file, made by its set-up, and the paths in it (the last four stay valid). */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stdio.h>

static char folder[200];

static char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}

#endif
