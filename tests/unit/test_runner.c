#include "core/runner.h"
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <stdlib.h>

static void quick(void **s)
{
	(void)s;
	struct runner *r; struct err e = ERR_INIT;
	assert_int_equal(runner_open(&r, &e), RC_OK);
	for (int i = 0; i < 300; i++) {
		char code[40]; snprintf(code, sizeof code, "echo hi $TMPDIR $PWD; exit %d", i % 256);
		struct job *j; char dir[4096];
		assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
		struct run_spec sp = {.argv = (const char *[]){"sh", "-c", code, NULL}, .dir = dir, .keep_output = true};
		assert_int_equal(job_start(r, &sp, &j, &e), RC_OK);
		assert_int_equal(runner_wait(r, 10, &j, &e), RC_OK);
		assert_non_null(j);
		assert_int_equal(job_result(j)->end, RUN_EXITED);
		assert_int_equal(job_result(j)->code, i % 256);
		job_free(j);
		runner_scratch_remove(r, dir);
	}
	runner_close(r);
}
int main(void)
{
	const struct CMUnitTest t[] = {cmocka_unit_test(quick)};
	return cmocka_run_group_tests(t, NULL, NULL);
}
