/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call's log: which 8-byte places it touched first, in order, what they held, and which bytes it read before it wrote
 * them.
 *
 * The shadow of the running thread marks each place with the stamp of the innermost logging call that touched it; the
 * log keeps what the mark was before. When the call ends its places become its caller's (the caller's frame excepted:
 * own frames are no input), so a caller's log is in the order of execution whoever made the access. A log has a limit:
 * the call is then cut, its caller too, and nothing more is logged until another chosen function is entered. Equal
 * inputs give equal executions and so equal cut logs: a cut digest may join inputs but never splits them.
 *
 * Invariant: between accesses every marked place is in exactly one entry per open call that touched it, and the entry
 * of the innermost such call describes the mark. */
#include "sets.h"

Addr run_low;
ULong run_span = ~0ULL;
static UInt last_stamp;
Bool sets_shapes;

static struct vg_call calls[512];
static UInt n_calls;

UInt sets_stamp(void)
{
	return last_stamp;
}

void sets_flush_calls(void)
{
	if (n_calls)
		out_record(VG_CALLS, calls, n_calls * sizeof *calls);
	n_calls = 0;
}

void sets_forget_calls(void)
{
	n_calls = 0;
}

struct thread_logs *sets_logs(struct thread *t)
{
	if (!t->more) {
		struct thread_logs *l = VG_(calloc)("rf.logs", 1, sizeof *l);
		l->shadow = shadow_new();
		/* its stack is one from now on */
		place_forget();
		l->stack_low = VG_(thread_get_stack_max)(t->tid) + 1 - VG_(thread_get_stack_size)(t->tid);
		t->more = l;
	}
	return t->more;
}

static struct log *log_of(struct thread *t, const struct frame *f)
{
	struct thread_logs *l = sets_logs(t);
	UInt i = (UInt)(f - t->frame);
	return i < l->cap ? &l->log[i] : NULL;
}

static Addr own_low(const struct thread_logs *l, Addr sp)
{
	/* a stack of the program's own making: assume it is not large */
	enum { OTHER_STACK = 1 << 16 };
	return sp > l->stack_low && sp - l->stack_low < (1UL << 30) ? l->stack_low : sp - OTHER_STACK;
}

void frame_top_changed(struct thread *t)
{
	run_low = 0;
	run_span = hidden_marks ? 0 : ~0ULL;
	if (!t->n || flatten_depth)
		return;
	struct frame *f = &t->frame[t->n - 1];
	struct log *log = log_of(t, f);
	if (log && !(log->flags & VG_CALL_CUT)) {
		run_low = own_low(t->more, f->sp);
		run_span = f->sp + 8 - run_low;
	}
}

static void cut(struct log *log, UInt why)
{
	log->flags |= VG_CALL_CUT | why;
}

/* Large buffers that no call needs now: mapping them for each call would cost more than filling them.
 * Several, because a call that ends hands its places over to its caller. */
enum { SPARES = 4, LARGE_LOG = 512 };
static struct {
	struct entry *entry;
	UInt cap;
} spare[SPARES];

static void give_back(struct log *log)
{
	for (UInt i = 0; i < SPARES; i++)
		if (log->cap > spare[i].cap) {
			struct entry *p = spare[i].entry;
			UInt cap = spare[i].cap;
			spare[i].entry = log->entry;
			spare[i].cap = log->cap;
			log->entry = p;
			log->cap = cap;
		}
	budget_free(log->entry, log->cap * sizeof *log->entry);
	log->entry = NULL;
	log->cap = 0;
}

/* The first spare one is the largest. */
static Bool take_spare(struct log *log)
{
	if (log->cap < LARGE_LOG || spare[0].cap <= log->cap)
		return False;
	VG_(memcpy)(spare[0].entry, log->entry, log->n * sizeof *log->entry);
	budget_free(log->entry, log->cap * sizeof *log->entry);
	log->entry = spare[0].entry;
	log->cap = spare[0].cap;
	for (UInt i = 0; i + 1 < SPARES; i++)
		spare[i] = spare[i + 1];
	spare[SPARES - 1].entry = NULL;
	spare[SPARES - 1].cap = 0;
	return True;
}

static Bool log_grow(struct log *log)
{
	if (take_spare(log))
		return True;
	UInt cap = log->cap ? 2 * log->cap : 64;
	void *p = budget_grow("rf.log", log->entry, log->cap * sizeof *log->entry, cap * sizeof *log->entry);
	if (!p) {
		cut(log, VG_CALL_NO_MEMORY);
		return False;
	}
	log->entry = p;
	log->cap = cap;
	return True;
}

/* Room for one more entry, or NULL: the call is cut then. */
static inline struct entry *new_entry(struct log *log, UInt limit)
{
	if (UNLIKELY(log->n >= limit)) {
		cut(log, 0);
		return NULL;
	}
	if (UNLIKELY(log->n == log->cap) && !log_grow(log))
		return NULL;
	return &log->entry[log->n++];
}

/* Bytes read from a block that the call allocated itself are its own. */
static Bool is_fresh(const struct entry *e, UInt stamp)
{
	return e->place == PLACE_HEAP && e->block_stamp >= stamp;
}

static struct entry *first_touch(struct frame *f, struct log *log, struct touch *g, Addr a)
{
	const struct chosen *c = f->fn->more;
	struct entry *e = new_entry(log, c->limit);
	if (!e)
		return NULL;
	enum place p = place_of(a);
	UInt id = p == PLACE_HEAP ? block_at(a) : 0;
	*e = (struct entry){a, *(const ULong *)a, *g, g, id, id ? block_get(id)->stamp : 0, p};
	g->stamp = log->stamp;
	g->read = g->written = 0;
	return e;
}

/* As is_fresh, now. */
static Bool in_fresh_block(Addr a, UInt stamp)
{
	if (place_of(a) != PLACE_HEAP)
		return False;
	UInt id = block_at(a);
	return id && block_get(id)->stamp >= stamp;
}

static inline Bool touch_one(struct frame *f, struct log *log, struct thread_logs *l, Addr a, UInt mask, Bool write)
{
	struct touch *g = shadow_touch(l->shadow, a);
	if (UNLIKELY(!g)) {
		cut(log, VG_CALL_NO_MEMORY);
		return False;
	}
	Bool own = write;
	if (g->stamp != log->stamp) {
		const struct entry *e = first_touch(f, log, g, a);
		if (!e)
			return False;
		own |= is_fresh(e, log->stamp);
	} else if (!(mask & ~(g->written | (write ? 0u : g->read)))) {
		return True;
	} else if (!write) {
		own = in_fresh_block(a, log->stamp);
	}
	if (own)
		g->written |= (UChar)mask;
	else
		g->read |= (UChar)(mask & ~g->written);
	return True;
}

/* Called for the running thread when its top frame is logging, or hidden.c waits for somebody to read something. */
void sets_access(Addr a, UWord size, Bool write)
{
	struct thread *t = running;
	if (run_span == ~0ULL || a - run_low < run_span)
		return;
	Bool logs = t->n && run_span;
	struct frame *f = logs ? &t->frame[t->n - 1] : NULL;
	struct thread_logs *l = t->more;
	struct log *log = logs ? &l->log[t->n - 1] : NULL;
	while (size) {
		Addr a8 = a & ~7UL;
		UInt from = (UInt)(a & 7), n = 8 - from < size ? 8 - from : (UInt)size;
		if (UNLIKELY(hidden_marks))
			hidden_access(t, a8, ((1u << n) - 1) << from, write);
		if (logs && !touch_one(f, log, l, a8, ((1u << n) - 1) << from, write)) {
			frame_top_changed(t);
			return;
		}
		a += n;
		size -= n;
	}
}

static void caller_access(struct thread *t, Addr a, SizeT n, Bool write)
{
	if (t->n < 2 || !n)
		return;
	t->n--;
	frame_top_changed(t);
	sets_access(a, n, write);
	t->n++;
	frame_top_changed(t);
}

void sets_caller_reads(struct thread *t, Addr a, SizeT n)
{
	caller_access(t, a, n, False);
}

void sets_caller_writes(struct thread *t, Addr a, SizeT n)
{
	caller_access(t, a, n, True);
}

/* Allocators that are followed by name are nobody's callers. */
static struct chosen *innermost(const struct thread *t)
{
	for (UInt i = t->n; i && t->frame[i - 1].fn; i--) {
		struct chosen *c = t->frame[i - 1].fn->more;
		if (!c->hook)
			return c;
	}
	return NULL;
}

struct chosen *sets_innermost(void)
{
	return running ? innermost(running) : NULL;
}

struct peer *peer_get(struct chosen *c, const struct chosen *owner)
{
	for (UInt i = 0; i < c->n_peers; i++)
		if (c->peer[i].owner == owner)
			return &c->peer[i];
	if (c->n_peers == MAX_PEERS)
		return NULL;
	c->peer[c->n_peers] = (struct peer){.owner = owner};
	return &c->peer[c->n_peers++];
}

void sets_note_free(struct thread *t, const struct block *b)
{
	if (!t->n)
		return;
	struct log *log = log_of(t, &t->frame[t->n - 1]);
	if (log && b->stamp < log->freed_stamp)
		log->freed_stamp = b->stamp;
	struct chosen *c = innermost(t);
	struct peer *p = c && b->owner && b->owner != c ? peer_get(c, b->owner) : NULL;
	if (p)
		p->frees++;
}

static Bool logs_room(struct thread_logs *l, UInt n)
{
	if (!l->shadow)
		return False;
	if (n <= l->cap)
		return True;
	UInt cap = l->cap ? 2 * l->cap : 64;
	struct log *p = budget_grow("rf.logs", l->log, l->cap * sizeof *p, cap * sizeof *p);
	if (!p)
		return False;
	l->log = p;
	l->cap = cap;
	return True;
}

static struct log *begin_log(struct thread *t, struct frame *f, UInt flags)
{
	last_stamp++;
	if (!logs_room(sets_logs(t), t->n))
		return NULL;
	struct log *log = log_of(t, f);
	log->stamp = last_stamp;
	log->n = 0;
	log->flags = flags;
	log->freed_stamp = ~0u;
	log->asks_errno = False;
	return log;
}

void frame_opened(struct thread *t, struct frame *f, const VexGuestAMD64State *guest)
{
	struct chosen *c = f->fn->more;
	UInt lost = blocks_lost ? VG_CALL_CUT | VG_CALL_NO_MEMORY : 0;
	struct log *log = begin_log(t, f, (c->limit ? 0 : VG_CALL_CUT) | lost);
	if (!log)
		return;
	if (c->hook) {
		log->flags = VG_CALL_CUT;
		if (c->hook == HOOK_ERRNO)
			return;
		if (c->hook >= HOOK_TEXT)
			text_opened(t, c, guest);
		else
			heap_opened(t, c, log, guest);
		return;
	}
	for (UInt i = 0; i < c->n_args; i++)
		log->word[i] = slot_word(&c->arg[i], guest);
	if (flatten_depth)
		flatten(&log->in, c->arg, log->word, c->n_args, c->limit);
}

void frame_barrier(struct thread *t, struct frame *f)
{
	begin_log(t, f, VG_CALL_CUT);
}

static void note_file(struct chosen *c, const struct asked *q)
{
	for (UInt i = 0; i < c->n_files; i++)
		if (c->file[i].number == q->number && VG_STREQ(c->file[i].path, q->path))
			return;
	if (c->n_files < MAX_FILES)
		c->file[c->n_files++] = (struct file_seen){VG_(strdup)("rf.file", q->path), q->number};
}

void world_asked(struct thread *t, const struct asked *q)
{
	/* what a signal handler asks is not asked by the calls below it */
	for (UInt i = t->n; i && t->frame[i - 1].fn; i--) {
		struct frame *f = &t->frame[i - 1];
		struct chosen *c = f->fn->more;
		if (c->hook)
			continue;
		f->flags |= VG_CALL_SYS | (q->acts || (q->consumes && f->serial > q->younger_than) ? VG_CALL_ACTS : 0);
		note_file(c, q);
	}
}

/* ---- the end of a call */

/* Gives the call's places back to its caller, or to what they were. */
static void hand_over(struct thread *t, struct log *log, struct log *up, struct frame *up_frame)
{
	struct thread_logs *l = t->more;
	Addr low = up ? own_low(l, up_frame->sp) : 0;
	for (UInt i = 0; i < log->n; i++) {
		struct entry *e = &log->entry[i];
		struct touch *g = e->touch;
		Bool wanted = up && !(up->flags & VG_CALL_CUT) && e->a - low >= up_frame->sp + 8 - low;
		if (!wanted) {
			*g = e->old;
		} else if (e->old.stamp == up->stamp) {
			UChar read = is_fresh(e, up->stamp) ? 0 : g->read & (UChar)~e->old.written;
			g->read = e->old.read | read;
			g->written |= e->old.written;
			g->stamp = up->stamp;
		} else {
			struct chosen *c = up_frame->fn->more;
			struct entry *mine = new_entry(up, c->limit);
			if (!mine) {
				*g = e->old;
				continue;
			}
			*mine = *e;
			g->stamp = up->stamp;
			if (g->read && is_fresh(e, up->stamp)) {
				g->written |= g->read;
				g->read = 0;
			}
		}
	}
}

static UInt call_flags(const struct frame *f, const struct log *log, Bool unwound)
{
	UInt flags = log->flags | f->flags;
	if (f->nested)
		flags |= VG_CALL_NESTED;
	if (unwound)
		flags |= VG_CALL_UNWOUND;
	if (log->freed_stamp < log->stamp)
		flags |= VG_CALL_FREED;
	return flags;
}

/* What the paper's method sees of a call: data before it, its result, and neither memory nor effects. guest is NULL
 * when there is no result. */
static void flat_call(const struct frame *f, const struct log *log, const VexGuestAMD64State *guest, struct vg_call *r)
{
	struct chosen *c = f->fn->more;
	struct flat out = {0};
	ULong word[MAX_SLOTS];
	for (UInt i = 0; guest && i < c->n_results; i++)
		word[i] = slot_word(&c->result[i], guest);
	if (guest)
		flatten(&out, c->result, word, c->n_results, c->limit);
	r->flags = (f->nested ? VG_CALL_NESTED : 0) | (log->in.cut || out.cut ? VG_CALL_CUT : 0) |
		   (log->in.deeper || out.deeper ? VG_CALL_DEEPER : 0);
	r->in_loose = r->in_strict = r->in_args = log->in.digest;
	r->out_loose = r->out_strict = out.digest + !guest;
	r->in_hint = mix64_pair(r->in_loose, r->out_loose);
	r->in_bytes = log->in.bytes;
	r->out_bytes = out.bytes;
	r->in_places = log->in.places;
	r->out_places = out.places;
	r->locations = log->in.places + out.places;
	for (UInt i = 0; i < c->n_args && !r->instance; i++)
		if (c->arg[i].object)
			r->instance = log->word[i];
	if (c->most)
		seen_before(&c->inputs, r->in_hint);
}

/* guest is NULL when there is no result. */
static void logged_call(struct thread *t, struct frame *f, struct log *log, const VexGuestAMD64State *guest,
			struct vg_call *r)
{
	struct chosen *c = f->fn->more;
	Bool new_input = True;
	struct frame *up_frame = t->n ? &t->frame[t->n - 1] : NULL;
	struct log *up = up_frame ? log_of(t, up_frame) : NULL;
	if (blocks_lost)
		cut(log, VG_CALL_NO_MEMORY);
	r->flags = call_flags(f, log, !guest);
	r->locations = log->n;
	canon_begin(f->sp);
	if (!blocks_lost)
		digest_input(log, c, r);
	/* names of places: equal inputs lead to the same ones */
	if ((c->most || sets_shapes) && !blocks_lost)
		new_input = !seen_before(&c->inputs, sets_shapes ? r->in_strict : r->in_loose);
	if (!(log->flags & VG_CALL_CUT)) {
		digest_output(log, c, guest, r);
		digest_globals(log, c);
	}
	if (!blocks_lost)
		dump_call(log, c, f->sp, guest);
	if (sets_shapes && !blocks_lost && !(log->flags & VG_CALL_CUT)) {
		if (new_input || r->flags & VG_CALL_BOUND)
			shape_call(log, c, f->sp, guest, r);
		else
			shape_again(c, r);
	}
	if (log->n > c->max_locations)
		c->max_locations = log->n;
	hand_over(t, log, up, up_frame);
	if (up) {
		if (log->flags & VG_CALL_CUT && c->limit)
			cut(up, log->flags & VG_CALL_NO_MEMORY);
		if (log->freed_stamp < up->freed_stamp)
			up->freed_stamp = log->freed_stamp;
	}
	if (log->cap > 1024)
		give_back(log);
}

/* Has enough been seen of the function? What a close look has seen in MANY places it need not see again. */
static Bool is_over(const struct chosen *c)
{
	enum { MANY = 1 << 20 };
	if (c->most && !c->inputs.lost && c->inputs.n > c->most)
		return True;
	if (!c->last || c->calls >= c->last)
		return c->last != 0;
	for (UInt i = 0; i < c->n_dumps; i++)
		if (c->dump[i] >= c->calls)
			return False;
	return c->places > MANY;
}

void frame_closed(struct thread *t, struct frame *f, const VexGuestAMD64State *guest, enum ending how)
{
	struct chosen *c = f->fn->more;
	struct log *log = log_of(t, f);
	Bool unwound = how != ENDED_RETURNED;
	if (c->hook) {
		if (log && how == ENDED_RETURNED && c->hook < HOOK_TEXT)
			heap_closed(t, c, log, guest);
		else if (log && how == ENDED_RETURNED && c->hook == HOOK_ERRNO)
			errno_found(t, guest->guest_RAX);
		return;
	}
	/* a call that did not end has no output; its places go with the run */
	if (how == ENDED_OPEN)
		return;
	struct vg_call *r = &calls[n_calls];
	VG_(memset)(r, 0, sizeof *r);
	r->fn = c->id;
	r->cost = run_instructions - f->instructions0;
	r->kernel_ns = t->kernel_ns - f->kernel0;
	r->thread = t->serial;
	if (!log)
		r->flags = VG_CALL_CUT | VG_CALL_NO_MEMORY | (f->nested ? VG_CALL_NESTED : 0);
	else if (flatten_depth)
		flat_call(f, log, unwound ? NULL : guest, r);
	else
		logged_call(t, f, log, unwound ? NULL : guest, r);
	c->calls++;
	c->places += log ? log->n : 0;
	if (is_over(c)) {
		f->fn->skip = c->over = True;
		if (!t->n && threads_seen() == 1 && list_all_over())
			sets_finish();
	}
	if (++n_calls == sizeof calls / sizeof *calls)
		sets_flush_calls();
}

void thread_gone(struct thread *t)
{
	struct thread_logs *l = t->more;
	if (!l)
		return;
	for (UInt i = 0; i < l->cap; i++)
		budget_free(l->log[i].entry, l->log[i].cap * sizeof(struct entry));
	budget_free(l->log, l->cap * sizeof *l->log);
	shadow_free(l->shadow);
	VG_(free)(l);
	t->more = NULL;
}
