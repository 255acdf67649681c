/* SPDX-License-Identifier: MIT */
/* The program by itself, without a tool: what its instructions and its system calls cost, and where it spends its time.
 *
 * Instructions do not all take the same time: a function that waits for memory takes several times the average, and
 * what a cache saves there is worth more. So the native run is sampled (runtime/cost/sample.c), and each function gets
 * a rate (samples.c). */
#include "profile/passes.h"

#include "process/libexec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct words {
	VEC_FIELDS(const char *);
};

/* A command whose output is hidden, behind others that start it. */
static void hidden_words(struct words *words, const char *const *front, const char *const *command)
{
	static const char *const shell[] = {"/bin/sh", "-c", "exec \"$@\" > /dev/null 2>&1", "sh"};
	for (size_t i = 0; i < ARRAY_LEN(shell); i++)
		vec_push(words, shell[i]);
	for (; *front; front++)
		vec_push(words, *front);
	for (; *command; command++)
		vec_push(words, *command);
	vec_push(words, NULL);
}

/* False when it did not end by itself. */
static bool run_hidden(struct profiler *pr, const struct words *words, struct run_result *r)
{
	struct foreground f = {.spec = {.argv = words->at, .limits = {.wall_s = profile_pass_seconds(pr)}},
			       .watch_fd = -1};
	struct err ignored = ERR_INIT;
	spool_rewind(&pr->input);
	return runner_foreground(pr->runner, &f, r, &ignored) == RC_OK && r->end == RUN_EXITED;
}

/* Runs a command by itself, its output hidden, and keeps the least CPU time. The kernel divides that between the
 * program and
 * itself by clock ticks, of which a short run has a handful: it is repeated until there are enough of them. */
static bool run_alone(struct profiler *pr, const char *const *command, double *user_s, double *sys_s)
{
	enum { RUNS = 20 };
	static const double enough_s = 0.5;
	struct words words = {0};
	hidden_words(&words, (const char *const[]){NULL}, command);
	double best = 0, user = 0, all = 0;
	for (int i = 0; i < RUNS && all < enough_s; i++) {
		struct run_result r;
		if (!run_hidden(pr, &words, &r))
			break;
		double cpu = r.user_s + r.sys_s;
		if (best <= 0 || cpu < best)
			best = cpu;
		user += r.user_s;
		all += cpu;
	}
	if (all > 0) {
		*user_s = best * user / all;
		*sys_s = best - *user_s;
	}
	vec_release(&words);
	return best > 0;
}

/* What an instruction and what the kernel cost without a tool; starting a program is not the program's. */
void native_costs(struct profiler *pr)
{
	struct cost_model *m = &pr->p->cost;
	double user_s, sys_s;
	const char *const nothing[] = {"/bin/true", NULL};
	m->kernel_scale = 1;
	if (!run_alone(pr, pr->o->program, &m->user_s, &m->sys_s))
		return;
	m->whole_s = m->user_s + m->sys_s;
	if (run_alone(pr, nothing, &user_s, &sys_s)) {
		/* the shell that hides the output and the program it becomes are started alike */
		m->shell_s = (user_s + sys_s) / 2;
		m->whole_s -= m->whole_s > 2 * m->shell_s ? m->shell_s : m->whole_s / 2;
		m->user_s = m->user_s > 2 * user_s ? m->user_s - user_s : m->user_s / 2;
		m->sys_s = m->sys_s > 2 * sys_s ? m->sys_s - sys_s : m->sys_s / 2;
	}
	/* children are part of the run alone */
	double kernel_s = 0, instructions = 0;
	const struct profile *p;
	for (size_t i = 0; (p = family_at(pr, i)); i++) {
		kernel_s += (double)p->kernel_ns * 1e-9;
		instructions += (double)p->instructions;
	}
	if (instructions > 0)
		m->ns_instruction = m->user_s * 1e9 / instructions;
	/* the kernel splits the time of short runs by ticks: it may say that nothing was its own */
	if (kernel_s > m->sys_s)
		m->kernel_scale = m->sys_s > 0.1 * kernel_s ? m->sys_s / kernel_s : 0.1;
}

/* ---- samples */

/* Several short runs, until there are enough samples. */
static void sample_runs(struct profiler *pr, const char *const *front)
{
	enum { RUNS = 12 };
	static const double enough_s = 0.3;
	struct words words = {0};
	double all = 0;
	hidden_words(&words, front, pr->o->program);
	for (int i = 0; i < RUNS && all < enough_s && !runner_stopped(); i++) {
		struct run_result r;
		if (!run_hidden(pr, &words, &r) || r.code != pr->first->program_code)
			break;
		all += r.user_s;
	}
	vec_release(&words);
}

void native_samples(struct profiler *pr)
{
	char folder[PATH_MAX], tool[PATH_MAX + 16], file[PATH_MAX + 16];
	struct profile *p = pr->first;
	struct err ignored = ERR_INIT;
	/* the first thread of the first process is what is sampled */
	if (p->others.n || p->threads > 1 || !libexec_find("rfsample", folder, sizeof folder))
		return;
	snprintf(tool, sizeof tool, "%s/rfsample", folder);
	if (runner_scratch(pr->runner, folder, sizeof folder, &ignored) != RC_OK)
		return;
	snprintf(file, sizeof file, "%s/samples", folder);
	sample_runs(pr, (const char *const[]){tool, file, NULL});
	samples_read(p, file);
	runner_scratch_remove(pr->runner, folder);
}
