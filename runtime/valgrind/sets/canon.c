/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for places and pointers that do not depend on where things lie, within one call.
 *
 * Loose: every pointer met (as an argument or as 8 bytes read) becomes an anchor with the next number; a place is named
 * by the nearest anchor at or below it in the same region and its distance. Two calls that do the same on equal data
 * meet the same pointers in the same order, so they get the same names wherever the data is. Regions keep an anchor
 * from naming its neighbours: a malloc block, a thread's stack, a mapping, or 4 KB of static data. Strict: a heap place
 * is named by its block's number, in order of meeting, and its offset in the block; static and mapped places by their
 * address. A pointer into the stack by its distance from the first one met. It tells apart what the loose name does not
 * (the distance of two pointers into one block), but also sees objects of one pool as different when they lie
 * differently. refrain decides per function which of the two to believe. Pointers to code are names already. The one
 * pointer past a block's end belongs to the block.
 *
 * Beyond MAX_ANCHORS pointers a new one is named "a pointer" only: that may join inputs, never split them. */
#include "sets.h"

enum { MAX_ANCHORS = 4096, STATIC_REACH = 4096, PLACES = 512, COARSE_BITS = 47 - 32, THREAD_NAME = MAX_ANCHORS + 1 };
#define TAG_POINTER 0xa5a5f00dba5e0000u

/* ---- what kind of memory is it? */

struct place_cache {
	Addr number; /* of a 4 KB page, + 1 so that 0 is free */
	UInt generation;
	enum place place;
	Addr region;
};
static struct place_cache places[PLACES];
static UInt generation = 1, coarse_generation;
static UChar coarse[(1 << COARSE_BITS) / 8]; /* 4 GB each: is there anything of the program? */

void place_forget(void)
{
	generation++;
}

/* Of any thread: what one thread saw of another one's stack is remembered for both. */
static Bool in_a_stack(Addr a)
{
	ThreadId tid;
	Addr low, top;
	VG_(thread_stack_reset_iter)(&tid);
	while (VG_(thread_stack_next)(&tid, &low, &top)) {
		Addr high = VG_(thread_get_stack_max)(tid);
		if (a <= high && a > high - VG_(thread_get_stack_size)(tid))
			return True;
	}
	return False;
}

static enum place look_up(Addr a, Addr *region)
{
	const NSegment *s = VG_(am_find_nsegment)(a);
	if (!s || (s->kind != SkAnonC && s->kind != SkFileC && s->kind != SkShmC) || !s->hasR)
		return PLACE_NONE;
	*region = s->start;
	/* anonymous memory may be executable without holding code: Valgrind maps the heap so */
	if (s->kind == SkFileC)
		return s->hasX ? PLACE_TEXT : s->hasW ? PLACE_STATIC : PLACE_CONST;
	if (s->isCH)
		return PLACE_HEAP;
	if (in_a_stack(a))
		return PLACE_STACK;
	return VG_(DebugInfo_sect_kind)(NULL, a) != Vg_SectUnknown ? PLACE_STATIC : PLACE_MAPPED;
}

/* Most 8-byte values that are no pointers point nowhere near the program: say so without asking for their page. */
static void coarse_fill(void)
{
	enum { SEGMENTS = 4096 };
	static Addr start[SEGMENTS];
	coarse_generation = generation;
	Int n = VG_(am_get_segment_starts)(SkAnonC | SkFileC | SkShmC, start, SEGMENTS);
	VG_(memset)(coarse, n < 0 ? 0xff : 0, sizeof coarse);
	for (Int i = 0; i < n; i++) {
		const NSegment *s = VG_(am_find_nsegment)(start[i]);
		for (Addr k = start[i] >> 32; s && k <= s->end >> 32 && k < 1 << COARSE_BITS; k++)
			coarse[k / 8] |= (UChar)(1 << k % 8);
	}
}

static inline Bool may_point(ULong v)
{
	if (v < 4096 || v >> 47)
		return False;
	if (UNLIKELY(coarse_generation != generation))
		coarse_fill();
	return coarse[v >> 35] >> (v >> 32 & 7) & 1;
}

static struct place_cache *place_get(Addr a)
{
	Addr number = (a >> 12) + 1;
	struct place_cache *c = &places[number % PLACES];
	if (UNLIKELY(c->number != number || c->generation != generation)) {
		*c = (struct place_cache){.number = number, .generation = generation};
		c->place = look_up(a, &c->region);
	}
	return c;
}

enum place place_of(Addr a)
{
	enum place p = place_get(a)->place;
	return p == PLACE_MAPPED && heap_by_name && block_at(a) ? PLACE_HEAP : p;
}

/* ---- anchors of the call at hand, sorted by address */

/* sorted by address; anchor_id leads to the region */
static Addr anchor_at[MAX_ANCHORS + 1];
static UInt anchor_id[MAX_ANCHORS + 1];
static Addr anchor_region[MAX_ANCHORS + 1];  /* by number */
static UChar anchor_origin[MAX_ANCHORS + 1]; /* by number */
enum origin canon_origin, canon_place_origin;
UInt canon_skew;
static Int last_below; /* the last answer of below(): neighbours are asked for together */
static UInt n_anchor, n_order, order_stamp;
static Addr first_stack; /* the first pointer into the stack that was met; 0: none yet */
static Addr tls_low;     /* the program's thread-local variables, of the thread at hand */
static ULong tls_span;

enum { REGION_STATIC = 1, REGION_STACK = 2 }; /* others: a block's number shifted up, or a mapping's address */

static Addr region_of_block(UInt id)
{
	return ((Addr)id << 3) | 4;
}

void canon_begin(Addr sp)
{
	n_anchor = n_order = 0;
	first_stack = 0;
	order_stamp++;
	tls_span = tls_own(&tls_low);
	last_below = 0;
	anchor_at[0] = sp;
	anchor_id[0] = 0;
	anchor_region[0] = REGION_STACK;
	anchor_origin[0] = ORIGIN_ARGUMENT;
	n_anchor = 1;
}

/* Number of the last anchor at or below a, or −1. */
static Int below(Addr a)
{
	Int low = 0, high = (Int)n_anchor - 1;
	Int k = last_below;
	if (anchor_at[k] <= a) {
		if (k == high || anchor_at[k + 1] > a)
			return k;
		low = k + 1;
	} else {
		high = k - 1;
	}
	while (low <= high) {
		Int mid = (low + high) / 2;
		if (anchor_at[mid] <= a)
			low = mid + 1;
		else
			high = mid - 1;
	}
	last_below = low ? low - 1 : 0;
	return low - 1;
}

UInt canon_inside(Addr a)
{
	UInt bits = 0;
	for (Int k = below(a + 7); k >= 0 && anchor_at[k] > a; k--)
		bits |= 1u << (anchor_at[k] - a);
	return bits;
}

static UInt add_anchor(Int after, Addr a, Addr region)
{
	if (n_anchor == MAX_ANCHORS)
		return MAX_ANCHORS;
	Int at = after + 1;
	for (Int i = (Int)n_anchor; i > at; i--) {
		anchor_at[i] = anchor_at[i - 1];
		anchor_id[i] = anchor_id[i - 1];
	}
	anchor_at[at] = a;
	anchor_id[at] = n_anchor;
	anchor_region[n_anchor] = region;
	anchor_origin[n_anchor] = (UChar)canon_origin;
	last_below = at;
	return n_anchor++;
}

static ULong pointer_name(UInt number, ULong offset)
{
	return (TAG_POINTER + number) * 0x9e3779b97f4a7c15u + offset;
}

static ULong strict_heap(UInt id, Addr a)
{
	struct block *b = block_get(id);
	if (b->order_stamp != order_stamp) {
		b->order_stamp = order_stamp;
		b->order = ++n_order;
	}
	return pointer_name(b->order, a - b->start);
}

/* 0 when it is in none. */
static UInt heap_block(Addr a)
{
	UInt id = block_at(a);
	if (!id) {
		id = block_at(a - 1);
		if (id && block_get(id)->start + block_get(id)->size != a)
			id = 0;
	}
	return id;
}

Bool canon_details;
struct name_details canon_last;

static inline struct name raw_name(ULong v)
{
	if (UNLIKELY(canon_details))
		canon_last = (struct name_details){0};
	return (struct name){.loose = v, .strict = v};
}

static inline struct name anchored(UInt id, ULong offset)
{
	if (UNLIKELY(canon_details))
		canon_last = (struct name_details){True, id, (Long)offset};
	return (struct name){.loose = pointer_name(id, offset)};
}

UInt canon_block(ULong v)
{
	if (!may_point(v))
		return 0;
	enum place p = place_get(v)->place;
	return p == PLACE_HEAP || (p == PLACE_MAPPED && heap_by_name) ? heap_block(v) : 0;
}

struct name canon_value(ULong v)
{
	if (!may_point(v))
		return raw_name(v);
	const struct place_cache *c = place_get(v);
	Addr region;
	UInt id = 0;
	enum place place = c->place;
	if (place == PLACE_MAPPED && heap_by_name && heap_block(v))
		place = PLACE_HEAP;
	switch (place) {
	case PLACE_NONE:
	case PLACE_TEXT:
		return raw_name(v);
	case PLACE_HEAP:
		id = heap_block(v);
		if (!id)
			return raw_name(v);
		region = region_of_block(id);
		break;
	case PLACE_STACK:
		region = REGION_STACK;
		break;
	case PLACE_MAPPED:
		region = c->region;
		break;
	default:
		region = REGION_STATIC;
		break;
	}
	Int k = below(v);
	struct name n = anchored(k >= 0 && anchor_at[k] == v ? anchor_id[k] : add_anchor(k, v, region), 0);
	if (place == PLACE_STACK && !first_stack)
		first_stack = v;
	n.strict = id ? strict_heap(id, v) : place == PLACE_STACK ? pointer_name(0, v - first_stack) : v;
	return n;
}

struct name canon_place(Addr a, enum place p, UInt id)
{
	Addr region = p == PLACE_HEAP     ? region_of_block(id)
		      : p == PLACE_STACK  ? REGION_STACK
		      : p == PLACE_MAPPED ? place_get(a)->region
					  : REGION_STATIC;
	Int k = below(a);
	canon_skew = 0;
	/* a thread's variables lie in what was mapped as its stack: they are the same variables in all threads */
	if (UNLIKELY(a - tls_low < tls_span) && p != PLACE_HEAP && p != PLACE_STATIC &&
	    (k < 0 || anchor_at[k] < tls_low)) {
		canon_origin = canon_place_origin = ORIGIN_OTHER;
		ULong name = pointer_name(THREAD_NAME, a - tls_low);
		if (UNLIKELY(canon_details))
			canon_last = (struct name_details){False, 0, (Long)(a - tls_low)};
		return (struct name){name, name};
	}
	Bool near = k >= 0 && anchor_region[anchor_id[k]] == region &&
		    (region != REGION_STATIC || a - anchor_at[k] < STATIC_REACH);
	struct name n;
	if (near) {
		canon_place_origin = anchor_origin[anchor_id[k]];
		n = anchored(anchor_id[k], a - anchor_at[k]);
		canon_skew = (UInt)(a - anchor_at[k]) & 7;
	} else if (region == REGION_STATIC) {
		canon_place_origin = ORIGIN_GLOBAL;
		n = raw_name(a);
	} else {
		canon_origin = canon_place_origin = ORIGIN_OTHER;
		n = anchored(add_anchor(k, a, region), 0);
	}
	n.strict = id ? strict_heap(id, a) : p == PLACE_STACK ? n.loose : a;
	return n;
}

UInt canon_pieces(Addr a, enum place p, UInt id, UInt bits, struct piece *out)
{
	UInt inside = 8, n = 0;
	Int k = below(a) + 1;
	if (k < (Int)n_anchor && anchor_at[k] < a + 8)
		inside = (UInt)(anchor_at[k] - a);
	if (inside == 8 || bits & ((1u << inside) - 1)) {
		ULong name = canon_place(a, p, id).loose;
		out[n++] = (struct piece){name, 0, canon_skew};
		k = below(a) + 1;
	} else {
		canon_place_origin = anchor_origin[anchor_id[k]];
	}
	for (; inside < 8 && k < (Int)n_anchor && anchor_at[k] < a + 8; k++)
		out[n++] = (struct piece){pointer_name(anchor_id[k], 0), (UInt)(anchor_at[k] - a), 0};
	return n;
}

ULong canon_strict(Addr a, enum place p, UInt id)
{
	return id ? strict_heap(id, a) : p == PLACE_STACK ? 0 : a;
}
