/* SPDX-License-Identifier: MIT */
/* One memo table: see table.h. A look-up touches the index cell, the slot and the policy's state, nothing else. */
#include "memo/table.h"

#include "base/policy_agrees.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_KEY = 65536, MAX_VALUE = 1 << 24, SLOT_HEAD = 8, LINE = 64, HUGE = 2 << 20 };
/* A small index is kept nearly empty: a probe that goes on is a branch nobody predicts. */
enum { SPARSE_UP_TO = 1024 };

/* A counter that another thread may read meanwhile (rf_memo_statistics of a per_thread table). */
#define SET_COUNT(counter, value) __atomic_store_n(&(counter), (value), __ATOMIC_RELAXED)

static uint32_t tag(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static const struct policy *policy_for(enum rf_memo_kind kind)
{
	static const char *const names[] = {
		[RF_MEMO_SINGLE] = "single", [RF_MEMO_LRU] = "lru", [RF_MEMO_DIRECT] = "direct"};
	return (unsigned)kind < ARRAY_LEN(names) ? policy_find(names[kind]) : NULL;
}

static size_t align_line(size_t n)
{
	return (n + LINE - 1) & ~(size_t)(LINE - 1);
}

enum part { PART_STATE, PART_CELLS, PART_SLOTS, N_PARTS };

/* Lays out the block; false when the sizes make no sense. */
static bool plan(struct memo_table *t, const rf_memo_config *c, size_t offset[N_PARTS])
{
	bool any = c->key_size == RF_MEMO_ANY_LENGTH;
	t->capacity = c->kind == RF_MEMO_SINGLE ? 1 : c->entries;
	if ((!any && (!c->key_size || c->key_size > MAX_KEY)) || c->value_size > MAX_VALUE || !t->capacity ||
	    t->capacity > POLICY_MAX_CAP)
		return false;
	t->key_size = c->key_size;
	t->value_size = c->value_size;
	t->value_at = SLOT_HEAD + (any ? sizeof(char *) : c->key_size);
	size_t stride = (t->value_at + t->value_size + 7) & ~(size_t)7;
	size_t cells = t->policy->flags & POLICY_PLACED
			       ? 0
			       : (size_t)ceil_pow2((uint64_t)t->capacity * (t->capacity <= SPARSE_UP_TO ? 8 : 2));
	size_t size[N_PARTS] = {t->policy->state_size(t->capacity), cells * sizeof(struct cell), 0};
	if (!size[PART_STATE] || __builtin_mul_overflow((size_t)t->capacity, stride, &size[PART_SLOTS]))
		return false;
	size_t at = 0;
	for (int i = 0; i < N_PARTS; i++) {
		offset[i] = at;
		if (size[i] > SIZE_MAX / 8 || __builtin_add_overflow(at, align_line(size[i]), &at))
			return false;
	}
	t->block_bytes = at;
	t->view.stride = (uint32_t)stride;
	t->view.mask = cells ? (uint32_t)(cells - 1) : 0;
	return true;
}

/* Zeros on a cache line's border; a large table costs nothing until it is used, and then few page walks. */
static unsigned char *allocate(struct memo_table *t)
{
	size_t align = t->block_bytes >= HUGE ? HUGE : LINE;
	t->block = calloc(1, t->block_bytes + align);
	if (!t->block)
		return NULL;
	unsigned char *p = (unsigned char *)(((uintptr_t)t->block + align - 1) & ~(uintptr_t)(align - 1));
	if (align == HUGE)
		madvise(p, t->block_bytes & ~(size_t)(HUGE - 1), MADV_HUGEPAGE);
	return p;
}

bool memo_table_init(struct memo_table *t, const rf_memo_config *config)
{
	size_t offset[N_PARTS];
	*t = (struct memo_table){.policy = policy_for(config->kind), .destroy = config->destroy};
	if (!t->policy || !plan(t, config, offset))
		return false;
	unsigned char *block = allocate(t);
	if (!block)
		return false;
	t->policy_state = block + offset[PART_STATE];
	t->policy->init(t->policy_state, t->capacity, 0);
	t->cells = t->policy->flags & POLICY_PLACED ? NULL : (struct cell *)(block + offset[PART_CELLS]);
	if (t->cells)
		memset(t->cells, 0xff, ((size_t)t->view.mask + 1) * sizeof *t->cells);
	_Static_assert(sizeof(struct cell) == sizeof(struct rf_memo_cell) &&
			       offsetof(struct cell, ref) == offsetof(struct rf_memo_cell, slot),
		       "the header reads our cells");
	t->view.cells = (const struct rf_memo_cell *)t->cells;
	t->view.slots = block + offset[PART_SLOTS];
	t->view.kind = config->kind;
	t->view.places = t->capacity;
	_Static_assert((int)RF_MEMO_NODE == (int)POLICY_FIRST_NODE, "the header moves our nodes");
	t->view.links = config->kind == RF_MEMO_LRU ? policy_lru_nodes(t->policy_state) : NULL;
	t->view.version = 1;
	return true;
}

static inline unsigned char *slot_at(const struct memo_table *t, uint32_t slot)
{
	return t->view.slots + (size_t)slot * t->view.stride;
}

static inline uint32_t version_of(const struct memo_table *t, uint32_t slot)
{
	uint32_t v;
	memcpy(&v, slot_at(t, slot), sizeof v);
	return v;
}

static inline bool any_length(const struct memo_table *t)
{
	return t->key_size == RF_MEMO_ANY_LENGTH;
}

static const void *key_in(const struct memo_table *t, uint32_t slot, size_t *n)
{
	unsigned char *at = slot_at(t, slot);
	*n = t->key_size;
	if (!any_length(t))
		return at + SLOT_HEAD;
	uint32_t length;
	memcpy(&length, at + 4, sizeof length);
	*n = length;
	char *key;
	memcpy(&key, at + SLOT_HEAD, sizeof key);
	return key;
}

static inline bool has_key(const struct memo_table *t, uint32_t slot, const void *key, size_t n)
{
	if (t->key_size == 8)
		return memcmp(slot_at(t, slot) + SLOT_HEAD, key, 8) == 0;
	if (t->key_size == 16)
		return memcmp(slot_at(t, slot) + SLOT_HEAD, key, 16) == 0;
	size_t have;
	const void *at = key_in(t, slot, &have);
	return have == n && memcmp(at, key, n) == 0;
}

/* The slot in use that holds key, of whatever version, or CELL_FREE. */
static inline uint32_t find_any(const struct memo_table *t, uint64_t hash, const void *key, size_t n)
{
	if (!t->cells) {
		uint32_t slot = rf_memo_place(hash, t->capacity);
		return version_of(t, slot) && has_key(t, slot, key, n) ? slot : CELL_FREE;
	}
	uint32_t slot;
	size_t at = tag(hash) & t->view.mask;
	while ((slot = cells_next(t->cells, t->view.mask, tag(hash), &at)) != CELL_FREE)
		if (has_key(t, slot, key, n))
			break;
	return slot;
}

uint32_t memo_table_find(const struct memo_table *t, uint64_t hash, const void *key, size_t n)
{
	uint32_t slot = find_any(t, hash, key, n);
	return slot != CELL_FREE && version_of(t, slot) == t->view.version ? slot : CELL_FREE;
}

void *memo_table_value(const struct memo_table *t, uint32_t slot)
{
	return slot_at(t, slot) + t->value_at;
}

void memo_table_hit(struct memo_table *t, uint32_t slot)
{
	t->policy->hit(t->policy_state, slot);
}

static inline void copy_value(const struct memo_table *t, void *to, const void *from)
{
	if (t->value_size == 8)
		memcpy(to, from, 8);
	else if (t->value_size)
		memcpy(to, from, t->value_size);
}

/* The value's destructor gets a copy at an address that suits any type: in a slot it may be unaligned. */
static void destroy_value(struct memo_table *t, uint32_t slot)
{
	if (!t->destroy)
		return;
	_Alignas(16) unsigned char small[256];
	void *copy = t->value_size <= sizeof small ? small : malloc(t->value_size);
	if (!copy)
		return;
	memcpy(copy, memo_table_value(t, slot), t->value_size);
	t->destroy(copy);
	if (copy != small)
		free(copy);
}

/* Empties a slot that is in use; the policy is not told. */
static void empty_slot(struct memo_table *t, uint32_t slot)
{
	size_t n, at;
	const void *key = key_in(t, slot, &n);
	struct cell c = {tag(rf_memo_hash(key, n)), slot};
	INVARIANT(version_of(t, slot));
	if (t->cells && cells_find(t->cells, t->view.mask, c, &at))
		cells_free_at(t->cells, t->view.mask, at);
	if (any_length(t)) {
		SET_COUNT(t->key_bytes, t->key_bytes - n);
		free((void *)key);
	}
	INVARIANT(version_of(t, slot) != t->view.version || t->live);
	SET_COUNT(t->live, t->live - (version_of(t, slot) == t->view.version));
	memset(slot_at(t, slot), 0, SLOT_HEAD);
	destroy_value(t, slot);
}

static bool write_key(struct memo_table *t, unsigned char *at, const void *key, size_t n)
{
	if (!any_length(t)) {
		memcpy(at + SLOT_HEAD, key, n);
		return true;
	}
	char *copy = n <= UINT32_MAX ? malloc(n ? n : 1) : NULL;
	if (!copy)
		return false;
	if (n)
		memcpy(copy, key, n);
	memcpy(at + 4, &(uint32_t){(uint32_t)n}, 4);
	memcpy(at + SLOT_HEAD, &copy, sizeof copy);
	SET_COUNT(t->key_bytes, t->key_bytes + n);
	return true;
}

static void insert(struct memo_table *t, uint64_t hash, const void *key, size_t n, const void *value)
{
	/* a policy that places keys is given the place: key mod capacity is the place itself */
	uint32_t slot = t->policy->admit(t->policy_state, t->cells ? hash : rf_memo_place(hash, t->capacity));
	if (slot == POLICY_BYPASS)
		return;
	INVARIANT(slot < t->capacity);
	if (version_of(t, slot)) {
		SET_COUNT(t->evictions, t->evictions + (version_of(t, slot) == t->view.version));
		empty_slot(t, slot);
	}
	if (slot >= t->slots_end)
		t->slots_end = slot + 1;
	unsigned char *at = slot_at(t, slot);
	if (!write_key(t, at, key, n)) {
		t->policy->drop(t->policy_state, slot);
		return;
	}
	memcpy(at, &t->view.version, sizeof t->view.version);
	copy_value(t, at + t->value_at, value);
	SET_COUNT(t->live, t->live + 1);
	INVARIANT(t->live <= t->capacity);
	if (t->cells)
		cells_insert(t->cells, t->view.mask, (struct cell){tag(hash), slot});
}

void memo_table_put(struct memo_table *t, uint64_t hash, const void *key, size_t n, const void *value)
{
	uint32_t slot = find_any(t, hash, key, n);
	if (slot == CELL_FREE) {
		insert(t, hash, key, n, value);
		return;
	}
	if (version_of(t, slot) != t->view.version) {
		memo_table_hit(t, slot); /* as if it were new */
		memcpy(slot_at(t, slot), &t->view.version, sizeof t->view.version);
		SET_COUNT(t->live, t->live + 1);
	}
	if (t->value_size && memcmp(memo_table_value(t, slot), value, t->value_size) == 0)
		return; /* put again: it must not be destroyed */
	destroy_value(t, slot);
	copy_value(t, memo_table_value(t, slot), value);
}

void memo_table_forget(struct memo_table *t, uint64_t hash, const void *key, size_t n)
{
	uint32_t slot = find_any(t, hash, key, n);
	if (slot == CELL_FREE)
		return;
	empty_slot(t, slot);
	t->policy->drop(t->policy_state, slot);
}

static void drop_contents(struct memo_table *t)
{
	if (!t->destroy && !any_length(t))
		return;
	for (uint32_t slot = 0; slot < t->slots_end; slot++)
		if (version_of(t, slot))
			empty_slot(t, slot);
}

void memo_table_clear(struct memo_table *t)
{
	drop_contents(t);
	memset(t->policy_state, 0, t->policy->state_size(t->capacity));
	t->policy->init(t->policy_state, t->capacity, 0);
	if (t->cells)
		memset(t->cells, 0xff, ((size_t)t->view.mask + 1) * sizeof *t->cells);
	memset(t->view.slots, 0, (size_t)t->slots_end * t->view.stride);
	t->slots_end = 0;
	SET_COUNT(t->live, 0);
}

void memo_table_bump(struct memo_table *t)
{
	/* an entry whose version comes round again would be believed */
	if (t->view.version == UINT32_MAX) {
		memo_table_clear(t);
		t->view.version = 0;
	}
	t->view.version++;
	SET_COUNT(t->live, 0);
}

void memo_table_release(struct memo_table *t)
{
	drop_contents(t);
	free(t->block);
}

#ifdef RF_INVARIANTS
static bool is_used(const void *t, uint32_t slot)
{
	return version_of(t, slot) != 0;
}

void memo_table_check(const struct memo_table *t)
{
	size_t in_use = 0, live = 0, at, n;
	for (uint32_t slot = 0; slot < t->capacity; slot++) {
		if (!version_of(t, slot))
			continue;
		in_use++;
		live += version_of(t, slot) == t->view.version;
		const void *key = key_in(t, slot, &n);
		uint64_t hash = rf_memo_hash(key, n);
		INVARIANT(find_any(t, hash, key, n) == slot); /* so a key has one slot */
		INVARIANT(!t->cells || cells_find(t->cells, t->view.mask, (struct cell){tag(hash), slot}, &at));
	}
	INVARIANT(live == t->live && (!t->cells || cells_check(t->cells, t->view.mask) == in_use));
	struct policy_slots s = {t->policy, t->policy_state, t->capacity, (uint32_t)in_use, is_used, t};
	void *copy = malloc(t->policy->state_size(t->capacity));
	unsigned char *seen = malloc(t->capacity);
	INVARIANT(copy && seen && policy_agrees(&s, copy, seen));
	free(copy);
	free(seen);
}
#endif
