/* In-place structures, as people write them; nothing here knows about checking but the comments. */
#ifndef BENCH_CHECK_INPLACE_H
#define BENCH_CHECK_INPLACE_H
struct avl { struct avl *l, *r; int k, h; };
struct rb { struct rb *l, *r; int k, c; };
struct tr { struct tr *l, *r; int k, v; };
struct list { struct list *next; int v, w; };
struct bt { int n, leaf; int key[5]; struct bt *kid[6]; };
/*@ regtype avl : struct avl = null | { l : avl, r : avl, h : int(1..64) };
    regtype rb : struct rb = null | case c { 0 | 1 : { l : rb, r : rb } };
    regtype tr : struct tr = null | { l : tr, r : tr };
    regtype list : struct list = null | { next : list };
    regtype bt : struct bt = null | case leaf { 1 : { n : int(1..4) }, 0 : { n : int(1..4), kid[0..this.n] : bt } };
    pred avl_insert(t, k) : avl(*t) => avl(*t);
    pred rb_insert(t, k) : rb(*t) => rb(*t);
    pred tr_insert(t, k) : tr(*t) => tr(*t);
    pred tr_delete(t, k) : tr(*t) => tr(*t);
    pred set_insert(s, k) : list(*s) => list(*s);
    pred bt_insert(t, k) : bt(*t) => bt(*t); */
void avl_insert(struct avl **t, int k);
void rb_insert(struct rb **t, int k);
void tr_insert(struct tr **t, int k);
void tr_delete(struct tr **t, int k);
void set_insert(struct list **s, int k);
void bt_insert(struct bt **t, int k);
#endif
