/* SPDX-License-Identifier: MIT */
/* The result of `refrain profile` as JSON: the document of --json, and the events of a run log. */
#include "cmd/profile.h"

#include <string.h>

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
	json_kv_double(w, "instruction_time", f->rate);
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
