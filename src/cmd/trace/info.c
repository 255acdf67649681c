/* SPDX-License-Identifier: MIT */
/* `refrain trace info`: what a trace is and what is in it. */
#include "cmd/trace/trace.h"

#include "data/idmap.h"
#include "data/text.h"

#include <stdio.h>
#include <string.h>

struct info_options {
	struct read_options read;
};

#define VALUES struct info_options

struct info {
	uint64_t references, distinct, bytes, min, max;
};

static enum rc scan(struct trace_run_state *s, struct trace_reader *r, struct info *i)
{
	static uint32_t ids[TRACE_BLOCK];
	struct trace_block b;
	struct idmap map;
	enum rc rc;
	idmap_init(&map);
	i->min = UINT64_MAX;
	while ((rc = trace_next(r, &b, &s->e)) == RC_OK && b.n &&
	       (rc = idmap_map(&map, b.keys, ids, b.n, &s->e)) == RC_OK) {
		if (!trace_tick(s, i->references)) {
			rc = err_set(&s->e, RC_STOPPED, "stopped");
			break;
		}
		i->references += b.n;
		for (size_t j = 0; j < b.n; j++) {
			i->min = b.keys[j] < i->min ? b.keys[j] : i->min;
			i->max = b.keys[j] > i->max ? b.keys[j] : i->max;
			i->bytes += b.sizes ? b.sizes[j] : 0;
		}
	}
	i->distinct = map.n;
	idmap_release(&map);
	return rc;
}

static void print(const struct trace_meta *m, const struct info *i)
{
	char source[1024];
	text_escape(m->source, strnlen(m->source, sizeof m->source), source, sizeof source);
	printf("format      %s%s\n", m->format, m->compressed ? ", compressed" : "");
	printf("references  %llu\ndistinct    %llu\n", (unsigned long long)i->references,
	       (unsigned long long)i->distinct);
	if (m->unit)
		printf("unit        %llu bytes\n", (unsigned long long)m->unit);
	bool more = false;
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (m->has[c])
			printf("%s%s", more ? ", " : "columns     ", keytrace_column_name(c));
		more |= m->has[c];
	}
	if (more)
		printf("\n");
	if (m->sizes)
		printf("bytes       %llu\n", (unsigned long long)i->bytes);
	if (i->references && !m->strings && !m->by_tenant)
		printf("keys        %llu … %llu\n", (unsigned long long)i->min, (unsigned long long)i->max);
	if (m->method != KEYTRACE_WHOLE) {
		printf("reduced     %s for k = %llu, from %llu references\n", keytrace_method_name(m->method),
		       (unsigned long long)m->k, (unsigned long long)m->original_requests);
		printf("exact for   LRU%s at sizes of at least %llu, any policy behind an LRU front of at least %llu\n",
		       m->method == KEYTRACE_SAD ? " and OPT" : "", (unsigned long long)m->k, (unsigned long long)m->k);
	}
	if (source[0])
		printf("source      %s\n", source);
}

static enum rc info(struct trace_run_state *s)
{
	struct info i = {0};
	const struct trace_meta *m = trace_meta(s->reader);
	enum rc rc = scan(s, s->reader, &i);
	if (rc)
		return rc;
	s->complete = !trace_limited(s->reader);
	if (!s->inv->common.json) {
		progress_hide(s->progress);
		print(m, &i);
		return RC_OK;
	}
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "info", s->inv->args.at[0]);
	trace_json_meta(w, m);
	json_kv_uint(w, "requests", i.references);
	json_kv_uint(w, "distinct", i.distinct);
	if (m->sizes)
		json_kv_uint(w, "bytes", i.bytes);
	json_kv_bool(w, "complete", s->complete);
	return cmd_json_end(s->inv, &doc, &s->e);
}

static enum rc check(struct trace_run_state *s)
{
	s->all_columns = true;
	return RC_OK;
}

TRACE_RUN_ON("reading", check, info)

const struct command cmd_trace_info = {
	COMMAND("trace info", "IN", "show what a trace is and what is in it", NULL),
	TRACE_OPTIONS(NULL, NULL),
	RUN(run, 0),
};
