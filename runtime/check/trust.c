/* SPDX-License-Identifier: MIT */
/* Memory that verified nodes may stay verified in: every store to it is seen by the barrier.
 *
 * With refrain-cc's allocator (rt_positive) that is what malloc gave out (a bit per granule, set and cleared here
 * without a lock) and the program's own private mappings, as barrier/maps.c reports them. Thread-local memory, stacks,
 * shared and file mappings are not: other code, other processes and the kernel write there. Nor is a block that was
 * handed to somebody who keeps it (rf_kept) or that turns out to be a stack.
 *
 * Without that allocator (a program linked by hand) the images of the program and its libraries and the current stack
 * are not trusted, the rest is. */
#include "runtime/check/inside/watch.h"

#include <aio.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

struct range {
	uintptr_t from, to;
};
enum { MAX_RANGES = 4096 };
static struct range ranges[MAX_RANGES]; /* by address: images, or trusted mappings when rt_positive */
static unsigned n_ranges;
static unsigned long long images_adds;
unsigned rt_images_version;
bool rt_positive;
static __thread struct range stack;
__thread struct rt_stable rt_stable;

/* ---- blocks of malloc */

static inline void set_word(struct shadow_bits *w, uint64_t mask, int live, bool freed)
{
	if (LIKELY(RT_ALONE)) {
		w->live = live > 0 ? w->live | mask : live < 0 ? w->live : w->live & ~mask;
		w->freed = freed ? w->freed | mask : w->freed & ~mask;
		return;
	}
	if (live > 0)
		__atomic_fetch_or(&w->live, mask, __ATOMIC_RELAXED);
	else if (live == 0)
		__atomic_fetch_and(&w->live, ~mask, __ATOMIC_RELAXED);
	if (freed)
		__atomic_fetch_or(&w->freed, mask, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&w->freed, ~mask, __ATOMIC_RELAXED);
}

/* The whole granules inside the block. */
void rt_set_live(uintptr_t a, size_t n, int live, bool freed)
{
	uintptr_t from = (a + 7) >> GRANULE_BITS, to = (a + n) >> GRANULE_BITS;
	while (from < to) {
		size_t bit = from & 63, k = to - from < 64 - bit ? to - from : 64 - bit;
		struct shadow_leaf *l = shadow_leaf(from << GRANULE_BITS);
		if (UNLIKELY(!l) && live > 0)
			l = rt_leaf_make(from << GRANULE_BITS);
		if (l)
			set_word(&l->bits[(from & (LEAF_CELLS - 1)) >> 6], (~(uint64_t)0 >> (64 - k)) << bit, live,
				 freed);
		from += k;
	}
}

/* The first granule from i on, upwards or downwards, that is not live. Blocks have a word of malloc's between them. */
static uintptr_t dead_above(uintptr_t i)
{
	for (;; i = (i | 63) + 1) {
		struct shadow_leaf *l = i >> (ADDRESS_BITS - GRANULE_BITS) ? NULL : shadow_leaf(i << GRANULE_BITS);
		uint64_t dead = l ? ~RT_GET(l->bits[(i & (LEAF_CELLS - 1)) >> 6].live) >> (i & 63) : 1;
		if (dead)
			return i + (uintptr_t)__builtin_ctzll(dead);
	}
}

static uintptr_t dead_below(uintptr_t i)
{
	for (;; i = (i & ~(uintptr_t)63) - 1) {
		struct shadow_leaf *l = shadow_leaf(i << GRANULE_BITS);
		uint64_t dead =
			l ? ~RT_GET(l->bits[(i & (LEAF_CELLS - 1)) >> 6].live) << (63 - (i & 63)) : (uint64_t)1 << 63;
		if (dead)
			return i - (uintptr_t)__builtin_clzll(dead);
	}
}

/* ---- mappings and images */

/* The number of ranges that end at or before a. */
static unsigned range_before(uintptr_t a)
{
	unsigned lo = 0, hi = n_ranges;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (ranges[mid].to <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool insert_range(struct range r)
{
	unsigned i = range_before(r.from);
	if (n_ranges == MAX_RANGES)
		return false;
	memmove(&ranges[i + 1], &ranges[i], (n_ranges - i) * sizeof r);
	ranges[i] = r;
	n_ranges++;
	return true;
}

static void remove_range(uintptr_t from, uintptr_t to)
{
	unsigned i = range_before(from);
	while (i < n_ranges && ranges[i].from < to) {
		struct range r = ranges[i];
		memmove(&ranges[i], &ranges[i + 1], (n_ranges - i - 1) * sizeof r);
		n_ranges--;
		if (r.from < from)
			i += insert_range((struct range){r.from, from});
		if (r.to > to)
			i += insert_range((struct range){to, r.to});
	}
}

static int add_image(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	images_adds = info->dlpi_adds;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && (h->p_flags & PF_W))
			insert_range((struct range){info->dlpi_addr + h->p_vaddr,
						    info->dlpi_addr + h->p_vaddr + h->p_memsz});
	}
	return 0;
}

static int see_version(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds;
	return 1;
}

void rt_ranges_refresh(void)
{
	unsigned long long now = 0;
	if (rt_positive)
		return;
	dl_iterate_phdr(see_version, &now);
	if (n_ranges && now == images_adds)
		return;
	n_ranges = 0;
	rt_images_version++;
	dl_iterate_phdr(add_image, NULL);
}

static void find_stack(void)
{
	pthread_attr_t attr;
	void *at = NULL;
	size_t n = 0;
	stack = (struct range){1, 1};
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	if (pthread_attr_getstack(&attr, &at, &n) == 0)
		stack = (struct range){(uintptr_t)at, (uintptr_t)at + n};
	pthread_attr_destroy(&attr);
}

bool rt_unstable_slow(uintptr_t a)
{
	if (UNLIKELY(!stack.to))
		find_stack();
	if (a >= stack.from && a < stack.to)
		return true;
	unsigned i = range_before(a);
	bool in = i < n_ranges && a >= ranges[i].from;
	if (in != rt_positive)
		return true;
	struct range r =
		in ? ranges[i] : (struct range){i ? ranges[i - 1].to : 0, i < n_ranges ? ranges[i].from : UINTPTR_MAX};
	if (a >= stack.to)
		r.from = r.from > stack.to ? r.from : stack.to;
	else
		r.to = r.to < stack.from ? r.to : stack.from;
	rt_stable = (struct rt_stable){r.from, r.to, rt_images_version};
	return false;
}

/* ---- what the barrier reports */

void rf_mapped(const void *p, size_t n, int trusted)
{
	uintptr_t a = (uintptr_t)p;
	if (!rt_positive || !rf_check_on || !n)
		return;
	rf_forget(p, n);
	bool in = rt_enter();
	rt_forget_pages(a, n);
	rt_set_live(a, n, 0, false);
	remove_range(a, a + n);
	if (trusted)
		insert_range((struct range){a, a + n});
	rt_images_version++;
	if (in)
		rt_leave();
}

/* The block that p points into, with the granules around it that nothing is known of left out. */
static struct range block_of(uintptr_t a)
{
	struct shadow_leaf *l = a >> ADDRESS_BITS ? NULL : shadow_leaf(a);
	if (l && rt_live(a))
		return (struct range){(dead_below(a >> GRANULE_BITS) + 1) << GRANULE_BITS, dead_above(a >> GRANULE_BITS)
												   << GRANULE_BITS};
	unsigned i = range_before(a);
	if (rt_positive && i < n_ranges && a >= ranges[i].from)
		return ranges[i];
	return (struct range){a, a};
}

void rf_block(const void *p)
{
	struct range r = block_of((uintptr_t)p);
	if (r.from < r.to)
		rf_range((const void *)r.from, r.to - r.from);
}

/* Blocks that a function writes a text to, whose length nobody asks for. If the word behind a block is another one
 * afterwards, so may be what lies behind that. */
static __thread struct text {
	uintptr_t end;
	uint64_t word;
} texts[8] RT_TLS;
static __thread unsigned n_texts RT_TLS;

void rf_unbounded(const void *p)
{
	struct range r = block_of((uintptr_t)p);
	if (r.from == r.to)
		return;
	rf_range((const void *)r.from, r.to - r.from);
	if (!rt_readable(r.to, sizeof(uint64_t)))
		return;
	if (n_texts == ARRAY_LEN(texts))
		rt_everything();
	else
		texts[n_texts++] = (struct text){r.to, *(const uint64_t *)r.to};
}

void rf_unbounded_end(void)
{
	for (; n_texts; n_texts--) {
		struct text t = texts[n_texts - 1];
		if (!rt_readable(t.end, sizeof t.word) || *(const uint64_t *)t.end != t.word)
			rt_everything();
	}
}

/* A known function that waits has written to the block. Its nodes were un-verified before; if another thread has
 * verified one meanwhile, the edges it had are lost. */
void rf_wrote(const void *p)
{
	enum { LARGE = 1 << 20 };
	if (RT_ALONE)
		return;
	struct range r = block_of((uintptr_t)p);
	if (r.to - r.from > LARGE || (r.from < r.to && watch_any(r.from, r.to - r.from)))
		rt_everything();
}

/* It has taken a lock. */
void rf_wrote_lock(const void *p)
{
	enum { LOCK_BYTES = 64 };
	if (!RT_ALONE && !((uintptr_t)p >> ADDRESS_BITS) && watch_any((uintptr_t)p, LOCK_BYTES))
		rt_everything();
}

void rf_deep(const void *p)
{
	rf_block(p);
	if (p && rf_readable(p, sizeof(void *)))
		rf_block(*(void *const *)p);
}

/* Memory that somebody keeps: it stays so when it is freed and given out again. */
enum { MAX_KEPT = 256 };
static struct range kept[MAX_KEPT];
unsigned rt_n_kept;

static void keep(struct range r)
{
	unsigned nearest = 0;
	bool in = rt_enter();
	for (unsigned i = 0; i < rt_n_kept; i++) {
		if (r.from >= kept[i].from && r.to <= kept[i].to)
			goto out;
		if (kept[i].from - r.from < kept[nearest].from - r.from)
			nearest = i;
	}
	if (rt_n_kept < MAX_KEPT) {
		kept[rt_n_kept] = r;
		__atomic_store_n(&rt_n_kept, rt_n_kept + 1, __ATOMIC_RELEASE);
	} else { /* more than that, but not less */
		kept[nearest].from = kept[nearest].from < r.from ? kept[nearest].from : r.from;
		kept[nearest].to = kept[nearest].to > r.to ? kept[nearest].to : r.to;
	}
out:
	if (in)
		rt_leave();
}

bool rt_is_kept(uintptr_t a, size_t n)
{
	for (unsigned i = 0, k = __atomic_load_n(&rt_n_kept, __ATOMIC_ACQUIRE); i < k; i++)
		if (a < kept[i].to && kept[i].from < a + n)
			return true;
	return false;
}

void rf_buffer(const void *p)
{
	struct range r = block_of((uintptr_t)p);
	if (r.from < r.to)
		keep(r);
	rf_kept(p);
}

void rf_kept(const void *p)
{
	struct range r = block_of((uintptr_t)p);
	if (r.from == r.to)
		return;
	rf_forget((const void *)r.from, r.to - r.from);
	if (rt_live(r.from)) {
		rt_set_live(r.from, r.to - r.from, 0, false);
	} else {
		bool in = rt_enter();
		remove_range(r.from, r.to);
		rt_images_version++;
		if (in)
			rt_leave();
	}
}

void rf_aio(const void *p)
{
	const struct aiocb *a = p;
	rf_kept(a);
	rf_buffer((const void *)(uintptr_t)a->aio_buf);
	rf_event(&a->aio_sigevent);
}

/* ---- stacks of the program's own */

enum { MAX_STACKS = 512 };
static struct range stacks[MAX_STACKS]; /* the latest; what is not here is not known */
static unsigned next_stack;

static void note_stack(const void *from, size_t n)
{
	bool in = rt_enter();
	struct range r = {(uintptr_t)from, (uintptr_t)from + n};
	unsigned i = 0;
	while (i < MAX_STACKS && (stacks[i].from != r.from || stacks[i].to != r.to))
		i++;
	if (i == MAX_STACKS)
		stacks[next_stack++ % MAX_STACKS] = r;
	if (in)
		rt_leave();
}

/* Two stack pointers of this thread: only if they are of one stack does their order say which call is inside. */
bool rt_same_stack(uintptr_t a, uintptr_t b)
{
	if (UNLIKELY(!stack.to))
		find_stack();
	bool in_a = a >= stack.from && a < stack.to, in_b = b >= stack.from && b < stack.to;
	if (in_a || in_b)
		return in_a && in_b;
	for (unsigned i = 0; i < MAX_STACKS; i++)
		if (a >= stacks[i].from && a < stacks[i].to)
			return b >= stacks[i].from && b < stacks[i].to;
	return false;
}

void rf_stack(const void *p)
{
	const stack_t *s = p;
	if (s) {
		note_stack(s->ss_sp, s->ss_size);
		rf_kept(s->ss_sp);
	}
}

void rf_context(const void *p)
{
	const ucontext_t *u = p;
	rf_block(u);
	note_stack(u->uc_stack.ss_sp, u->uc_stack.ss_size);
	rf_kept(u->uc_stack.ss_sp);
}

/* The current stack, if it is a block of the program's: nothing in it is trusted any more. */
void rt_stack_found(uintptr_t sp)
{
	if (UNLIKELY(!stack.to))
		find_stack();
	if (sp < stack.from || sp >= stack.to)
		rf_kept((const void *)sp);
}
