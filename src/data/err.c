/* SPDX-License-Identifier: MIT */
/* Error sink: see err.h. Messages are built once, bounded, and never fail. */
#include "data/err.h"

#include "data/text.h"

#include <stdio.h>
#include <string.h>

static enum rc fill(struct err *e, enum rc rc, const char *file, long line, long col, int sys, const char *fmt,
		    va_list ap)
{
	if (!e || e->rc != RC_OK)
		return rc;
	e->rc = rc;
	e->sys = sys;
	e->line = line;
	e->col = col;
	snprintf(e->file, sizeof e->file, "%s", file ? file : "");
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	if (sys) {
		size_t used = strlen(e->text);
		snprintf(e->text + used, sizeof e->text - used, ": %s", strerror(sys));
	}
	return rc;
}

enum rc err_set(struct err *e, enum rc rc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(e, rc, NULL, 0, 0, 0, fmt, ap);
	va_end(ap);
	return rc;
}

enum rc err_at(struct err *e, enum rc rc, const char *file, long line, long col, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(e, rc, file, line, col, 0, fmt, ap);
	va_end(ap);
	return rc;
}

enum rc err_sys(struct err *e, enum rc rc, int sys, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(e, rc, NULL, 0, 0, sys, fmt, ap);
	va_end(ap);
	return rc;
}

const char *err_message(const struct err *e, char *out, unsigned long size)
{
	char raw[sizeof e->file + sizeof e->text + 64];
	if (e->file[0] && e->line && e->col)
		snprintf(raw, sizeof raw, "%s:%ld:%ld: %s", e->file, e->line, e->col, e->text);
	else if (e->file[0] && e->line)
		snprintf(raw, sizeof raw, "%s:%ld: %s", e->file, e->line, e->text);
	else if (e->file[0])
		snprintf(raw, sizeof raw, "%s: %s", e->file, e->text);
	else
		snprintf(raw, sizeof raw, "%s", e->text);
	text_escape(raw, strlen(raw), out, size);
	return out;
}

void err_clear(struct err *e)
{
	*e = (struct err)ERR_INIT;
}
