/* SPDX-License-Identifier: MIT */
/* What the Valgrind tools in runtime/valgrind say to refrain: a stream of records through a pipe, both ends on
 * the same machine and built together, so plain structs in native byte order. Freestanding.
 *
 * A record is a struct vg_record (kind and length of what follows), then that many bytes: one of the structs
 * below, some with text or an array behind them. The first record is VG_HELLO, the last VG_DONE: a stream that
 * ends without it comes from a program that was killed, and what was received until then is still right. */
#ifndef BASE_VGPROTO_H
#define BASE_VGPROTO_H

#include <stdint.h>

#define VG_PROTO_VERSION 11u

enum vg_kind {
	VG_HELLO = 1, /* struct vg_hello */
	VG_FUNC,      /* struct vg_func, the name, NUL, the object's path, NUL */
	VG_COUNT,     /* struct vg_count */
	VG_EDGE,      /* struct vg_edge */
	VG_KEYS,      /* struct vg_keys, then the units in order, as base/keyblock.h has them */
	VG_CALLS,     /* struct vg_call, in order of return */
	VG_GLOBAL,    /* struct vg_global, the symbol's name, NUL */
	VG_DUMP,      /* struct vg_dump, then struct vg_dump_entry each followed by no text */
	VG_SETS,      /* struct vg_sets */
	VG_TICK,      /* struct vg_tick: how far the run is, for progress */
	VG_FILE,      /* struct vg_file, the path, NUL */
	VG_SHAPE,     /* struct vg_shape, the symbol's name, NUL */
	VG_PEER,      /* struct vg_peer */
	VG_VALUES,    /* struct vg_values, then the values, 4 bytes each */
	VG_ROW,       /* struct vg_row, then VG_ROW_BYTES for each node */
	VG_DONE,      /* struct vg_done */
};

struct vg_record {
	uint32_t kind, length;
};

struct vg_hello {
	uint32_t version, pid;
};

struct vg_func {
	uint32_t id, pad;
	uint64_t entry; /* address in the object file */
};

struct vg_count {
	uint32_t id, pad;
	uint64_t calls;
	uint64_t inclusive; /* instructions while it was active; an inner activation is part of the outer one */
	uint64_t outer;     /* calls that were not inside another call of the same function in the same thread */
	uint64_t sys_calls; /* calls during which a system call was made that says or does something to the world */
	uint64_t self;      /* instructions without those of the functions it called */
	uint64_t kernel_ns; /* CPU time in the kernel, inclusive as above */
};

struct vg_edge {
	uint32_t caller, callee;
	uint64_t calls;
};

/* flags of a call */
enum {
	VG_CALL_CUT = 1,      /* the log was full: the input digest covers the first locations only, no output digest */
	VG_CALL_SYS = 2,      /* asked or changed the world by a system call (memory of the process does not count) */
	VG_CALL_CHANGED = 4,  /* memory that existed before and lives on holds something else than before */
	VG_CALL_ALLOC = 8,    /* a block allocated inside lives on */
	VG_CALL_FREED = 16,   /* a block from before was freed */
	VG_CALL_UNWOUND = 32, /* left by longjmp or an exception: no result */
	VG_CALL_NESTED = 64,  /* inside another call of the same function in the same thread */
	VG_CALL_NO_MEMORY = 128, /* cut because the memory limit was reached, not the location limit */
	VG_CALL_OUTSIDE = 256,   /* wrote outside the caller's frames and fresh blocks (silent writes too) */
	VG_CALL_ACTS = 512,      /* changed the world: wrote, or read on from a file that was open before */
	VG_CALL_UPDATE = 1024,   /* changed in place what it had read, other than static data: an appended buffer */
	VG_CALL_DEEPER = 2048,   /* flattened: objects behind more references were left out */
	/* a cache must not answer in its place */
	VG_CALL_BOUND = VG_CALL_FREED | VG_CALL_UNWOUND | VG_CALL_ACTS,
};

struct vg_call {
	uint32_t fn, flags;
	/* loose: every pointer met is named by the order of meeting. strict: by its place in its block. */
	uint64_t in_loose, out_loose, in_strict, out_strict;
	uint64_t in_hint;   /* the loose input without what the call also wrote: a counter does not count */
	uint64_t in_args;   /* the arguments alone */
	uint64_t instance;  /* the object the call is about, as it was, or 0 */
	uint64_t cost;      /* instructions, inclusive */
	uint64_t kernel_ns; /* CPU time in the kernel */
	uint32_t in_bytes,
		out_bytes; /* of a key: arguments, what was read behind them, and globals themselves; of the output */
	uint32_t locations, thread;
	uint32_t in_places, out_places;     /* scattered pieces of the key and of the output: memory, not registers */
	uint32_t fresh_blocks, fresh_bytes; /* blocks that the call allocated and left behind */
};

enum {
	VG_GLOBAL_READ = 1,
	VG_GLOBAL_WRITTEN = 2,
	VG_GLOBAL_CHANGED = 4,
	VG_GLOBAL_SYSTEM = 8, /* libc's or the loader's, not the program's */
};

struct vg_global {
	uint32_t fn, flags;
	uint64_t offset;  /* of the first byte seen in the symbol */
	uint64_t calls;   /* calls that touched it */
	uint64_t changes; /* calls that changed its place of 8 bytes */
};

enum {
	VG_WHERE_ARG,
	VG_WHERE_HEAP,
	VG_WHERE_STACK,
	VG_WHERE_STATIC,
	VG_WHERE_MAPPED,
	VG_WHERE_RESULT,
	VG_WHERE_BELOW,
	VG_WHERE_THREAD, /* a thread-local variable of the program, by its distance from the begin of PT_TLS */
	VG_WHERE_ERRNO,  /* the thread's errno, if the call asked where it is; written: always */
};

struct vg_dump {
	uint32_t fn, n;
	uint64_t call; /* its number, from 0, in order of return */
};

struct vg_dump_entry {
	uint32_t where, anchor; /* anchor: number of the pointer it was named through */
	int64_t offset;         /* from the anchor, or the register number of an argument, or from the symbol */
	uint64_t before, after; /* value, pointers replaced by 0x…: see pointer flags */
	uint8_t read, written, before_is_pointer, after_is_pointer;
	uint32_t pad;
	char symbol[40];
};

struct vg_sets {
	uint32_t fn, pad;
	uint64_t calls, max_locations;
};

enum {
	VG_SHAPE_POINTER = 1,    /* it held a pointer */
	VG_SHAPE_NULL = 2,       /* and sometimes NULL */
	VG_SHAPE_VALUE = 4,      /* and sometimes a number */
	VG_SHAPE_FRESH = 8,      /* a pointer to a block that the call allocated was written there */
	VG_SHAPE_SOMETIMES = 16, /* not the same bytes were written in each call */
	VG_SHAPE_STORES = 32,    /* a pointer was written there that may be wrong at another time */
	VG_SHAPE_FULL = 128,     /* the tree has no room for all places */
	VG_SHAPE_ENDS = 256,     /* below it, bytes were read up to a NUL */
	VG_SHAPE_BEYOND = 512,   /* and behind one: not a string */
	VG_SHAPE_OWN = 1024,     /* the pointer written there was always that of the node `same` */
	VG_SHAPE_PLAIN =
		2048, /* something that is right at any time was written there: a number, a pointer to static data */
	VG_SHAPE_ZERO = 4096,     /* of errno: zero was written there */
	VG_SHAPE_CODE = 16384,    /* it held the address of code */
	VG_SHAPE_HIDDEN = 8192,   /* of all nodes: equal inputs, as far as they are nodes, gave different outputs */
	VG_SHAPE_ADDRESS = 32768, /* of all nodes: but for addresses, and data that lay elsewhere */
	VG_SHAPE_LEAVES = 65536,  /* of all nodes: it left state with libc, or for its thread, that others read */
	VG_SHAPE_FENV = 131072,   /* of all nodes: the program asks for the floating-point environment, or changes it */
};

/* A place of a function's input or output, over all its calls: runtime/valgrind/sets/shape.c. */
struct vg_shape {
	uint32_t fn, node, parent, where; /* parent: the node that holds the pointer it hangs on; 0: none */
	int64_t offset;                   /* from the pointer; number of the argument or result; or from the symbol */
	uint64_t first;                   /* value read first */
	uint64_t calls, writes, all;      /* calls that read it, that wrote it, all of them */
	/* bytes that some call read; that were not the same in all calls, because they differed or because some call
	 * did not read them; that were written; that differed */
	uint8_t read, varying, written, changed;
	uint32_t flags;
	uint32_t same, pad2; /* see VG_SHAPE_OWN */
	/* of the bytes read behind the pointer: from text_from on no call read a NUL but as the last byte, which was at
	 * text_end at most */
	uint64_t text_from, text_end;
};

/* What calls have in common (runtime/valgrind/sets/rows.c): for each node two bytes of class, one for each half
 * of its 8 bytes (pointers and zero: the first one alone), one of VG_WROTE_…, and the bytes that were read and
 * those that were written, one bit each. */
enum { VG_ROW_BYTES = 5 };
enum { VG_CLASS_NONE, VG_CLASS_ZERO, VG_CLASS_POINTER, VG_CLASS_VALUE, VG_CLASS_MANY = 255 };
enum {
	VG_WROTE_VALUE = 1,   /* left written */
	VG_WROTE_NEW = 2,     /* with a pointer to new memory */
	VG_WROTE_POINTER = 4, /* with a pointer to something that may go away */
};

struct vg_row {
	uint32_t fn, n, flags, inputs; /* nodes; VG_CALL_…; different ones */
	uint64_t calls, cost;
};

/* What the classes from VG_CLASS_VALUE on stand for. bits: the bytes of the half, one bit each. */
struct vg_values {
	uint32_t fn, node, half, bits;
};

/* What a function asked of the world. */
struct vg_file {
	uint32_t fn, number; /* of the system call */
};

/* What a function did to blocks that calls of another one, its owner, had left behind. */
struct vg_peer {
	uint32_t fn, owner;
	uint64_t frees;   /* blocks it freed */
	uint64_t changes; /* calls of it that changed such blocks */
};

struct vg_tick {
	uint64_t instructions;
};

struct vg_keys {
	uint32_t count, pad;
};

enum {
	VG_DONE_STOPPED = 1,
	VG_DONE_FORKED = 2,
	VG_DONE_MEMORY = 4,
	VG_DONE_DEEP = 8,
	VG_DONE_STATIC = 16,
	VG_DONE_WINDOW = 32,   /* ended where the part to be looked at ended */
	VG_DONE_UNOPENED = 64, /* that part never began */
};

struct vg_done {
	uint32_t flags, threads;
	uint64_t instructions; /* of all threads */
	uint64_t system_calls;
	uint64_t kernel_ns;  /* CPU time around system calls */
	uint64_t references; /* recorder: after collapsing */
	uint64_t peak_bytes; /* most the tool held for itself */
};

/* What the tools say about processes (runtime/valgrind/children.c). The pad of the recorder's struct vg_keys is then
 * the time it was written, in units of 2^20 ns of the monotonic clock. */
enum {
	VG_IMAGE = 100, /* struct vg_image, the program's path, NUL: what the stream is of */
	VG_FORK,        /* nothing: a child was started */
	VG_EXEC,        /* nothing: as the last record, the program was replaced by another */
	VG_STAYED,      /* nothing: it was not after all, and what it did then was not seen */
};

struct vg_image {
	uint64_t start_ns; /* monotonic */
	uint32_t pid, parent;
	uint32_t forked, pad; /* forked: it begins at a fork, in the middle of that program */
	/* who it is, the same in all runs: the process, the one in which its program began, the one it came from */
	uint64_t process, program, from;
};

#endif
