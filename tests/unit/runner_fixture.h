/* SPDX-License-Identifier: MIT */
/* A runner and a leash that are opened before each test and closed after it, and the path of the test program
 * itself. */
#ifndef TESTS_RUNNER_FIXTURE_H
#define TESTS_RUNNER_FIXTURE_H

#include "process/runner.h"
#include "runner_child.h"

static struct runner *r;
static struct err e;
static struct leash leash;
static char self[PATH_MAX];

static int open_runner(void **state)
{
	(void)state;
	e = (struct err)ERR_INIT;
	leash_open(&leash);
	return runner_open(&r, &e) == RC_OK ? 0 : -1;
}

static int close_runner(void **state)
{
	(void)state;
	runner_close(r);
	leash_close(&leash);
	return 0;
}

#define RUNNER_TEST(name) cmocka_unit_test_setup_teardown(name, open_runner, close_runner)

#endif
