/* SPDX-License-Identifier: MIT */
/* Memo tables (refrain/memo.h): a policy of base over slots of fixed-size keys and values, and an index from keys to
 * slots that never grows. Invariant: a slot is in use exactly when `used` says so, and then (unless the policy places
 * keys itself) the index has one cell for it, under its key's hash. One block holds everything; look-ups touch the
 * index cell, the slot and the policy's state. libc only. */
#include "refrain/memo.h"

#include "base/cells.h"
#include "base/hashbytes.h"
#include "base/invariant.h"
#include "base/policy.h"
#include "base/policy_agrees.h"
#include "memo/check.h"
#include "runtime/keys/keys.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { MODE_ON, MODE_OFF, MODE_VERIFY, MODE_STATS };
enum { MAX_KEY = 65536, MAX_VALUE = 1 << 24 };

struct rf_memo {
	const struct policy *policy;
	void *policy_state;
	uint32_t capacity;
	size_t key_size, value_size, stride;
	struct cell *cells; /* NULL when the policy places keys */
	size_t mask;
	uint64_t *hash_of; /* per slot */
	bool *used;        /* per slot */
	unsigned char *slots;
	enum mode mode;
	bool thread_safe, reported;
	pthread_mutex_t lock;
	struct rt_keys *keys;
	rf_memo_stats stats;
	char name[64];
	rf_memo *next, **link; /* tables that print statistics at exit */
};

static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static rf_memo *exit_list;

static enum mode mode_from_environment(void)
{
	const char *s = getenv("RF_MEMO");
	if (s && strcmp(s, "off") == 0)
		return MODE_OFF;
	if (s && strcmp(s, "verify") == 0)
		return MODE_VERIFY;
	if (s && strcmp(s, "stats") == 0)
		return MODE_STATS;
	return MODE_ON;
}

static void print_stats(const rf_memo *m)
{
	const rf_memo_stats *s = &m->stats;
	fprintf(stderr,
		"refrain memo %s: %llu gets, %llu hits (%.1f %%), %llu evictions, %llu conflicts, %zu entries, %zu "
		"bytes\n",
		m->name, (unsigned long long)s->gets, (unsigned long long)s->hits,
		s->gets ? 100.0 * (double)s->hits / (double)s->gets : 0.0, (unsigned long long)s->evictions,
		(unsigned long long)s->conflicts, s->entries, s->bytes);
}

/* Tables are often static and never freed: their streams and statistics end with the program. */
static void at_exit(void)
{
	pthread_mutex_lock(&exit_lock);
	for (rf_memo *m = exit_list; m; m = m->next) {
		rt_keys_close(m->keys);
		m->keys = NULL;
		if (m->mode == MODE_STATS || m->mode == MODE_VERIFY)
			print_stats(m);
	}
	exit_list = NULL;
	pthread_mutex_unlock(&exit_lock);
}

static void list_for_exit(rf_memo *m)
{
	static bool registered;
	pthread_mutex_lock(&exit_lock);
	if (!registered)
		registered = atexit(at_exit) == 0;
	m->next = exit_list;
	m->link = &exit_list;
	if (exit_list)
		exit_list->link = &m->next;
	exit_list = m;
	pthread_mutex_unlock(&exit_lock);
}

static void unlist(rf_memo *m)
{
	pthread_mutex_lock(&exit_lock);
	if (m->link && exit_list) {
		*m->link = m->next;
		if (m->next)
			m->next->link = m->link;
	}
	pthread_mutex_unlock(&exit_lock);
}

static const struct policy *policy_for(const rf_memo_config *c)
{
	static const char *const names[] = {
		[RF_MEMO_SINGLE] = "single", [RF_MEMO_LRU] = "lru", [RF_MEMO_DIRECT] = "direct"};
	if ((unsigned)c->kind >= ARRAY_LEN(names))
		return NULL;
	return policy_find(names[c->kind]);
}

static size_t align16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

/* Lays the parts of the table out behind the struct; false when the sizes make no sense. */
static bool plan(const rf_memo_config *c, const struct policy *p, rf_memo *m, size_t offset[6])
{
	m->capacity = c->kind == RF_MEMO_SINGLE ? 1 : c->entries;
	if (!c->key_size || c->key_size > MAX_KEY || c->value_size > MAX_VALUE || !m->capacity ||
	    m->capacity > POLICY_MAX_CAP)
		return false;
	size_t state = p->state_size(m->capacity);
	if (state == 0)
		return false;
	m->key_size = c->key_size;
	m->value_size = c->value_size;
	m->stride = align16(c->key_size + c->value_size);
	size_t cells = p->flags & POLICY_PLACED ? 0 : (size_t)ceil_pow2((uint64_t)m->capacity * 2);
	m->mask = cells ? cells - 1 : 0;
	size_t parts[] = {sizeof *m,
			  state,
			  cells * sizeof(struct cell),
			  m->capacity * sizeof(uint64_t),
			  m->capacity * sizeof(bool),
			  0};
	if (__builtin_mul_overflow((size_t)m->capacity, m->stride, &parts[5]))
		return false;
	size_t at = 0;
	for (int i = 0; i < 6; i++) {
		offset[i] = at;
		if (__builtin_add_overflow(at, align16(parts[i]), &at))
			return false;
	}
	m->stats.bytes = at;
	return true;
}

rf_memo *rf_memo_new(const rf_memo_config *config)
{
	rf_memo head = {0};
	size_t offset[6];
	const struct policy *p = config ? policy_for(config) : NULL;
	if (!p || !plan(config, p, &head, offset))
		return NULL;
	/* zeros from the kernel: a large table costs nothing until it is used */
	char *block = calloc(1, head.stats.bytes + 16);
	if (!block)
		return NULL;
	rf_memo *m = (rf_memo *)block;
	*m = head;
	m->policy = p;
	m->policy_state = block + offset[1];
	p->init(m->policy_state, m->capacity, 0);
	m->cells = p->flags & POLICY_PLACED ? NULL : (struct cell *)(block + offset[2]);
	if (m->cells)
		memset(m->cells, 0xff, (m->mask + 1) * sizeof *m->cells);
	m->hash_of = (uint64_t *)(block + offset[3]);
	m->used = (bool *)(block + offset[4]);
	m->slots = (unsigned char *)(block + offset[5]);
	m->mode = mode_from_environment();
	m->thread_safe = config->thread_safe;
	pthread_mutex_init(&m->lock, NULL);
	snprintf(m->name, sizeof m->name, "%s", config->name ? config->name : "memo");
	const char *folder = getenv("RF_MEMO_KEYS");
	if (folder)
		m->keys = rt_keys_open(folder, m->name);
	if (m->keys || m->mode == MODE_STATS || m->mode == MODE_VERIFY)
		list_for_exit(m);
	return m;
}

void rf_memo_free(rf_memo *m)
{
	if (!m)
		return;
	unlist(m);
	rt_keys_close(m->keys);
	if (m->mode == MODE_STATS || m->mode == MODE_VERIFY)
		print_stats(m);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static inline unsigned char *key_in(const rf_memo *m, uint32_t slot)
{
	return m->slots + slot * m->stride;
}

/* Short keys and values are the common case: a call into libc would cost more than the look-up. */
static inline bool same_key(const rf_memo *m, const unsigned char *a, const void *b)
{
	if (m->key_size == 8)
		return memcmp(a, b, 8) == 0;
	if (m->key_size == 16)
		return memcmp(a, b, 16) == 0;
	return memcmp(a, b, m->key_size) == 0;
}

static inline void copy_value(const rf_memo *m, void *to, const void *from)
{
	if (m->value_size == 8)
		memcpy(to, from, 8);
	else if (m->value_size)
		memcpy(to, from, m->value_size);
}

static inline uint64_t hash_key(const rf_memo *m, const void *key)
{
	return m->key_size == 16 ? hash_bytes(key, 16) : hash_bytes(key, m->key_size);
}

static inline bool slot_has(const rf_memo *m, uint32_t slot, uint64_t hash, const void *key)
{
	return m->used[slot] && m->hash_of[slot] == hash && same_key(m, key_in(m, slot), key);
}

/* The slot that holds key, or CELL_FREE. */
static inline uint32_t find(const rf_memo *m, uint64_t hash, const void *key)
{
	if (!m->cells) {
		uint32_t slot = m->policy->place(m->policy_state, hash);
		return slot_has(m, slot, hash, key) ? slot : CELL_FREE;
	}
	uint32_t folded = cells_fold(hash), slot;
	size_t at = folded & m->mask;
	while ((slot = cells_next(m->cells, m->mask, folded, &at)) != CELL_FREE)
		if (slot_has(m, slot, hash, key))
			break;
	return slot;
}

static void unindex(rf_memo *m, uint32_t slot)
{
	size_t at;
	if (m->cells && cells_find(m->cells, m->mask, (struct cell){cells_fold(m->hash_of[slot]), slot}, &at))
		cells_free_at(m->cells, m->mask, at);
	INVARIANT(m->used[slot] && m->stats.entries > 0);
	m->used[slot] = false;
	m->stats.entries--;
}

static void insert(rf_memo *m, uint64_t hash, const void *key, const void *value)
{
	uint32_t slot = m->policy->admit(m->policy_state, hash);
	if (slot == POLICY_BYPASS)
		return;
	INVARIANT(slot < m->capacity);
	if (m->used[slot]) {
		unindex(m, slot);
		m->stats.evictions++;
	}
	m->used[slot] = true;
	m->hash_of[slot] = hash;
	m->stats.entries++;
	INVARIANT(m->stats.entries <= m->capacity);
	memcpy(key_in(m, slot), key, m->key_size);
	copy_value(m, key_in(m, slot) + m->key_size, value);
	if (m->cells)
		cells_insert(m->cells, m->mask, (struct cell){cells_fold(hash), slot});
}

static inline void lock(rf_memo *m)
{
	if (m->thread_safe)
		pthread_mutex_lock(&m->lock);
}

static inline void unlock(rf_memo *m)
{
	if (m->thread_safe)
		pthread_mutex_unlock(&m->lock);
}

bool rf_memo_get(rf_memo *m, const void *key, void *value)
{
	if (!m)
		return false;
	uint64_t hash = hash_key(m, key);
	bool hit = false;
	lock(m);
	m->stats.gets++;
	if (UNLIKELY(m->keys != NULL))
		rt_keys_add(m->keys, hash);
	uint32_t slot = UNLIKELY(m->mode == MODE_OFF) ? CELL_FREE : find(m, hash, key);
	if (slot != CELL_FREE) {
		m->policy->hit(m->policy_state, slot);
		m->stats.hits++;
		/* when verifying, the hit is counted but the caller computes: put compares */
		hit = m->mode != MODE_VERIFY;
		if (hit)
			copy_value(m, value, key_in(m, slot) + m->key_size);
	}
	unlock(m);
	return hit;
}

static void compare(rf_memo *m, uint32_t slot, const void *value)
{
	if (m->value_size == 0 || memcmp(key_in(m, slot) + m->key_size, value, m->value_size) == 0)
		return;
	m->stats.conflicts++;
	if (!m->reported) {
		m->reported = true;
		fprintf(stderr,
			"refrain memo %s: the same key gave another value: the function depends on more than its key\n",
			m->name);
	}
}

void rf_memo_put(rf_memo *m, const void *key, const void *value)
{
	if (!m || m->mode == MODE_OFF)
		return;
	uint64_t hash = hash_key(m, key);
	lock(m);
	m->stats.puts++;
	uint32_t slot = find(m, hash, key);
	if (slot == CELL_FREE) {
		insert(m, hash, key, value);
	} else {
		if (m->mode == MODE_VERIFY)
			compare(m, slot, value);
		copy_value(m, key_in(m, slot) + m->key_size, value);
	}
	unlock(m);
}

void rf_memo_call(rf_memo *m, const void *key, void *value,
		  void (*compute)(void *context, const void *key, void *value), void *context)
{
	if (rf_memo_get(m, key, value))
		return;
	compute(context, key, value);
	rf_memo_put(m, key, value);
}

void rf_memo_forget(rf_memo *m, const void *key)
{
	if (!m)
		return;
	uint64_t hash = hash_key(m, key);
	lock(m);
	uint32_t slot = find(m, hash, key);
	if (slot != CELL_FREE) {
		unindex(m, slot);
		m->policy->drop(m->policy_state, slot);
	}
	unlock(m);
}

void rf_memo_clear(rf_memo *m)
{
	if (!m)
		return;
	lock(m);
	memset(m->policy_state, 0, m->policy->state_size(m->capacity));
	m->policy->init(m->policy_state, m->capacity, 0);
	if (m->cells)
		memset(m->cells, 0xff, (m->mask + 1) * sizeof *m->cells);
	memset(m->used, 0, m->capacity * sizeof *m->used);
	m->stats.entries = 0;
	unlock(m);
}

rf_memo_stats rf_memo_statistics(rf_memo *m)
{
	if (!m)
		return (rf_memo_stats){0};
	lock(m);
	rf_memo_stats s = m->stats;
	unlock(m);
	return s;
}

#ifdef RF_INVARIANTS
static bool is_used(const void *m, uint32_t slot)
{
	return ((const rf_memo *)m)->used[slot];
}

void memo_check(const rf_memo *m)
{
	size_t in_use = 0, indexed = 0, at;
	for (uint32_t slot = 0; slot < m->capacity; slot++) {
		if (!m->used[slot])
			continue;
		in_use++;
		INVARIANT(m->hash_of[slot] == hash_key(m, key_in(m, slot)));
		INVARIANT(find(m, m->hash_of[slot], key_in(m, slot)) == slot); /* so a key has one slot */
		struct cell c = {cells_fold(m->hash_of[slot]), slot};
		INVARIANT(!m->cells || cells_find(m->cells, m->mask, c, &at));
	}
	for (size_t i = 0; m->cells && i <= m->mask; i++)
		indexed += m->cells[i].ref != CELL_FREE;
	INVARIANT(in_use == m->stats.entries && (!m->cells || indexed == in_use));
	struct policy_slots s = {m->policy, m->policy_state, m->capacity, (uint32_t)in_use, is_used, m};
	void *copy = malloc(m->policy->state_size(m->capacity));
	unsigned char *seen = malloc(m->capacity);
	INVARIANT(copy && seen && policy_agrees(&s, copy, seen));
	free(copy);
	free(seen);
}
#endif
