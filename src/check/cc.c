/* SPDX-License-Identifier: MIT */
/* The drop-in compiler. Each C input is preprocessed by the real compiler with its comments kept (-E -C), transformed
 * if it defines annotated functions, and compiled with the barrier's plugin; otherwise it is compiled from its source
 * as it is, with the plugin. C++ gets the plugin too. Linking adds the runtime. Everything else (-E, -M, no inputs,
 * other languages) goes to the real compiler unchanged. */
#include "check/cc.h"

#include "check/source/annot.h"
#include "check/source/hidden.h"
#include "check/cc_args.h"
#include "check/cc_libraries.h"
#include "check/cc_objects.h"
#include "check/cc_plugin.h"
#include "check/contracts.h"
#include "check/macros.h"
#include "process/libexec.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct cc {
	struct cc_args a;
	const char *real;
	bool keep;
	struct cc_plugin plugin;
	struct strings *warnings;
	struct strings side;
	struct strings made; /* strings we own */
	char dir[PATH_MAX];  /* scratch; "" until needed */
	unsigned n_temp;
	char lib[PATH_MAX]; /* the folder with the runtime */
	struct err *e;
};

static const char *own(struct cc *c, char *s)
{
	vec_push(&c->made, s);
	return s;
}

/* ---- running */

static int run(struct cc *c, struct strings *argv)
{
	pid_t pid;
	int status;
	vec_push(argv, NULL);
	int r = posix_spawnp(&pid, argv->at[0], NULL, NULL, (char *const *)(uintptr_t)argv->at, environ);
	argv->n--;
	if (r != 0) {
		err_sys(c->e, RC_ENV, r, "cannot run '%s'", argv->at[0]);
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			err_sys(c->e, RC_ENV, errno, "cannot wait for '%s'", argv->at[0]);
			return -1;
		}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int pass_through(struct cc *c, const char *const *args, int n)
{
	struct strings v = {0};
	if (c->dir[0])
		rmdir(c->dir);
	vec_push(&v, c->real);
	for (int i = 0; i < n; i++)
		vec_push(&v, args[i]);
	vec_push(&v, NULL);
	execvp(c->real, (char *const *)(uintptr_t)v.at);
	err_sys(c->e, RC_ENV, errno, "cannot run '%s'", c->real);
	vec_release(&v);
	return -1;
}

static const char *temp(struct cc *c, const char *suffix)
{
	if (!c->dir[0]) {
		const char *base = getenv("TMPDIR");
		snprintf(c->dir, sizeof c->dir, "%s/refrain-cc.XXXXXX", base && *base ? base : "/tmp");
		if (!mkdtemp(c->dir)) {
			err_sys(c->e, RC_ENV, errno, "cannot make a scratch folder in '%s'",
				base && *base ? base : "/tmp");
			c->dir[0] = '\0';
			return NULL;
		}
	}
	return own(c, mem_printf("%s/%u%s", c->dir, c->n_temp++, suffix));
}

static void clean(struct cc *c)
{
	for (size_t i = 0; i < c->made.n; i++) {
		size_t n = strlen(c->dir);
		if (n && strncmp(c->made.at[i], c->dir, n) == 0)
			unlink(c->made.at[i]);
	}
	if (c->dir[0])
		rmdir(c->dir);
	for (size_t i = 0; i < c->made.n; i++)
		free((char *)(uintptr_t)c->made.at[i]);
	vec_release_all(&c->made, &c->side);
	cc_args_release(&c->a);
}

/* ---- what compiler, what library */

/* The runtime is beside the program (in a build) or in the installed folder. */
static bool find_library(struct cc *c)
{
	if (cc_plugin_find(&c->plugin, c->real, c->e) != RC_OK)
		return false;
	if (libexec_find("librefrain-barrier.a", c->lib, sizeof c->lib))
		return true;
	err_set(c->e, RC_ENV, "cannot find librefrain-barrier.a beside the program or in '%s'", libexec_installed());
	return false;
}

/* ---- compiling one input */

static void add_flags(struct cc *c, struct strings *v)
{
	vec_push(v, c->plugin.option);
	vec_push(v, "-mno-red-zone"); /* the barrier calls from inside functions */
	/* the runtime knows calls by the stack pointer: what is pushed for one is gone when it hears that it is over */
	if (!c->plugin.clang)
		vec_push(v, "-fno-defer-pop");
	/* what is about our own statements and options is not to fail under -Werror */
	vec_push(v, c->plugin.clang ? "-Wno-unused-command-line-argument" : "-Wno-clobbered");
}

/* The options without inputs, output, stage and, if asked, without those about dependencies. */
static void add_options(struct cc *c, struct strings *v, bool deps, bool link)
{
	for (size_t i = 0; i < c->a.words.n; i++) {
		struct cc_word w = c->a.words.at[i];
		bool pair = i + 1 < c->a.words.n && c->a.words.at[i + 1].role == CC_VALUE;
		if (w.role != CC_OPTION)
			continue;
		bool skip = strcmp(w.s, "-c") == 0 || strcmp(w.s, "-S") == 0 || strncmp(w.s, "-o", 2) == 0 ||
			    strncmp(w.s, "-x", 2) == 0 || (!deps && cc_is_dep(w.s)) ||
			    (!link && (strncmp(w.s, "-l", 2) == 0 || strncmp(w.s, "-Wl,", 4) == 0));
		if (skip && !(strncmp(w.s, "-o", 2) == 0 && strcmp(w.s, "-o") != 0 && w.s[2] == 'b')) {
			i += pair;
			continue;
		}
		vec_push(v, w.s);
		if (pair)
			vec_push(v, c->a.words.at[++i].s);
	}
}

static const char *default_output(struct cc *c, const char *input, const char *suffix)
{
	const char *base = strrchr(input, '/');
	base = base ? base + 1 : input;
	const char *dot = strrchr(base, '.');
	return own(c, mem_printf("%.*s%s", (int)(dot ? (size_t)(dot - base) : strlen(base)), base, suffix));
}

/* Dependencies are made when preprocessing; where they go by default follows from the object's name. */
static void add_deps(struct cc *c, struct strings *v, const char *output)
{
	if (!c->a.deps)
		return;
	if (!c->a.dep_file) {
		const char *dot = strrchr(output, '.');
		const char *slash = strrchr(output, '/');
		size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - output) : strlen(output);
		vec_push(v, "-MF");
		vec_push(v, own(c, mem_printf("%.*s.d", (int)n, output)));
	}
	if (!c->a.dep_target) {
		vec_push(v, "-MQ");
		vec_push(v, output);
	}
}

static int preprocess(struct cc *c, const char *input, const char *language, const char *output, const char *text)
{
	struct strings v = {0};
	vec_push(&v, c->real);
	if (c->plugin.clang)
		vec_push(&v, "-Wno-unused-command-line-argument");
	add_options(c, &v, true, false);
	add_deps(c, &v, output);
	const char *tail[] = {"-E", "-C", "-x", language, input, "-o", text};
	for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
		vec_push(&v, tail[i]);
	int rc = run(c, &v);
	vec_release(&v);
	return rc;
}

/* What compilers do not say of macros they may say of what these stand for: it is no reason for -Werror to fail. */
static void add_leniency(struct cc *c, struct strings *v)
{
	vec_push(v, "-Wno-error");
	if (c->plugin.clang)
		vec_push(v, "-Wno-parentheses-equality");
}

static int compile(struct cc *c, const char *input, const char *language, bool ours, const char *output)
{
	struct strings v = {0};
	vec_push(&v, c->real);
	/* preprocessing made the dependencies of a C file */
	add_options(c, &v, false, false);
	add_flags(c, &v);
	if (ours)
		add_leniency(c, &v);
	vec_push(&v, c->a.stage == CC_ASSEMBLY ? "-S" : "-c");
	vec_push(&v, "-x");
	vec_push(&v, language);
	vec_push(&v, input);
	vec_push(&v, "-o");
	vec_push(&v, output);
	int rc = run(c, &v);
	vec_release(&v);
	return rc;
}

/* What names stand for at the end of a C file: it is preprocessed once more, with each name after a marker. */
struct macro_question {
	struct cc *c;
	const char *input;
};

static void read_answers(const char *text, size_t n, struct arena *arena, struct strings *values)
{
	for (size_t i = 0; i < n; i++) {
		char mark[40], next[40];
		snprintf(mark, sizeof mark, "rf_macro_%zu_is ", i);
		snprintf(next, sizeof next, "rf_macro_%zu_is", i + 1);
		const char *at = strstr(text, mark), *end = at ? strstr(at, next) : NULL;
		at = at ? at + strlen(mark) : "";
		size_t len = end ? (size_t)(end - at) : 0;
		while (len && strchr(" \t\r\n", at[len - 1]))
			len--;
		char *value = arena_strndup(arena, at, len);
		for (char *p = value; *p; p++)
			*p = *p == '\n' || *p == '\r' ? ' ' : *p;
		vec_push(values, value);
		text = end ? end : text;
	}
}

static enum rc expand_macros(void *arg, const struct strings *names, struct arena *arena, struct strings *values,
			     struct err *e)
{
	struct macro_question *q = arg;
	struct cc *c = q->c;
	char path[PATH_MAX];
	const char *probe = temp(c, ".c"), *answer = temp(c, ".i");
	if (!probe || !answer || !realpath(q->input, path))
		return err_sys(e, RC_ENV, errno, "cannot find '%s'", q->input);
	struct buf text = {0};
	buf_printf(&text, "#include \"%s\"\n", path);
	for (size_t i = 0; i < names->n; i++)
		buf_printf(&text, "rf_macro_%zu_is %s\n", i, names->at[i]);
	buf_printf(&text, "rf_macro_%zu_is\n", names->n);
	enum rc rc = buf_write_file(&text, probe, 0600, e);
	buf_clear(&text);
	if (rc == RC_OK) {
		struct strings v = {0};
		vec_push(&v, c->real);
		add_options(c, &v, false, false);
		const char *tail[] = {"-w", "-E", "-P", "-x", "c", probe, "-o", answer};
		for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
			vec_push(&v, tail[i]);
		int code = run(c, &v);
		vec_release(&v);
		rc = code == 0 ? buf_read_file(&text, answer, (size_t)1 << 30, e)
			       : err_set(e, RC_INPUT, "%s: cannot expand the macros in its annotations", q->input);
	}
	if (rc == RC_OK)
		read_answers(buf_str(&text), names->n, arena, values);
	buf_release(&text);
	return rc;
}

/* ---- C++: the barrier, but no contracts: they would not be checked, so they are refused */

static int cxx_input(struct cc *c, struct cc_word in, const char *output)
{
	bool ready = strlen(in.s) > 3 && strcmp(in.s + strlen(in.s) - 3, ".ii") == 0,
	     from_stdin = strcmp(in.s, "-") == 0;
	const char *text = ready ? in.s : temp(c, ".ii");
	if (!text)
		return -1;
	int rc = ready ? 0 : preprocess(c, in.s, "c++", output, text);
	struct buf source = {0};
	if (rc == 0 && (buf_read_file(&source, text, (size_t)1 << 30, c->e) != RC_OK ||
			contracts_refuse_cxx(&source, in.s, c->e) != RC_OK))
		rc = -1;
	buf_release(&source);
	if (rc != 0)
		return rc;
	return compile(c, from_stdin ? text : in.s, ready || from_stdin ? "c++-cpp-output" : "c++", from_stdin, output);
}

/* ---- C */

/* Contracts in macros of the files that the preprocessed text names, but for system headers. */
static enum rc refuse_hidden(struct cc *c, const struct buf *text)
{
	struct strings seen = {0};
	enum rc rc = RC_OK;
	const char *p = buf_str(text);
	while (rc == RC_OK && (p = strstr(p, "\n# "))) {
		const char *end = strchr(++p, '\n'), *from = strchr(p, '"');
		const char *to = from && end && from < end ? memrchr(from + 1, '"', (size_t)(end - from - 1)) : NULL;
		/* flags: 1 a file begins, 3 of the system; "<built-in>" is none */
		if (!to || from[1] == '<' || memchr(to, '3', (size_t)(end - to)))
			continue;
		char *file = mem_strndup(from + 1, (size_t)(to - from - 1));
		bool known = false;
		for (size_t i = 0; i < seen.n && !known; i++)
			known = strcmp(seen.at[i], file) == 0;
		struct buf raw = {0};
		if (known) {
			free(file);
			continue;
		}
		vec_push(&seen, file);
		/* what is gone by now, or was never a file, has nothing to say */
		if (access(file, R_OK) == 0 && buf_read_file(&raw, file, (size_t)1 << 30, c->e) == RC_OK)
			rc = annot_in_macros(buf_str(&raw), raw.n, file, c->e);
		buf_release(&raw);
	}
	for (size_t i = 0; i < seen.n; i++)
		free((char *)(uintptr_t)seen.at[i]);
	vec_release(&seen);
	return rc;
}

static int one_input(struct cc *c, struct cc_word in, const char *output)
{
	const char *text = in.s;
	int rc = 0;
	if (in.role == CC_CXX)
		return cxx_input(c, in, output);
	if (in.role == CC_C) {
		if (!(text = temp(c, ".i")))
			return -1;
		rc = preprocess(c, in.s, "c", output, text);
		if (rc != 0)
			return rc;
	}
	struct macro_question question = {c, in.s};
	const struct macro_source macros = {expand_macros, &question};
	struct buf source = {0}, out = {0};
	const struct transform_input transform = {&source, in.s, c->side.n ? &c->side : NULL,
						  in.role == CC_C ? &macros : NULL};
	bool changed = false;
	const char *to = NULL;
	if (buf_read_file(&source, text, (size_t)1 << 30, c->e) != RC_OK || refuse_hidden(c, &source) != RC_OK ||
	    contracts_transform(&transform, &out, &changed, c->e) != RC_OK)
		rc = -1;
	if (rc == 0 && changed) {
		to = c->keep ? own(c, mem_printf("%s.rf.i", output)) : temp(c, ".rf.i");
		if (!to || buf_write_file(&out, to, 0644, c->e) != RC_OK)
			rc = -1;
	}
	buf_release(&source);
	buf_release(&out);
	if (rc != 0)
		return rc;
	if (changed)
		return compile(c, to, "cpp-output", true, output);
	if (strcmp(in.s, "-") == 0) /* standard input can be read once only */
		return compile(c, text, "cpp-output", true, output);
	return compile(c, in.s, in.role == CC_C ? "c" : "cpp-output", false, output);
}

/* ---- linking */

static void add_libraries(struct cc *c, struct strings *v, bool mixed)
{
	if (c->a.relocatable || c->a.no_libs)
		return;
	if (c->a.n_c < c->a.n_inputs) { /* a -x before an input would hold for the archives too */
		vec_push(v, "-x");
		vec_push(v, "none");
	}
	vec_push(v, "-Wl,-u,__rf_store_8"); /* with LTO nothing asks for it yet */
	vec_push(v, own(c, mem_printf("%s/librefrain-stubs.a", c->lib)));
	if (c->a.shared) {
		/* the program that loads it has the runtime, one for all */
		vec_push(v, "-Wl,-z,undefs");
		return;
	}
	vec_push(v, "-Wl,-u,malloc,-u,free,-u,mmap,-u,fopencookie,-u,__cxa_atexit,-u,sigaction");
	vec_push(v, "-Wl,--export-dynamic-symbol=rf_*");
	vec_push(v, own(c, mem_printf("%s/librefrain-malloc.a", c->lib)));
	vec_push(v, "-Wl,--whole-archive");
	vec_push(v, own(c, mem_printf("%s/librefrain-barrier.a", c->lib)));
	if (mixed)
		vec_push(v, own(c, mem_printf("%s/librefrain-mixed.a", c->lib)));
	vec_push(v, "-Wl,--no-whole-archive");
	vec_push(v, own(c, mem_printf("%s/librefrain-rt.a", c->lib)));
	vec_push(v, "-pthread");
}

/* Options of the linker that put other code in the place of a function, after all that the barrier looks at. */
static bool replaces(struct cc *c)
{
	const char *found = NULL;
	for (size_t i = 0; i < c->a.words.n; i++) {
		const char *s = c->a.words.at[i].s;
		if (c->a.words.at[i].role != CC_OPTION && c->a.words.at[i].role != CC_VALUE)
			continue;
		if (strncmp(s, "-Wl,", 4) == 0 ? strstr(s, "-defsym") || strstr(s, ",-T,") || strstr(s, ",--script")
					       : strncmp(s, "--defsym", 8) == 0 || strcmp(s, "-T") == 0)
			found = s;
	}
	if (found)
		vec_push(c->warnings, mem_printf("'%s' may put other code in the place of a function: every check will "
						 "walk its data in full",
						 found));
	return found != NULL;
}

/* The functions that side files have contracts for. */
static int promises(struct cc *c, struct strings *out)
{
	struct strings found = {0};
	enum rc rc = contracts_promised(&c->side, &found, c->e);
	for (size_t i = 0; i < found.n; i++)
		vec_push(out, own(c, (char *)(uintptr_t)found.at[i]));
	vec_release(&found);
	return rc == RC_OK ? 0 : -1;
}

static int link_all(struct cc *c, const struct strings *objects)
{
	struct strings v = {0}, files = {0};
	size_t next = 0;
	bool lto = !c->plugin.clang; /* gcc compiles intermediate code at the link, unless it is told not to */
	vec_push(&v, c->real);
	for (size_t i = 0; i < c->a.words.n; i++) {
		struct cc_word w = c->a.words.at[i];
		if (cc_is_source(w.role)) {
			vec_push(&files, objects->at[next]);
			vec_push(&v, objects->at[next++]);
		} else if (w.role == CC_OPTION && cc_is_dep(w.s)) {
			i += i + 1 < c->a.words.n && c->a.words.at[i + 1].role == CC_VALUE;
		} else if (w.role == CC_OPTION && strncmp(w.s, "-x", 2) == 0 && c->a.n_c) {
			i += strcmp(w.s, "-x") == 0;
		} else {
			if (w.role == CC_INPUT)
				vec_push(&files, w.s);
			lto &= strcmp(w.s, "-fno-lto") != 0 && strcmp(w.s, "-fno-use-linker-plugin") != 0 &&
			       strcmp(w.s, "-fuse-ld=lld") != 0;
			vec_push(&v, w.s);
		}
	}
	add_flags(c, &v); /* gcc compiles at the link if it is told to (LTO) */
	cc_libraries_find(&c->a, c->real, &files, &c->made);
	struct strings promised = {0};
	int rc = c->a.shared || c->a.relocatable ? 0 : promises(c, &promised);
	if (rc == 0) {
		bool mixed = cc_objects_mixed(&files, lto, c->a.relocatable ? NULL : &promised, c->warnings);
		mixed = replaces(c) || mixed;
		add_libraries(c, &v, mixed);
	}
	vec_release_all(&files, &promised);
	if (rc == 0)
		rc = run(c, &v);
	vec_release(&v);
	return rc;
}

/* ---- the command */

static enum rc read_options(struct cc *c, const char *s)
{
	while (s && *s) {
		s += strspn(s, " \t\n");
		size_t n = strcspn(s, " \t\n");
		if (!n)
			break;
		if (n > 12 && strncmp(s, "--contracts=", 12) == 0)
			vec_push(&c->side, own(c, mem_strndup(s + 12, n - 12)));
		else if (n == 6 && strncmp(s, "--keep", 6) == 0)
			c->keep = true;
		else
			return err_set(c->e, RC_INPUT, "RF_CHECK_OPTIONS: unknown option '%.*s'",
				       (int)(n > 60 ? 60 : n), s);
		s += n;
	}
	return RC_OK;
}

static int compile_all(struct cc *c)
{
	struct strings objects = {0};
	int rc = 0;
	if (c->a.stage != CC_LINK && c->a.output && c->a.n_c > 1) {
		err_set(c->e, RC_INPUT, "cannot use -o with several inputs unless linking");
		return -1;
	}
	for (size_t i = 0; i < c->a.words.n && rc == 0; i++) {
		struct cc_word w = c->a.words.at[i];
		if (!cc_is_source(w.role))
			continue;
		const char *suffix = c->a.stage == CC_ASSEMBLY ? ".s" : ".o", *out;
		out = c->a.stage == CC_LINK ? temp(c, ".o")
		      : c->a.output         ? c->a.output
					    : default_output(c, w.s, suffix);
		if (!out) {
			rc = -1;
			break;
		}
		vec_push(&objects, out);
		rc = one_input(c, w, out);
	}
	if (rc == 0 && c->a.stage == CC_LINK)
		rc = link_all(c, &objects);
	vec_release(&objects);
	return rc;
}

int cc_main(const char *const *args, int n, struct strings *warnings, struct err *e)
{
	struct cc c = {.e = e, .warnings = warnings};
	const char *real = getenv("RF_CC");
	c.real = real && *real ? real : "cc";
	int rc = -1;
	if (cc_args_read(&c.a, args, n, e) == RC_OK && read_options(&c, getenv("RF_CHECK_OPTIONS")) == RC_OK) {
		if (c.a.stage == CC_OTHER || !c.a.n_inputs || (!c.a.n_c && c.a.stage != CC_LINK))
			rc = pass_through(&c, args, n);
		else if (c.a.refused)
			err_set(e, RC_INPUT, "option '%s' cannot be combined with contracts", c.a.refused);
		else if (c.a.is_static && c.a.stage == CC_LINK)
			err_set(e, RC_INPUT,
				"a program with contracts cannot be linked statically: the runtime must stand in front "
				"of "
				"functions of the C library");
		else if (find_library(&c))
			rc = compile_all(&c);
	}
	clean(&c);
	return rc;
}
