/* SPDX-License-Identifier: MIT */
/* Copies, builds and measurements. Compilers are found through a folder of wrappers, put before the others in PATH,
 * that add
 * the header and the library of <refrain/memo.h>. */
#include "profile/suggest/try.h"

#include "process/libexec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20 };

struct trial {
	struct runner *runner;
	const struct profile_options *po;
	const struct try_options *o;
	char scratch[PATH_MAX]; /* holds a, b and the wrappers */
	char root[PATH_MAX];    /* the source folder, absolute */
	const char *program;    /* of the profile, relative to it */
	int code;               /* exit status of the profiled run */
	double shell_s;         /* CPU time of a run that is the shell's, not the program's */
	struct err *e;
};

/* Runs sh -c TEXT with the words as $0, $1, …; false unless it exits with 0. */
static bool shell(struct trial *t, const char *dir, const char *text, const char *const *words, struct run_result *out)
{
	char path[2 * PATH_MAX];
	struct {
		VEC_FIELDS(const char *);
	} argv = {0};
	const char *old = getenv("PATH");
	vec_push(&argv, "/bin/sh");
	vec_push(&argv, "-c");
	vec_push(&argv, text);
	for (; *words; words++)
		vec_push(&argv, *words);
	vec_push(&argv, NULL);
	snprintf(path, sizeof path, "PATH=%s/bin:%s", t->scratch, old ? old : "/usr/bin:/bin");
	const char *const env[] = {path, NULL};
	struct foreground f = {.spec = {.argv = argv.at, .env = env, .dir = dir}, .watch_fd = -1};
	struct err ignored = ERR_INIT;
	struct run_result r = {0};
	bool ok = runner_foreground(t->runner, &f, &r, &ignored) == RC_OK && r.end == RUN_EXITED && r.code == 0;
	if (out)
		*out = r;
	vec_release(&argv);
	return ok;
}

/* ---- copies and builds */

/* Where the header and the library are: beside the program in a build, or installed. */
static bool find_library(char *include, char *library, size_t size)
{
	char folder[PATH_MAX];
	static const char *const below[][2] = {{"%s/../librefrain-rt.a", "%s/../../include"},
					       {"%s/../../lib/librefrain-rt.a", "%s/../../include"},
					       {"%s/../librefrain-rt.a", "%s/../../../include"}};
	if (!libexec_find("rflookup", folder, sizeof folder))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(below); i++) {
		char header[PATH_MAX + 128];
		snprintf(library, size, below[i][0], folder);
		snprintf(include, size, below[i][1], folder);
		snprintf(header, sizeof header, "%s/refrain/memo.h", include);
		if (access(library, R_OK) == 0 && access(header, R_OK) == 0)
			return true;
	}
	return false;
}

static enum rc write_wrappers(struct trial *t)
{
	static const char *const names[] = {"cc", "gcc", "clang", "c++", "g++", "clang++", "c99", "c89"};
	char include[PATH_MAX + 64], library[PATH_MAX + 64], path[PATH_MAX + 64];
	struct buf b = {0};
	if (!find_library(include, library, sizeof include))
		return err_set(t->e, RC_ENV, "cannot find <refrain/memo.h> and librefrain-rt.a");
	snprintf(path, sizeof path, "%s/bin", t->scratch);
	if (mkdir(path, 0700) != 0)
		return err_sys(t->e, RC_ENV, errno, "cannot create '%s'", path);
	/* the real compiler is the next of this name in PATH; the library is for commands that link */
	buf_str_add(&b,
		    "#!/bin/sh\nPATH=${PATH#*:}\nlink=yes\nfor a; do case $a in -c|-S|-E|-M|-MM) link= ;; esac; done\n"
		    "if [ -n \"$link\" ] && [ $# -gt 1 ]; then set -- \"$@\" ");
	buf_shell_word(&b, library);
	buf_str_add(&b, " -pthread; fi\nexec \"${0##*/}\" -I");
	buf_shell_word(&b, include);
	buf_str_add(&b, " \"$@\"\n");
	enum rc rc = RC_OK;
	for (size_t i = 0; i < ARRAY_LEN(names) && !rc; i++) {
		snprintf(path, sizeof path, "%s/bin/%s", t->scratch, names[i]);
		rc = buf_write_file(&b, path, 0755, t->e);
	}
	buf_release(&b);
	return rc;
}

static bool copy(struct trial *t, const char *from, const char *name)
{
	char to[PATH_MAX + 8];
	snprintf(to, sizeof to, "%s/%s", t->scratch, name);
	const char *const words[] = {from, to, NULL};
	return shell(t, NULL, "exec cp -a \"$0/.\" \"$1\"", words, NULL);
}

static bool build(struct trial *t, const char *name)
{
	char dir[PATH_MAX + 8], log[PATH_MAX + 16];
	struct buf text = {0};
	snprintf(dir, sizeof dir, "%s/%s", t->scratch, name);
	snprintf(log, sizeof log, "%s/build.log", t->scratch);
	const char *const words[] = {log, NULL};
	buf_printf(&text, "{ %s\n} > \"$0\" 2>&1 < /dev/null", t->o->build);
	bool ok = shell(t, dir, buf_str(&text), words, NULL);
	buf_release(&text);
	return ok;
}

static char *refusal(struct trial *t, const char *what)
{
	char log[PATH_MAX + 16];
	struct buf text = {0}, b = {0};
	struct err ignored = ERR_INIT;
	snprintf(log, sizeof log, "%s/build.log", t->scratch);
	buf_str_add(&b, what);
	if (buf_read_file(&text, log, MAX_OUTPUT, &ignored) == RC_OK && text.n) {
		const char *error = strstr(text.at, "error");
		while (error && error > text.at && error[-1] != '\n')
			error--;
		if (error)
			buf_printf(&b, ": %.*s", (int)strcspn(error, "\n"), error);
	}
	char *r = mem_strdup(buf_str(&b));
	buf_release(&text);
	buf_release(&b);
	return r;
}

/* ---- runs */

/* One run of the program in copy `name` on input 0 or 1, in the working folder as the profiled run was: relative paths
 * mean the same files. Output and messages go to files. */
static bool run(struct trial *t, const char *name, int input, const char *mode, struct run_result *r)
{
	char program[2 * PATH_MAX], out[PATH_MAX + 16], err[PATH_MAX + 16];
	struct buf text = {0};
	struct {
		VEC_FIELDS(const char *);
	} words = {0};
	snprintf(program, sizeof program, "%s/%s/%s", t->scratch, name, t->program);
	snprintf(out, sizeof out, "%s/%s.out", t->scratch, name);
	snprintf(err, sizeof err, "%s/%s.err", t->scratch, name);
	buf_printf(&text, "RF_MEMO=%s; export RF_MEMO; o=$0 e=$1 p=$2; shift 2; ", mode);
	vec_push(&words, out);
	vec_push(&words, err);
	vec_push(&words, program);
	if (input == 0) {
		buf_str_add(&text, "exec \"$p\" \"$@\" > \"$o\" 2> \"$e\"");
		for (const char *const *a = t->po->program + 1; *a; a++)
			vec_push(&words, *a);
	} else {
		buf_printf(&text, "exec \"$p\" %s > \"$o\" 2> \"$e\"", t->o->input2);
	}
	vec_push(&words, NULL);
	lseek(0, 0, SEEK_SET);
	shell(t, NULL, buf_str(&text), words.at, r);
	vec_release(&words);
	buf_release(&text);
	return r->end == RUN_EXITED;
}

static bool same_files(struct trial *t, const char *a, const char *b)
{
	char x[PATH_MAX + 64], y[PATH_MAX + 64];
	struct buf p = {0}, q = {0};
	struct err ignored = ERR_INIT;
	snprintf(x, sizeof x, "%s/%s", t->scratch, a);
	snprintf(y, sizeof y, "%s/%s", t->scratch, b);
	bool same = buf_read_file(&p, x, MAX_OUTPUT, &ignored) == RC_OK &&
		    buf_read_file(&q, y, MAX_OUTPUT, &ignored) == RC_OK && p.n == q.n &&
		    memcmp(buf_str(&p), buf_str(&q), p.n) == 0;
	buf_release(&p);
	buf_release(&q);
	return same;
}

/* The table's line on standard error. */
static void read_statistics(struct trial *t, const char *table, struct try_measure *m)
{
	char path[PATH_MAX + 16], head[256];
	struct buf text = {0};
	struct err ignored = ERR_INIT;
	unsigned long long gets, hits, evictions, conflicts;
	size_t entries, bytes;
	double percent;
	snprintf(path, sizeof path, "%s/b.err", t->scratch);
	snprintf(head, sizeof head, "refrain memo %s: ", table);
	if (buf_read_file(&text, path, MAX_OUTPUT, &ignored) == RC_OK)
		for (const char *p = buf_str(&text); (p = strstr(p, head)); p++)
			if (sscanf(p + strlen(head),
				   "%llu gets, %llu hits (%lf %%), %llu evictions, %llu conflicts, %zu entries, %zu "
				   "bytes",
				   &gets, &hits, &percent, &evictions, &conflicts, &entries, &bytes) == 7) {
				m->gets = gets;
				m->hits = hits;
				m->conflicts = conflicts;
				m->bytes = bytes;
			}
	buf_release(&text);
}

/* One run of each program. They must end alike, and on the profiled input as the profiled run did: a program that fails
 * in both copies shows nothing. NULL, or why there is no measurement. */
static char *run_both(struct trial *t, int input, const char *mode, struct run_result *x, struct run_result *y)
{
	struct buf b = {0};
	if (!run(t, "a", input, "on", x) || !run(t, "b", input, mode, y))
		return mem_strdup("the program did not end by itself");
	if (x->code != y->code)
		buf_printf(&b, "the program exits with %d%s, but with %d when it has the cache", x->code,
			   input ? " on input 2" : "", y->code);
	else if (!input && x->code != t->code)
		buf_printf(&b, "the copy exits with %d, the profiled run did with %d", x->code, t->code);
	char *why = b.n ? mem_strdup(buf_str(&b)) : NULL;
	buf_release(&b);
	return why;
}

/* NULL, or why there is no measurement. */
static char *measure(struct trial *t, int input, const char *table, struct try_measure *m)
{
	struct run_result x, y;
	double before = 0, sum = 0, squares = 0;
	unsigned n = t->o->runs;
	char *why = run_both(t, input, "verify", &x, &y);
	if (why)
		return why;
	m->same_output = same_files(t, "a.out", "b.out");
	read_statistics(t, table, m);
	/* a cache written by hand may be of another kind and say nothing */
	if (!input && !m->gets && !t->o->patch)
		return mem_strdup("the copy never looked anything up: it does not run as the profiled program did");
	for (unsigned i = 0; i < n; i++) {
		why = run_both(t, input, "on", &x, &y);
		if (why)
			return why;
		double a = x.user_s + x.sys_s - t->shell_s, b = y.user_s + y.sys_s - t->shell_s;
		before += a;
		sum += a - b;
		squares += (a - b) * (a - b);
	}
	m->same_output &= same_files(t, "a.out", "b.out");
	/* Student's t of paired differences, 95 %; 2.045 for thirty of them */
	double mean = sum / n, deviation = n > 1 ? sqrt(fmax(0, (squares - n * mean * mean) / (n - 1))) : 0;
	double half = (n >= 30 ? 2.045 : n >= 10 ? 2.26 : 4.3) * deviation / sqrt(n), base = before / n;
	m->before_s = base;
	m->after_s = base - mean;
	if (base > 0) {
		m->saved = mean / base;
		m->low = (mean - half) / base;
		m->high = (mean + half) / base;
	}
	m->done = true;
	return NULL;
}

/* ---- one function */

static const char *inside(const char *path, const char *root)
{
	size_t n = strlen(root);
	if (strncmp(path, root, n) != 0)
		return NULL;
	return path[n] == '/' ? path + n + 1 : path[n] ? NULL : path + n;
}

static enum rc locate(struct trial *t)
{
	if (!realpath(t->o->source, t->root))
		return err_sys(t->e, RC_INPUT, errno, "cannot open the source folder '%s'", t->o->source);
	t->program = inside(t->po->path, t->root);
	if (!t->program)
		return err_set(t->e, RC_INPUT, "the program '%s' is not built in the source folder '%s' (see --source)",
			       t->po->path, t->root);
	return RC_OK;
}

/* Puts the suggested cache into copy b. NULL, or why not. */
static char *change(struct trial *t, const struct suggestion *s)
{
	char path[2 * PATH_MAX], source[PATH_MAX];
	struct err ignored = ERR_INIT;
	const char *file = realpath(s->file, source) ? inside(source, t->root) : NULL;
	if (!file)
		return mem_strdup("its source file is not in the source folder");
	snprintf(path, sizeof path, "%s/b/%s", t->scratch, file);
	/* written in place and later than what was built: make must see it */
	if (unlink(path) != 0 || buf_write_file(&s->changed, path, 0644, &ignored) != RC_OK)
		return mem_strdup("its source file cannot be changed in the copy");
	return NULL;
}

/* The same with the user's own. */
static char *apply(struct trial *t)
{
	char dir[PATH_MAX + 8], file[PATH_MAX];
	snprintf(dir, sizeof dir, "%s/b", t->scratch);
	if (!realpath(t->o->patch, file))
		return mem_strdup("the patch cannot be opened");
	const char *const words[] = {file, NULL};
	if (!shell(t, dir, "command -v patch > /dev/null", words, NULL))
		return mem_strdup("the program 'patch' is needed: Debian has it in the package patch");
	if (!shell(t, dir, "exec patch -p1 -s -f < \"$0\" > /dev/null 2>&1", words, NULL))
		return mem_strdup("the patch does not apply (patch -p1 in the source folder)");
	return NULL;
}

/* Builds both copies; s is NULL when the user brings the cache. NULL, or why not. */
static char *prepare(struct trial *t, const struct suggestion *s)
{
	char a[2 * PATH_MAX], b[2 * PATH_MAX];
	if (!copy(t, t->root, "a"))
		return mem_strdup("the source folder cannot be copied");
	if (!build(t, "a"))
		return refusal(t, "the copy does not build as it is");
	snprintf(a, sizeof a, "%s/a", t->scratch);
	if (!copy(t, a, "b"))
		return mem_strdup("the source folder cannot be copied");
	char *why = s ? change(t, s) : apply(t);
	if (why)
		return why;
	if (!build(t, "b"))
		return refusal(t, "the copy with the cache does not build");
	snprintf(a, sizeof a, "a/%s", t->program);
	snprintf(b, sizeof b, "b/%s", t->program);
	if (same_files(t, a, b))
		return mem_strdup("the build command did not build the program in the copy");
	return NULL;
}

enum rc try_function(struct runner *r, const struct profile *p, const struct profile_options *po,
		     const struct try_options *o, const struct profile_function *f, struct try_result *out,
		     struct err *e)
{
	struct trial t = {.runner = r, .po = po, .o = o, .e = e, .code = p->program_code, .shell_s = p->cost.shell_s};
	struct suggestion s = {0};
	*out = (struct try_result){.f = f, .predicted = o->patch ? f->saved_share : f->written_share};
	enum rc rc = locate(&t);
	if (rc)
		return rc;
	if (!o->patch)
		rc = suggest_make(&s, p, f, t.root, e);
	if (rc == RC_NO) {
		out->refusal = mem_strdup(e->text);
		suggest_release(&s);
		*e = (struct err)ERR_INIT;
		return RC_OK;
	}
	if (!rc)
		rc = runner_scratch(r, t.scratch, sizeof t.scratch, e);
	if (!rc) {
		rc = write_wrappers(&t);
		if (!rc)
			out->refusal = prepare(&t, o->patch ? NULL : &s);
		for (int i = 0; !rc && !out->refusal && i < (o->input2 ? 2 : 1); i++)
			out->refusal = measure(&t, i, f->sig->name, &out->input[i]);
		runner_scratch_remove(r, t.scratch);
	}
	suggest_release(&s);
	return rc;
}

void try_release(struct try_result *t)
{
	free(t->refusal);
}
