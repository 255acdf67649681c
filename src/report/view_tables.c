/* SPDX-License-Identifier: MIT */
/* Views that are one table: functions worth memoizing (profile), statistics of contracts (check). */
#include "report/view.h"

static void show_functions(void *state, struct buf *out)
{
	view_table(state, "Functions worth memoizing",
		   "rank:n:Rank|function:c:Function|file:c:File|line:n:Line|status:t:Status|cluster:n:Cluster|"
		   "calls:n:Calls|distinct_inputs:n:Distinct inputs|"
		   "hit_ratio:m:Hits|time_share:m:Time|saved_share:m:Saved|"
		   "conflicts:n:Conflicts|syscalls:n:System calls|suggestion:t:Suggested cache|safety:t:Safety",
		   out);
}

const struct view view_profile_function = {
	"profile", EVENT_BIT(PROFILE_FUNCTION), sizeof(struct view_rows), view_keep, show_functions, view_rows_release};

static void show_checks(void *state, struct buf *out)
{
	view_table(state, "Checks",
		   "name:c:Contract|checks:n:Checks|violations:n:Violations|nodes:n:Nodes visited|"
		   "cached:n:Answered by the cache|cache_hits:n:Cache hits|cache_misses:n:Cache misses|"
		   "cache_bytes:b:Cache memory|seconds:s:Time",
		   out);
}

const struct view view_check_stats = {"check",     EVENT_BIT(CHECK_STATS), sizeof(struct view_rows), view_keep,
				      show_checks, view_rows_release};
