/* SPDX-License-Identifier: MIT */
/* Whole files go first: chunks of files, half as many each time, until not even one can go. Together with a file go
 * the lines of the others that include or import it, and its name in build files; whether that was right is the test's
 * to say. One test at a time: few are needed, and each decides what the next is about. */
#include "reduce/run/session.h"

#include "process/runner.h"

#include <string.h>

struct drop {
	struct session *s;
	VEC(uint32_t) left; /* files that may go */
	bool *gone;         /* in the candidate */
	bool alone;         /* nothing of the others goes with them */
	bool others;        /* something did */
	struct buf *texts;  /* of it */
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Whether the word stands in the line by itself. */
static bool mentions(const char *line, size_t n, const char *word, size_t len)
{
	for (const char *at = line; len && (at = memmem(at, (size_t)(line + n - at), word, len)); at++)
		if ((at == line || !is_word(at[-1])) && (at + len == line + n || !is_word(at[len])))
			return true;
	return false;
}

static bool starts_with(const char *line, size_t n, const char *word)
{
	size_t len = strlen(word);
	return n > len && memcmp(line, word, len) == 0 && !is_word(line[len]);
}

/* Whether the line brings another file in, in some language: the word it begins with says so. */
static bool imports(const char *line, size_t n)
{
	static const char *const words[] = {"import", "from", "export", "require", "mod",    "pub mod", "use",
					    "const",  "let",  "var",    "include", "source", "load",    NULL};
	while (n && (*line == ' ' || *line == '\t')) {
		line++;
		n--;
	}
	if (n && *line == '#') {
		do {
			line++;
			n--;
		} while (n && (*line == ' ' || *line == '\t'));
		return starts_with(line, n, "include") || starts_with(line, n, "import") ||
		       starts_with(line, n, "include_next");
	}
	for (size_t i = 0; words[i]; i++)
		if (starts_with(line, n, words[i]))
			return true;
	return false;
}

/* The name by which other files know this one: without its extension, and a folder's for its main file. */
static void stem_of(const char *name, const char **stem, size_t *len)
{
	const char *base = last_part(name), *dot = strrchr(base, '.');
	*stem = base;
	*len = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	bool main_file = (*len == 8 && memcmp(base, "__init__", 8) == 0) ||
			 (*len == 5 && memcmp(base, "index", 5) == 0) || (*len == 3 && memcmp(base, "mod", 3) == 0);
	if (main_file && base > name) {
		const char *end = base - 1, *from = end;
		while (from > name && from[-1] != '/')
			from--;
		*stem = from;
		*len = (size_t)(end - from);
	}
}

static bool line_goes(const struct drop *d, const char *line, size_t n)
{
	if (!imports(line, n))
		return false;
	for (size_t i = 0; i < d->s->n_files; i++) {
		const char *stem;
		size_t len;
		if (!d->gone[i])
			continue;
		stem_of(d->s->names[i], &stem, &len);
		if (mentions(line, n, stem, len))
			return true;
	}
	return false;
}

static bool is_build_file(const char *name)
{
	static const char *const names[] = {"Makefile",    "makefile",  "GNUmakefile", "CMakeLists.txt",
					    "meson.build", "BUILD",     "BUILD.bazel", "SConstruct",
					    "Cargo.toml",  "build.zig", NULL};
	const char *base = last_part(name), *dot = strrchr(base, '.');
	for (size_t i = 0; names[i]; i++)
		if (strcmp(base, names[i]) == 0)
			return true;
	return dot && strcmp(dot, ".mk") == 0;
}

/* Whether the file is one that others include, so that no object is made of it. */
static bool is_header(const char *name)
{
	const char *dot = strrchr(last_part(name), '.');
	return dot && (dot[1] | 32) == 'h';
}

/* Whether the word is the path of a file that goes, or of its object. */
static bool word_goes(const struct drop *d, const char *word, size_t n)
{
	const char *slash = memrchr(word, '/', n);
	size_t skip = slash ? (size_t)(slash - word) + 1 : 0;
	word += skip;
	n -= skip;
	for (size_t i = 0; i < d->s->n_files; i++) {
		if (!d->gone[i])
			continue;
		const char *base = last_part(d->s->names[i]), *dot = strrchr(base, '.');
		size_t len = strlen(base), stem = dot ? (size_t)(dot - base) : len;
		if ((n == len && memcmp(word, base, n) == 0) ||
		    (n == stem + 2 && !is_header(base) && memcmp(word, base, stem) == 0 &&
		     memcmp(word + stem, ".o", 2) == 0))
			return true;
	}
	return false;
}

/* A line of a build file without the names of what goes. */
static void add_build_line(const struct drop *d, const char *line, size_t n, struct buf *out)
{
	static const char ends[] = " \t\r\n\"'(),;:=[]";
	for (size_t i = 0; i < n;) {
		size_t k = i;
		while (k < n && !memchr(ends, line[k], sizeof ends - 1))
			k++;
		if (k == i || !word_goes(d, line + i, k - i))
			buf_add(out, line + i, k > i ? k - i : 1);
		i = k > i ? k : i + 1;
	}
}

/* The text of a file that stays. */
static void without(struct drop *d, size_t file, struct buf *out)
{
	const struct buf *text = &d->s->texts[file];
	const char *t = buf_str(text);
	bool build = is_build_file(d->s->names[file]);
	size_t before = out->n;
	for (size_t i = 0, end; i < text->n; i = end) {
		const char *nl = memchr(t + i, '\n', text->n - i);
		end = nl ? (size_t)(nl - t) + 1 : text->n;
		if (build && !d->alone)
			add_build_line(d, t + i, end - i, out);
		else if (d->alone || !line_goes(d, t + i, end - i))
			buf_add(out, t + i, end - i);
	}
	d->others = d->others || out->n - before != text->n;
}

/* Tests the candidate, unless it is known. */
static enum rc ask(struct drop *d, bool *yes, struct err *e)
{
	struct session *s = d->s;
	bool *before = mem_dup(s->absent, s->n_files);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < s->n_files; i++)
		s->absent[i] = s->absent[i] || d->gone[i];
	d->others = false;
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++) {
		buf_clear(&d->texts[i]);
		if (!s->absent[i])
			without(d, i, &d->texts[i]);
		buf_add(&s->next.texts[i], buf_str(&d->texts[i]), d->texts[i].n);
	}
	if (!recall_find(&s->recall, &s->next, yes)) {
		struct test_end end = {0};
		s->r->queries++;
		s->r->useful++;
		rc = session_test_once(s, d->texts, &end, e);
		*yes = rc == RC_OK && end.answer == ANSWER_YES;
		if (rc == RC_OK && end.answer != ANSWER_NONE)
			recall_note(&s->recall, &s->next, *yes);
		s->answered += rc == RC_OK;
		free(end.output);
	}
	if (rc != RC_OK || !*yes)
		memcpy(s->absent, before, s->n_files);
	free(before);
	return rc;
}

/* The candidate becomes the minimum. */
static enum rc take(struct drop *d, struct err *e)
{
	struct session *s = d->s;
	for (size_t i = 0; i < s->n_files; i++) {
		struct buf swap = s->texts[i];
		s->texts[i] = d->texts[i];
		d->texts[i] = swap;
	}
	return session_minimum(s, e);
}

/* One sweep with chunks of that size, from the end. */
static enum rc sweep(struct drop *d, size_t chunk, bool *changed, struct err *e)
{
	struct session *s = d->s;
	enum rc rc = RC_OK;
	for (size_t to = d->left.n; to && rc == RC_OK && !session_stopped(s);) {
		size_t from = to > chunk ? to - chunk : 0;
		bool yes = false;
		memset(d->gone, 0, s->n_files);
		for (size_t i = from; i < to; i++)
			d->gone[d->left.at[i]] = true;
		d->alone = false;
		rc = ask(d, &yes, e);
		if (rc == RC_OK && !yes && d->others && to - from == 1) {
			/* another thing may have its name */
			d->alone = true;
			rc = ask(d, &yes, e);
		}
		if (rc == RC_OK && yes) {
			rc = take(d, e);
			memmove(d->left.at + from, d->left.at + to, (d->left.n - to) * sizeof *d->left.at);
			d->left.n -= to - from;
			*changed = true;
		}
		to = from;
	}
	return rc;
}

enum rc session_drop_files(struct session *s, bool only_empty, bool *changed, struct err *e)
{
	struct drop d = {.s = s};
	enum rc rc = RC_OK;
	d.gone = mem_zalloc(s->n_files);
	d.texts = mem_zalloc(mem_mul(s->n_files, sizeof *d.texts));
	for (uint32_t i = 0; i < s->n_files; i++)
		if (!s->absent[i] && (!only_empty || !s->texts[i].n))
			vec_push(&d.left, i);
	*changed = false;
	for (bool again = true; again && rc == RC_OK && !session_stopped(s);) {
		again = false;
		size_t all = only_empty ? d.left.n : d.left.n / 2;
		for (size_t chunk = all ? all : d.left.n > 0; chunk && rc == RC_OK; chunk /= 2)
			rc = sweep(&d, chunk, &again, e);
		*changed = *changed || again;
	}
	if (rc == RC_STOPPED) {
		s->r->stopped = "signal";
		err_clear(e);
		rc = RC_OK;
	}
	for (size_t i = 0; i < s->n_files; i++)
		buf_release(&d.texts[i]);
	free(d.texts);
	free(d.gone);
	vec_release(&d.left);
	return rc;
}
