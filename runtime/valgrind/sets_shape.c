/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shape of a function's input and output: all its calls laid over one another, as a tree of places. A place is
 * known by
 * the pointer it was reached through (an argument, or another place that held one) and its distance from it; static
 * data by
 * its address. Each place keeps which bytes were read before they were written, which of them ever differed, which were
 * left written. refrain makes names of it with the debug information. Pointers in a tree of places are not values: only
 * whether they are NULL counts. */
#include "sets.h"

enum { MAX_NODES = 640 };

struct node {
	UInt parent;
	UInt where; /* VG_WHERE_… */
	Long offset;
	ULong first; /* the first value read */
	ULong calls, writes;
	UChar read, varying, written;
	UInt flags; /* VG_SHAPE_… */
	Addr a;     /* static data: its address */
};

struct shape {
	UInt n, next;
	Bool full;
	ULong calls;
	struct node node[MAX_NODES];
};

static UInt node_of_anchor[8192];           /* of the call at hand: node + 1 */
static ULong nul_at[8192], last_read[8192]; /* below each anchor: the first NUL that was read, the last byte */
static UInt n_anchors;

/* 0: there is no room; else the node's number + 1 */
static UInt node_get(struct shape *s, UInt parent, UInt where, Long offset, Addr a)
{
	/* calls go the same way: the next one wanted is mostly the one behind the last */
	for (UInt k = 0, i = s->next; k < s->n; k++, i++) {
		if (i >= s->n)
			i = 0;
		if (s->node[i].parent == parent && s->node[i].where == where && s->node[i].offset == offset)
			return s->next = i + 1;
	}
	s->next = s->n + 1;
	if (s->n == MAX_NODES) {
		s->full = True;
		return 0;
	}
	s->node[s->n++] = (struct node){.parent = parent, .where = where, .offset = offset, .a = a};
	return s->n;
}

/* The value just named came from this node: if it is a pointer met for the first time, what it leads to hangs below. */
static void note_pointer(UInt node)
{
	if (canon_last.pointer && canon_last.anchor >= n_anchors &&
	    canon_last.anchor < sizeof node_of_anchor / sizeof *node_of_anchor) {
		for (; n_anchors <= canon_last.anchor; n_anchors++) {
			node_of_anchor[n_anchors] = 0;
			nul_at[n_anchors] = ~0ULL;
			last_read[n_anchors] = 0;
		}
		node_of_anchor[canon_last.anchor] = node;
	}
}

static void note_read(struct node *n, ULong v, UInt bits)
{
	Bool pointer = canon_last.pointer;
	if (pointer)
		n->flags |= VG_SHAPE_POINTER;
	else if (n->flags & VG_SHAPE_POINTER || (!n->calls && bits == 0xff && !v))
		n->flags |= v ? VG_SHAPE_VALUE : VG_SHAPE_NULL;
	if (!n->calls)
		n->first = v;
	else if (!pointer || !(n->flags & VG_SHAPE_POINTER))
		for (UInt k = 0; k < 8; k++)
			if (bits >> k & 1 && (v ^ n->first) >> (8 * k) & 0xff)
				n->varying |= (UChar)(1u << k);
	if (bits & ~n->read && n->calls)
		n->flags |= VG_SHAPE_SOMETIMES;
	n->read |= (UChar)bits;
	n->calls++;
}

static UInt place_node(struct shape *s, const struct entry *e, enum place p, UInt block)
{
	static const UChar where[] = {
		[PLACE_NONE] = VG_WHERE_MAPPED,   [PLACE_TEXT] = VG_WHERE_STATIC, [PLACE_CONST] = VG_WHERE_STATIC,
		[PLACE_STATIC] = VG_WHERE_STATIC, [PLACE_HEAP] = VG_WHERE_HEAP,   [PLACE_STACK] = VG_WHERE_STACK,
		[PLACE_MAPPED] = VG_WHERE_MAPPED,
	};
	canon_last = (struct name_details){0};
	canon_place(e->a, p, block);
	if (!canon_last.pointer)
		return node_get(s, 0, VG_WHERE_STATIC, (Long)e->a, e->a);
	/* an anchor that a place made for itself leads to nothing we know */
	note_pointer(0);
	UInt parent = node_of_anchor[canon_last.anchor];
	if (canon_last.anchor && !parent)
		return node_get(s, 0, where[p], (Long)e->a, e->a);
	return node_get(s, parent, VG_WHERE_BELOW, canon_last.offset, 0);
}

/* Is what hangs on this anchor read as a string is? */
static void note_bytes(UInt anchor, Long offset, ULong v, UInt bits)
{
	for (UInt k = 0; k < 8; k++) {
		ULong at = (ULong)offset + k;
		if (!(bits >> k & 1) || offset + (Long)k < 0)
			continue;
		if (at > last_read[anchor])
			last_read[anchor] = at;
		if (!(v >> (8 * k) & 0xff) && at < nul_at[anchor])
			nul_at[anchor] = at;
	}
}

static void note_strings(struct shape *s)
{
	for (UInt i = 1; i < n_anchors; i++) {
		if (!node_of_anchor[i] || nul_at[i] == ~0ULL)
			continue;
		struct node *n = &s->node[node_of_anchor[i] - 1];
		n->flags |= last_read[i] > nul_at[i] ? VG_SHAPE_BEYOND : VG_SHAPE_ENDS;
	}
}

static void add_inputs(struct shape *s, const struct log *log, const struct chosen *c)
{
	for (UInt i = 0; i < c->n_args; i++) {
		canon_last = (struct name_details){0};
		slot_name(&c->arg[i], log->word[i]);
		UInt n = node_get(s, 0, VG_WHERE_ARG, i, 0);
		if (!n)
			return;
		note_read(&s->node[n - 1], log->word[i], (1u << c->arg[i].size) - 1);
		note_pointer(n);
	}
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->read, n = bits ? place_node(s, e, e->place, e->block) : 0;
		if (!n)
			continue;
		if (canon_last.pointer)
			note_bytes(canon_last.anchor, canon_last.offset, e->before, bits);
		canon_last = (struct name_details){0};
		bytes_name(e->before, bits);
		note_read(&s->node[n - 1], e->before & byte_mask(bits), bits);
		note_pointer(n);
	}
	note_strings(s);
}

static void add_outputs(struct shape *s, const struct log *log, const struct chosen *c, const VexGuestAMD64State *guest)
{
	for (UInt i = 0; guest && i < c->n_results; i++) {
		ULong v = slot_word(&c->result[i], guest);
		canon_last = (struct name_details){0};
		slot_name(&c->result[i], v);
		UInt n = node_get(s, 0, VG_WHERE_RESULT, i, 0);
		if (!n)
			return;
		UInt block = canon_last.pointer && place_of(v) == PLACE_HEAP ? block_at(v) : 0;
		s->node[n - 1].flags |= canon_last.pointer ? VG_SHAPE_POINTER : 0;
		if (canon_last.pointer && place_of(v) != PLACE_CONST && place_of(v) != PLACE_STATIC)
			s->node[n - 1].flags |= VG_SHAPE_VALUE;
		if (block && block_get(block)->stamp >= log->stamp)
			s->node[n - 1].flags |= VG_SHAPE_FRESH;
		s->node[n - 1].writes++;
		note_pointer(n);
	}
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->written, block;
		if (!bits || !entry_lives(e, &block))
			continue;
		UInt n = place_node(s, e, block ? PLACE_HEAP : e->place, block);
		if (!n)
			continue;
		struct node *x = &s->node[n - 1];
		if (block && block_get(block)->stamp >= log->stamp)
			x->flags |= VG_SHAPE_FRESH;
		if (x->writes && bits != x->written)
			x->flags |= VG_SHAPE_SOMETIMES;
		x->written |= (UChar)bits;
		x->writes++;
		canon_last = (struct name_details){0};
		bytes_name(*(const ULong *)e->a, bits);
		if (canon_last.pointer)
			x->flags |= VG_SHAPE_STORES;
		note_pointer(n);
	}
}

void shape_call(const struct log *log, struct chosen *c, Addr sp, const VexGuestAMD64State *guest)
{
	if (!c->shape)
		c->shape = VG_(calloc)("rf.shape", 1, sizeof *c->shape);
	canon_details = True;
	canon_begin(sp);
	n_anchors = 1;
	node_of_anchor[0] = 0;
	nul_at[0] = ~0ULL;
	last_read[0] = 0;
	add_inputs(c->shape, log, c);
	add_outputs(c->shape, log, c, guest);
	canon_details = False;
	c->shape->calls++;
}

/* libc's own state, and that of the loader and of threads, is not the program's. */
static Bool is_system(Addr a)
{
	const HChar *path = "";
	if (VG_(DebugInfo_sect_kind)(&path, a) == Vg_SectUnknown)
		return True;
	const HChar *base = VG_(strrchr)(path, '/');
	base = base ? base + 1 : path;
	return VG_(strncmp)(base, "libc.so", 7) == 0 || VG_(strncmp)(base, "libc-", 5) == 0 ||
	       VG_(strncmp)(base, "ld-linux", 8) == 0 || VG_(strncmp)(base, "libm.so", 7) == 0 ||
	       VG_(strncmp)(base, "libstdc++", 9) == 0 || VG_(strncmp)(base, "libpthread", 10) == 0;
}

void shape_tell(const struct chosen *c)
{
	const struct shape *s = c->shape;
	for (UInt i = 0; s && i < s->n; i++) {
		const struct node *n = &s->node[i];
		struct vg_shape r = {.fn = c->id,
				     .node = i + 1,
				     .parent = n->parent,
				     .where = n->where,
				     .offset = n->offset,
				     .first = n->first,
				     .calls = n->calls,
				     .writes = n->writes,
				     .all = s->calls,
				     .read = n->read,
				     .varying = n->varying,
				     .written = n->written,
				     .flags = n->flags};
		const HChar *name = "";
		PtrdiffT offset = 0;
		if (n->a) {
			UInt bits = n->read | n->written, k = 0;
			while (k < 7 && !(bits >> k & 1))
				k++;
			if (is_system(n->a))
				r.flags |= VG_SHAPE_SYSTEM;
			if (n->where == VG_WHERE_STATIC && globals_name(n->a + k, &name, &offset))
				r.offset = offset - (Long)k;
			else
				name = "";
		}
		if (s->full)
			r.flags |= VG_SHAPE_FULL;
		struct out_part parts[] = {{&r, sizeof r}, {name, VG_(strlen)(name) + 1}};
		out_parts(VG_SHAPE, parts, 2);
	}
}
