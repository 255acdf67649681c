/* SPDX-License-Identifier: MIT */
/* `refrain profile --suggest` and `--try`: the patch, and what it gave, beside what was predicted. */
#include "cmd/profile.h"

#include "data/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct profile_function *find(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_ranking; i++) {
		const struct profile_function *f = &p->fn.at[p->ranking[i]];
		if (profile_same_function(f->name, name))
			return f;
	}
	return NULL;
}

static enum rc suggest_one(const struct profile *p, const char *function, const char *root, struct err *e)
{
	const struct profile_function *f = find(p, function);
	struct suggestion s;
	char real[PATH_MAX];
	if (!f)
		return err_set(e, RC_NO, "no code for %s: it was not called", function);
	enum rc rc = suggest_make(&s, p, f, realpath(root, real) ? real : root, e);
	if (!rc && fwrite(s.patch.at, 1, s.patch.n, stdout) != s.patch.n)
		rc = err_set(e, RC_ENV, "cannot write to standard output");
	suggest_release(&s);
	return rc;
}

enum rc profile_suggest(const struct profile *p, const struct profile_options *o, const char *root, struct err *e)
{
	for (size_t i = 0; i < o->wanted.n; i++) {
		struct err own = ERR_INIT;
		if (suggest_one(p, o->wanted.at[i], root, &own) == RC_OK)
			continue;
		if (e->rc)
			cmd_fail(e);
		*e = own;
	}
	return e->rc;
}

enum rc profile_try(const struct invocation *inv, const struct profile *p, const struct profile_options *o,
		    const struct try_options *t, const char *function, struct profile_tries *out, struct err *e)
{
	enum { BEST = 3 };
	bool top = strcmp(function, "top") == 0;
	enum rc rc = RC_OK;
	const struct profile_function *one = top ? NULL : find(p, function);
	if (!top && !one)
		return err_set(e, RC_NO, "%s was not called", function);
	for (size_t i = 0; !rc && i < p->n_ranking && out->n < BEST; i++) {
		const struct profile_function *f = top ? &p->fn.at[p->ranking[i]] : one;
		struct try_result r;
		if (top && (!f->rank || f->asks_world || f->saved_share <= 0))
			continue;
		rc = try_function(inv->runner, p, o, t, f, &r, e);
		if (!rc)
			vec_push(out, r);
		if (!top || runner_stopped())
			break;
	}
	return rc;
}

void profile_print_tries(const struct profile_tries *t)
{
	char name[128], text[512];
	for (size_t i = 0; i < t->n; i++) {
		const struct try_result *r = &t->at[i];
		text_escape(r->f->name, strlen(r->f->name), name, sizeof name);
		printf("\nTried %s\n      predicted %s%.1f %% of the CPU time\n", name, r->f->doubt ? "perhaps " : "",
		       100 * r->predicted);
		if (r->refusal) {
			text_escape(r->refusal, strlen(r->refusal), text, sizeof text);
			printf("      not tried %s\n", text);
			continue;
		}
		for (int k = 0; k < 2; k++) {
			const struct try_measure *m = &r->input[k];
			if (!m->done)
				continue;
			printf("      %s  %.1f %% (95 %%: %.1f … %.1f), %.4f s before, %.4f s after\n",
			       k ? "input 2 " : "measured", 100 * m->saved, 100 * m->low, 100 * m->high, m->before_s,
			       m->after_s);
			printf("                ");
			if (m->gets)
				printf("%.1f %% hits of %llu, %llu conflicts, %llu bytes, ",
				       100.0 * (double)m->hits / (double)m->gets, (unsigned long long)m->gets,
				       (unsigned long long)m->conflicts, (unsigned long long)m->bytes);
			else if (k)
				printf("nothing looked up, ");
			printf("%s output\n", m->same_output ? "the same" : "ANOTHER");
		}
	}
}

static void measure_fields(struct json_writer *w, const struct try_measure *m)
{
	json_kv_double(w, "saved_share", m->saved);
	json_kv_double(w, "low", m->low);
	json_kv_double(w, "high", m->high);
	json_kv_double(w, "before_s", m->before_s);
	json_kv_double(w, "after_s", m->after_s);
	json_kv_uint(w, "gets", m->gets);
	json_kv_uint(w, "hits", m->hits);
	json_kv_uint(w, "conflicts", m->conflicts);
	json_kv_uint(w, "bytes", m->bytes);
	json_kv_bool(w, "same_output", m->same_output);
}

static void json_measure(struct json_writer *w, const char *key, const struct try_measure *m)
{
	json_key(w, key);
	if (!m->done) {
		json_null(w);
		return;
	}
	json_object(w);
	measure_fields(w, m);
	json_object_end(w);
}

void profile_json_tries(struct json_writer *w, const struct profile_tries *t)
{
	json_key(w, "tries");
	json_array(w);
	for (size_t i = 0; i < t->n; i++) {
		json_object(w);
		json_kv_string(w, "function", t->at[i].f->name);
		json_kv_double(w, "predicted_share", t->at[i].predicted);
		json_kv_bool(w, "unsure", t->at[i].f->doubt != NULL);
		if (t->at[i].refusal)
			json_kv_string(w, "refusal", t->at[i].refusal);
		json_measure(w, "measured", &t->at[i].input[0]);
		json_measure(w, "input2", &t->at[i].input[1]);
		json_object_end(w);
	}
	json_array_end(w);
}

void profile_log_tries(struct runlog *log, const struct profile_tries *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct try_measure *m = &t->at[i].input[0];
		struct json_writer *w = m->done ? runlog_begin(log, EVENT_PROFILE_TRY) : NULL;
		if (!w)
			continue;
		json_kv_string(w, "function", t->at[i].f->name);
		json_kv_double(w, "predicted_share", t->at[i].predicted);
		measure_fields(w, m);
		runlog_end(log);
	}
}

void profile_tries_release(struct profile_tries *t)
{
	for (size_t i = 0; i < t->n; i++)
		try_release(&t->at[i]);
	vec_release(t);
}
