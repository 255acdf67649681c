/* SPDX-License-Identifier: MIT */
/* Finding and starting the Valgrind tools, and cutting their byte stream into records. */
#include "process/valgrind.h"

#include "base/bits.h"
#include "process/libexec.h"
#include "data/mem.h"
#include "data/vec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_RECORD = 64 << 20, READ_BYTES = 1 << 18 };

/* Our tools are written for one machine. */
static enum rc check_machine(struct err *e)
{
#ifdef __x86_64__
	(void)e;
	return RC_OK;
#else
	return err_set(e, RC_ENV,
		       "profile and trace record need refrain's Valgrind tools, which exist for x86-64 only");
#endif
}

/* The folder with the tools. RC_ENV when there is none. */
static enum rc tools_folder(char *out, size_t size, struct err *e)
{
	if (check_machine(e))
		return RC_ENV;
	if (libexec_find("rfcount-amd64-linux", out, size))
		return RC_OK;
	return err_set(e, RC_ENV,
		       "cannot find the Valgrind tools: install Debian's package 'valgrind' and build refrain again");
}

/* What kind of file is it? */
static enum rc check_file(const char *name, const char *path, struct err *e)
{
	unsigned char head[256] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", name);
	ssize_t n = read(fd, head, sizeof head - 1);
	close(fd);
	if (n < 0)
		return err_sys(e, RC_ENV, errno, "cannot read '%s'", name);
	if (n >= 2 && head[0] == '#' && head[1] == '!') {
		const char *p = (const char *)head + 2;
		p += strspn(p, " \t");
		return err_set(e, RC_INPUT,
			       "'%s' is a script: its functions are not machine code. To look into its interpreter, "
			       "run that: %.*s %s",
			       name, (int)strcspn(p, " \t\r\n"), p, name);
	}
	if (n < 20 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return err_set(e, RC_INPUT, "'%s' is not a program (not an ELF file)", name);
	if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB || (head[18] | head[19] << 8) != EM_X86_64)
		return err_set(e, RC_INPUT, "'%s' is not a 64-bit x86 program", name);
	return RC_OK;
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

enum rc valgrind_program(const char *name, char *out, size_t size, struct err *e)
{
	if (check_machine(e))
		return RC_ENV;
	if (strchr(name, '/')) {
		struct stat st;
		if (stat(name, &st) != 0)
			return err_sys(e, RC_ENV, errno, "cannot run '%s'", name);
		if (!is_program(name))
			return err_set(e, RC_ENV, "cannot run '%s': %s", name,
				       S_ISREG(st.st_mode) ? "it is not executable" : "it is not a file");
		char real[PATH_MAX];
		if (!realpath(name, real) || (size_t)snprintf(out, size, "%s", real) >= size)
			return err_set(e, RC_ENV, "cannot run '%s': its path is too long", name);
		return check_file(name, out, e);
	}
	const char *list = getenv("PATH");
	for (const char *p = list ? list : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char path[PATH_MAX], real[PATH_MAX];
		if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)n, n ? p : ".", name) < sizeof path &&
		    is_program(path) && realpath(path, real) && (size_t)snprintf(out, size, "%s", real) < size)
			return check_file(name, out, e);
		p += n + (p[n] == ':');
	}
	return err_set(e, RC_ENV, "cannot run '%s': it is not in PATH", name);
}

/* ---- the stream */

struct stream {
	const struct valgrind_run *v;
	struct valgrind_result *out;
	struct err *e;
	enum rc rc;
	int fd;
	bool hello;
	struct buf bytes; /* from the beginning of a record */
};

static enum rc take_record(struct stream *s, struct vg_record r, const char *p)
{
	if (!s->hello) {
		struct vg_hello h;
		if (r.kind != VG_HELLO || r.length != sizeof h)
			return err_set(s->e, RC_BUG, "the Valgrind tool and refrain are of different versions");
		memcpy(&h, p, sizeof h);
		if (h.version != VG_PROTO_VERSION)
			return err_set(
				s->e, RC_ENV,
				"the Valgrind tools are of another version than refrain: build or install them again");
		s->hello = true;
		return RC_OK;
	}
	if (r.kind == VG_DONE) {
		if (r.length != sizeof s->out->end)
			return err_set(s->e, RC_BUG, "the Valgrind tool's last record is broken");
		memcpy(&s->out->end, p, sizeof s->out->end);
		s->out->done = true;
		return RC_OK;
	}
	return s->v->on_record(s->v->user, r.kind, p, r.length, s->e);
}

static enum rc take_records(struct stream *s)
{
	size_t at = 0;
	while (!s->rc && s->bytes.n - at >= sizeof(struct vg_record)) {
		struct vg_record r;
		memcpy(&r, s->bytes.at + at, sizeof r);
		if (r.length > MAX_RECORD)
			return err_set(s->e, RC_BUG, "the Valgrind tool's stream is broken");
		if (s->bytes.n - at < sizeof r + r.length)
			break;
		s->rc = take_record(s, r, s->bytes.at + at + sizeof r);
		at += sizeof r + r.length;
	}
	memmove(s->bytes.at, s->bytes.at + at, s->bytes.n - at);
	s->bytes.n -= at;
	return s->rc;
}

/* False at the end of the stream or on an error: the tool then sees a closed pipe. */
static bool read_some(struct stream *s)
{
	vec_reserve(&s->bytes, READ_BYTES + 1);
	ssize_t n = read(s->fd, s->bytes.at + s->bytes.n, READ_BYTES);
	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	s->bytes.n += (size_t)n;
	s->rc = take_records(s);
	return s->rc == RC_OK;
}

static bool on_readable(void *user)
{
	struct stream *s = user;
	if (read_some(s))
		return true;
	if (s->rc) { /* the tool must not block on a full pipe */
		close(s->fd);
		s->fd = -1;
	}
	return false;
}

enum rc valgrind_stream(const char *path, const struct valgrind_run *v, struct valgrind_result *out, struct err *e)
{
	*out = (struct valgrind_result){0};
	struct stream s = {.v = v, .out = out, .e = e, .fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (s.fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", path);
	while (!s.rc && read_some(&s))
		;
	close(s.fd);
	buf_release(&s.bytes);
	return s.rc;
}

/* ---- starting */

static void add_log(const char *path, const char *program, struct err *e)
{
	struct buf log = {0};
	struct err ignored = ERR_INIT;
	if (buf_read_file(&log, path, 1 << 16, &ignored) == RC_OK) {
		size_t n = log.n;
		while (n && log.at[n - 1] == '\n')
			n--;
		err_set(e, RC_ENV, "cannot run '%s' under Valgrind%s%.*s", program, n ? ": " : "",
			(int)(n > 500 ? 500 : n), n ? log.at : "");
	}
	buf_release(&log);
	err_set(e, RC_ENV, "cannot run '%s' under Valgrind", program);
}

struct words {
	VEC_FIELDS(const char *);
};

static enum rc launch(struct runner *r, struct stream *s, const char *folder, const char *scratch, int write_fd)
{
	const struct valgrind_run *v = s->v;
	char tool[PATH_MAX + 64], name[64], fd_option[32], deadline[48], log_option[PATH_MAX + 32], lib[PATH_MAX + 16],
		launcher[PATH_MAX + 128];
	snprintf(tool, sizeof tool, "%s/%s-amd64-linux", folder, v->tool);
	snprintf(name, sizeof name, "--tool=%s", v->tool);
	snprintf(fd_option, sizeof fd_option, "--rf-fd=%d", write_fd);
	snprintf(deadline, sizeof deadline, "--rf-deadline=%lu", (unsigned long)(v->wall_s * 1000));
	snprintf(log_option, sizeof log_option, "--log-file=%s/valgrind.log", scratch);
	snprintf(lib, sizeof lib, "VALGRIND_LIB=%s", folder);
	if (v->children)
		snprintf(launcher, sizeof launcher, "VALGRIND_LAUNCHER=%s/rflaunch", folder);
	else
		snprintf(launcher, sizeof launcher, "VALGRIND_LAUNCHER=%s", tool);
	struct words w = {0};
	const char *const first[] = {tool,      name,    "--command-line-only=yes", "-q", "--vgdb=no", log_option,
				     fd_option, deadline};
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		vec_push(&w, first[i]);
	for (const char *const *o = v->options; o && *o; o++)
		vec_push(&w, *o);
	if (v->children)
		vec_push(&w, "--trace-children=yes");
	vec_push(&w, "--");
	/* as the user wrote it: programs of several names go by it, and Valgrind finds it as valgrind_program did */
	for (const char *const *a = v->program; *a; a++)
		vec_push(&w, *a);
	vec_push(&w, NULL);
	const char *const env[] = {lib, launcher, "LD_BIND_NOW=1", "VALGRIND_OPTS=", NULL};
	struct foreground f = {
		.spec = {.argv = w.at, .env = env, .limits = {.wall_s = v->wall_s > 0 ? v->wall_s + 5 : 0}, .user = s},
		.extra_fds = &write_fd,
		.n_extra = 1,
		.stdout_to_stderr = v->stdout_to_stderr,
		.watch_fd = s->fd,
		.on_readable = on_readable,
	};
	enum rc rc = runner_foreground(r, &f, &s->out->run, s->e);
	vec_release(&w);
	return rc;
}

enum rc valgrind_run(struct runner *r, const struct valgrind_run *v, struct valgrind_result *out, struct err *e)
{
	char folder[PATH_MAX], scratch[PATH_MAX], log[PATH_MAX + 32];
	int fd[2];
	*out = (struct valgrind_result){0};
	enum rc rc = tools_folder(folder, sizeof folder, e);
	if (rc || (rc = runner_scratch(r, scratch, sizeof scratch, e)))
		return rc;
	if (pipe2(fd, O_CLOEXEC) != 0) {
		runner_scratch_remove(r, scratch);
		return err_sys(e, RC_ENV, errno, "cannot make a pipe");
	}
	fcntl(fd[0], F_SETPIPE_SZ, 1 << 20);
	struct stream s = {.v = v, .out = out, .e = e, .fd = fd[0]};
	rc = launch(r, &s, folder, scratch, fd[1]);
	close(fd[1]);
	if (s.fd >= 0) {
		/* what is still in the pipe; a process the program left behind may hold the other end open */
		fcntl(s.fd, F_SETFL, O_NONBLOCK);
		while (!rc && !s.rc && read_some(&s))
			;
		close(s.fd);
	}
	if (!rc)
		rc = s.rc;
	if (!rc && !s.hello && !runner_stopped()) {
		snprintf(log, sizeof log, "%s/valgrind.log", scratch);
		add_log(log, v->program[0], e);
		rc = RC_ENV;
	}
	buf_release(&s.bytes);
	runner_scratch_remove(r, scratch);
	return rc;
}
