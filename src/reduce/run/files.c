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

/* The scope of all verdicts: the test's text and the files' names. */
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
		s->scope = digest_parts_end(d);
	}
	buf_release(&text);
	return rc;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Names in the scratch folder: the last part of the path, unless two files share it; then the path as given. */
static enum rc name_files(struct session *s, struct err *e)
{
	bool clash = false;
	for (size_t i = 0; i < s->n_files; i++)
		for (size_t j = 0; j < i; j++)
			clash |= strcmp(last_part(s->file[i].path), last_part(s->file[j].path)) == 0;
	for (size_t i = 0; i < s->n_files; i++) {
		const char *name = clash ? s->file[i].path : last_part(s->file[i].path);
		while (strncmp(name, "./", 2) == 0)
			name += 2;
		if (clash && (name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../")))
			return err_set(e, RC_INPUT, "'%s': files of the same name need paths below the current folder",
				       name);
		s->file[i].name = mem_strdup(name);
		s->names[i] = s->file[i].name;
		s->modes[i] = s->file[i].mode;
	}
	return RC_OK;
}

static enum rc open_target(struct session *s, struct session_file *f, struct err *e)
{
	struct stat st;
	char real[PATH_MAX];
	if (stat(f->path, &st) != 0)
		return err_sys(e, RC_INPUT, errno, "cannot open '%s'", f->path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, RC_INPUT, "cannot reduce '%s': it is not a file", f->path);
	if (!realpath(f->path, real))
		return err_sys(e, RC_INPUT, errno, "cannot open '%s'", f->path);
	f->mode = st.st_mode & 07777;
	if (s->o->out) {
		char out[PATH_MAX];
		/* renaming over a pipe or device would destroy it */
		if (stat(s->o->out, &st) == 0 && !S_ISREG(st.st_mode))
			return err_set(e, RC_INPUT, "cannot write the result to '%s': it is not a file", s->o->out);
		f->target = mem_strdup(realpath(s->o->out, out) ? out : s->o->out);
		if (strcmp(f->target, real) == 0)
			return err_set(e, RC_INPUT,
				       "-o names the file that is reduced; leave -o out to reduce it in place");
	} else {
		f->target = mem_strdup(real);
		f->orig = mem_printf("%s.orig", f->path);
	}
	f->temp = mem_printf("%s.refrain-new", f->target);
	return buf_read_file(&f->text, f->path, MAX_FILE, e);
}

enum rc session_read_files(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	for (size_t i = 0; i < s->n_files && rc == RC_OK; i++) {
		s->file[i].path = s->o->files[i];
		rc = open_target(s, &s->file[i], e);
		for (size_t j = 0; j < i && rc == RC_OK; j++)
			if (strcmp(s->file[i].target, s->file[j].target) == 0)
				rc = err_set(e, RC_INPUT, "'%s' is given twice", s->file[i].path);
	}
	return rc == RC_OK ? name_files(s, e) : rc;
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

enum rc session_write_minimum(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	if (!s->orig_written) {
		for (size_t i = 0; i < s->n_files && rc == RC_OK; i++)
			rc = keep_original(&s->file[i], e);
		s->orig_written = rc == RC_OK;
	}
	for (size_t i = 0; i < s->n_files && rc == RC_OK; i++) {
		struct session_file *f = &s->file[i];
		rc = put_file(f->temp, f->target, &s->texts[i], f->mode, false, e);
		if (rc != RC_OK) {
			unlink(f->temp);
			break;
		}
		copy_owner(f->target, f->temp);
		if (rename(f->temp, f->target) != 0)
			rc = err_sys(e, RC_ENV, errno, "cannot replace '%s'", f->target);
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
		free(f->target);
		free(f->orig);
		free(f->temp);
		free(f->name);
		buf_release(&f->text);
		buf_release(&f->on_disk);
	}
	free(s->file);
	free(s->names);
	free(s->modes);
	free(s->test_path);
}

char *session_by_hand(const struct session *s)
{
	struct buf b = {0};
	buf_str_add(&b, "d=$(mktemp -d) && cp -- ");
	for (size_t i = 0; i < s->n_files; i++) {
		buf_shell_word(&b, s->file[i].path);
		buf_char(&b, ' ');
	}
	buf_str_add(&b, "\"$d\" && cd \"$d\" && ");
	if (s->o->command) {
		buf_str_add(&b, "sh -c ");
		buf_shell_word(&b, s->o->command);
	} else {
		buf_shell_word(&b, s->test_path);
	}
	buf_str_add(&b, "; echo \"exit code $?\"");
	return b.at;
}
