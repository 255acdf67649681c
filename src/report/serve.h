/* SPDX-License-Identifier: MIT */
/* The report as a live page: a small HTTP server on the loopback interface. */
#ifndef REPORT_SERVE_H
#define REPORT_SERVE_H

#include "data/err.h"
#include "data/strings.h"

#include <stdint.h>

struct serve;

/* Listens on 127.0.0.1; port 0: any free one. The logs may be missing still and may grow. RC_ENV when it cannot
 * listen. */
enum rc serve_new(struct serve **out, const struct strings *logs, uint16_t port, struct err *e);
/* The address of the page: it has a random token, without which nothing is answered. Lives as long as s. */
const char *serve_address(const struct serve *s);
/* Answers until stop_fd is readable. */
enum rc serve_run(struct serve *s, int stop_fd, struct err *e);
void serve_free(struct serve *s);

#endif
