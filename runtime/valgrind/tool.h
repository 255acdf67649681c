/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two tools: rfcount (calls and costs of all functions; the reference recorder) and rfsets (inputs and
 * outputs of chosen functions). Both follow the program's calls on a shadow stack per thread (threads.c) and speak
 * src/base/vgproto.h through a pipe (out.c). What a tool does at a call's begin and end it defines itself:
 * frame_opened and frame_closed. No libc here: only Valgrind's core and src/base. */
#ifndef VALGRIND_TOOL_H
#define VALGRIND_TOOL_H

#include "pub_tool_basics.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#include "libvex_guest_amd64.h"

#include "base/bits.h"
#include "base/vgproto.h"

#define GUEST(reg) ((Int)offsetof(VexGuestAMD64State, guest_##reg))

/* ---- out.c */
void out_open(Int fd);
/* Goes on in a new file of this process in the folder. */
void out_file(const HChar *folder);
/* part may be followed by more parts: length is that of all of them */
void out_record(enum vg_kind kind, const void *p, SizeT n);
struct out_part {
	const void *p;
	SizeT n;
};
void out_parts(enum vg_kind kind, const struct out_part *part, UInt n);
/* A record made in place: room for at most so many bytes (far fewer than the buffer holds), then how many they were. */
UChar *out_begin(SizeT most);
void out_end(enum vg_kind kind, SizeT n);
void out_flush(void);
/* The program's standard output and error go nowhere: it runs again, they were seen before. */
void out_hide_program(void);
/* After a fork the child is silent. */
void out_silence(void);
Bool out_silent(void);

/* ---- budget.c: the memory that the tool adds */
void budget_set(ULong bytes);
/* NULL when the limit would be passed. Zeroed. */
void *budget_alloc(const HChar *what, SizeT n);
/* As realloc for a block of old bytes; NULL leaves the block as it was. New bytes are zero. */
void *budget_grow(const HChar *what, void *p, SizeT old, SizeT n);
void budget_free(void *p, SizeT n);
/* What cannot be refused but counts. */
void budget_note(Long n);
/* Finds out what Valgrind itself holds; to be called often. */
void budget_look(void);
Bool budget_over(void); /* what cannot be refused leaves next to nothing */
ULong budget_peak(void);
Bool budget_hit(void); /* some request was refused */

/* ---- functions.c */
struct edge;
struct fn {
	UInt id;
	Addr entry; /* where it is now */
	Addr file_entry;
	const HChar *name, *object;
	ULong calls, inclusive, outer, sys_calls, self, kernel_ns;
	struct edge *last_edge, *edges;
	Bool told;  /* its VG_FUNC record was written */
	Bool first; /* its first call opens the window */
	Bool skip;  /* its calls are not followed any more: they are part of their callers */
	void *more; /* rfsets: its signature and tables */
	struct fn *next;
};
struct edge {
	struct fn *caller;
	ULong calls;
	struct edge *next;
};
void functions_restart(void); /* as if none had been called */
/* The function whose first instruction is at a, or NULL. Called while translating. */
struct fn *function_at(Addr a);
struct fn *function_first(void);
UInt function_count(void);
void function_tell(struct fn *f);
void function_edge(struct fn *callee, struct fn *caller);
/* Tools that look at some functions only say so here; NULL object and 0 entry when the name alone decides. */
extern void *(*function_filter)(const HChar *name, const HChar *object, Addr file_entry);

/* ---- window.c */
extern Bool window_open; /* calls are followed */
void window_set(const HChar *function, ULong instructions, UInt milliseconds);
Bool window_begins_at(const HChar *name);
void window_begin(void);
/* Since it began. */
ULong window_instructions(void);
ULong window_kernel_ns(void);
ULong window_system_calls(void);
Bool window_over(UInt now_ms);

/* ---- threads.c */
struct frame {
	Addr sp;       /* where the return address is */
	Addr back;     /* the return address: an exception puts its handler there */
	struct fn *fn; /* NULL: a barrier, what is above runs in a signal handler */
	ULong instructions0, kernel0;
	ULong child;  /* instructions of the calls it made */
	ULong serial; /* frames ever opened, this one included */
	UInt sys0;
	UInt flags; /* VG_CALL_SYS, VG_CALL_ACTS: rfsets only */
	Bool nested;
};
/* What a signal handler must not change in the calls below it. */
struct barrier {
	Addr sp;
	UInt *active;
	UInt n_active, sys;
	ULong kernel_ns;
	Bool alternate; /* the handler has a stack of its own */
	struct barrier *below;
};
struct thread {
	ThreadId tid;
	UInt serial; /* numbers of ended threads are not used again */
	struct frame *frame;
	UInt n, cap;
	ULong instructions;
	Addr call_sp;
	UInt *active; /* by function id */
	UInt n_active;
	UInt sys; /* system calls that ask or change the world */
	ULong kernel_ns, kernel_since;
	struct barrier *barrier; /* the innermost */
	void *more;              /* rfsets: logs and shadow memory */
};
extern struct thread *running; /* the thread whose code runs; NULL before the first */
/* Read and written by generated code, always those of the running thread. */
extern ULong run_instructions;
extern Addr run_return_sp; /* a return that leaves the stack pointer here or above ends the top frame */
extern Addr run_call_sp;   /* where the last call instruction put its return address */

void threads_init(void);  /* before the options are read */
void threads_start(void); /* after */
void threads_enter(struct fn *fn, Addr sp, void *guest);
void threads_return(Addr sp, void *guest);
void threads_unwind(Addr sp);
void threads_end(void);
void threads_restart(void); /* in a forked child: calls that were open are its parent's */
ULong threads_instructions(void);
ULong threads_opened(void);
struct thread *threads_get(ThreadId tid);
UInt threads_seen(void);
Bool threads_too_deep(void);

/* ---- world.c: system calls */
struct asked {
	UInt number;
	const HChar *path; /* "" when it is about no file that we know */
	Bool acts;
	Bool consumes;      /* acts for calls that began after the file was opened: */
	ULong younger_than; /* their serial is larger */
};
void world_init(void);
void world_restart(void);
ULong world_kernel_ns(void);
ULong world_system_calls(void);

/* ---- defined by each tool */
/* A system call that asks or changes the world is about to be made. */
void world_asked(struct thread *t, const struct asked *q);
extern const Bool tool_wants_guest; /* whether enter and return need the guest's registers */
/* guest: the running thread's registers, or NULL when they are not known */
void frame_opened(struct thread *t, struct frame *f, const VexGuestAMD64State *guest);
/* unwound: by longjmp or an exception; open: its thread or the run ended before it did */
enum ending { ENDED_RETURNED, ENDED_UNWOUND, ENDED_OPEN };
void frame_closed(struct thread *t, struct frame *f, const VexGuestAMD64State *guest, enum ending how);
/* a barrier was put on top */
void frame_barrier(struct thread *t, struct frame *f);
/* the top frame of the running thread, or the running thread, is another one */
void frame_top_changed(struct thread *t);
void thread_gone(struct thread *t);

/* ---- tool_main.c */
struct tool {
	const HChar *name, *description;
	UInt translation_bytes; /* about how long a translated block is */
	void (*after_options)(void);
	IRSB *(*instrument)(VgCallbackClosure *, IRSB *, const VexGuestLayout *, const VexGuestExtents *,
			    const VexArchInfo *, IRType, IRType);
	Bool (*option)(const HChar *arg); /* those of this tool alone */
};
void tool_describe(const struct tool *t);
void tool_start(void);    /* first of all when the options are known */
void tool_children(void); /* last, when records can be made */

/* ---- instrument.c: the parts of instrumentation that both tools use */
void instrument_init(void);
/* The statement copies; called with the statements from the first IMark on. */
void instrument_enter(IRSB *out, struct fn *fn);
void instrument_count(IRSB *out, UInt n);
void instrument_end(IRSB *out, IRJumpKind kind);
Bool instrument_stack_step(const IRSB *in, Int i, Long *step);
void instrument_stack_set(IRSB *out, IRExpr *sp);
IRExpr *instrument_load(IRSB *out, const void *p);
IRTemp instrument_temp(IRSB *out, IRExpr *e, IRType ty);

#endif
