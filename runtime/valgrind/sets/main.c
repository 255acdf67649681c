/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rfsets: for each call of the functions in --rf-list, a digest of what went in and of what came out
 * (src/base/vgproto.h).
 *
 * Bytes the program never wrote (padding, fresh stack, fresh heap) would make equal inputs look different. They are
 * made zero: heap blocks when they are allocated, stack memory when a function is entered (what is below the stack
 * pointer is dead then) and when the stack pointer moves down, always below the red zone. A program that does not read
 * what it never wrote cannot notice. --rf-scrub=no leaves them as they are. */
#include "sets.h"

#include "children.h"
#include "instrument.h"
#include "stop.h"

#include "pub_tool_replacemalloc.h"

enum { RED_ZONE = 128, MAX_SCRUB = 1 << 20 };

static const HChar *clo_list;
static Bool clo_scrub = True, clo_hide;
static Bool follow_memory, finished;

const Bool tool_wants_guest = True;

ULong tool_references(void)
{
	return 0;
}

void tool_tick(void)
{
	sets_flush_calls();
}

void tool_restart(void)
{
	threads_restart();
	functions_restart();
	world_restart();
	list_restart();
}

void tool_exec(void)
{
	stop_finish(0);
}

void tool_finish(void)
{
	threads_end();
	sets_flush_calls();
	struct chosen *c;
	for (UInt i = 0; (c = list_at(i)); i++) {
		struct vg_sets s = {.fn = c->id, .calls = c->calls, .max_locations = c->max_locations};
		out_record(VG_SETS, &s, sizeof s);
		globals_tell(c);
		shape_tell(c);
		for (UInt k = 0; k < c->n_peers; k++) {
			struct vg_peer p = {c->id, c->peer[k].owner->id, c->peer[k].frees, c->peer[k].changes};
			out_record(VG_PEER, &p, sizeof p);
		}
		for (UInt k = 0; k < c->n_files; k++) {
			struct vg_file f = {.fn = c->id, .number = c->file[k].number};
			struct out_part parts[] = {{&f, sizeof f}, {c->file[k].path, VG_(strlen)(c->file[k].path) + 1}};
			out_parts(VG_FILE, parts, 2);
		}
	}
}

/* ---- memory accesses */

static VG_REGPARM(2) void on_load(Addr a, UWord size)
{
	sets_access(a, size, False);
}

static VG_REGPARM(2) void on_store(Addr a, UWord size)
{
	sets_access(a, size, True);
}

static IRExpr *binop(IRSB *out, IROp op, IRExpr *a, IRExpr *b, IRType ty)
{
	return IRExpr_RdTmp(instrument_temp(out, IRExpr_Binop(op, a, b), ty));
}

static void add_access(IRSB *out, IRExpr *addr, UInt size, Bool write, IRExpr *guard)
{
	IRExpr *distance = binop(out, Iop_Sub64, addr, instrument_load(out, &run_low), Ity_I64);
	IRExpr *test = binop(out, Iop_CmpLE64U, instrument_load(out, &run_span), distance, Ity_I1);
	if (guard) {
		IRExpr *a = IRExpr_RdTmp(instrument_temp(out, IRExpr_Unop(Iop_1Uto64, test), Ity_I64));
		IRExpr *b = IRExpr_RdTmp(instrument_temp(out, IRExpr_Unop(Iop_1Uto64, guard), Ity_I64));
		test = binop(out, Iop_CmpNE64, binop(out, Iop_And64, a, b, Ity_I64), mkIRExpr_HWord(0), Ity_I1);
	}
	IRDirty *d =
		unsafeIRDirty_0_N(2, write ? "on_store" : "on_load", VG_(fnptr_to_fnentry)(write ? on_store : on_load),
				  mkIRExprVec_2(addr, mkIRExpr_HWord(size)));
	d->guard = test;
	addStmtToIRSB(out, IRStmt_Dirty(d));
}

/* ---- bytes nobody wrote */

static VG_REGPARM(2) void on_stack_grown(Addr sp, UWord n)
{
	VG_(memset)((void *)(sp - RED_ZONE), 0, n);
}

static void scrub_at_entry(IRSB *out)
{
	IRExpr *sp = IRExpr_RdTmp(instrument_temp(out, IRExpr_Get(GUEST(RSP), Ity_I64), Ity_I64));
	for (UInt i = 16; i <= RED_ZONE; i += 16) {
		IRExpr *a = binop(out, Iop_Sub64, sp, mkIRExpr_HWord(i), Ity_I64);
		addStmtToIRSB(out, IRStmt_Store(Iend_LE, a, IRExpr_Const(IRConst_V128(0))));
	}
}

/* s, a PUT to the stack pointer, moved it down by n. */
static void scrub_grown(IRSB *out, const IRStmt *s, ULong n)
{
	if (n > MAX_SCRUB)
		return;
	if (n == 8) { /* a push or a call */
		IRExpr *a = binop(out, Iop_Sub64, s->Ist.Put.data, mkIRExpr_HWord(RED_ZONE), Ity_I64);
		addStmtToIRSB(out, IRStmt_Store(Iend_LE, a, mkIRExpr_HWord(0)));
		return;
	}
	IRDirty *d = unsafeIRDirty_0_N(2, "on_stack_grown", VG_(fnptr_to_fnentry)(on_stack_grown),
				       mkIRExprVec_2(s->Ist.Put.data, mkIRExpr_HWord(n)));
	addStmtToIRSB(out, IRStmt_Dirty(d));
}

static Bool is_entry(Addr a)
{
	const HChar *name;
	return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), a, &name);
}

/* The wrappers that stand in for malloc are Valgrind's, not the program's: what they read is nobody's input. */
static Bool is_preload(Addr a)
{
	static Addr low, high;
	if (a >= low && a < high)
		return True;
	const DebugInfo *di = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), a);
	if (!di || !VG_(strstr)(VG_(DebugInfo_get_filename)(di), "/vgpreload_"))
		return False;
	low = VG_(DebugInfo_get_text_avma)(di);
	high = low + VG_(DebugInfo_get_text_size)(di);
	return True;
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word, IRType host_word)
{
	(void)closure, (void)layout, (void)arch, (void)guest_word, (void)host_word;
	IRSB *out = deepCopyIRSBExceptStmts(in);
	Int i = 0;
	UInt pending = 0;
	Bool first = True, follow = follow_memory && !is_preload(extents->base[0]);
	for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		addStmtToIRSB(out, in->stmts[i]);
	for (; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];
		if (s->tag == Ist_IMark) {
			pending++;
			addStmtToIRSB(out, s);
			if (first) {
				first = False;
				struct fn *fn = function_at(s->Ist.IMark.addr);
				if (fn && !finished)
					instrument_enter(out, fn);
				if (clo_scrub && follow_memory && is_entry(s->Ist.IMark.addr))
					scrub_at_entry(out);
			}
			continue;
		}
		if (s->tag == Ist_Exit) {
			instrument_count(out, pending);
			pending = 0;
		} else if (follow) {
			instrument_accesses(out, s, add_access);
		}
		addStmtToIRSB(out, s);
		if (s->tag == Ist_Put && s->Ist.Put.offset == GUEST(RSP)) {
			Long step = 0;
			if (!instrument_stack_step(in, i, &step))
				instrument_stack_set(out, s->Ist.Put.data);
			else if (clo_scrub && follow_memory && step < 0)
				scrub_grown(out, s, (ULong)-step);
		}
	}
	instrument_count(out, pending);
	instrument_end(out, in->jumpkind);
	return out;
}

/* Code that was translated before goes on asking whether a call is open. */
void sets_finish(void)
{
	finished = True;
	follow_memory = False;
}

/* ---- what the kernel reads and writes for the program */

static void kernel_reads(CorePart part, ThreadId tid, const HChar *what, Addr a, SizeT n)
{
	(void)what;
	if (part == Vg_CoreSysCall && running && running->tid == tid &&
	    VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
		sets_access(a, n, False);
}

static void kernel_reads_string(CorePart part, ThreadId tid, const HChar *what, Addr a)
{
	if (VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ))
		kernel_reads(part, tid, what, a, VG_(strlen)((const HChar *)a) + 1);
}

static void kernel_wrote(CorePart part, ThreadId tid, Addr a, SizeT n)
{
	if (part == Vg_CoreSysCall && running && running->tid == tid &&
	    VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
		sets_access(a, n, True);
}

static void mapped(Addr a, SizeT n, Bool r, Bool w, Bool x, ULong handle)
{
	(void)a, (void)n, (void)r, (void)w, (void)x, (void)handle;
	place_forget();
}

static void protected(Addr a, SizeT n, Bool r, Bool w, Bool x)
{
	mapped(a, n, r, w, x, 0);
}

static void unmapped(Addr a, SizeT n)
{
	mapped(a, n, False, False, False, 0);
}

static void grown(Addr a, SizeT n, ThreadId tid)
{
	(void)tid;
	unmapped(a, n);
}

static void moved(Addr from, Addr to, SizeT n)
{
	(void)to;
	unmapped(from, n);
}

/* ---- the tool */

static void after_options(void)
{
	tool_start();
	tool_children();
	/* another program may write into a pipe to a third one */
	if (clo_hide && children_first())
		out_hide_program();
	blocks_init();
	heap_find();
	if (clo_list)
		list_read(clo_list);
	follow_memory = !list_all_arguments_only() && !flatten_depth;
	function_filter = list_find;
}

static Bool option(const HChar *arg)
{
	if VG_STR_CLO (arg, "--rf-list", clo_list) {
	} else if VG_BOOL_CLO (arg, "--rf-scrub", clo_scrub) {
	} else if VG_BINT_CLO (arg, "--rf-depth", flatten_depth, 0, 1 << 30) {
	} else if VG_BOOL_CLO (arg, "--rf-hide", clo_hide) {
	} else if VG_BOOL_CLO (arg, "--rf-shapes", sets_shapes) {
	} else {
		return VG_(replacement_malloc_process_cmd_line_option)(arg);
	}
	return True;
}

static void before_options(void)
{
	static const struct tool t = {
		"rfsets", "inputs and outputs of functions for refrain", 700, after_options, instrument, option};
	tool_describe(&t);
	blocks_replace_malloc();
	VG_(track_pre_mem_read)(kernel_reads);
	VG_(track_pre_mem_read_asciiz)(kernel_reads_string);
	VG_(track_post_mem_write)(kernel_wrote);
	VG_(track_new_mem_mmap)(mapped);
	VG_(track_new_mem_startup)(mapped);
	VG_(track_change_mem_mprotect)(protected);
	VG_(track_die_mem_munmap)(unmapped);
	VG_(track_new_mem_brk)(grown);
	VG_(track_die_mem_brk)(unmapped);
	VG_(track_copy_mem_remap)(moved);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
