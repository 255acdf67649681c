/* SPDX-License-Identifier: MIT */
/* The passes. Each pass is one run of the program under a tool; what a pass decided is kept in the functions. */
#include "profile/profile.h"

#include "data/clock.h"

#include "process/valgrind.h"
#include "profile/spool.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DUMPED_FUNCTIONS = 8 };

/* What the passes of one profile share. */
struct profiler {
	struct runner *runner;
	const struct profile_options *o;
	struct profile *p;
	struct progress *progress;
	double start;
	struct spool input;
	bool stop; /* no more passes: time is up, or the user said so */
	char what[64];
	VEC(uint32_t) of_tool; /* counting pass: our index by the tool's */
	uint64_t kept_bytes;   /* of recorded calls, in this process: --memory bounds them too */
};

const char *profile_status_name(enum profile_status s)
{
	static const char *const names[] = {"candidate",        "opportunity",   "cold",           "no-signature",
					    "arguments-differ", "inputs-differ", "outputs-differ", "too-large",
					    "undecided",        "not-called",    "inlined"};
	return names[s];
}

/* ---- records */

static enum rc on_function(struct profiler *pr, const void *p, size_t n, struct err *e)
{
	struct vg_func r;
	const char *text = (const char *)p + sizeof r, *end = (const char *)p + n;
	if (n < sizeof r + 2 || end[-1] != 0)
		return err_set(e, RC_BUG, "the tool sent a damaged record of a function");
	memcpy(&r, p, sizeof r);
	size_t name = strlen(text) + 1;
	if (text + name >= end)
		return err_set(e, RC_BUG, "the tool sent a damaged record of a function");
	struct profile_function f = {
		.name = arena_strndup(&pr->p->arena, text, name - 1),
		.object = arena_strndup(&pr->p->arena, text + name, strlen(text + name)),
		.entry = r.entry,
		.status = STATUS_COLD,
	};
	while (pr->of_tool.n <= r.id)
		vec_push(&pr->of_tool, UINT32_MAX);
	pr->of_tool.at[r.id] = (uint32_t)pr->p->fn.n;
	vec_push(&pr->p->fn, f);
	return RC_OK;
}

static struct profile_function *by_tool(struct profiler *pr, uint32_t id)
{
	return id < pr->of_tool.n && pr->of_tool.at[id] < pr->p->fn.n ? &pr->p->fn.at[pr->of_tool.at[id]] : NULL;
}

static enum rc on_calls(struct profiler *pr, const void *p, size_t n)
{
	for (size_t at = 0; at + sizeof(struct vg_call) <= n; at += sizeof(struct vg_call)) {
		struct vg_call r;
		memcpy(&r, (const char *)p + at, sizeof r);
		if (r.fn >= pr->p->fn.n)
			continue;
		struct calls *c = &pr->p->fn.at[r.fn].seen;
		if (pr->kept_bytes >= pr->o->memory)
			c->max = c->call.n;
		pr->kept_bytes += calls_add(c, &r);
	}
	return RC_OK;
}

static void on_global(struct profiler *pr, const void *p, size_t n)
{
	struct vg_global r;
	if (n <= sizeof r || ((const char *)p)[n - 1] != 0)
		return;
	memcpy(&r, p, sizeof r);
	const char *name = (const char *)p + sizeof r;
	if (r.fn >= pr->p->fn.n || !name[0])
		return;
	struct profile_function *f = &pr->p->fn.at[r.fn];
	for (size_t i = 0; i < f->globals.n; i++)
		if (strcmp(f->globals.at[i].name, name) == 0) {
			f->globals.at[i].flags |= r.flags;
			if (r.calls > f->globals.at[i].calls)
				f->globals.at[i].calls = r.calls;
			return;
		}
	struct profile_global g = {arena_strndup(&pr->p->arena, name, strlen(name)), r.flags, r.calls};
	vec_push(&f->globals, g);
}

static void on_dump(struct profiler *pr, const void *p, size_t n)
{
	struct vg_dump r;
	if (n < sizeof r)
		return;
	memcpy(&r, p, sizeof r);
	if (r.fn >= pr->p->fn.n || n - sizeof r != (size_t)r.n * sizeof(struct vg_dump_entry))
		return;
	for (int i = 0; i < 2; i++) {
		struct profile_dump *d = &pr->p->fn.at[r.fn].dump[i];
		if (d->call != r.call || d->entry.n)
			continue;
		vec_reserve(&d->entry, r.n);
		memcpy(d->entry.at, (const char *)p + sizeof r, n - sizeof r);
		d->entry.n = r.n;
		for (size_t k = 0; k < d->entry.n; k++)
			d->entry.at[k].symbol[sizeof d->entry.at[k].symbol - 1] = 0;
		return;
	}
}

static void on_tick(struct profiler *pr, const void *p, size_t n)
{
	struct vg_tick t;
	if (n != sizeof t || !progress_due(pr->progress))
		return;
	memcpy(&t, p, sizeof t);
	char line[160];
	if (pr->p->instructions)
		snprintf(line, sizeof line, "pass %u, %s: %.0f %% of %.1f G instructions", pr->p->passes, pr->what,
			 100.0 * (double)t.instructions / (double)pr->p->instructions,
			 (double)pr->p->instructions / 1e9);
	else
		snprintf(line, sizeof line, "pass %u, %s: %.1f G instructions", pr->p->passes, pr->what,
			 (double)t.instructions / 1e9);
	progress_show(pr->progress, line);
}

static enum rc on_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e)
{
	struct profiler *pr = user;
	struct profile_function *f, *g;
	switch (kind) {
	case VG_FUNC:
		return on_function(pr, p, n, e);
	case VG_COUNT: {
		struct vg_count r;
		if (n == sizeof r) {
			memcpy(&r, p, n);
			if ((f = by_tool(pr, r.id))) {
				f->calls = r.calls;
				f->inclusive = r.inclusive;
				f->outer = r.outer;
				f->sys_calls = r.sys_calls;
			}
		}
		return RC_OK;
	}
	case VG_EDGE: {
		struct vg_edge r;
		if (n == sizeof r) {
			memcpy(&r, p, n);
			if ((f = by_tool(pr, r.caller)) && (g = by_tool(pr, r.callee))) {
				struct profile_edge edge = {(uint32_t)(f - pr->p->fn.at), (uint32_t)(g - pr->p->fn.at),
							    r.calls};
				vec_push(&pr->p->edge, edge);
			}
		}
		return RC_OK;
	}
	case VG_CALLS:
		return on_calls(pr, p, n);
	case VG_GLOBAL:
		on_global(pr, p, n);
		return RC_OK;
	case VG_DUMP:
		on_dump(pr, p, n);
		return RC_OK;
	case VG_TICK:
		on_tick(pr, p, n);
		return RC_OK;
	default:
		return RC_OK;
	}
}

/* ---- one run */

/* Seconds for the next pass; a program that never ends must leave time for the passes after it. */
static double pass_seconds(const struct profiler *pr)
{
	if (pr->o->timeout <= 0)
		return 0;
	double left = pr->o->timeout - (clock_seconds() - pr->start);
	double part = left / 3;
	return part < 0.2 ? 0.2 : part;
}

static enum rc run_tool(struct profiler *pr, const char *tool, const char *const *options, struct err *e)
{
	struct profile *p = pr->p;
	p->passes++;
	/* each pass reads the same input */
	spool_rewind(&pr->input);
	if (progress_due(pr->progress)) {
		char line[128];
		snprintf(line, sizeof line, "pass %u, %s", p->passes, pr->what);
		progress_show(pr->progress, line);
	}
	const struct valgrind_run v = {
		.tool = tool,
		.options = options,
		.program = pr->o->program,
		.path = pr->o->path,
		.wall_s = pass_seconds(pr),
		.stdout_to_stderr = pr->o->stdout_to_stderr,
		.on_record = on_record,
		.user = pr,
	};
	struct valgrind_result r;
	enum rc rc = valgrind_run(pr->runner, &v, &r, e);
	if (rc)
		return rc;
	p->wall_s += r.run.wall_s;
	if (r.end.peak_bytes > p->tool_peak_bytes)
		p->tool_peak_bytes = r.end.peak_bytes;
	if (r.end.threads > p->threads)
		p->threads = r.end.threads;
	p->memory_full |= (r.end.flags & VG_DONE_MEMORY) != 0;
	if (!r.done || (r.end.flags & VG_DONE_STOPPED) || r.run.end == RUN_TIMEOUT)
		p->complete = false;
	if (r.run.end == RUN_SIGNALLED)
		p->program_signal = r.run.code;
	else if (r.run.end == RUN_EXITED)
		p->program_code = r.run.code;
	/* Ctrl-C reaches the program, not us: its death says it */
	if (runner_stopped() || r.run.end == RUN_CANCELLED ||
	    (r.run.end == RUN_SIGNALLED && (r.run.code == SIGINT || r.run.code == SIGTERM))) {
		pr->stop = true;
		p->complete = false;
	}
	if (pr->o->timeout > 0 && clock_seconds() - pr->start >= pr->o->timeout)
		pr->stop = true;
	if (tool[2] == 'c') {
		p->instructions = r.end.instructions;
		p->system_calls = r.end.system_calls;
	}
	return RC_OK;
}

/* ---- passes over chosen functions */

static void print_slots(struct buf *b, const struct signature_slot *s, unsigned n)
{
	if (!n)
		buf_char(b, '-');
	for (unsigned i = 0; i < n; i++)
		buf_printf(b, "%sr%u%s:%u%s", i ? "," : "", s[i].reg, s[i].high ? "+8" : "", s[i].size,
			   s[i].pointer ? "p" : "");
}

static void print_line(struct buf *b, const struct profile_function *f, uint32_t id, uint64_t limit, bool dumps)
{
	buf_printf(b, "%u %llx %llu ", id, (unsigned long long)f->entry, (unsigned long long)limit);
	print_slots(b, f->sig->arg, f->sig->n_args);
	buf_char(b, ' ');
	print_slots(b, f->sig->result, f->sig->n_results);
	if (dumps)
		buf_printf(b, " %llu,%llu %s\n", (unsigned long long)f->dump[0].call,
			   (unsigned long long)f->dump[1].call, f->object);
	else
		buf_printf(b, " - %s\n", f->object);
}

/* list: lines for the functions of this pass */
static enum rc run_sets(struct profiler *pr, const struct buf *list, struct err *e)
{
	char scratch[PATH_MAX], path[PATH_MAX + 16], list_option[PATH_MAX + 32], memory[48];
	enum rc rc = runner_scratch(pr->runner, scratch, sizeof scratch, e);
	if (rc)
		return rc;
	snprintf(path, sizeof path, "%s/functions", scratch);
	snprintf(list_option, sizeof list_option, "--rf-list=%s", path);
	snprintf(memory, sizeof memory, "--rf-memory=%llu", (unsigned long long)pr->o->memory);
	const char *const options[] = {list_option, memory, "--rf-hide=yes",
				       pr->o->scrub ? "--rf-scrub=yes" : "--rf-scrub=no", NULL};
	rc = buf_write_file(list, path, 0600, e);
	if (!rc)
		rc = run_tool(pr, "rfsets", options, e);
	runner_scratch_remove(pr->runner, scratch);
	return rc;
}

static enum rc run_candidates(struct profiler *pr, uint64_t limit, size_t *n, struct err *e)
{
	struct profile *p = pr->p;
	struct buf list = {0};
	*n = 0;
	pr->kept_bytes = 0;
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		if (f->status != STATUS_CANDIDATE)
			continue;
		calls_release(&f->seen);
		f->seen.max = pr->o->max_calls;
		vec_clear(&f->globals);
		f->limit = limit;
		print_line(&list, f, (uint32_t)i, limit, false);
		++*n;
	}
	enum rc rc = *n ? run_sets(pr, &list, e) : RC_OK;
	buf_release(&list);
	return rc;
}

static void decide(struct profile_function *f, enum profile_status s, unsigned round)
{
	f->status = s;
	f->round = round;
}

/* A function the user named is followed until its number of inputs is exact. */
static bool may_drop(const struct profile_function *f)
{
	return !f->asked || !f->seen.cut || f->seen.in_loose.value.n == f->seen.call.n;
}

static void decide_arguments(struct profile_function *f)
{
	decide(f, STATUS_ARGUMENTS, 1);
	caches_simulate(&f->seen, &f->caches);
}

static enum rc pass_arguments(struct profiler *pr, struct err *e)
{
	size_t n;
	snprintf(pr->what, sizeof pr->what, "arguments");
	enum rc rc = run_candidates(pr, 0, &n, e);
	for (size_t i = 0; !rc && i < pr->p->fn.n; i++) {
		struct profile_function *f = &pr->p->fn.at[i];
		if (f->status != STATUS_CANDIDATE)
			continue;
		if (f->seen.no_memory)
			decide(f, STATUS_TOO_LARGE, 1);
		else if (f->seen.seen >= pr->o->min_calls && calls_repeat_ratio(&f->seen) < pr->o->min_hit_ratio &&
			 may_drop(f))
			decide_arguments(f);
	}
	return rc;
}

/* What one run with a limit decides. */
static void decide_round(struct profile *p, const struct profile_options *o, struct profile_function *f, unsigned round,
			 bool last)
{
	if (f->seen.seen < o->min_calls) {
		/* stopped before it was called often enough, or no memory to follow calls; what was counted may
		 * come from another pass */
		decide(f, p->memory_full ? STATUS_TOO_LARGE : p->complete ? STATUS_COLD : STATUS_UNDECIDED, round);
		return;
	}
	if (f->seen.no_memory || (p->memory_full && f->seen.seen < f->calls)) {
		/* such logs end anywhere, or were not begun: equal inputs may look different */
		decide(f, STATUS_TOO_LARGE, round);
	} else if (calls_repeat_ratio(&f->seen) < o->min_hit_ratio && (may_drop(f) || last)) {
		decide(f, STATUS_INPUTS, round);
	} else if (!f->seen.cut) {
		decide(f, STATUS_OPPORTUNITY, round);
		profile_judge(p, o, f);
	} else if (last) {
		decide(f, STATUS_TOO_LARGE, round);
	}
	if (f->status != STATUS_CANDIDATE && f->status != STATUS_OPPORTUNITY)
		caches_simulate(&f->seen, &f->caches);
	if ((f->status == STATUS_INPUTS || f->status == STATUS_CONFLICTS) &&
	    calls_hint_ratio(&f->seen) >= o->min_hit_ratio)
		f->hint_inputs = f->seen.in_hint.value.n;
}

static enum rc pass_memory(struct profiler *pr, struct err *e)
{
	unsigned round = 2;
	for (uint64_t limit = pr->o->first_locations; !pr->stop; limit *= 2, round++) {
		bool last = limit >= pr->o->max_locations;
		size_t n;
		snprintf(pr->what, sizeof pr->what, "up to %llu places per call", (unsigned long long)limit);
		enum rc rc = run_candidates(pr, limit, &n, e);
		if (rc || !n)
			return rc;
		for (size_t i = 0; i < pr->p->fn.n; i++)
			if (pr->p->fn.at[i].status == STATUS_CANDIDATE)
				decide_round(pr->p, pr->o, &pr->p->fn.at[i], round, last);
		if (last)
			break;
	}
	return RC_OK;
}

/* ---- the close look */

/* Two calls with different inputs, and two with the same. */
static bool choose_examples(struct profile_function *f)
{
	bool strict = f->caches.strict, differ = false;
	f->same[0] = f->same[1] = 0;
	for (size_t i = 1; i < f->seen.call.n; i++) {
		uint32_t first = strict ? f->seen.call.at[0].strict.in : f->seen.call.at[0].loose.in;
		uint32_t k = strict ? f->seen.call.at[i].strict.in : f->seen.call.at[i].loose.in;
		if (k == first && f->same[1] == 0)
			f->same[1] = i;
		if (k != first && !differ) {
			f->dump[1].call = i;
			differ = true;
		}
		if (differ && f->same[1])
			break;
	}
	return differ;
}

static enum rc pass_explain(struct profiler *pr, struct err *e)
{
	struct profile *p = pr->p;
	struct buf list = {0};
	size_t n = 0;
	for (size_t i = 0; i < p->n_ranking && n < DUMPED_FUNCTIONS; i++) {
		struct profile_function *f = &p->fn.at[p->ranking[i]];
		bool close_look =
			f->status == STATUS_OPPORTUNITY || f->status == STATUS_INPUTS || f->status == STATUS_CONFLICTS;
		if (!close_look || !f->seen.call.n || !choose_examples(f))
			continue;
		print_line(&list, f, p->ranking[i], f->limit, true);
		f->seen.max = 0; /* the calls are known already */
		n++;
	}
	struct calls *kept = mem_alloc(mem_mul(p->fn.n, sizeof *kept));
	for (size_t i = 0; i < p->fn.n; i++)
		kept[i] = p->fn.at[i].seen;
	snprintf(pr->what, sizeof pr->what, "comparing single calls");
	enum rc rc = n ? run_sets(pr, &list, e) : RC_OK;
	for (size_t i = 0; i < p->fn.n; i++)
		p->fn.at[i].seen = kept[i];
	free(kept);
	buf_release(&list);
	for (size_t i = 0; !rc && i < p->n_ranking; i++) {
		struct profile_function *f = &p->fn.at[p->ranking[i]];
		if (f->dump[0].entry.n && f->dump[1].entry.n)
			f->difference = profile_difference(f);
	}
	return rc;
}

enum rc profile_run(struct runner *r, const struct profile_options *o, struct progress *progress, struct profile *out,
		    struct err *e)
{
	*out = (struct profile){.complete = true};
	struct profiler pr = {.runner = r,
			      .o = o,
			      .p = out,
			      .progress = progress,
			      .start = clock_seconds(),
			      .what = "counting calls and instructions"};
	char memory[48];
	snprintf(memory, sizeof memory, "--rf-memory=%llu", (unsigned long long)o->memory);
	const char *const counting[] = {memory, NULL};
	enum rc rc = spool_begin(&pr.input, e);
	if (!rc)
		rc = run_tool(&pr, "rfcount", counting, e);
	spool_end(&pr.input);
	if (!rc) {
		profile_choose(out, o);
		rc = profile_link(out, e);
	}
	if (!rc) {
		profile_add_missing(out, o);
		profile_find_inlined(out, o);
	}
	if (!rc && !pr.stop)
		rc = pass_arguments(&pr, e);
	if (!rc && !pr.stop)
		rc = pass_memory(&pr, e);
	for (size_t i = 0; i < out->fn.n; i++)
		if (out->fn.at[i].status == STATUS_CANDIDATE)
			out->fn.at[i].status = STATUS_UNDECIDED;
	if (!rc)
		profile_rank(out, o);
	if (!rc && o->explain && !pr.stop)
		rc = pass_explain(&pr, e);
	for (size_t i = 0; i < out->fn.n; i++)
		if (out->fn.at[i].seen.seen)
			out->fn.at[i].verdict = profile_verdict(&out->fn.at[i]);
	vec_release(&pr.of_tool);
	return rc;
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		calls_release(&f->seen);
		vec_release_all(&f->globals, &f->dump[0].entry, &f->dump[1].entry);
		free(f->verdict);
		free(f->difference);
	}
	for (size_t i = 0; i < p->object.n; i++)
		signatures_release(&p->object.at[i].sigs);
	vec_release_all(&p->object, &p->fn, &p->edge, &p->inlined);
	free(p->ranking);
	arena_release(&p->arena);
}
