/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a call's log to two pairs of digests, and to the words what it did: see struct vg_call. Names come from canon.c,
 * which must have been started for this call; it numbers pointers in the order of the log, the order of execution.
 *
 * Places count as a sum, in no order. The same data may lie at a multiple of 8 in one call and 4 bytes behind one in
 * another, where the 8 bytes of an entry hold other pieces of it. So words are counted from the pointer that
 * leads to them, an entry adds its bytes to two such words, and the sum is linear in them: a random factor per word,
 * 128 bits wide so that no byte falls out at the top. */
#include "sets.h"

struct sum {
	unsigned __int128 values;
	ULong bytes; /* which of them */
};

struct digests {
	ULong loose, strict; /* what has an order: arguments, results, new blocks */
	struct sum loose_places, strict_places;
};

/* A 128-bit product folded: one multiplication mixes two words. */
static inline ULong mul_fold(ULong a, ULong b)
{
	unsigned __int128 p = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	return (ULong)p ^ (ULong)(p >> 64);
}

static inline void fold(struct digests *d, struct name n)
{
	d->loose = mul_fold(d->loose, n.loose);
	d->strict = mul_fold(d->strict, n.strict);
}

static inline void add_word(struct sum *s, ULong name, ULong value, UInt bits)
{
	ULong factor = mul_fold(name, 0x2545f4914f6cdd1du) | 1;
	s->values += (unsigned __int128)factor * value;
	s->bytes += (factor >> 8) * bits;
}

/* Bytes that begin skew behind a word's first one. */
static inline void add_bytes(struct sum *s, ULong name, UInt skew, ULong value, UInt bits)
{
	if (LIKELY(!skew)) {
		add_word(s, name, value, bits);
		return;
	}
	add_word(s, name - skew, value << 8 * skew, bits << skew & 0xff);
	add_word(s, name - skew + 8, value >> (64 - 8 * skew), bits >> (8 - skew));
}

static inline ULong digest_of(ULong ordered, const struct sum *s)
{
	return mul_fold(mul_fold(ordered, s->bytes), mul_fold((ULong)s->values, (ULong)(s->values >> 64)));
}

/* From one bit a byte to all bits of those bytes. */
ULong byte_mask(UInt bits)
{
	ULong spread = (bits * 0x0101010101010101u) & 0x8040201008040201u;
	/* at most one bit in each byte: the addition carries into its top bit, never beyond */
	return ((spread + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

static inline UInt n_bytes(UInt bits)
{
	bits = (bits & 0x55) + (bits >> 1 & 0x55);
	bits = (bits & 0x33) + (bits >> 2 & 0x33);
	return (bits & 15) + (bits >> 4);
}

static inline struct name plain(ULong v)
{
	return (struct name){v, v};
}

ULong slot_word(const struct slot *s, const VexGuestAMD64State *guest)
{
	ULong v = *(const ULong *)((const UChar *)guest + s->offset);
	return s->size == 8 ? v : v & ((1ULL << (8 * s->size)) - 1);
}

struct name slot_name(const struct slot *s, ULong v)
{
	return s->size == 8 ? canon_value(v) : plain(v);
}

struct name bytes_name(ULong v, UInt bits)
{
	return bits == 0xff ? canon_value(v) : plain(v & byte_mask(bits));
}

/* The 8 bytes v of an entry, of which bits count; value is their name. */
static void add_pieces(struct sum *s, const struct piece *piece, UInt n, ULong v, UInt bits, ULong value)
{
	/* a pointer is one, whatever leads into its middle */
	if (LIKELY(n == 1 && !piece[0].from) || value != (v & byte_mask(bits))) {
		add_bytes(s, piece[0].name, piece[0].skew, value, bits);
		return;
	}
	for (UInt i = 0; i < n; i++) {
		UInt from = piece[i].from, to = i + 1 < n ? piece[i + 1].from : 8;
		UInt own = bits & ((1u << to) - (1u << from));
		if (own)
			add_bytes(s, piece[i].name, piece[i].skew, (v & byte_mask(own)) >> 8 * from, own >> from);
	}
}

static inline void add_place(struct digests *d, const struct piece *piece, UInt n, ULong strict, ULong v, UInt bits,
			     struct name value)
{
	add_pieces(&d->loose_places, piece, n, v, bits, value.loose);
	if (strict)
		add_word(&d->strict_places, strict, value.strict, bits);
	else
		add_pieces(&d->strict_places, piece, n, v, bits, value.strict);
}

void digest_input(const struct log *log, const struct chosen *c, struct vg_call *r)
{
	struct digests d = {c->id, c->id, {0}, {0}};
	struct sum hint = {0};
	struct piece piece[8];
	canon_origin = ORIGIN_ARGUMENT;
	for (UInt i = 0; i < c->n_args; i++) {
		fold(&d, slot_name(&c->arg[i], log->word[i]));
		r->in_bytes += c->arg[i].size;
		if (!r->instance && c->arg[i].object)
			r->instance = log->word[i];
	}
	const ULong arguments = d.loose;
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt bits = e->touch->read;
		if (!bits)
			continue;
		UInt n = canon_pieces(e->a, e->place, e->block, bits, piece);
		ULong strict = canon_strict(e->a, e->place, e->block);
		/* what hangs on globals need not be in a key that names the globals */
		canon_origin = canon_place_origin == ORIGIN_ARGUMENT ? ORIGIN_ARGUMENT : ORIGIN_OTHER;
		if (canon_place_origin != ORIGIN_OTHER && e->place != PLACE_CONST) {
			r->in_bytes += n_bytes(bits);
			r->in_places++;
		}
		struct name value = bytes_name(e->before, bits);
		add_place(&d, piece, n, strict, e->before, bits, value);
		if (!e->touch->written)
			add_pieces(&hint, piece, n, e->before, bits, value.loose);
	}
	r->in_args = arguments;
	r->in_loose = digest_of(d.loose, &d.loose_places);
	r->in_hint = digest_of(arguments, &hint);
	r->in_strict = digest_of(d.strict, &d.strict_places);
}

/* Is the place still there at the end of the call, and which block is it in now? */
Bool entry_lives(const struct entry *e, UInt *block)
{
	*block = 0;
	if (e->place == PLACE_STACK)
		return True;
	enum place p = place_of(e->a);
	if (p == PLACE_HEAP)
		return (*block = block_at(e->a)) != 0;
	return p != PLACE_NONE;
}

/* ---- the output
 *
 * Where the allocator puts a new block says nothing about the call, nor in which order its places were touched first
 * when addresses were used before for something that was freed. So new blocks are met as one would meet them from
 * outside: from the result and from memory that was there before, then from one block to the next, each read from its
 * begin to its end. Blocks that nothing leads to count by what they hold, in no order. */

enum { MAX_FRESH = 1 << 14, TAG_FRESH = 0x5eed };
static UInt fresh[MAX_FRESH]; /* of the output at hand, in order of meeting */
static UInt n_fresh, outputs;
static UInt output_stamp; /* blocks of this age are new */

static inline Bool is_new_block(UInt block)
{
	return block && block_get(block)->stamp >= output_stamp;
}

static Bool meet(UInt id)
{
	struct block *b = block_get(id);
	if (b->met == outputs)
		return True;
	if (n_fresh == MAX_FRESH)
		return False;
	b->met = outputs;
	b->met_order = n_fresh;
	fresh[n_fresh++] = id;
	return True;
}

/* Pointers to new blocks by the order of meeting, others as in the input. */
static struct name output_name(ULong v)
{
	UInt id = canon_block(v);
	if (!is_new_block(id))
		return canon_value(v);
	if (!meet(id))
		return plain(TAG_FRESH);
	const struct block *b = block_get(id);
	return plain(mul_fold(TAG_FRESH + (ULong)b->met_order, v - b->start));
}

static struct name output_bytes(ULong v, UInt bits)
{
	return bits == 0xff ? output_name(v) : plain(v & byte_mask(bits));
}

/* The call changed a block that was there before: once per call for each owner. */
static void note_change(struct chosen *c, UInt block)
{
	static UInt noted[MAX_PEERS];
	const struct chosen *owner = block_get(block)->owner;
	struct peer *p = owner && owner != c ? peer_get(c, owner) : NULL;
	if (!p || noted[p - c->peer] == outputs)
		return;
	noted[p - c->peer] = outputs;
	p->changes++;
}

static void digest_written(const struct entry *e, struct chosen *c, struct vg_call *r, struct digests *d)
{
	UInt bits = e->touch->written, block;
	if (!entry_lives(e, &block))
		return;
	if (is_new_block(block)) {
		r->flags |= VG_CALL_ALLOC;
		return;
	}
	ULong now = *(const ULong *)e->a, differ = now ^ e->before;
	if (differ & byte_mask(bits)) {
		r->flags |= VG_CALL_CHANGED;
		if (block)
			note_change(c, block);
	}
	/* counts that an allocator keeps in static data are no buffer that somebody appends to */
	if (differ & byte_mask(bits & e->touch->read) && (block || e->place != PLACE_STATIC))
		r->flags |= VG_CALL_UPDATE;
	if (e->place != PLACE_STATIC && (block || !errno_bits(e->a)))
		r->flags |= VG_CALL_OUTSIDE;
	struct piece piece[8];
	enum place p = block ? PLACE_HEAP : e->place;
	UInt n = canon_pieces(e->a, p, block, bits, piece);
	ULong strict = canon_strict(e->a, p, block);
	add_place(d, piece, n, strict, now, bits, output_bytes(now, bits));
	r->out_bytes += n_bytes(bits);
	r->out_places++;
}

static void digest_block(UInt id, struct vg_call *r, struct digests *d)
{
	Addr a = block_get(id)->start, end = a + block_get(id)->size;
	fold(d, plain(end - a));
	for (; a + 8 <= end; a += 8) {
		ULong v = *(const ULong *)a;
		if (!v) /* most of a large block may be empty */
			continue;
		fold(d, plain(end - a));
		fold(d, output_name(v));
	}
	if (a < end)
		fold(d, plain(*(const ULong *)a & byte_mask((1u << (end - a)) - 1)));
	ULong bytes = r->fresh_bytes + (ULong)block_get(id)->size;
	r->fresh_bytes = bytes > 0xffffffffu ? 0xffffffffu : (UInt)bytes;
	r->fresh_blocks++;
}

/* New blocks that nothing led to. */
static void digest_rest(const struct log *log, struct digests *d)
{
	ULong sum = 0;
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt block;
		if (!e->touch->written || !entry_lives(e, &block) || !is_new_block(block) ||
		    block_get(block)->met == outputs)
			continue;
		ULong now = *(const ULong *)e->a & byte_mask(e->touch->written);
		/* marks may be left from a block that was here before: what holds nothing does not count */
		if (now)
			sum += mul_fold(e->a - block_get(block)->start, canon_block(now) ? TAG_FRESH : now);
	}
	fold(d, plain(sum));
}

void digest_output(const struct log *log, struct chosen *c, const VexGuestAMD64State *guest, struct vg_call *r)
{
	struct digests d = {~c->id, ~c->id, {0}, {0}};
	n_fresh = 0;
	outputs++;
	output_stamp = log->stamp;
	if (guest)
		for (UInt i = 0; i < c->n_results; i++) {
			ULong v = slot_word(&c->result[i], guest);
			fold(&d, c->result[i].size == 8 ? output_name(v) : plain(v));
			r->out_bytes += c->result[i].size;
		}
	else
		fold(&d, plain(VG_CALL_UNWOUND));
	for (UInt i = 0; i < log->n; i++)
		if (log->entry[i].touch->written)
			digest_written(&log->entry[i], c, r, &d);
	for (UInt i = 0; i < n_fresh; i++)
		digest_block(fresh[i], r, &d);
	if (r->flags & VG_CALL_ALLOC)
		digest_rest(log, &d);
	r->out_loose = digest_of(d.loose, &d.loose_places);
	r->out_strict = digest_of(d.strict, &d.strict_places);
}

void digest_globals(const struct log *log, struct chosen *c)
{
	for (UInt i = 0; i < log->n; i++) {
		const struct entry *e = &log->entry[i];
		UInt errno_bytes = e->place == PLACE_HEAP ? 0 : errno_bits(e->a);
		if ((e->place != PLACE_STATIC && !errno_bytes) || place_of(e->a) == PLACE_NONE)
			continue;
		const struct touch *g = e->touch;
		struct global_seen seen = {.a = e->a, .read = g->read, .written = g->written};
		if (errno_bytes)
			seen = (struct global_seen){.a = ERRNO_PLACE,
						    .read = log->asks_errno ? g->read & (UChar)errno_bytes : 0,
						    .written = g->written & (UChar)errno_bytes};
		ULong differ = *(const ULong *)e->a ^ e->before;
		for (UInt k = 0; k < 8; k++)
			if (seen.written >> k & 1 && differ >> (8 * k) & 0xff)
				seen.changed |= (UChar)(1u << k);
		if (seen.read || seen.written)
			globals_note(c, &seen);
	}
}
