/* One reduction in this process, for the tables of paper.sh:
 *
 *	paper FILE ALGORITHM CACHE SEED [SERIES]
 *
 * The property stands in for a compiler and a bug: brackets match; a name of csmith's (g_1, l_2, p_3, func_4) is used only
 * after a place where it follows a type, a star or a comma, or after an earlier use; and NEED tokens of the input, chosen by
 * SEED from the bodies of a few functions, are all there in order. Like a real one it is a function of the tokens alone.
 * It stops at the first thing that is wrong.
 *
 * Prints one line of names and values. CPU seconds: the whole run, and the share spent in the property. str and zip account
 * for their bytes without keeping them. SERIES gets a line every so many candidates: candidates, bytes, entries, tokens. */
#include "base/bits.h"
#include "core/buf.h"
#include "core/syntax.h"
#include "reduce/in_process.h"
#include "reduce/load.h"
#include "reduce/symbols.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NEED = 60, SERIES_STEP = 64 };
enum kind { OTHER, OPEN, CLOSE, NAME, TYPE };

struct property {
	VEC(uint8_t) kind;    /* of each symbol */
	VEC(uint8_t) bracket; /* which kind of bracket */
	VEC(uint32_t) seen;   /* query in which a name was last declared */
	VEC(uint8_t) stack;
	uint32_t need[NEED], n_need;
	uint32_t query;
	double seconds;
	const struct symbols *symbols;
	/* the series */
	FILE *series;
	uint64_t candidates, queries;
	const struct verdicts *cache;
	uint32_t *tokens;
	size_t cap;
};

static double cpu(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static bool starts(const struct symbol *y, const char *with)
{
	return y->len >= strlen(with) && memcmp(y->text, with, strlen(with)) == 0;
}

static bool is(const struct symbol *y, const char *text)
{
	return y->len == strlen(text) && memcmp(y->text, text, y->len) == 0;
}

static enum kind kind_of(const struct symbol *y, uint8_t *bracket)
{
	static const char *const types[] = {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
	                                    "void", "*", "const", "volatile", "union", "struct", "int", "char", "long", "short", ","};
	const char *open = "([{", *close = ")]}";
	if (y->len == 1 && strchr(open, y->text[0])) {
		*bracket = (uint8_t)y->text[0];
		return OPEN;
	}
	if (y->len == 1 && strchr(close, y->text[0])) {
		*bracket = (uint8_t)open[strchr(close, y->text[0]) - close];
		return CLOSE;
	}
	if (starts(y, "g_") || starts(y, "l_") || starts(y, "p_") || starts(y, "func_"))
		return NAME;
	if (y->len >= 2 && (y->text[0] == 'U' || y->text[0] == 'S') && y->text[1] >= '0' && y->text[1] <= '9')
		return TYPE;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (is(y, types[i]))
			return TYPE;
	return OTHER;
}

static void classify(struct property *p)
{
	while (p->kind.n < p->symbols->n) {
		uint8_t bracket = 0;
		enum kind k = kind_of(&p->symbols->at[p->kind.n], &bracket);
		vec_push(&p->kind, (uint8_t)k);
		vec_push(&p->bracket, bracket);
		vec_push(&p->seen, 0);
	}
}

static bool judge(struct property *p, const uint32_t *t, uint32_t n)
{
	uint32_t found = 0;
	p->query++;
	vec_clear(&p->stack);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = t[i];
		if (found < p->n_need && s == p->need[found])
			found++;
		switch ((enum kind)p->kind.at[s]) {
		case OPEN:
			vec_push(&p->stack, p->bracket.at[s]);
			break;
		case CLOSE:
			if (!p->stack.n || vec_pop(&p->stack) != p->bracket.at[s])
				return false;
			break;
		case NAME:
			if (p->seen.at[s] != p->query && !(i && p->kind.at[t[i - 1]] == TYPE))
				return false;
			p->seen.at[s] = p->query;
			break;
		case TYPE:
		case OTHER:
			break;
		}
	}
	return !p->stack.n && found == p->n_need;
}

static bool interesting(void *user, const struct variant *v, const struct model *m)
{
	struct property *p = user;
	(void)m;
	double start = cpu();
	if (v->n > p->cap) {
		p->tokens = mem_realloc(p->tokens, v->n * sizeof *p->tokens);
		p->cap = v->n;
	}
	variant_symbols(v, p->tokens);
	classify(p);
	bool yes = judge(p, p->tokens, v->n);
	p->queries++;
	p->seconds += cpu() - start;
	return yes;
}

static void generated(void *user, const struct variant *v)
{
	struct property *p = user;
	if (p->series && p->cache && p->candidates % SERIES_STEP == 0) {
		struct verdicts_stats s = verdicts_stats(p->cache);
		fprintf(p->series, "%llu %zu %llu %u\n", (unsigned long long)p->candidates, s.bytes, (unsigned long long)s.entries, v->n_min);
	}
	p->candidates++;
}

/* Tokens of a stretch of the input, every few: what the "bug" needs. */
static void choose_need(struct property *p, const struct model *m, uint64_t seed)
{
	struct rng r = {seed};
	uint32_t n = m->n, at = n / 3 + (uint32_t)rng_below(&r, n / 2);
	while (p->n_need < NEED && at < n) {
		if (p->kind.at[m->min[at]] != CLOSE)
			p->need[p->n_need++] = m->min[at];
		at += p->n_need % 12 == 0 ? 1 + (uint32_t)rng_below(&r, n / 20 + 1) : 1 + (uint32_t)rng_below(&r, 3);
	}
}

static int fail(const char *what)
{
	fprintf(stderr, "paper: %s\n", what);
	return 2;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct buf text = {0};
	struct model m = {0};
	struct property p = {0};
	if (argc < 5 || !algorithm_find(argv[2]) || !verdicts_find(argv[3]))
		return fail("usage: paper FILE ALGORITHM CACHE SEED [SERIES]");
	if (buf_read_file(&text, argv[1], 1u << 28, &e) != RC_OK)
		return fail(e.text);
	double start = cpu();
	struct source src = {argv[1], buf_str(&text), text.n, language_detect(argv[1], buf_str(&text), text.n)};
	if (model_load(&m, &src, 1, &e) != RC_OK)
		return fail(e.text);
	double parsed = cpu() - start;
	uint32_t before = m.n;
	p.symbols = m.symbols;
	classify(&p);
	choose_need(&p, &m, strtoull(argv[4], NULL, 10));
	if (!judge(&p, m.min, m.n))
		return fail("the input does not have the property");
	struct in_process run = {
		.algorithm = algorithm_find(argv[2]), .cache = verdicts_find(argv[3]), .account_only = true, .interesting = interesting,
		.generated = generated, .user = &p, .rebase = model_rebase, .seed = 1, .watch = &p.cache,
	};
	if (argc > 5 && !(p.series = fopen(argv[5], "w")))
		return fail("cannot write the series");
	if (reduce_in_process(&run, &m, &e) != RC_OK)
		return fail(e.text);
	double all = cpu() - start;
	printf("tokens %u after %u candidates %llu queries %llu hits %llu peak_bytes %zu avg_bytes %.0f peak_entries %llu cpu_s %.3f "
	       "property_s %.3f parse_s %.3f\n",
	       before, m.n, (unsigned long long)run.candidates, (unsigned long long)run.queries, (unsigned long long)run.hits,
	       run.stats.peak_bytes, run.stats.avg_bytes, (unsigned long long)run.stats.peak_entries, all, p.seconds, parsed);
	if (p.series)
		fclose(p.series);
	model_unload(&m);
	buf_release(&text);
	vec_release(&p.kind);
	vec_release(&p.bracket);
	vec_release(&p.seen);
	vec_release(&p.stack);
	free(p.tokens);
	return 0;
}
