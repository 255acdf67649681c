/* SPDX-License-Identifier: MIT */
/* What views share: names of series, kept rows, tables of events. See view.h. */
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A page is for reading: all rows are in the log. */
enum { MOST_ROWS = 1000 };

char *view_name(const struct run_id *run, const char *name)
{
	return mem_printf("%s%s%s", run->label, *run->label && *name ? " · " : "", name);
}

size_t view_index(struct view_names *names, const struct run_id *run, const char *name)
{
	char *whole = view_name(run, name);
	size_t i = 0;
	while (i < names->all.n && strcmp(names->all.at[i], whole) != 0)
		i++;
	if (i == names->all.n)
		vec_push(&names->all, whole);
	else
		free(whole);
	return i;
}

void view_names_release(struct view_names *names)
{
	for (size_t i = 0; i < names->all.n; i++)
		free(names->all.at[i]);
	vec_release(&names->all);
}

size_t view_series(struct chart *c, const char *name)
{
	/* the newest is the likeliest */
	for (size_t i = c->series.n; i-- > 0;)
		if (strcmp(c->series.at[i].name, name) == 0)
			return i;
	return chart_series(c, name);
}

static struct json *copy_one(struct arena *a, const struct json *v)
{
	struct json *to = arena_dup(a, v, sizeof *v);
	to->next = NULL;
	if (v->key)
		to->key = arena_strndup(a, v->key, v->key_len);
	if (v->type == JSON_STRING)
		to->u.string.at = arena_strndup(a, v->u.string.at, v->u.string.n);
	return to;
}

/* Scalars, and objects of scalars: what the rows of the tables are made of. */
static struct json *copy_members(struct arena *a, const struct json *object, bool deeper)
{
	struct json *to = copy_one(a, object), **last = &to->u.list.first;
	to->u.list.n = 0;
	for (const struct json *v = object->u.list.first; v; v = v->next) {
		bool is_list = v->type == JSON_OBJECT || v->type == JSON_ARRAY;
		if (is_list && (!deeper || v->type == JSON_ARRAY))
			continue;
		*last = is_list ? copy_members(a, v, false) : copy_one(a, v);
		last = &(*last)->next;
		to->u.list.n++;
	}
	*last = NULL;
	return to;
}

void view_keep(void *rows, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct view_rows *r = rows;
	(void)ev;
	if (r->rows.n < MOST_ROWS)
		vec_push(&r->rows, ((struct view_row){arena_strndup(&r->arena, run->label, strlen(run->label)),
						      copy_members(&r->arena, event, true)}));
	else
		r->left_out++;
}

void view_rows_release(void *rows)
{
	struct view_rows *r = rows;
	vec_release(&r->rows);
	arena_release(&r->arena);
}

/* One column of a table: "field:format:title". */
struct column {
	char field[32], format;
	const char *title;
	size_t title_len;
};

static const char *next_column(const char *columns, struct column *c)
{
	size_t n = strcspn(columns, ":"), end = strcspn(columns, "|");
	if (n >= sizeof c->field)
		n = sizeof c->field - 1;
	memcpy(c->field, columns, n);
	c->field[n] = '\0';
	c->format = columns[n + 1];
	c->title = columns + n + 3;
	c->title_len = end - n - 3;
	return columns + end + (columns[end] == '|');
}

static bool has_field(const struct view_rows *r, const char *field)
{
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct json *v = json_get(r->rows.at[i].event, field);
		if (v && v->type != JSON_NULL)
			return true;
	}
	return false;
}

/* How much the second value differs from the first: with a sign, and in percent where that means something. */
static void difference_cell(struct html_table *t, char format, const struct json *a, const struct json *b)
{
	bool numbers = a && b && a->type == JSON_NUMBER && b->type == JSON_NUMBER;
	double x = numbers ? a->u.number.value : 0, y = numbers ? b->u.number.value : 0;
	struct buf text = {0};
	if (!numbers || !strchr("nbsu", format)) {
		html_cell_text(t, "");
		return;
	}
	if (x == y)
		buf_str_add(&text, "same");
	else if (x > 0)
		buf_printf(&text, fabs(y / x - 1) < 9.995 ? "%s%.3g %%" : "%s%.0f %%", y > x ? "+" : "−",
			   fabs(y / x - 1) * 100);
	else
		buf_str_add(&text, y > x ? "more" : "less");
	html_cell_text(t, buf_str(&text));
	buf_release(&text);
}

/* Bit i: some event has the field of column i. Found once: a table may have a thousand rows. */
static uint64_t present_columns(const struct view_rows *r, const char *columns)
{
	uint64_t present = 0;
	struct column c;
	for (unsigned i = 0; *columns && i < 64; i++) {
		columns = next_column(columns, &c);
		present |= (uint64_t)has_field(r, c.field) << i;
	}
	return present;
}

static bool several_runs(const struct view_rows *r)
{
	return r->rows.n && *r->rows.at[0].run;
}

static void object_cell(struct html_table *t, const struct json *o)
{
	struct buf text = {0};
	for (const struct json *v = o->u.list.first; v; v = v->next) {
		buf_printf(&text, "%s%s ", text.n ? ", " : "", v->key);
		if (v->type == JSON_STRING)
			buf_str_add(&text, v->u.string.at);
		else if (v->type == JSON_NUMBER)
			html_count(&text, v->u.number.value);
		else
			buf_str_add(&text, v->type == JSON_BOOL && v->u.boolean ? "yes" : "no");
	}
	html_cell_text(t, buf_str(&text));
	buf_release(&text);
}

static void cell(struct html_table *t, char format, const struct json *v)
{
	double number = v && v->type == JSON_NUMBER ? v->u.number.value : NAN;
	if (!v || v->type == JSON_NULL)
		html_cell_empty(t);
	else if (v->type == JSON_OBJECT)
		object_cell(t, v);
	else if (v->type == JSON_BOOL)
		html_cell_text(t, v->u.boolean ? "yes" : "no");
	else if (v->type == JSON_STRING && format == 'c')
		html_cell_code(t, v->u.string.at);
	else if (v->type == JSON_STRING)
		html_cell_text(t, v->u.string.at);
	else if (format == 'b')
		html_cell_bytes(t, number);
	else if (format == 's')
		html_cell_seconds(t, number);
	else if (format == 'u')
		html_cell_seconds(t, number / 1e6);
	else if (format == 'p')
		html_cell_percent(t, number);
	else if (format == 'm')
		html_cell_bar(t, number, html_percent, number);
	else
		html_cell_count(t, number);
}

void view_left_out(const struct view_rows *r, struct buf *out)
{
	if (r->left_out)
		buf_printf(out, "<p class=\"note\">%zu more rows are in the log.</p>\n", r->left_out);
}

void view_table(const struct view_rows *r, const char *caption, const char *columns, struct buf *out)
{
	struct buf heads = {0};
	struct column c;
	uint64_t present = present_columns(r, columns), bit = 1;
	if (several_runs(r))
		buf_str_add(&heads, "Run");
	for (const char *s = columns; *s; bit <<= 1) {
		s = next_column(s, &c);
		if (present & bit)
			buf_printf(&heads, "%s%s%.*s", heads.n ? "|" : "", strchr("nbsupm", c.format) ? "#" : "",
				   (int)c.title_len, c.title);
	}
	struct html_table t = html_table(out, caption, buf_str(&heads));
	for (size_t i = 0; i < r->rows.n; i++) {
		html_row(&t);
		if (several_runs(r))
			html_cell_text(&t, r->rows.at[i].run);
		bit = 1;
		for (const char *s = columns; *s; bit <<= 1) {
			s = next_column(s, &c);
			if (present & bit)
				cell(&t, c.format, json_get(r->rows.at[i].event, c.field));
		}
	}
	html_table_end(&t);
	view_left_out(r, out);
	buf_release(&heads);
}

void view_facts(const struct view_rows *r, const char *caption, const char *columns, struct buf *out)
{
	enum { MOST_SIDE_BY_SIDE = 6 };
	struct buf heads = {0}, name = {0};
	struct column c;
	if (r->rows.n > MOST_SIDE_BY_SIDE) {
		view_table(r, caption, columns, out);
		return;
	}
	buf_str_add(&heads, "Field");
	for (size_t i = 0; i < r->rows.n; i++) {
		html_head(&heads, *r->rows.at[i].run ? r->rows.at[i].run : "Value");
	}
	bool two = r->rows.n == 2;
	if (two)
		buf_str_add(&heads, "|#Difference");
	struct html_table t = html_table(out, caption, buf_str(&heads));
	for (const char *s = columns; *s;) {
		s = next_column(s, &c);
		if (!has_field(r, c.field))
			continue;
		html_row(&t);
		buf_clear(&name);
		buf_add(&name, c.title, c.title_len);
		html_cell_text(&t, buf_str(&name));
		for (size_t i = 0; i < r->rows.n; i++)
			cell(&t, c.format, json_get(r->rows.at[i].event, c.field));
		if (two)
			difference_cell(&t, c.format, json_get(r->rows.at[0].event, c.field),
					json_get(r->rows.at[1].event, c.field));
	}
	html_table_end(&t);
	buf_release(&heads);
	buf_release(&name);
}
