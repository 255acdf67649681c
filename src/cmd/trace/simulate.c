/* SPDX-License-Identifier: MIT */
/* `refrain trace simulate`: many policies × many sizes over one trace. */
#include "cmd/trace/trace.h"

#include "cli/plot.h"
#include "data/text.h"
#include "trace/coverage.h"
#include "trace/simulate/observe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simulate_options {
	struct read_options read;
	const char *policies, *sizes, *warmup, *misses_to, *plot;
	uint64_t front, seed, threads;
	bool bytes, approximate, csv, prefix;
};

static const char details[] =
	"The policy 'all' leaves out what is not possible at a size or not covered by a reduced trace. "
	"The trace is read once; the caches are spread over the cores. A reduced trace counts the original's requests.";

#define VALUES struct simulate_options
static const struct opt opts[] = {
	{CHOICES(0, "policy", "POLICY,…", policies, trace_policy_or_all, "simulate these policies (default: lru)")},
	{TEXT(0, "size", "N,…", sizes, "simulate these sizes in blocks (K, M, G), or N% of the distinct blocks")},
	{COUNT(0, "front", "M", front, 0, 0, "put an LRU cache of M blocks in front; the policy manages the rest")},
	{FLAG(0, "bytes", bytes, "take sizes in bytes, objects have the trace's sizes")},
	{FLAG(0, "prefix", prefix,
	      "count a hit only if all earlier blocks of the request (line, --request-column) are hits")},
	{TEXT(0, "misses-to", "OUT", misses_to,
	      "write the misses as a trace to OUT, in the format its name ends in (or rft)")},
	{TEXT(0, "warmup", "N", warmup, "do not count the first N references (or N%)")},
	{FLAG(0, "approximate", approximate, "simulate what a reduced trace does not cover, and mark it")},
	{COUNT(0, "seed", "N", seed, 0, 0, "set the random seed (default: 1)")},
	{COUNT('j', "threads", "N", threads, 0, 1024, "use N threads (default: one per core)")},
	{FLAG(0, "csv", csv, "print the table as CSV")},
	{CHOICE(0, "plot", "MODE", plot, trace_plot_mode,
		"draw miss ratios over three sizes or more (default: auto, on a terminal)")},
	{0},
};

static const struct simulate_options defaults = {.policies = "lru", .seed = 1};

struct caches {
	VEC_FIELDS(struct run_cache);
	bool any_approximate;
	VEC(bool) approximate; /* per cache: the reduced trace does not cover it */
	struct observed *seen; /* per cache, when every reference was looked at */
};

/* "N" with K, M, G or "N%". */
static bool amount(const char *text, uint64_t *number, double *percent)
{
	size_t n = strlen(text);
	*number = 0;
	*percent = 0;
	if (n && text[n - 1] == '%') {
		char *end;
		*percent = strtod(text, &end);
		return end == text + n - 1 && *percent > 0 && *percent <= 100;
	}
	return text_size(text, number) && *number > 0;
}

/* "0.1": somebody means a tenth. */
static bool is_share(const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	return end != text && !*end && *out > 0 && *out < 1;
}

static enum rc add_sizes(struct trace_run_state *s, const struct simulate_options *o, const struct policy *p, bool all,
			 struct caches *c)
{
	const char *list = o->sizes;
	enum rc rc = RC_OK;
	for (char *item; !rc && (item = trace_next_item(&list)); free(item)) {
		struct run_cache x = {.spec = {.policy = p, .front = o->front, .by_bytes = o->bytes, .seed = o->seed},
				      .skip_impossible = all};
		double share;
		if (!amount(item, &x.spec.size, &x.percent))
			rc = is_share(item, &share) ? err_set(&s->e, RC_INPUT,
							      "--size: invalid size '%s' (a share of the distinct "
							      "blocks is written %g%%)",
							      item, 100 * share)
						    : err_set(&s->e, RC_INPUT, "--size: invalid size '%s'", item);
		else if (x.percent > 0 && o->bytes)
			rc = err_set(&s->e, RC_INPUT, "--size: '%s': sizes in bytes cannot be given in %%", item);
		else
			vec_push(c, x);
	}
	return rc;
}

static enum rc add_policies(struct trace_run_state *s, const struct simulate_options *o, struct caches *c)
{
	struct policy_items items = {.list = o->policies};
	enum rc rc = RC_OK;
	for (const struct policy *p; !rc && (p = trace_next_policy(&items));)
		rc = add_sizes(s, o, p, items.all, c);
	return rc;
}

/* Before the run where sizes are known, again after it for those in percent. */
static enum rc check_coverage(struct trace_run_state *s, const struct simulate_options *o, const struct trace_meta *m,
			      struct caches *c, bool percent)
{
	for (size_t i = 0; i < c->n; i++) {
		struct run_cache *x = &c->at[i];
		struct err why = ERR_INIT;
		if ((x->percent > 0) != percent || x->skipped || !trace_covers(m, &x->spec, &why))
			continue;
		if (o->approximate) {
			c->approximate.at[i] = c->any_approximate = true;
		} else if (x->skip_impossible) {
			x->skipped = true;
		} else {
			s->e = why;
			return why.rc;
		}
	}
	return RC_OK;
}

static enum rc check_reduced(struct trace_run_state *s, const struct simulate_options *o, const struct trace_meta *m)
{
	if (o->bytes && !m->sizes)
		return err_set(&s->e, RC_INPUT, "--bytes: the trace has no sizes");
	if (m->method == KEYTRACE_WHOLE || o->approximate)
		return RC_OK;
	if (o->warmup || o->read.o.limit || o->read.o.unit)
		return err_set(&s->e, RC_INPUT,
			       "the trace was reduced with %s: --%s would not mean what it means for the original "
			       "(--approximate does it all the same)",
			       keytrace_method_name(m->method),
			       o->warmup         ? "warmup"
			       : o->read.o.limit ? "limit"
						 : "unit");
	return RC_OK;
}

/* The smallest cache with at most 1 % more misses than the best; what cannot be built (OPT) does not count. */
static long suggest(const struct caches *c, long *best)
{
	long found = -1;
	*best = -1;
	for (size_t i = 0; i < c->n; i++)
		if (!c->at[i].skipped && !(c->at[i].spec.policy->flags & POLICY_FUTURE) &&
		    (*best < 0 || c->at[i].misses < c->at[*best].misses))
			*best = (long)i;
	for (size_t i = 0; i < c->n; i++) {
		const struct run_cache *x = &c->at[i], *f = found < 0 ? NULL : &c->at[found];
		if (x->skipped || x->spec.policy->flags & POLICY_FUTURE ||
		    (double)x->misses > 1.01 * (double)c->at[*best].misses)
			continue;
		if (!f || x->spec.size < f->spec.size || (x->spec.size == f->spec.size && x->misses < f->misses))
			found = (long)i;
	}
	return found;
}

struct outcome {
	struct run_totals t;
	uint64_t requests; /* what ratios refer to: of the original, when the trace is reduced */
	const struct trace_meta *m;
	bool complete;
	bool costs, prefix; /* what was looked at */
};

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void print_cost(const struct simulate_options *o, const struct observed *x)
{
	printf(o->csv ? ",%.6f,%.6f" : "  %16.3f %13.3f", trace_units(x->miss_cost),
	       trace_units(x->cost - x->miss_cost));
}

/* A letter for each policy, in order. */
static void draw(const struct simulate_options *o, const struct caches *c, const struct outcome *r)
{
	unsigned columns = trace_plot_columns(o->plot), sizes = 0;
	double least = INFINITY, most = 0, highest = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct run_cache *x = &c->at[i];
		if (x->skipped)
			continue;
		sizes += x->spec.policy == c->at[0].spec.policy;
		least = fmin(least, (double)x->spec.size);
		most = fmax(most, (double)x->spec.size);
		highest = fmax(highest, ratio(x->misses, r->requests));
	}
	if (!columns || sizes < 3)
		return;
	struct plot *p = plot_new(columns, 13, least, most, trace_plot_top(highest));
	struct buf out = {0}, names = {0};
	const struct policy *before = NULL;
	char letter = 'a' - 1;
	for (size_t i = 0; i < c->n; i++) {
		const struct run_cache *x = &c->at[i];
		if (x->skipped)
			continue;
		if (x->spec.policy != before) {
			letter = letter == 'z' ? 'A' : (char)(letter + 1);
			buf_printf(&names, "  %c %s", letter, x->spec.policy->name);
		}
		before = x->spec.policy;
		plot_mark(p, (double)x->spec.size, ratio(x->misses, r->requests), letter);
	}
	plot_print(p, &out);
	printf("%s      %s\n", buf_str(&out), buf_str(&names));
	plot_free(p);
	buf_release(&out);
	buf_release(&names);
}

static void print_table(const struct simulate_options *o, const struct caches *c, const struct outcome *r)
{
	const char *heads = o->csv ? "policy,size,requests,misses,miss_ratio"
				   : "policy              size      requests        misses  miss ratio";
	printf("%s%s%s%s%s\n", heads, r->t.sizes ? (o->csv ? ",byte_miss_ratio" : "  byte miss ratio") : "",
	       r->costs ? (o->csv ? ",miss_cost,saved_cost" : "    cost of misses         saved") : "",
	       r->prefix ? (o->csv ? ",whole_requests" : "  whole requests") : "",
	       c->any_approximate ? (o->csv ? ",approximate" : "") : "");
	for (size_t i = 0; i < c->n; i++) {
		const struct run_cache *x = &c->at[i];
		if (x->skipped)
			continue;
		printf(o->csv ? "%s,%llu,%llu,%llu,%.6f" : "%-12s %11llu %13llu %13llu    %8.6f", x->spec.policy->name,
		       (unsigned long long)x->spec.size, (unsigned long long)r->requests, (unsigned long long)x->misses,
		       ratio(x->misses, r->requests));
		if (r->t.sizes)
			printf(o->csv ? ",%.6f" : "         %8.6f", ratio(x->miss_bytes, r->t.bytes));
		if (r->costs)
			print_cost(o, &c->seen[i]);
		if (r->prefix)
			printf(o->csv ? ",%llu" : "  %14llu", (unsigned long long)c->seen[i].whole);
		if (o->csv && c->any_approximate)
			printf(",%d", c->approximate.at[i]);
		printf("%s\n", !o->csv && c->approximate.at[i] ? "  approximate" : "");
	}
	if (!o->csv)
		draw(o, c, r);
	long best, small = suggest(c, &best);
	if (small >= 0 && !o->csv && c->n > 1)
		printf("smallest cache within 1 %% of the best: %s, size %llu (%llu misses; best: %s, size %llu, "
		       "%llu)\n",
		       c->at[small].spec.policy->name, (unsigned long long)c->at[small].spec.size,
		       (unsigned long long)c->at[small].misses, c->at[best].spec.policy->name,
		       (unsigned long long)c->at[best].spec.size, (unsigned long long)c->at[best].misses);
}

static void json_cache(struct json_writer *w, const struct run_cache *x)
{
	json_object(w);
	json_kv_string(w, "policy", x->spec.policy->name);
	json_kv_uint(w, "size", x->spec.size);
	json_kv_uint(w, "misses", x->misses);
	json_object_end(w);
}

static enum rc print_json(struct trace_run_state *s, const struct caches *c, const struct outcome *r)
{
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "simulate", s->inv->args.at[0]);
	trace_json_meta(w, r->m);
	json_kv_uint(w, "requests", r->requests);
	json_kv_uint(w, "references", r->t.references);
	json_kv_uint(w, "warmup", r->t.warmup);
	json_kv_uint(w, "distinct", r->t.distinct);
	json_kv_bool(w, "complete", r->complete);
	json_kv_bool(w, "approximate", c->any_approximate);
	json_key(w, "results");
	json_array(w);
	for (size_t i = 0; i < c->n; i++) {
		const struct run_cache *x = &c->at[i];
		if (x->skipped)
			continue;
		json_object(w);
		json_kv_string(w, "policy", x->spec.policy->name);
		json_kv_uint(w, "size", x->spec.size);
		if (x->spec.front)
			json_kv_uint(w, "front", x->spec.front);
		json_kv_uint(w, "requests", r->requests);
		json_kv_uint(w, "misses", x->misses);
		json_kv_double(w, "miss_ratio", ratio(x->misses, r->requests));
		if (r->t.sizes) {
			json_kv_uint(w, "bytes", r->t.bytes);
			json_kv_uint(w, "miss_bytes", x->miss_bytes);
			json_kv_double(w, "byte_miss_ratio", ratio(x->miss_bytes, r->t.bytes));
		}
		if (r->costs) {
			json_kv_double(w, "cost", trace_units(c->seen[i].cost));
			json_kv_double(w, "miss_cost", trace_units(c->seen[i].miss_cost));
			json_kv_double(w, "saved_cost", trace_units(c->seen[i].cost - c->seen[i].miss_cost));
		}
		if (r->prefix)
			json_kv_uint(w, "whole_requests", c->seen[i].whole);
		if (c->approximate.at[i])
			json_kv_bool(w, "approximate", true);
		json_object_end(w);
	}
	json_array_end(w);
	long best, small = suggest(c, &best);
	if (small >= 0) {
		json_key(w, "best");
		json_cache(w, &c->at[best]);
		json_key(w, "smallest_within_1_percent");
		json_cache(w, &c->at[small]);
	}
	return cmd_json_end(s->inv, &doc, &s->e);
}

static void log_results(struct trace_run_state *s, const struct caches *c, const struct outcome *r)
{
	for (size_t i = 0; i < c->n; i++) {
		struct json_writer *w = c->at[i].skipped ? NULL : runlog_begin(s->inv->log, EVENT_TRACE_RESULT);
		if (!w)
			continue;
		json_kv_string(w, "name", s->inv->args.at[0]);
		json_kv_string(w, "policy", c->at[i].spec.policy->name);
		json_kv_uint(w, "size", c->at[i].spec.size);
		json_kv_uint(w, "requests", r->requests);
		json_kv_uint(w, "misses", c->at[i].misses);
		runlog_end(s->inv->log);
	}
}

/* The format that a file's name ends in, or rft. */
static const char *format_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && trace_write_format_name(i); i++)
		if (strncmp(dot + 1, trace_write_format_name(i), strlen(trace_write_format_name(i))) == 0 &&
		    (strlen(dot + 1) == strlen(trace_write_format_name(i)) || strcmp(dot, ".oracleGeneral") == 0))
			return trace_write_format_name(i);
	return dot && strcmp(dot, ".txt") == 0 ? "text" : "rft";
}

static enum rc create_misses(struct trace_run_state *s, const struct simulate_options *o, const struct trace_meta *m,
			     const struct caches *c, struct trace_writer **w)
{
	struct keytrace_header h = {.unit = m->unit, .ticks = m->ticks};
	memcpy(h.has, m->has, sizeof h.has);
	snprintf(h.source, sizeof h.source, "misses of %s at %llu: %.200s", c->at[0].spec.policy->name,
		 (unsigned long long)c->at[0].spec.size, m->source[0] ? m->source : trace_name(s->reader));
	return trace_create(w, o->misses_to, format_of(o->misses_to), &h, &s->e);
}

/* With a look at every reference. */
static enum rc observe(struct trace_run_state *s, const struct simulate_options *o, struct caches *c,
		       const struct run_options *ro, struct outcome *out)
{
	struct observe_options oo = {.run = *ro, .prefix = o->prefix};
	out->costs = out->m->has[COLUMN_COST];
	out->prefix = o->prefix;
	c->seen = mem_zalloc(mem_mul(c->n, sizeof *c->seen));
	if (o->misses_to && (c->n != 1 || c->any_approximate))
		return err_set(&s->e, RC_INPUT, "--misses-to: %s",
			       c->n != 1 ? "give one policy and one size, whose misses are written"
					 : "the misses are only approximate");
	enum rc rc = o->misses_to ? create_misses(s, o, out->m, c, &oo.misses) : RC_OK;
	if (rc)
		return rc;
	rc = trace_observe(s->reader, c->at, c->seen, c->n, &oo, &out->t, &s->e);
	if (!oo.misses)
		return rc;
	if (!rc)
		return trace_close(oo.misses, 0, &s->e);
	trace_abandon(oo.misses);
	return rc;
}

static enum rc simulate(struct trace_run_state *s, struct simulate_options *o, struct trace_reader *r, struct caches *c,
			struct outcome *out)
{
	struct run_options ro = {.threads = (unsigned)o->threads, .tick = trace_tick, .user = s};
	if (o->warmup && !amount(o->warmup, &ro.warmup, &ro.warmup_percent))
		return err_set(&s->e, RC_INPUT, "--warmup: invalid number '%s'", o->warmup);
	out->m = trace_meta(r);
	enum rc rc = check_reduced(s, o, out->m);
	if (!rc && o->prefix)
		rc = trace_check_prefix(s, out->m);
	if (!rc)
		rc = check_coverage(s, o, out->m, c, false);
	if (!rc && (o->prefix || o->misses_to || out->m->has[COLUMN_COST]))
		rc = observe(s, o, c, &ro, out);
	else if (!rc)
		rc = trace_run(r, c->at, c->n, &ro, &out->t, &s->e);
	if (!rc)
		rc = check_coverage(s, o, out->m, c, true);
	bool some = false;
	for (size_t i = 0; i < c->n; i++)
		some |= !c->at[i].skipped;
	if (!rc && !some)
		rc = err_set(&s->e, RC_INPUT, "no policy can be simulated at these sizes on this trace");
	out->requests =
		out->m->method != KEYTRACE_WHOLE && !o->approximate ? out->m->original_requests : out->t.references;
	if (out->m->method != KEYTRACE_WHOLE && o->approximate && !o->warmup && !o->read.o.limit && !o->read.o.unit)
		out->requests = out->m->original_requests;
	out->complete = !trace_limited(r);
	return rc;
}

static enum rc check_sizes(struct trace_run_state *s)
{
	struct simulate_options *o = s->inv->values;
	if (!o->sizes)
		return err_set(&s->e, RC_INPUT, "trace simulate needs --size=N,…");
	o->read.o.costs = true;
	o->read.o.requests = o->prefix;
	s->all_columns = o->misses_to != NULL;
	if (o->misses_to && strcmp(o->misses_to, "-") == 0 && cmd_json_stdout(s->inv))
		return trace_check_stdout(s->inv, o->misses_to, &s->e);
	return RC_OK;
}

static enum rc simulate_all(struct trace_run_state *s)
{
	struct simulate_options *o = s->inv->values;
	struct caches c = {0};
	struct outcome out = {0};
	enum rc rc = add_policies(s, o, &c);
	for (size_t i = 0; i < c.n; i++)
		vec_push(&c.approximate, false);
	if (!rc)
		rc = simulate(s, o, s->reader, &c, &out);
	s->complete = out.complete;
	if (!rc) {
		progress_hide(s->progress);
		log_results(s, &c, &out);
		if (c.any_approximate)
			trace_note(s,
				   "warning: this trace was reduced (%s, k = %llu); results marked approximate are not "
				   "covered by that",
				   keytrace_method_name(out.m->method), (unsigned long long)out.m->k);
		bool taken = o->misses_to && strcmp(o->misses_to, "-") == 0; /* standard output has the misses */
		if (!cmd_json_stdout(s->inv) && !taken)
			print_table(o, &c, &out);
		if (s->inv->common.json)
			rc = print_json(s, &c, &out);
	}
	vec_release_all(&c, &c.approximate);
	free(c.seen);
	return rc;
}

TRACE_RUN_ON("simulating", check_sizes, simulate_all)

const struct command cmd_trace_simulate = {
	COMMAND("trace simulate", "--policy=POLICY,… --size=N,… IN",
		"count the misses of caches of many policies and sizes", details),
	TRACE_OPTIONS(opts, &defaults),
	RUN(run, 0),
};
