/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call written out in full, for "why did these two calls differ": the names are made once more, with what they are
 * made of. */
#include "sets.h"

enum { MAX_ENTRIES = 4096 };

static struct vg_dump_entry *dumped;
static UInt n_dumped;

static struct vg_dump_entry *add(UInt where, Long offset)
{
	static struct vg_dump_entry overflow;
	struct vg_dump_entry *d = n_dumped < MAX_ENTRIES ? &dumped[n_dumped++] : &overflow;
	VG_(memset)(d, 0, sizeof *d);
	d->where = where;
	d->offset = offset;
	return d;
}

static Int first_byte(const struct entry *e)
{
	UInt bits = e->touch->read | e->touch->written;
	Int i = 0;
	while (i < 7 && !(bits >> i & 1))
		i++;
	return i;
}

static struct vg_dump_entry *add_place(const struct entry *e, enum place p, UInt block)
{
	static const UChar where[] = {
		[PLACE_NONE] = VG_WHERE_MAPPED,   [PLACE_TEXT] = VG_WHERE_STATIC, [PLACE_CONST] = VG_WHERE_STATIC,
		[PLACE_STATIC] = VG_WHERE_STATIC, [PLACE_HEAP] = VG_WHERE_HEAP,   [PLACE_STACK] = VG_WHERE_STACK,
		[PLACE_MAPPED] = VG_WHERE_MAPPED,
	};
	canon_place(e->a, p, block);
	struct name_details named = canon_last;
	struct vg_dump_entry *d = add(where[p], named.offset);
	d->anchor = named.anchor;
	const HChar *name;
	PtrdiffT offset;
	if (where[p] == VG_WHERE_STATIC && globals_name(e->a + first_byte(e), &name, &offset)) {
		VG_(strncpy)(d->symbol, name, sizeof d->symbol - 1);
		d->offset = offset - first_byte(e);
	}
	return d;
}

static void set_before(struct vg_dump_entry *d, ULong v, UInt bits)
{
	d->read = (UChar)bits;
	d->before = canon_last.pointer ? canon_last.anchor : v;
	d->before_is_pointer = canon_last.pointer;
}

static void set_after(struct vg_dump_entry *d, ULong v, UInt bits)
{
	d->written = (UChar)bits;
	d->after = canon_last.pointer ? canon_last.anchor : v;
	d->after_is_pointer = canon_last.pointer;
}

static UInt slot_bits(const struct slot *s)
{
	return (1u << s->size) - 1;
}

static void dump_input(const struct log *log, const struct chosen *c)
{
	for (UInt i = 0; i < c->n_args; i++) {
		struct vg_dump_entry *d = add(VG_WHERE_ARG, c->arg[i].reg);
		canon_last = (struct name_details){0};
		slot_name(&c->arg[i], log->word[i]);
		set_before(d, log->word[i], slot_bits(&c->arg[i]));
	}
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->read;
		if (!bits)
			continue;
		struct vg_dump_entry *d = add_place(e, e->place, e->block);
		canon_last = (struct name_details){0};
		bytes_name(e->before, bits);
		set_before(d, e->before & byte_mask(bits), bits);
	}
}

static void dump_output(const struct log *log, const struct chosen *c, const VexGuestAMD64State *guest)
{
	for (UInt i = 0; guest && i < c->n_results; i++) {
		struct vg_dump_entry *d = add(VG_WHERE_RESULT, c->result[i].reg);
		ULong v = slot_word(&c->result[i], guest);
		canon_last = (struct name_details){0};
		slot_name(&c->result[i], v);
		set_after(d, v, slot_bits(&c->result[i]));
	}
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->written, block;
		if (!bits || !entry_lives(e, &block))
			continue;
		struct vg_dump_entry *d = add_place(e, block ? PLACE_HEAP : e->place, block);
		ULong now = *(const ULong *)e->a;
		canon_last = (struct name_details){0};
		bytes_name(now, bits);
		set_after(d, now & byte_mask(bits), bits);
	}
}

void dump_call(const struct log *log, const struct chosen *c, Addr sp, const VexGuestAMD64State *guest)
{
	Bool wanted = False;
	for (UInt i = 0; i < c->n_dumps; i++)
		wanted |= c->dump[i] == c->calls;
	if (!wanted)
		return;
	dumped = VG_(malloc)("rf.dump", MAX_ENTRIES * sizeof *dumped);
	n_dumped = 0;
	canon_details = True;
	canon_begin(sp);
	dump_input(log, c);
	if (!(log->flags & VG_CALL_CUT))
		dump_output(log, c, guest);
	canon_details = False;
	struct vg_dump d = {.fn = c->id, .n = n_dumped, .call = c->calls};
	struct out_part parts[] = {{&d, sizeof d}, {dumped, n_dumped * sizeof *dumped}};
	out_parts(VG_DUMP, parts, 2);
	VG_(free)(dumped);
}
