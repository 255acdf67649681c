/* SPDX-License-Identifier: MIT */
/* `refrain trace mrc`: the misses of caches of every size. */
#include "cmd/trace/trace.h"

#include "cli/plot.h"
#include "trace/simulate/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mrc_cmd_options {
	struct read_options read;
	const char *sample, *plot, *policies;
	uint64_t sample_max, points, seed, threads;
	bool check, histogram, csv, bytes, prefix;
};

#define VALUES struct mrc_cmd_options
static const struct opt opts[] = {
	{CHOICES(0, "policy", "POLICY,…", policies, trace_policy_or_all,
		 "give the curves of these policies (default: lru)")},
	{FLAG(0, "bytes", bytes, "take sizes in bytes, objects have the trace's sizes")},
	{FLAG(0, "prefix", prefix,
	      "count a hit only if all earlier blocks of the request (line, --request-column) are hits")},
	{TEXT(0, "sample", "RATE", sample, "follow only this share of the keys (0.01 or 1%)")},
	{COUNT(0, "sample-max", "N", sample_max, 0, 1u << 28, "follow at most N keys, in fixed memory")},
	{FLAG(0, "check", check, "with a sample: compute the exact curve too and report the error")},
	{FLAG(0, "histogram", histogram, "count reuse distances and reuse times too")},
	{COUNT(0, "points", "N", points, 2, 1000000000,
	       "give about N sizes (default: every one of LRU, 100 of others)")},
	{COUNT(0, "seed", "N", seed, 0, 0, "set the random seed (default: 1)")},
	{COUNT('j', "threads", "N", threads, 0, 1024, "use N threads (default: one per core)")},
	{FLAG(0, "csv", csv, "print the curve as CSV")},
	{CHOICE(0, "plot", "MODE", plot, trace_plot_mode, "draw the curve (default: auto, on a terminal)")},
	{0},
};

static const struct mrc_cmd_options defaults = {.policies = "lru", .seed = 1};

static enum rc parse_rate(struct trace_run_state *s, const char *text, double *out)
{
	char *end;
	*out = 0;
	if (!text)
		return RC_OK;
	*out = strtod(text, &end);
	if (end != text && strcmp(end, "%") == 0)
		*out /= 100, end++;
	if (end == text || *end || !(*out > 0 && *out <= 1))
		return err_set(&s->e, RC_INPUT, "--sample: invalid share '%s' (above 0, up to 1)", text);
	return RC_OK;
}

/* About `want` of the points from index `first` on, evenly by logarithm of the size, always with the knee and the
 * last. */
struct picker {
	size_t first, n, knee;
	double ratio, next;
};

static bool pick(struct picker *p, const struct mrc *m, size_t i)
{
	if (i < p->first)
		return false;
	bool take = !p->ratio || i == p->first || i == p->knee || i + 1 == m->points.n ||
		    (double)m->points.at[i].size >= p->next;
	if (take && p->ratio)
		p->next = (double)m->points.at[i].size * p->ratio;
	return take;
}

static struct picker picker(const struct mrc *m, uint64_t from, size_t knee, uint64_t want)
{
	struct picker p = {.n = m->points.n, .knee = knee};
	while (p.first < p.n && m->points.at[p.first].size < from)
		p.first++;
	if (want && p.n - p.first > want)
		p.ratio =
			pow((double)m->points.at[p.n - 1].size / (double)m->points.at[p.first].size, 1 / (double)want);
	return p;
}

/* References in a sample that are too few to trust it. */
enum { FEW = 4000 };

/* The curve of one policy. */
struct result {
	const struct policy *policy;
	struct trace_reader *again; /* of all but the first: IN is read once for each */
	const struct trace_meta *meta;
	struct mrc m;
	uint64_t from;     /* smallest size that is shown: k of a reduced trace, else 1 */
	uint64_t requests; /* of the original */
	size_t knee;
	bool complete;
};

typedef VEC(struct result) results;

static void print_histogram(const char *what, const struct mrc_histogram *h)
{
	printf("%s\n  first use     %llu\n", what, (unsigned long long)h->first);
	for (int i = 0; i < 64; i++)
		if (h->count[i])
			printf("  2^%-2d … 2^%-2d  %llu\n", i, i + 1, (unsigned long long)h->count[i]);
}

static double ratio_at(void *user, double size)
{
	const struct result *r = user;
	return r->requests ? (double)mrc_misses(&r->m, (uint64_t)size) / (double)r->requests : 0;
}

static void draw(const struct mrc_cmd_options *o, const struct result *r)
{
	unsigned columns = trace_plot_columns(o->plot);
	const struct mrc_point *last = r->m.points.n ? &vec_last(&r->m.points) : NULL;
	if (!columns || !last || last->size <= r->from)
		return;
	struct buf out = {0};
	struct plot *p = plot_new(columns, 13, (double)r->from, (double)last->size,
				  trace_plot_top(ratio_at((void *)r, (double)r->from)));
	plot_curve(p, ratio_at, (void *)r);
	plot_print(p, &out);
	fputs(buf_str(&out), stdout);
	plot_free(p);
	buf_release(&out);
}

static void print_heads(const struct mrc_cmd_options *o, const struct result *r, bool several)
{
	if (several && !o->csv)
		printf("%s\n", r->policy->name);
	printf("%s%s%s\n", several && o->csv ? "policy," : "",
	       o->csv ? "size,misses,miss_ratio" : "       size        misses  miss ratio",
	       !r->m.costs ? ""
	       : o->csv    ? ",miss_cost,saved_cost"
			   : "    cost of misses         saved");
}

static void print_points(const struct mrc_cmd_options *o, const struct result *r, bool several)
{
	struct picker p = picker(&r->m, r->from, r->knee, o->csv ? o->points : o->points ? o->points : 24);
	for (size_t i = 0; i < r->m.points.n; i++) {
		const struct mrc_point *x = &r->m.points.at[i];
		if (!pick(&p, &r->m, i))
			continue;
		if (several && o->csv)
			printf("%s,", r->policy->name);
		printf(o->csv ? "%llu,%llu,%.6f" : "%11llu %13llu    %8.6f", (unsigned long long)x->size,
		       (unsigned long long)x->misses, r->requests ? (double)x->misses / (double)r->requests : 0);
		if (r->m.costs)
			printf(o->csv ? ",%.6f,%.6f" : "  %16.3f %13.3f", trace_units(x->cost),
			       trace_units(r->m.cost - x->cost));
		printf(!o->csv && i == r->knee ? "  knee\n" : "\n");
	}
}

static void print(const struct mrc_cmd_options *o, const struct result *r, bool first, bool several)
{
	if (first || !o->csv)
		print_heads(o, r, several);
	print_points(o, r, several);
	if (o->csv)
		return;
	draw(o, r);
	if (r->m.final_rate > 0)
		printf("sampled %llu of %llu references, final rate %g\n", (unsigned long long)r->m.sampled,
		       (unsigned long long)r->m.requests, r->m.final_rate);
	if (r->m.final_rate > 0 && r->m.final_rate < 1 && r->m.error_estimate > 0)
		printf("sizes below %llu are not resolved; standard error of the miss ratio: about %.4f, at most "
		       "%.4f\n",
		       (unsigned long long)r->m.from, r->m.error_estimate, r->m.worst_error_estimate);
	if (r->m.checked)
		printf("error of the miss ratio against the exact curve: mean %.6f, largest %.6f\n", r->m.mean_error,
		       r->m.max_error);
	if (o->histogram) {
		print_histogram("reuse distance (distinct blocks)", &r->m.distance);
		print_histogram("reuse time (references)", &r->m.time);
	}
}

static void json_histogram(struct json_writer *w, const char *key, const struct mrc_histogram *h)
{
	json_key(w, key);
	json_array(w);
	for (int i = 0; i < 64; i++) {
		if (!h->count[i])
			continue;
		json_array(w);
		json_uint(w, UINT64_C(1) << i);
		json_uint(w, h->count[i]);
		json_array_end(w);
	}
	json_array_end(w);
}

/* Pairs of a size and what a cache of that size misses: references, or their costs. */
static void json_points(struct json_writer *w, const char *key, const struct result *r, uint64_t want, bool costs)
{
	struct picker p = picker(&r->m, r->from, r->knee, want);
	json_key(w, key);
	json_array(w);
	for (size_t i = 0; i < r->m.points.n; i++) {
		if (!pick(&p, &r->m, i))
			continue;
		json_array(w);
		json_uint(w, r->m.points.at[i].size);
		if (costs)
			json_double(w, trace_units(r->m.points.at[i].cost));
		else
			json_uint(w, r->m.points.at[i].misses);
		json_array_end(w);
	}
	json_array_end(w);
}

/* The members of a policy's curve. */
static void json_curve(struct json_writer *w, const struct mrc_cmd_options *o, const struct result *r)
{
	json_kv_string(w, "policy", r->policy->name);
	if (r->m.points.n)
		json_kv_uint(w, "knee", r->m.points.at[r->knee].size);
	if (r->m.final_rate > 0) {
		json_kv_double(w, "sample_rate", r->m.final_rate);
		json_kv_uint(w, "sampled", r->m.sampled);
		json_kv_uint(w, "smallest_size", r->m.from);
		if (r->m.error_estimate > 0) {
			json_kv_double(w, "error_estimate", r->m.error_estimate);
			json_kv_double(w, "worst_error_estimate", r->m.worst_error_estimate);
		}
	}
	if (r->m.checked) {
		json_kv_double(w, "mean_error", r->m.mean_error);
		json_kv_double(w, "max_error", r->m.max_error);
	}
	if (o->histogram) {
		json_kv_uint(w, "first_uses", r->m.distance.first);
		json_histogram(w, "reuse_distance", &r->m.distance);
		json_histogram(w, "reuse_time", &r->m.time);
	}
	json_points(w, "misses", r, o->points, false);
	if (r->m.costs) {
		json_kv_double(w, "cost", trace_units(r->m.cost));
		json_points(w, "miss_costs", r, o->points, true);
	}
}

/* One curve is part of the result, several are in a list. */
static enum rc print_json(struct trace_run_state *s, const struct mrc_cmd_options *o, const results *all)
{
	struct json_doc doc;
	const struct result *r = all->at;
	struct json_writer *w = trace_json_begin(&doc, "mrc", s->inv->args.at[0]);
	w->pretty = false; /* there may be a million points */
	trace_json_meta(w, r->meta);
	json_kv_uint(w, "requests", r->requests);
	json_kv_uint(w, "references", r->m.requests);
	json_kv_uint(w, "distinct", r->m.distinct);
	if (o->bytes)
		json_kv_bool(w, "bytes", true);
	json_kv_bool(w, "complete", r->complete);
	if (all->n == 1) {
		json_curve(w, o, r);
		return cmd_json_end(s->inv, &doc, &s->e);
	}
	json_key(w, "curves");
	json_array(w);
	for (size_t i = 0; i < all->n; i++) {
		json_object(w);
		json_curve(w, o, &all->at[i]);
		json_object_end(w);
	}
	json_array_end(w);
	return cmd_json_end(s->inv, &doc, &s->e);
}

static void log_histogram(struct trace_run_state *s, const char *kind, const struct mrc_histogram *h)
{
	struct json_writer *w = runlog_begin(s->inv->log, EVENT_TRACE_HISTOGRAM);
	if (!w)
		return;
	json_kv_string(w, "name", s->inv->args.at[0]);
	json_kv_string(w, "kind", kind);
	json_histogram(w, "points", h);
	runlog_end(s->inv->log);
}

static void log_curve(struct trace_run_state *s, const struct mrc_cmd_options *o, const struct result *r)
{
	struct json_writer *w = runlog_begin(s->inv->log, EVENT_TRACE_CURVE);
	if (!w)
		return;
	json_kv_string(w, "name", s->inv->args.at[0]);
	json_kv_string(w, "policy", r->policy->name);
	json_kv_uint(w, "requests", r->requests);
	json_points(w, "points", r, 400, false);
	json_kv_uint(w, "knee", r->m.points.n ? r->m.points.at[r->knee].size : 0);
	runlog_end(s->inv->log);
	if (o->histogram) {
		log_histogram(s, "reuse distance", &r->m.distance);
		log_histogram(s, "reuse time", &r->m.time);
	}
}

/* Every size from one pass; all else is simulated at some sizes. */
static bool exact_lru(const struct mrc_cmd_options *o, const struct policy *p)
{
	return strcmp(p->name, "lru") == 0 && !o->bytes;
}

static enum rc check(struct trace_run_state *s, const struct mrc_cmd_options *o, const struct result *r, bool sampled)
{
	const struct trace_meta *m = r->meta;
	bool simulated = !exact_lru(o, r->policy);
	if (o->check && !sampled)
		return err_set(&s->e, RC_INPUT,
			       "--check compares a sample with the exact curve: give --sample or --sample-max too");
	if (sampled && (o->prefix || m->has[COLUMN_COST]))
		return err_set(&s->e, RC_INPUT, "--%s: a sample does not have it",
			       o->prefix ? "prefix" : "cost-column");
	if (o->bytes && !m->sizes)
		return err_set(&s->e, RC_INPUT, "--bytes: the trace has no sizes");
	if (simulated && (o->sample_max || o->histogram))
		return err_set(&s->e, RC_INPUT, "--%s: only for the policy lru in blocks",
			       o->histogram ? "histogram" : "sample-max");
	if (simulated && o->check && strcmp(s->inv->args.at[0], "-") == 0)
		return err_set(&s->e, RC_INPUT, "--check: the trace is read twice, so it must be a file");
	if (o->prefix && trace_check_prefix(s, m))
		return s->e.rc;
	if (m->method == KEYTRACE_WHOLE)
		return RC_OK;
	if (simulated)
		return err_set(&s->e, RC_INPUT,
			       "the trace was reduced with %s: only the curve of lru in blocks is in it",
			       keytrace_method_name(m->method));
	if (o->histogram || sampled || o->read.o.limit || o->read.o.unit)
		return err_set(&s->e, RC_INPUT, "the trace was reduced with %s for k = %llu: %s",
			       keytrace_method_name(m->method), (unsigned long long)m->k,
			       o->histogram ? "reuse distances and times of the original are not in it"
			       : sampled    ? "a sample of its keys has no meaning for the original"
					    : "--limit and --unit have no meaning for the original");
	return RC_OK;
}

/* The curve of a policy at some sizes; with --check, of the whole trace too, at the sizes of the sample. */
static enum rc simulate(struct trace_run_state *s, struct mrc_cmd_options *o, struct trace_reader *r, double rate,
			struct result *out)
{
	struct mrc *m = &out->m;
	struct curve_options co = {.policy = out->policy,
				   .by_bytes = o->bytes,
				   .prefix = o->prefix,
				   .points = o->points,
				   .rate = rate,
				   .seed = o->seed,
				   .threads = (unsigned)o->threads,
				   .tick = trace_tick,
				   .user = s};
	enum rc rc = curve_compute(r, &co, m, &s->e);
	if (rc || !o->check)
		return rc;
	struct trace_reader *again = NULL;
	struct mrc exact = {0};
	co.rate = 0;
	co.at = m;
	rc = trace_open(&again, s->inv->args.at[0], &o->read.o, &s->e);
	if (!rc)
		rc = curve_compute(again, &co, &exact, &s->e);
	if (!rc)
		curve_compare(m, &exact);
	trace_free(again);
	mrc_release(&exact);
	return rc;
}

static enum rc compute(struct trace_run_state *s, struct mrc_cmd_options *o, struct trace_reader *r, struct result *out)
{
	struct mrc_options mo = {.max_sample = o->sample_max,
				 .check = o->check,
				 .histograms = o->histogram,
				 .prefix = o->prefix,
				 .tick = trace_tick,
				 .user = s};
	out->meta = trace_meta(r);
	enum rc rc = parse_rate(s, o->sample, &mo.rate);
	if (!rc)
		rc = check(s, o, out, mo.rate > 0 || mo.max_sample);
	if (!rc)
		rc = exact_lru(o, out->policy) ? mrc_compute(r, &mo, &out->m, &s->e) : simulate(s, o, r, mo.rate, out);
	if (rc)
		return rc;
	bool reduced = out->meta->method != KEYTRACE_WHOLE;
	out->from = reduced ? out->meta->k : out->m.from;
	out->requests = reduced ? out->meta->original_requests : out->m.requests;
	out->knee = mrc_knee(&out->m, out->from, out->requests);
	out->complete = !trace_limited(r);
	return RC_OK;
}

/* Those that have a curve; it is an error if one that was named has none. */
static void choose_policies(const struct mrc_cmd_options *o, results *all)
{
	struct policy_items items = {.list = o->policies};
	for (const struct policy *p; (p = trace_next_policy(&items));)
		if (!items.all || !o->bytes || p->sim_size(1, true))
			vec_push(all, (struct result){.policy = p});
}

static enum rc compute_all(struct trace_run_state *s, struct mrc_cmd_options *o, results *all)
{
	enum rc rc = RC_OK;
	if (all->n > 1 && strcmp(s->inv->args.at[0], "-") == 0)
		return err_set(&s->e, RC_INPUT, "--policy: the trace is read once for each policy: give a file");
	for (size_t i = 0; i < all->n && !rc; i++) {
		struct result *r = &all->at[i];
		if (i)
			rc = trace_open(&r->again, s->inv->args.at[0], &o->read.o, &s->e);
		if (!rc)
			rc = compute(s, o, i ? r->again : s->reader, r);
	}
	s->complete = all->at[0].complete;
	return rc;
}

static enum rc show(struct trace_run_state *s, const struct mrc_cmd_options *o, const results *all)
{
	progress_hide(s->progress);
	for (size_t i = 0; i < all->n; i++) {
		const struct result *r = &all->at[i];
		if (r->m.final_rate > 0 && r->m.final_rate < 1 && r->m.sampled < FEW)
			trace_note(s, "warning: only %llu references were in the sample: take the curve as a hint",
				   (unsigned long long)r->m.sampled);
		log_curve(s, o, r);
		if (!cmd_json_stdout(s->inv))
			print(o, r, i == 0, all->n > 1);
	}
	return s->inv->common.json ? print_json(s, o, all) : RC_OK;
}

static enum rc measure(struct trace_run_state *s)
{
	struct mrc_cmd_options *o = s->inv->values;
	results all = {0};
	choose_policies(o, &all);
	enum rc rc = compute_all(s, o, &all);
	if (!rc)
		rc = show(s, o, &all);
	for (size_t i = 0; i < all.n; i++) {
		trace_free(all.at[i].again);
		mrc_release(&all.at[i].m);
	}
	vec_release(&all);
	return rc;
}

static enum rc choose_columns(struct trace_run_state *s)
{
	struct mrc_cmd_options *o = s->inv->values;
	o->read.o.costs = !o->sample && !o->sample_max;
	o->read.o.requests = o->prefix;
	return RC_OK;
}

TRACE_RUN_ON("measuring", choose_columns, measure)

static const char details[] = "The curve is exact unless --sample or --sample-max is given. On a reduced trace it "
			      "starts at the reduction's k.\n"
			      "A size that is not listed has the misses of the next smaller one that is.";

const struct command cmd_trace_mrc = {
	COMMAND("trace mrc", "IN", "count the misses of caches of every size in one pass", details),
	TRACE_OPTIONS(opts, &defaults),
	RUN(run, 0),
};
