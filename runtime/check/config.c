/* SPDX-License-Identifier: MIT */
/* RF_CHECK: what to do about violations and which engine to use, looked at before main and read when the first check
 * happens. */
#include "base/policy.h"
#include "runtime/check/inside/rt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALLOWED                                                                                                        \
	"  allowed are abort, warn, count, off, stats, sample=N, json=FILE, violations=FILE, keys=FOLDER, "            \
	"paranoid=N, engine=marks|cache|none,\n"                                                                       \
	"  policy=lru|direct, size=1..65536, depth=N|inf, separated by commas\n"

static const struct rt_config defaults = {.mode = MODE_ABORT, .engine = ENGINE_MARKS, .size = 256, .depth = 2};
struct rt_config rt_config;
uint64_t rt_skipped;
static bool no_watch; /* there is no room for the watch map: stores would go unseen */

static bool is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && memcmp(word, name, n) == 0;
}

static bool number(const char *s, size_t n, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	if (!n || n > 12)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	*out = v;
	return v <= max;
}

static bool path(char *out, size_t size, const char *s, size_t n)
{
	if (!n || n >= size)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

static bool set_value(struct rt_config *c, const char *key, size_t k, const char *s, size_t n)
{
	uint64_t v;
	if (is(key, k, "engine")) {
		c->engine = is(s, n, "a") || is(s, n, "cache") ? ENGINE_CACHE
			    : is(s, n, "none")                 ? ENGINE_NONE
							       : ENGINE_MARKS;
		return c->engine != ENGINE_MARKS || is(s, n, "b") || is(s, n, "marks");
	}
	if (is(key, k, "policy")) {
		c->policy = policy_find(is(s, n, "lru")                        ? "lru"
					: is(s, n, "direct") || is(s, n, "dm") ? "direct"
									       : "?");
		return c->policy != NULL;
	}
	if (is(key, k, "size")) {
		bool ok = number(s, n, 65536, &v) && v;
		c->size = ok ? (uint32_t)v : c->size;
		return ok;
	}
	if (is(key, k, "depth")) {
		bool ok = is(s, n, "inf") ? (v = 0, true) : number(s, n, UINT32_MAX - 1, &v) && v;
		c->depth = ok ? (uint32_t)v : c->depth;
		return ok;
	}
	if (is(key, k, "paranoid"))
		return number(s, n, UINT64_MAX, &c->paranoid);
	if (is(key, k, "sample"))
		return number(s, n, UINT32_MAX, &c->sample) && c->sample;
	if (is(key, k, "violations"))
		return path(c->violations, sizeof c->violations, s, n);
	if (is(key, k, "json"))
		return path(c->json, sizeof c->json, s, n);
	if (is(key, k, "keys"))
		return path(c->keys, sizeof c->keys, s, n);
	return false;
}

static bool set_word(struct rt_config *c, const char *s, size_t n)
{
	static const char *const modes[] = {"abort", "warn", "count", "off"};
	for (unsigned i = 0; i < ARRAY_LEN(modes); i++)
		if (is(s, n, modes[i])) {
			c->mode = (enum rt_mode)i;
			return true;
		}
	if (is(s, n, "stats"))
		return c->stats = true;
	const char *eq = memchr(s, '=', n);
	return eq && set_value(c, s, (size_t)(eq - s), eq + 1, n - (size_t)(eq + 1 - s));
}

/* NULL, or the word that is wrong. */
static const char *parse(struct rt_config *c, const char *words)
{
	*c = defaults;
	c->policy = policy_find("lru");
	const char *wrong = NULL;
	while (words && *words) {
		size_t n = strcspn(words, ",");
		if (n && !set_word(c, words, n) && !wrong)
			wrong = words;
		words += n + (words[n] == ',');
	}
	return wrong;
}

void rt_start(void)
{
	static bool started;
	if (LIKELY(started))
		return;
	started = true;
	if (!rt_config.policy) /* not configured by a call; look_for_off has seen that the words are right */
		parse(&rt_config, getenv("RF_CHECK"));
	no_watch = !rt_watch_start();
	if (no_watch)
		rt_out_of_memory();
	rt_ranges_refresh();
	atexit(rt_exit_report);
}

static int on(const struct rt_config *c)
{
	return c->mode == MODE_OFF ? 0 : c->sample > 1 ? 2 : 1;
}

/* Before main: a program is not run with settings that were not understood, and "off" costs one load per call from the
 * start. */
__attribute__((constructor)) static void look_at_words(void)
{
	struct rt_config c;
	const char *wrong = parse(&c, getenv("RF_CHECK"));
	if (wrong) {
		rt_say("refrain: RF_CHECK: unknown word '%.*s'\n" ALLOWED, (int)strcspn(wrong, ","), wrong);
		_exit(2);
	}
	rf_check_on = on(&c);
	if (!rf_check_on)
		rf_shadow_used = 0;
	rt_sites_update();
}

int rf_check_skip(void)
{
	static uint64_t calls;
	if (rf_check_on != 2)
		return !rf_check_on;
	rt_start();
	bool skip = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % rt_config.sample != 0;
	if (skip)
		__atomic_fetch_add(&rt_skipped, 1, __ATOMIC_RELAXED);
	return skip;
}

int rf_check_configure(const char *words)
{
	struct rt_config c;
	if (parse(&c, words) || !rt_enter())
		return -1;
	rt_marks_drop();
	rt_cache_drop();
	rt_config = c;
	rt_types_changed = true;
	memset(&rt_stats, 0, sizeof rt_stats);
	rf_check_on = on(&c);
	rt_skipped = 0;
	rt_start();
	if (no_watch)
		rf_check_on = 0;
	rt_sites_update();
	rt_leave();
	return no_watch ? -1 : 0;
}
