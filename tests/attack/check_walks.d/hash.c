/* SPDX-License-Identifier: MIT */
/* A hash table: chains, their lengths, their sum and the longest. */
#include "walk.h"

struct ent {
	struct ent *next;
	unsigned hash;
	char key[8];
};

struct table {
	struct ent *bucket[8];
	unsigned n;
};

/*@ regtype chain : struct ent = null | { next : chain, key : string(1..), (hash & 7) == (next->hash & 7) };
    measure len(chain) = 1 + len(next);
    regtype table : struct table = { bucket[0..7] : chain, n == sum(len(bucket)), max(len(bucket)) <= 4 };
    pred probe(t) : table(t); */
NOINLINE void probe(struct table *t)
{
	(void)t;
}

static struct table *t;
static void build(void)
{
	t = calloc(1, sizeof *t);
}

static int dirty;
static void mutate(void)
{
	if (dirty) {
		for (int i = 0; i < 8; i++)
			while (t->bucket[i]) {
				struct ent *e = t->bucket[i];
				t->bucket[i] = e->next;
				free(e);
			}
		t->n = 0;
		dirty = 0;
		return;
	}
	unsigned h = rnd(64);
	struct ent **p = &t->bucket[h & 7];
	switch (rnd(8)) {
	case 0:
	case 1:
	case 2:
	case 3: {
		struct ent *e = calloc(1, sizeof *e);
		e->hash = h;
		text(e->key, "k");
		e->next = *p;
		*p = e;
		t->n++;
	} break;
	case 4:
		if (*p) {
			struct ent *e = *p;
			*p = e->next;
			free(e);
			t->n--;
		}
		break;
	case 5:
		if (*p)
			(*p)->key[0] = rnd(2) ? 'x' : 0;
		break;
	case 6:
		if (*p && rnd(2))
			(*p)->hash = rnd(64);
		break;
	case 7:
		if (rnd(5) == 0)
			t->n++;
	}
}

static int walk(void)
{
	unsigned n = 0;
	int r = 1;
	for (int i = 0; i < 8; i++) {
		int k = 0;
		for (struct ent *e = t->bucket[i]; e; e = e->next) {
			n++;
			k++;
			if (!e->key[0] || !memchr(e->key, 0, 8))
				r = 0;
			if (e->next && (e->hash & 7) != (e->next->hash & 7))
				r = 0;
		}
		if (k > 4)
			r = 0;
	}
	if (n != t->n)
		r = 0;
	if (!r && rnd(2))
		dirty = 1;
	return r;
}

static void call(void)
{
	probe(t);
}
