/* SPDX-License-Identifier: MIT */
/* See coverage.h. */
#include "trace/coverage.h"

#include <string.h>

static enum rc refuse(const struct trace_meta *m, struct err *e, const char *what)
{
	return err_set(e, RC_INPUT,
		       "the trace was reduced with %s for k = %llu: %s (--approximate simulates it anyway)",
		       keytrace_method_name(m->method), (unsigned long long)m->k, what);
}

enum rc trace_covers(const struct trace_meta *m, const struct sim_spec *s, struct err *e)
{
	bool lru = strcmp(s->policy->name, "lru") == 0, opt = strcmp(s->policy->name, "opt") == 0;
	if (m->method == KEYTRACE_WHOLE)
		return RC_OK;
	if (s->by_bytes)
		return refuse(m, e, "a size in bytes is not covered");
	if (s->front && !lru)
		return s->front >= m->k ? RC_OK
					: refuse(m, e,
						 "a policy behind an LRU front is exact only when the front has at "
						 "least k blocks");
	if (!lru && !(opt && m->method == KEYTRACE_SAD))
		return refuse(m, e,
			      m->method == KEYTRACE_OLR ? "it is exact for LRU only"
							: "it is exact for LRU and OPT only");
	if (s->size < m->k)
		return refuse(m, e, "it is exact only for sizes of at least k");
	return RC_OK;
}
