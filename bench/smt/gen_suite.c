/* SPDX-License-Identifier: MIT */
/* Generates SMT-LIB queries, one file each: gen_suite scalar|orders|vary SEED COUNT FOLDER.
 *
 * scalar: what a symbolic executor of programs with many scalar variables would ask. A few hundred "methods" are
 * made, each a sequence of branch conditions over its parameters (bit-vectors, integers, floating point, quantified
 * formulas over an uninterpreted function); every call of a method has fresh names, stands in another context, and
 * asks for each prefix of its path with the last condition taken or negated. So the same contradictions come again
 * under other names, which is where renaming matters.
 *
 * orders: many conjuncts of one shape, a < b over integers; every second query has a cycle in it. Each conjunct of
 * a core fits each of the query, so that it is the join of their substitutions that costs.
 *
 * vary: small random formulas and, after each, variations of it: renamed, permuted, strengthened, weakened, binders
 * shadowed, one constant changed by one. Nearly equal queries with different answers are what a cache gets wrong. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rng_state;

static uint64_t rnd(uint64_t n)
{
	rng_state += 0x9e3779b97f4a7c15u;
	uint64_t x = rng_state;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % n;
}

/* ---- conditions: text with %0 … %3 for variables */

enum sort { BV, INT, FP, SORTS };
static const char *const sort_names[SORTS] = {"(_ BitVec 32)", "Int", "(_ FloatingPoint 8 24)"};
enum { PARAMS = 4, MAX_CONDITIONS = 8, CONDITION = 300, MAX_PIECES = 320 };

struct condition {
	char text[CONDITION];
};

struct method {
	enum sort sort;
	int n;
	bool quantified;
	struct condition at[MAX_CONDITIONS];
};

/* Text in which a and b stand for two parameters, k for a number, l for the next one. */
static void put(struct condition *c, const char *form, unsigned a, unsigned b, unsigned k)
{
	size_t o = 0;
	for (; *form && o + 16 < sizeof c->text; form++) {
		char *at = c->text + o;
		size_t room = sizeof c->text - o;
		if (*form == '$' && (form[1] == 'a' || form[1] == 'b'))
			o += (size_t)snprintf(at, room, "%%%u", *++form == 'a' ? a : b);
		else if (*form == '$')
			o += (size_t)snprintf(at, room, "%u", *++form == 'k' ? k : k + 1);
		else
			c->text[o++] = *form;
	}
	c->text[o] = '\0';
}

static const struct {
	unsigned numbers; /* k is below it */
	unsigned n;
	const char *form[6];
} conditions[SORTS] = {
	[BV] = {200,
		6,
		{"(bvult $a (_ bv$l 32))", "(bvugt $a (_ bv$k 32))", "(= (bvadd $a (_ bv$k 32)) $b)",
		 "(bvslt (bvmul $a #x00000003) $b)", "(= (bvand $a #x0000000f) (_ bv$k 32))", "(not (= $a $b))"}},
	[INT] = {50, 5, {"(< $a $k)", "(> $a $k)", "(= (+ $a $k) $b)", "(<= (* 2 $a) $b)", "(distinct $a $b)"}},
	[FP] = {20,
		4,
		{"(fp.lt $a ((_ to_fp 8 24) RNE $k.5))", "(fp.gt $a ((_ to_fp 8 24) RNE $k.25))", "(fp.leq $a $b)",
		 "(not (fp.isNaN $a))"}},
};
enum { MASKED = 4 }; /* BV's: numbers beyond the mask's are few */

static void put_condition(struct condition *c, enum sort sort)
{
	unsigned a = (unsigned)rnd(PARAMS), b = (unsigned)rnd(PARAMS), k = (unsigned)rnd(conditions[sort].numbers);
	unsigned form = (unsigned)rnd(conditions[sort].n);
	put(c, conditions[sort].form[form], a, b, sort == BV && form == MASKED ? k % 20 : k);
}

static void quantified_condition(struct condition *c)
{
	unsigned a = (unsigned)rnd(PARAMS), k = (unsigned)rnd(10);
	put(c, rnd(2) ? "(forall ((i Int)) (! (=> (>= i $a) (> (f i) $k)) :pattern ((f i))))" : "(< (f $a) $l)", a, a,
	    k);
}

static void make_method(struct method *m)
{
	m->sort = (enum sort)rnd(SORTS);
	m->quantified = m->sort == INT && rnd(2) == 0;
	m->n = 3 + (int)rnd(MAX_CONDITIONS - 3);
	for (int i = 0; i < m->n; i++) {
		if (m->quantified && rnd(2))
			quantified_condition(&m->at[i]);
		else
			put_condition(&m->at[i], m->sort);
	}
}

/* ---- a query: declared names and asserted pieces */

struct query {
	char declarations[4000];
	char piece[MAX_PIECES][CONDITION * 2];
	int n;
};

static void declare(struct query *q, const char *name, enum sort sort)
{
	size_t used = strlen(q->declarations);
	snprintf(q->declarations + used, sizeof q->declarations - used, "(declare-const %s %s)\n", name,
		 sort_names[sort]);
}

/* The condition with its parameters replaced by names. */
static void instantiate(char *out, size_t size, const struct condition *c, char names[PARAMS][24], bool negated)
{
	size_t o = (size_t)snprintf(out, size, "%s", negated ? "(not " : "");
	for (const char *s = c->text; *s && o + 30 < size; s++) {
		if (*s == '%' && s[1] >= '0' && s[1] < '0' + PARAMS)
			o += (size_t)snprintf(out + o, size - o, "%s", names[*++s - '0']);
		else
			out[o++] = *s;
	}
	snprintf(out + o, size - o, "%s", negated ? ")" : "");
}

static void shuffle(struct query *q)
{
	char swap[sizeof q->piece[0]];
	for (int i = q->n - 1; i > 0; i--) {
		int j = (int)rnd((uint64_t)i + 1);
		memcpy(swap, q->piece[i], sizeof swap);
		memcpy(q->piece[i], q->piece[j], sizeof swap);
		memcpy(q->piece[j], swap, sizeof swap);
	}
}

static const char *folder;
static unsigned written, wanted;

static void write_query(const struct query *q, const char *note)
{
	char path[4096];
	if (written >= wanted)
		return;
	snprintf(path, sizeof path, "%s/%06u.smt2", folder, written++);
	FILE *f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(3);
	}
	fprintf(f, "; %s\n(set-logic ALL)\n(declare-fun f (Int) Int)\n%s", note, q->declarations);
	for (int i = 0; i < q->n; i++)
		fprintf(f, "(assert %s)\n", q->piece[i]);
	fprintf(f, "(check-sat)\n(exit)\n");
	if (fclose(f) != 0) {
		perror(path);
		exit(3);
	}
}

/* ---- scalar */

/* One call: a context of other conditions, then every prefix of the method's path, last condition taken and negated. */
static void call_method(const struct method *m, const struct method *context, unsigned call)
{
	char names[PARAMS][24], around[PARAMS][24];
	struct query base = {.n = 0};
	for (int i = 0; i < PARAMS; i++) {
		snprintf(names[i], sizeof names[i], "v%u_%d", call, i);
		snprintf(around[i], sizeof around[i], "c%u_%d", call, i);
		/* two parameters may be one variable: substitutions are not injective */
		if (i > 0 && rnd(8) == 0)
			memcpy(names[i], names[i - 1], sizeof names[i]);
		else
			declare(&base, names[i], m->sort);
		declare(&base, around[i], context->sort);
	}
	int extra = (int)rnd(4);
	for (int i = 0; i < extra && i < context->n; i++)
		instantiate(base.piece[base.n++], sizeof base.piece[0], &context->at[i], around, false);
	for (int i = 0; i < m->n; i++)
		for (int negated = 0; negated < 2; negated++) {
			struct query q = base;
			for (int j = 0; j < i; j++)
				instantiate(q.piece[q.n++], sizeof q.piece[0], &m->at[j], names, false);
			instantiate(q.piece[q.n++], sizeof q.piece[0], &m->at[i], names, negated);
			if (rnd(3) == 0)
				shuffle(&q);
			write_query(&q, "scalar");
		}
}

static void scalar(void)
{
	enum { METHODS = 60 };
	static struct method methods[METHODS];
	for (int i = 0; i < METHODS; i++)
		make_method(&methods[i]);
	for (unsigned call = 0; written < wanted; call++)
		call_method(&methods[rnd(METHODS)], &methods[rnd(METHODS)], call);
}

/* ---- orders */

enum { WIDTH = 6, LAYERS = 9 };

static void less(struct query *q, unsigned id, unsigned a, unsigned b)
{
	snprintf(q->piece[q->n++], sizeof q->piece[0], "(< w%u_%u w%u_%u)", id, a, id, b);
}

/* Edges lead from layer to layer, about half of those there can be; one back from the last to the first closes
 * cycles that are all as long as there are layers. */
static void orders(void)
{
	while (written < wanted) {
		struct query q = {.n = 0};
		char name[24];
		unsigned id = written, layers = 3 + (unsigned)rnd(LAYERS - 2), first = (unsigned)rnd(WIDTH), at = first;
		for (unsigned i = 0; i < layers * WIDTH; i++) {
			snprintf(name, sizeof name, "w%u_%u", id, i);
			declare(&q, name, INT);
		}
		for (unsigned l = 0; l + 1 < layers; l++) {
			unsigned way = (unsigned)rnd(WIDTH); /* there is one from first to at */
			for (unsigned a = 0; a < WIDTH; a++)
				for (unsigned b = 0; b < WIDTH; b++)
					if ((a == at && b == way) || rnd(2))
						less(&q, id, l * WIDTH + a, (l + 1) * WIDTH + b);
			at = way;
		}
		if (written % 2)
			less(&q, id, (layers - 1) * WIDTH + at, first);
		shuffle(&q);
		write_query(&q, "orders");
	}
}

/* ---- vary */

static void rename_call(struct query *q, const struct method *m, unsigned call, const int map[PARAMS])
{
	char names[PARAMS][24];
	*q = (struct query){.n = 0};
	for (int i = 0; i < PARAMS; i++) {
		char own[24];
		snprintf(own, sizeof own, "n%u_%d", call, i);
		declare(q, own, m->sort);
		snprintf(names[i], sizeof names[i], "n%u_%d", call, map[i]);
	}
	for (int i = 0; i < m->n; i++)
		instantiate(q->piece[q->n++], sizeof q->piece[0], &m->at[i], names, false);
}

/* Adds or takes one from the first digit of one condition's constant (not of a sort's width). */
static void near_miss(struct method *m)
{
	struct condition *c = &m->at[rnd((uint64_t)m->n)];
	const char *before = m->sort == BV ? "_ bv" : m->sort == FP ? "RNE " : " ";
	for (char *s = strstr(c->text, before); s; s = strstr(s + 1, before)) {
		char *digit = s + strlen(before);
		if (*digit >= '1' && *digit <= '8') {
			*digit = (char)(*digit + (rnd(2) ? 1 : -1));
			return;
		}
	}
}

/* A formula whose bound variable has a name that is free elsewhere, and nested binders of one name. */
static void shadowed(struct query *q, unsigned call)
{
	static const char *const bodies[] = {
		"(forall ((x Int)) (= x y))",
		"(forall ((z Int)) (= z z))",
		"(exists ((y Int)) (and (> y x) (forall ((x Int)) (>= (* x x) 0))))",
		"(forall ((y Int)) (=> (> y x) (exists ((x Int)) (= x (+ y 1)))))",
		"(forall ((x Int)) (exists ((x Int)) (= x y)))",
		"(let ((x (+ y 1))) (let ((y x)) (= x y)))",
		"(let ((x y) (y x)) (< x y))",
		"(exists ((i Int)) (= (f i) x))",
	};
	*q = (struct query){.n = 0};
	declare(q, "x", INT);
	declare(q, "y", INT);
	int n = 1 + (int)rnd(3);
	for (int i = 0; i < n; i++)
		snprintf(q->piece[q->n++], sizeof q->piece[0], rnd(3) ? "%s" : "(not %s)",
			 bodies[rnd(sizeof bodies / sizeof *bodies)]);
	snprintf(q->piece[q->n++], sizeof q->piece[0], "(%s x (+ y %u))", rnd(2) ? "<" : "=", call % 5);
}

static void vary(void)
{
	static const int same[PARAMS] = {0, 1, 2, 3}, rotated[PARAMS] = {2, 3, 0, 1}, merged[PARAMS] = {0, 0, 2, 3};
	for (unsigned call = 0; written < wanted; call++) {
		struct method m, other;
		struct query q;
		make_method(&m);
		rename_call(&q, &m, call, same);
		write_query(&q, "base");
		rename_call(&q, &m, call + 1000000, rotated);
		write_query(&q, "renamed");
		shuffle(&q);
		write_query(&q, "permuted");
		rename_call(&q, &m, call, merged);
		write_query(&q, "merged");
		other = m;
		if (other.n > 2)
			other.n--;
		rename_call(&q, &other, call + 2000000, rotated);
		write_query(&q, "weakened");
		rename_call(&q, &m, call + 3000000, same);
		snprintf(q.piece[q.n++], sizeof q.piece[0], "%s", q.piece[0]);
		write_query(&q, "strengthened");
		other = m;
		near_miss(&other);
		rename_call(&q, &other, call + 4000000, same);
		write_query(&q, "near miss");
		shadowed(&q, call);
		write_query(&q, "shadowed");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} kinds[] = {{"scalar", scalar}, {"orders", orders}, {"vary", vary}};
	size_t kind = 0;
	while (argc == 5 && kind < sizeof kinds / sizeof *kinds && strcmp(argv[1], kinds[kind].name) != 0)
		kind++;
	if (argc != 5 || kind == sizeof kinds / sizeof *kinds) {
		fprintf(stderr, "usage: gen_suite scalar|orders|vary SEED COUNT FOLDER\n");
		return 2;
	}
	rng_state = strtoull(argv[2], NULL, 10);
	wanted = (unsigned)strtoul(argv[3], NULL, 10);
	folder = argv[4];
	kinds[kind].make();
	return 0;
}
