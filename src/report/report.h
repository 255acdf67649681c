/* SPDX-License-Identifier: MIT */
/* Run logs → one self-contained HTML page. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "data/err.h"
#include "report/page/page.h"

#include <stdbool.h>

struct report;

struct report *report_new(size_t logs); /* how many logs will be added */
/* Reads a run log. RC_INPUT, with file and line, when it is none; the report is then of no use. */
enum rc report_add(struct report *r, const char *path, struct err *e);
size_t report_runs(const struct report *r);
size_t report_events(const struct report *r);
size_t report_truncated(const struct report *r); /* logs that end in the middle of a line */
/* Appends the page. Once. live: NULL, or the version of the logs that it shows; its script then asks the server it came
 * from for another one (serve.h). */
void report_html(struct report *r, const char *live, struct page *page);
void report_free(struct report *r);

#endif
