/* SPDX-License-Identifier: MIT */
/* Violations, statistics and the key stream.
 *
 * The report of a violation names the function, the condition and where it is written, the call, and for each false
 * literal the path from the argument to the wrong field. JSON and statistics are written when the program ends, also
 * when we end it. */
#include "base/fdio.h"
#include "runtime/check/marks/measure.h"
#include "runtime/keys/keys.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct rf_check_stats rt_stats;
static struct rt_vec json; /* char: the list of reports */
static unsigned reported;
static bool in_report;
static char said[4096]; /* the report under construction goes out in one write */
static size_t said_n;

static void flush_said(void)
{
	write_all(2, said, said_n);
	said_n = 0;
}

void rt_say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(said + said_n, sizeof said - said_n, fmt, ap);
	va_end(ap);
	if (n > 0)
		said_n = said_n + (size_t)n < sizeof said ? said_n + (size_t)n : sizeof said - 1;
	if (!in_report)
		flush_said();
}

/* ---- JSON */

static size_t report_from; /* where in `json` the report under construction begins */

/* Does anybody want reports as JSON? */
static bool wants_json(void)
{
	return rt_config.json[0] || rt_config.violations[0];
}

static void json_put(const char *s, size_t n)
{
	if (wants_json() && rt_vec_reserve(&json, n, 1)) {
		memcpy(json.at + json.n, s, n);
		json.n += n;
	}
}

static void json_raw(const char *s)
{
	json_put(s, strlen(s));
}

/* The length of the UTF-8 sequence at s; 0 if it is none (surrogates and overlong forms included). */
static size_t utf8_length(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if ((u[0] >= 0x80 && u[0] < 0xc2) || u[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80) /* the end of the string too */
			return 0;
	bool bad = n > 2 && ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
			     (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f));
	return bad ? 0 : n;
}

static void json_text(const char *key, const char *s)
{
	char esc[8];
	json_raw("\"");
	json_raw(key);
	json_raw("\": \"");
	for (size_t n; *s; s += n ? n : 1) {
		n = utf8_length(s);
		if (!n) {
			json_raw("\\ufffd");
		} else if ((unsigned char)*s < 32) {
			snprintf(esc, sizeof esc, "\\u%04x", (unsigned)*s);
			json_raw(esc);
		} else {
			if (*s == '"' || *s == '\\')
				json_raw("\\");
			json_put(s, n);
		}
	}
	json_raw("\"");
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void write_json(void)
{
	char head[1024];
	int fd = open(rt_config.json, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		rt_say("refrain: cannot write '%s'\n", rt_config.json);
		return;
	}
	struct rf_check_stats s;
	struct rusage used = {0};
	rf_check_get_stats(&s);
	getrusage(RUSAGE_SELF, &used);
	int n = snprintf(head, sizeof head,
			 "{\"schema\": \"refrain.check/1\", \"checks\": %" PRIu64 ", \"violations\": %" PRIu64
			 ", \"nodes\": %" PRIu64 ", \"dirtied\": %" PRIu64 ", \"full_passes\": %" PRIu64
			 ", \"restarts\": %" PRIu64 ", \"lookups\": %" PRIu64 ", \"hits\": %" PRIu64
			 ", \"max_depth\": %" PRIu64 ", \"shadow_bytes\": %" PRIu64 ", \"sample\": %" PRIu64
			 ", \"skipped\": %" PRIu64 ", \"cpu_us\": %" PRIu64 ", \"reports\": [",
			 s.checks, s.violations, s.nodes, s.dirtied, s.full_passes, s.restarts, s.lookups, s.hits,
			 s.max_depth, s.shadow_bytes, rt_config.sample ? rt_config.sample : 1, rt_skipped,
			 microseconds(used.ru_utime) + microseconds(used.ru_stime));
	bool ok = write_all(fd, head, (size_t)n) && write_all(fd, json.at, json.n) && write_all(fd, "]}\n", 3);
	if (close(fd) != 0 || !ok)
		rt_say("refrain: cannot write '%s'\n", rt_config.json);
}

/* The report as one line of the file, in one write so that those of several processes stay whole. */
static void write_violation(void)
{
	if (!rt_config.violations[0] || json.n <= report_from)
		return;
	size_t end = json.n;
	int fd = open(rt_config.violations, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	json_put("\n", 1);
	bool ok = fd >= 0 && write_all(fd, json.at + report_from, json.n - report_from);
	json.n = end;
	if (fd >= 0)
		ok &= close(fd) == 0;
	if (!ok)
		rt_say("refrain: cannot write '%s'\n", rt_config.violations);
	if (!rt_config.json[0])
		json.n = report_from;
}

/* ---- where a call came from */

/* addr2line's answer "function\nfile:line\n" in out; false without the tool or without line numbers. */
static bool source_line(const char *object, uintptr_t offset, char *out, size_t size)
{
	char hex[32];
	int fd[2], status;
	pid_t pid;
	snprintf(hex, sizeof hex, "0x%lx", (unsigned long)offset);
	if (pipe2(fd, O_CLOEXEC) != 0)
		return false;
	char *argv[] = {"addr2line", "-e", (char *)(uintptr_t)object, "-f", "-s", hex, NULL};
	/* no call here may allocate: a block that was just freed must stay so until the fault is explained */
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], 1);
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	size_t n = 0;
	for (ssize_t got; pid > 0 && n < size - 1 && (got = read(fd[0], out + n, size - 1 - n)) > 0;)
		n += (size_t)got;
	close(fd[0]);
	out[n] = '\0';
	if (pid < 0)
		return false;
	waitpid(pid, &status, 0);
	char *line = strchr(out, '\n'), *end = line ? strpbrk(line + 1, "\n ") : NULL;
	if (!end || line[1] == '?' || strstr(line, ":?") || strstr(line, ":0"))
		return false;
	*line = *end = '\0';
	char both[512];
	snprintf(both, sizeof both, "%.200s (%.200s)", line + 1, out);
	snprintf(out, size, "%s", both);
	return true;
}

static void call_site(const void *caller, char *out, size_t size)
{
	Dl_info info;
	uintptr_t a = (uintptr_t)caller - 1; /* inside the call instruction */
	if (!caller || !dladdr((const void *)a, &info) || !info.dli_fname) {
		snprintf(out, size, "%p", caller);
		return;
	}
	const char *name = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
	uintptr_t base = (uintptr_t)info.dli_fbase, offset = a - base;
	const char *object = access(info.dli_fname, R_OK) == 0 ? info.dli_fname : "/proc/self/exe";
	if (source_line(object, offset, out, size) || source_line(object, a, out, size))
		return;
	char symbol[256];
	if (rt_symbol(object, a, base, symbol, sizeof symbol))
		snprintf(out, size, "%s (%s)", symbol, name);
	else
		snprintf(out, size, "%s+0x%lx", name, (unsigned long)offset);
}

/* ---- violations */

enum { MAX_REPORTS = 100 };

void rf_begin_failure(const struct rf_condition *c, const void *caller)
{
	char site[600];
	rt_start();
	rt_stats.violations++;
	in_report = rt_config.mode != MODE_COUNT && reported < MAX_REPORTS;
	if (!in_report && !(wants_json() && reported < MAX_REPORTS))
		return;
	bool entered = rt_enter(); /* no check meanwhile: addr2line's pipe and our buffers are in use */
	call_site(caller, site, sizeof site);
	if (entered)
		rt_leave();
	if (in_report)
		rt_say("refrain: contract violated: %s, %s condition\n  %s\n  asserted at %s, called from %s\n",
		       c->function, c->kind, c->text, c->where, site);
	if (rt_config.json[0] && reported)
		json_raw(", ");
	report_from = json.n;
	json_raw("{");
	json_text("function", c->function);
	json_raw(", ");
	json_text("kind", c->kind);
	json_raw(", ");
	json_text("condition", c->text);
	json_raw(", ");
	json_text("where", c->where);
	json_raw(", ");
	json_text("caller", site);
	json_raw(", \"faults\": [");
}

static unsigned literals;

static void fault_line(const char *text, const char *fault)
{
	if (in_report)
		rt_say("  %s: %s\n", text, fault);
	json_raw(literals ? ", {" : "{");
	literals++;
	json_text("literal", text);
	json_raw(", ");
	json_text("fault", fault);
	json_raw("}");
}

void rf_failed_int(const char *text, const char *term, long long value)
{
	char fault[300];
	if (reported >= MAX_REPORTS || (!in_report && !wants_json()))
		return;
	snprintf(fault, sizeof fault, "%s = %lld", term, value);
	fault_line(text, fault);
}

void rf_failed_compare(const char *text, const char *left, long double l, const char *right, long double r)
{
	char fault[500];
	if (reported >= MAX_REPORTS || (!in_report && !wants_json()))
		return;
	int n = snprintf(fault, sizeof fault, "%.200s = %.17Lg", left, l);
	if (right)
		snprintf(fault + n, sizeof fault - (size_t)n, ", %.200s = %.17Lg", right, r);
	fault_line(text, fault);
}

void rf_failed_literal(const char *text, const char *term, const void *p, const struct rf_type *type)
{
	char fault[1200];
	if (reported >= MAX_REPORTS || (!in_report && !wants_json()))
		return;
	snprintf(fault, sizeof fault, "%s does not hold", text);
	if (type && type->id && rt_enter()) {
		if (!rt_full_explain(p, type->id, rt_config.engine == ENGINE_MARKS, term, fault, sizeof fault))
			snprintf(fault, sizeof fault, "%s does not hold", text);
		rt_leave();
	}
	fault_line(text, fault);
}

__attribute__((noinline)) void rf_violation(void)
{
	__asm__ volatile(""); /* or its calls would go */
}

void rf_end_failure(void)
{
	if (reported < MAX_REPORTS) {
		json_raw("]}");
		write_violation();
	}
	literals = 0;
	if (in_report) {
		in_report = false;
		flush_said();
		if (++reported == MAX_REPORTS)
			rt_say("refrain: %d violations shown; further ones are only counted\n", MAX_REPORTS);
	} else if (reported < MAX_REPORTS && wants_json()) {
		reported++;
	}
	rf_violation();
	if (rt_config.mode == MODE_ABORT) {
		rt_exit_report();
		abort();
	}
}

int rf_assert(const void *p, const struct rf_type *type, const char *name, const char *where)
{
	if (!rf_check_on || rf_literal(p, type))
		return 1;
	struct rf_condition c = {"rf_assert", "asserted", type->name, where};
	rf_begin_failure(&c, __builtin_return_address(0));
	rf_failed_literal(type->name, name, p, type);
	rf_end_failure();
	return 0;
}

/* Paranoid mode found a verdict that differs from a full walk. */
void rt_stale(const void *p, unsigned type)
{
	char fault[1200];
	if (!rt_full_explain(p, type, rt_config.engine == ENGINE_MARKS, "value", fault, sizeof fault))
		snprintf(fault, sizeof fault, "value %p belongs to %s now", p, rt_desc(type)->name);
	rt_say("refrain: a remembered verdict was stale: %s\n  node %p was written by code that is not instrumented "
	       "(recompile it with "
	       "refrain-cc, or call rf_touch before the write)\n",
	       fault, (void *)rt_full_fault_node);
}

/* ---- the key stream, for `refrain trace` */

static struct rt_keys *keys;

void rt_key(const void *p, unsigned type)
{
	static bool opened;
	if (!opened)
		keys = rt_keys_open(rt_config.keys, "check");
	opened = true;
	rt_keys_add(keys, ((uint64_t)type << ADDRESS_BITS) | ((uintptr_t)p & (((uint64_t)1 << ADDRESS_BITS) - 1)));
}

/* ---- the end */

void rf_check_get_stats(struct rf_check_stats *out)
{
	bool in = !RT_ALONE && rt_enter();
	uint32_t per_granule = 2 * rf_shadow_planes + 1 + (rt_changes.watched ? (uint32_t)sizeof(uint32_t) : 0);
	*out = rt_stats;
	out->outside = RT_GET(rt_outside_calls);
	out->shadow_bytes = rt_mapped_bytes + rt_marked_pages * (1u << (PAGE_BITS - GRANULE_BITS)) * per_granule;
	if (in)
		rt_leave();
}

void rt_exit_report(void)
{
	static bool done;
	if (done)
		return;
	done = true;
	rt_keys_close(keys);
	keys = NULL;
	if (rt_config.json[0])
		write_json();
	if (rt_config.stats) {
		struct rf_check_stats s;
		rf_check_get_stats(&s);
		rt_say("refrain: %" PRIu64 " checks, %" PRIu64 " violations, %" PRIu64 " nodes visited, %" PRIu64
		       " invalidated by stores, %" PRIu64 " full walks, %" PRIu64 " restarts, %" PRIu64 " of %" PRIu64
		       " cache hits, %" PRIu64 " KB of marks\n",
		       s.checks, s.violations, s.nodes, s.dirtied, s.full_passes, s.restarts, s.hits, s.lookups,
		       s.shadow_bytes >> 10);
		if (rt_config.sample > 1)
			rt_say("refrain: one call in %" PRIu64 " was checked (sample=%" PRIu64 "); %" PRIu64
			       " calls were not\n",
			       rt_config.sample, rt_config.sample, rt_skipped);
	} else if (rt_config.mode == MODE_COUNT && rt_stats.violations) {
		rt_say("refrain: %" PRIu64 " contract violations in %" PRIu64 " checks\n", rt_stats.violations,
		       rt_stats.checks);
	}
}
