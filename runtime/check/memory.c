/* SPDX-License-Identifier: MIT */
/* Memory for the contract runtime: arrays that grow by mremap, leaves of the shadow, and which pages are readable. A
 * page is probed once, by a system call that reads through a pointer and changes nothing (rt_sigprocmask with an
 * invalid `how`: EFAULT for memory that cannot be read, EINVAL otherwise), and again after free or munmap may have
 * removed it. */
#include "rt.h"

#include "base/invariant.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
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

void *rt_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
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
	void *p = v->at ? mremap(v->at, old, bytes, MREMAP_MAYMOVE)
			: mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	rt_mapped_bytes += bytes - old;
	v->at = p;
	v->cap = bytes / size;
	return true;
}

void rt_vec_release(struct rt_vec *v, size_t size)
{
	if (v->at) {
		munmap(v->at, vec_bytes(v->cap, size));
		rt_mapped_bytes -= vec_bytes(v->cap, size);
	}
	*v = (struct rt_vec){0};
}

struct shadow_leaf *rt_leaf_make(uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	if (l)
		return l;
	INVARIANT(a >> ADDRESS_BITS == 0);
	l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (l == MAP_FAILED)
		return NULL;
	l->from = a & ~(((uintptr_t)1 << LEAF_BITS) - 1);
	l->next = rt_leaves;
	rt_leaves = l;
	rf_shadow_used = 1;
	__atomic_store_n(&rf_shadow_dir[(a >> LEAF_BITS) & (DIR_SIZE - 1)], l, __ATOMIC_RELEASE);
	return l;
}

/* All cells are zero afterwards; freed and readable stay. */
void rt_clear_cells(void)
{
	for (struct shadow_leaf *l = rt_leaves; l; l = l->next)
		for (unsigned p = 0; p < MAX_PLANES; p++)
			if (p < rf_shadow_planes)
				madvise(l->cell[p], sizeof l->cell[p], MADV_DONTNEED);
}

uint64_t rt_shadow_resident(void)
{
	static unsigned char in_core[1 << 14];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), step = sizeof in_core * page;
	uint64_t pages = 0;
	for (struct shadow_leaf *l = rt_leaves; l; l = l->next)
		for (size_t off = 0; off < sizeof *l; off += step) {
			size_t n = sizeof *l - off < step ? sizeof *l - off : step;
			if (mincore((char *)l + off, n, in_core) != 0)
				continue;
			for (size_t i = 0; i < (n + page - 1) / page; i++)
				pages += in_core[i] & 1;
		}
	return pages * page;
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

/* ---- memory whose stores the barrier may miss
 *
 * Compilers do not instrument a store to a named variable that is certainly inside it. So nodes in the image of the
 * program or of a library and nodes on a stack are never trusted beyond one check. */

struct range {
	uintptr_t from, to;
};
static struct range images[512]; /* by address */
static unsigned n_images;
static unsigned long long images_adds;
unsigned rt_images_version;
static __thread struct range stack;
__thread struct rt_stable rt_stable;

static void insert_image(struct range r)
{
	unsigned i = n_images++;
	for (; i > 0 && images[i - 1].from > r.from; i--)
		images[i] = images[i - 1];
	images[i] = r;
}

static int add_image(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	images_adds = info->dlpi_adds;
	for (int i = 0; i < info->dlpi_phnum && n_images < ARRAY_LEN(images); i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && (h->p_flags & PF_W))
			insert_image((struct range){info->dlpi_addr + h->p_vaddr,
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
	dl_iterate_phdr(see_version, &now);
	if (n_images && now == images_adds)
		return;
	n_images = 0;
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
	unsigned lo = 0, hi = n_images;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (a < images[mid].from)
			hi = mid;
		else if (a >= images[mid].to)
			lo = mid + 1;
		else
			return true;
	}
	uintptr_t from = lo ? images[lo - 1].to : 0, to = lo < n_images ? images[lo].from : UINTPTR_MAX;
	if (a >= stack.to)
		from = from > stack.to ? from : stack.to;
	else
		to = to < stack.from ? to : stack.from;
	rt_stable = (struct rt_stable){from, to, rt_images_version};
	return false;
}
