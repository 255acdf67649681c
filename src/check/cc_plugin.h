/* SPDX-License-Identifier: MIT */
/* Which compiler is behind refrain-cc, and the plugin that puts the write barrier into what it compiles. */
#ifndef CHECK_CC_PLUGIN_H
#define CHECK_CC_PLUGIN_H

#include "data/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct cc_plugin {
	bool clang;
	char option[PATH_MAX + 128]; /* what loads it */
};

/* RC_ENV with a message that says what to install if there is no barrier for this compiler: there is no way without. */
enum rc cc_plugin_find(struct cc_plugin *p, const char *compiler, struct err *e);
/* The first bytes of what the compiler prints with this option; false: it cannot be run. */
bool cc_ask(const char *compiler, const char *option, char *out, size_t size, struct err *e);

#endif
