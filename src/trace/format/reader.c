/* SPDX-License-Identifier: MIT */
/* The trace reader, see reader.h: asks the format (found by detect.c) for blocks, splits addresses into units, stops at
 * the limit. */
#include "trace/format/formats.h"

#include "base/bits.h"
#include "data/digest.h"
#include "data/mem.h"

#include <stdlib.h>
#include <string.h>

static bool wanted(const struct trace_reader *r, unsigned c)
{
	return c == COLUMN_SIZE || r->o.all_columns || r->o.column[c] || (c == COLUMN_REQUEST && r->o.requests) ||
	       (c == COLUMN_COST && r->o.costs) || (c == COLUMN_TENANT && r->o.by_tenant);
}

void trace_has(struct trace_reader *r, enum keytrace_column c)
{
	if (!wanted(r, c) || r->meta.has[c])
		return;
	r->meta.has[c] = true;
	r->column[c] = mem_alloc(TRACE_BLOCK * sizeof *r->column[c]);
}

/* Options that say where keys and columns are must not be passed over: the answer would be to another question. */
static enum rc check_options(const struct trace_reader *r, struct err *e)
{
	bool json = r->format == &format_jsonl, table = r->format == &format_csv || r->format == &format_columns;
	const char *unused = r->o.path && !json                                                       ? "path"
			     : r->o.key && !json && !table                                            ? "column"
			     : (r->o.header || r->o.no_header) && !table                              ? "header"
			     : r->o.names && !table                                                   ? "names"
			     : r->o.delimiter && r->format != &format_csv                             ? "delimiter"
			     : r->o.access && r->format != &format_din && r->format != &format_lackey ? "access"
												      : NULL;
	if (!unused)
		return RC_OK;
	return err_set(e, RC_INPUT, "%s: --%s has no meaning for the format %s%s", input_name(r->in), unused,
		       r->format->name, r->format == &format_text ? " (--format=columns reads tables)" : "");
}

static enum rc begin_format(struct trace_reader *r, const char *name, struct err *e)
{
	r->meta = (struct trace_meta){
		.format = r->format->name, .compressed = input_compressed(r->in), .ticks = r->format->ticks};
	r->default_delimiter = !r->o.delimiter;
	if (!r->o.delimiter)
		r->o.delimiter = strstr(name, ".tsv") ? "\t" : ",";
	r->scale = r->format->address_unit;
	for (unsigned c = 0; c < COLUMNS; c++)
		if (r->format->columns >> c & 1)
			trace_has(r, c);
	if (r->o.requests && r->format->requests)
		trace_has(r, COLUMN_REQUEST);
	return r->format->begin ? r->format->begin(r, e) : RC_OK;
}

/* Blocks of --unit have no sizes; everything else is that of the request they are parts of. */
static enum rc begin_split(struct trace_reader *r, struct err *e)
{
	if (r->meta.strings)
		return err_set(e, RC_INPUT, "%s: --unit needs numbers, but the keys are strings", trace_name(r));
	if (r->meta.has[COLUMN_COST])
		return err_set(e, RC_INPUT, "%s: --unit splits requests, but not what they cost", trace_name(r));
	r->meta.unit = r->o.unit;
	r->meta.sizes = false;
	for (unsigned c = 0; c < COLUMNS; c++)
		if (r->meta.has[c])
			r->out_column[c] = mem_alloc(TRACE_BLOCK * sizeof *r->out_column[c]);
	return RC_OK;
}

/* Keys become hashes of tenant and key, as strings do. */
static enum rc begin_by_tenant(struct trace_reader *r, struct err *e)
{
	if (!r->meta.has[COLUMN_TENANT])
		return err_set(e, RC_INPUT, "%s: --by-tenant needs tenants (--tenant-column says where they are)",
			       trace_name(r));
	if (r->meta.method != KEYTRACE_WHOLE)
		return err_set(e, RC_INPUT, "%s: --by-tenant cannot tell apart what the trace was reduced by",
			       trace_name(r));
	r->meta.by_tenant = true;
	return RC_OK;
}

enum rc trace_open_input(struct trace_reader **out, struct input *in, const char *name, const struct trace_options *o,
			 struct err *e)
{
	struct trace_reader *r = mem_zalloc(sizeof *r);
	r->in = in;
	if (o)
		r->o = *o;
	r->said = r->o.format != NULL;
	if (r->o.strings)
		r->tokens = TOKEN_STRING;
	enum rc rc = trace_find_format(r, name, e);
	if (!rc)
		rc = check_options(r, e);
	if (!rc)
		rc = begin_format(r, name, e);
	if (!rc && r->o.unit)
		rc = begin_split(r, e);
	if (!rc && r->o.by_tenant)
		rc = begin_by_tenant(r, e);
	if (rc)
		trace_free(r);
	else
		*out = r;
	return rc;
}

enum rc trace_open(struct trace_reader **out, const char *path, const struct trace_options *o, struct err *e)
{
	struct input *in;
	enum rc rc = input_open(&in, path, e);
	return rc ? rc : trace_open_input(out, in, path, o, e);
}

/* Splits requests into blocks of `unit` bytes: request i covers [key·address_unit, + size). */
static enum rc split(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	uint64_t unit = r->o.unit, scale = r->scale;
	size_t n = 0;
	while (r->at < r->block.n && n < TRACE_BLOCK) {
		unsigned __int128 from = (unsigned __int128)r->block.keys[r->at] * scale;
		uint64_t size = r->block.sizes && r->block.sizes[r->at] ? r->block.sizes[r->at] : 1;
		unsigned __int128 first = from / unit, last = (from + size - 1) / unit;
		if (last >> 64 || last - first > 1 << 24)
			return err_set(e, RC_INPUT, "%s: record %llu: the request is too large or too far",
				       trace_name(r), (unsigned long long)(r->records - r->block.n + r->at + 1));
		uint64_t block = (uint64_t)first + r->part;
		while (block <= (uint64_t)last && n < TRACE_BLOCK) {
			for (unsigned c = 0; c < COLUMNS; c++)
				if (r->out_column[c])
					r->out_column[c][n] = r->block.column[c][r->at];
			r->out_keys[n++] = block++;
		}
		r->part = block - (uint64_t)first;
		if (block > (uint64_t)last) {
			r->at++;
			r->part = 0;
		}
	}
	*b = (struct trace_block){.keys = r->out_keys, .n = n};
	for (unsigned c = 0; c < COLUMNS; c++)
		b->column[c] = r->out_column[c];
	return RC_OK;
}

static enum rc next_block(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	if (r->at == r->block.n) {
		r->block = (struct trace_block){.keys = r->keys};
		for (unsigned c = 0; c < COLUMNS; c++)
			r->block.column[c] = r->column[c];
		r->at = 0;
		enum rc rc = r->format->decode(r, e);
		if (rc)
			return rc;
		r->records += r->block.n;
	}
	if (r->o.unit)
		return split(r, b, e);
	*b = r->block;
	r->at = r->block.n;
	return RC_OK;
}

static void add_tenants(struct trace_reader *r, struct trace_block *b)
{
	for (size_t i = 0; i < b->n; i++) {
		uint64_t pair[] = {b->column[COLUMN_TENANT][i], b->keys[i]};
		r->out_keys[i] = hash64(pair, sizeof pair);
	}
	b->keys = r->out_keys;
}

/* Sizes and costs are added up by everybody: a sum of 64 bits must do. */
static enum rc add_up(struct trace_reader *r, const struct trace_block *b, struct err *e)
{
	static const enum keytrace_column summed[] = {COLUMN_SIZE, COLUMN_COST};
	for (size_t k = 0; k < ARRAY_LEN(summed); k++) {
		const uint64_t *value = b->column[summed[k]];
		for (size_t i = 0; value && i < b->n; i++)
			if (__builtin_add_overflow(r->sum[k], value[i], &r->sum[k]))
				return err_set(e, RC_INPUT, "%s: record %llu: the %ss up to here add up to too much",
					       trace_name(r), (unsigned long long)(r->references + i + 1),
					       keytrace_column_name(summed[k]));
	}
	return RC_OK;
}

enum rc trace_next(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	*b = (struct trace_block){0};
	if (r->o.limit && r->references == r->o.limit) {
		if (!r->limited) { /* one look ahead tells whether anything was left out */
			enum rc rc = next_block(r, b, e);
			if (rc)
				return rc;
			r->limited = b->n > 0;
			b->n = 0;
		}
		return RC_OK;
	}
	enum rc rc = next_block(r, b, e);
	if (rc)
		return rc;
	if (r->o.limit && b->n > r->o.limit - r->references) {
		b->n = (size_t)(r->o.limit - r->references);
		r->limited = true;
	}
	if (r->o.by_tenant)
		add_tenants(r, b);
	rc = add_up(r, b, e);
	r->references += b->n;
	return rc;
}

const struct trace_meta *trace_meta(const struct trace_reader *r)
{
	return &r->meta;
}

const char *trace_name(const struct trace_reader *r)
{
	return input_name(r->in);
}

bool trace_limited(const struct trace_reader *r)
{
	return r->limited;
}

double trace_position(const struct trace_reader *r)
{
	return r->in ? input_position(r->in) : -1;
}

void trace_free(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->format && r->format->end)
		r->format->end(r);
	input_free(r->in);
	for (unsigned c = 0; c < COLUMNS; c++) {
		free(r->column[c]);
		free(r->out_column[c]);
	}
	buf_release(&r->joined);
	free(r);
}
