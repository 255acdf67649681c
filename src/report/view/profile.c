/* SPDX-License-Identifier: MIT */
/* Profiles: the functions worth memoizing, how many hits tables of each size would have, their source with what the key
 * is made of, and what was measured. */
#include "report/view/view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- hits by size */

static void add_curve(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct chart *c = state;
	const struct json *curve = json_get(event, "curve");
	double calls = json_number_or(event, "calls", NAN), distinct = json_number_or(event, "distinct_inputs", NAN);
	(void)ev;
	if (!curve || curve->type != JSON_ARRAY || !(calls > 0))
		return;
	char *name = view_name(run, json_string_or(event, "function", "?"));
	size_t series = view_series(c, name);
	for (const struct json *p = curve->u.list.first; p; p = p->next) {
		const struct json *size = p->type == JSON_ARRAY ? p->u.list.first : NULL,
				  *hits = size ? size->next : NULL;
		if (!hits || size->type != JSON_NUMBER || hits->type != JSON_NUMBER)
			continue;
		chart_add(c, series, size->u.number.value, 100 * hits->u.number.value / calls);
		/* a table that has room for every input cannot do better */
		if (size->u.number.value >= distinct)
			break;
	}
	free(name);
}

static void show_curve(void *state, struct page *page)
{
	struct chart *c = state;
	c->title = "Hits by size of the memo table";
	c->x_label = "Entries";
	c->y_label = "Calls answered";
	c->y_unit = UNIT_PERCENT;
	c->log_x = true; /* sizes are powers of two */
	chart_html(c, page);
}

static void release_curve(void *state)
{
	chart_release(state);
}

const struct view view_profile_curve = {
	"profile", EVENT_BIT(PROFILE_FUNCTION), sizeof(struct chart), add_curve, show_curve, release_curve};

/* ---- source */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word is one of the names in the key ("n, o->scale; 1 that never changed"). */
static bool in_key(const char *key, const char *word, size_t n)
{
	size_t fields = strcspn(key, ";");
	for (size_t i = 0; i + n <= fields; i++)
		if (memcmp(key + i, word, n) == 0 && (i == 0 || !in_word(key[i - 1])) && !in_word(key[i + n]))
			return true;
	return false;
}

static void marked_source(struct buf *out, const char *source, const char *key)
{
	for (const char *s = source; *s;) {
		size_t n = strcspn(s, "\n");
		for (const char *end = s + n; s < end;) {
			size_t word = 0;
			while (s + word < end && in_word(s[word]))
				word++;
			bool mark = word && !isdigit((unsigned char)*s) && in_key(key, s, word);
			buf_str_add(out, mark ? "<mark>" : "");
			if (*s == '\t')
				buf_str_add(out, "    ");
			else
				html_text_n(out, s, word ? word : 1);
			buf_str_add(out, mark ? "</mark>" : "");
			s += word ? word : 1;
		}
		buf_char(out, '\n');
		s += *s == '\n';
	}
}

static void show_sources(void *state, struct page *page)
{
	const struct view_rows *r = state;
	struct buf *out = page->out;
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct json *f = r->rows.at[i].event;
		const char *source = json_string_or(f, "source", ""), *key = json_string_or(f, "key", "");
		if (!*source)
			continue;
		buf_str_add(out, "<details class=\"source\"><summary><code>");
		html_text(out, json_string_or(f, "function", "?"));
		buf_str_add(out, "</code> in ");
		html_text(out, json_string_or(f, "file", "?"));
		buf_printf(out, ":%.0f</summary>\n<p class=\"note\">Key: ", json_number_or(f, "line", 0));
		html_text(out, *key ? key : "not known");
		buf_str_add(out, "</p>\n<pre tabindex=\"0\">");
		marked_source(out, source, key);
		buf_str_add(out, "</pre></details>\n");
	}
}

const struct view view_profile_source = {
	"profile", EVENT_BIT(PROFILE_FUNCTION), sizeof(struct view_rows), view_keep, show_sources, view_rows_release};
