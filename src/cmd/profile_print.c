/* SPDX-License-Identifier: MIT */
/* The result of `refrain profile` as a table, as JSON and as log events. */
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

/* ---- JSON */

/* Hits of tables with 1, 2, 4 … entries. */
static void json_hits(struct json_writer *w, const char *name, const uint64_t *hits)
{
	json_key(w, name);
	json_array(w);
	for (int i = 0; i < CACHES_SIZES; i++) {
		json_array(w);
		json_uint(w, (uint64_t)1 << i);
		json_uint(w, hits[i]);
		json_array_end(w);
	}
	json_array_end(w);
}

static void json_caches(struct json_writer *w, const struct caches *c)
{
	const struct {
		const char *name;
		const struct cache_result *r;
	} rows[] = {{"single_global", &c->single_global},
		    {"single_instance", &c->single_instance},
		    {"multi_global", &c->multi_global},
		    {"multi_instance", &c->multi_instance}};
	json_key(w, "caches");
	json_object(w);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_key(w, rows[i].name);
		json_object(w);
		json_kv_uint(w, "hits", rows[i].r->hits);
		json_kv_uint(w, "invalidations", rows[i].r->invalidations);
		json_kv_uint(w, "entries", rows[i].r->entries);
		json_object_end(w);
	}
	json_hits(w, "lru", c->lru_hits);
	json_hits(w, "direct", c->direct_hits);
	json_object_end(w);
}

static void json_suggestion(struct json_writer *w, const struct profile_function *f)
{
	json_key(w, "suggestion");
	if (f->status != STATUS_OPPORTUNITY) {
		json_null(w);
		return;
	}
	json_object(w);
	json_kv_string(w, "size", f->size);
	json_kv_string(w, "scope", f->scope);
	json_kv_uint(w, "entries", f->entries);
	json_kv_bool(w, "grows", f->grows);
	json_object_end(w);
}

static void number_or_null(struct json_writer *w, const char *key, uint64_t v)
{
	json_key(w, key);
	if (v)
		json_uint(w, v);
	else
		json_null(w);
}

/* The fields that the log and the document share. */
static void json_common(struct json_writer *w, const struct profile_function *f)
{
	number_or_null(w, "rank", f->rank);
	json_kv_string(w, "function", f->name);
	json_kv_string(w, "file", f->sig ? f->sig->file : "");
	json_kv_uint(w, "line", f->sig ? f->sig->line : 0);
	json_kv_string(w, "status", profile_status_name(f->status));
	number_or_null(w, "cluster", f->cluster);
	json_kv_uint(w, "calls", f->calls);
	json_kv_uint(w, "distinct_inputs", f->caches.distinct);
	if (f->hint_inputs)
		json_kv_uint(w, "hint_inputs", f->hint_inputs);
	json_kv_double(w, "hit_ratio", f->hit_ratio);
	json_kv_double(w, "time_share", f->time_share);
	json_kv_double(w, "saved_share", f->saved_share);
	json_kv_double(w, "saved_instructions", f->saved_instructions);
	json_kv_bool(w, "unsure", f->doubt != NULL);
	json_kv_bool(w, "needs_invalidation", f->asks_world);
	json_kv_uint(w, "conflicts", f->caches.conflicts);
	json_kv_uint(w, "syscalls", f->seen.seen ? f->seen.sys : f->sys_calls);
	json_suggestion(w, f);
}

static void json_function(struct json_writer *w, const struct profile *p, const struct profile_function *f)
{
	json_object(w);
	json_common(w, f);
	json_kv_string(w, "safety", f->verdict ? f->verdict : "");
	json_kv_uint(w, "round", f->round);
	json_kv_uint(w, "limit", f->limit);
	json_kv_bool(w, "fully_explored", f->seen.seen && !f->seen.cut && !f->seen.deeper);
	if (f->flat) {
		json_kv_uint(w, "depth", f->depth);
		json_kv_double(w, "potential_hit_ratio", f->potential);
	}
	json_kv_double(w, "key_bytes", profile_key_bytes(f));
	json_kv_double(w, "result_bytes", f->seen.seen ? (double)f->seen.out_bytes / (double)f->seen.seen : 0);
	json_kv_uint(w, "inclusive_instructions", f->inclusive);
	json_kv_uint(w, "self_instructions", f->self);
	json_kv_uint(w, "cut_calls", f->seen.cut);
	json_kv_double(w, "kernel_ns", profile_ns(p, 0, (double)f->kernel_ns));
	json_kv_uint(w, "enough_first_half", f->caches.half_enough);
	json_kv_uint(w, "enough", f->caches.lru_enough);
	if (f->doubt)
		json_kv_string(w, "doubt", f->doubt);
	json_key(w, "files");
	json_array(w);
	for (size_t i = 0; i < f->files.n; i++)
		if (f->files.at[i].path[0])
			json_string(w, f->files.at[i].path);
	json_array_end(w);
	json_key(w, "arguments");
	json_array(w);
	for (unsigned i = 0; f->sig && i < f->sig->n_args; i++)
		json_string(w, f->sig->arg[i].name);
	json_array_end(w);
	json_key(w, "globals");
	json_array(w);
	for (size_t i = 0; i < f->globals.n; i++) {
		json_object(w);
		json_kv_string(w, "name", f->globals.at[i].name);
		json_kv_bool(w, "read", f->globals.at[i].flags & VG_GLOBAL_READ);
		json_kv_bool(w, "written", f->globals.at[i].flags & VG_GLOBAL_WRITTEN);
		json_kv_bool(w, "changed", f->globals.at[i].flags & VG_GLOBAL_CHANGED);
		json_object_end(w);
	}
	json_array_end(w);
	if (f->key)
		json_kv_string(w, "key", f->key);
	if (f->difference)
		json_kv_string(w, "difference", f->difference);
	if (f->caches.calls)
		json_caches(w, &f->caches);
	json_object_end(w);
}

static void json_ranking(struct json_writer *w, const struct profile *p)
{
	json_key(w, "opportunities");
	json_array(w);
	for (size_t i = 0; i < p->n_ranking; i++)
		json_function(w, p, &p->fn.at[p->ranking[i]]);
	json_array_end(w);
}

/* The opportunities of the first one are at the top of the document, as without --children. */
static void json_process(struct json_writer *w, const struct profile *p)
{
	json_object(w);
	json_kv_uint(w, "process", p->process.number);
	number_or_null(w, "parent", p->process.parent);
	json_kv_string(w, "program", p->process.path);
	json_kv_bool(w, "forked", p->process.forked);
	json_kv_bool(w, "replaced", p->process.replaced);
	json_kv_bool(w, "complete", p->complete);
	json_kv_bool(w, "profiled", !p->process.cold);
	json_kv_uint(w, "instructions", p->instructions);
	json_kv_double(w, "share", p->process.share);
	if (p->process.number > 1 && !p->process.cold)
		json_ranking(w, p);
	json_object_end(w);
}

static void json_processes(struct json_writer *w, const struct profile *p)
{
	json_key(w, "processes");
	json_array(w);
	json_process(w, p);
	for (size_t i = 0; i < p->others.n; i++)
		json_process(w, p->others.at[i]);
	json_array_end(w);
}

/* Of Algorithm 1. */
static void json_iterations(struct json_writer *w, const struct profile *p)
{
	json_key(w, "iterations");
	json_array(w);
	for (size_t i = 0; i < p->iterations.n; i++) {
		const struct profile_iteration *it = &p->iterations.at[i];
		json_object(w);
		json_kv_uint(w, "depth", it->depth);
		json_kv_uint(w, "candidates", it->candidates);
		json_kv_uint(w, "dropped", it->dropped);
		json_kv_uint(w, "explored", it->explored);
		json_kv_double(w, "wall_s", it->wall_s);
		json_object_end(w);
	}
	json_array_end(w);
}

enum rc profile_json(const struct invocation *inv, const struct profile *p, const struct profile_tries *tries,
		     struct err *e)
{
	if (!inv->common.json)
		return RC_OK;
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.profile/1");
	json_kv_bool(w, "complete", p->complete);
	json_kv_bool(w, "part_of_run", p->windowed);
	json_kv_uint(w, "instructions", p->instructions);
	json_kv_uint(w, "system_calls", p->system_calls);
	json_kv_double(w, "user_s", p->cost.user_s);
	json_kv_double(w, "sys_s", p->cost.sys_s);
	json_kv_double(w, "lookup_instructions", cost_lookup(&p->cost, COST_MULTI, 16).hit_instructions);
	json_kv_double(w, "lookup_ns", cost_lookup(&p->cost, COST_MULTI, 16).hit_ns);
	json_kv_bool(w, "lookup_measured", p->cost.measured);
	json_kv_uint(w, "passes", p->passes);
	json_kv_uint(w, "threads", p->threads);
	json_kv_double(w, "wall_s", p->wall_s);
	json_kv_uint(w, "tool_peak_bytes", p->tool_peak_bytes);
	json_kv_int(w, "program_signal", p->program_signal);
	json_kv_int(w, "program_exit", p->program_code);
	if (p->iterations.n)
		json_iterations(w, p);
	if (!p->followed) {
		json_kv_uint(w, "children_not_profiled", p->process.forks);
		json_kv_bool(w, "replaced", p->process.replaced);
	}
	json_ranking(w, p);
	json_key(w, "inlined");
	json_array(w);
	for (size_t i = 0; i < p->inlined.n; i++)
		json_string(w, p->inlined.at[i].name);
	json_array_end(w);
	if (p->followed)
		json_processes(w, p);
	profile_json_tries(w, tries);
	return cmd_json_end(inv, &doc, e);
}

/* The function's text: from its line to the first one that closes a brace at the margin, or MOST_LINES. */
static void json_source(struct json_writer *w, const struct signature *sig)
{
	enum { MOST_LINES = 60, MOST_BYTES = 1 << 20 };
	struct buf text = {0};
	struct err quiet = ERR_INIT;
	if (!sig || !sig->file[0] || !sig->line || buf_read_file(&text, sig->file, MOST_BYTES, &quiet) != RC_OK) {
		buf_release(&text);
		return;
	}
	const char *s = buf_str(&text), *end = s + text.n, *from = NULL;
	unsigned line = 1, last = sig->line + MOST_LINES;
	while (s < end && line < last) {
		if (line == sig->line)
			from = s;
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		bool closes = from && *s == '}';
		s = nl ? nl + 1 : end;
		line++;
		if (closes)
			break;
	}
	if (from) {
		json_key(w, "source");
		json_string_n(w, from, (size_t)(s - from));
	}
	buf_release(&text);
}

/* Functions whose text goes to the log. */
enum { MOST_SOURCES = 20 };

void profile_log(struct runlog *log, const struct profile *p)
{
	for (size_t i = 0; log && i < p->n_ranking; i++) {
		const struct profile_function *f = &p->fn.at[p->ranking[i]];
		struct json_writer *w = runlog_begin(log, EVENT_PROFILE_FUNCTION);
		if (w) {
			json_common(w, f);
			json_kv_string(w, "safety", f->verdict ? f->verdict : "");
			if (f->key)
				json_kv_string(w, "key", f->key);
			if (f->caches.calls)
				json_hits(w, "curve", f->caches.lru_hits);
			if (f->rank && f->rank <= MOST_SOURCES)
				json_source(w, f->sig);
		}
		runlog_end(log);
	}
}
