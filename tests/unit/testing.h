/* SPDX-License-Identifier: MIT */
/* cmocka with what it needs before it. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* main of a test file: runs the given tests, between a set-up and a tear-down of the group. */
#define UNIT_TESTS_WITH(set_up, tear_down, ...)                                                                        \
	int main(void)                                                                                                 \
	{                                                                                                              \
		const struct CMUnitTest tests[] = {__VA_ARGS__};                                                       \
		return cmocka_run_group_tests(tests, set_up, tear_down);                                               \
	}
#define UNIT_TESTS(...) UNIT_TESTS_WITH(NULL, NULL, __VA_ARGS__)

#endif
