/* SPDX-License-Identifier: MIT */
/* <refrain/reduce.h>: one text, tested by the caller's function, reduced by run/in_process.c. The original is the first
 * query; its text is remembered like any other. */
#include "refrain/reduce.h"

#include "base/invariant.h"
#include "data/library.h"
#include "reduce/model/load.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

/* What the first version of the options had. */
#define FIRST_SIZE offsetof(rf_reduce_options, jobs)
#define MAX_JOBS 1024

struct rf_reduction {
	struct buf text;
	uint64_t queries, cache_hits;
	bool complete;
};

/* What the callbacks of one call share. */
struct call {
	const rf_reduce_options *options;
	struct in_process run;
	struct buf text; /* scratch */
};

static int ask_in_thread(void *user, const struct buf *text)
{
	const struct call *c = user;
	return c->options->interesting(c->options->user, buf_str(text), text->n);
}

static void tell_progress(void *user, const struct model *m)
{
	struct call *c = user;
	buf_clear(&c->text);
	model_print_minimum(m, 0, &c->text);
	if (c->options->progress(c->options->user, buf_str(&c->text), c->text.n, c->run.queries) != 0)
		c->run.stop = true;
}

static bool ask_caller(void *user, const struct buf *text)
{
	struct call *c = user;
	int answer = c->options->interesting(c->options->user, buf_str(text), text->n);
	c->run.stop = c->run.stop || answer < 0;
	return answer > 0;
}

/* The rows that the options name. */
static enum rc choose(const rf_reduce_options *o, struct in_process *p, const struct language **lang, struct err *e)
{
	p->algorithm = o->algorithm ? algorithm_find(o->algorithm) : algorithms[0];
	p->cache = o->cache ? verdicts_find(o->cache) : verdicts_kinds[0];
	*lang = o->language ? language_find(o->language) : NULL;
	if (!p->algorithm)
		return err_set(e, RC_INPUT, "unknown algorithm '%s'", o->algorithm);
	if (!p->cache)
		return err_set(e, RC_INPUT, "unknown cache '%s'", o->cache);
	if (o->language && !*lang)
		return err_set(e, RC_INPUT, "unknown language '%s'", o->language);
	if (o->jobs > MAX_JOBS)
		return err_set(e, RC_INPUT, "too many jobs: %u", o->jobs);
	return RC_OK;
}

static enum rc reduce_text(struct call *c, const struct source *src, rf_reduction *r, struct err *e)
{
	struct model m = {0};
	enum rc rc = model_load(&m, src, 1, e);
	if (rc == RC_OK)
		rc = reduce_in_process(&c->run, &m, e);
	if (rc == RC_OK) {
		model_print_minimum(&m, 0, &r->text);
		r->queries = c->run.queries;
		r->cache_hits = c->run.hits;
		r->complete = c->run.complete;
	}
	model_unload(&m);
	return rc;
}

static enum rc reduce_call(const char *text, size_t n, const rf_reduce_options *options, rf_reduction **out,
			   struct err *e)
{
	rf_reduce_options all = {0};
	struct call c = {.options = &all};
	struct source src = {.name = "text", .text = text, .n = n};
	/* a program that was compiled with an older header has fewer fields */
	if (options && options->size >= FIRST_SIZE)
		memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
	options = &all;
	if (!options->interesting || (!text && n))
		return err_set(e, RC_INPUT, "rf_reduce needs a text, options with their size, and a test");
	enum rc rc = choose(options, &c.run, &src.language, e);
	if (rc != RC_OK)
		return rc;
	if (!text)
		src.text = "";
	if (!src.language)
		src.language = language_detect(NULL, src.text, n);
	c.run.interesting_text = ask_caller;
	c.run.any_grain = !options->language || src.language->grammar;
	c.run.user = &c;
	c.run.seed = options->seed;
	c.run.max_queries = options->max_queries;
	c.run.jobs = options->jobs;
	if (options->jobs > 1) {
		c.run.interesting_in_thread = ask_in_thread;
		c.run.clock = CLOCK_UNIT;
	}
	if (options->progress)
		c.run.minimum = tell_progress;
	rf_reduction *r = mem_zalloc(sizeof *r);
	rc = reduce_text(&c, &src, r, e);
	if (rc == RC_OK)
		*out = r;
	else
		rf_reduction_free(r);
	buf_release(&c.text);
	return rc;
}

rf_status rf_reduce(const char *text, size_t n, const rf_reduce_options *options, rf_reduction **out, rf_error *error)
{
	struct err e = ERR_INIT;
	*out = NULL;
	enum rc rc = reduce_call(text, n, options, out, &e);
	INVARIANT((rc == RC_OK) == (*out != NULL));
	return library_status(rc, &e, error);
}

const char *rf_reduction_text(const rf_reduction *r, size_t *n)
{
	if (n)
		*n = r->text.n;
	return buf_str(&r->text);
}

int rf_reduction_complete(const rf_reduction *r)
{
	return r->complete;
}

uint64_t rf_reduction_queries(const rf_reduction *r)
{
	return r->queries;
}

uint64_t rf_reduction_cache_hits(const rf_reduction *r)
{
	return r->cache_hits;
}

void rf_reduction_free(rf_reduction *r)
{
	if (!r)
		return;
	buf_release(&r->text);
	free(r);
}
