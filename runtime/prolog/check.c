/* SPDX-License-Identifier: MIT */
/* Contracts of a Prolog program: regular types checked on the raw terms of GNU Prolog, verdicts cached (engine A).
 *
 * The paper's Algorithm 1 on words of the abstract machine: a type is a list of constructors, each with the types of
 * its arguments; compound terms that belong to a type are remembered by (address, type), in a direct-mapped or LRU
 * cache of bounded size, down to a depth limit. A check never binds.
 *
 * An entry is right as long as the term is there and its variables are bound as they are. Only backtracking undoes
 * either, and backtracking unwinds the trail: before an entry is made, a record that calls undo() lies on the trail
 * above the newest choice point, with the number of the epoch it opened; undo() drops the entries of that and later
 * epochs. (Comparing heap tops is not enough: a variable below the top may be unbound and bound again.) Only setarg
 * changes a term otherwise: the linker leads its calls here (--wrap), and everything is forgotten.
 *
 * For GNU Prolog 1.4 on x86-64, whose registers for the trail's and choice point's tops are r13 and r14; the layout
 * of terms is tested before the first check, and a program for another layout is refused. */
#ifndef __x86_64__
#error "contracts for GNU Prolog need x86-64"
#endif
typedef long word;
register word *trail_top __asm__("r13");
register word **choice_top __asm__("r14");

#include <gprolog.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_REF, TAG_LIST, TAG_STRUCT, TAG_ATOM, TAG_FLOAT, TAG_FD, TAG_INT = 7 }; /* FD: a constrained variable */
enum {
	MAX_TYPES = 500,
	MAX_ATOMS = 1 << 16,
	MAX_SIZE = 65536,
	DEEP = 20000,
	MAX_CASES = 256,
	FILLED = 1 << 16,
	TRAIL_CALL = 3,
	CHOICE_TRAIL = -7
};
enum primitive {
	P_NONE,
	P_INT,
	P_ATM,
	P_NUM,
	P_FLT,
	P_TERM,
	P_ATOMIC,
	P_VAR,
	P_NONVAR,
	P_GROUND,
	P_CALLABLE,
	N_PRIMITIVES
};
static const char *const primitive_names[] = {"",       "int", "atm",    "num",    "flt",     "term",
					      "atomic", "var", "nonvar", "ground", "callable"};

struct constructor {
	word key; /* a constant as a word, or the word at a structure's address; TAG_LIST: a list cell */
	int kind; /* 0: constant, 1: structure or list cell, 2: another type */
	int arity;
	int *types; /* of the arguments; [0] of kind 2 */
};

struct type {
	int atom, n;
	struct constructor *c;
};

struct entry {
	word *term;
	int type, next; /* in its chain, 1 + slot */
	long epoch;
	int older, newer;
};

static struct type types[MAX_TYPES]; /* the first N_PRIMITIVES are those */
static int n_types;
static short type_of[MAX_ATOMS];

static struct {
	int mode; /* 0 abort, 1 warn, 2 count, 3 off */
	int lru, size, depth, on, stats;
	unsigned mask; /* size - 1 where size is a power of two, else 0 */
} cfg = {.size = 65536, .on = 1, .mask = 65535};

static struct entry cache[MAX_SIZE + 1];
static int bucket[MAX_SIZE + 1], used, newest = -1, oldest = -1, free_slot = -1;
static long epoch = 1, checks, visits, hits, undone, violations;
static word *last_record;

/* Slots in the order in which they were filled, with the epoch: what undo() has to look at. When it is full the
 * cache is emptied, which is always right. */
static struct {
	int slot;
	long epoch;
} filled[FILLED];
static int n_filled;

static inline int tag(word w)
{
	return (int)(w & 7);
}
static inline word *address(word w)
{
	return (word *)(w & ~7L);
}

static inline word deref(word w)
{
	while (tag(w) == TAG_REF) {
		word n = *address(w);
		if (n == w)
			break;
		w = n;
	}
	return w;
}

/* ---- the cache */

static inline unsigned slot_of(const word *x, int t)
{
	uintptr_t a = (uintptr_t)x >> 3;
	a += (a >> 9) + (uintptr_t)t * 7;
	return cfg.mask ? (unsigned)a & cfg.mask : (unsigned)(a % (unsigned)cfg.size);
}

static void unlink_slot(int s)
{
	struct entry *e = &cache[s];
	if (e->newer >= 0)
		cache[e->newer].older = e->older;
	else
		newest = e->older;
	if (e->older >= 0)
		cache[e->older].newer = e->newer;
	else
		oldest = e->newer;
}

static void link_newest(int s)
{
	cache[s].newer = -1;
	cache[s].older = newest;
	if (newest >= 0)
		cache[newest].newer = s;
	newest = s;
	if (oldest < 0)
		oldest = s;
}

static void drop(int s)
{
	if (cfg.lru) {
		int *at = &bucket[slot_of(cache[s].term, cache[s].type)];
		while (*at != s + 1)
			at = &cache[*at - 1].next;
		*at = cache[s].next;
		unlink_slot(s);
		cache[s].next = free_slot;
		free_slot = s;
	}
	cache[s].term = NULL;
}

static inline int lookup(const word *x, int t)
{
	unsigned h = slot_of(x, t);
	if (!cfg.lru)
		return cache[h].term == x && cache[h].type == t;
	for (int s = bucket[h]; s; s = cache[s - 1].next)
		if (cache[s - 1].term == x && cache[s - 1].type == t) {
			if (newest != s - 1) {
				unlink_slot(s - 1);
				link_newest(s - 1);
			}
			return 1;
		}
	return 0;
}

/* Backtracking passes the record: what was learnt since is no longer known. */
static void undo(int n, word *arg)
{
	long e = arg[0];
	(void)n;
	undone++;
	for (; n_filled && filled[n_filled - 1].epoch >= e; n_filled--) {
		int s = filled[n_filled - 1].slot;
		if (cache[s].term && cache[s].epoch >= e)
			drop(s);
	}
	last_record = NULL;
}

static inline void guard(void)
{
	word *floor = ((word **)choice_top)[CHOICE_TRAIL];
	if (last_record && last_record >= floor && last_record < trail_top)
		return;
	word *tr = trail_top;
	tr[0] = ++epoch;
	tr[1] = 1;
	tr[2] = (word)undo;
	tr[3] = TRAIL_CALL;
	last_record = tr;
	trail_top = tr + 4;
}

static void forget_all(void)
{
	for (; n_filled; n_filled--)
		if (cache[filled[n_filled - 1].slot].term)
			drop(filled[n_filled - 1].slot);
}

PlBool __real_Pl_Setarg_4(word n, word term, word value, word undo);

/* setarg/3 and setarg/4: the built-in predicate, after what is known of its term, and of terms around it. */
PlBool __wrap_Pl_Setarg_4(word n, word term, word value, word undo)
{
	forget_all();
	return __real_Pl_Setarg_4(n, term, value, undo);
}

static void insert(word *x, int t)
{
	unsigned h = slot_of(x, t);
	guard();
	if (n_filled == FILLED)
		forget_all();
	int s = (int)h;
	if (cfg.lru) {
		if (free_slot < 0 && used == cfg.size)
			drop(oldest);
		if (free_slot >= 0) {
			s = free_slot;
			free_slot = cache[s].next;
		} else {
			s = used++;
		}
		cache[s].next = bucket[h];
		bucket[h] = s + 1;
		link_newest(s);
	}
	cache[s].term = x;
	cache[s].type = t;
	cache[s].epoch = epoch;
	filled[n_filled].slot = s;
	filled[n_filled++].epoch = epoch;
}

/* ---- checking */

static inline int unbound(word w)
{
	return tag(w) == TAG_REF || tag(w) == TAG_FD;
}

static int flat(word w, int t);

static int primitive(word w, int t)
{
	int g = tag(w);
	switch (t) {
	case P_INT:
		return g == TAG_INT;
	case P_ATM:
		return g == TAG_ATOM;
	case P_NUM:
		return g == TAG_INT || g == TAG_FLOAT;
	case P_FLT:
		return g == TAG_FLOAT;
	case P_TERM:
		return 1;
	case P_ATOMIC:
		return g == TAG_INT || g == TAG_FLOAT || g == TAG_ATOM;
	case P_VAR:
		return unbound(w);
	case P_NONVAR:
		return !unbound(w);
	case P_GROUND:
		return !unbound(w) && (g != TAG_LIST && g != TAG_STRUCT || flat(w, P_GROUND));
	default:
		return g == TAG_ATOM || g == TAG_STRUCT || g == TAG_LIST;
	}
}

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "refrain: %s%s\n", what, name);
	_Exit(2);
}

static int check(word w, int t, int depth);

/* The constructor of type t that the term w has; NULL: none. *whole: a constant, or of a type that t includes. */
static inline const struct constructor *constructor_of(word w, int t, int depth, int *whole)
{
	const struct type *ty = &types[t];
	int g = tag(w), compound = g == TAG_LIST || g == TAG_STRUCT;
	word key = g == TAG_LIST ? TAG_LIST : g == TAG_STRUCT ? *address(w) : w;
	for (const struct constructor *c = ty->c; c < ty->c + ty->n; c++)
		if (c->kind == 2 ? check(w, c->types[0], depth + 1) : c->kind == compound && c->key == key) {
			*whole = c->kind != 1;
			return c;
		}
	return NULL;
}

/* The same verdict without recursion or new entries: for terms deeper than the C stack may be. */
static int flat(word w, int t)
{
	struct {
		word w;
		int t;
	} *todo = NULL;
	size_t n = 0, room = 0;
	int good = 1, whole;
	for (;;) {
		w = deref(w);
		int compound = tag(w) == TAG_LIST || tag(w) == TAG_STRUCT, functor, arity = 0;
		const struct constructor *c = NULL;
		if (t < N_PRIMITIVES && !(t == P_GROUND && compound)) {
			good = primitive(w, t);
		} else {
			whole = 0;
			c = t == P_GROUND ? NULL : constructor_of(w, t, DEEP, &whole);
			good = c || t == P_GROUND;
			if (good && !whole && !(c && cfg.on && lookup(address(w), t)))
				arity = (Pl_Rd_Compound((PlTerm)w, &functor, &arity), arity);
		}
		if (!good)
			break;
		if (n + (size_t)arity > room &&
		    !(todo = realloc(todo, (room = 2 * (n + (size_t)arity)) * sizeof *todo)))
			fail("out of memory", "");
		const word *a = tag(w) == TAG_LIST ? address(w) : address(w) + 1;
		for (int i = 0; i < arity; i++, n++) {
			todo[n].w = a[i];
			todo[n].t = c ? c->types[i] : P_GROUND;
		}
		if (!n)
			break;
		w = todo[--n].w;
		t = todo[n].t;
	}
	free(todo);
	return good;
}

/* Goes down the last argument in a loop where nothing is left to do on the way back. */
static int check(word w, int t, int depth)
{
again:
	w = deref(w);
	if (depth > 2 * DEEP)
		fail("this term, or the type that includes others, is too deep to check: ",
		     Pl_Atom_Name(types[t].atom));
	if (depth == DEEP)
		return flat(w, t);
	if (t < N_PRIMITIVES)
		return primitive(w, t);
	int whole;
	const struct constructor *c = constructor_of(w, t, depth, &whole);
	if (!c || whole)
		return c != NULL;
	word *x = address(w);
	visits++;
	if (cfg.on && lookup(x, t)) {
		hits++;
		return 1;
	}
	const word *a = tag(w) == TAG_LIST ? x : x + 1;
	for (int i = 0; i + 1 < c->arity; i++)
		if (!(c->types[i] == P_INT && tag(a[i]) == TAG_INT) && c->types[i] != P_TERM &&
		    !check(a[i], c->types[i], depth + 1))
			return 0;
	int keep = cfg.on && (!cfg.depth || depth < cfg.depth);
	if (keep) {
		if (!check(a[c->arity - 1], c->types[c->arity - 1], depth + 1))
			return 0;
		insert(x, t);
		return 1;
	}
	w = a[c->arity - 1];
	t = c->types[c->arity - 1];
	depth++;
	goto again;
}

/* ---- starting */

static void at_end(void)
{
	if (cfg.stats)
		fprintf(stderr, "refrain: %ld checks, %ld violations, %ld terms visited, %ld cache hits, %ld undone\n",
			checks, violations, visits, hits, undone);
}

static void set_word(const char *w)
{
	static const char *const modes[] = {"abort", "warn", "count", "off"};
	char *end = NULL;
	for (int i = 0; i < 4; i++)
		if (strcmp(w, modes[i]) == 0) {
			cfg.mode = i;
			return;
		}
	if (strcmp(w, "stats") == 0)
		cfg.stats = 1;
	else if (strcmp(w, "engine=none") == 0)
		cfg.on = 0;
	else if (strcmp(w, "engine=cache") == 0)
		cfg.on = 1;
	else if (strcmp(w, "policy=lru") == 0)
		cfg.lru = 1;
	else if (strcmp(w, "policy=direct") == 0)
		cfg.lru = 0;
	else if (strcmp(w, "depth=inf") == 0)
		cfg.depth = 0;
	else if (strncmp(w, "depth=", 6) == 0 && (cfg.depth = (int)strtol(w + 6, &end, 10)) > 0 && !*end)
		return;
	else if (strncmp(w, "size=", 5) == 0 && (cfg.size = (int)strtol(w + 5, &end, 10)) > 0 && cfg.size <= MAX_SIZE &&
		 !*end)
		return;
	else
		fail("RF_CHECK: invalid word ", w);
}

static void start(void)
{
	static int started;
	if (started)
		return;
	started = 1;
	const char *env = getenv("RF_CHECK");
	char words[400];
	snprintf(words, sizeof words, "%s", env ? env : "");
	for (char *w = words, *next; w && *w; w = next) {
		next = strchr(w, ',');
		if (next)
			*next++ = '\0';
		if (*w)
			set_word(w);
	}
	cfg.mask = cfg.size & (cfg.size - 1) ? 0 : (unsigned)cfg.size - 1;
	/* the layout that the checks rely on */
	PlTerm a[2] = {Pl_Mk_Integer(5), Pl_Mk_Integer(-7)}, l = Pl_Mk_List(a);
	PlTerm s = Pl_Mk_Compound(Pl_Create_Atom("f"), 2, a), s2 = Pl_Mk_Compound(Pl_Create_Atom("f"), 2, a);
	int ok = tag(a[0]) == TAG_INT && tag(a[1]) == TAG_INT && tag(l) == TAG_LIST && address(l)[0] == (word)a[0] &&
		 address(l)[1] == (word)a[1] && tag(s) == TAG_STRUCT && address(s)[1] == (word)a[0] &&
		 address(s)[2] == (word)a[1] && *address(s) == *address(s2) &&
		 tag(Pl_Mk_Atom(Pl_Create_Atom("f"))) == TAG_ATOM && tag(Pl_Mk_Float(1.5)) == TAG_FLOAT;
	if (!ok)
		fail("this version of GNU Prolog represents terms in another way: contracts cannot be checked", "");
	n_types = N_PRIMITIVES;
	for (int i = 1; i < N_PRIMITIVES; i++)
		type_of[Pl_Create_Atom(primitive_names[i])] = (short)i;
	atexit(at_end);
}

static int named(int atom)
{
	if (atom < 0 || atom >= MAX_ATOMS)
		fail("too many atoms: ", Pl_Atom_Name(atom));
	if (!type_of[atom]) {
		if (n_types == MAX_TYPES)
			fail("too many types: ", Pl_Atom_Name(atom));
		types[n_types].atom = atom;
		type_of[atom] = (short)n_types++;
	}
	return type_of[atom];
}

/* rf_type(Name, [const(C), term(F, N, Types), is(Type), …]) */
PlBool rf_pl_type(PlLong name, PlTerm list)
{
	start();
	int t = named((int)name), n = 0, f, arity;
	if (types[t].n || t < N_PRIMITIVES)
		return PL_TRUE;
	struct constructor *c = calloc(MAX_CASES, sizeof *c);
	for (PlTerm *cell; n < MAX_CASES && tag(deref((word)list)) == TAG_LIST; n++) {
		cell = Pl_Rd_List(list);
		PlTerm *a = Pl_Rd_Compound(cell[0], &f, &arity);
		if (strcmp(Pl_Atom_Name(f), "const") == 0) {
			c[n].key = deref(a[0]);
		} else if (strcmp(Pl_Atom_Name(f), "is") == 0) {
			c[n].kind = 2;
			c[n].types = calloc(1, sizeof *c[n].types);
			c[n].types[0] = named(Pl_Rd_Atom(a[0]));
		} else {
			int functor = Pl_Rd_Atom(a[0]), k = 0;
			c[n].kind = 1;
			c[n].arity = (int)Pl_Rd_Integer(a[1]);
			c[n].types = calloc((size_t)c[n].arity, sizeof *c[n].types);
			PlTerm args[64], ts = a[2];
			for (PlTerm *cc; k < c[n].arity && k < 64 && (cc = Pl_Rd_List(ts)) != NULL; k++, ts = cc[1]) {
				c[n].types[k] = named(Pl_Rd_Atom(cc[0]));
				args[k] = Pl_Mk_Integer(0);
			}
			int is_list = functor == Pl_Create_Atom(".") && c[n].arity == 2;
			c[n].key = is_list ? TAG_LIST : *address(Pl_Mk_Compound(functor, c[n].arity, args));
		}
		list = cell[1];
	}
	if (tag(deref((word)list)) == TAG_LIST)
		fail("too many cases: ", Pl_Atom_Name((int)name));
	types[t].c = c;
	types[t].n = n;
	return PL_TRUE;
}

static void report(int site)
{
	violations++;
	if (cfg.mode <= 1)
		fprintf(stderr, "refrain: contract violated: %s\n", Pl_Atom_Name(site));
	if (cfg.mode == 0) {
		PlTerm a[1] = {Pl_Mk_Atom(site)};
		Pl_Throw(Pl_Mk_Compound(Pl_Create_Atom("contract_violated"), 1, a));
	}
}

static int holds(int type, PlTerm x)
{
	int t = type >= 0 && type < MAX_ATOMS ? type_of[type] : 0;
	if (!t || (t >= N_PRIMITIVES && !types[t].n))
		fail("unknown type ", Pl_Atom_Name(type));
	checks++;
	return check((word)x, t, 0);
}

PlBool rf_pl_must(PlLong type, PlTerm x, PlLong site)
{
	start();
	if (cfg.mode != 3 && !holds((int)type, x))
		report((int)site);
	return PL_TRUE;
}

PlBool rf_pl_is(PlLong type, PlTerm x)
{
	start();
	return cfg.mode == 3 || holds((int)type, x);
}

PlBool rf_pl_violated(PlLong site)
{
	start();
	if (cfg.mode != 3)
		report((int)site);
	return PL_TRUE;
}
