/* The paper's seven structures as persistent C (insertion copies the path), with the paper's numbers of assertions as
 * checks at every internal call. persist STRUCTURE LOG2N LIMIT: inserts shuffled keys, stops after LIMIT CPU seconds, and
 * prints nanoseconds per insertion and the number done. Memory is an arena that is never reused: data is immutable. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct list { struct list *next; long v; };
struct queue { struct list *ins, *del; };
struct avl { struct avl *l, *r; int k, h; };
struct ht { struct ht *l, *r; long k; };
struct heap { struct ht *t; long n; };
struct bt { int tag; int key[5]; struct bt *kid[6]; };
struct split { struct bt *l, *r; int k; };
struct rb { struct rb *l, *r; int k, c; };
struct tr { struct tr *l, *r; long k; };

/*@ regtype list : struct list = null | { next : list };
    regtype queue : struct queue = { ins : list, del : list };
    regtype avl : struct avl = null | { l : avl, r : avl, h : int(1..64) };
    regtype ht : struct ht = null | { l : ht, r : ht };
    regtype heap : struct heap = { t : ht, n : int(0..1000000) };
    regtype bt : struct bt = null | case tag { 1 : { kid[0..1] : bt }, 2 : { kid[0..2] : bt }, 3 : { kid[0..3] : bt }, 4 : { kid[0..4] : bt }, 17..20 : {} };
    regtype rb : struct rb = null | case c { 0 | 1 : { l : rb, r : rb } };
    regtype tr : struct tr = null | { l : tr, r : tr };
    pred enqueue(q, v) : queue(q) => queue(result);
    pred cons(v, n) : list(n) => list(result);
    pred set_ins(s, v) : list(s) => list(result);
    pred avl_make(l, k, r) : avl(l), avl(r) => avl(result);
    pred avl_bal(l, k, r) : avl(l), avl(r) => avl(result);
    pred avl_ins(t, k) : avl(t) => avl(result);
    pred ht_make(k, l, r) : ht(l), ht(r) => ht(result);
    pred ht_ins(t, k, pos, bit) : ht(t) => ht(result);
    pred heap_ins(h, k) : heap(h) => heap(result);
    pred bt_put(t, i, k, c) : bt(t), bt(c.l), bt(c.r) => bt(result.l), bt(result.r);
    pred bt_ins(t, k) : bt(t) => bt(result.l), bt(result.r);
    pred bt_insert(t, k) : bt(t) => bt(result);
    pred rb_make(c, l, k, r) : rb(l), rb(r) => rb(result);
    pred rb_bal(c, l, k, r) : rb(l), rb(r) => rb(result);
    pred rb_in(t, k) : rb(t) => rb(result);
    pred rb_insert(t, k) : rb(t) => rb(result);
    pred tr_ins(t, k) : tr(t) => tr(result); */

static char *arena, *arena_end;

static void *take(size_t n)
{
	if ((size_t)(arena_end - arena) < n) {
		size_t size = (size_t)1 << 30;
		arena = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		arena_end = arena + size;
	}
	void *p = arena;
	arena += (n + 15) & ~(size_t)15;
	return p;
}

#define NEW(T, ...) memcpy(take(sizeof(T)), &(T){__VA_ARGS__}, sizeof(T))

static struct list *cons(long v, struct list *n)
{
	return NEW(struct list, n, v);
}

static struct queue *enqueue(struct queue *q, long v)
{
	return NEW(struct queue, cons(v, q->ins), q->del);
}

static struct list *set_ins(struct list *s, long v)
{
	if (!s || s->v > v)
		return NEW(struct list, s, v);
	return s->v == v ? s : NEW(struct list, set_ins(s->next, v), s->v);
}

static int h(struct avl *t)
{
	return t ? t->h : 0;
}

static struct avl *avl_make(struct avl *l, int k, struct avl *r)
{
	return NEW(struct avl, l, r, k, 1 + (h(l) > h(r) ? h(l) : h(r)));
}

static struct avl *avl_bal(struct avl *l, int k, struct avl *r)
{
	if (h(l) > h(r) + 1) {
		if (h(l->l) >= h(l->r))
			return avl_make(l->l, l->k, avl_make(l->r, k, r));
		return avl_make(avl_make(l->l, l->k, l->r->l), l->r->k, avl_make(l->r->r, k, r));
	}
	if (h(r) > h(l) + 1) {
		if (h(r->r) >= h(r->l))
			return avl_make(avl_make(l, k, r->l), r->k, r->r);
		return avl_make(avl_make(l, k, r->l->l), r->l->k, avl_make(r->l->r, r->k, r->r));
	}
	return avl_make(l, k, r);
}

static struct avl *avl_ins(struct avl *t, int k)
{
	if (!t)
		return avl_make(NULL, k, NULL);
	if (k == t->k)
		return t;
	return k < t->k ? avl_bal(avl_ins(t->l, k), t->k, t->r) : avl_bal(t->l, t->k, avl_ins(t->r, k));
}

static struct ht *ht_make(long k, struct ht *l, struct ht *r)
{
	return NEW(struct ht, l, r, k);
}

static struct ht *ht_ins(struct ht *t, long k, long pos, long bit)
{
	if (!t)
		return ht_make(k, NULL, NULL);
	long a = t->k < k ? t->k : k, b = t->k < k ? k : t->k;
	return pos & bit ? ht_make(a, t->l, ht_ins(t->r, b, pos, bit >> 1)) : ht_make(a, ht_ins(t->l, b, pos, bit >> 1), t->r);
}

static struct heap *heap_ins(struct heap *p, long k)
{
	long bit = 1;
	while (bit * 2 <= p->n + 1)
		bit *= 2;
	return NEW(struct heap, ht_ins(p->t, k, p->n + 1, bit >> 1), p->n + 1);
}

static struct split bt_put(struct bt *t, int i, int k, struct split c)
{
	struct bt w = *t;
	int n = t->tag & 15, leaf = t->tag & 16;
	if (leaf || c.r) {
		memmove(w.key + i + 1, w.key + i, sizeof(int) * (size_t)(n - i));
		w.key[i] = leaf ? k : c.k;
		if (!leaf) {
			memmove(w.kid + i + 2, w.kid + i + 1, sizeof w.kid[0] * (size_t)(n - i));
			w.kid[i + 1] = c.r;
		}
		n++;
	}
	if (!leaf)
		w.kid[i] = c.l;
	struct split s = {memcpy(take(sizeof w), &w, sizeof w), NULL, 0};
	s.l->tag = n | leaf;
	if (n <= 4)
		return s;
	struct bt *r = take(sizeof *r);
	s.l->tag = r->tag = 2 | leaf;
	memcpy(r->key, w.key + 3, sizeof(int) * 2);
	memcpy(r->kid, w.kid + 3, sizeof w.kid[0] * 3);
	s.r = r;
	s.k = w.key[2];
	return s;
}

static struct split bt_ins(struct bt *t, int k)
{
	int i = 0, n = t->tag & 15;
	while (i < n && t->key[i] < k)
		i++;
	if (i < n && t->key[i] == k)
		return (struct split){t, NULL, 0};
	return bt_put(t, i, k, t->tag & 16 ? (struct split){NULL, NULL, 0} : bt_ins(t->kid[i], k));
}

static struct bt *bt_insert(struct bt *t, int k)
{
	if (!t)
		return NEW(struct bt, 17, {k}, {NULL});
	struct split s = bt_ins(t, k);
	return s.r ? NEW(struct bt, 1, {s.k}, {s.l, s.r}) : s.l;
}

#define RED(t) ((t) && (t)->c == 0)

static struct rb *rb_make(int c, struct rb *l, int k, struct rb *r)
{
	return NEW(struct rb, l, r, k, c);
}

static struct rb *rb_bal(int c, struct rb *l, int k, struct rb *r)
{
	if (c == 1 && RED(l) && RED(l->l))
		return rb_make(0, rb_make(1, l->l->l, l->l->k, l->l->r), l->k, rb_make(1, l->r, k, r));
	if (c == 1 && RED(l) && RED(l->r))
		return rb_make(0, rb_make(1, l->l, l->k, l->r->l), l->r->k, rb_make(1, l->r->r, k, r));
	if (c == 1 && RED(r) && RED(r->l))
		return rb_make(0, rb_make(1, l, k, r->l->l), r->l->k, rb_make(1, r->l->r, r->k, r->r));
	if (c == 1 && RED(r) && RED(r->r))
		return rb_make(0, rb_make(1, l, k, r->l), r->k, rb_make(1, r->r->l, r->r->k, r->r->r));
	return rb_make(c, l, k, r);
}

static struct rb *rb_in(struct rb *t, int k)
{
	if (!t)
		return rb_make(0, NULL, k, NULL);
	if (k == t->k)
		return t;
	return k < t->k ? rb_bal(t->c, rb_in(t->l, k), t->k, t->r) : rb_bal(t->c, t->l, t->k, rb_in(t->r, k));
}

static struct rb *rb_insert(struct rb *t, int k)
{
	struct rb *n = rb_in(t, k);
	return n->c ? n : rb_make(1, n->l, n->k, n->r);
}

static struct tr *tr_ins(struct tr *t, long k)
{
	if (!t)
		return NEW(struct tr, NULL, NULL, k);
	if (k == t->k)
		return t;
	return k < t->k ? NEW(struct tr, tr_ins(t->l, k), t->r, t->k) : NEW(struct tr, t->l, tr_ins(t->r, k), t->k);
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int n = 1 << atoi(argv[2]), i;
	double limit = atof(argv[3]);
	int *key = malloc((size_t)n * sizeof *key);
	uint64_t s = 88172645463325252u;
	for (i = 0; i < n; i++)
		key[i] = i;
	for (i = n - 1; i > 0; i--) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		int j = (int)(s % (uint64_t)(i + 1)), x = key[i];
		key[i] = key[j];
		key[j] = x;
	}
	struct queue *q = NEW(struct queue, NULL, NULL);
	struct heap *hp = NEW(struct heap, NULL, 0);
	struct list *set = NULL;
	struct avl *avl = NULL;
	struct bt *bt = NULL;
	struct rb *rb = NULL;
	struct tr *tr = NULL;
	double t0 = cpu();
	for (i = 0; i < n; i++) {
		int k = key[i];
		switch (argv[1][0]) {
		case 'q': q = enqueue(q, k); break;
		case 's': set = set_ins(set, k); break;
		case 'a': avl = avl_ins(avl, k); break;
		case 'h': hp = heap_ins(hp, k); break;
		case 'b': bt = bt_insert(bt, k); break;
		case 'r': rb = rb_insert(rb, k); break;
		case 't': tr = tr_ins(tr, k); break;
		}
		if ((i & 31) == 31 && cpu() - t0 > limit) {
			i++;
			break;
		}
	}
	printf("%.1f %d\n", (cpu() - t0) / i * 1e9, i);
	return 0;
}
