/* SPDX-License-Identifier: MIT */
/* Contracts: what each run of a program checked and what that took, and every violation with its path. */
#include "report/view/view.h"

#include <string.h>

static void show_checks(void *state, struct page *page)
{
	view_facts(
		state, "Checked runs",
		"program:c:Program|checks:n:Calls checked|skipped:n:Calls not checked|sample:n:One call in|"
		"violations:n:Violations|nodes:n:Nodes visited|lookups:n:Cache look-ups|hits:n:Cache hits|"
		"dirtied:n:Nodes invalidated by stores|full_passes:n:Full walks|restarts:n:Restarts|max_depth:n:Depth|"
		"shadow_bytes:b:Memory for marks|cpu_us:u:CPU time of the program",
		page->out);
}

const struct view view_check_stats = {"check",     EVENT_BIT(CHECK_STATS), sizeof(struct view_rows), view_keep,
				      show_checks, view_rows_release};

/* One fault of one violation. */
struct fault {
	const char *run, *function, *kind, *where, *caller, *literal, *fault;
};

struct violations {
	struct arena arena;
	VEC(struct fault) list;
	size_t left_out;
};

/* A page is for reading: all of them are in the file. */
enum { MOST_FAULTS = 500 };

static const char *keep(struct violations *v, const struct json *o, const char *field)
{
	const char *s = json_string_or(o, field, "");
	return arena_strndup(&v->arena, s, strlen(s));
}

static const struct json *first_of(const struct json *o, const char *field)
{
	const struct json *list = json_get(o, field);
	return list && list->type == JSON_ARRAY ? list->u.list.first : NULL;
}

static void add_violations(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct violations *v = state;
	(void)ev;
	for (const struct json *r = first_of(event, "reports"); r; r = r->next)
		for (const struct json *f = first_of(r, "faults"); f; f = f->next) {
			if (v->list.n == MOST_FAULTS) {
				v->left_out++;
				continue;
			}
			struct fault one = {arena_strndup(&v->arena, run->label, strlen(run->label)),
					    keep(v, r, "function"),
					    keep(v, r, "kind"),
					    keep(v, r, "where"),
					    keep(v, r, "caller"),
					    keep(v, f, "literal"),
					    keep(v, f, "fault")};
			vec_push(&v->list, one);
		}
}

/* "success" and "call" are the words of the contract language. */
static const char *when(const char *kind)
{
	return strcmp(kind, "success") == 0 ? "at its return" : strcmp(kind, "call") == 0 ? "at the call" : kind;
}

static void show_violations(void *state, struct page *page)
{
	const struct violations *v = state;
	struct buf *out = page->out;
	if (v->list.n == 0)
		return;
	bool several = *v->list.at[0].run;
	struct html_table t = html_table(out, "Violations",
					 several ? "Run|Function|When|Does not hold|What is wrong|Called from|Contract"
						 : "Function|When|Does not hold|What is wrong|Called from|Contract");
	for (size_t i = 0; i < v->list.n; i++) {
		const struct fault *f = &v->list.at[i];
		html_row(&t);
		if (several)
			html_cell_text(&t, f->run);
		html_cell_code(&t, f->function);
		html_cell_text(&t, when(f->kind));
		html_cell_code(&t, f->literal);
		html_cell_code(&t, f->fault);
		html_cell_text(&t, f->caller);
		html_cell_text(&t, f->where);
	}
	html_table_end(&t);
	if (v->left_out)
		buf_printf(out, "<p class=\"note\">%zu more are in the file.</p>\n", v->left_out);
}

static void release_violations(void *state)
{
	struct violations *v = state;
	vec_release(&v->list);
	arena_release(&v->arena);
}

const struct view view_check_violations = {"check",        EVENT_BIT(CHECK_STATS), sizeof(struct violations),
					   add_violations, show_violations,        release_violations};
