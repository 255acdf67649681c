/* SPDX-License-Identifier: MIT */
/* Run logs → one self-contained HTML page: see report.h.
 *
 * Every event goes to the views that ask for it (view.h); at the end each engine with events gets a section with its
 * views. The page loads nothing: uPlot, style and script are part of it, and its content security policy allows only
 * these, by hash, so that even text that slipped through the escaping could not run. */
#include "report/report.h"

#include "base/bits.h"
#include "data/digest.h"
#include "report/assets.h"
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(N_RUNLOG_EVENTS <= 64, "a view's events are a mask of 64 bits");

static const struct {
	const char *engine, *title;
} sections[] = {
	{"saved", "What was saved"}, {"trace", "Cache traces"}, {"reduce", "Reduction"},
	{"smt", "SMT queries"},      {"profile", "Profile"},    {"check", "Contracts"},
};

static const struct view *const views[] = {
	&view_saved,       &view_trace_curve,      &view_trace_histogram, &view_trace_result,   &view_reduce_end,
	&view_reduce_size, &view_reduce_steps,     &view_reduce_pass,     &view_smt_end,        &view_smt_query,
	&view_smt_list,    &view_profile_function, &view_profile_curve,   &view_profile_source, &view_profile_try,
	&view_check_stats, &view_check_violations,
};

/* What the page says about a run, first. */
struct run_info {
	char *label, *path, *command, *args, *version, *started;
	double seconds, exit; /* exit NAN: the log has no end */
	bool complete;
};

struct report {
	size_t logs, events, truncated;
	VEC(struct run_info) runs;
	void *state[ARRAY_LEN(views)];
	bool used[ARRAY_LEN(views)];
};

struct report *report_new(size_t logs)
{
	struct report *r = mem_zalloc(sizeof *r);
	r->logs = logs;
	for (size_t i = 0; i < ARRAY_LEN(views); i++)
		r->state[i] = mem_zalloc(views[i]->state_size);
	return r;
}

static bool is_plain(const char *s)
{
	return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^")] == '\0';
}

/* As one would type it in a shell. */
static void add_word(struct buf *out, const char *s)
{
	if (out->n)
		buf_char(out, ' ');
	if (is_plain(s))
		buf_str_add(out, s);
	else
		buf_shell_word(out, s);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* start: the event of that name, or the only one of a file without it, which a program with contracts wrote. */
static void add_run(struct report *r, const char *path, size_t in_this_log, const struct json *start)
{
	struct buf args = {0};
	const struct json *list = json_get(start, "args");
	for (const struct json *a = list && list->type == JSON_ARRAY ? list->u.list.first : NULL; a; a = a->next)
		if (a->type == JSON_STRING)
			add_word(&args, a->u.string.at);
	if (*json_string_or(start, "program", ""))
		add_word(&args, json_string_or(start, "program", ""));
	struct run_info info = {
		.path = mem_strdup(path),
		.command = mem_strdup(json_string_or(start, "command", "check")),
		.args = mem_strdup(buf_str(&args)),
		.version = mem_strdup(json_string_or(start, "version", "")),
		.started = mem_strdup(json_string_or(start, "started", "")),
		.exit = json_get(start, "event") ? NAN : 0,
		.complete = true,
	};
	if (r->logs < 2 && in_this_log == 0)
		info.label = mem_strdup("");
	else if (in_this_log == 0)
		info.label = mem_strdup(base_name(path));
	else
		info.label = mem_printf("%s #%zu", base_name(path), in_this_log + 1);
	/* another log of the same name, from another folder */
	for (size_t i = 0; i < r->runs.n; i++)
		if (*info.label && strcmp(r->runs.at[i].label, info.label) == 0) {
			free(info.label);
			info.label = mem_printf("%s (%zu)", base_name(path), r->runs.n + 1);
		}
	vec_push(&r->runs, info);
	buf_release(&args);
}

static void take_event(struct report *r, enum runlog_event ev, const struct json *event)
{
	struct run_info *info = &vec_last(&r->runs);
	struct run_id run = {r->runs.n - 1, info->label};
	r->events++;
	info->seconds = fmax(info->seconds, json_number_or(event, "t", 0));
	if (ev == EVENT_END) {
		const struct json *complete = json_get(event, "complete");
		info->exit = json_number_or(event, "exit", NAN);
		info->complete = !complete || complete->type != JSON_BOOL || complete->u.boolean;
	}
	for (size_t i = 0; ev != N_RUNLOG_EVENTS && i < ARRAY_LEN(views); i++)
		if (views[i]->events >> ev & 1) {
			r->used[i] = true;
			views[i]->add(r->state[i], &run, ev, event);
		}
}

enum rc report_add(struct report *r, const char *path, struct err *e)
{
	struct runlog_reader *reader;
	enum runlog_event ev;
	const struct json *event;
	size_t in_this_log = 0;
	enum rc rc = runlog_read_open(&reader, path, e);
	if (rc != RC_OK)
		return rc;
	while ((rc = runlog_read_next(reader, &ev, &event, e)) == RC_OK) {
		if (ev == EVENT_START || in_this_log == 0)
			add_run(r, path, in_this_log++, event);
		take_event(r, ev, event);
	}
	r->truncated += runlog_read_truncated(reader);
	runlog_read_close(reader);
	return rc == RC_NO ? RC_OK : rc;
}

size_t report_runs(const struct report *r)
{
	return r->runs.n;
}

size_t report_events(const struct report *r)
{
	return r->events;
}

size_t report_truncated(const struct report *r)
{
	return r->truncated;
}

static void add_hash(struct buf *out, const struct buf *content)
{
	struct digest256 d = digest_sha256(buf_str(content), content->n);
	buf_str_add(out, " 'sha256-");
	buf_base64(out, d.byte, sizeof d.byte);
	buf_char(out, '\'');
}

static void add_asset(struct buf *out, struct asset a)
{
	buf_add(out, a.at, a.n);
	buf_char(out, '\n');
}

static void page_head(struct buf *out, const struct buf *style, const struct buf *script, const char *live)
{
	buf_str_add(out, "<!DOCTYPE html>\n<html lang=\"en\"");
	if (live)
		buf_printf(out, " data-live=\"%s\"", live);
	buf_str_add(out, ">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
			 "form-action 'none'; style-src");
	add_hash(out, style);
	buf_str_add(out, "; script-src");
	add_hash(out, script);
	if (live)
		buf_str_add(out, "; connect-src 'self'");
	buf_str_add(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
			 "content=\"refrain " RF_VERSION "\">\n"
			 "<title>refrain report</title>\n<style>");
	buf_add(out, style->at, style->n);
	buf_str_add(out, "</style>\n</head>\n<body>\n");
}

static void run_fact(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_printf(out, "<div><dt>%s</dt><dd>", name);
	html_text(out, value);
	buf_str_add(out, "</dd></div>\n");
}

static void run_card(struct buf *out, const struct run_info *info)
{
	struct buf text = {0};
	buf_str_add(out, "<article class=\"run\">\n<p class=\"line\"><code><b>refrain ");
	html_text(out, info->command);
	buf_str_add(out, "</b> ");
	html_text(out, info->args);
	buf_str_add(out, "</code></p>\n<dl>\n<div><dt>Result</dt><dd>");
	if (!isfinite(info->exit))
		buf_str_add(out, "<span class=\"badge warn\">unfinished: killed or still running</span>");
	else if (info->exit == 0)
		buf_printf(out, "<span class=\"badge %s\">%s</span>", info->complete ? "good" : "warn",
			   info->complete ? "done" : "stopped early");
	else
		buf_printf(out, "<span class=\"badge bad\">exit %.0f</span>", info->exit);
	buf_str_add(out, "</dd></div>\n");
	html_seconds(&text, info->seconds);
	run_fact(out, "Duration", buf_str(&text));
	run_fact(out, "Started", info->started);
	run_fact(out, "Version", info->version);
	run_fact(out, "Log", info->path);
	buf_str_add(out, "</dl>\n</article>\n");
	buf_release(&text);
}

static bool section_used(const struct report *r, const char *engine)
{
	for (size_t i = 0; i < ARRAY_LEN(views); i++)
		if (r->used[i] && strcmp(views[i]->engine, engine) == 0)
			return true;
	return false;
}

static void page_nav(const struct report *r, struct buf *out)
{
	buf_str_add(out, "<nav aria-label=\"Sections\">");
	for (size_t s = 0; s < ARRAY_LEN(sections); s++)
		if (section_used(r, sections[s].engine))
			buf_printf(out, "<a href=\"#%s\">%s</a>", sections[s].engine, sections[s].title);
	buf_str_add(out, "<a href=\"#runs\">Runs</a>");
	buf_str_add(out, "</nav>\n");
}

static void page_sections(struct report *r, struct page *page)
{
	struct buf *out = page->out;
	for (size_t s = 0; s < ARRAY_LEN(sections); s++) {
		if (!section_used(r, sections[s].engine))
			continue;
		buf_printf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[s].engine, sections[s].title);
		for (size_t i = 0; i < ARRAY_LEN(views); i++)
			if (r->used[i] && strcmp(views[i]->engine, sections[s].engine) == 0)
				views[i]->html(r->state[i], page);
		buf_str_add(out, "</section>\n");
	}
}

static void page_runs(const struct report *r, struct buf *out)
{
	buf_str_add(out, "<section id=\"runs\">\n<h2>Runs</h2>\n");
	for (size_t i = 0; i < r->runs.n; i++)
		run_card(out, &r->runs.at[i]);
	if (r->truncated)
		buf_printf(out,
			   "<p class=\"note\">%zu of the logs end%s in the middle of a line: the run was killed while "
			   "it wrote.</p>\n",
			   r->truncated, r->truncated == 1 ? "s" : "");
	buf_str_add(out, "</section>\n");
}

void report_html(struct report *r, const char *live, struct page *page)
{
	struct buf style = {0}, script = {0}, *out = page->out;
	add_asset(&style, asset_uplot_css());
	add_asset(&style, asset_report_css());
	buf_str_add(&script, "/* uPlot: Copyright (c) 2022 Leon Sorokin, MIT licence */\n");
	add_asset(&script, asset_uplot_js());
	add_asset(&script, asset_report_js());
	page_head(out, &style, &script, live);
	buf_str_add(out, "<header>\n<h1>refrain <span>report</span></h1>\n");
	page_nav(r, out);
	buf_str_add(out, "</header>\n<main>\n");
	page_sections(r, page);
	page_runs(r, out);
	buf_str_add(out, "</main>\n<footer>Generated by refrain " RF_VERSION "; plots by uPlot.</footer>\n<script>");
	buf_add(out, script.at, script.n);
	buf_str_add(out, "</script>\n</body>\n</html>\n");
	buf_release(&style);
	buf_release(&script);
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		views[i]->release(r->state[i]);
		free(r->state[i]);
	}
	for (size_t i = 0; i < r->runs.n; i++) {
		struct run_info *x = &r->runs.at[i];
		char *all[] = {x->label, x->path, x->command, x->args, x->version, x->started};
		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			free(all[k]);
	}
	vec_release(&r->runs);
	free(r);
}
