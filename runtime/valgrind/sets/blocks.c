/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's heap. malloc and its family are replaced, so each block's extent and age are known; new memory is
 * zeroed, so that padding and other bytes the program never wrote are the same in every call.
 *
 * From an address to its block: a table of 4 KB pages; a page that lies inside one block holds its number, others
 * an array with one number per 16 bytes (blocks never share 16 bytes: Valgrind keeps its own words between them).
 *
 * Valgrind's allocator keeps up to BLOCK_EXTRA bytes a block more than the one of libc: that is the tool's doing and
 * counted as such.
 *
 * When the memory limit leaves no room for a block's number the map is no longer true: it is given back,
 * blocks_lost says so, and from then on nothing is logged. */
#include "sets.h"

#include "pub_tool_replacemalloc.h"

enum { UNITS = 4096 / 16, FRONT = 512, LARGE = 1 << 16, BLOCK_EXTRA = 16 };

struct map_page {
	Addr number;
	UInt whole;
	UInt *fine;
};

static struct map_page *map;
static UInt map_mask, map_n;
static const struct map_page *front[FRONT]; /* into map */
static struct block *block;
static UInt n_block = 1, cap_block;
static UInt *free_id;
static UInt n_free, cap_free;
Bool blocks_lost;

static struct map_page *map_find(struct map_page *table, UInt mask, Addr number)
{
	UInt i = (UInt)mix64(number) & mask;
	while (table[i].number != number && table[i].number != ~(Addr)0)
		i = (i + 1) & mask;
	return &table[i];
}

/* NULL when the memory limit is reached. */
static struct map_page *map_new(UInt mask)
{
	struct map_page *t = budget_alloc("rf.map", (mask + 1UL) * sizeof *t);
	if (!t)
		return NULL;
	for (UInt i = 0; i <= mask; i++)
		t[i] = (struct map_page){~(Addr)0, 0, NULL};
	return t;
}

static void give_up(void)
{
	static struct map_page none = {~(Addr)0, 0, NULL}; /* a table that never finds anything */
	if (blocks_lost)
		return;
	blocks_lost = True;
	if (map) {
		for (UInt i = 0; i <= map_mask; i++)
			budget_free(map[i].fine, UNITS * sizeof *map[i].fine);
		budget_free(map, (map_mask + 1UL) * sizeof *map);
	}
	budget_free(block, cap_block * sizeof *block);
	budget_free(free_id, cap_free * sizeof *free_id);
	block = NULL;
	free_id = NULL;
	map = &none;
	map_mask = 0;
	VG_(memset)(front, 0, sizeof front);
}

void blocks_init(void)
{
	map_mask = 4095;
	map = map_new(map_mask);
	if (!map)
		give_up();
}

/* NULL when the memory limit is reached. */
static struct map_page *map_get(Addr number)
{
	struct map_page *p = map_find(map, map_mask, number);
	if (p->number == number)
		return p;
	if (map_n >= map_mask / 2) {
		UInt mask = 2 * map_mask + 1;
		struct map_page *t = map_new(mask);
		if (!t)
			return NULL;
		for (UInt i = 0; i <= map_mask; i++)
			if (map[i].number != ~(Addr)0)
				*map_find(t, mask, map[i].number) = map[i];
		budget_free(map, (map_mask + 1UL) * sizeof *map);
		VG_(memset)(front, 0, sizeof front);
		map = t;
		map_mask = mask;
		p = map_find(map, map_mask, number);
	}
	map_n++;
	p->number = number;
	return p;
}

UInt block_at(Addr a)
{
	const struct map_page **f = &front[(a >> 12) % FRONT], *p = *f;
	if (UNLIKELY(!p || p->number != a >> 12)) {
		p = map_find(map, map_mask, a >> 12);
		if (p->number == ~(Addr)0)
			return 0;
		*f = p;
	}
	if (p->whole)
		return p->whole;
	return p->fine ? p->fine[a % 4096 / 16] : 0;
}

struct block *block_get(UInt id)
{
	return &block[id];
}

/* Writes id for [start, start + size) into the map; False when the memory limit is reached. */
static Bool map_set(Addr start, SizeT size, UInt id)
{
	Addr end = start + size;
	for (Addr number = start >> 12; number <= (end - 1) >> 12; number++) {
		Addr low = number << 12, high = low + 4096;
		struct map_page *p = map_get(number);
		if (!p)
			return False;
		if (low >= start && high <= end) {
			p->whole = id;
			continue;
		}
		if (!p->fine)
			p->fine = budget_alloc("rf.map.fine", UNITS * sizeof *p->fine);
		if (!p->fine)
			return False;
		Addr from = start > low ? start : low, to = end < high ? end : high;
		for (Addr u = from / 16; u <= (to - 1) / 16; u++)
			p->fine[u % UNITS] = id;
	}
	return True;
}

/* 0 when the memory limit is reached. */
static UInt block_new_id(void)
{
	if (n_free)
		return free_id[--n_free];
	if (n_block >= cap_block) {
		UInt cap = cap_block ? 2 * cap_block : 4096;
		struct block *p = budget_grow("rf.blocks", block, cap_block * sizeof *block, cap * sizeof *block);
		if (!p)
			return 0;
		block = p;
		cap_block = cap;
	}
	return n_block++;
}

/* New memory of the kernel's is zero and not there yet: large blocks are only read, not to make it so. */
static void make_zero(void *p, SizeT n)
{
	enum { PAGE = 4096, WORDS = PAGE / sizeof(ULong) };
	if (n < LARGE) {
		VG_(memset)(p, 0, n);
		return;
	}
	Addr a = (Addr)p, end = a + n, from = (a + PAGE - 1) & ~(Addr)(PAGE - 1);
	VG_(memset)(p, 0, from - a);
	for (; end - from >= PAGE; from += PAGE) {
		const ULong *w = (const ULong *)from;
		ULong any = 0;
		for (UInt i = 0; i < WORDS; i++)
			any |= w[i];
		if (any)
			VG_(memset)((void *)from, 0, PAGE);
	}
	VG_(memset)((void *)from, 0, end - from);
}

void block_add(Addr p, SizeT size)
{
	SizeT real = size ? size : 1;
	UInt id = blocks_lost || budget_over() ? 0 : block_new_id();
	if (id)
		block[id] = (struct block){.start = p, .size = size, .stamp = sets_stamp(), .owner = sets_innermost()};
	if (!id || !map_set(p, real, id)) {
		give_up();
		return;
	}
	/* the heap may have grown where canon.c has seen nothing before */
	if (place_of(p) != PLACE_HEAP || place_of(p + real - 1) != PLACE_HEAP)
		place_forget();
}

void block_zero(Addr p, SizeT size)
{
	make_zero((void *)p, size);
}

static void *allocate(SizeT align, SizeT size)
{
	if ((SSizeT)size < 0)
		return NULL;
	SizeT real = size ? size : 1;
	void *p = VG_(cli_malloc)(align < 16 ? 16 : align, real);
	if (!p)
		return NULL;
	make_zero(p, real);
	budget_note(BLOCK_EXTRA);
	block_add((Addr)p, size);
	return p;
}

void block_remove(Addr p)
{
	UInt id = block_at(p);
	if (!id || block[id].start != p)
		return; /* not one of ours: the program is wrong, not us */
	if (running)
		sets_note_free(running, &block[id]);
	if (!map_set(block[id].start, block[id].size ? block[id].size : 1, 0)) {
		give_up();
		return;
	}
	if (n_free == cap_free) {
		UInt cap = cap_free ? 2 * cap_free : 4096;
		UInt *more = budget_grow("rf.blocks.free", free_id, cap_free * sizeof *free_id, cap * sizeof *free_id);
		if (more) {
			free_id = more;
			cap_free = cap;
		}
	}
	if (n_free < cap_free) /* otherwise the number is not used again */
		free_id[n_free++] = id;
}

static void release(ThreadId tid, void *p)
{
	(void)tid;
	UInt id = p ? block_at((Addr)p) : 0;
	if (!p || (!blocks_lost && (!id || block[id].start != (Addr)p)))
		return;
	block_remove((Addr)p);
	budget_note(-BLOCK_EXTRA);
	VG_(cli_free)(p);
}

static void *on_malloc(ThreadId tid, SizeT n)
{
	(void)tid;
	return allocate(VG_(clo_alignment), n);
}

static void *on_aligned(ThreadId tid, SizeT n, SizeT align)
{
	(void)tid;
	return allocate(align, n);
}

static void *on_memalign(ThreadId tid, SizeT align, SizeT n)
{
	(void)tid;
	return allocate(align, n);
}

static void *on_calloc(ThreadId tid, SizeT n, SizeT size)
{
	(void)tid;
	if (size && n > ~(SizeT)0 / size)
		return NULL;
	return allocate(VG_(clo_alignment), n * size);
}

static void release_aligned(ThreadId tid, void *p, SizeT align)
{
	(void)align;
	release(tid, p);
}

static void *on_realloc(ThreadId tid, void *p, SizeT n)
{
	if (!p)
		return allocate(VG_(clo_alignment), n);
	if (!n) {
		release(tid, p);
		return NULL;
	}
	UInt id = block_at((Addr)p);
	Bool lost = !id && blocks_lost;
	if (!lost && (!id || block[id].start != (Addr)p))
		return NULL;
	SizeT old = lost ? VG_(cli_malloc_usable_size)(p) : block[id].size;
	void *q = allocate(VG_(clo_alignment), n);
	if (!q)
		return NULL;
	/* the copy is the program's doing: what it reads is read, what it writes is written */
	SizeT keep = old < n ? old : n;
	VG_(memcpy)(q, p, keep);
	if (running && running->tid == tid && keep) {
		sets_access((Addr)p, keep, False);
		sets_access((Addr)q, keep, True);
	}
	release(tid, p);
	return q;
}

static SizeT on_usable(ThreadId tid, void *p)
{
	(void)tid;
	UInt id = block_at((Addr)p);
	if (!id && blocks_lost)
		return VG_(cli_malloc_usable_size)(p);
	return id && block[id].start == (Addr)p ? block[id].size : 0;
}

void blocks_replace_malloc(void)
{
	VG_(needs_malloc_replacement)
	(on_malloc, on_malloc, on_aligned, on_malloc, on_aligned, on_memalign, on_calloc, release, release,
	 release_aligned, release, release_aligned, on_realloc, on_usable, 0);
}
