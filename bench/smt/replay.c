/* SPDX-License-Identifier: MIT */
/* Replays a suite through the unsat caches with verdicts and cores from a table instead of a solver: what each cache
 * would reuse, and whether a reuse ever contradicts the table. One line per mode: NAME QUERIES UNSAT REUSED WRONG
 * GAVE-UP µs/look-up. Usage: replay SUITE DIR VERDICTS.tsv [MODE…] [--steps N] [--cache-size BYTES] [--fixed]
 * --fixed: first the cores of every second query, then, without budgets, the other queries are looked up and nothing is
 * added (a query that finds its own core says nothing); fails unless utopia ∪ subset ⊆ cache-a-lot ⊆ full. */
#include "smt/cache/cache.h"
#include "smt/term/reader.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct script {
	struct buf text;
	struct reader reader;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Everything but statements (check-sat, exit) is passed over. */
static bool load(struct script *s, const char *path)
{
	struct reader *r = &s->reader;
	struct err e = ERR_INIT;
	char why[1024];
	struct sexpr_split sp = {.line = 1, .col = 1};
	buf_clear(&s->text);
	if (buf_read_file(&s->text, path, 1 << 30, &e) != RC_OK) {
		fprintf(stderr, "%s\n", err_message(&e, why, sizeof why));
		return false;
	}
	reader_clear(r);
	bool ok = true;
	while (ok && sexpr_split_next(&sp, s->text.at, s->text.n, true) == SEXPR_FOUND) {
		ok = sexpr_parse(&r->x, s->text.at + sp.start, sp.at - sp.start, 1, 1, NULL) == RC_OK && r->x.n > 1;
		const struct statement *t = ok ? statement_find(r->x.text + r->x.at[1].off, r->x.at[1].len) : NULL;
		ok &= !t || t->take(r) == RC_OK;
	}
	if (!ok)
		fprintf(stderr, "%s: not understood\n", path);
	reader_query(r);
	return ok;
}

struct row {
	char query[64], verdict[16];
	VEC(uint32_t) core; /* places in flat */
};

/* The places in conj of the table's core, which counts flat conjuncts. */
static size_t core_places(const struct query *q, const struct row *r, uint32_t *out, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < r->core.n; i++) {
		if (r->core.at[i] >= q->flat.n)
			return 0;
		for (uint32_t k = 0; k < q->conj.n; k++)
			if (q->conj.at[k] == q->flat.at[r->core.at[i]] && n < max)
				out[n++] = k;
	}
	return n;
}

struct rows {
	VEC_FIELDS(struct row);
};

static void read_rows(struct rows *rows, const char *suite, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	while (f && getline(&line, &cap, f) > 0) {
		struct row r = {.core = {0}};
		char name[64];
		int at = 0;
		if (sscanf(line, "%63s %63s %15s %*s %*s %*s %*s %*s%n", name, r.query, r.verdict, &at) < 3 ||
		    strcmp(name, suite))
			continue;
		for (char *p = line + at; *p;) {
			char *end;
			unsigned long v = strtoul(p, &end, 10);
			if (end == p)
				break;
			vec_push(&r.core, (uint32_t)v);
			p = *end == ',' ? end + 1 : end;
		}
		vec_push(rows, r);
	}
	free(line);
	if (f)
		fclose(f);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static int run_mode(const struct cache_mode *mode, const struct cache_options *o, const struct rows *rows,
		    const char *dir, struct script *s, bool fixed, uint8_t *hits)
{
	struct cache *c = cache_new(mode, o);
	size_t queries = 0, unsat = 0, reused = 0, wrong = 0;
	VEC(double) times = {0};
	double parse = 0;
	for (int pass = fixed ? 0 : 1; pass < 2; pass++)
		for (size_t i = 0; i < rows->n; i++) {
			const struct row *r = &rows->at[i];
			char path[512], origin[600];
			uint32_t core[4096];
			struct cache_hit hit;
			snprintf(path, sizeof path, "%s/%s", dir, r->query);
			if (fixed && i % 2 != (size_t)pass)
				continue;
			double t0 = now();
			if (!load(s, path))
				return 1;
			double t1 = now();
			parse += t1 - t0;
			bool is_unsat = !strcmp(r->verdict, "unsat");
			enum rc found = pass ? cache_lookup(c, &s->reader.query, &hit) : RC_NO;
			if (pass) {
				double t = now() - t1;
				vec_push(&times, t);
				queries++;
				unsat += is_unsat;
				hits[i] = found == RC_OK;
			}
			if (found == RC_OK) {
				reused += is_unsat;
				wrong += !strcmp(r->verdict, "sat");
			} else if (is_unsat && (!fixed || !pass)) {
				snprintf(origin, sizeof origin, "%s", r->query);
				size_t n = core_places(&s->reader.query, r, core, ARRAY_LEN(core));
				cache_add(c, &s->reader.query, core, n, false, origin);
			}
		}
	struct cache_stats st = cache_stats(c);
	qsort(times.at, times.n, sizeof *times.at, compare);
	double sum = 0;
	for (size_t i = 0; i < times.n; i++)
		sum += times.at[i];
	printf("%-12s %5zu queries %4zu unsat %4zu reused (%5.1f %%) %zu wrong, %llu gave up, look-up median %.1f p99 "
	       "%.1f sum %.0f µs*1000, parse %.1f µs, "
	       "%llu tests, %zu bytes, %zu look-up bytes\n",
	       mode->name, queries, unsat, reused, unsat ? 100.0 * (double)reused / (double)unsat : 0, wrong,
	       (unsigned long long)st.gave_up, times.at[times.n / 2] * 1e6, times.at[times.n * 99 / 100] * 1e6,
	       sum * 1e3, parse / (double)rows->n * 1e6, (unsigned long long)st.tests, st.peak_bytes,
	       st.lookup_peak_bytes);
	vec_release(&times);
	cache_free(c);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct rows rows = {0};
	struct script s = {0};
	struct cache_options o = cache_defaults;
	bool fixed = false;
	const char *modes[8];
	size_t n_modes = 0;
	int bad = 0;
	if (argc < 4)
		return 2;
	read_rows(&rows, argv[1], argv[3]);
	reader_init(&s.reader);
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "--fixed"))
			fixed = true;
		else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
			o.max_steps = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--cache-size") && i + 1 < argc)
			o.max_cores_bytes = strtoull(argv[++i], NULL, 10);
		else if (n_modes < ARRAY_LEN(modes))
			modes[n_modes++] = argv[i];
	}
	if (fixed)
		o.max_steps = 0, o.max_bytes = 0;
	if (!n_modes)
		for (const struct cache_mode *m = cache_modes; m->name; m++)
			if (m->flags)
				modes[n_modes++] = m->name;
	uint8_t *hits[8];
	for (size_t i = 0; i < n_modes; i++) {
		hits[i] = mem_zalloc(rows.n + 1);
		bad |= run_mode(cache_mode_find(modes[i]), &o, &rows, argv[2], &s, fixed, hits[i]);
	}
	if (fixed && n_modes == 5) {
		size_t outside = 0;
		for (size_t i = 0; i < rows.n; i++)
			outside += ((hits[2][i] | hits[3][i]) > hits[1][i]) + (hits[1][i] > hits[0][i]);
		printf("inclusion: %zu outside\n", outside);
		bad |= outside != 0;
	}
	return bad;
}
