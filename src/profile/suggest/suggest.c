/* SPDX-License-Identifier: MIT */
/* Writing the patch. The code goes behind the function's opening brace and behind the includes; nothing else of
 * the source is touched. */
#include "profile/suggest/suggest.h"

#include "profile/suggest/code.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SOURCE = 64 << 20, CONTEXT = 3 };

/* ---- the source */

static size_t line_start(const struct buf *b, unsigned line)
{
	size_t at = 0;
	for (unsigned n = 1; n < line && at < b->n; at++)
		n += b->at[at] == '\n';
	return at;
}

static unsigned line_of(const struct buf *b, size_t at)
{
	unsigned n = 1;
	for (size_t i = 0; i < at; i++)
		n += b->at[i] == '\n';
	return n;
}

/* Behind a comment, a string or one other character. */
static size_t skip(const struct buf *b, size_t at)
{
	const char *s = b->at;
	if (s[at] == '/' && s[at + 1] == '*') {
		const char *end = strstr(s + at + 2, "*/");
		return end ? (size_t)(end - s) + 2 : b->n;
	}
	if (s[at] == '/' && s[at + 1] == '/') {
		while (at < b->n && s[at] != '\n')
			at++;
		return at;
	}
	if (s[at] == '"' || s[at] == '\'') {
		char quote = s[at++];
		while (at < b->n && s[at] != quote)
			at += s[at] == '\\' ? 2 : 1;
	}
	return at + 1;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind the brace that opens the function's body; 0 when it is not found. */
static size_t body_at(const struct buf *b, unsigned line, const char *name)
{
	size_t at = line_start(b, line > 2 ? line - 2 : 1), n = strlen(name);
	int depth = 0;
	bool named = false, parameters = false;
	for (; at < b->n; at = skip(b, at)) {
		char c = b->at[at];
		if (!named && !depth && strncmp(b->at + at, name, n) == 0 && !is_word(b->at[at + n]) &&
		    (at == 0 || !is_word(b->at[at - 1])) && line_of(b, at) >= line) {
			named = true;
			at += n - 1;
			continue;
		}
		if (!named)
			continue;
		if (c == '(') {
			depth++;
		} else if (c == ')') {
			parameters |= --depth == 0;
		} else if (depth == 0 && c == '{' && parameters) {
			return at + 1;
		} else if (depth == 0 && (c == ';' || c == '}' || c == '=')) {
			return 0;
		}
	}
	return 0;
}

/* Behind the last #include above the function that is under no #if. */
static size_t include_at(const struct buf *b, size_t limit)
{
	size_t best = 0;
	int depth = 0;
	for (size_t at = 0; at < limit;) {
		const char *p = b->at + at, *end = memchr(p, '\n', b->n - at);
		const char *w = p + strspn(p, " \t");
		if (*w == '#') {
			w++;
			w += strspn(w, " \t");
			if (strncmp(w, "if", 2) == 0)
				depth++;
			else if (strncmp(w, "endif", 5) == 0)
				depth--;
			else if (strncmp(w, "include", 7) == 0 && depth <= 0 && end)
				best = (size_t)(end - b->at) + 1;
		}
		if (!end)
			break;
		at = (size_t)(end - b->at) + 1;
	}
	return best;
}

/* ---- the patch */

struct insertion {
	size_t at; /* in the old text */
	const struct buf *text;
};

static unsigned count_lines(const char *p, size_t n)
{
	unsigned lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += p[i] == '\n';
	return lines;
}

static void write_lines(struct buf *b, char mark, const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t k = strcspn(p + i, "\n");
		k = k < n - i ? k : n - i;
		buf_printf(b, "%c%.*s\n", mark, (int)k, p + i);
		i += k + 1;
	}
}

/* Text that does not begin a line takes the line apart: what was before it and what was behind it become lines
 * of their own. */
static bool is_apart(const struct buf *old, const struct insertion *x)
{
	return line_start(old, line_of(old, x->at)) != x->at;
}

/* One hunk for n insertions that are close to one another. */
static void write_hunk(struct buf *b, const struct buf *old, const struct insertion *x, size_t n, unsigned shift)
{
	unsigned line = line_of(old, x[0].at), first = line > CONTEXT ? line - CONTEXT : 1;
	size_t at = line_start(old, first),
	       end = line_start(old, line_of(old, x[n - 1].at) + is_apart(old, &x[n - 1]) + CONTEXT);
	unsigned lines = count_lines(old->at + at, end - at), added = 0;
	for (size_t i = 0; i < n; i++)
		added += count_lines(x[i].text->at, x[i].text->n);
	buf_printf(b, "@@ -%u,%u +%u,%u @@\n", first, lines, first + shift, lines + added);
	for (size_t i = 0; i < n; i++) {
		size_t own = line_start(old, line_of(old, x[i].at)), next = line_start(old, line_of(old, x[i].at) + 1);
		write_lines(b, ' ', old->at + at, own - at);
		at = own;
		if (is_apart(old, &x[i])) {
			write_lines(b, '-', old->at + own, next - own);
			write_lines(b, '+', old->at + own, x[i].at - own);
			write_lines(b, '+', x[i].text->at + 1, x[i].text->n - 1);
			write_lines(b, '+', old->at + x[i].at, next - x[i].at);
			at = next;
		} else {
			write_lines(b, '+', x[i].text->at, x[i].text->n);
		}
	}
	write_lines(b, ' ', old->at + at, end - at);
}

static void insert_two(struct suggestion *s, const struct buf *old, const struct insertion x[2], const char *name)
{
	size_t at = 0;
	buf_printf(&s->patch, "--- a/%s\n+++ b/%s\n", name, name);
	for (size_t i = 0; i < 2; i++) {
		buf_add(&s->changed, old->at + at, x[i].at - at);
		buf_add(&s->changed, x[i].text->at, x[i].text->n);
		at = x[i].at;
	}
	buf_add(&s->changed, old->at + at, old->n - at);
	if (line_of(old, x[1].at) - line_of(old, x[0].at) <= 2 * CONTEXT) {
		write_hunk(&s->patch, old, x, 2, 0);
	} else {
		write_hunk(&s->patch, old, x, 1, 0);
		write_hunk(&s->patch, old, x + 1, 1, count_lines(x[0].text->at, x[0].text->n));
	}
}

static const char *relative(const char *file, const char *root)
{
	size_t n = strlen(root);
	while (n && root[n - 1] == '/')
		n--;
	return strncmp(file, root, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* Debug information may have the name relative to a folder that it does not say: then it is the source folder. */
static char *find_source(const char *file, const char *root)
{
	char path[PATH_MAX];
	if (file[0] == '/' || access(file, R_OK) == 0)
		return mem_strdup(file);
	snprintf(path, sizeof path, "%s/%s", root, file);
	return mem_strdup(path);
}

static enum rc patch_source(struct suggestion *s, const struct profile *p, const struct profile_function *f,
			    struct types_function *t, const char *root, struct err *e)
{
	struct buf old = {0}, code = {0}, include = {0};
	enum rc rc = buf_read_file(&old, s->file, MAX_SOURCE, e);
	if (rc)
		return rc;
	size_t body = body_at(&old, f->sig->line, f->sig->name);
	if (!body || body >= old.n) {
		buf_release(&old);
		return err_set(e, RC_NO, "no code for %s: cannot find its body at %s:%u", f->name, s->file,
			       f->sig->line);
	}
	/* behind the brace's line, or between the brace and what follows on it */
	if (old.at[body] == '\n')
		body++;
	else
		buf_char(&code, '\n');
	code_body(&code, p, f, t, &s->key);
	buf_str_add(&include, "#include <errno.h>\n#include <refrain/memo.h>\n#include <string.h>\n");
	if (strstr(buf_str(&code), "rf_pointer"))
		buf_str_add(&include, "typedef const char *rf_pointer __attribute__((may_alias));\n");
	code_table(&include, f);
	struct insertion x[] = {{include_at(&old, body), &include}, {body, &code}};
	insert_two(s, &old, x, relative(s->file, root));
	buf_release(&old);
	buf_release(&code);
	buf_release(&include);
	return RC_OK;
}

enum rc suggest_make(struct suggestion *s, const struct profile *p, const struct profile_function *f, const char *root,
		     struct err *e)
{
	struct types types;
	struct types_function t;
	*s = (struct suggestion){0};
	if (f->status != STATUS_OPPORTUNITY || !f->sig)
		return err_set(e, RC_NO, "no code for %s: it is no opportunity", f->name);
	if (!types_open(&types, f->object))
		return err_set(e, RC_NO, "no code for %s: no debug information", f->name);
	enum rc rc = RC_OK;
	if (!types_function(&types, f->entry, &t)) {
		rc = err_set(e, RC_NO, "no code for %s: debug information does not have it", f->name);
	} else {
		key_make(&s->key, f, &t, cost_cheap_call(&p->cost));
		for (unsigned i = 0; i < t.n && !rc; i++)
			if (!t.parameter[i].name[0])
				rc = err_set(e, RC_NO, "no code for %s: a parameter has no name", f->name);
			else if (strncmp(t.parameter[i].name, "rf_", 3) == 0)
				rc = err_set(e, RC_NO,
					     "no code for %s: its parameter %s is called as the cache would be",
					     f->name, t.parameter[i].name);
		if (!rc && s->key.refusal)
			rc = err_set(e, RC_NO, "no code for %s: %s", f->name, s->key.refusal);
		if (!rc) {
			s->file = find_source(f->sig->file, root);
			rc = patch_source(s, p, f, &t, root, e);
		}
	}
	types_close(&types);
	return rc;
}

void suggest_release(struct suggestion *s)
{
	free(s->file);
	buf_release(&s->changed);
	buf_release(&s->patch);
	key_release(&s->key);
}
