/* SPDX-License-Identifier: MIT */
/* See cc_libraries.h. The linker's own search is followed: the folders of all -L in their order, in each the shared
 * library before the archive unless -static or -Bstatic stands before it, then the folders of the compiler. A linker
 * script (libncurses.so is one) is read for the files and libraries it names. What is not found is left out: the linker
 * will say so. */
#include "check/cc_libraries.h"

#include "check/cc_plugin.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SCRIPT = 1 << 16, MAX_NESTING = 8 };

struct search {
	const char *compiler;
	struct strings folders;
	struct strings *files, *owned;
	bool archives;    /* only: after -static or -Bstatic */
	unsigned nesting; /* of linker scripts */
};

static void word(struct search *s, const char *w);

static bool is_known(const char *name)
{
	static const char *const known[] = {"c",   "m",    "pthread", "dl",    "rt",     "util",   "resolv", "nsl",
					    "anl", "mvec", "gcc",     "gcc_s", "gcc_eh", "stdc++", "supc++", "atomic"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i]) == 0)
			return true;
	return false;
}

/* libc.so.6, libm-2.36.a: by the name in front. */
static bool is_known_file(const char *path)
{
	const char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	if (strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "libc_nonshared", 14) == 0)
		return true;
	if (strncmp(base, "lib", 3) != 0)
		return false;
	char *name = mem_strndup(base + 3, strcspn(base + 3, ".-"));
	bool known = is_known(name);
	free(name);
	return known;
}

/* A linker script: the words in the parentheses of GROUP and INPUT. */
static bool script(struct search *s, const char *path)
{
	struct buf text = {0};
	struct err quiet = ERR_INIT;
	bool is = buf_read_file(&text, path, MAX_SCRIPT, &quiet) == RC_OK &&
		  (strstr(buf_str(&text), "GROUP") || strstr(buf_str(&text), "INPUT")) &&
		  strlen(buf_str(&text)) == text.n;
	const char *p = is && s->nesting < MAX_NESTING ? buf_str(&text) : "";
	unsigned depth = 0;
	s->nesting++;
	while (*p) {
		size_t n = strcspn(p, "() \t\r\n,");
		if (depth && n) {
			char *w = mem_strndup(p, n);
			vec_push(s->owned, w);
			if (w[0] == '-' || strchr(w, '/') || strstr(w, ".so") || strstr(w, ".a"))
				word(s, w);
		}
		p += n;
		depth += *p == '(' ? 1u : *p == ')' && depth ? -1u : 0u;
		p += *p != '\0';
	}
	s->nesting--;
	buf_release(&text);
	return is;
}

static void found(struct search *s, const char *path)
{
	if (is_known_file(path) || script(s, path))
		return;
	for (size_t i = 0; i < s->files->n; i++)
		if (strcmp(s->files->at[i], path) == 0)
			return;
	vec_push(s->files, path);
}

/* A file in the folders of -L, or where the compiler looks; the string belongs to `owned`; NULL: none. */
static const char *find(struct search *s, const char *file)
{
	for (size_t i = 0; i < s->folders.n; i++) {
		char *path = mem_printf("%s/%s", s->folders.at[i], file);
		vec_push(s->owned, path);
		if (access(path, R_OK) == 0)
			return path;
	}
	char option[PATH_MAX], answer[PATH_MAX];
	struct err quiet = ERR_INIT;
	snprintf(option, sizeof option, "-print-file-name=%s", file);
	if (!cc_ask(s->compiler, option, answer, sizeof answer, &quiet))
		return NULL;
	answer[strcspn(answer, "\n")] = '\0';
	char real[PATH_MAX]; /* the compiler names it from its own folder, with many ".." */
	if (!strchr(answer, '/') || !realpath(answer, real) || access(real, R_OK) != 0)
		return NULL;
	char *path = mem_strdup(real);
	vec_push(s->owned, path);
	return path;
}

/* In one folder the shared library comes first, and a folder before the next: so both are asked for in each. */
static void library(struct search *s, const char *name)
{
	const char *path = NULL;
	if (name[0] == ':') {
		path = find(s, name + 1);
	} else if (!is_known(name)) {
		char *shared = mem_printf("lib%s.so", name), *archive = mem_printf("lib%s.a", name);
		for (size_t i = 0; i < s->folders.n && !path; i++) {
			char *so = mem_printf("%s/%s", s->folders.at[i], shared);
			char *a = mem_printf("%s/%s", s->folders.at[i], archive);
			vec_push(s->owned, so);
			vec_push(s->owned, a);
			path = !s->archives && access(so, R_OK) == 0 ? so : access(a, R_OK) == 0 ? a : NULL;
		}
		if (!path && !s->archives)
			path = find(s, shared);
		if (!path)
			path = find(s, archive);
		free(shared);
		free(archive);
	}
	if (path)
		found(s, path);
}

/* A word as the linker gets it. */
static void word(struct search *s, const char *w)
{
	if (strncmp(w, "-l", 2) == 0 && w[2])
		library(s, w + 2);
	else if (strncmp(w, "--library=", 10) == 0)
		library(s, w + 10);
	else if (strcmp(w, "-Bstatic") == 0 || strcmp(w, "-static") == 0 || strcmp(w, "-dn") == 0)
		s->archives = true;
	else if (strcmp(w, "-Bdynamic") == 0 || strcmp(w, "-dy") == 0)
		s->archives = false;
	else if (w[0] != '-' && strchr(w, '/') && access(w, R_OK) == 0)
		found(s, w);
	else if (w[0] != '-' && s->nesting) {
		const char *path = find(s, w);
		if (path)
			found(s, path);
	} else if (w[0] != '-' && (strstr(w, ".so") || strstr(w, ".a") || strstr(w, ".o")) && access(w, R_OK) == 0) {
		found(s, w);
	}
}

/* -Wl,a,b */
static void words(struct search *s, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		char *w = mem_strndup(list, n);
		vec_push(s->owned, w);
		word(s, w);
		list += n + (list[n] == ',');
	}
}

static void each(struct search *s, const struct cc_args *a, bool folders)
{
	for (size_t i = 0; i < a->words.n; i++) {
		const char *w = a->words.at[i].s, *value = i + 1 < a->words.n && a->words.at[i + 1].role == CC_VALUE
								   ? a->words.at[i + 1].s
								   : NULL;
		if (a->words.at[i].role != CC_OPTION)
			continue;
		if (folders && strncmp(w, "-L", 2) == 0 && (w[2] || value))
			vec_push(&s->folders, w[2] ? w + 2 : value);
		else if (folders && strncmp(w, "-Wl,-L", 6) == 0)
			vec_push(&s->folders, w[6] == ',' ? w + 7 : w + 6);
		else if (!folders && strcmp(w, "-l") == 0 && value)
			library(s, value);
		else if (!folders && strcmp(w, "-Xlinker") == 0 && value)
			word(s, value);
		else if (!folders && strncmp(w, "-Wl,", 4) == 0)
			words(s, w + 4);
		else if (!folders && strncmp(w, "-l", 2) == 0)
			word(s, w);
	}
}

void cc_libraries_find(const struct cc_args *a, const char *compiler, struct strings *files, struct strings *owned)
{
	struct search s = {.compiler = compiler, .files = files, .owned = owned};
	each(&s, a, true);
	each(&s, a, false);
	vec_release(&s.folders);
}
