/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References, in units of 2^shift bytes, consecutive duplicates collapsed.
 *
 * Appending is generated into the program's code and has no branch: the unit is stored behind the last one, and the
 * end moves on by one place or, when the unit is the last one again, by none. The end and the last unit live in
 * temporaries from the begin of a block to its ways out; whether there is room is asked once a block. An access
 * that crosses into the next unit counts as two references: it is stored as one word, that unit with a mark, and
 * taken apart when the buffer is written, which is rare. The last unit is kept without the mark: a marked word is
 * never a duplicate. An instruction's unit is known while translating, so only the first of a run needs the test;
 * and when both are recorded, a single access between two instructions of one unit appends that access and that
 * unit, or nothing. What is larger than a unit, and everything when only some functions are recorded, goes through
 * a call. Full blocks are encoded as they will be in the file (base/keyblock.h).
 *
 * Invariant: outside of generated blocks record_end is the place behind the last word, and the place before it holds
 * that word, also when the buffer is empty. A fault in the middle of a block loses at most that block's references. */
#include "record.h"

#include "base/keyblock.h"
#include "children.h"
#include "stop.h"

enum {
	SLACK = 2048, /* words that generated code may append before it asks for room again */
	CROSS_BIT = 62,
};
#define CROSS (1ULL << CROSS_BIT)
static ULong word[1 + KEYBLOCK_KEYS + SLACK] = {~0ULL};
static ULong *record_end = word + 1, *full = word + 1 + KEYBLOCK_KEYS;
static struct keyblock_encoder encoder;
static ULong total, limit_units;
static ULong written = ~0ULL; /* the last unit of the buffer before */
static ULong on_mask = ~0ULL;
static UInt shift;
static Bool want_data, want_code, is_gated;

/* What is appended, and the unit it ends in. */
struct reference {
	IRExpr *word, *end;
};

/* while translating */
static ULong known_unit;           /* the last one recorded here; ~0 when not known */
static IRTemp end_temp, last_temp; /* end_temp is IRTemp_INVALID while they are not fetched */
static UInt promised;              /* words that may have been appended since room was asked for */
static struct reference
	waiting;           /* an access of the instruction at hand, the first one behind its code; word NULL: none */
static ULong waiting_code; /* the unit of that code */

void record_init(UInt unit_shift, const HChar *kinds, ULong limit, Bool gated)
{
	shift = unit_shift;
	limit_units = limit;
	record_flush();
	is_gated = gated;
	want_data = !VG_STREQ(kinds, "code");
	want_code = !VG_STREQ(kinds, "data");
	on_mask = gated ? 0 : ~0ULL;
}

void record_on(Bool on)
{
	if (is_gated)
		on_mask = on ? ~0ULL : 0;
}

/* ---- writing the buffer */

static void write_block(const ULong *keys, UInt n)
{
	struct vg_keys r = {.count = n, .pad = children_clock()};
	UChar *p = out_begin(sizeof r + KEYBLOCK_BYTES);
	VG_(memcpy)(p, &r, sizeof r);
	SizeT bytes = keyblock_encode(&encoder, (const uint64_t *)keys, n, p + sizeof r);
	out_end(VG_KEYS, sizeof r + bytes);
	total += n;
}

static void write_units(const ULong *u, ULong n)
{
	if (limit_units && n > limit_units - total)
		n = limit_units - total;
	for (ULong at = 0; at < n; at += KEYBLOCK_KEYS)
		write_block(u + at, (UInt)(n - at < KEYBLOCK_KEYS ? n - at : KEYBLOCK_KEYS));
}

/* Accesses that cross become two units; out has room for twice as many. Returns how many units there are. */
static ULong take_apart(const ULong *in, ULong n, ULong last, ULong *out)
{
	ULong k = 0;
	for (ULong i = 0; i < n; i++) {
		ULong u = in[i] & ~CROSS, first = u == in[i] ? u : u - 1;
		if (first != last)
			out[k++] = last = first;
		if (first != u)
			out[k++] = last = u;
	}
	return k;
}

void record_flush(void)
{
	static ULong apart[2 * (KEYBLOCK_KEYS + SLACK)];
	ULong n = (ULong)(record_end - word) - 1, marks = 0;
	const ULong *units = word + 1;
	for (ULong i = 0; i < n; i++)
		marks |= units[i];
	if (UNLIKELY(n && (marks >> CROSS_BIT & 1 || units[0] == written))) {
		n = take_apart(units, n, written, apart);
		units = apart;
	}
	write_units(units, n);
	if (n)
		written = units[n - 1];
	word[0] = record_end[-1];
	record_end = word + 1;
	full = record_end + (limit_units && limit_units - total < KEYBLOCK_KEYS ? limit_units - total : KEYBLOCK_KEYS);
}

void record_restart(void)
{
	word[0] = written = ~0ULL;
	record_end = word + 1;
	total = 0;
}

ULong record_count(void)
{
	return total;
}

static void on_full(void)
{
	record_flush();
	if (full == record_end)
		stop_now();
}

/* ---- generated code */

static IRExpr *binop(IRSB *out, IROp op, IRExpr *a, IRExpr *b, IRType ty)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Binop(op, a, b), ty));
}

static IRExpr *byte(UInt n)
{
	return IRExpr_Const(IRConst_U8((UChar)n));
}

static IRExpr *widened(IRSB *out, IRExpr *bit)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Unop(Iop_1Uto64, bit), Ity_I64));
}

static IRExpr *unit_of(IRSB *out, IRExpr *addr)
{
	return shift ? binop(out, Iop_Shr64, addr, byte(shift), Ity_I64) : addr;
}

/* The unit that an access ends in, marked when it begins in the one before. */
static struct reference access_reference(IRSB *out, IRExpr *addr, UInt size)
{
	IRExpr *u = unit_of(out, addr);
	if (size == 1)
		return (struct reference){u, u};
	IRExpr *v = unit_of(out, binop(out, Iop_Add64, addr, mkIRExpr_HWord(size - 1), Ity_I64));
	IRExpr *mark = binop(out, Iop_Shl64, binop(out, Iop_Sub64, v, u, Ity_I64), byte(CROSS_BIT), Ity_I64);
	return (struct reference){binop(out, Iop_Add64, v, mark, Ity_I64), v};
}

static void ask_for_room(IRSB *out)
{
	IRExpr *end = instrument_load(out, &record_end);
	IRDirty *d = unsafeIRDirty_0_N(0, "on_full", VG_(fnptr_to_fnentry)(on_full), mkIRExprVec_0());
	d->guard = binop(out, Iop_CmpLE64U, instrument_load(out, &full), end, Ity_I1);
	addStmtToIRSB(out, IRStmt_Dirty(d));
	end_temp = instrument_load(out, &record_end)->Iex.RdTmp.tmp;
	IRExpr *before = binop(out, Iop_Sub64, IRExpr_RdTmp(end_temp), mkIRExpr_HWord(8), Ity_I64);
	IRExpr *last = IRExpr_RdTmp(instrument_temp(out, IRExpr_Load(Iend_LE, Ity_I64, before), Ity_I64));
	last_temp = binop(out, Iop_And64, last, mkIRExpr_HWord(~CROSS), Ity_I64)->Iex.RdTmp.tmp;
	promised = 0;
}

static void store_end(IRSB *out)
{
	if (end_temp != IRTemp_INVALID)
		addStmtToIRSB(out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&record_end), IRExpr_RdTmp(end_temp)));
}

/* Room for two words, and the temporaries. */
static void prepare(IRSB *out)
{
	if (end_temp == IRTemp_INVALID || promised + 2 > SLACK) {
		store_end(out);
		ask_for_room(out);
	}
	promised += 2;
}

static void store_word(IRSB *out, ULong offset, IRExpr *w)
{
	IRExpr *at = IRExpr_RdTmp(end_temp);
	if (offset)
		at = binop(out, Iop_Add64, at, mkIRExpr_HWord(offset), Ity_I64);
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, at, w));
}

/* The end moves on by 2^bytes_shift if the I1 holds. */
static void advance(IRSB *out, IRExpr *bit, IRExpr *guard, UInt bytes_shift)
{
	IRExpr *wide = widened(out, bit);
	if (guard)
		wide = binop(out, Iop_And64, wide, widened(out, guard), Ity_I64);
	IRExpr *bytes = binop(out, Iop_Shl64, wide, byte(bytes_shift), Ity_I64);
	end_temp = binop(out, Iop_Add64, IRExpr_RdTmp(end_temp), bytes, Ity_I64)->Iex.RdTmp.tmp;
}

/* Of atoms; guard: NULL or an I1 */
static void append(IRSB *out, struct reference r, IRExpr *guard)
{
	prepare(out);
	store_word(out, 0, r.word);
	advance(out, binop(out, Iop_CmpNE64, r.word, IRExpr_RdTmp(last_temp), Ity_I1), guard, 3);
	last_temp = instrument_temp(out, guard ? IRExpr_ITE(guard, r.end, IRExpr_RdTmp(last_temp)) : r.end, Ity_I64);
}

static void append_unit(IRSB *out, ULong unit)
{
	append(out, (struct reference){mkIRExpr_HWord(unit), mkIRExpr_HWord(unit)}, NULL);
}

/* The last unit is code, and the same code comes next: w and code, or nothing if they are the same. */
static void append_between(IRSB *out, IRExpr *w, ULong code)
{
	IRExpr *c = mkIRExpr_HWord(code);
	prepare(out);
	store_word(out, 0, w);
	store_word(out, 8, c);
	advance(out, binop(out, Iop_CmpNE64, w, c, Ity_I1), NULL, 4);
	last_temp = instrument_temp(out, c, Ity_I64);
}

static void append_waiting(IRSB *out)
{
	if (waiting.word)
		append(out, waiting, NULL);
	waiting.word = NULL;
}

void record_leave(IRSB *out)
{
	append_waiting(out);
	store_end(out);
}

/* ---- by a call */

static VG_REGPARM(2) void on_reference(Addr a, UWord size)
{
	for (ULong u = a >> shift; u <= (a + size - 1) >> shift; u++) {
		if (u == record_end[-1])
			continue;
		if (UNLIKELY(record_end >= full))
			on_full();
		*record_end++ = u;
	}
}

static void append_by_call(IRSB *out, IRExpr *addr, UInt size, IRExpr *guard)
{
	record_leave(out);
	IRExpr *wanted = instrument_load(out, &on_mask);
	if (guard)
		wanted = binop(out, Iop_And64, wanted, widened(out, guard), Ity_I64);
	IRDirty *d = unsafeIRDirty_0_N(2, "on_reference", VG_(fnptr_to_fnentry)(on_reference),
				       mkIRExprVec_2(addr, mkIRExpr_HWord(size)));
	d->guard = binop(out, Iop_CmpNE64, wanted, mkIRExpr_HWord(0), Ity_I1);
	addStmtToIRSB(out, IRStmt_Dirty(d));
	end_temp = IRTemp_INVALID;
}

/* ---- a block */

void record_block(void)
{
	known_unit = ~0ULL;
	end_temp = IRTemp_INVALID;
	waiting.word = NULL;
}

void record_instruction(IRSB *out, Addr a, UInt length)
{
	if (!want_code)
		return;
	ULong first = a >> shift, last = (a + length - 1) >> shift;
	if (waiting.word && first == last && waiting_code == first) {
		append_between(out, waiting.word, first);
		waiting.word = NULL;
		known_unit = first;
		return;
	}
	append_waiting(out);
	if (first == last && known_unit == first)
		return;
	if (is_gated || last - first > 1 || last >> CROSS_BIT) {
		append_by_call(out, mkIRExpr_HWord(a), length, NULL);
	} else {
		append_unit(out, first);
		if (first != last)
			append_unit(out, last);
	}
	known_unit = is_gated ? ~0ULL : last;
}

void record_access(IRSB *out, IRExpr *addr, UInt size, Bool write, IRExpr *guard)
{
	(void)write;
	if (!want_data)
		return;
	ULong code = known_unit;
	known_unit = ~0ULL;
	append_waiting(out);
	if (is_gated || size > 1ULL << shift) {
		append_by_call(out, addr, size, guard);
		return;
	}
	struct reference r = access_reference(out, addr, size);
	if (code != ~0ULL && !guard) {
		waiting = r;
		waiting_code = code;
	} else {
		append(out, r, guard);
	}
}
