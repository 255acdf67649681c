/* SPDX-License-Identifier: MIT */
/* Reverse unit propagation: see proof.h. Each clause is watched by two literals that are not false, if it has them;
 * after each question everything that was assumed is taken back. */
#include "smt/circuit/proof.h"

#include <stdlib.h>

struct list {
	VEC_FIELDS(uint32_t);
};

struct proof {
	VEC(uint32_t) lits;   /* of all clauses: size, then the literals */
	VEC(struct list) of;  /* per literal: the clauses that watch it */
	VEC(int8_t) value;    /* per literal */
	VEC(uint32_t) trail;  /* true literals */
	size_t head, certain; /* what is propagated; what holds without assumptions */
	bool conflict;        /* the clauses contradict each other */
	bool bad;             /* a learnt clause did not follow */
	uint64_t steps;
};

struct proof *proof_new(void)
{
	return mem_zalloc(sizeof(struct proof));
}

void proof_free(struct proof *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->of.n; i++)
		vec_release(&p->of.at[i]);
	vec_release_all(&p->lits, &p->of, &p->value, &p->trail);
	free(p);
}

bool proof_ok(const struct proof *p)
{
	return !p->bad;
}

uint64_t proof_steps(const struct proof *p)
{
	return p->steps;
}

static void make_room(struct proof *p, const uint32_t *lits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		while (p->value.n <= (lits[i] | 1)) {
			vec_push(&p->value, 0);
			vec_push(&p->of, ((struct list){0}));
		}
}

static void set(struct proof *p, uint32_t lit)
{
	p->value.at[lit] = 1;
	p->value.at[lit ^ 1] = -1;
	vec_push(&p->trail, lit);
}

/* A clause one of whose watched literals has become false: finds another, or what follows. False: a conflict. */
static bool visit(struct proof *p, uint32_t clause, uint32_t lit, bool *moved)
{
	uint32_t n = p->lits.at[clause], *l = &p->lits.at[clause + 1];
	p->steps++;
	if (l[0] == lit) {
		l[0] = l[1];
		l[1] = lit;
	}
	if (p->value.at[l[0]] > 0)
		return true;
	for (uint32_t i = 2; i < n; i++)
		if (p->value.at[l[i]] >= 0) {
			l[1] = l[i];
			l[i] = lit;
			vec_push(&p->of.at[l[1]], clause);
			*moved = true;
			return true;
		}
	if (p->value.at[l[0]] < 0)
		return false;
	set(p, l[0]);
	return true;
}

/* False: a conflict. */
static bool propagate(struct proof *p)
{
	bool ok = true;
	while (ok && p->head < p->trail.n) {
		uint32_t gone = p->trail.at[p->head++] ^ 1;
		size_t keep = 0, n = p->of.at[gone].n;
		for (size_t i = 0; i < n; i++) {
			uint32_t clause = p->of.at[gone].at[i];
			bool moved = false;
			if (ok)
				ok = visit(p, clause, gone, &moved);
			if (!moved)
				p->of.at[gone].at[keep++] = clause;
		}
		p->of.at[gone].n = keep;
	}
	return ok;
}

static void take_back(struct proof *p)
{
	while (p->trail.n > p->certain) {
		uint32_t lit = vec_pop(&p->trail);
		p->value.at[lit] = p->value.at[lit ^ 1] = 0;
	}
	p->head = p->certain;
}

bool proof_refutes(struct proof *p, const uint32_t *lits, size_t n)
{
	bool ok = !p->conflict;
	make_room(p, lits, n);
	for (size_t i = 0; i < n && ok; i++) {
		ok = p->value.at[lits[i]] >= 0;
		if (ok && !p->value.at[lits[i]])
			set(p, lits[i]);
	}
	ok = ok && propagate(p);
	take_back(p);
	return !ok;
}

/* Keeps a clause, whose literals are all different. Two literals that are not false come first, so that no watch is
 * missed. */
static void keep(struct proof *p, const uint32_t *lits, size_t n)
{
	uint32_t at = (uint32_t)p->lits.n;
	vec_push(&p->lits, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		vec_push(&p->lits, lits[i]);
	uint32_t *l = &p->lits.at[at + 1];
	size_t open = 0;
	for (size_t i = 0; i < n && open < 2; i++)
		if (p->value.at[l[i]] >= 0) {
			uint32_t t = l[open];
			l[open++] = l[i];
			l[i] = t;
		}
	if (n > 1) {
		vec_push(&p->of.at[l[0]], at);
		vec_push(&p->of.at[l[1]], at);
	}
	if (!open)
		p->conflict = true;
	else if (open == 1 && !p->value.at[l[0]]) {
		set(p, l[0]);
		p->conflict = !propagate(p);
		p->certain = p->trail.n;
	}
}

void proof_given(struct proof *p, const uint32_t *lits, size_t n)
{
	VEC(uint32_t) once = {0};
	make_room(p, lits, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < once.n && once.at[k] != lits[i])
			k++;
		if (k == once.n)
			vec_push(&once, lits[i]);
	}
	if (!p->conflict)
		keep(p, once.at, once.n);
	vec_release(&once);
}

void proof_learnt(struct proof *p, const uint32_t *lits, size_t n)
{
	VEC(uint32_t) negated = {0};
	make_room(p, lits, n);
	if (p->conflict)
		return;
	for (size_t i = 0; i < n; i++)
		vec_push(&negated, lits[i] ^ 1);
	if (proof_refutes(p, negated.at, n))
		keep(p, lits, n);
	else
		p->bad = true;
	vec_release(&negated);
}
