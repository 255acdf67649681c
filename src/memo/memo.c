/* SPDX-License-Identifier: MIT */
/* Memo tables (refrain/memo.h): modes, locks, and tables of several parts.
 *
 * A table is one memo_table, or a front for several: parts with a lock each, chosen by the key's hash
 * (thread_safe), or one part per thread, made at the thread's first call (per_thread). Only a table that is
 * neither, in the normal mode and without a key stream, may be looked up inline by the header. libc only. */
#include "refrain/memo.h"

#include "memo/check.h"
#include "memo/table.h"
#include "runtime/keys/keys.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { MODE_ON, MODE_OFF, MODE_VERIFY, MODE_STATS };
/* a part has at least 64 entries */
enum { PARTS = 16, DIVIDED_FROM = 256, NAME_BYTES = 64 };

struct rf_memo {
	struct memo_table table; /* first: the header looks into its view. A front's own is empty but for sizes */
	enum mode mode;
	bool locked, reported;
	pthread_mutex_t lock;
	rf_memo_stats stats; /* but for what the table counts itself */
	void *unkept;        /* mode off with destroy: the value put last */
	bool (*equal)(const void *a, const void *b);
	struct rt_keys *keys;

	/* a front */
	rf_memo **part; /* thread_safe: PARTS of them */
	rf_memo_config config;
	bool per_thread;
	pthread_key_t own; /* per_thread: the calling thread's part */
	rf_memo *threads;  /* its parts, linked by next_thread, under lock */
	uint32_t version;  /* of the front, atomic */
	/* a part of one thread */
	rf_memo *front, *next_thread;
	uint32_t seen; /* of the front's versions */

	char name[NAME_BYTES];
	rf_memo *next, **link; /* tables with something to do at exit */
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

static void print_stats(rf_memo *m)
{
	rf_memo_stats s = rf_memo_statistics(m);
	fprintf(stderr,
		"refrain memo %s: %llu gets, %llu hits (%.1f %%), %llu evictions, %llu conflicts, %zu entries, %zu "
		"bytes\n",
		m->name, (unsigned long long)s.gets, (unsigned long long)s.hits,
		s.gets ? 100.0 * (double)s.hits / (double)s.gets : 0.0, (unsigned long long)s.evictions,
		(unsigned long long)s.conflicts, s.entries, s.bytes);
}

static bool reports_at_exit(const rf_memo *m)
{
	return m->mode == MODE_STATS || m->mode == MODE_VERIFY;
}

/* Tables are often static and never freed: their streams and statistics end with the program. */
static void at_exit(void)
{
	pthread_mutex_lock(&exit_lock);
	for (rf_memo *m = exit_list; m; m = m->next) {
		rt_keys_close(m->keys);
		m->keys = NULL;
		if (reports_at_exit(m))
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

static inline void lock(rf_memo *m)
{
	if (m->locked)
		pthread_mutex_lock(&m->lock);
}

static inline void unlock(rf_memo *m)
{
	if (m->locked)
		pthread_mutex_unlock(&m->lock);
}

/* ---- making and freeing */

/* One table, or a part of one. */
static rf_memo *make(const rf_memo_config *config, enum mode mode)
{
	rf_memo *m = calloc(1, sizeof *m);
	if (!m || !memo_table_init(&m->table, config)) {
		free(m);
		return NULL;
	}
	m->mode = mode;
	m->equal = config->equal;
	m->table.view.sizes =
		config->key_size == RF_MEMO_ANY_LENGTH ? 0 : rf_memo_sizes(config->key_size, config->value_size);
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

static void release(rf_memo *m)
{
	if (m->unkept) {
		m->table.destroy(m->unkept);
		free(m->unkept);
	}
	memo_table_release(&m->table);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static void add_stats(rf_memo_stats *sum, const rf_memo *m)
{
	const struct memo_table *t = &m->table;
	/* the thread of a part may be counting meanwhile */
	uint64_t inlined = __atomic_load_n(&t->view.hits, __ATOMIC_RELAXED);
	sum->gets += inlined + __atomic_load_n(&t->view.misses, __ATOMIC_RELAXED);
	sum->gets += __atomic_load_n(&m->stats.gets, __ATOMIC_RELAXED);
	sum->hits += __atomic_load_n(&m->stats.hits, __ATOMIC_RELAXED) + inlined;
	sum->puts += __atomic_load_n(&m->stats.puts, __ATOMIC_RELAXED);
	sum->conflicts += __atomic_load_n(&m->stats.conflicts, __ATOMIC_RELAXED);
	sum->evictions += __atomic_load_n(&t->evictions, __ATOMIC_RELAXED);
	sum->entries += __atomic_load_n(&t->live, __ATOMIC_RELAXED);
	sum->bytes += sizeof *m + t->block_bytes + __atomic_load_n(&t->key_bytes, __ATOMIC_RELAXED);
}

/* A thread ends: what its part counted stays, the part goes. */
static void thread_ends(void *part)
{
	rf_memo *m = part, *front = m->front;
	pthread_mutex_lock(&front->lock);
	for (rf_memo **at = &front->threads; *at; at = &(*at)->next_thread)
		if (*at == m) {
			*at = m->next_thread;
			break;
		}
	rf_memo_stats s = front->stats;
	add_stats(&front->stats, m);
	front->stats.entries = s.entries;
	front->stats.bytes = s.bytes;
	pthread_mutex_unlock(&front->lock);
	release(m);
}

/* Makes m the front of several tables; false when there is no memory for them. */
static bool make_parts(rf_memo *m, const rf_memo_config *config)
{
	rf_memo_config c = *config;
	c.entries = (config->entries + PARTS - 1) / PARTS;
	m->part = calloc(PARTS, sizeof(rf_memo *));
	for (int i = 0; m->part && i < PARTS; i++) {
		m->part[i] = make(&c, m->mode);
		if (!m->part[i])
			return false;
		m->part[i]->locked = true;
	}
	return m->part != NULL;
}

static void free_parts(rf_memo *m)
{
	for (int i = 0; m->part && i < PARTS; i++)
		if (m->part[i])
			release(m->part[i]);
	free(m->part);
	m->part = NULL;
	if (m->per_thread)
		pthread_key_delete(m->own);
	for (rf_memo *next; m->threads; m->threads = next) {
		next = m->threads->next_thread;
		release(m->threads);
	}
}

static bool is_divided(const rf_memo_config *c)
{
	return c->thread_safe && !c->per_thread && c->kind != RF_MEMO_SINGLE && c->entries >= DIVIDED_FROM;
}

rf_memo *rf_memo_new(const rf_memo_config *config)
{
	if (!config || (config->thread_safe && !config->per_thread && config->destroy))
		return NULL;
	/* a front has no entries of its own, but its configuration is checked by making a small table */
	rf_memo_config own = *config;
	if (is_divided(config) || (config->per_thread && config->entries))
		own.entries = 1;
	rf_memo *m = make(&own, mode_from_environment());
	if (!m)
		return NULL;
	snprintf(m->name, sizeof m->name, "%s", config->name ? config->name : "memo");
	m->config = *config;
	m->locked = config->thread_safe || config->per_thread;
	m->per_thread = config->per_thread && pthread_key_create(&m->own, thread_ends) == 0;
	if ((config->per_thread && !m->per_thread) || (is_divided(config) && !make_parts(m, config))) {
		free_parts(m);
		release(m);
		return NULL;
	}
	const char *folder = getenv("RF_MEMO_KEYS");
	if (folder)
		m->keys = rt_keys_open(folder, m->name);
	if (m->keys || reports_at_exit(m))
		list_for_exit(m);
	if (!m->locked && !m->keys && (m->mode == MODE_ON || m->mode == MODE_STATS))
		m->table.view.inline_sizes = m->table.view.sizes;
	return m;
}

void rf_memo_free(rf_memo *m)
{
	if (!m)
		return;
	unlist(m);
	rt_keys_close(m->keys);
	if (reports_at_exit(m))
		print_stats(m);
	free_parts(m);
	release(m);
}

/* The calling thread's part; NULL when there is no memory for it. */
static rf_memo *own_part(rf_memo *m)
{
	rf_memo *part = pthread_getspecific(m->own);
	uint32_t version = __atomic_load_n(&m->version, __ATOMIC_ACQUIRE);
	if (!part) {
		part = make(&m->config, m->mode);
		if (!part || pthread_setspecific(m->own, part) != 0) {
			if (part)
				release(part);
			return NULL;
		}
		part->front = m;
		part->seen = version;
		pthread_mutex_lock(&m->lock);
		part->next_thread = m->threads;
		m->threads = part;
		pthread_mutex_unlock(&m->lock);
	}
	if (part->seen != version) {
		memo_table_bump(&part->table);
		part->seen = version;
	}
	return part;
}

/* The table that holds the key, if one does. */
static inline rf_memo *table_for(rf_memo *m, uint64_t hash)
{
	if (m->part)
		return m->part[hash % PARTS];
	return m->per_thread ? own_part(m) : m;
}

/* ---- using */

static bool fits(const rf_memo *m, size_t n)
{
	return m->table.key_size == n || (m->table.key_size == RF_MEMO_ANY_LENGTH && n <= UINT32_MAX);
}

static inline void count(uint64_t *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

static void add_key(rf_memo *m, uint64_t hash)
{
	lock(m);
	rt_keys_add(m->keys, hash);
	unlock(m);
}

static inline bool get(rf_memo *m, const void *key, size_t n, void *value)
{
	uint64_t hash = rf_memo_hash(key, n);
	if (UNLIKELY(m->keys != NULL))
		add_key(m, hash);
	m = table_for(m, hash);
	if (!m)
		return false;
	bool hit = false;
	lock(m);
	count(&m->stats.gets);
	uint32_t slot = UNLIKELY(m->mode == MODE_OFF) ? CELL_FREE : memo_table_find(&m->table, hash, key, n);
	if (slot != CELL_FREE) {
		memo_table_hit(&m->table, slot);
		count(&m->stats.hits);
		/* when verifying, the hit is counted but the caller computes: put compares */
		hit = m->mode != MODE_VERIFY;
		if (hit && m->table.value_size)
			memcpy(value, memo_table_value(&m->table, slot), m->table.value_size);
	}
	unlock(m);
	return hit;
}

bool rf_memo_get(rf_memo *m, const void *key, void *value)
{
	return m && m->table.key_size != RF_MEMO_ANY_LENGTH && get(m, key, m->table.key_size, value);
}

bool rf_memo_get_bytes(rf_memo *m, const void *key, size_t n, void *value)
{
	return m && fits(m, n) && get(m, key, n, value);
}

static void compare(rf_memo *front, rf_memo *m, uint32_t slot, const void *value)
{
	const void *old = memo_table_value(&m->table, slot);
	if (m->table.value_size == 0 || memcmp(old, value, m->table.value_size) == 0 ||
	    (m->equal && m->equal(old, value)))
		return;
	count(&m->stats.conflicts);
	if (!__atomic_exchange_n(&front->reported, true, __ATOMIC_RELAXED))
		fprintf(stderr,
			"refrain memo %s: the same key gave another value: the function depends on more than its key\n",
			front->name);
}

/* Mode off: the table owns the value all the same, until the next one. */
static void keep_nothing(rf_memo *m, const void *value)
{
	if (!m->table.destroy || !m->table.value_size)
		return;
	lock(m);
	if (m->unkept)
		m->table.destroy(m->unkept);
	else
		m->unkept = malloc(m->table.value_size);
	if (m->unkept)
		memcpy(m->unkept, value, m->table.value_size);
	unlock(m);
}

static void put(rf_memo *front, const void *key, size_t n, const void *value)
{
	uint64_t hash = rf_memo_hash(key, n);
	rf_memo *m = table_for(front, hash);
	if (!m)
		return;
	if (m->mode == MODE_OFF) {
		keep_nothing(m, value);
		return;
	}
	lock(m);
	count(&m->stats.puts);
	if (m->mode == MODE_VERIFY) {
		uint32_t slot = memo_table_find(&m->table, hash, key, n);
		if (slot != CELL_FREE)
			compare(front, m, slot, value);
	}
	memo_table_put(&m->table, hash, key, n, value);
	unlock(m);
}

void rf_memo_put(rf_memo *m, const void *key, const void *value)
{
	if (m && m->table.key_size != RF_MEMO_ANY_LENGTH)
		put(m, key, m->table.key_size, value);
}

void rf_memo_put_bytes(rf_memo *m, const void *key, size_t n, const void *value)
{
	if (m && fits(m, n))
		put(m, key, n, value);
}

void rf_memo_call(rf_memo *m, const void *key, void *value,
		  void (*compute)(void *context, const void *key, void *value), void *context)
{
	if (rf_memo_get(m, key, value))
		return;
	compute(context, key, value);
	rf_memo_put(m, key, value);
}

void rf_memo_forget_bytes(rf_memo *m, const void *key, size_t n)
{
	if (!m || !fits(m, n))
		return;
	/* other threads' parts cannot be searched while they are used */
	if (m->per_thread) {
		rf_memo_bump(m);
		return;
	}
	uint64_t hash = rf_memo_hash(key, n);
	m = table_for(m, hash);
	lock(m);
	memo_table_forget(&m->table, hash, key, n);
	unlock(m);
}

void rf_memo_forget(rf_memo *m, const void *key)
{
	if (m && m->table.key_size != RF_MEMO_ANY_LENGTH)
		rf_memo_forget_bytes(m, key, m->table.key_size);
}

/* Applies to every table but other threads' parts, which notice the front's version. */
static void on_all(rf_memo *m, void (*change)(struct memo_table *))
{
	if (!m)
		return;
	for (int i = 0; m->part && i < PARTS; i++)
		on_all(m->part[i], change);
	if (m->per_thread) {
		__atomic_add_fetch(&m->version, 1, __ATOMIC_RELEASE);
		rf_memo *part = own_part(m);
		if (part)
			change(&part->table);
		return;
	}
	lock(m);
	change(&m->table);
	unlock(m);
}

void rf_memo_clear(rf_memo *m)
{
	on_all(m, memo_table_clear);
}

void rf_memo_bump(rf_memo *m)
{
	on_all(m, memo_table_bump);
}

rf_memo_stats rf_memo_statistics(rf_memo *m)
{
	rf_memo_stats s = {0};
	if (!m)
		return s;
	lock(m);
	add_stats(&s, m);
	for (rf_memo *part = m->threads; part; part = part->next_thread)
		add_stats(&s, part);
	unlock(m);
	for (int i = 0; m->part && i < PARTS; i++) {
		lock(m->part[i]);
		add_stats(&s, m->part[i]);
		unlock(m->part[i]);
	}
	return s;
}

#ifdef RF_INVARIANTS
void memo_check(const rf_memo *m)
{
	memo_table_check(&m->table);
	for (int i = 0; m->part && i < PARTS; i++)
		memo_table_check(&m->part[i]->table);
	for (const rf_memo *part = m->threads; part; part = part->next_thread)
		memo_table_check(&part->table);
}
#endif
