/* SPDX-License-Identifier: MIT */
/* A runner that is opened before each test and closed after it, and the path of the test program itself. */
#ifndef TESTS_RUNNER_FIXTURE_H
#define TESTS_RUNNER_FIXTURE_H

#include "process/runner.h"
#include "runner_child.h"

static struct runner *r;
static struct err e;
static char self[PATH_MAX];

static int open_runner(void **state)
{
	(void)state;
	e = (struct err)ERR_INIT;
	return runner_open(&r, &e) == RC_OK ? 0 : -1;
}

static int close_runner(void **state)
{
	(void)state;
	runner_close(r);
	return 0;
}

#endif
