/* SPDX-License-Identifier: MIT */
/* Look-up costs: three key sizes per kind, a straight line between and beyond them. */
#include "profile/cost.h"

#include "process/libexec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On a 2.9 GHz Xeon, 2026-11. */
static const struct cost_point elsewhere[COST_KINDS][COST_SIZES] = {
	[COST_SINGLE] = {{16, 146, 9.8, 338, 29.0}, {64, 211, 16.2, 435, 38.0}, {256, 360, 39.1, 693, 81.9}},
	[COST_MULTI] = {{16, 165, 13.3, 352, 73.4}, {64, 230, 22.5, 500, 85.0}, {256, 379, 49.3, 699, 116.2}},
	[COST_LARGE] = {{16, 165, 35.0, 352, 110.0}, {64, 230, 50.0, 500, 130.0}, {256, 379, 90.0, 699, 180.0}},
};

/* KIND KEY-BYTES HIT-INSTRUCTIONS HIT-NS MISS-INSTRUCTIONS MISS-NS, a line each. */
static bool parse(struct cost_model *m, const char *text)
{
	unsigned n[COST_KINDS] = {0};
	while (*text) {
		char kind[16];
		struct cost_point p;
		int used = 0;
		if (sscanf(text, "%15s %lf %lf %lf %lf %lf %n", kind, &p.key_bytes, &p.hit_instructions, &p.hit_ns,
			   &p.miss_instructions, &p.miss_ns, &used) != 6)
			return false;
		enum cost_kind k = strcmp(kind, "single") == 0  ? COST_SINGLE
				   : strcmp(kind, "large") == 0 ? COST_LARGE
								: COST_MULTI;
		if (n[k] == COST_SIZES || p.hit_instructions <= 0 || p.hit_ns <= 0 ||
		    p.miss_instructions < p.hit_instructions)
			return false;
		m->at[k][n[k]++] = p;
		text += used;
	}
	return n[COST_SINGLE] == COST_SIZES && n[COST_MULTI] == COST_SIZES && n[COST_LARGE] == COST_SIZES;
}

static bool run(struct cost_model *m, struct runner *r)
{
	char folder[PATH_MAX], path[PATH_MAX + 16];
	struct err ignored = ERR_INIT;
	struct job *job, *done = NULL;
	if (!libexec_find("rflookup", folder, sizeof folder))
		return false;
	snprintf(path, sizeof path, "%s/rflookup", folder);
	const char *const argv[] = {path, NULL};
	const struct run_spec spec = {
		.argv = argv, .limits = {.wall_s = 20, .output_bytes = 1 << 14}, .keep_output = true};
	if (job_start(r, &spec, &job, &ignored) != RC_OK)
		return false;
	if (runner_wait(r, -1, &done, &ignored) != RC_OK || done != job) {
		job_free(job);
		return false;
	}
	const struct run_result *result = job_result(job);
	bool ok = result->end == RUN_EXITED && result->code == 0 && result->output;
	if (ok) {
		char text[4096];
		snprintf(text, sizeof text, "%.*s", (int)result->output_len, result->output);
		ok = parse(m, text);
	}
	job_free(job);
	return ok;
}

void cost_measure(struct cost_model *m, struct runner *r)
{
	m->measured = run(m, r);
	if (!m->measured)
		memcpy(m->at, elsewhere, sizeof m->at);
}

static double line(double x, double x0, double y0, double x1, double y1)
{
	double y = y0 + (y1 - y0) * (x - x0) / (x1 - x0);
	double least = y0 < y1 ? y0 : y1;
	return y < least && x < x0 ? least : y;
}

struct cost_point cost_lookup(const struct cost_model *m, enum cost_kind kind, double key_bytes)
{
	const struct cost_point *a = m->at[kind];
	if (key_bytes > a[1].key_bytes)
		a++;
	const struct cost_point *b = a + 1;
	return (struct cost_point){
		key_bytes,
		line(key_bytes, a->key_bytes, a->hit_instructions, b->key_bytes, b->hit_instructions),
		line(key_bytes, a->key_bytes, a->hit_ns, b->key_bytes, b->hit_ns),
		line(key_bytes, a->key_bytes, a->miss_instructions, b->key_bytes, b->miss_instructions),
		line(key_bytes, a->key_bytes, a->miss_ns, b->key_bytes, b->miss_ns),
	};
}

double cost_cheap_call(const struct cost_model *m)
{
	enum { KEY = 32 };
	return 1.5 * cost_lookup(m, COST_MULTI, KEY).hit_instructions;
}

/* Between the two sizes that were measured, by the logarithm. */
struct cost_point cost_table(const struct cost_model *m, double entries, double key_bytes)
{
	static const double small = 64, large = 16384;
	struct cost_point a = cost_lookup(m, COST_MULTI, key_bytes), b = cost_lookup(m, COST_LARGE, key_bytes);
	double part = entries <= small ? 0 : entries >= large ? 1 : log2(entries / small) / log2(large / small);
	a.hit_ns += part * (b.hit_ns > a.hit_ns ? b.hit_ns - a.hit_ns : 0);
	a.miss_ns += part * (b.miss_ns > a.miss_ns ? b.miss_ns - a.miss_ns : 0);
	return a;
}
