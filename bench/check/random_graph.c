/* SPDX-License-Identifier: MIT */
/* random_graph N: runs of check_graph.h until N operations were made, as random_long.c. */
#include "check_graph.h"
#include "check_runs.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	struct runs r = {.run = graph_run, .each = 100000, .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000};
	if (rf_check_configure("count") != 0)
		return 3;
	if (runs_until(&r, argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000) != 0)
		return 1;
	runs_print(&r, "on graphs");
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	printf("%llu full walks\n", (unsigned long long)s.full_passes);
	return 0;
}
