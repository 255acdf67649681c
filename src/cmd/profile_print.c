/* SPDX-License-Identifier: MIT */
/* The result of `refrain profile` as a table; profile_json.c has the other forms. */
#include "cmd/profile.h"

#include "data/text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *shown(const char *s, char *out, size_t size)
{
	text_escape(s, strlen(s), out, size);
	return out;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void print_place(const struct profile_function *f)
{
	char file[128];
	if (f->sig && f->sig->file[0])
		printf("%s:%u", shown(base_name(f->sig->file), file, sizeof file), f->sig->line);
	else if (f->object[0])
		printf("%s", shown(base_name(f->object), file, sizeof file));
}

static void print_suggestion(const struct profile_function *f)
{
	if (strcmp(f->size, "single") == 0)
		printf("a cache of one entry%s", strcmp(f->scope, "instance") == 0 ? " in each object" : "");
	else
		printf("a cache of %llu entries%s", (unsigned long long)f->entries,
		       strcmp(f->scope, "instance") == 0 ? " in each object" : "");
}

static void print_key(const struct profile_function *f)
{
	char name[64];
	if (f->key) {
		char text[512];
		printf("      key       %s (%.0f bytes per call)\n", shown(f->key, text, sizeof text),
		       profile_key_bytes(f));
		return;
	}
	printf("      key       ");
	unsigned n = 0;
	for (unsigned i = 0; i < f->sig->n_args; i++)
		printf("%s%s%s", n++ ? ", " : "",
		       f->sig->arg[i].name[0] ? shown(f->sig->arg[i].name, name, sizeof name) : "?",
		       f->sig->arg[i].pointer ? " and what it points to" : "");
	unsigned globals = 0;
	for (size_t i = 0; i < f->globals.n && globals < 6; i++)
		if (f->globals.at[i].flags & VG_GLOBAL_READ) {
			printf("%s%s", n++ ? ", " : "", shown(f->globals.at[i].name, name, sizeof name));
			globals++;
		}
	printf("%s (%.0f bytes per call)\n", n ? "" : "nothing", profile_key_bytes(f));
}

static void print_examples(const struct profile_function *f)
{
	struct buf b = {0};
	char line[512];
	if (f->difference) {
		printf("      differ    call %llu and call %llu: %s\n", (unsigned long long)f->dump[0].call + 1,
		       (unsigned long long)f->dump[1].call + 1, shown(f->difference, line, sizeof line));
	}
	if (f->same[1] != f->same[0])
		printf("      same      call %llu and call %llu have the same input\n",
		       (unsigned long long)f->same[0] + 1, (unsigned long long)f->same[1] + 1);
	for (int i = 0; i < 2; i++) {
		const struct profile_dump *d = &f->dump[i];
		if (!d->entry.n)
			continue;
		buf_clear(&b);
		for (size_t k = 0; k < d->entry.n && k < 6; k++) {
			if (k)
				buf_str_add(&b, ", ");
			profile_entry_text(f, &d->entry.at[k], &b);
		}
		printf("      call %-4llu %s%s\n", (unsigned long long)d->call + 1,
		       shown(buf_str(&b), line, sizeof line), d->entry.n > 6 ? ", …" : "");
	}
	buf_release(&b);
}

/* What it asks of the system, and how to notice that the answer is stale. */
static void print_world(const struct profile *p, const struct profile_function *f)
{
	char name[128];
	unsigned n = 0;
	for (size_t i = 0; i < f->files.n && n < 6; i++) {
		bool again = !f->files.at[i].path[0];
		for (size_t k = 0; k < i && !again; k++)
			again = strcmp(f->files.at[k].path, f->files.at[i].path) == 0;
		if (!again)
			printf("%s%s", n++ ? ", " : "      asks for  ", shown(f->files.at[i].path, name, sizeof name));
	}
	printf("%s", n ? "\n" : "");
	double per_call = f->seen.seen ? profile_ns(p, 0, (double)f->seen.kernel_ns) / (double)f->seen.seen : 0;
	printf("      kernel    %.1f µs per call\n", per_call / 1000);
	printf("      stale     %s\n",
	       n ? "compare what stat says of these files (size, mtime, inode) before each hit, or ask once per run"
		 : "the answer can change at any time: ask once per run, or not at all");
}

static void print_saving(const struct profile_function *f)
{
	if (f->flat) {
		printf("      may save  %.1f %% of the CPU time, its time and its hit ratio, with ",
		       100 * f->time_share * f->potential);
		print_suggestion(f);
		printf("\n");
		if (f->doubt)
			printf("      unsure    %s\n", f->doubt);
		printf("      depth     %llu reference%s%s\n", (unsigned long long)f->depth, f->depth == 1 ? "" : "s",
		       f->seen.deeper ? ", not fully explored" : ", fully explored");
		return;
	}
	printf("      saves     ");
	if (f->saved_share > 0 && !f->doubt)
		printf("%.1f %% of the CPU time with ", 100 * f->saved_share);
	else if (f->saved_share > 0 || f->saved_instructions > 0)
		printf("perhaps %.1f %% of the CPU time with ", 100 * f->saved_share);
	else
		printf("nothing: a look-up costs more than a call; with ");
	print_suggestion(f);
	printf("\n");
	if (f->doubt)
		printf("      unsure    %s\n", f->doubt);
	if (f->grows)
		printf("      growth    %llu entries were enough for the first half of the calls, %llu for all\n",
		       (unsigned long long)f->caches.half_enough, (unsigned long long)f->caches.lru_enough);
}

static void print_opportunity(const struct profile *p, const struct profile_function *f)
{
	char name[128], text[512];
	printf("%3u. %s  ", f->rank, shown(f->name, name, sizeof name));
	print_place(f);
	printf("\n");
	print_saving(f);
	printf("      calls     %llu, %llu different inputs, %.1f %% hits, %.1f %% of the run\n",
	       (unsigned long long)f->calls, (unsigned long long)f->caches.distinct,
	       100 * (f->flat ? f->potential : f->hit_ratio), 100 * f->time_share);
	if (f->caches.calls < f->seen.seen)
		printf("      note      simulated on the first %llu calls\n", (unsigned long long)f->caches.calls);
	if (f->seen.cut)
		printf("      note      %llu calls touched too much memory to compare: they count as misses\n",
		       (unsigned long long)f->seen.cut);
	print_key(f);
	if (f->asks_world)
		print_world(p, f);
	printf("      safety    %s\n", shown(f->verdict ? f->verdict : "", text, sizeof text));
	print_examples(f);
}

static const char *reason(const struct profile_function *f)
{
	switch (f->status) {
	case STATUS_COLD:
		return "below the thresholds";
	case STATUS_NO_SIGNATURE:
		return !f->sig ? "no debug information for it (build with -g)"
		       : f->sig->usable
			       ? "the compiler changed its parameters (-fno-ipa-sra -fno-ipa-cp keeps them)"
			       : "it takes variable arguments, long double or too many: they cannot be followed";
	case STATUS_ARGUMENTS:
		return "its arguments do not repeat";
	case STATUS_INPUTS:
		return "its inputs do not repeat";
	case STATUS_CONFLICTS:
		return "the same input gave different outputs";
	case STATUS_TOO_LARGE:
		return "too large: it touches more memory than --max-limit or --memory allows";
	case STATUS_UNDECIDED:
		return "not decided: time was up, or --max-functions";
	case STATUS_NOT_CALLED:
		return "was not called";
	case STATUS_EFFECTS:
		return "it acts on the world or frees what it was given: a cache cannot stand for it";
	case STATUS_INLINED:
		return "was inlined: mark it __attribute__((noinline)) or build with -fno-inline";
	default:
		return "";
	}
}

static void print_dropped(const struct profile *p, bool verbose, bool asked_only)
{
	char name[128], text[512];
	unsigned n = 0, left = 0;
	for (size_t i = 0; i < p->n_ranking; i++) {
		const struct profile_function *f = &p->fn.at[p->ranking[i]];
		if (f->rank)
			continue;
		if (!asked_only && !verbose && n >= 10) {
			left++;
			continue;
		}
		if (!n++)
			printf("No opportunity:\n");
		printf("      %-28s %5.1f %%  %9llu calls  %s", shown(f->name, name, sizeof name), 100 * f->time_share,
		       (unsigned long long)f->calls, reason(f));
		if (f->round >= 2)
			printf(" (memory pass %u)", f->round - 1);
		printf("\n");
		if (f->hint_inputs)
			printf("        hint: only %llu different inputs but for memory that it also changes: a "
			       "counter, a random state?\n",
			       (unsigned long long)f->hint_inputs);
		if (f->difference && (verbose || f->asked))
			printf("        differ: %s\n", shown(f->difference, text, sizeof text));
	}
	if (left)
		printf("      and %u more (-v lists them)\n", left);
}

static void print_notes(const struct profile *p)
{
	char name[128];
	if (p->program_signal)
		printf("note: the program was ended by signal %d; the figures are up to there%s\n", p->program_signal,
		       p->program_signal == SIGILL
			       ? " (an instruction that Valgrind does not know: build without -march=native?)"
			       : "");
	else if (p->program_code)
		printf("note: the program ended with exit status %d\n", p->program_code);
	if (!p->followed && p->process.forks)
		printf("note: %llu child process%s not profiled (--children profiles them); percentages are of the "
		       "first process\n",
		       (unsigned long long)p->process.forks, p->process.forks == 1 ? " was" : "es were");
	if (!p->followed && p->process.replaced)
		printf("note: the program became another one (exec), which was not profiled (--children profiles "
		       "it)\n");
	if (p->windowed)
		printf("note: a part of the run was looked at; percentages are of that part\n");
	if (!p->complete)
		printf("note: not all was seen: the run was stopped early\n");
	if (p->no_debug_info)
		printf("note: no debug information: build the program with -g to see arguments; only calls and "
		       "instructions are known\n");
	if (p->memory_full)
		printf("note: the memory limit was reached; functions whose log was cut are listed as too large\n");
	if (p->cost.sys_s > 0.2 * (p->cost.user_s + p->cost.sys_s))
		printf("note: %.0f %% of the program's CPU time is the kernel's (%llu system calls)\n",
		       100 * p->cost.sys_s / (p->cost.user_s + p->cost.sys_s), (unsigned long long)p->system_calls);
	if (!p->cost.measured)
		printf("note: the cost of a look-up was not measured here: the figures of another machine were used\n");
	if (p->inlined.n) {
		printf("Not observable, because the compiler inlined them (noinline or -fno-inline makes them "
		       "visible), with about their share of the run:\n     ");
		for (size_t i = 0; i < p->inlined.n; i++)
			printf("%s%s (%.1f %%)", i ? ", " : " ", shown(p->inlined.at[i].name, name, sizeof name),
			       100 * p->inlined.at[i].share);
		printf("\n");
	}
}

/* Without opportunities and without debug information: where the time went. */
static void print_counts(const struct profile *p)
{
	enum { MOST = 10 };
	char name[128];
	bool printed[4096] = {false};
	printf("Functions by their share of the run's time, callees included:\n");
	for (int n = 0; n < MOST; n++) {
		const struct profile_function *best = NULL;
		for (size_t i = 0; i < p->fn.n && i < sizeof printed; i++)
			if (!printed[i] && p->fn.at[i].calls >= 2 &&
			    (!best || p->fn.at[i].time_share > best->time_share))
				best = &p->fn.at[i];
		if (!best)
			return;
		printed[best - p->fn.at] = true;
		printf("      %-28s %5.1f %%  %9llu calls\n", shown(best->name, name, sizeof name),
		       100 * best->time_share, (unsigned long long)best->calls);
	}
}

static void print_body(const struct profile *p, const struct profile_options *o, bool verbose)
{
	unsigned n = 0, cluster = 0, world = 0;
	for (size_t i = 0; i < p->n_ranking; i++) {
		const struct profile_function *f = &p->fn.at[p->ranking[i]];
		if (!f->rank)
			continue;
		if (f->asks_world && !world++)
			printf("\nThe same questions to the system again: a cache needs invalidation\n");
		if (f->cluster != cluster) {
			cluster = f->cluster;
			printf("\nOpportunity %u", cluster);
			printf("%s\n", i + 1 < p->n_ranking && p->fn.at[p->ranking[i + 1]].cluster == cluster
					       ? " (these call one another: look at them together)"
					       : "");
		}
		print_opportunity(p, f);
		n++;
	}
	if (!n)
		printf("No memoization opportunity found.\n");
	printf("\n");
	print_dropped(p, verbose, o->wanted.n > 0);
	if (!n && p->no_debug_info)
		print_counts(p);
	print_notes(p);
}

static void print_process(const struct profile *p)
{
	const struct profile_process *w = &p->process;
	char name[256];
	printf("\n==== Process %u: %s", w->number, shown(w->path, name, sizeof name));
	if (w->parent)
		printf(" (%s process %u)", w->forked ? "forked by" : "took over", w->parent);
	printf(", %.1f %% of the CPU time of all processes, %.3f G instructions%s\n", 100 * w->share,
	       (double)p->instructions / 1e9, p->complete ? "" : ", was stopped");
}

void profile_print(const struct profile *p, const struct profile_options *o, bool verbose)
{
	size_t cold = 0;
	printf("%.3f G instructions, %u passes, %.1f s\n", (double)p->instructions / 1e9, p->passes, p->wall_s);
	for (size_t i = 0; i < p->iterations.n; i++) {
		const struct profile_iteration *it = &p->iterations.at[i];
		printf("depth %-4llu %zu functions, %zu dropped, %zu fully explored, %.1f s\n",
		       (unsigned long long)it->depth, it->candidates, it->dropped, it->explored, it->wall_s);
	}
	if (p->followed)
		print_process(p);
	print_body(p, o, verbose);
	for (size_t i = 0; i < p->others.n; i++) {
		const struct profile *child = p->others.at[i];
		cold += child->process.cold;
		if (!child->process.cold || verbose)
			print_process(child);
		if (!child->process.cold)
			print_body(child, o, verbose);
	}
	if (cold)
		printf("\n%zu process%s took less than %.3g %% of the CPU time%s and %s only counted%s\n", cold,
		       cold == 1 ? "" : "es", 100 * o->min_share, cold == 1 ? "" : " each", cold == 1 ? "was" : "were",
		       verbose ? "" : " (-v lists them)");
}
