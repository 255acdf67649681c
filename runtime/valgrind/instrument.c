/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that both tools add to the program's: counting instructions, noticing calls, entries and returns.
 *
 * Blocks are translated one at a time (no chasing across jumps, no unrolling): a function's entry is then always the
 * first instruction of a block and a return its last, where the guest's registers are all in memory. */
#include "tool.h"

#include "instrument.h"

void instrument_init(void)
{
	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
}

IRTemp instrument_temp(IRSB *out, IRExpr *e, IRType ty)
{
	IRTemp t = newIRTemp(out->tyenv, ty);
	addStmtToIRSB(out, IRStmt_WrTmp(t, e));
	return t;
}

IRExpr *instrument_load(IRSB *out, const void *p)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)p)), Ity_I64));
}

static void reads_guest(IRDirty *d)
{
	d->nFxState = 2;
	VG_(memset)(d->fxState, 0, sizeof d->fxState);
	d->fxState[0].fx = Ifx_Read;
	d->fxState[0].offset = GUEST(RAX);
	d->fxState[0].size = GUEST(R15) + 8 - GUEST(RAX);
	d->fxState[1].fx = Ifx_Read;
	d->fxState[1].offset = GUEST(YMM0);
	d->fxState[1].size = GUEST(YMM8) - GUEST(YMM0);
}

static VG_REGPARM(3) void on_enter_guest(struct fn *fn, Addr sp, VexGuestAMD64State *guest)
{
	threads_enter(fn, sp, guest);
}

static VG_REGPARM(2) void on_enter(struct fn *fn, Addr sp)
{
	threads_enter(fn, sp, NULL);
}

static VG_REGPARM(2) void on_return_guest(Addr sp, VexGuestAMD64State *guest)
{
	threads_return(sp, guest);
}

static VG_REGPARM(1) void on_return(Addr sp)
{
	threads_return(sp, NULL);
}

static VG_REGPARM(1) void on_unwind(Addr sp)
{
	threads_unwind(sp);
}

/* s, at place i, is a PUT to the stack pointer: by how much does it move, if that is a constant? */
Bool instrument_stack_step(const IRSB *in, Int i, Long *step)
{
	const IRExpr *data = in->stmts[i]->Ist.Put.data;
	if (data->tag != Iex_RdTmp)
		return False;
	while (--i >= 0) {
		const IRStmt *d = in->stmts[i];
		if (d->tag != Ist_WrTmp || d->Ist.WrTmp.tmp != data->Iex.RdTmp.tmp)
			continue;
		const IRExpr *e = d->Ist.WrTmp.data;
		if (e->tag != Iex_Binop || (e->Iex.Binop.op != Iop_Sub64 && e->Iex.Binop.op != Iop_Add64) ||
		    e->Iex.Binop.arg2->tag != Iex_Const || e->Iex.Binop.arg2->Iex.Const.con->tag != Ico_U64)
			return False;
		Long c = (Long)e->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
		*step = e->Iex.Binop.op == Iop_Sub64 ? -c : c;
		return True;
	}
	return False;
}

/* longjmp, exceptions and stack switches load the stack pointer: frames it went past are over then, not at the next
 * call. */
void instrument_stack_set(IRSB *out, IRExpr *sp)
{
	IRExpr *limit = instrument_load(out, &run_return_sp);
	IRDirty *d = unsafeIRDirty_0_N(1, "on_unwind", VG_(fnptr_to_fnentry)(on_unwind), mkIRExprVec_1(sp));
	d->guard = IRExpr_RdTmp(instrument_temp(out, IRExpr_Binop(Iop_CmpLE64U, limit, sp), Ity_I1));
	addStmtToIRSB(out, IRStmt_Dirty(d));
}

static IRExpr *stack_pointer(IRSB *out)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Get(GUEST(RSP), Ity_I64), Ity_I64));
}

void instrument_enter(IRSB *out, struct fn *fn)
{
	IRExpr *sp = stack_pointer(out), *f = mkIRExpr_HWord((HWord)fn);
	IRDirty *d;
	if (tool_wants_guest) {
		d = unsafeIRDirty_0_N(3, "on_enter_guest", VG_(fnptr_to_fnentry)(on_enter_guest),
				      mkIRExprVec_3(f, sp, IRExpr_GSPTR()));
		reads_guest(d);
	} else {
		d = unsafeIRDirty_0_N(2, "on_enter", VG_(fnptr_to_fnentry)(on_enter), mkIRExprVec_2(f, sp));
	}
	addStmtToIRSB(out, IRStmt_Dirty(d));
}

void instrument_count(IRSB *out, UInt n)
{
	if (!n)
		return;
	IRExpr *was = instrument_load(out, &run_instructions);
	IRTemp now = instrument_temp(out, IRExpr_Binop(Iop_Add64, was, mkIRExpr_HWord(n)), Ity_I64);
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&run_instructions), IRExpr_RdTmp(now)));
}

void instrument_end(IRSB *out, IRJumpKind kind)
{
	if (kind == Ijk_Call) {
		addStmtToIRSB(out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&run_call_sp), stack_pointer(out)));
	} else if (kind == Ijk_Ret) {
		IRExpr *sp = stack_pointer(out), *limit = instrument_load(out, &run_return_sp);
		IRDirty *d;
		if (tool_wants_guest) {
			d = unsafeIRDirty_0_N(2, "on_return_guest", VG_(fnptr_to_fnentry)(on_return_guest),
					      mkIRExprVec_2(sp, IRExpr_GSPTR()));
			reads_guest(d);
		} else {
			d = unsafeIRDirty_0_N(1, "on_return", VG_(fnptr_to_fnentry)(on_return), mkIRExprVec_1(sp));
		}
		d->guard = IRExpr_RdTmp(instrument_temp(out, IRExpr_Binop(Iop_CmpLE64U, limit, sp), Ity_I1));
		addStmtToIRSB(out, IRStmt_Dirty(d));
	}
}

/* fn may be called before the statement is copied: a write's address is known by then too */
void instrument_accesses(IRSB *out, IRStmt *s, access_fn fn)
{
	IRTypeEnv *env = out->tyenv;
	switch (s->tag) {
	case Ist_WrTmp:
		if (s->Ist.WrTmp.data->tag == Iex_Load)
			fn(out, s->Ist.WrTmp.data->Iex.Load.addr, (UInt)sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty),
			   False, NULL);
		break;
	case Ist_Store:
		fn(out, s->Ist.Store.addr, (UInt)sizeofIRType(typeOfIRExpr(env, s->Ist.Store.data)), True, NULL);
		break;
	case Ist_StoreG: {
		IRStoreG *g = s->Ist.StoreG.details;
		fn(out, g->addr, (UInt)sizeofIRType(typeOfIRExpr(env, g->data)), True, g->guard);
		break;
	}
	case Ist_LoadG: {
		IRLoadG *g = s->Ist.LoadG.details;
		IRType wide = Ity_INVALID, loaded = Ity_INVALID;
		typeOfIRLoadGOp(g->cvt, &wide, &loaded);
		fn(out, g->addr, (UInt)sizeofIRType(loaded), False, g->guard);
		break;
	}
	case Ist_CAS: {
		IRCAS *c = s->Ist.CAS.details;
		UInt n = (UInt)sizeofIRType(typeOfIRExpr(env, c->dataLo)) * (c->dataHi ? 2 : 1);
		fn(out, c->addr, n, False, NULL);
		fn(out, c->addr, n, True, NULL);
		break;
	}
	case Ist_LLSC: {
		Bool store = s->Ist.LLSC.storedata != NULL;
		IRType ty = store ? typeOfIRExpr(env, s->Ist.LLSC.storedata) : typeOfIRTemp(env, s->Ist.LLSC.result);
		fn(out, s->Ist.LLSC.addr, (UInt)sizeofIRType(ty), store, NULL);
		break;
	}
	case Ist_Dirty: {
		IRDirty *d = s->Ist.Dirty.details;
		if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
			fn(out, d->mAddr, (UInt)d->mSize, False, d->guard);
		if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
			fn(out, d->mAddr, (UInt)d->mSize, True, d->guard);
		break;
	}
	default:
		break;
	}
}
