/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data as MemoizeIt flattens it (--rf-depth=K): the arguments of a call when it begins and its result when it ends, by
 * their types, along at most K references (Definitions 1, 2 and 6). What the call does in between is not looked at.
 *
 * An item is walked breadth first, so an object is met along the fewest references that lead to it. Each object gets a
 * number when it is met; met again, only that number counts. A digest stands for the text that the paper would
 * write. */
#include "sets.h"

UInt flatten_depth;

enum { MAX_OBJECTS = 1 << 15, TABLE = 1 << 16, MAX_TYPES = 1 << 16, MAX_TEXT = 1 << 20 };

struct leaf {
	HChar kind;     /* src/profile/debug/layout.h */
	UInt offset, n; /* n: bytes, or the type's number */
};
static struct type {
	ULong size;
	UInt n;
	struct leaf *leaf;
} type[MAX_TYPES];
static UInt n_types;

static struct object {
	Addr a;
	UInt type; /* 0: none that has fields */
	UInt depth;
	Bool text;
} object[MAX_OBJECTS];
static UInt n_objects;
static struct {
	UInt item, object;
} table[TABLE];
static UInt item; /* number of the one at hand: entries of others are free */

/* Of the call at hand. */
static struct flat *now;
static ULong room; /* bytes */

static void fold(ULong v)
{
	now->digest = mix64_pair(now->digest, v);
}

/* ---- types, from the list */

void flatten_type(const HChar *p)
{
	HChar *end;
	ULong number = VG_(strtoull10)(p, &end);
	if (number != n_types + 1ULL || number >= MAX_TYPES || *end != ' ')
		return; /* what has an unknown type has no fields */
	struct type *t = &type[++n_types];
	t->size = VG_(strtoull10)(end + 1, &end);
	UInt n = 0;
	for (const HChar *q = end; *q; q++)
		n += *q == ' ';
	t->leaf = VG_(calloc)("rf.type", n + 1, sizeof *t->leaf);
	while (*end == ' ' && t->n < n) {
		struct leaf *leaf = &t->leaf[t->n++];
		leaf->kind = end[1];
		leaf->offset = (UInt)VG_(strtoull10)(end + 2, &end);
		if (*end == ':')
			leaf->n = (UInt)VG_(strtoull10)(end + 1, &end);
	}
}

/* ---- objects */

static Bool readable(Addr a, SizeT n)
{
	return place_of(a) != PLACE_NONE && (n < 2 || place_of(a + n - 1) != PLACE_NONE);
}

/* The end of the heap block that a is in; 0: it is in none. */
static Addr block_end(Addr a)
{
	UInt id = block_at(a);
	return id ? block_get(id)->start + block_get(id)->size : 0;
}

static void reference(Addr a, UInt of, Bool text, UInt depth)
{
	if (!a) {
		fold(0);
		return;
	}
	UInt at = (UInt)mix64(a * 2 + text + ((ULong)of << 48)) % TABLE;
	for (; table[at].item == item; at = (at + 1) % TABLE) {
		const struct object *o = &object[table[at].object];
		if (o->a == a && o->type == of && o->text == text) {
			fold(mix64_pair(2, table[at].object));
			return;
		}
	}
	if (n_objects == MAX_OBJECTS) {
		now->cut = True;
		return;
	}
	table[at].item = item;
	table[at].object = n_objects;
	fold(mix64_pair(mix64_pair(1, n_objects), text ? ~0ULL : of));
	object[n_objects++] = (struct object){a, of, depth, text};
}

static void bytes(Addr a, ULong n)
{
	ULong v;
	if (n > room || now->cut) {
		now->cut = True;
		return;
	}
	room -= n;
	now->bytes += (UInt)n;
	now->places++;
	fold(n);
	for (; n >= 8; a += 8, n -= 8) {
		VG_(memcpy)(&v, (const void *)a, 8);
		fold(v);
	}
	v = 0;
	VG_(memcpy)(&v, (const void *)a, n);
	if (n)
		fold(v);
}

/* Up to the NUL, or as far as there is memory. */
static void text_at(Addr a)
{
	Addr end = block_end(a);
	ULong most = end ? end - a : MAX_TEXT, n = 0;
	while (n < most && ((a + n) % VKI_PAGE_SIZE || readable(a + n, 1)) && *(const HChar *)(a + n))
		n++;
	bytes(a, n);
}

static void value(HChar kind, UInt of, Addr v, UInt depth)
{
	switch (kind) {
	case 'p':
		reference(v, of, False, depth);
		break;
	case 's':
		reference(v, 0, True, depth);
		break;
	case 'o':
		reference(v, 0, False, depth);
		break;
	case 'u':
		/* a number that happens to be an address is an object: rarely, and then never where the block went */
		if (block_at(v)) {
			reference(v, 0, False, depth);
			break;
		}
		/* fall through */
	default:
		fold(v);
	}
}

/* The fields of one element. limit: the end of its block, or 0 */
static void fields(const struct type *t, Addr a, Addr limit, UInt depth)
{
	for (UInt i = 0; i < t->n && !now->cut; i++) {
		const struct leaf *leaf = &t->leaf[i];
		Addr at = a + leaf->offset;
		ULong n = leaf->kind == 'b' ? leaf->n : leaf->kind == 'f' ? (limit > at ? limit - at : 0) : 8;
		if ((limit && at + n > limit) || (n && !readable(at, n))) {
			fold(3); /* declared larger than it is */
			continue;
		}
		if (leaf->kind == 'b' || leaf->kind == 'f') {
			bytes(at, n);
			continue;
		}
		if (room < 8) {
			now->cut = True;
			return;
		}
		room -= 8;
		now->places++;
		value(leaf->kind, leaf->n, *(const Addr *)at, depth);
	}
}

static void expand(const struct object *o)
{
	if (!readable(o->a, 1)) {
		fold(4);
		return;
	}
	if (o->text) {
		text_at(o->a);
		return;
	}
	const struct type *t = &type[o->type];
	Addr limit = block_end(o->a);
	ULong n = limit && t->size && (limit - o->a) % t->size == 0 ? (limit - o->a) / t->size : 1;
	fold(n);
	for (ULong i = 0; i < n && !now->cut; i++)
		fields(t, o->a + i * t->size, limit, o->depth + 1);
}

static void flatten_item(const struct slot *s, ULong v)
{
	item++;
	n_objects = 0;
	if (s->leaf == 'v') { /* by value, though in memory */
		if (s->type && s->type <= n_types && readable(v, 1))
			fields(&type[s->type], v, 0, 1);
	} else {
		now->bytes += s->size;
		value(s->leaf, s->type, v, 1);
	}
	for (UInt i = 0; i < n_objects && !now->cut; i++) {
		struct object o = object[i];
		if (!o.text && (!o.type || o.type > n_types || !type[o.type].n))
			continue;
		if (o.depth > flatten_depth)
			now->deeper = True;
		else
			expand(&o);
	}
}

void flatten(struct flat *out, const struct slot *slot, const ULong *word, UInt n, UInt limit)
{
	*out = (struct flat){0};
	now = out;
	room = 8ULL * limit;
	for (UInt i = 0; i < n; i++) {
		fold(5);
		if (slot[i].leaf != 'n')
			flatten_item(&slot[i], word[i]);
	}
}
