/* SPDX-License-Identifier: MIT */
/* What a look-up in a memo table of <refrain/memo.h> costs on this machine, in instructions and in nanoseconds.
 * `refrain profile` runs it, so the figures are those of the library that a suggested cache would use.
 *
 * One line per kind and key size: KIND KEY-BYTES HIT-INSTRUCTIONS HIT-NS MISS-INSTRUCTIONS MISS-NS; a miss is
 * the get that misses and the put that follows. Instructions are counted by running with the trap flag set: one signal
 * for each; time is the best of several rounds, over keys in turn so that the policy has something to do. */
#include <refrain/memo.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, LARGEST = 256, VALUE = 8 };

static volatile uint64_t steps;

static void on_step(int signal)
{
	(void)signal;
	steps++;
}

#ifdef __x86_64__
#define TRAP_ON() __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc")
#define TRAP_OFF() __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc")
#else
#define TRAP_ON() ((void)0)
#define TRAP_OFF() ((void)0)
#endif

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct subject {
	rf_memo *memo;
	bool (*get)(rf_memo *m, const void *key, uint64_t *value);
	void (*put)(rf_memo *m, const void *key, const uint64_t *value);
	unsigned char key[LARGEST];
	size_t key_bytes;
};

static void set_key(struct subject *s, uint64_t n)
{
	memcpy(s->key, &n, sizeof n < s->key_bytes ? sizeof n : s->key_bytes);
}

/* As suggested code does it: the size of the key is known to the compiler. */
#define SIZED(n)                                                                                                       \
	static bool get_##n(rf_memo *m, const void *key, uint64_t *value)                                              \
	{                                                                                                              \
		return RF_MEMO_GET(m, (const unsigned char(*)[n])key, value);                                          \
	}                                                                                                              \
	static void put_##n(rf_memo *m, const void *key, const uint64_t *value)                                        \
	{                                                                                                              \
		RF_MEMO_PUT(m, (const unsigned char(*)[n])key, value);                                                 \
	}
static bool get_nothing(rf_memo *m, const void *key, uint64_t *value)
{
	(void)m;
	(void)key;
	return *value != 0;
}

SIZED(16)
SIZED(64)
SIZED(256)

static void put(struct subject *s, uint64_t n)
{
	uint64_t value = n;
	set_key(s, n);
	s->put(s->memo, s->key, &value);
}

/* Instructions of one look-up; what switching the trap flag and the call take is that of an empty measurement. */
static uint64_t count(struct subject *s, bool hit)
{
	uint64_t value = 0, empty;
	bool (*volatile nothing)(rf_memo *, const void *, uint64_t *) = get_nothing;
	volatile bool found;
	steps = 0;
	TRAP_ON();
	found = nothing(s->memo, s->key, &value);
	TRAP_OFF();
	empty = steps;
	steps = 0;
	TRAP_ON();
	found = s->get(s->memo, s->key, &value);
	if (!hit)
		s->put(s->memo, s->key, &value);
	TRAP_OFF();
	return found == hit && steps > empty ? steps - empty : 0;
}

static double time_of(struct subject *s, unsigned entries, bool hit)
{
	unsigned n = hit ? 4000 : 1000;
	double best = 1e9;
	uint64_t value = 0, fresh = 1u << 30;
	for (int r = 0; r < ROUNDS; r++) {
		double start = seconds();
		for (unsigned i = 0; i < n; i++) {
			/* all of a large table, in no order that the processor could foresee */
			set_key(s, hit ? ((uint64_t)r * n + i) * 2654435761u % entries : fresh++);
			if (!s->get(s->memo, s->key, &value) && !hit)
				s->put(s->memo, s->key, &value);
		}
		double took = (seconds() - start) / n;
		if (took < best)
			best = took;
	}
	return best * 1e9;
}

static void measure(const char *name, enum rf_memo_kind kind, unsigned entries, size_t key_bytes)
{
	static struct subject s;
	memset(&s, 0, sizeof s);
	s.key_bytes = key_bytes;
	s.get = key_bytes == 16 ? get_16 : key_bytes == 64 ? get_64 : get_256;
	s.put = key_bytes == 16 ? put_16 : key_bytes == 64 ? put_64 : put_256;
	s.memo = rf_memo_new(&(rf_memo_config){
		.name = "lookup", .kind = kind, .entries = entries, .key_size = key_bytes, .value_size = VALUE});
	if (!s.memo)
		exit(3);
	/* a direct-mapped table loses what collides: hits are of one key only */
	unsigned keys = kind == RF_MEMO_LRU ? entries : 1;
	for (unsigned i = 0; i < keys; i++)
		put(&s, i);
	set_key(&s, 0);
	uint64_t hit = count(&s, true);
	double hit_ns = time_of(&s, keys, true);
	set_key(&s, (uint64_t)1 << 40);
	uint64_t miss = count(&s, false);
	printf("%s %zu %llu %.1f %llu %.1f\n", name, key_bytes, (unsigned long long)hit, hit_ns,
	       (unsigned long long)miss, time_of(&s, keys, false));
	rf_memo_free(s.memo);
}

int main(void)
{
	static const size_t sizes[] = {16, 64, LARGEST};
	struct sigaction sa = {.sa_handler = on_step};
	unsetenv("RF_MEMO");
	unsetenv("RF_MEMO_KEYS");
	sigaction(SIGTRAP, &sa, NULL);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		measure("single", RF_MEMO_SINGLE, 1, sizes[i]);
		measure("lru", RF_MEMO_LRU, 64, sizes[i]);
		measure("large", RF_MEMO_LRU, 16384, sizes[i]);
	}
	return fflush(stdout) ? 3 : 0;
}
