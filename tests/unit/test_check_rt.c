/* The contract runtime through its public interface: random comparison of engine B, engine A, configuration. */
#include "check_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void verdicts_are_those_of_a_full_walk(void **state)
{
	(void)state;
	uint64_t good = 0, bad = 0;
	assert_int_equal(rf_check_configure("count"), 0);
	for (uint64_t seed = 1; seed <= 8; seed++)
		assert_int_equal(random_run(25000, seed, &good, &bad), 25000);
	/* the walk must have seen plenty of both */
	assert_true(good > 40000 && bad > 40000);
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	print_message("# %llu true, %llu false, %llu nodes, %llu restarts, %llu full\n", (unsigned long long)good,
	              (unsigned long long)bad, (unsigned long long)s.nodes, (unsigned long long)s.restarts, (unsigned long long)s.full_passes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(verdicts_are_those_of_a_full_walk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
