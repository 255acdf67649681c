/* SPDX-License-Identifier: MIT */
/* Views that are one table: functions worth memoizing (profile) and the measured tries of them. */
#include "report/view.h"

/* What a reader decides by is a table that fits; the rest of each function is below it. */
static void show_functions(void *state, struct page *page)
{
	view_table(state, "Functions worth memoizing",
		   "rank:n:Rank|function:c:Function|status:t:Status|calls:n:Calls|distinct_inputs:n:Distinct|"
		   "hit_ratio:m:Hits|time_share:p:Time|saved_share:p:Saved|suggestion:t:Suggested cache",
		   page->out);
	buf_str_add(page->out, "<details><summary>Where they are, and what speaks against a cache</summary>\n");
	view_table(state, "Functions: places and safety",
		   "rank:n:Rank|function:c:Function|file:c:File|line:n:Line|cluster:n:Cluster|"
		   "conflicts:n:Conflicts|syscalls:n:System calls|safety:t:Safety",
		   page->out);
	buf_str_add(page->out, "</details>\n");
}

const struct view view_profile_function = {
	"profile", EVENT_BIT(PROFILE_FUNCTION), sizeof(struct view_rows), view_keep, show_functions, view_rows_release};

static void show_tries(void *state, struct page *page)
{
	view_table(
		state, "Memo tables that were built in and measured",
		"function:c:Function|predicted_share:p:Predicted|saved_share:m:Measured|low:p:at least|high:p:at most|"
		"before_s:s:Before|after_s:s:After|gets:n:Calls|hits:n:Hits|conflicts:n:Conflicts|bytes:b:Memory|"
		"same_output:y:Same output",
		page->out);
}

const struct view view_profile_try = {"profile",  EVENT_BIT(PROFILE_TRY), sizeof(struct view_rows), view_keep,
				      show_tries, view_rows_release};
