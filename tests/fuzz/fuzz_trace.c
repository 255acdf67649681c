/* SPDX-License-Identifier: MIT */
/* All trace readers. The first byte chooses the format (0: found out by itself) and some options, the second the
 * others, the rest is the file, plain or compressed. What can be read must read the same again, and a reduction of
 * it must behave the same. */
#include "base/olr.h"
#include "base/sad.h"
#include "data/bigmem.h"
#include "data/idmap.h"
#include "stream/input.h"
#include "trace/simulate/simulate.h"
#include "data/vec.h"
#include "trace/format/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct keys {
	VEC_FIELDS(uint64_t);
};

static enum rc read_pairs(const uint8_t *data, size_t size, const struct trace_options *o, struct keys *out)
{
	struct err e = ERR_INIT;
	struct input *in;
	struct trace_reader *r;
	struct trace_block b;
	enum rc rc = input_open_memory(&in, data, size, "fuzz", &e);
	if (!rc)
		rc = trace_open_input(&r, in, "fuzz", o, &e);
	if (rc)
		return rc;
	while ((rc = trace_next(r, &b, &e)) == RC_OK && b.n)
		for (size_t i = 0; i < b.n; i++)
			vec_push(out, b.keys[i]);
	if (rc && !e.text[0])
		abort();
	trace_free(r);
	return rc;
}

static void collect(void *user, const uint64_t *keys, size_t n)
{
	struct keys *out = user;
	for (size_t i = 0; i < n; i++)
		vec_push(out, keys[i]);
}

static uint64_t lru_misses(const struct keys *t, uint64_t size)
{
	struct err e = ERR_INIT;
	struct sim *s;
	struct idmap map;
	uint32_t *ids = mem_alloc((t->n + 1) * sizeof *ids);
	struct sim_spec spec = {.policy = policy_find("lru"), .size = size};
	idmap_init(&map);
	if (sim_new(&s, &spec, &e) || idmap_map(&map, t->at, ids, t->n, &e))
		abort();
	sim_run(s, &(struct policy_refs){.id = ids, .n = t->n}, map.n);
	uint64_t misses = sim_misses(s).n;
	sim_free(s);
	idmap_release(&map);
	free(ids);
	return misses;
}

static void check_reduction(const struct keys *t, uint32_t k)
{
	struct keys olr_out = {0}, sad_out = {0};
	struct olr o;
	struct sad s;
	olr_init(&o, k, &base_heap, collect, &olr_out);
	sad_init(&s, k, &base_heap, collect, &sad_out);
	olr_feed(&o, t->at, t->n);
	sad_feed(&s, t->at, t->n);
	olr_finish(&o);
	sad_finish(&s);
	olr_release(&o);
	sad_release(&s);
	for (uint32_t size = k; size <= 2 * k; size += k)
		if (lru_misses(t, size) != lru_misses(&olr_out, size) ||
		    lru_misses(t, size) != lru_misses(&sad_out, size))
			abort();
	if (olr_out.n > sad_out.n)
		abort();
	vec_release_all(&olr_out, &sad_out);
}

static bool is(const struct trace_options *o, const char *format)
{
	return o->format && strcmp(o->format, format) == 0;
}

/* Options that a format has no use for are refused, so each gets its own. */
static struct trace_options options_of(unsigned first, unsigned bits)
{
	unsigned formats = 0;
	while (trace_format_name(formats))
		formats++;
	unsigned f = first % (formats + 1), more = first / (formats + 1);
	struct trace_options o = {
		.format = f ? trace_format_name(f - 1) : NULL,
		.all_columns = bits & 128,
		.strings = more & 4,
		.requests = more & 8,
		.unit = bits & 32 ? 512 : 0,
		.limit = bits & 64 ? 100 : 2000,
	};
	if (is(&o, "csv") || is(&o, "columns")) {
		o.header = bits & 1;
		o.no_header = more & 2;
		o.key = bits & 2 ? "2" : NULL;
		o.names = more & 1 ? "a,key,size,time" : NULL;
		o.column[COLUMN_SIZE] = bits & 4 ? "1" : NULL;
		o.column[COLUMN_COST] = bits & 128 ? "3" : NULL;
		o.delimiter = bits & 8 && is(&o, "csv") ? ";" : NULL;
	}
	if (is(&o, "jsonl")) {
		o.path = bits & 2 ? "a[]" : "k";
		o.column[COLUMN_SIZE] = bits & 4 ? "s" : NULL;
		o.column[COLUMN_TENANT] = bits & 8 ? "a[0].t" : NULL;
	}
	if (is(&o, "din") || is(&o, "lackey"))
		o.access = bits & 16 ? "data" : NULL;
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	unsigned bits = data[1];
	struct trace_options o = options_of(data[0], bits);
	struct keys one = {0}, two = {0};
	enum rc rc = read_pairs(data + 2, size - 2, &o, &one);
	if (read_pairs(data + 2, size - 2, &o, &two) != rc || one.n != two.n)
		abort();
	for (size_t i = 0; i < one.n; i++)
		if (one.at[i] != two.at[i])
			abort();
	if (!rc && one.n)
		check_reduction(&one, 1 + bits % 7);
	vec_release_all(&one, &two);
	return 0;
}
