/* SPDX-License-Identifier: MIT */
/* random_long N: runs of check_random.h until N operations were made; the verdicts of engine B and of an
 * independent full check must be the same at each comparison. The second half is run as with refrain-cc's
 * allocator. Prints what was compared; exit 1 at the first difference. */
#include "check_random.h"
#include "check_runs.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	struct runs r = {.run = random_run, .each = 100000, .seed = 1000};
	if (rf_check_configure("count") != 0)
		return 3;
	if (runs_until(&r, n / 2) != 0)
		return 1;
	random_trust_blocks();
	if (runs_until(&r, n) != 0)
		return 1;
	runs_print(&r, "of operations");
	return 0;
}
