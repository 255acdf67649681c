/* SPDX-License-Identifier: MIT */
/* What works on this machine: see doctor_probes.h. Each row of the table has a probe; to add a thing is to add a row.
 * Programs are really run (under the runner, with a time limit), libraries really loaded, folders really written to. */
#include "cmd/doctor_probes.h"

#include "base/bits.h"
#include "store/store.h"
#include "reduce/syntax/syntax.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

struct doctor {
	struct runner *runner; /* NULL: there is none */
	struct err runner_error;
};

struct row;
typedef bool (*probe_fn)(struct doctor *d, const struct row *row, struct buf *detail);

struct row {
	const char *group, *name, *use, *package;
	bool core;
	probe_fn probe;
	const char *arg[4]; /* for the probe: a command line, names of files, … */
};

/* Runs a program for at most ten seconds; its exit code, or −1. */
static int run_program(struct doctor *d, const char *const *argv, struct buf *output)
{
	struct run_spec spec = {.argv = argv, .keep_output = true, .limits = {.wall_s = 10, .output_bytes = 1 << 16}};
	struct job *job, *done = NULL;
	int code = -1;
	if (!d->runner || job_start(d->runner, &spec, &job, NULL) != RC_OK)
		return -1;
	while (!done)
		if (runner_wait(d->runner, 15, &done, NULL) != RC_OK || (!done && runner_stopped()))
			break;
	if (done) {
		const struct run_result *r = job_result(done);
		if (r->end == RUN_EXITED)
			code = r->code;
		buf_add(output, r->output, r->output_len);
	}
	job_free(job);
	return code;
}

/* The first thing in the text that looks like a version: digits, a dot, digits. */
static void add_version(const struct buf *text, struct buf *detail)
{
	for (const char *s = buf_str(text); *s; s++) {
		size_t n = strspn(s, "0123456789.");
		const char *dot = n ? memchr(s, '.', n) : NULL;
		if (!n)
			continue;
		if (isdigit((unsigned char)*s) && dot && isdigit((unsigned char)dot[1])) {
			buf_add(detail, s, n);
			return;
		}
		s += n - 1;
	}
}

static bool probe_program(struct doctor *d, const struct row *row, struct buf *detail)
{
	struct buf output = {0};
	int code = run_program(d, row->arg, &output);
	add_version(&output, detail);
	if (code != 0) {
		buf_clear(detail);
		buf_str_add(detail, code < 0 || code == 127 ? "not found" : "does not run");
	}
	buf_release(&output);
	return code == 0;
}

static bool probe_library(struct doctor *d, const struct row *row, struct buf *detail)
{
	(void)d;
	for (size_t i = 0; i < ARRAY_LEN(row->arg) && row->arg[i]; i++) {
		void *lib = dlopen(row->arg[i], RTLD_LAZY | RTLD_LOCAL);
		if (!lib)
			continue;
		buf_str_add(detail, row->arg[i]);
		dlclose(lib);
		return true;
	}
	buf_str_add(detail, "not found");
	return false;
}

static bool probe_file(struct doctor *d, const struct row *row, struct buf *detail)
{
	(void)d;
	for (size_t i = 0; i < ARRAY_LEN(row->arg) && row->arg[i]; i++)
		if (access(row->arg[i], R_OK) == 0)
			return true;
	buf_str_add(detail, "not found");
	return false;
}

/* A process tree is started, gives its verdict and is gone. */
static bool probe_runner(struct doctor *d, const struct row *row, struct buf *detail)
{
	static const char *const argv[] = {"sh", "-c", "sleep 100 & exit 7", NULL};
	struct buf output = {0};
	(void)row;
	int code = d->runner ? run_program(d, argv, &output) : -1;
	buf_release(&output);
	if (!d->runner)
		buf_str_add(detail, d->runner_error.text);
	else if (code != 7)
		buf_str_add(detail, "a test program did not run");
	return code == 7;
}

static bool probe_kernel(struct doctor *d, const struct row *row, struct buf *detail)
{
	struct utsname name;
	int reaper = 0;
	(void)d;
	(void)row;
	long pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	if (pidfd >= 0)
		close((int)pidfd);
	bool subreaper = prctl(PR_GET_CHILD_SUBREAPER, &reaper) == 0, proc = access("/proc/self/stat", R_OK) == 0;
	if (uname(&name) == 0)
		buf_printf(detail, "%s %s", name.sysname, name.release);
	if (pidfd < 0)
		buf_str_add(detail, ", no pidfd");
	if (!subreaper)
		buf_str_add(detail, ", no sub-reapers");
	if (!proc)
		buf_str_add(detail, ", no /proc");
	return subreaper && proc;
}

static bool probe_ptrace(struct doctor *d, const struct row *row, struct buf *detail)
{
	struct buf scope = {0};
	(void)d;
	(void)row;
	bool known = buf_read_file(&scope, "/proc/sys/kernel/yama/ptrace_scope", 64, NULL) == RC_OK;
	int value = known ? atoi(buf_str(&scope)) : 0;
	buf_release(&scope);
	if (value > 1)
		buf_printf(detail, "forbidden by /proc/sys/kernel/yama/ptrace_scope (%d)", value);
	else
		buf_str_add(detail, known ? "children may be traced" : "not restricted");
	return value <= 1;
}

static bool probe_scratch(struct doctor *d, const struct row *row, struct buf *detail)
{
	const char *tmp = getenv("TMPDIR");
	const uint64_t least = 64 << 20;
	struct statvfs vfs;
	(void)d;
	(void)row;
	if (!tmp || !*tmp)
		tmp = "/tmp";
	char *path = mem_printf("%s/refrain-doctor.XXXXXX", tmp);
	int fd = mkstemp(path);
	int sys = errno;
	bool wrote = fd >= 0 && write(fd, "x", 1) == 1;
	if (fd >= 0) {
		sys = errno;
		close(fd);
		unlink(path);
	}
	free(path);
	buf_printf(detail, "'%s'", tmp);
	if (!wrote) {
		buf_printf(detail, " cannot be written: %s", strerror(sys));
		return false;
	}
	if (statvfs(tmp, &vfs) != 0)
		return true;
	uint64_t space = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	buf_printf(detail, ", %llu MB free", (unsigned long long)(space >> 20));
	return space >= least;
}

/* A put and a get, and the version of what is behind. */
static bool probe_store(struct doctor *d, const struct row *row, struct buf *detail)
{
	const char *tmp = getenv("TMPDIR");
	struct store_id id = {.engine = "doctor", .schema = 1};
	struct store *s = NULL;
	struct err e = ERR_INIT;
	struct buf got = {0};
	(void)d;
	(void)row;
	char *folder = mem_printf("%s/refrain-doctor.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	bool made = mkdtemp(folder) != NULL, works = false;
	char *path = mem_printf("%s/store", folder);
	if (made && store_open(&s, path, &id, 0, &e) == RC_OK) {
		store_put(s, "key", 3, "value", 5, &e);
		works = store_get(s, "key", 3, &got, &e) == RC_OK && got.n == 5 && !store_warning(s);
	}
	store_close(s);
	if (made) {
		unlink(path);
		rmdir(folder);
	}
	buf_printf(detail, "SQLite %s%s%s", sqlite3_libversion(), works ? "" : ": ",
		   works  ? ""
		   : made ? e.text
			  : "no scratch folder");
	free(path);
	free(folder);
	buf_release(&got);
	return works;
}

static bool probe_languages(struct doctor *d, const struct row *row, struct buf *detail)
{
	size_t n = 0;
	(void)d;
	(void)row;
	for (size_t i = 0; i < N_LANGUAGES; i++)
		if (languages[i].grammar && language_available(&languages[i])) {
			buf_printf(detail, "%s%s", detail->n ? " " : "", languages[i].name);
			n++;
		}
	return n > 0;
}

static bool probe_libraries(struct doctor *d, const struct row *row, struct buf *detail)
{
	(void)d;
	(void)row;
	buf_printf(detail, "zlib %s, zstd %s, OpenSSL %s", zlibVersion(), ZSTD_versionString(),
		   OpenSSL_version(OPENSSL_VERSION_STRING));
	return true;
}

/* A program that can be asked for its version by its own name. */
#define PROGRAM(group, name, use, package)                                                                             \
	{                                                                                                              \
		group, name, use, package, false, probe_program,                                                       \
		{                                                                                                      \
			name, "--version", NULL                                                                        \
		}                                                                                                      \
	}
static const struct row rows[] = {
	{"core", "kernel", "process trees that end together", NULL, true, probe_kernel, {NULL}},
	{"core", "processes", "running tests, solvers and programs", NULL, true, probe_runner, {NULL}},
	{"core", "scratch folder", "TMPDIR: a folder for each test", NULL, true, probe_scratch, {NULL}},
	{"core", "store", "--store: results kept between runs", NULL, true, probe_store, {NULL}},
	{"core", "languages", "parsers that are compiled in", NULL, true, probe_languages, {NULL}},
	{"core", "libraries", "compressed traces, digests", NULL, true, probe_libraries, {NULL}},
	PROGRAM("smt", "z3", "smt --solver=z3", "z3"),
	{"smt",
	 "libz3",
	 "smt with Z3's library, models and cores",
	 "libz3-4",
	 false,
	 probe_library,
	 {"libz3.so.4", "libz3.so", NULL}},
	PROGRAM("smt", "cvc5", "smt --solver=cvc5", "cvc5"),
	PROGRAM("smt", "boolector", "smt --solver=boolector", "boolector"),
	PROGRAM("profile", "valgrind", "profile, trace record", "valgrind"),
	{"profile",
	 "valgrind headers",
	 "building the tool that runs inside Valgrind",
	 "valgrind",
	 false,
	 probe_file,
	 {"/usr/include/valgrind/pub_tool_basics.h", "/usr/local/include/valgrind/pub_tool_basics.h", NULL}},
	{"profile", "ptrace", "watching a program", NULL, false, probe_ptrace, {NULL}},
	PROGRAM("check", "cc", "check cc: the compiler behind it", "gcc"),
	PROGRAM("check", "gcc", "check cc with RF_CC=gcc", "gcc"),
	PROGRAM("check", "clang", "check cc with RF_CC=clang, fuzzing", "clang"),
	PROGRAM("check", "g++", "contracts in C++ programs", "g++"),
};

bool doctor_examine(struct doctor_findings *out)
{
	struct doctor d = {.runner_error = ERR_INIT};
	bool core_works = true;
	if (runner_open(&d.runner, &d.runner_error) != RC_OK)
		d.runner = NULL;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		struct doctor_finding f = {row->group, row->name, row->use, row->package, row->core, false, {0}};
		if (row->probe == probe_program && !d.runner) {
			/* nothing is known about it: no advice */
			buf_str_add(&f.detail, "cannot be tried");
			f.package = NULL;
		} else {
			f.works = row->probe(&d, row, &f.detail);
		}
		core_works &= f.works || !f.core;
		vec_push(out, f);
	}
	runner_close(d.runner);
	return core_works;
}

void doctor_release(struct doctor_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		buf_release(&f->at[i].detail);
	vec_release(f);
}
