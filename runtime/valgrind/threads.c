/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls are open, per thread.
 *
 * A frame is opened when control reaches a function's first instruction and is known by the address of its return
 * address. It is closed by the return that pops that address, or, when longjmp, an exception or a stack switch went
 * past it, as soon as the stack pointer is seen above it: by the next call or return. Reaching an entry with the stack
 * pointer of an open frame is a new call if a call instruction just pushed a return address there (the old frame is
 * dead); otherwise it is a jump: a tail call when the function differs, a loop whose head is the entry when it is the
 * same.
 *
 * A signal handler is nobody's callee: a barrier, a frame without a function, is put on the stack when it is
 * delivered, and
 * taken off when it returns or jumps out. What ran above it is not part of the calls below it: their clocks are set
 * forward.
 *
 * Invariant: between two barriers the frames' addresses never grow from the bottom to the top of a thread's shadow
 * stack.
 *
 * Valgrind runs one thread at a time: the generated code works on run_* variables, swapped when another thread runs. */
#include "tool.h"

#include "stop.h"

enum { MAX_FRAMES = 1 << 22 };

struct thread *running;
ULong run_instructions;
Addr run_return_sp = ~(Addr)0;
Addr run_call_sp;

static struct thread **thread_of; /* by ThreadId */
static ULong gone_instructions;
static UInt n_threads;
static ULong n_frames; /* ever opened */
static Bool too_deep;

static void set_return_sp(struct thread *t)
{
	/* on a barrier every return is looked at: an alternate stack may lie above */
	run_return_sp = !t->n ? ~(Addr)0 : t->frame[t->n - 1].fn ? t->frame[t->n - 1].sp + 8 : 0;
	frame_top_changed(t);
}

struct thread *threads_get(ThreadId tid)
{
	if (!thread_of[tid]) {
		thread_of[tid] = VG_(calloc)("rf.thread", 1, sizeof(struct thread));
		thread_of[tid]->tid = tid;
		thread_of[tid]->serial = n_threads++;
	}
	return thread_of[tid];
}

static void thread_runs(ThreadId tid, ULong blocks)
{
	(void)blocks;
	stop_poll();
	if (running && running->tid == tid)
		return;
	if (running) {
		running->instructions = run_instructions;
		running->call_sp = run_call_sp;
	}
	running = threads_get(tid);
	run_instructions = running->instructions;
	run_call_sp = running->call_sp;
	set_return_sp(running);
}

static Bool make_room(struct thread *t, const struct fn *fn)
{
	if (t->n == t->cap) {
		if (t->n >= MAX_FRAMES) {
			too_deep = True;
			return False;
		}
		UInt cap = t->cap ? 2 * t->cap : 256;
		struct frame *p = budget_grow("rf.frames", t->frame, t->cap * sizeof *p, cap * sizeof *p);
		if (!p) {
			too_deep = True;
			return False;
		}
		t->frame = p;
		t->cap = cap;
	}
	if (fn && fn->id >= t->n_active) {
		UInt n = t->n_active ? 2 * t->n_active : 256;
		while (n <= fn->id)
			n *= 2;
		UInt *p = budget_grow("rf.active", t->active, t->n_active * sizeof *p, n * sizeof *p);
		if (!p) {
			too_deep = True;
			return False;
		}
		t->active = p;
		t->n_active = n;
	}
	return True;
}

static void barrier_remove(struct thread *t);

static void close_top(struct thread *t, const VexGuestAMD64State *guest, enum ending how)
{
	struct frame *f = &t->frame[t->n - 1];
	if (!f->fn) {
		barrier_remove(t);
		return;
	}
	t->n--;
	t->active[f->fn->id]--;
	if (t->n)
		f[-1].child += run_instructions - f->instructions0;
	frame_closed(t, f, guest, how);
}

/* ---- signals */

static void signal_begins(ThreadId tid, Int number, Bool alternate)
{
	(void)number;
	struct thread *t = threads_get(tid);
	if (!t->n || !make_room(t, NULL))
		return;
	struct barrier *b = VG_(calloc)("rf.barrier", 1, sizeof *b);
	b->active = t->active;
	b->n_active = t->n_active;
	b->sp = VG_(get_SP)(tid);
	b->alternate = alternate;
	b->sys = t->sys;
	b->kernel_ns = t->kernel_ns;
	b->below = t->barrier;
	t->barrier = b;
	/* calls in the handler are not inside calls it interrupted */
	t->active = NULL;
	t->n_active = 0;
	struct frame *f = &t->frame[t->n++];
	*f = (struct frame){.sp = b->sp, .instructions0 = run_instructions};
	frame_barrier(t, f);
	run_call_sp = 0;
	set_return_sp(t);
}

/* The top frame is a barrier. */
static void barrier_remove(struct thread *t)
{
	struct barrier *b = t->barrier;
	ULong instructions = run_instructions - t->frame[--t->n].instructions0;
	for (UInt i = 0; i < t->n; i++) {
		struct frame *f = &t->frame[i];
		f->instructions0 += instructions;
		f->sys0 += t->sys - b->sys;
		f->kernel0 += t->kernel_ns - b->kernel_ns;
	}
	budget_free(t->active, t->n_active * sizeof *t->active);
	t->active = b->active;
	t->n_active = b->n_active;
	t->barrier = b->below;
	VG_(free)(b);
}

static void signal_ends(ThreadId tid, Int number)
{
	(void)number;
	struct thread *t = threads_get(tid);
	if (!t->barrier)
		return;
	while (t->n && t->frame[t->n - 1].fn)
		close_top(t, NULL, ENDED_UNWOUND);
	barrier_remove(t);
	set_return_sp(t);
}

/* Is the stack pointer above this frame? A handler on its own stack is not, wherever that lies: only the stack it
 * interrupted counts. */
static Bool is_past(const struct thread *t, const struct frame *f, Addr sp)
{
	if (f->sp >= sp)
		return False;
	if (f->fn || !t->barrier->alternate)
		return True;
	Addr high = VG_(thread_get_stack_max)(t->tid);
	return sp <= high && sp > high - VG_(thread_get_stack_size)(t->tid);
}

/* The program's thread ends, or the whole program: what is still open is closed as unwound. */
static void thread_ends(ThreadId tid)
{
	struct thread *t = thread_of[tid];
	if (!t)
		return;
	/* the last instructions of the thread that runs are in the run_ variable */
	if (t == running)
		t->instructions = run_instructions;
	ULong other = run_instructions;
	struct thread *was = running;
	running = t;
	run_instructions = t->instructions;
	while (t->n)
		close_top(t, NULL, ENDED_OPEN);
	gone_instructions += t->instructions;
	thread_gone(t);
	budget_free(t->frame, t->cap * sizeof *t->frame);
	budget_free(t->active, t->n_active * sizeof *t->active);
	VG_(free)(t);
	thread_of[tid] = NULL;
	running = was == t ? NULL : was;
	run_instructions = running ? other : 0;
	if (running)
		set_return_sp(running);
	else
		run_return_sp = ~(Addr)0;
}

static void child_after_fork(ThreadId tid)
{
	(void)tid;
	out_silence();
}

void threads_restart(void)
{
	threads_end();
	gone_instructions = 0;
	n_threads = 0;
	too_deep = False;
}

void threads_init(void)
{
	VG_(track_start_client_code)(thread_runs);
	VG_(track_pre_thread_ll_exit)(thread_ends);
	VG_(track_pre_deliver_signal)(signal_begins);
	VG_(track_post_deliver_signal)(signal_ends);
	world_init();
	VG_(atfork)(NULL, NULL, child_after_fork);
}

void threads_enter(struct fn *fn, Addr sp, void *guest)
{
	struct thread *t = running;
	Bool by_call = run_call_sp == sp;
	run_call_sp = 0;
	if (UNLIKELY(!window_open)) {
		if (!fn->first)
			return;
		window_begin();
	}
	while (t->n && (is_past(t, &t->frame[t->n - 1], sp) ||
			(by_call && t->frame[t->n - 1].fn && t->frame[t->n - 1].sp == sp)))
		close_top(t, NULL, ENDED_UNWOUND);
	if (fn->skip)
		return;
	for (UInt k = t->n; k && t->frame[k - 1].fn && t->frame[k - 1].sp == sp; k--)
		if (t->frame[k - 1].fn == fn)
			return;
	if (!make_room(t, fn))
		return;
	struct frame *f = &t->frame[t->n++];
	*f = (struct frame){.sp = sp,
			    .back = *(const Addr *)sp,
			    .fn = fn,
			    .instructions0 = run_instructions,
			    .kernel0 = t->kernel_ns,
			    .serial = ++n_frames,
			    .sys0 = t->sys,
			    .nested = t->active[fn->id]++ != 0};
	frame_opened(t, f, guest);
	run_return_sp = sp + 8;
	frame_top_changed(t);
}

void threads_return(Addr sp, void *guest)
{
	struct thread *t = running;
	while (t->n && is_past(t, &t->frame[t->n - 1], sp)) {
		/* only frames whose own return address was popped have a result */
		const struct frame *f = &t->frame[t->n - 1];
		Bool unwound = f->fn && (f->sp + 8 != sp || *(const Addr *)f->sp != f->back);
		close_top(t, guest, unwound ? ENDED_UNWOUND : ENDED_RETURNED);
	}
	set_return_sp(t);
}

void threads_unwind(Addr sp)
{
	struct thread *t = running;
	while (t->n && is_past(t, &t->frame[t->n - 1], sp))
		close_top(t, NULL, ENDED_UNWOUND);
	set_return_sp(t);
}

void threads_end(void)
{
	for (UInt i = 0; thread_of && i < VG_N_THREADS; i++)
		if (thread_of[i])
			thread_ends(i);
}

ULong threads_instructions(void)
{
	ULong sum = gone_instructions + (running ? run_instructions : 0);
	for (UInt i = 0; thread_of && i < VG_N_THREADS; i++)
		if (thread_of[i] && thread_of[i] != running)
			sum += thread_of[i]->instructions;
	return sum;
}

ULong threads_opened(void)
{
	return n_frames;
}

UInt threads_seen(void)
{
	return n_threads;
}

Bool threads_too_deep(void)
{
	return too_deep;
}

void threads_start(void)
{
	thread_of = VG_(calloc)("rf.threads", VG_N_THREADS, sizeof *thread_of);
}
