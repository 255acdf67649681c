/* SPDX-License-Identifier: MIT */
/* One reduction in this process, for the tables of paper.sh:
 *
 *	paper FILE ALGORITHM CACHE SEED [SERIES|- [keep|jobs=N[,unit|,lognormal|,timeouts][,in-order][,passes]]]
 *
 * The property stands in for a compiler and a bug: brackets match; a name of csmith's (g_1, l_2, p_3, func_4) is
 * used only after a place where it follows a type, a star or a comma, or after an earlier use; and NEED tokens of
 * the input, chosen by SEED from the bodies of a few functions, are all there in order. Like a real one it is a
 * function of the text alone: a new parse may cut it into other tokens (-4L is one or two of them), so each token is
 * cut into words first. It stops at the first thing that is wrong.
 *
 * Prints one line of names and values. CPU seconds: the whole run, and the share spent in the property. str and zip
 * account for their bytes without keeping them, unless "keep" (for times). With jobs=N it is as if N tests ran at a
 * time, by a clock of struct in_process: rounds is how long it took in all. With "passes" a line on standard error
 * for each run of a pass says what it took: rounds, queries, the share of the workers that was busy, tokens left.
 * SERIES gets a line every so many candidates: candidates, bytes, entries, tokens.
 *
 * The run with the cache "full" also works out what str, zip and sha would hold, because hdd and ddmin make too
 * much text for them (the caches see the same failed variants; a unit test says so): the bytes of each failed text,
 * counted where they would be kept, and the containers of their number of keys. Only each ZIP_STEPth text is
 * compressed; it stands for the rest. */
#include "pass_log.h"

#include "base/bits.h"
#include "data/buf.h"
#include "data/digest.h"
#include "data/table.h"
#include "reduce/syntax/syntax.h"
#include "reduce/run/in_process.h"
#include "reduce/cache/keyset.h"
#include "reduce/model/load.h"
#include "reduce/model/symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { NEED = 60, SERIES_STEP = 64, ZIP_STEP = 128 };
enum kind { OTHER, OPEN, CLOSE, NAME, TYPE };

/* What the text caches would hold. */
struct account {
	uint64_t version;     /* of the minimum that `before` belongs to */
	VEC(uint32_t) before; /* bytes of text before each place */
	VEC(uint8_t) text, packed;
	uint64_t entries, str, zipped, zip;
	struct mem_counter containers_bytes, digests_bytes;
	struct keyset containers, digests;
};

/* A row of letters and digits, a string, a comment or a directive as a whole, or any other character. */
struct word {
	const char *text;
	uint32_t len;
	enum kind kind;
	uint8_t bracket; /* which kind of bracket */
	uint32_t seen;   /* query in which a name was last declared */
};

struct property {
	struct account *account; /* NULL: not wanted */
	VEC(struct word) word;   /* all there are */
	struct table words;      /* by text */
	VEC(uint32_t) part;      /* the words of all symbols, one after the other */
	VEC(uint32_t) first;     /* where those of each symbol begin, and of the last one end */
	VEC(uint8_t) stack;
	VEC(uint32_t) need; /* words */
	uint32_t query;
	double seconds;
	const struct symbols *symbols;
	/* the series */
	FILE *series;
	uint64_t candidates, queries;
	const struct verdicts *cache;
	uint32_t *tokens;
	size_t cap;
	struct pass_log log;
};

static double cpu(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static bool starts(const struct word *y, const char *with)
{
	return y->len >= strlen(with) && memcmp(y->text, with, strlen(with)) == 0;
}

static bool is(const struct word *y, const char *text)
{
	return y->len == strlen(text) && memcmp(y->text, text, y->len) == 0;
}

static enum kind kind_of(const struct word *y, uint8_t *bracket)
{
	static const char *const types[] = {
		"int8_t", "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "void", "*",
		"const",  "volatile", "union",   "struct",  "int",     "char",     "long",     "short",    ","};
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

/* Where the word that begins at `at` ends. */
static uint32_t word_end(const char *text, uint32_t n, uint32_t at)
{
	uint32_t end = at + 1;
	char first = text[at];
	if (first == '#' || (first == '/' && end < n && (text[end] == '*' || text[end] == '/')))
		return n;
	if (first == '"' || first == '\'') {
		while (end < n && text[end] != first)
			end += text[end] == '\\' ? 2 : 1;
		return end < n ? end + 1 : n;
	}
	if (isalnum((unsigned char)first) || first == '_')
		while (end < n && (isalnum((unsigned char)text[end]) || text[end] == '_'))
			end++;
	return end;
}

static uint32_t word_of(struct property *p, const char *text, uint32_t len)
{
	uint64_t hash = hash64(text, len);
	uint32_t i;
	for (struct table_probe q = table_probe(&p->words, hash); (i = table_next(&p->words, &q)) != TABLE_NONE;)
		if (p->word.at[i].len == len && memcmp(p->word.at[i].text, text, len) == 0)
			return i;
	struct word w = {.text = text, .len = len};
	w.kind = kind_of(&w, &w.bracket);
	vec_push(&p->word, w);
	table_insert(&p->words, hash, (uint32_t)(p->word.n - 1));
	return (uint32_t)(p->word.n - 1);
}

/* Cuts symbols that are new into words. */
static void cut(struct property *p)
{
	if (!p->first.n)
		vec_push(&p->first, 0);
	while (p->first.n <= p->symbols->n) {
		const struct symbol *y = &p->symbols->at[p->first.n - 1];
		for (uint32_t i = 0, end; i < y->len; i = end) {
			end = word_end(y->text, y->len, i);
			if (!isspace((unsigned char)y->text[i]))
				vec_push(&p->part, word_of(p, y->text + i, end - i));
		}
		vec_push(&p->first, (uint32_t)p->part.n);
	}
}

/* Whether the word may stand after the one before it (NULL: it is the first). */
static bool allowed(struct property *p, struct word *w, const struct word *last)
{
	switch (w->kind) {
	case OPEN:
		vec_push(&p->stack, w->bracket);
		break;
	case CLOSE:
		return p->stack.n && vec_pop(&p->stack) == w->bracket;
	case NAME:
		if (w->seen != p->query && !(last && last->kind == TYPE))
			return false;
		w->seen = p->query;
		break;
	case TYPE:
	case OTHER:
		break;
	}
	return true;
}

static bool judge(struct property *p, const uint32_t *t, uint32_t n)
{
	size_t found = 0;
	const struct word *last = NULL;
	p->query++;
	vec_clear(&p->stack);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = p->first.at[t[i]]; k < p->first.at[t[i] + 1]; k++) {
			struct word *w = &p->word.at[p->part.at[k]];
			found += found < p->need.n && p->need.at[found] == p->part.at[k];
			if (!allowed(p, w, last))
				return false;
			last = w;
		}
	}
	return !p->stack.n && found == p->need.n;
}

static void account_minimum(struct account *a, const struct property *p, const struct variant *v, const struct model *m)
{
	if (a->version == m->version && a->before.n)
		return;
	a->version = m->version;
	vec_clear(&a->before);
	uint32_t at = 0;
	for (uint32_t i = 0; i < v->n_min; i++) {
		vec_push(&a->before, at);
		at += p->symbols->at[v->min[i]].len + 1;
	}
	vec_push(&a->before, at);
}

static void account_zip(struct account *a, const struct property *p, uint32_t n)
{
	vec_clear(&a->text);
	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *y = &p->symbols->at[p->tokens[i]];
		for (uint32_t k = 0; k <= y->len; k++)
			vec_push(&a->text, (uint8_t)y->text[k]);
	}
	uLongf room = compressBound(a->text.n);
	vec_reserve(&a->packed, room);
	if (compress2(a->packed.at, &room, a->text.at, a->text.n, Z_BEST_COMPRESSION) == Z_OK) {
		a->zip += room;
		a->zipped++;
	}
}

/* A variant failed: it would be kept. p->tokens has its symbols. */
static void account_failed(struct property *p, const struct variant *v, const struct model *m)
{
	struct account *a = p->account;
	account_minimum(a, p, v, m);
	uint64_t bytes = a->before.at[v->n_min];
	for (size_t i = 0; i < v->n_gaps; i++)
		bytes -= a->before.at[v->gap[i].to] - a->before.at[v->gap[i].from];
	a->str += bytes;
	if (a->entries % ZIP_STEP == 0)
		account_zip(a, p, v->n);
	uint64_t digest[8] = {a->entries};
	keyset_add(&a->containers, &a->entries, sizeof a->entries);
	keyset_add(&a->digests, digest, sizeof digest);
	a->entries++;
}

static void account_init(struct account *a)
{
	keyset_init(&a->containers, &a->containers_bytes, false);
	keyset_init(&a->digests, &a->digests_bytes, false);
}

static void account_print(const struct account *a)
{
	uint64_t containers = a->containers_bytes.peak - a->entries * sizeof(uint64_t);
	double zip = a->zipped ? (double)a->zip / (double)a->zipped * (double)a->entries : 0;
	printf(" all_entries %llu str_bytes %llu zip_bytes %.0f sha_bytes %zu", (unsigned long long)a->entries,
	       (unsigned long long)(a->str + containers), zip + (double)containers, a->digests_bytes.peak);
}

static void account_release(struct account *a)
{
	keyset_release(&a->containers);
	keyset_release(&a->digests);
	vec_release_all(&a->before, &a->text, &a->packed);
}

static bool interesting(void *user, const struct variant *v, const struct model *m)
{
	struct property *p = user;
	double start = cpu();
	if (v->n > p->cap) {
		p->tokens = mem_realloc(p->tokens, v->n * sizeof *p->tokens);
		p->cap = v->n;
	}
	variant_symbols(v, p->tokens);
	cut(p);
	bool yes = judge(p, p->tokens, v->n);
	p->queries++;
	p->seconds += cpu() - start;
	if (!yes && p->account)
		account_failed(p, v, m);
	return yes;
}

static void generated(void *user, const struct variant *v)
{
	struct property *p = user;
	if (p->series && p->cache && p->candidates % SERIES_STEP == 0) {
		struct verdicts_stats s = verdicts_stats(p->cache);
		fprintf(p->series, "%llu %zu %llu %u\n", (unsigned long long)p->candidates, s.bytes,
			(unsigned long long)s.entries, v->n_min);
	}
	p->candidates++;
}

static void pass_ended(void *user, const struct pass *pass)
{
	struct property *p = user;
	pass_log(&p->log, pass);
}

/* Tokens of a stretch of the input, every few: what the "bug" needs. */
static void choose_need(struct property *p, const struct model *m, uint64_t seed)
{
	struct rng r = {seed};
	uint32_t n = m->n, at = n / 3 + (uint32_t)rng_below(&r, n / 2), chosen = 0;
	while (chosen < NEED && at < n) {
		uint32_t from = p->first.at[m->min[at]], to = p->first.at[m->min[at] + 1];
		if (from < to && p->word.at[p->part.at[from]].kind != CLOSE) {
			for (uint32_t i = from; i < to; i++)
				vec_push(&p->need, p->part.at[i]);
			chosen++;
		}
		at += chosen % 12 == 0 ? 1 + (uint32_t)rng_below(&r, n / 20 + 1) : 1 + (uint32_t)rng_below(&r, 3);
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
		return fail(
			"usage: paper FILE ALGORITHM CACHE SEED [SERIES|- [keep|jobs=N[,CLOCK][,in-order][,passes]]]");
	if (buf_read_file(&text, argv[1], 1u << 28, &e) != RC_OK)
		return fail(e.text);
	double start = cpu();
	struct source src = {argv[1], buf_str(&text), text.n, language_detect(argv[1], buf_str(&text), text.n)};
	if (model_load(&m, &src, 1, &e) != RC_OK)
		return fail(e.text);
	double parsed = cpu() - start;
	uint32_t before = m.n;
	p.symbols = m.symbols;
	p.log.model = &m;
	cut(&p);
	choose_need(&p, &m, strtoull(argv[4], NULL, 10));
	if (!judge(&p, m.min, m.n))
		return fail("the input does not have the property");
	bool keep = argc > 6 && strcmp(argv[6], "keep") == 0;
	struct account account = {0};
	account_init(&account);
	if (strcmp(argv[3], "full") == 0 && !keep)
		p.account = &account;
	struct in_process run = {
		.algorithm = algorithm_find(argv[2]),
		.cache = verdicts_find(argv[3]),
		.account_only = !keep,
		.interesting = interesting,
		.generated = generated,
		.pass_ended = pass_ended,
		.user = &p,
		.seed = 1,
		.watch = &p.cache,
	};
	unsigned jobs = 0;
	if (argc > 6 && sscanf(argv[6], "jobs=%u", &jobs) == 1) {
		run.jobs = jobs;
		run.clock = strstr(argv[6], ",lognormal")  ? CLOCK_LOGNORMAL
			    : strstr(argv[6], ",timeouts") ? CLOCK_TIMEOUTS
							   : CLOCK_UNIT;
		run.in_order = strstr(argv[6], ",in-order") != NULL;
		if (strstr(argv[6], ",passes"))
			p.log.run = &run;
	}
	if (argc > 5 && strcmp(argv[5], "-") != 0 && !(p.series = fopen(argv[5], "w")))
		return fail("cannot write the series");
	if (reduce_in_process(&run, &m, &e) != RC_OK)
		return fail(e.text);
	double all = cpu() - start;
	printf("tokens %u after %u candidates %llu queries %llu hits %llu peak_bytes %zu avg_bytes %.0f peak_entries "
	       "%llu cpu_s %.3f "
	       "property_s %.3f parse_s %.3f",
	       before, m.n, (unsigned long long)run.candidates, (unsigned long long)run.queries,
	       (unsigned long long)run.hits, run.stats.peak_bytes, run.stats.avg_bytes,
	       (unsigned long long)run.stats.peak_entries, all, p.seconds, parsed);
	if (p.account)
		account_print(&account);
	if (jobs)
		printf(" rounds %.2f useful %llu merges %llu wasted %llu", run.time, (unsigned long long)run.useful,
		       (unsigned long long)run.merges, (unsigned long long)run.wasted);
	printf("\n");
	account_release(&account);
	if (p.series)
		fclose(p.series);
	model_unload(&m);
	buf_release(&text);
	table_release(&p.words);
	vec_release_all(&p.word, &p.part, &p.first, &p.stack, &p.need);
	free(p.tokens);
	return 0;
}
