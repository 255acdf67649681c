/* SPDX-License-Identifier: MIT */
/* The files of a run: reading them, keeping the original, writing each new minimum at once (a file beside it, then a
 * rename; fsync only at the end: kill −9 loses nothing that was written). */
#include "reduce/run/session.h"

#include "data/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 30 };

static enum rc find_program(struct session *s, const char *path, struct err *e)
{
	struct stat st;
	char real[PATH_MAX];
	if (stat(path, &st) != 0)
		return err_sys(e, RC_INPUT, errno, "cannot use the test '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, RC_INPUT, "cannot use the test '%s': it is not a file", path);
	if (access(path, X_OK) != 0)
		return err_set(e, RC_INPUT, "the test '%s' is not executable (chmod +x '%s')", path, path);
	if (!realpath(path, real))
		return err_sys(e, RC_INPUT, errno, "cannot use the test '%s'", path);
	s->test_path = mem_strdup(real);
	s->argv[0] = s->test_path;
	return RC_OK;
}

/* The scope of all verdicts: the test's text, the files' names, and what stands beside them. */
enum rc session_find_test(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	struct digest_parts *d;
	struct buf text = {0};
	if (s->o->command) {
		s->argv[0] = "/bin/sh";
		s->argv[1] = "-c";
		s->argv[2] = (char *)s->o->command;
		buf_str_add(&text, s->o->command);
	} else {
		rc = find_program(s, s->o->test, e);
		if (rc == RC_OK)
			rc = buf_read_file(&text, s->test_path, MAX_FILE, e);
	}
	if (rc == RC_OK) {
		d = digest_parts_new();
		digest_parts_str(d, s->o->command ? "command" : "test");
		digest_parts_add(d, buf_str(&text), text.n);
		for (size_t i = 0; i < s->n_files; i++)
			digest_parts_str(d, s->names[i]);
		for (size_t i = 0; i < s->n_copies; i++) {
			digest_parts_str(d, s->copy[i].name);
			digest_parts_str(d, s->copy[i].link ? s->copy[i].link : "");
			digest_parts_add(d, buf_str(s->copy[i].text), s->copy[i].text->n);
		}
		s->scope = digest_parts_end(d);
	}
	buf_release(&text);
	return rc;
}

enum rc session_list_files(struct session *s, struct err *e)
{
	struct layout_spec spec = {s->o->files, s->o->n_files, s->o->with, s->o->test, s->o->resume};
	enum rc rc = layout_make(&s->layout, &spec, e);
	if (rc != RC_OK)
		return rc;
	size_t n = s->layout.file.n;
	s->file = mem_zalloc(mem_mul(n, sizeof *s->file));
	s->copy = mem_zalloc(mem_mul(n, sizeof *s->copy));
	for (size_t i = 0; i < n; i++) {
		const struct layout_file *f = &s->layout.file.at[i];
		if (f->copy)
			s->copy[s->n_copies++].name = f->name;
		else
			s->file[s->n_files++] =
				(struct session_file){.path = f->path, .name = f->name, .missing = f->gone};
	}
	s->names = mem_zalloc(mem_mul(s->n_files, sizeof *s->names));
	s->modes = mem_zalloc(mem_mul(s->n_files, sizeof *s->modes));
	s->absent = mem_zalloc(s->n_files);
	return RC_OK;
}

/* Reads what stands beside the files. */
static enum rc read_copies(struct session *s, struct err *e)
{
	size_t k = 0;
	enum rc rc = RC_OK;
	for (size_t i = 0; i < s->layout.file.n && rc == RC_OK; i++) {
		const struct layout_file *f = &s->layout.file.at[i];
		if (!f->copy)
			continue;
		struct fill_copy *c = &s->copy[k++];
		struct stat st;
		struct buf *text = mem_zalloc(sizeof *text);
		c->text = text;
		if (f->link) {
			char to[PATH_MAX] = "";
			if (readlink(f->path, to, sizeof to - 1) < 0)
				return err_sys(e, RC_INPUT, errno, "cannot read the link '%s'", f->path);
			c->link = mem_strdup(to);
			continue;
		}
		if (stat(f->path, &st) != 0)
			return err_sys(e, RC_INPUT, errno, "cannot open '%s'", f->path);
		c->mode = st.st_mode & 07777;
		rc = buf_read_file(text, f->path, MAX_FILE, e);
	}
	return rc;
}

/* Where the result of a file goes with -o. */
static enum rc output_target(struct session *s, struct session_file *f, const char *real, struct err *e)
{
	struct stat st;
	char out[PATH_MAX];
	bool there = stat(s->o->out, &st) == 0;
	if (s->layout.kept || (there && S_ISDIR(st.st_mode))) {
		if (there && !S_ISDIR(st.st_mode))
			return err_set(e, RC_INPUT, "-o takes a folder for several files, and '%s' is none", s->o->out);
		f->target = mem_printf("%s/%s", s->o->out, f->name);
		char *at = realpath(f->target, out) ? out : f->target;
		return strcmp(at, real) == 0 ? err_set(e, RC_INPUT,
						       "-o names the folder that is reduced; leave -o out to "
						       "reduce it in place")
					     : RC_OK;
	}
	/* renaming over a pipe or device would destroy it */
	if (there && !S_ISREG(st.st_mode))
		return err_set(e, RC_INPUT, "cannot write the result to '%s': it is not a file", s->o->out);
	f->target = mem_strdup(realpath(s->o->out, out) ? out : s->o->out);
	if (strcmp(f->target, real) == 0)
		return err_set(e, RC_INPUT, "-o names the file that is reduced; leave -o out to reduce it in place");
	return RC_OK;
}

/* In place: its folder takes the original and each new text. */
static enum rc check_folder(const char *target, const char *path, struct err *e)
{
	char *folder = mem_strdup(target);
	*(strrchr(folder, '/') + 1) = 0;
	enum rc rc = RC_OK;
	if (access(folder, W_OK) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot write beside '%s' (-o OUT writes the result elsewhere)", path);
	free(folder);
	return rc;
}

static enum rc open_target(struct session *s, struct session_file *f, struct err *e)
{
	struct stat st;
	char real[PATH_MAX];
	char *orig = mem_printf("%s.orig", f->path);
	const char *path = f->missing ? orig : f->path;
	enum rc rc = RC_OK;
	if (stat(path, &st) != 0 || !realpath(path, real))
		rc = err_sys(e, RC_INPUT, errno, "cannot open '%s'", path);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(e, RC_INPUT, "cannot reduce '%s': it is not a file", path);
	else if (s->o->out)
		rc = output_target(s, f, real, e);
	else
		rc = check_folder(real, f->path, e);
	if (rc == RC_OK && !s->o->out) {
		f->target = f->missing ? mem_strndup(real, strlen(real) - strlen(".orig")) : mem_strdup(real);
		f->orig = orig;
		orig = NULL;
	}
	if (rc == RC_OK) {
		f->mode = st.st_mode & 07777;
		f->temp = mem_printf("%s.refrain-new", f->target);
		rc = buf_read_file(&f->text, path, MAX_FILE, e);
	}
	free(orig);
	return rc;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two ways to one file would reduce it twice. */
static enum rc check_twice(const struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	const char **target = mem_alloc(mem_mul(s->n_files, sizeof *target));
	for (size_t i = 0; i < s->n_files; i++)
		target[i] = s->file[i].target;
	qsort(target, s->n_files, sizeof *target, by_text);
	for (size_t i = 1; i < s->n_files && rc == RC_OK; i++)
		if (strcmp(target[i - 1], target[i]) == 0)
			rc = err_set(e, RC_INPUT, "'%s' is given twice", target[i]);
	free(target);
	return rc;
}

enum rc session_read_files(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	for (size_t i = 0; i < s->n_files && rc == RC_OK; i++) {
		rc = open_target(s, &s->file[i], e);
		s->names[i] = s->file[i].name;
		s->modes[i] = s->file[i].mode;
	}
	if (rc == RC_OK)
		rc = check_twice(s, e);
	return rc == RC_OK ? read_copies(s, e) : rc;
}

static enum rc put_file(const char *path, const char *shown, const struct buf *text, unsigned mode, bool sync,
			struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot write '%s'", shown);
	enum rc rc = RC_OK;
	if (!write_all(fd, text->at, text->n) || fchmod(fd, mode) != 0 || (sync && fsync(fd) != 0))
		rc = err_sys(e, RC_ENV, errno, "cannot write '%s'", shown);
	if (close(fd) != 0 && rc == RC_OK)
		rc = err_sys(e, RC_ENV, errno, "cannot write '%s'", shown);
	return rc;
}

/* The original, once: a file of that name is somebody's, perhaps an earlier original, and stays. */
static enum rc keep_original(struct session_file *f, struct err *e)
{
	if (!f->orig)
		return RC_OK;
	char *temp = mem_printf("%s.refrain-new", f->orig);
	if (access(f->orig, F_OK) == 0) {
		unlink(temp); /* a run that was killed may have left it */
		free(temp);
		return RC_OK;
	}
	enum rc rc = put_file(temp, f->orig, &f->text, f->mode, true, e);
	if (rc == RC_OK && link(temp, f->orig) != 0 && errno != EEXIST)
		rc = rename(temp, f->orig) == 0 ? RC_OK : err_sys(e, RC_ENV, errno, "cannot write '%s'", f->orig);
	unlink(temp);
	free(temp);
	return rc;
}

/* The owner stays too, where we may set it. */
static void copy_owner(const char *from, const char *to)
{
	struct stat st;
	if (stat(from, &st) == 0 && (st.st_uid != geteuid() || st.st_gid != getegid()) &&
	    lchown(to, st.st_uid, st.st_gid) != 0)
		return;
}

/* The folders of the target, below the output folder. */
static enum rc make_folders(const struct session *s, const char *target, struct err *e)
{
	if (!s->o->out || !s->layout.kept)
		return RC_OK;
	char *path = mem_strdup(target);
	enum rc rc = RC_OK;
	for (char *slash = path + strlen(s->o->out); (slash = strchr(slash, '/')) && rc == RC_OK; slash++) {
		*slash = 0;
		if (*path && mkdir(path, 0777) != 0 && errno != EEXIST)
			rc = err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", path);
		*slash = '/';
	}
	free(path);
	return rc;
}

static enum rc write_target(struct session *s, size_t i, struct err *e)
{
	struct session_file *f = &s->file[i];
	const struct buf *text = &s->texts[i];
	if (f->on_target && f->written.n == text->n && (!text->n || memcmp(f->written.at, text->at, text->n) == 0))
		return RC_OK;
	enum rc rc = make_folders(s, f->target, e);
	if (rc == RC_OK)
		rc = put_file(f->temp, f->target, text, f->mode, false, e);
	if (rc != RC_OK) {
		unlink(f->temp);
		return rc;
	}
	copy_owner(f->target, f->temp);
	if (rename(f->temp, f->target) != 0)
		return err_sys(e, RC_ENV, errno, "cannot replace '%s'", f->target);
	buf_clear(&f->written);
	buf_add(&f->written, buf_str(text), text->n);
	f->on_target = true;
	return RC_OK;
}

enum rc session_write_minimum(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	if (!s->orig_written) {
		for (size_t i = 0; i < s->n_files && rc == RC_OK; i++)
			rc = keep_original(&s->file[i], e);
		s->orig_written = rc == RC_OK;
	}
	for (size_t i = 0; i < s->n_files && rc == RC_OK; i++) {
		if (!s->absent[i])
			rc = write_target(s, i, e);
		else if ((s->file[i].on_target || !s->o->out) && unlink(s->file[i].target) != 0 && errno != ENOENT)
			rc = err_sys(e, RC_ENV, errno, "cannot remove '%s'", s->file[i].target);
		if (s->absent[i])
			s->file[i].on_target = false;
	}
	return rc;
}

void session_sync(const struct session *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		int fd = open(s->file[i].target, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			fsync(fd);
			close(fd);
		}
	}
}

void session_release_files(struct session *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		struct session_file *f = &s->file[i];
		free_all(f->target, f->orig, f->temp);
		vec_release_all(&f->text, &f->on_disk, &f->written);
	}
	for (size_t i = 0; i < s->n_copies; i++) {
		if (s->copy[i].text)
			buf_release((struct buf *)s->copy[i].text);
		free((void *)s->copy[i].text);
		free((char *)s->copy[i].link);
	}
	free_all(s->copy, s->file, s->names, s->modes, s->absent, s->test_path);
	layout_release(&s->layout);
}

/* ---- for people */

/* Copies operands, as they stand below the root, into $d. */
static void copy_below_root(struct buf *b, const struct session *s)
{
	char cwd[PATH_MAX];
	bool here = getcwd(cwd, sizeof cwd) && strcmp(cwd, s->layout.root) == 0;
	if (!here) {
		buf_str_add(b, "(cd ");
		buf_shell_word(b, s->layout.root);
		buf_str_add(b, " && ");
	}
	buf_str_add(b, "cp -R --parents --");
	for (size_t i = 0; i < s->n_files; i++) {
		buf_char(b, ' ');
		buf_shell_word(b, s->file[i].name);
	}
	for (size_t i = 0; i < s->layout.file.n; i++) {
		if (s->layout.file.at[i].link) {
			buf_char(b, ' ');
			buf_shell_word(b, s->layout.file.at[i].name);
		}
	}
	buf_str_add(b, here ? " \"$d\"" : " \"$d\")");
}

/* What --with names, and files that stand for links to elsewhere. */
static void copy_others(struct buf *b, const struct session *s)
{
	for (size_t i = 0; i < s->layout.file.n; i++) {
		const struct layout_file *f = &s->layout.file.at[i];
		if (!f->copy || f->link)
			continue;
		const char *slash = strrchr(f->name, '/');
		if (slash) {
			char *folder = mem_strndup(f->name, (size_t)(slash - f->name));
			buf_str_add(b, " && mkdir -p \"$d\"/");
			buf_shell_word(b, folder);
			free(folder);
		}
		buf_str_add(b, " && cp -- ");
		buf_shell_word(b, f->path);
		buf_str_add(b, " \"$d\"/");
		buf_shell_word(b, f->name);
	}
}

char *session_by_hand(const struct session *s)
{
	struct buf b = {0};
	buf_str_add(&b, "d=$(mktemp -d) && ");
	if (s->layout.kept) {
		copy_below_root(&b, s);
	} else {
		buf_str_add(&b, "cp -- ");
		buf_shell_word(&b, s->file[0].path);
		buf_str_add(&b, " \"$d\"");
	}
	copy_others(&b, s);
	buf_str_add(&b, " && cd \"$d\" && ");
	if (s->o->command) {
		buf_str_add(&b, "sh -c ");
		buf_shell_word(&b, s->o->command);
	} else {
		buf_shell_word(&b, s->test_path);
	}
	buf_str_add(&b, "; echo \"exit code $?\"");
	return b.at;
}

char *session_where(const struct session *s, const char *dir)
{
	enum { SHOWN = 10 };
	struct buf b = {0};
	size_t n = 0;
	buf_printf(&b, "%s, which held just", dir);
	for (size_t i = 0; i < s->layout.file.n; i++, n++)
		if (n < SHOWN)
			buf_printf(&b, "%s%s", n ? ", " : " ", s->layout.file.at[i].name);
	if (n > SHOWN)
		buf_printf(&b, " and %zu more", n - SHOWN);
	return b.at;
}
