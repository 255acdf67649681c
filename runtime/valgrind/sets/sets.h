/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rfsets: what chosen functions read before they wrote it, and what they left behind. */
#ifndef VALGRIND_SETS_H
#define VALGRIND_SETS_H

#include "tool.h"

#include <elf.h>

enum { MAX_SLOTS = 12, MAX_DUMPS = 16, MAX_GLOBALS = 128, MAX_FILES = 16, MAX_PEERS = 16, SHAPE_NODES = 640 };

/* A register, or half of a vector register, that carries an argument or a result. */
struct slot {
	UShort offset; /* in the guest's state */
	UChar size;    /* 1 … 8 */
	UChar reg;     /* DWARF number */
	Bool pointer, object;
	HChar leaf; /* flatten.c: what it carries, */
	UInt type;  /* and of which type that is */
};

/* ---- flatten.c: data by its types */
extern UInt flatten_depth; /* 0: calls are looked at by what they read and write instead */
struct flat {
	ULong digest;
	UInt bytes, places;
	Bool cut, deeper; /* larger than the limit; objects behind more references were left out */
};
void flatten_type(const HChar *line); /* of the list: NUMBER SIZE LEAF… */
void flatten(struct flat *out, const struct slot *slot, const ULong *word, UInt n, UInt limit);

struct global_seen {
	Addr a;                       /* multiple of 8 */
	UChar read, written, changed; /* its bytes, one bit each */
	ULong calls, changes;         /* that touched it, that changed it */
};

/* A file, or a kind of system call, that calls of a function asked for. */
struct file_seen {
	const HChar *path;
	UInt number;
};

/* ---- seen.c: a set of digests */
struct seen {
	ULong *at;
	UInt n, cap;
	Bool lost; /* memory was out: not whole */
};
Bool seen_before(struct seen *s, ULong v);
void seen_clear(struct seen *s);

/* A function whose blocks calls of another one freed or changed. */
struct peer {
	const struct chosen *owner;
	ULong frees, changes;
};

/* A chosen function, from refrain's list. */
struct chosen {
	UInt id;
	Addr entry;
	const HChar *object;
	UInt limit; /* locations logged per call; 0: arguments only */
	UInt n_args, n_results;
	struct slot arg[MAX_SLOTS], result[MAX_SLOTS];
	ULong calls, max_locations;
	ULong dump[MAX_DUMPS]; /* numbers of calls to write out in full */
	UInt n_dumps;
	struct global_seen global[MAX_GLOBALS];
	struct file_seen file[MAX_FILES];
	UInt n_files;
	struct peer peer[MAX_PEERS];
	UInt n_peers;
	struct seen inputs;
	ULong most; /* a function with more different inputs than this is not followed any more; 0: it is */
	ULong last; /* nor is it after so many calls, or many places in them; 0: it is */
	ULong places;
	Bool over;         /* it is not followed any more */
	Bool leaves_state; /* what it left in memory of libc or of a thread was read outside its calls */
	struct shape *shape;
	UInt hook; /* not 0: one of libc's functions that is followed by what it means: heap.c, text.c */
};

/* A name that does not depend on addresses, in two ways: see canon.c. */
struct name {
	ULong loose, strict;
};

/* What kind of memory: canon.c knows. */
enum place { PLACE_NONE, PLACE_TEXT, PLACE_CONST, PLACE_STATIC, PLACE_HEAP, PLACE_STACK, PLACE_MAPPED };

/* ---- shadow.c: who touched 8 bytes last, per thread */
struct touch {
	UInt stamp;
	UChar read, written; /* bytes, one bit each, by that call */
	UShort pad;
};
struct shadow;
struct shadow *shadow_new(void);
/* NULL when memory is out. a is rounded down to 8. */
struct touch *shadow_touch(struct shadow *s, Addr a);
void shadow_free(struct shadow *s);

/* ---- log.c: one call's log */
struct block;
struct entry {
	Addr a;              /* multiple of 8 */
	ULong before;        /* the 8 bytes when first touched */
	struct touch old;    /* what the shadow said then */
	struct touch *touch; /* its place in the shadow */
	UInt block;          /* it is in, 0 when in none */
	UInt block_stamp;    /* of that block */
	enum place place;
};
struct log {
	UInt stamp;
	UInt n, cap;
	struct entry *entry;
	UInt flags;       /* VG_CALL_… */
	UInt freed_stamp; /* oldest block freed inside, by its stamp; ~0: none */
	Bool asks_errno;  /* the program's code asked where errno is: it may read it */
	ULong word[MAX_SLOTS];
	struct flat in;
};
struct thread_logs {
	struct log *log; /* parallel to the thread's frames */
	UInt cap;
	struct shadow *shadow;
	Addr stack_low;
	Addr errno_at; /* 0: nobody has asked yet */
};
/* What generated code compares addresses with: outside [low, low + span) means the helper is called. */
extern Addr run_low;
extern ULong run_span;
void sets_access(Addr a, UWord size, Bool write);
/* Of the call below the top one. */
void sets_caller_reads(struct thread *t, Addr a, SizeT n);
void sets_caller_writes(struct thread *t, Addr a, SizeT n);
UInt sets_stamp(void);
/* Nothing is looked at from now on. */
void sets_finish(void);
void sets_note_free(struct thread *t, const struct block *b);
/* The function whose call is the innermost open one, or NULL. */
struct chosen *sets_innermost(void);
/* The entry for an owner, or NULL when there are too many. */
struct peer *peer_get(struct chosen *c, const struct chosen *owner);
void sets_flush_calls(void);
void sets_forget_calls(void); /* those that were not written yet */
struct thread_logs *sets_logs(struct thread *t);

/* ---- digest.c */
ULong byte_mask(UInt bits);
ULong slot_word(const struct slot *s, const VexGuestAMD64State *guest);
struct name slot_name(const struct slot *s, ULong v);
struct name bytes_name(ULong v, UInt bits);
Bool entry_lives(const struct entry *e, UInt *block);
void digest_input(const struct log *log, const struct chosen *c, struct vg_call *r);
/* guest NULL: there is no result */
void digest_output(const struct log *log, struct chosen *c, const VexGuestAMD64State *guest, struct vg_call *r);
void digest_globals(const struct log *log, struct chosen *c);

/* ---- dump.c: writes the call out if it was asked for */
void dump_call(const struct log *log, const struct chosen *c, Addr sp, const VexGuestAMD64State *guest);

/* ---- shape.c: all calls of a function laid over one another */
void shape_call(const struct log *log, struct chosen *c, Addr sp, const VexGuestAMD64State *guest,
		const struct vg_call *call);
void shape_again(const struct chosen *c, const struct vg_call *call); /* with an input that was there before */
void shape_tell(const struct chosen *c);
void shape_clear(struct chosen *c);
extern Bool sets_shapes; /* wanted */
/* State of libc, of the loader or of a thread, rather than of the program? a is in static data or mapped. */
Bool place_is_system(Addr a);
Bool object_is_system(const HChar *path);

/* ---- errno.c: errno, which is libc's, but input and output of the program's functions too */
/* The program asks for, or sets, the rounding mode or the exceptions of floating point: Valgrind does not keep them. */
extern Bool fenv_used;
struct chosen *errno_function(const HChar *name);
void errno_found(struct thread *t, Addr a);
/* The bytes of errno in the 8 bytes at a of the running thread, one bit each; 0: none of them are. */
UInt errno_bits(Addr a);

/* ---- tls.c: thread-local variables */
enum { MAX_HEADERS = 64 };
/* Of an ELF file, at most MAX_HEADERS program headers. */
Bool tls_headers(const HChar *path, Elf64_Ehdr *e, Elf64_Phdr *p);
enum tls {
	TLS_NONE,    /* it is none, or a system library's */
	TLS_OWN,     /* the program's: offset is that from the begin of its segment */
	TLS_UNKNOWN, /* some library's */
};
/* Of the thread at hand. */
enum tls tls_place(Addr a, Long *offset);
/* Where the program's begin in the thread at hand; returns how many bytes they are. */
ULong tls_own(Addr *low);

/* ---- hidden.c: what is left where only libc knows the way */
extern UInt hidden_marks; /* places that wait for who reads them */
void hidden_wrote(struct chosen *c, Addr a, UInt block, UInt bits);
void hidden_access(const struct thread *t, Addr a, UInt bits, Bool write);

/* ---- rows.c: which places go together */
struct rows;
struct rows *rows_new(void); /* NULL when memory is out */
/* Of the call at hand: what a node held (its number, from 1), and that it was written (VG_WROTE_…). */
void rows_value(struct rows *r, UInt node, ULong v, UInt bits, Bool pointer);
void rows_write(struct rows *r, UInt node, UInt state, UInt bits);
void rows_end(struct rows *r, ULong digest, UInt flags, ULong cost);
void rows_again(struct rows *r, ULong digest, ULong cost);
void rows_tell(struct rows *r, UInt fn);
void rows_free(struct rows *r);

/* ---- blocks.c: the program's heap */
struct block {
	Addr start;
	SizeT size;
	UInt stamp;              /* of the newest call when it was allocated */
	UInt order, order_stamp; /* for canon.c */
	struct chosen *owner;    /* the innermost call it was allocated in is one of this function; or NULL */
	UInt met, met_order;     /* for digest.c: number of the output it was met in, and its place there */
};
void blocks_init(void);
void blocks_replace_malloc(void); /* before the options are read */
extern Bool blocks_lost;          /* the map is no longer true: the memory limit was reached */
/* What block_at knows, and bytes that nobody wrote. */
void block_add(Addr p, SizeT size);
void block_remove(Addr p);
void block_zero(Addr p, SizeT size);
/* 0: in no block */
UInt block_at(Addr a);
struct block *block_get(UInt id);

/* ---- heap.c: allocators of a static program */
extern Bool heap_by_name;
void heap_find(void); /* whether the program is static */
/* NULL: the function of this name is none */
struct chosen *heap_function(const HChar *name);
void heap_opened(struct thread *t, const struct chosen *c, struct log *log, const VexGuestAMD64State *guest);
void heap_closed(const struct thread *t, const struct chosen *c, const struct log *log,
		 const VexGuestAMD64State *guest);

/* ---- text.c: libc's string functions */
enum { HOOK_TEXT = 64, HOOK_ERRNO = 128 }; /* hooks below are heap.c's */
struct chosen *text_function(const HChar *name, const HChar *object);
void text_opened(struct thread *t, const struct chosen *c, const VexGuestAMD64State *guest);

/* ---- canon.c: names that do not depend on where things lie */
enum place place_of(Addr a);
void place_forget(void); /* the address space changed */
void canon_begin(Addr sp);
/* What the last name was made of, kept only while a call is written out (canon_details). */
struct name_details {
	Bool pointer;
	UInt anchor;
	Long offset;
};
/* How a pointer came to be known: as an argument or read behind one, or from elsewhere. canon_origin is that of values
 * named next, canon_place_origin that of the last place (ORIGIN_GLOBAL: static data itself). */
enum origin { ORIGIN_OTHER, ORIGIN_ARGUMENT, ORIGIN_GLOBAL };
extern enum origin canon_origin, canon_place_origin;
extern UInt canon_skew; /* distance of the last place from its anchor, modulo 8 */
extern Bool canon_details;
extern struct name_details canon_last;
struct name canon_value(ULong v);
/* The heap block that a value points into, 0 when it points into none. */
UInt canon_block(ULong v);
/* block: the number of the heap block it is in, 0 for other places */
struct name canon_place(Addr a, enum place p, UInt block);
/* The same, taken apart where a pointer leads into the middle of the 8 bytes: how the data lies to a multiple of 8 says
 * nothing about the call. bits: the bytes that count; at least one piece, at most 8. */
struct piece {
	ULong name; /* loose; of its first byte */
	UInt from;  /* its first byte */
	UInt skew;  /* distance from the anchor, modulo 8 */
};
UInt canon_pieces(Addr a, enum place p, UInt block, UInt bits, struct piece *out);
/* The strict name of the 8 bytes at a; 0 for the stack, where it is the loose one. */
ULong canon_strict(Addr a, enum place p, UInt block);
/* Pointers that lead to the middle of the 8 bytes at a, one bit each. */
UInt canon_inside(Addr a);

/* ---- globals.c */
#define ERRNO_PLACE 8ul /* stands for errno, which has an address in each thread */
void globals_note(struct chosen *c, const struct global_seen *seen);
void globals_tell(const struct chosen *c);
/* The symbol that holds this very byte. */
Bool globals_name(Addr a, const HChar **name, PtrdiffT *offset);

/* ---- list.c */
void list_read(const HChar *path);
void *list_find(const HChar *name, const HChar *object, Addr entry);
struct chosen *list_at(UInt i); /* NULL behind the last */
Bool list_all_arguments_only(void);
/* Is no function followed any more? */
Bool list_all_over(void);
void list_restart(void); /* as if none of them had been called */

#endif
