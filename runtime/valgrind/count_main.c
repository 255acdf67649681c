/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rfcount: calls and inclusive instructions of every function in one run (--rf-mode=count), or the references the
 * program makes (--rf-mode=record). The program's malloc stays its own, so its cost is counted and its addresses are
 * real. */
#include "tool.h"

#include "instrument.h"
#include "record.h"
#include "stop.h"

static const HChar *clo_mode = "count", *clo_kinds = "data", *clo_functions;
static Int clo_shift = 12;
static Long clo_references;
static Bool recording;
static Bool is_copy; /* this process is a fork of one that was followed */

const Bool tool_wants_guest = False;

void frame_opened(struct thread *t, struct frame *f, const VexGuestAMD64State *guest)
{
	(void)guest;
	if (recording)
		return;
	struct fn *fn = f->fn;
	fn->calls++;
	if (!f->nested)
		fn->outer++;
	if (t->n > 1 && f[-1].fn)
		function_edge(fn, f[-1].fn);
}

void frame_closed(struct thread *t, struct frame *f, const VexGuestAMD64State *guest, enum ending how)
{
	(void)guest, (void)how;
	ULong cost = run_instructions - f->instructions0;
	f->fn->self += cost > f->child ? cost - f->child : 0;
	if (!f->nested) {
		f->fn->inclusive += cost;
		f->fn->kernel_ns += t->kernel_ns - f->kernel0;
	}
	if (t->sys != f->sys0)
		f->fn->sys_calls++;
}

void frame_barrier(struct thread *t, struct frame *f)
{
	(void)t, (void)f;
}

void world_asked(struct thread *t, const struct asked *q)
{
	(void)t, (void)q;
}

void frame_top_changed(struct thread *t)
{
	if (recording)
		record_on(t->n != 0);
}

void thread_gone(struct thread *t)
{
	(void)t;
}

ULong tool_references(void)
{
	return record_count();
}

void tool_tick(void)
{
	record_flush();
}

void tool_restart(void)
{
	if (recording) {
		record_restart();
		return;
	}
	is_copy = True;
	threads_restart();
	functions_restart();
	world_restart();
}

void tool_exec(void)
{
	if (recording)
		record_flush();
	else
		stop_finish(0);
}

void tool_finish(void)
{
	threads_end();
	record_flush();
	if (recording)
		return;
	for (struct fn *f = function_first(); f; f = f->next) {
		if (!f->calls && is_copy)
			continue; /* called by the parent alone */
		function_tell(f);
		struct vg_count c = {.id = f->id,
				     .calls = f->calls,
				     .inclusive = f->inclusive,
				     .outer = f->outer,
				     .sys_calls = f->sys_calls,
				     .self = f->self,
				     .kernel_ns = f->kernel_ns};
		out_record(VG_COUNT, &c, sizeof c);
	}
	for (struct fn *f = function_first(); f; f = f->next)
		for (struct edge *e = f->edges; e; e = e->next) {
			struct vg_edge r = {e->caller->id, f->id, e->calls};
			out_record(VG_EDGE, &r, sizeof r);
		}
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word, IRType host_word)
{
	(void)closure, (void)layout, (void)extents, (void)arch, (void)guest_word, (void)host_word;
	IRSB *out = deepCopyIRSBExceptStmts(in);
	Int i = 0;
	UInt pending = 0;
	Bool first = True, follow = !recording || clo_functions;
	for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		addStmtToIRSB(out, in->stmts[i]);
	for (; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];
		if (s->tag == Ist_IMark) {
			struct fn *fn = first && follow ? function_at(s->Ist.IMark.addr) : NULL;
			if (fn)
				instrument_enter(out, fn);
			if (first && recording)
				record_block();
			first = False;
			if (recording)
				record_instruction(out, s->Ist.IMark.addr, s->Ist.IMark.len);
			pending++;
		} else if (s->tag == Ist_Exit) {
			if (recording)
				record_leave(out);
			instrument_count(out, pending);
			pending = 0;
		} else if (recording) {
			instrument_accesses(out, s, record_access);
		}
		addStmtToIRSB(out, s);
		Long step;
		if (follow && s->tag == Ist_Put && s->Ist.Put.offset == GUEST(RSP) &&
		    !instrument_stack_step(in, i, &step))
			instrument_stack_set(out, s->Ist.Put.data);
	}
	instrument_count(out, pending);
	if (recording && !first)
		record_leave(out);
	if (follow)
		instrument_end(out, in->jumpkind);
	return out;
}

/* --rf-functions=F,…: record only while one of these is open */
static void *chosen(const HChar *name, const HChar *object, Addr entry)
{
	(void)object, (void)entry;
	SizeT n = VG_(strlen)(name);
	for (const HChar *p = clo_functions; *p;) {
		const HChar *end = p;
		while (*end && *end != ',')
			end++;
		if ((SizeT)(end - p) == n && VG_(strncmp)(p, name, n) == 0)
			return (void *)1;
		p = *end ? end + 1 : end;
	}
	return NULL;
}

static void after_options(void)
{
	recording = VG_STREQ(clo_mode, "record");
	tool_start();
	if (recording) {
		if (clo_functions)
			function_filter = chosen;
		record_init((UInt)clo_shift, clo_kinds, (ULong)clo_references, clo_functions != NULL);
	}
	tool_children();
}

static Bool option(const HChar *arg)
{
	if VG_STR_CLO (arg, "--rf-mode", clo_mode) {
	} else if VG_STR_CLO (arg, "--rf-kinds", clo_kinds) {
	} else if VG_STR_CLO (arg, "--rf-functions", clo_functions) {
	} else if VG_BINT_CLO (arg, "--rf-shift", clo_shift, 0, 40) {
	} else if VG_INT_CLO (arg, "--rf-references", clo_references) {
	} else {
		return False;
	}
	return True;
}

static void before_options(void)
{
	static const struct tool t = {
		"rfcount", "calls, costs and references for refrain", 500, after_options, instrument, option};
	tool_describe(&t);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
