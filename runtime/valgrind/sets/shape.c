/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shape of a function's input and output: all its calls laid over one another, as a tree of places. A place is
 * known by
 * the pointer it was reached through (an argument, or another place that held one) and its distance from it; static
 * data by
 * its address. Each place keeps which bytes were read before they were written, which of them ever differed, which were
 * left written. refrain makes names of it with the debug information. Pointers in a tree of places are not values: only
 * whether they are NULL counts. */
#include "sets.h"

struct node {
	UInt parent;
	UInt where; /* VG_WHERE_… */
	Long offset;
	ULong first; /* the first value read */
	ULong held;  /* each byte as it was when it was first read */
	ULong calls, writes;
	UChar read, varying, written, changed;
	UInt flags;                /* VG_SHAPE_… */
	Addr a;                    /* static data: its address */
	ULong text_from, text_end; /* base/vgproto.h */
	UInt same;                 /* the node whose pointer is written here; 0: none yet, or another one */
};

/* Inputs as far as they are nodes, and what they gave as far as that is. */
struct pair {
	ULong in, out; /* in 0: free */
};
enum { PAIRS = 4096 };

struct shape {
	UInt n, next;
	Bool full, hidden, address;
	UInt n_pairs;
	struct pair pair[PAIRS];
	ULong calls;
	struct rows *rows; /* NULL: not wanted, or no memory */
	struct node node[SHAPE_NODES];
};

/* What belongs to libc, to the loader or to the thread, and what hangs on it, is no node. */
#define SYSTEM 0xffffffffu

static UInt node_of_anchor[8192]; /* of the call at hand: node + 1, or SYSTEM */
/* Below each anchor: the first NUL that was read, the last two (+ 1), the last byte. */
static ULong nul_at[8192], nul_last[8192], nul_before[8192], last_read[8192];
static ULong n_read[8192]; /* bytes read below each anchor */
static UInt n_anchors;
static Bool asks_errno;
/* Digests of what became nodes. In the second one pointers are addresses; in the others they are the node that held the
 * pointer first. */
static ULong inputs, inputs_at, outputs;
static Bool new_memory; /* led to by the outputs */

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
	if (s->n == SHAPE_NODES) {
		s->full = True;
		return 0;
	}
	s->node[s->n++] = (struct node){.parent = parent, .where = where, .offset = offset, .a = a};
	return s->n;
}

Bool object_is_system(const HChar *path)
{
	const HChar *base = VG_(strrchr)(path, '/');
	base = base ? base + 1 : path;
	return VG_(strncmp)(base, "libc.so", 7) == 0 || VG_(strncmp)(base, "libc-", 5) == 0 ||
	       VG_(strncmp)(base, "ld-linux", 8) == 0 || VG_(strncmp)(base, "libm.so", 7) == 0 ||
	       VG_(strncmp)(base, "libstdc++", 9) == 0 || VG_(strncmp)(base, "libpthread", 10) == 0;
}

/* libc's own state, and that of the loader and of threads, is not the program's. */
Bool place_is_system(Addr a)
{
	const HChar *path = "", *name;
	PtrdiffT offset;
	if (VG_(DebugInfo_sect_kind)(&path, a) == Vg_SectUnknown)
		return True;
	/* the program has a copy of what its libraries export */
	return object_is_system(path) || (globals_name(a, &name, &offset) && VG_(strncmp)(name, "__libc_", 7) == 0);
}

/* The value just named came from this node: if it is a pointer met for the first time, what it leads to hangs below. */
static void note_pointer(UInt node)
{
	if (canon_last.pointer && canon_last.anchor >= n_anchors &&
	    canon_last.anchor < sizeof node_of_anchor / sizeof *node_of_anchor) {
		for (; n_anchors <= canon_last.anchor; n_anchors++) {
			node_of_anchor[n_anchors] = 0;
			nul_at[n_anchors] = ~0ULL;
			nul_last[n_anchors] = nul_before[n_anchors] = 0;
			last_read[n_anchors] = n_read[n_anchors] = 0;
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
	/* a function has another address in the next run: it must not be compared with this one's */
	if (!pointer && bits == 0xff && v >= 4096 && place_of(v) == PLACE_TEXT)
		n->flags |= VG_SHAPE_CODE;
	if (!n->calls)
		n->first = v;
	else if (!pointer || !(n->flags & VG_SHAPE_POINTER))
		for (UInt k = 0; k < 8; k++)
			if (bits >> k & 1 && (v ^ n->first) >> (8 * k) & 0xff)
				n->varying |= (UChar)(1u << k);
	for (UInt k = 0; k < 8 && !pointer; k++)
		if (bits & n->read & 1u << k && (v ^ n->held) >> (8 * k) & 0xff)
			n->changed |= (UChar)(1u << k);
	ULong unseen = byte_mask(bits & ~(UInt)n->read);
	n->held = (n->held & ~unseen) | (v & unseen);
	n->read |= (UChar)bits;
	n->calls++;
}

/* Static data that is near a pointer, but belongs to another variable, or to none, was not reached through it. */
static Bool is_beyond(Addr from, Addr a)
{
	const HChar *name;
	PtrdiffT to = 0, at = 0;
	Bool named = globals_name(from, &name, &to), own = globals_name(a, &name, &at);
	return named != own || (own && a - (Addr)at != from - (Addr)to);
}

/* write: as an output */
static UInt place_node(struct shape *s, Addr a, enum place p, UInt block, Bool write)
{
	static const UChar where[] = {
		[PLACE_NONE] = VG_WHERE_MAPPED,   [PLACE_TEXT] = VG_WHERE_STATIC, [PLACE_CONST] = VG_WHERE_STATIC,
		[PLACE_STATIC] = VG_WHERE_STATIC, [PLACE_HEAP] = VG_WHERE_HEAP,   [PLACE_STACK] = VG_WHERE_STACK,
		[PLACE_MAPPED] = VG_WHERE_MAPPED,
	};
	canon_last = (struct name_details){0};
	canon_place(a, p, block);
	if (p != PLACE_HEAP && errno_bits(a & ~7ul)) {
		note_pointer(0);
		return write || asks_errno ? node_get(s, 0, VG_WHERE_ERRNO, 0, 0) : SYSTEM;
	}
	Long offset = 0;
	enum tls own = p == PLACE_HEAP ? TLS_NONE : tls_place(a, &offset);
	if (own != TLS_NONE) {
		note_pointer(0);
		return own == TLS_OWN ? node_get(s, 0, VG_WHERE_THREAD, offset, 0)
				      : node_get(s, 0, VG_WHERE_STATIC, (Long)a, a);
	}
	Bool fixed = p == PLACE_STATIC || p == PLACE_CONST;
	Bool rooted = p != PLACE_HEAP && p != PLACE_STACK;
	if (!canon_last.pointer || (fixed && is_beyond(a - (Addr)canon_last.offset, a)))
		return place_is_system(a) ? SYSTEM : node_get(s, 0, VG_WHERE_STATIC, (Long)a, a);
	/* an anchor that a place made for itself leads to nothing we know */
	note_pointer(0);
	UInt parent = node_of_anchor[canon_last.anchor];
	if (parent == SYSTEM)
		return SYSTEM;
	if (canon_last.anchor && !parent)
		return rooted && place_is_system(a) ? SYSTEM : node_get(s, 0, where[p], (Long)a, a);
	return node_get(s, parent, VG_WHERE_BELOW, canon_last.offset, 0);
}

/* Is what hangs on this anchor read as a string is? */
static void note_bytes(UInt anchor, Long offset, ULong v, UInt bits)
{
	for (UInt k = 0; k < 8; k++) {
		ULong at = (ULong)offset + k;
		if (!(bits >> k & 1) || offset + (Long)k < 0)
			continue;
		n_read[anchor]++;
		if (at > last_read[anchor])
			last_read[anchor] = at;
		if (v >> (8 * k) & 0xff)
			continue;
		if (at < nul_at[anchor])
			nul_at[anchor] = at;
		if (at >= nul_last[anchor]) {
			nul_before[anchor] = nul_last[anchor];
			nul_last[anchor] = at + 1;
		} else if (at >= nul_before[anchor]) {
			nul_before[anchor] = at + 1;
		}
	}
}

static void note_strings(struct shape *s)
{
	for (UInt i = 1; i < n_anchors; i++) {
		if (!node_of_anchor[i] || node_of_anchor[i] == SYSTEM || !n_read[i])
			continue;
		struct node *n = &s->node[node_of_anchor[i] - 1];
		/* an element of an array, not the begin of a string */
		if (n_read[i] != last_read[i] + 1)
			n->flags |= VG_SHAPE_BEYOND;
		if (nul_at[i] == ~0ULL)
			continue;
		n->flags |= last_read[i] > nul_at[i] ? VG_SHAPE_BEYOND : VG_SHAPE_ENDS;
		Bool ends = nul_last[i] == last_read[i] + 1;
		ULong from = ends ? nul_before[i] : nul_last[i];
		n->text_from = from > n->text_from ? from : n->text_from;
		n->text_end = ends && last_read[i] > n->text_end ? last_read[i] : n->text_end;
	}
}

/* The value just named as a key would have it. */
static ULong seen_as(ULong v)
{
	if (!canon_last.pointer)
		return v;
	return mix64(canon_last.anchor < n_anchors ? node_of_anchor[canon_last.anchor] : ~0ULL);
}

static void count_input(UInt node, ULong v)
{
	inputs += mix64(mix64(node) + seen_as(v));
	inputs_at += mix64(mix64(node) + v);
}

/* Did the same input give another output before? */
static Bool differs(struct shape *s, ULong in, ULong out)
{
	in += !in;
	UInt i = (UInt)(in % PAIRS);
	while (s->pair[i].in && s->pair[i].in != in)
		i = (i + 1) % PAIRS;
	struct pair *p = &s->pair[i];
	if (p->in)
		return p->out != out;
	if (s->n_pairs < PAIRS * 3 / 4) {
		*p = (struct pair){in, out};
		s->n_pairs++;
	}
	return False;
}

/* Then something else decides: where the data lies, or state of libc, the environment. */
static void compare_output(struct shape *s, const struct vg_call *call)
{
	ULong out = new_memory ? call->out_loose : outputs;
	if (differs(s, mix64(inputs_at), out))
		s->hidden = True;
	else if (differs(s, inputs, out))
		s->address = True;
}

static void add_argument(struct shape *s, UInt i, const struct slot *slot, ULong word)
{
	UInt bits = (1u << slot->size) - 1, n;
	canon_last = (struct name_details){0};
	slot_name(slot, word);
	if (!(n = node_get(s, 0, VG_WHERE_ARG, i, 0)))
		return;
	count_input(n, word);
	note_read(&s->node[n - 1], word, bits);
	if (s->rows)
		rows_value(s->rows, n, word, bits, canon_last.pointer);
	note_pointer(n);
}

static void add_input(struct shape *s, const struct entry *e, UInt from, UInt bits)
{
	ULong before = e->before >> 8 * from;
	UInt n = place_node(s, e->a + from, e->place, e->block, False);
	if (!n)
		return;
	if (canon_last.pointer && n != SYSTEM)
		note_bytes(canon_last.anchor, canon_last.offset, before, bits);
	canon_last = (struct name_details){0};
	bytes_name(before, bits);
	if (n != SYSTEM) {
		count_input(n, before & byte_mask(bits));
		note_read(&s->node[n - 1], before & byte_mask(bits), bits);
		if (s->rows)
			rows_value(s->rows, n, before, bits, canon_last.pointer);
	}
	note_pointer(n);
}

/* Bits of the piece of 8 bytes that begins at byte from; *to is behind it. A pointer may lead to the middle of the 8
 * bytes: what is behind it belongs to it. */
static UInt piece(UInt bits, UInt inside, UInt from, UInt *to)
{
	for (*to = from + 1; *to < 8 && !(inside >> *to & 1); ++*to)
		;
	return (bits & ((1u << *to) - 1)) >> from;
}

static void add_inputs(struct shape *s, const struct log *log, const struct chosen *c)
{
	for (UInt i = 0; i < c->n_args; i++)
		add_argument(s, i, &c->arg[i], log->word[i]);
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->read, inside = bits ? canon_inside(e->a) : 0;
		for (UInt from = 0, to; bits && from < 8; from = to) {
			UInt part = piece(bits, inside, from, &to);
			if (part)
				add_input(s, e, from, part);
		}
	}
	note_strings(s);
}

/* The value just named was written to the node: a pointer must still be right when it is written again. */
static UInt note_stored(struct node *x, ULong v, UInt stamp)
{
	enum place p = canon_last.pointer ? place_of(v) : PLACE_CONST;
	UInt block = p == PLACE_HEAP ? block_at(v) : 0;
	UInt from = canon_last.pointer && canon_last.anchor < n_anchors ? node_of_anchor[canon_last.anchor] : 0;
	if (block && block_get(block)->stamp >= stamp) {
		x->flags |= VG_SHAPE_FRESH;
		return VG_WROTE_VALUE | VG_WROTE_NEW;
	}
	if (from && from != SYSTEM && (!x->same || x->same == from)) {
		x->same = from;
		x->flags |= x->flags & VG_SHAPE_PLAIN ? VG_SHAPE_OWN | VG_SHAPE_STORES : VG_SHAPE_OWN;
		return VG_WROTE_VALUE;
	}
	if (p == PLACE_STATIC || p == PLACE_CONST) {
		x->flags |= x->same ? VG_SHAPE_STORES : VG_SHAPE_PLAIN;
		return VG_WROTE_VALUE;
	}
	x->flags |= VG_SHAPE_STORES;
	return VG_WROTE_VALUE | VG_WROTE_POINTER;
}

/* Part of what the call gave. state: what note_stored said of it */
static void count_output(UInt node, ULong v, UInt state)
{
	new_memory |= (state & VG_WROTE_NEW) != 0;
	outputs += mix64(mix64(node) + (state & (VG_WROTE_NEW | VG_WROTE_POINTER) ? 0 : seen_as(v)));
}

static void add_result(struct shape *s, UInt i, const struct slot *slot, ULong v, UInt stamp)
{
	canon_last = (struct name_details){0};
	slot_name(slot, v);
	UInt n = node_get(s, 0, VG_WHERE_RESULT, i, 0);
	if (!n)
		return;
	struct node *x = &s->node[n - 1];
	x->flags |= canon_last.pointer ? VG_SHAPE_POINTER : 0;
	UInt state = note_stored(x, v, stamp);
	count_output(n, v, state);
	x->writes++;
	if (s->rows) {
		rows_value(s->rows, n, v, (1u << slot->size) - 1, canon_last.pointer);
		rows_write(s->rows, n, state, (1u << slot->size) - 1);
	}
	note_pointer(n);
}

/* The program's blocks that only libc leads to hold pointers to one another: lists of free ones. */
static void add_hidden(struct chosen *c, Addr a, UInt block, UInt bits, ULong before, ULong v)
{
	enum { INITIALISATION = 2 };
	canon_last = (struct name_details){0};
	bytes_name(v, bits);
	UInt from = canon_last.pointer && canon_last.anchor < n_anchors ? node_of_anchor[canon_last.anchor] : 0;
	Bool list = canon_last.pointer ? canon_block(v) && (!from || from == SYSTEM) : !v && canon_block(before);
	note_pointer(SYSTEM);
	if (!(list && bits == 0xff) && c->calls >= INITIALISATION && (before ^ v) & byte_mask(bits))
		hidden_wrote(c, a & ~7ul, block, bits << (a & 7));
}

static void add_output(struct shape *s, struct chosen *c, const struct entry *e, UInt from, UInt block, UInt bits,
		       UInt stamp)
{
	Addr a = e->a + from;
	UInt n = place_node(s, a, block ? PLACE_HEAP : e->place, block, True);
	if (n == SYSTEM)
		add_hidden(c, a, block, bits, e->before >> 8 * from, *(const ULong *)e->a >> 8 * from);
	if (!n || n == SYSTEM)
		return;
	struct node *x = &s->node[n - 1];
	if (x->writes && bits != x->written)
		x->flags |= VG_SHAPE_SOMETIMES;
	x->written |= (UChar)bits;
	x->writes++;
	ULong v = 0;
	for (UInt i = 0; i < 8; i++)
		if (bits >> i & 1)
			v |= (ULong) * (const UChar *)(a + i) << 8 * i;
	if (x->where == VG_WHERE_ERRNO && !v)
		x->flags |= VG_SHAPE_ZERO;
	canon_last = (struct name_details){0};
	bytes_name(v, bits);
	UInt state = note_stored(x, v, stamp);
	count_output(n, v, state);
	if (s->rows)
		rows_write(s->rows, n, state, bits);
	note_pointer(n);
}

static void add_outputs(struct shape *s, struct chosen *c, const struct entry *e, UInt stamp)
{
	UInt bits = e->touch->written, block;
	if (!bits || !entry_lives(e, &block))
		return;
	/* what is in new memory is reached through the pointer to it */
	if (block && block_get(block)->stamp >= stamp)
		return;
	UInt inside = canon_inside(e->a);
	for (UInt from = 0, to; from < 8; from = to) {
		UInt part = piece(bits, inside, from, &to);
		if (part)
			add_output(s, c, e, from, block, part, stamp);
	}
}

void shape_clear(struct chosen *c)
{
	if (c->shape && c->shape->rows)
		rows_free(c->shape->rows);
	VG_(free)(c->shape);
	c->shape = NULL;
}

void shape_call(const struct log *log, struct chosen *c, Addr sp, const VexGuestAMD64State *guest,
		const struct vg_call *call)
{
	struct shape *s = c->shape;
	if (!s) {
		s = c->shape = VG_(calloc)("rf.shape", 1, sizeof *c->shape);
		if (!c->last)
			s->rows = rows_new();
	}
	canon_details = True;
	canon_begin(sp);
	n_anchors = 1;
	node_of_anchor[0] = 0;
	nul_at[0] = ~0ULL;
	nul_last[0] = nul_before[0] = last_read[0] = n_read[0] = 0;
	asks_errno = log->asks_errno;
	inputs = inputs_at = outputs = 0;
	new_memory = False;
	add_inputs(s, log, c);
	for (UInt i = 0; guest && i < c->n_results; i++)
		add_result(s, i, &c->result[i], slot_word(&c->result[i], guest), log->stamp);
	for (UInt i = 0; i < log->n; i++)
		add_outputs(s, c, &log->entry[i], log->stamp);
	if (!s->full && !(call->flags & VG_CALL_BOUND))
		compare_output(s, call);
	canon_details = False;
	s->calls++;
	if (s->rows)
		rows_end(s->rows, call->in_strict, call->flags & VG_CALL_BOUND, call->cost);
}

void shape_again(const struct chosen *c, const struct vg_call *call)
{
	if (c->shape && c->shape->rows)
		rows_again(c->shape->rows, call->in_strict, call->cost);
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
				     .changed = n->changed,
				     .written = n->written,
				     .flags = n->flags,
				     .text_from = n->text_from,
				     .text_end = n->text_end,
				     .same = n->flags & VG_SHAPE_STORES ? 0 : n->same};
		const HChar *name = "";
		PtrdiffT offset = 0;
		if (n->a) {
			UInt bits = n->read | n->written, k = 0;
			while (k < 7 && !(bits >> k & 1))
				k++;
			if (n->where == VG_WHERE_STATIC && globals_name(n->a + k, &name, &offset))
				r.offset = offset - (Long)k;
			else
				name = "";
		}
		if (s->full)
			r.flags |= VG_SHAPE_FULL;
		if (s->hidden)
			r.flags |= VG_SHAPE_HIDDEN;
		if (s->address)
			r.flags |= VG_SHAPE_ADDRESS;
		if (c->leaves_state)
			r.flags |= VG_SHAPE_LEAVES;
		if (fenv_used)
			r.flags |= VG_SHAPE_FENV;
		struct out_part parts[] = {{&r, sizeof r}, {name, VG_(strlen)(name) + 1}};
		out_parts(VG_SHAPE, parts, 2);
	}
	if (s && s->rows && !s->full)
		rows_tell(s->rows, c->id);
}
