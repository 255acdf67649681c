/* SPDX-License-Identifier: MIT */
/* From operands to files: see layout.h. Folders are walked with a list of those still to come, so depth costs no
 * stack; a link is never walked through, so there are no cycles. */
#include "reduce/run/layout.h"

#include "data/mem.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 100000

struct walk {
	struct layout *l;
	const struct layout_spec *spec;
	struct stat test;
	bool has_test;
	struct {
		VEC_FIELDS(struct layout_file);
	} folder; /* still to come */
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n > m && strcmp(s + n - m, end) == 0;
}

/* What a run of ours leaves beside a file, and what is about the project and not of it. */
static bool left_out(const char *name)
{
	static const char *const names[] = {".", "..", ".git", ".hg", ".svn", NULL};
	for (size_t i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return ends_with(name, ".orig") || ends_with(name, ".refrain") || ends_with(name, ".refrain-new");
}

static char *join(const char *folder, const char *name)
{
	size_t n = strlen(folder);
	if (!n)
		return mem_strdup(name);
	return mem_printf("%s%s%s", folder, folder[n - 1] == '/' ? "" : "/", name);
}

/* Whether the link leads to something inside the root, by a relative path. */
static bool leads_inside(const struct walk *w, const char *path)
{
	char target[PATH_MAX], real[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n <= 0 || target[0] == '/' || !w->l->root || !realpath(path, real))
		return false;
	size_t root = strlen(w->l->root);
	return strncmp(real, w->l->root, root) == 0 && (real[root] == '/' || root == 1);
}

/* One entry of a folder, or an operand; takes path and name over. */
static enum rc add_entry(struct walk *w, struct layout_file f, bool operand, struct err *e)
{
	struct stat st, link;
	enum rc rc = RC_OK;
	if (lstat(f.path, &link) != 0 || (stat(f.path, &st) != 0 && !S_ISLNK(link.st_mode))) {
		rc = err_sys(e, RC_INPUT, errno, "cannot open '%s'", f.path);
	} else if (!operand && S_ISLNK(link.st_mode)) {
		bool inside = leads_inside(w, f.path);
		f.copy = true;
		f.link = inside;
		if (!inside && (stat(f.path, &st) != 0 || !S_ISREG(st.st_mode)))
			rc = err_set(e, RC_INPUT, "'%s' is a symbolic link to something that cannot be copied", f.path);
	} else if (stat(f.path, &st) != 0) {
		rc = err_sys(e, RC_INPUT, errno, "cannot open '%s'", f.path);
	} else if (S_ISDIR(st.st_mode)) {
		vec_push(&w->folder, f);
		return RC_OK;
	} else if (!S_ISREG(st.st_mode)) {
		rc = err_set(e, RC_INPUT, "cannot reduce '%s': it is not a file", f.path);
	} else if (!operand && w->has_test && st.st_dev == w->test.st_dev && st.st_ino == w->test.st_ino) {
		free(f.path);
		free(f.name);
		return RC_OK;
	}
	if (rc == RC_OK && w->l->file.n == MAX_FILES)
		rc = err_set(e, RC_INPUT, "too many files: more than %d", MAX_FILES);
	if (rc == RC_OK) {
		vec_push(&w->l->file, f);
	} else {
		free(f.path);
		free(f.name);
	}
	return rc;
}

/* A run that is resumed: the original of a file that is not there any more stands for it. */
static bool was_dropped(const struct walk *w, const char *folder, const char *name, char **file)
{
	struct stat st;
	if (!w->spec->resume || !ends_with(name, ".orig"))
		return false;
	char *base = mem_strndup(name, strlen(name) - strlen(".orig")), *path = join(folder, base);
	bool gone = lstat(path, &st) != 0 && errno == ENOENT && !left_out(base);
	free(path);
	*file = base;
	if (!gone)
		free(base);
	return gone;
}

static enum rc walk_folder(struct walk *w, const struct layout_file *dir, struct err *e)
{
	struct dirent **entry;
	enum rc rc = RC_OK;
	int n = scandir(dir->path, &entry, NULL, alphasort);
	if (n < 0)
		return err_sys(e, RC_INPUT, errno, "cannot read the folder '%s'", dir->path);
	for (int i = 0; i < n; i++) {
		char *name = entry[i]->d_name, *base = NULL;
		if (rc == RC_OK && was_dropped(w, dir->path, name, &base)) {
			struct layout_file f = {join(dir->path, base), join(dir->name, base), false, false, true};
			vec_push(&w->l->file, f);
			free(base);
		} else if (rc == RC_OK && !left_out(name)) {
			struct layout_file f = {join(dir->path, name), join(dir->name, name), false, dir->copy, false};
			rc = add_entry(w, f, false, e);
		}
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static enum rc walk_all(struct walk *w, struct err *e)
{
	enum rc rc = RC_OK;
	while (w->folder.n) {
		struct layout_file dir = vec_pop(&w->folder);
		if (rc == RC_OK)
			rc = walk_folder(w, &dir, e);
		free(dir.path);
		free(dir.name);
	}
	return rc;
}

/* ---- names */

/* The whole path of an operand: its folder with links followed, itself without. */
static enum rc absolute(const char *path, char *out, struct err *e)
{
	char real[PATH_MAX];
	char *copy = mem_strdup(path);
	size_t n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = 0;
	char *slash = strrchr(copy, '/');
	const char *last = slash ? slash + 1 : copy;
	bool whole = !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
	if (slash && !whole)
		*slash = 0;
	const char *folder = whole ? path : !slash ? "." : *copy ? copy : "/";
	enum rc rc = RC_OK;
	if (!realpath(folder, real))
		rc = err_sys(e, RC_INPUT, errno, "cannot open '%s'", path);
	else if ((size_t)snprintf(out, PATH_MAX, "%s%s%s", real, whole || !real[1] ? "" : "/", whole ? "" : last) >=
		 PATH_MAX)
		rc = err_set(e, RC_INPUT, "the path '%s' is too long", path);
	free(copy);
	return rc;
}

/* What stands below the folder root in path, or NULL. */
static const char *below(const char *path, const char *root)
{
	size_t n = strlen(root);
	if (n == 1)
		return path + 1;
	if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path[n] ? path + n + 1 : path + n;
}

/* Cuts root until path is below it; the last part of path does not count. */
static void cut_root(char *root, const char *path)
{
	char parent[PATH_MAX];
	snprintf(parent, sizeof parent, "%s", path);
	*strrchr(parent, '/') = 0;
	if (!*parent)
		snprintf(parent, sizeof parent, "/");
	while (!below(parent, root)) {
		*strrchr(root, '/') = 0;
		if (!*root)
			snprintf(root, PATH_MAX, "/");
	}
}

static enum rc find_root(struct layout *l, char (*whole)[PATH_MAX], size_t n, struct err *e)
{
	char root[PATH_MAX];
	bool inside = true;
	if (!getcwd(root, sizeof root))
		return err_sys(e, RC_ENV, errno, "cannot find the current folder");
	for (size_t i = 0; i < n; i++)
		inside = inside && below(whole[i], root);
	if (!inside) {
		snprintf(root, sizeof root, "%s", whole[0]);
		for (size_t i = 0; i < n; i++)
			cut_root(root, whole[i]);
	}
	l->root = mem_strdup(root);
	return RC_OK;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static enum rc add_operands(struct walk *w, struct err *e)
{
	const struct layout_spec *spec = w->spec;
	struct layout *l = w->l;
	enum rc rc = RC_OK;
	l->kept = spec->n > 1 || is_folder(spec->operand[0]);
	if (!l->kept) {
		struct layout_file f = {.path = mem_strdup(spec->operand[0]),
					.name = mem_strdup(last_part(spec->operand[0]))};
		return add_entry(w, f, true, e);
	}
	char(*whole)[PATH_MAX] = mem_alloc(mem_mul(spec->n, sizeof *whole));
	for (size_t i = 0; i < spec->n && rc == RC_OK; i++)
		rc = absolute(spec->operand[i], whole[i], e);
	if (rc == RC_OK)
		rc = find_root(l, whole, spec->n, e);
	for (size_t i = 0; i < spec->n && rc == RC_OK; i++) {
		const char *name = below(whole[i], l->root);
		struct layout_file f = {.path = mem_strdup(spec->operand[i]), .name = mem_strdup(name)};
		rc = add_entry(w, f, true, e);
		if (rc == RC_OK)
			rc = walk_all(w, e);
	}
	free(whole);
	return rc;
}

/* --with: under the path as it was given if that is below the current folder, else under its last part. */
static enum rc add_with(struct walk *w, const char *path, struct err *e)
{
	char whole[PATH_MAX], cwd[PATH_MAX];
	enum rc rc = absolute(path, whole, e);
	if (rc != RC_OK)
		return rc;
	const char *name = getcwd(cwd, sizeof cwd) ? below(whole, cwd) : NULL;
	struct layout_file f = {
		.path = mem_strdup(path), .name = mem_strdup(name ? name : last_part(whole)), .copy = true};
	rc = add_entry(w, f, true, e);
	return rc == RC_OK ? walk_all(w, e) : rc;
}

static int by_name(const void *a, const void *b)
{
	const struct layout_file *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

static enum rc check_names(const struct layout *l, struct err *e)
{
	size_t reduced = 0;
	enum rc rc = RC_OK;
	const struct layout_file **f = mem_alloc(mem_mul(l->file.n + 1, sizeof *f));
	for (size_t i = 0; i < l->file.n; i++) {
		f[i] = &l->file.at[i];
		reduced += !f[i]->copy;
	}
	if (!reduced)
		rc = err_set(e, RC_INPUT, "the folders given hold no file to reduce");
	else
		qsort(f, l->file.n, sizeof *f, by_name);
	for (size_t i = 1; i < l->file.n && rc == RC_OK; i++)
		if (strcmp(f[i - 1]->name, f[i]->name) == 0)
			rc = err_set(e, RC_INPUT, "'%s' is given twice", f[i]->path);
	free(f);
	return rc;
}

enum rc layout_make(struct layout *l, const struct layout_spec *spec, struct err *e)
{
	struct walk w = {.l = l, .spec = spec};
	w.has_test = spec->test && stat(spec->test, &w.test) == 0;
	enum rc rc = add_operands(&w, e);
	for (size_t i = 0; spec->with && i < spec->with->n && rc == RC_OK; i++)
		rc = add_with(&w, spec->with->at[i], e);
	if (rc == RC_OK)
		rc = check_names(l, e);
	while (w.folder.n) {
		struct layout_file f = vec_pop(&w.folder);
		free(f.path);
		free(f.name);
	}
	vec_release(&w.folder);
	return rc;
}

void layout_release(struct layout *l)
{
	for (size_t i = 0; i < l->file.n; i++) {
		free(l->file.at[i].path);
		free(l->file.at[i].name);
	}
	vec_release(&l->file);
	free(l->root);
	*l = (struct layout){0};
}
