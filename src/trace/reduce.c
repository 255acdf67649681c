/* SPDX-License-Identifier: MIT */
/* See reduce.h. */
#include "trace/reduce.h"

#include "base/olr.h"
#include "base/sad.h"
#include "data/bigmem.h"

struct sink {
	struct trace_writer *w;
	bool failed;
};

static void emit(void *user, const uint64_t *keys, size_t n)
{
	struct sink *s = user;
	if (!s->failed && !trace_write(s->w, &(struct trace_block){.keys = keys, .n = n}))
		s->failed = true;
}

enum rc trace_reduce(struct trace_reader *r, struct trace_writer *w, struct reduction *d, struct err *e)
{
	struct sink sink = {w, false};
	bool use_olr = d->method == KEYTRACE_OLR, fed = true;
	struct trace_block b;
	enum rc rc;
	struct olr olr;
	struct sad sad;
	olr_init(&olr, d->k, &base_heap, emit, &sink);
	sad_init(&sad, d->k, &base_heap, emit, &sink);
	while ((rc = trace_next(r, &b, e)) == RC_OK && b.n && fed && !sink.failed) {
		if (d->tick && !d->tick(d->user, d->in)) {
			rc = err_set(e, RC_STOPPED, "stopped");
			break;
		}
		fed = use_olr ? olr_feed(&olr, b.keys, b.n) : sad_feed(&sad, b.keys, b.n);
		d->in += b.n;
	}
	if (!fed && !rc)
		rc = err_set(e, RC_INPUT, "too many blocks for k = %u", d->k);
	if (!rc) {
		olr_finish(&olr);
		sad_finish(&sad);
	}
	d->out = use_olr ? olr_produced(&olr) : sad.out.total;
	d->misses = olr.misses;
	d->longest_window = (uint32_t)olr.run.longest_window;
	olr_release(&olr);
	sad_release(&sad);
	return rc;
}
