/* SPDX-License-Identifier: MIT */
/* Memory for the contract runtime: arrays that grow by mremap, leaves of the shadow, the watch map, and which pages are
 * readable. The kernel is called directly: the program's mmap is watched (barrier/maps.c). A
 * page is probed once, by a system call that reads through a pointer and changes nothing (rt_sigprocmask with an
 * invalid `how`: EFAULT for memory that cannot be read, EINVAL otherwise), and again after free or munmap may have
 * removed it. */
#include "base/invariant.h"
#include "runtime/check/inside/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { VEC_STEP = 4096 };

struct shadow_leaf *rf_shadow_dir[DIR_SIZE];
unsigned rf_shadow_planes;
int rf_shadow_used;
uint64_t rt_mapped_bytes;
struct shadow_leaf *rt_leaves;
uint64_t rt_marked_pages;

static void *map(void *at, size_t bytes, int flags)
{
	long p = syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	return p == -1 ? NULL : (void *)p;
}

void *rt_map(size_t bytes)
{
	void *p = map(NULL, bytes, MAP_NORESERVE);
	if (p)
		rt_mapped_bytes += bytes;
	return p;
}

/* What an array of n elements is mapped with. mremap and munmap round up to the kernel's pages themselves. */
static size_t vec_bytes(size_t n, size_t size)
{
	return (n * size + VEC_STEP - 1) & ~(size_t)(VEC_STEP - 1);
}

bool rt_vec_grow(struct rt_vec *v, size_t more, size_t size)
{
	size_t want = v->cap * 2 > VEC_STEP / size ? v->cap * 2 : VEC_STEP / size + 1;
	while (want < v->n + more)
		want *= 2;
	size_t old = vec_bytes(v->cap, size), bytes = vec_bytes(want, size);
	void *p = v->at ? (void *)syscall(SYS_mremap, v->at, old, bytes, MREMAP_MAYMOVE) : map(NULL, bytes, 0);
	if (p == NULL || p == MAP_FAILED)
		return false;
	rt_mapped_bytes += bytes - old;
	v->at = p;
	v->cap = bytes / size;
	return true;
}

void rt_vec_release(struct rt_vec *v, size_t size)
{
	if (v->at) {
		syscall(SYS_munmap, v->at, vec_bytes(v->cap, size));
		rt_mapped_bytes -= vec_bytes(v->cap, size);
	}
	*v = (struct rt_vec){0};
}

/* ---- leaves and the watch map */

/* One leaf for each part of the watch map; a second one makes both `watch_shared`. */
static struct shadow_leaf *watch_owner[(size_t)WATCH_SIZE >> (LEAF_BITS - GRANULE_BITS)];

static void own_watch(struct shadow_leaf *l)
{
	struct shadow_leaf **owner = &watch_owner[(uint32_t)l->from >> LEAF_BITS], *none = NULL;
	if (__atomic_compare_exchange_n(owner, &none, l, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	l->watch_shared = true;
	none->watch_shared = true;
}

/* Without the runtime's lock: malloc calls it. */
struct shadow_leaf *rt_leaf_make(uintptr_t a)
{
	struct shadow_leaf **place = &rf_shadow_dir[(a >> LEAF_BITS) & (DIR_SIZE - 1)],
			   *l = __atomic_load_n(place, __ATOMIC_ACQUIRE), *none = NULL;
	if (l)
		return l;
	INVARIANT(a >> ADDRESS_BITS == 0);
	l = map(NULL, sizeof *l, MAP_NORESERVE);
	if (!l)
		return NULL;
	syscall(SYS_madvise, l, sizeof *l, MADV_NOHUGEPAGE);
	l->from = a & ~(((uintptr_t)1 << LEAF_BITS) - 1);
	own_watch(l);
	if (!__atomic_compare_exchange_n(place, &none, l, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		none->watch_shared = true; /* this one may have become the owner: it is never given back */
		return none;
	}
	l->next = __atomic_load_n(&rt_leaves, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&rt_leaves, &l->next, l, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return l;
}

bool rt_graph_make(struct shadow_leaf *l, unsigned plane)
{
	l->graph[plane] = map(NULL, LEAF_CELLS * sizeof *l->graph[plane], MAP_NORESERVE);
	if (!l->graph[plane])
		return false;
	syscall(SYS_madvise, l->graph[plane], LEAF_CELLS * sizeof *l->graph[plane], MADV_NOHUGEPAGE);
	return true;
}

bool rt_watch_start(void)
{
	static bool mapped;
	if (mapped)
		return true;
	size_t n = (size_t)WATCH_SIZE + (1u << PAGE_BITS);
	void *want = (void *)(uintptr_t)WATCH_BASE, *p = map(want, n, MAP_NORESERVE | MAP_FIXED_NOREPLACE);
	if (p && p != want) { /* a kernel that does not know MAP_FIXED_NOREPLACE takes it for a wish */
		syscall(SYS_munmap, p, n);
		return false;
	}
	if (!p)
		return false;
	syscall(SYS_madvise, p, n, MADV_NOHUGEPAGE);
	syscall(SYS_madvise, p, n, MADV_DONTDUMP);
	return mapped = true;
}

/* All cells and watch bytes are zero afterwards; the other bits stay. Only pages that were marked are written. */
void rt_clear_cells(void)
{
	const size_t cells = (size_t)1 << (PAGE_BITS - GRANULE_BITS);
	for (struct shadow_leaf *l = rt_leaves; l; l = l->next)
		for (size_t w = 0; w < LEAF_PAGES / 64; w++)
			for (; l->marked[w]; l->marked[w] &= l->marked[w] - 1) {
				size_t first = (w * 64 + (size_t)__builtin_ctzll(l->marked[w])) * cells;
				for (unsigned p = 0; p < MAX_PLANES && p < rf_shadow_planes; p++) {
					memset(&l->cell[p][first], 0, cells * sizeof l->cell[p][0]);
					if (l->graph[p])
						memset(&l->graph[p][first], 0, cells * sizeof l->graph[p][0]);
				}
				memset(watch_byte(l->from + (first << GRANULE_BITS)), 0, cells);
			}
	rt_marked_pages = 0;
}

/* ---- pages */

static bool page_readable(uintptr_t page)
{
	int keep = errno;
	long r = syscall(SYS_rt_sigprocmask, ~0, page, NULL, 8);
	bool bad = r < 0 && errno == EFAULT;
	errno = keep;
	return !bad;
}

bool rt_probe(uintptr_t a, size_t n)
{
	uintptr_t end = a + (n ? n : 1);
	if (a < 4096 || end < a || (end - 1) >> ADDRESS_BITS)
		return false;
	for (uintptr_t page = a >> PAGE_BITS; page <= (end - 1) >> PAGE_BITS; page++) {
		uintptr_t at = page << PAGE_BITS;
		struct shadow_leaf *l = shadow_leaf(at);
		size_t i = page & (LEAF_PAGES - 1);
		if (l && (l->readable[i >> 3] >> (i & 7) & 1))
			continue;
		if (!page_readable(at) || !(l = rt_leaf_make(at)))
			return false;
		l->readable[i >> 3] |= (uint8_t)(1u << (i & 7));
		rt_ranges_refresh(); /* it may belong to a library that was just loaded */
	}
	return true;
}

void rt_forget_pages(uintptr_t a, size_t n)
{
	for (uintptr_t page = a >> PAGE_BITS; n && page <= (a + n - 1) >> PAGE_BITS; page++) {
		struct shadow_leaf *l = shadow_leaf(page << PAGE_BITS);
		size_t i = page & (LEAF_PAGES - 1);
		if (l)
			l->readable[i >> 3] &= (uint8_t) ~(1u << (i & 7));
	}
}

/* glibc's record of what sbrk(0) returns */
extern void *__curbrk __attribute__((weak));

void rt_check_brk(void)
{
	static uintptr_t last;
	uintptr_t now = (uintptr_t)(&__curbrk ? __curbrk : sbrk(0));
	if (now < last)
		rt_forget_pages(now, last - now);
	last = now;
}
