/* References, in units of 2^shift bytes, consecutive duplicates collapsed.
 *
 * The test "same unit as the last one" is generated into the program's code, so the common case costs a few
 * instructions and no call. An access that crosses into the next unit counts as two references. When instructions alone
 * are recorded the unit is known while translating, so only the first instruction of a run needs the test. */
#include "record.h"

#include "stop.h"

enum { RECORD_UNITS = 1 << 14 };
static ULong unit[RECORD_UNITS];
static UInt n_unit;
static ULong last_unit = ~0ULL, total, limit_units;
static UInt room = RECORD_UNITS; /* fewer when the limit is near */
static ULong on_mask = ~0ULL;
static UInt shift;
static Bool want_data, want_code, is_gated;
static ULong known_unit; /* while translating: what last_unit holds here; ~0 when not known */

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

void record_flush(void)
{
	if (n_unit)
		out_record(VG_REFS, unit, n_unit * sizeof *unit);
	total += n_unit;
	n_unit = 0;
	room = limit_units && limit_units - total < RECORD_UNITS ? (UInt)(limit_units - total) : RECORD_UNITS;
}

ULong record_count(void)
{
	return total + n_unit;
}

static void add(ULong u)
{
	if (u == last_unit)
		return;
	if (UNLIKELY(n_unit == room)) {
		record_flush();
		if (!room)
			stop_now();
	}
	last_unit = u;
	unit[n_unit++] = u;
}

static VG_REGPARM(2) void on_reference(Addr a, UWord size)
{
	ULong first = a >> shift, last = (a + size - 1) >> shift;
	add(first);
	if (UNLIKELY(first != last))
		for (ULong u = first + 1; u <= last; u++)
			add(u);
}

static IRExpr *binop(IRSB *out, IROp op, IRExpr *a, IRExpr *b, IRType ty)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Binop(op, a, b), ty));
}

static IRExpr *differs_from_last(IRSB *out, IRExpr *addr)
{
	IRExpr *u = binop(out, Iop_Shr64, addr, IRExpr_Const(IRConst_U8((UChar)shift)), Ity_I64);
	return binop(out, Iop_Xor64, u, instrument_load(out, &last_unit), Ity_I64);
}

/* difference: an I64 that is 0 when the reference is the last one again */
static void call_if(IRSB *out, IRExpr *addr, UInt size, IRExpr *difference, IRExpr *guard)
{
	if (is_gated)
		difference = binop(out, Iop_And64, difference, instrument_load(out, &on_mask), Ity_I64);
	IRExpr *test = binop(out, Iop_CmpNE64, difference, mkIRExpr_HWord(0), Ity_I1);
	if (guard) {
		IRExpr *a = IRExpr_RdTmp(instrument_temp(out, IRExpr_Unop(Iop_1Uto64, test), Ity_I64));
		IRExpr *b = IRExpr_RdTmp(instrument_temp(out, IRExpr_Unop(Iop_1Uto64, guard), Ity_I64));
		test = binop(out, Iop_CmpNE64, binop(out, Iop_And64, a, b, Ity_I64), mkIRExpr_HWord(0), Ity_I1);
	}
	IRDirty *d = unsafeIRDirty_0_N(2, "on_reference", VG_(fnptr_to_fnentry)(on_reference),
				       mkIRExprVec_2(addr, mkIRExpr_HWord(size)));
	d->guard = test;
	addStmtToIRSB(out, IRStmt_Dirty(d));
}

void record_block(void)
{
	known_unit = ~0ULL;
}

void record_instruction(IRSB *out, Addr a, UInt length)
{
	if (!want_code)
		return;
	ULong first = a >> shift, last = (a + length - 1) >> shift;
	if (first == last && known_unit == first)
		return;
	IRExpr *addr = mkIRExpr_HWord(a);
	/* an instruction that crosses, or a small unit, always differs in one of its ends */
	IRExpr *difference = first != last ? mkIRExpr_HWord(1) : differs_from_last(out, addr);
	call_if(out, addr, length, difference, NULL);
	known_unit = is_gated ? ~0ULL : last;
}

void record_access(IRSB *out, IRExpr *addr, UInt size, Bool write, IRExpr *guard)
{
	(void)write;
	if (!want_data)
		return;
	known_unit = ~0ULL;
	IRExpr *difference = differs_from_last(out, addr);
	if (size > 1) {
		IRExpr *end = binop(out, Iop_Add64, addr, mkIRExpr_HWord(size - 1), Ity_I64);
		difference = binop(out, Iop_Or64, difference, differs_from_last(out, end), Ity_I64);
	}
	call_if(out, addr, size, difference, guard);
}
