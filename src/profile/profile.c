/* SPDX-License-Identifier: MIT */
/* The passes. Each pass is one run of the program under a tool; what a pass decided is kept in the functions. */
#include "profile/profile.h"

#include "data/clock.h"
#include "profile/passes.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A close look at so many functions, and at so many calls of each: later ones hardly tell anything new. */
enum { DUMPED_FUNCTIONS = 8, LOOKED_AT_CALLS = 10000 };

/* The safety of what the paper's method finds. */
static const char not_looked_at[] = "not looked at: globals and effects are no part of this method";

const char *profile_status_name(enum profile_status s)
{
	static const char *const names[] = {"candidate",        "opportunity",   "cold",           "no-signature",
					    "arguments-differ", "inputs-differ", "outputs-differ", "too-large",
					    "undecided",        "not-called",    "inlined",        "has-effects"};
	return names[s];
}

/* ---- one run */

/* Seconds for the next pass; a program that never ends must leave time for the passes after it. */
double profile_pass_seconds(const struct profiler *pr)
{
	if (pr->o->timeout <= 0)
		return 0;
	double left = pr->o->timeout - (clock_seconds() - pr->start);
	double part = left / 3;
	return part < 0.2 ? 0.2 : part;
}

struct words {
	VEC_FIELDS(const char *);
};

/* What all passes are told about the part of the run to look at: the counting pass finds out how many
 * instructions it has. */
struct window_options {
	char from[512], ms[32], most[48], children[PATH_MAX + 32];
	struct words all; /* NULL-ended */
};

static void window_options(struct window_options *w, const struct profiler *pr, const char *const *options,
			   const char *folder)
{
	const struct profile_options *o = pr->o;
	for (; *options; options++)
		vec_push(&w->all, *options);
	snprintf(w->from, sizeof w->from, "--rf-from=%s", o->from ? o->from : "");
	snprintf(w->ms, sizeof w->ms, "--rf-window=%.0f", o->window_s * 1000);
	snprintf(w->most, sizeof w->most, "--rf-most=%llu", (unsigned long long)pr->p->instructions);
	snprintf(w->children, sizeof w->children, "--rf-children=%s", folder ? folder : "");
	if (folder) {
		vec_push(&w->all, w->children);
		vec_push(&w->all, "--rf-process=1,0");
	}
	if (o->from)
		vec_push(&w->all, w->from);
	if (o->window_s > 0)
		vec_push(&w->all, pr->p->instructions ? w->most : w->ms);
	vec_push(&w->all, NULL);
}

/* The end of one process in one pass. */
static void process_ended(struct profiler *pr, const struct vg_done *end, bool done)
{
	struct profile *p = pr->p;
	if (end->peak_bytes > p->tool_peak_bytes)
		p->tool_peak_bytes = end->peak_bytes;
	if (end->threads > p->threads)
		p->threads = end->threads;
	p->memory_full |= (end->flags & VG_DONE_MEMORY) != 0;
	if (!done || (end->flags & VG_DONE_STOPPED))
		p->complete = false;
	if (pr->counting) {
		p->kernel_ns = end->kernel_ns;
		p->instructions = end->instructions;
		p->system_calls = end->system_calls;
	}
}

static void pass_ended(struct profiler *pr, const struct valgrind_result *r)
{
	struct profile *p = pr->first;
	p->windowed |= pr->o->from || (r->end.flags & VG_DONE_WINDOW) != 0;
	p->wall_s += r->run.wall_s;
	process_ended(pr, &r->end, r->done);
	if (r->run.end == RUN_TIMEOUT)
		p->complete = false;
	if (r->run.end == RUN_SIGNALLED)
		p->program_signal = r->run.code;
	else if (r->run.end == RUN_EXITED)
		p->program_code = r->run.code;
	/* Ctrl-C reaches the program, not us: its death says it */
	if (runner_stopped() || r->run.end == RUN_CANCELLED ||
	    (r->run.end == RUN_SIGNALLED && (r->run.code == SIGINT || r->run.code == SIGTERM))) {
		pr->stop = true;
		p->complete = false;
	}
	if (pr->o->timeout > 0 && clock_seconds() - pr->start >= pr->o->timeout)
		pr->stop = true;
}

/* folder: where processes that the program starts leave what the tool says of them; NULL: they are not followed. */
static enum rc run_once(struct profiler *pr, const char *tool, const char *const *options, const char *folder,
			struct err *e)
{
	struct window_options window = {0};
	window_options(&window, pr, options, folder);
	const struct valgrind_run v = {
		.tool = tool,
		.options = window.all.at,
		.program = pr->o->program,
		.wall_s = profile_pass_seconds(pr),
		.stdout_to_stderr = pr->o->stdout_to_stderr,
		.children = folder != NULL,
		.on_record = profile_record,
		.user = pr,
	};
	struct valgrind_result r;
	enum rc rc = valgrind_run(pr->runner, &v, &r, e);
	vec_release(&window.all);
	pr->p = pr->first;
	if (rc)
		return rc;
	if (r.end.flags & VG_DONE_UNOPENED)
		return err_set(e, RC_INPUT, "no call of '%s' was seen: nothing was profiled", pr->o->from);
	pass_ended(pr, &r);
	return folder ? family_read(pr, folder, process_ended, e) : RC_OK;
}

static enum rc run_tool(struct profiler *pr, const char *tool, const char *const *options, struct err *e)
{
	char folder[PATH_MAX];
	pr->first->passes++;
	/* each pass reads the same input */
	spool_rewind(&pr->input);
	if (progress_due(pr->progress)) {
		char line[128];
		snprintf(line, sizeof line, "pass %u, %s", pr->first->passes, pr->what);
		progress_show(pr->progress, line);
	}
	if (!pr->o->children)
		return run_once(pr, tool, options, NULL, e);
	enum rc rc = runner_scratch(pr->runner, folder, sizeof folder, e);
	if (rc)
		return rc;
	rc = run_once(pr, tool, options, folder, e);
	runner_scratch_remove(pr->runner, folder);
	return rc;
}

/* ---- passes over chosen functions */

static enum rc run_sets(struct profiler *pr, const struct wanted_list *list, bool shapes, struct err *e)
{
	char scratch[PATH_MAX], list_option[PATH_MAX + 32], memory[48], depth[48];
	enum rc rc = runner_scratch(pr->runner, scratch, sizeof scratch, e);
	if (rc)
		return rc;
	snprintf(list_option, sizeof list_option, "--rf-list=%s/functions", scratch);
	snprintf(memory, sizeof memory, "--rf-memory=%llu", (unsigned long long)pr->o->memory);
	snprintf(depth, sizeof depth, "--rf-depth=%llu", (unsigned long long)pr->depth);
	const char *const options[] = {list_option,
				       memory,
				       depth,
				       "--rf-hide=yes",
				       shapes ? "--rf-shapes=yes" : "--rf-shapes=no",
				       pr->o->scrub ? "--rf-scrub=yes" : "--rf-scrub=no",
				       NULL};
	rc = family_write(list, &pr->layouts, scratch, e);
	if (!rc)
		rc = run_tool(pr, "rfsets", options, e);
	runner_scratch_remove(pr->runner, scratch);
	return rc;
}

static void want_candidates(struct profiler *pr, struct profile *p, uint64_t limit, struct wanted_list *list)
{
	vec_clear(&p->listed);
	for (uint32_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		if (f->status != STATUS_CANDIDATE)
			continue;
		calls_release(&f->seen);
		f->seen = (struct calls){.max = pr->o->max_calls, .expected = f->calls};
		vec_clear(&f->globals);
		vec_clear(&f->files);
		f->limit = limit;
		/* with more different inputs too few of its calls could be hits */
		uint64_t most = f->asked ? 0 : (uint64_t)((1 - pr->o->min_hit_ratio) * (double)f->calls);
		family_want(list, p, i, most, 0, false);
	}
}

enum rc profile_candidates(struct profiler *pr, uint64_t limit, size_t *n, struct err *e)
{
	struct wanted_list list = {0};
	struct profile *p;
	pr->kept_bytes = 0;
	for (size_t i = 0; (p = family_at(pr, i)); i++)
		want_candidates(pr, p, limit, &list);
	*n = list.n;
	enum rc rc = *n ? run_sets(pr, &list, false, e) : RC_OK;
	vec_release(&list);
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
	if (f->seen.no_memory * 2 > f->seen.seen || (p->memory_full && f->seen.seen < f->calls)) {
		/* such logs end anywhere, or were not begun: equal inputs may look different */
		decide(f, STATUS_TOO_LARGE, round);
	} else if (calls_arguments_ratio(&f->seen) < o->min_hit_ratio && (may_drop(f) || last)) {
		decide(f, STATUS_ARGUMENTS, 1);
	} else if (calls_repeat_ratio(&f->seen) < o->min_hit_ratio && (may_drop(f) || last)) {
		decide(f, STATUS_INPUTS, round);
	} else if (!f->seen.cut || last) {
		decide(f, STATUS_OPPORTUNITY, round);
		profile_judge(p, o, f);
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
	for (uint64_t limit = pr->o->first_locations; !pr->stop; limit = pr->o->max_locations, round++) {
		bool last = limit >= pr->o->max_locations;
		size_t n;
		snprintf(pr->what, sizeof pr->what, "up to %llu places per call", (unsigned long long)limit);
		enum rc rc = profile_candidates(pr, limit, &n, e);
		if (rc || !n)
			return rc;
		struct profile *p;
		for (size_t k = 0; (p = family_at(pr, k)); k++)
			for (size_t i = 0; i < p->fn.n; i++)
				if (p->fn.at[i].status == STATUS_CANDIDATE)
					decide_round(p, pr->o, &p->fn.at[i], round, last);
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

static void want_examples(struct profiler *pr, struct profile *p, struct wanted_list *list)
{
	size_t n = 0;
	vec_clear(&p->listed);
	for (size_t i = 0; i < p->n_ranking; i++) {
		struct profile_function *f = &p->fn.at[p->ranking[i]];
		if (n >= DUMPED_FUNCTIONS && !(f->asked && pr->o->whole_shapes))
			break;
		/* calls that differ in everything are large: they are looked at only when the user asked */
		bool differs = f->status == STATUS_INPUTS || f->status == STATUS_CONFLICTS;
		bool worth = f->saved_share > 0 || f->small_key_saves || f->asked;
		bool close_look = (f->status == STATUS_OPPORTUNITY && worth) || (differs && f->asked);
		if (!close_look || !f->seen.call.n)
			continue;
		bool dumps = choose_examples(f);
		uint64_t last = f->dump[1].call < LOOKED_AT_CALLS ? LOOKED_AT_CALLS : f->dump[1].call + 1;
		family_want(list, p, p->ranking[i], 0, pr->o->whole_shapes ? 0 : last, dumps);
		n++;
	}
}

static enum rc pass_explain(struct profiler *pr, struct err *e)
{
	struct wanted_list list = {0};
	struct profile *p;
	for (size_t i = 0; (p = family_at(pr, i)); i++)
		want_examples(pr, p, &list);
	snprintf(pr->what, sizeof pr->what, "comparing single calls");
	pr->close_look = true;
	enum rc rc = list.n ? run_sets(pr, &list, true, e) : RC_OK;
	vec_release(&list);
	for (size_t k = 0; !rc && (p = family_at(pr, k)); k++)
		for (size_t i = 0; i < p->n_ranking; i++) {
			struct profile_function *f = &p->fn.at[p->ranking[i]];
			if (f->dump[0].entry.n && f->dump[1].entry.n)
				f->difference = profile_difference(f);
		}
	for (size_t k = 0; !rc && (p = family_at(pr, k)); k++)
		profile_rank_again(p, pr->o);
	return rc;
}

/* Which functions of a process are looked at. */
static enum rc choose(struct profiler *pr, struct profile *p, struct err *e)
{
	if (p->process.cold)
		return RC_OK;
	profile_choose(p, pr->o);
	enum rc rc = profile_link(p, e);
	if (rc)
		return rc;
	/* a function that the user named may belong to one of the processes only */
	if (!pr->first->others.n)
		profile_add_missing(p, pr->o);
	profile_find_inlined(p, pr->o);
	return RC_OK;
}

static enum rc pass_count(struct profiler *pr, struct err *e)
{
	struct profile *first = pr->first, *p;
	char memory[48];
	snprintf(memory, sizeof memory, "--rf-memory=%llu", (unsigned long long)pr->o->memory);
	const char *const options[] = {memory, NULL};
	pr->counting = true;
	enum rc rc = spool_begin(&pr->input, e);
	if (!rc)
		rc = run_tool(pr, "rfcount", options, e);
	pr->counting = false;
	spool_end(&pr->input);
	/* a part cannot be measured by itself, whether of the run or of its processes, and the whole may take
	 * minutes */
	bool part = first->windowed || (!pr->o->children && (first->process.forks || first->process.replaced));
	if (!rc && !pr->stop && first->complete && !part) {
		native_costs(pr);
		native_samples(pr);
	} else {
		first->cost.kernel_scale = 1;
	}
	if (!rc)
		cost_measure(&first->cost, pr->runner);
	if (!rc)
		family_share(pr);
	for (size_t i = 0; !rc && (p = family_at(pr, i)); i++)
		rc = choose(pr, p, e);
	return rc;
}

enum rc profile_run(struct runner *r, const struct profile_options *o, struct progress *progress, struct profile *out,
		    struct err *e)
{
	*out = (struct profile){.complete = true,
				.followed = o->children,
				.process = {.id = FIRST_PROGRAM, .program = FIRST_PROGRAM, .path = o->path}};
	struct profiler pr = {.runner = r,
			      .o = o,
			      .p = out,
			      .first = out,
			      .progress = progress,
			      .start = clock_seconds(),
			      .what = "counting calls and instructions"};
	struct profile *p;
	enum rc rc = pass_count(&pr, e);
	if (!rc && !pr.stop)
		rc = o->first_depth ? pass_memoizeit(&pr, e) : pass_memory(&pr, e);
	for (size_t k = 0; (p = family_at(&pr, k)); k++) {
		for (size_t i = 0; i < p->fn.n; i++)
			if (p->fn.at[i].status == STATUS_CANDIDATE)
				p->fn.at[i].status = STATUS_UNDECIDED;
		if (!rc)
			profile_rank(p, o);
	}
	/* the close look is at what calls read and write */
	if (!rc && o->explain && !o->first_depth && !pr.stop)
		rc = pass_explain(&pr, e);
	for (size_t k = 0; (p = family_at(&pr, k)); k++) {
		if (!rc)
			profile_name_keys(p);
		for (size_t i = 0; i < p->fn.n; i++)
			if (p->fn.at[i].seen.seen)
				p->fn.at[i].verdict =
					o->first_depth ? mem_strdup(not_looked_at) : profile_verdict(p, &p->fn.at[i]);
	}
	vec_release(&pr.of_tool);
	layouts_release(&pr.layouts);
	return rc;
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		calls_release(&f->seen);
		vec_release_all(&f->globals, &f->files, &f->peers, &f->shape, &f->rows, &f->values, &f->dump[0].entry,
				&f->dump[1].entry);
		free(f->verdict);
		free(f->difference);
		free(f->key);
	}
	for (size_t i = 0; i < p->object.n; i++)
		signatures_release(&p->object.at[i].sigs);
	for (size_t i = 0; i < p->others.n; i++) {
		profile_release(p->others.at[i]);
		free(p->others.at[i]);
	}
	vec_release_all(&p->object, &p->fn, &p->edge, &p->inlined, &p->listed, &p->others, &p->iterations);
	free(p->ranking);
	arena_release(&p->arena);
}
