/* SPDX-License-Identifier: MIT */
/* refrain smt: answers SMT-LIB scripts as a solver does, with a cache in front of one. Options, reading and printing
 * only. */
#include "cmd/commands.h"
#include "cmd/smt_events.h"

#include "base/bits.h"
#include "data/clock.h"
#include "data/json/json.h"
#include "process/runner.h"
#include "smt/sexpr.h"
#include "smt/session/session.h"
#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct smt_options {
	const char *solver, *cache, *without, *store, *trust_key, *reproducer, *keytrace;
	double timeout;
	uint64_t memory, steps, cache_bytes, lookup_bytes, store_ttl;
	bool in, frozen, trust_store, verify, explain, stats, no_o1, no_o2, no_o3, canonize;
};

static const char details[] =
	"Reads SMT-LIB 2.6 scripts from the files, or from standard input, and answers each command as a solver would. "
	"Unsat answers are reused by their unsat cores under every substitution of variables, sat answers by their "
	"models; whatever is not understood goes to the solver as it stands. Several files are answered in order by "
	"one "
	"process with one cache, each from an empty assertion stack. The link refrain-z3 behaves as this command, for "
	"tools that want a path.\n"
	"Options that are not listed here are passed to the solver.";

#define VALUES struct smt_options
static const struct opt opts[] = {
	{SUGGEST(0, "solver", "SOLVER", solver, solver_name,
		 "use this solver, or a command that reads SMT-LIB (default: z3)")},
	{CHOICE(0, "cache", "CACHE", cache, cache_mode_name, "choose what is reused (default: full)")},
	{TEXT(0, "without", "STAGE,…", without,
	      "skip these stages of 'full': fixes, duplicates, models, slices, bits, or all of them")},
	{FLAG(0, "-in", in, "read standard input, answering each command as it comes")},
	{TEXT(0, "store", "URI", store, "keep cores and models in this store, for later runs")},
	{COUNT(0, "store-ttl", "SECONDS", store_ttl, 1, INT_MAX, "let records on a Redis server expire")},
	{FLAG(0, "frozen", frozen, "fail on a query that the store cannot answer; do not change the store")},
	{FLAG(0, "trust-store", trust_store, "believe stored answers to queries with quantifiers")},
	{TEXT(0, "trust-key", "FILE", trust_key,
	      "sign proved cores with the key in FILE, believe stored ones that are")},
	{SECONDS(0, "timeout", "SECONDS", timeout, "give up on a question after this long: the answer is unknown")},
	{SIZE(0, "memory", "SIZE", memory, "limit the solver's memory")},
	{FLAG(0, "verify", verify, "ask the solver again for every reused answer, stop at a difference")},
	{TEXT(0, "reproducer", "FILE", reproducer,
	      "write such a query to FILE (default: refrain-smt-difference.smt2)")},
	{FLAG(0, "explain", explain, "say on standard error why each answer was reused")},
	{FLAG(0, "stats", stats, "print counts on standard error at the end")},
	{TEXT(0, "keytrace", "FILE", keytrace, "write the key of every query to FILE, for 'refrain trace'")},
	{COUNT(0, "steps", "N", steps, 0, 0, "limit a look-up to N matching steps (default: 100000; 0: no limit)")},
	{SIZE(0, "cache-size", "SIZE", cache_bytes,
	      "limit the memory for cores, models and stages, each (default: 1G)")},
	{SIZE(0, "lookup-size", "SIZE", lookup_bytes, "limit the memory for the tables of one look-up (default: 64M)")},
	{FLAG(0, "no-o1", no_o1, "do not group clauses by hash (for measurements)")},
	{FLAG(0, "no-o2", no_o2, "do not filter substitutions before the join (for measurements)")},
	{FLAG(0, "no-o3", no_o3, "do not delay the join (for measurements)")},
	{FLAG(0, "canonize", canonize, "rename variables in order of appearance before every look-up")},
	{0},
};

static const struct smt_options defaults = {
	.solver = "z3", .cache = "full", .steps = 100000, .cache_bytes = (uint64_t)1 << 30, .lookup_bytes = 64 << 20};

struct smt_run {
	struct invocation *inv;
	const struct smt_options *o;
	struct smt_session *session;
	FILE *out;     /* answers */
	FILE *channel; /* the script wants them here; NULL: in out */
	int lost;      /* errno of a write to a channel that failed; 0: none did */
	struct smt_events events;
};

static enum rc flush(struct smt_run *r, struct err *e)
{
	smt_events_add(&r->events, r->session);
	struct buf *out = smt_session_output(r->session), *messages = smt_session_messages(r->session);
	FILE *to = r->channel ? r->channel : r->out;
	fwrite(buf_str(out), 1, out->n, to);
	buf_clear(out);
	enum rc rc = cmd_flush_stdout(e); /* before what is said about it */
	if (r->channel && (fflush(to) != 0 || ferror(to)) && !r->lost)
		r->lost = errno ? errno : EIO;
	if (rc == RC_OK && r->lost)
		rc = err_sys(e, RC_ENV, r->lost, "cannot write the script's output channel");
	if (messages->n && !r->inv->common.quiet)
		fwrite(messages->at, 1, messages->n, stderr);
	buf_clear(messages);
	return rc;
}

/* See struct smt_session_options. What could not be written is said at the next flush. */
static bool set_channel(void *run, const char *name)
{
	struct smt_run *r = run;
	struct err e = ERR_INIT;
	(void)flush(r, &e);
	if (r->channel && r->channel != stderr && fclose(r->channel) != 0 && !r->lost)
		r->lost = errno;
	r->channel = !name || !strcmp(name, "stdout") ? NULL : !strcmp(name, "stderr") ? stderr : fopen(name, "ae");
	return r->channel || !name || !strcmp(name, "stdout");
}

/* Answers every whole expression in text. RC_NO: (exit). */
static enum rc feed(struct smt_run *r, struct sexpr_split *sp, const char *text, size_t n, bool eof, struct err *e)
{
	for (;;) {
		if (runner_stopped())
			return err_set(e, RC_STOPPED, "stopped");
		enum sexpr_found found = sexpr_split_next(sp, text, n, eof);
		if (found == SEXPR_MORE)
			return RC_OK;
		if (found == SEXPR_STRAY) {
			smt_session_syntax_error(r->session, sp->start_line, sp->start_col,
						 "invalid command, '(' expected");
			continue;
		}
		enum rc rc = smt_session_command(r->session, text + sp->start, sp->at - sp->start, sp->start_line,
						 sp->start_col, e);
		if (rc != RC_OK)
			return rc;
		if (smt_session_output(r->session)->n > 65536 && flush(r, e) != RC_OK)
			return RC_ENV;
	}
}

static void unfinished(struct smt_run *r, const struct sexpr_split *sp, const struct buf *text)
{
	if (sexpr_split_open(sp))
		smt_session_unfinished(r->session, text->at + sp->start, text->n - sp->start, sp->start_line,
				       sp->start_col);
}

static enum rc run_file(struct smt_run *r, const char *path, struct err *e)
{
	struct buf text = {0};
	struct sexpr_split sp = {.line = 1, .col = 1};
	enum rc rc = buf_read_file(&text, path, (size_t)UINT32_MAX, e);
	if (rc == RC_OK) {
		smt_session_begin(r->session, path);
		rc = feed(r, &sp, buf_str(&text), text.n, true, e);
		if (rc == RC_OK)
			unfinished(r, &sp, &text);
		if (rc == RC_OK)
			rc = smt_session_idle(r->session, e);
	}
	buf_release(&text);
	if (rc == RC_NO)
		rc = RC_OK;
	enum rc flushed = flush(r, e);
	return rc == RC_OK ? flushed : rc;
}

/* Standard input is answered as it comes: before waiting for more, everything whole has been answered and shown. */
static enum rc run_stdin(struct smt_run *r, struct err *e)
{
	struct buf text = {0};
	struct sexpr_split sp = {.line = 1, .col = 1};
	enum rc rc = RC_OK;
	bool eof = false;
	smt_session_begin(r->session, "-");
	while (rc == RC_OK && !eof) {
		vec_reserve(&text, 65536);
		ssize_t k = read(STDIN_FILENO, text.at + text.n, 65535);
		if (k < 0 && errno == EINTR && !runner_stopped())
			continue;
		if (k < 0)
			rc = runner_stopped() ? err_set(e, RC_STOPPED, "stopped")
					      : err_sys(e, RC_ENV, errno, "cannot read standard input");
		eof = k <= 0;
		text.n += k > 0 ? (size_t)k : 0;
		text.at[text.n] = 0;
		if (rc == RC_OK)
			rc = feed(r, &sp, text.at, text.n, eof, e);
		/* what has been answered is dropped */
		size_t done = sexpr_split_open(&sp) ? sp.start : sp.at;
		if (done) {
			memmove(text.at, text.at + done, text.n - done);
			text.n -= done;
			sexpr_split_drop(&sp, done);
		}
		if (rc == RC_OK && eof)
			unfinished(r, &sp, &text);
		if (rc == RC_OK)
			rc = smt_session_idle(r->session, e);
		if (flush(r, e) != RC_OK && (rc == RC_OK || rc == RC_NO))
			rc = RC_ENV;
	}
	buf_release(&text);
	return rc == RC_NO ? RC_OK : rc;
}

static enum rc write_json(struct smt_run *r, bool complete, struct err *e)
{
	struct smt_session_stats t = smt_session_stats(r->session);
	size_t n;
	const struct smt_session_answer *a = smt_session_answers(r->session, &n);
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.smt/1");
	json_kv_bool(w, "complete", complete);
	smt_stats_json(&t, w);
	json_kv_double(w, "lookup_median_s", t.lookup_median_s);
	json_kv_uint(w, "exhausted_lookups", t.brakes);
	json_kv_uint(w, "cores", t.cores);
	json_kv_uint(w, "refused_cores", t.refused_cores);
	json_kv_uint(w, "decided_unsat", t.decided_unsat);
	json_kv_uint(w, "decided_sat", t.decided_sat);
	json_key(w, "stages");
	json_array(w);
	for (size_t i = 0; i < DECIDE_STAGES; i++) {
		json_object(w);
		json_kv_string(w, "name", decide_stage_name(i));
		json_kv_uint(w, "sat", t.stages.stage[i].sat);
		json_kv_uint(w, "unsat", t.stages.stage[i].unsat);
		json_kv_double(w, "seconds", t.stages.stage[i].seconds);
		json_kv_bool(w, "off", t.stages.stage[i].off);
		json_object_end(w);
	}
	json_array_end(w);
	json_key(w, "answers");
	json_array(w);
	for (size_t i = 0; i < n; i++) {
		json_object(w);
		json_kv_string(w, "file", a[i].file);
		json_kv_string(w, "verdict", verdict_text(a[i].verdict));
		json_kv_string(w, "by", a[i].by);
		json_object_end(w);
	}
	json_array_end(w);
	return cmd_json_end(r->inv, &doc, e);
}

static void print_stages(const struct decide_stats *t)
{
	for (size_t i = 0; i < DECIDE_STAGES; i++) {
		const struct decide_stage_stats *s = &t->stage[i];
		fprintf(stderr, "stage %s: sat %llu, unsat %llu, %.3f s%s\n", decide_stage_name(i),
			(unsigned long long)s->sat, (unsigned long long)s->unsat, s->seconds,
			s->off ? "; off, because it cost more than it saved" : "");
	}
	fprintf(stderr,
		"stages: %.3f s, %llu queries not theirs, %llu skipped, %zu bytes at most, forgotten %llu times, "
		"proofs checked %llu\n",
		t->seconds, (unsigned long long)t->passed_by, (unsigned long long)t->skipped, t->peak_bytes,
		(unsigned long long)t->cleared, (unsigned long long)t->checked);
}

static void print_stats(struct smt_run *r)
{
	struct smt_session_stats t = smt_session_stats(r->session);
	fprintf(stderr,
		"queries %llu (sat %llu, unsat %llu, unknown %llu)\n"
		"reused: unsat %llu, sat %llu; cores kept %llu, refused %llu; look-ups that ran out of steps %llu\n"
		"solver calls %llu, %.3f s; cache %.3f s, median look-up %.1f µs\n"
		"cache %zu bytes at most, look-up tables %zu bytes at most\n",
		(unsigned long long)t.queries, (unsigned long long)t.sat, (unsigned long long)t.unsat,
		(unsigned long long)t.unknown, (unsigned long long)t.reused_unsat, (unsigned long long)t.reused_sat,
		(unsigned long long)t.cores, (unsigned long long)t.refused_cores, (unsigned long long)t.brakes,
		(unsigned long long)t.solver_calls, t.solver_s, t.cache_s, t.lookup_median_s * 1e6, t.cache_peak_bytes,
		t.lookup_peak_bytes);
	if (cache_mode_find(r->o->cache)->flags & MODE_STAGES)
		print_stages(&t.stages);
}

static struct smt_session_options smt_session_options_of(const struct smt_options *o)
{
	struct smt_session_options s = {
		.mode = cache_mode_find(o->cache), .cache = cache_defaults, .ends_with_solver = true};
	s.cache.match =
		MATCH_ALL & ~((o->no_o1 ? MATCH_O1 : 0) | (o->no_o2 ? MATCH_O2 : 0) | (o->no_o3 ? MATCH_O3 : 0));
	s.cache.max_steps = o->steps;
	s.cache.max_bytes = o->lookup_bytes;
	s.cache.max_cores_bytes = o->cache_bytes;
	s.cache.canonize = o->canonize;
	s.timeout_s = o->timeout;
	s.verify = o->verify;
	s.explain = o->explain;
	s.keys = o->keytrace != NULL;
	s.frozen = o->frozen;
	s.trust_store = o->trust_store;
	s.store = o->store;
	s.trust_key = o->trust_key;
	s.reproducer = o->reproducer;
	return s;
}

/* The stages that a list names. False, and e says why: there is no such stage. */
static bool read_without(const char *list, unsigned *out, struct err *e)
{
	*out = 0;
	for (const char *p = list; p && *p;) {
		size_t n = strcspn(p, ","), i = decide_stage_find(p, n);
		if (n == 3 && !memcmp(p, "all", 3)) {
			*out |= (1u << DECIDE_STAGES) - 1;
		} else if (i == DECIDE_STAGES) {
			err_set(e, RC_INPUT, "invalid stage '%.*s' for --without", (int)n, p);
			return false;
		} else {
			*out |= 1u << i;
		}
		p += n + (p[n] == ',');
	}
	return true;
}

/* The answers are right all the same, but what was to be kept is not. The session has warned, unless it is quiet. */
static int without_store(const struct smt_run *r, int code)
{
	struct err e = ERR_INIT;
	if (!r->inv->common.quiet)
		return code > 1 ? code : 3;
	err_set(&e, RC_ENV, "%s", smt_session_store_warning(r->session));
	return cmd_fail_output(&e, code);
}

static int finish(struct smt_run *r, enum rc rc, struct err *e)
{
	int code = 0;
	if (r->o->stats)
		print_stats(r);
	struct err je = ERR_INIT;
	if ((rc == RC_OK || rc == RC_STOPPED) && write_json(r, rc == RC_OK, &je) != RC_OK)
		code = cmd_fail(&je);
	if (rc == RC_STOPPED)
		code = 128 + runner_stopped();
	else if (rc == RC_BUG)
		code = cmd_fail(e), code = 1;
	else if (rc != RC_OK)
		code = cmd_fail(e);
	else if (!code && smt_session_stats(r->session).errors)
		code = 1;
	if (smt_session_store_failed(r->session))
		code = without_store(r, code);
	return code;
}

/* ---- what z3 and others are asked besides scripts */

static bool is_z3(const struct smt_options *o)
{
	return !strcmp(o->solver, "z3");
}

/* A word that we follow; z3 takes some more. Statistics of a run without a store are those of z3 itself. */
static bool known_word(const char *word, const struct smt_options *o)
{
	static const char *const words[] = {"-smt2", "-in", "-nw"};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	if (!strcmp(word, "-st"))
		return o->store;
	return !strncmp(word, "-t:", 3) || !strncmp(word, "-T:", 3) || !strncmp(word, "-memory:", 8) || word[0] != '-';
}

/* A file that z3 does not take for an SMT-LIB script. */
static bool other_format(const char *file)
{
	static const char *const ends[] = {".cnf",     ".dimacs", ".wcnf",  ".opb", ".lp",
					   ".datalog", ".dl",     ".rules", ".log"};
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strlen(file) > strlen(ends[i]) && !strcmp(file + strlen(file) - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Is this something that only the solver itself can answer: its version, its help, its statistics? */
static bool not_a_script(const struct invocation *inv, const struct smt_options *o)
{
	static const char *const questions[] = {"--version", "-V", "--show-config", "--copyright"};
	for (size_t i = 0; i < inv->unknown.n; i++) {
		const char *word = inv->unknown.at[i];
		if (is_z3(o) && !known_word(word, o))
			return true;
		for (size_t k = 0; k < ARRAY_LEN(questions); k++)
			if (!strcmp(word, questions[k]))
				return true;
	}
	for (size_t i = 0; is_z3(o) && i < inv->args.n; i++)
		if (other_format(inv->args.at[i]))
			return true;
	return false;
}

/* A script named z3 that calls us was found by another refrain, which looked for z3: what is asked here its caches
 * do not know, and ours would only cost. Limits that the script sets are ours to keep. */
static bool asked_by_refrain(const struct invocation *inv, const struct smt_options *o)
{
	return smt_started_by_refrain() && is_z3(o) && o->in && !inv->args.n && o->timeout == 0 && !o->memory;
}

/* Becomes the solver, with the words that are meant for it. */
static int become_solver(const struct invocation *inv, const struct smt_options *o)
{
	struct err e = ERR_INIT;
	struct strings words = {0};
	for (size_t i = 0; i < inv->unknown.n; i++)
		vec_push(&words, inv->unknown.at[i]);
	if (o->in)
		vec_push(&words, "-in");
	for (size_t i = 0; i < inv->args.n; i++)
		vec_push(&words, inv->args.at[i]);
	smt_become_solver(o->solver, &words, &e);
	vec_release(&words);
	return cmd_fail(&e);
}

/* z3's -T:SECONDS and -st, which are of the whole run. */
static void take_run_options(struct invocation *inv, struct smt_session_options *so)
{
	size_t kept = 0;
	for (size_t i = 0; i < inv->unknown.n; i++) {
		const char *word = inv->unknown.at[i];
		if (!strncmp(word, "-T:", 3))
			so->deadline = clock_seconds() + (double)strtoul(word + 3, NULL, 10);
		else if (!strcmp(word, "-st"))
			so->statistics = true;
		else
			inv->unknown.at[kept++] = word;
	}
	inv->unknown.n = kept;
}

/* z3 takes its parameters as words without a dash: smt.random_seed=7 */
static void move_parameters(struct invocation *inv)
{
	size_t kept = 0;
	for (size_t i = 0; i < inv->args.n; i++) {
		const char *word = inv->args.at[i];
		if (i < inv->dashdash && strchr(word, '=') && access(word, F_OK) != 0)
			vec_push(&inv->unknown, word);
		else
			inv->args.at[kept++] = word;
	}
	inv->args.n = kept;
}

static enum rc print_statistics(struct smt_run *r, struct err *e)
{
	enum rc rc = smt_session_statistics(r->session, e);
	return rc == RC_OK ? flush(r, e) : rc;
}

static int run_session(struct invocation *inv, struct smt_session_options *so)
{
	const struct smt_options *o = inv->values;
	struct err e = ERR_INIT;
	struct solver solver;
	struct smt_run r = {.inv = inv, .o = o, .out = cmd_json_stdout(inv) ? stderr : stdout};
	so->channel = set_channel;
	so->caller = &r;
	so->answers = inv->common.json || inv->log || o->keytrace;
	if (!read_without(o->without, &so->without, &e))
		return cmd_fail(&e);
	if (solver_init(&solver, o->solver, &inv->unknown, inv->runner, &e) != RC_OK)
		return cmd_fail(&e);
	solver.memory_bytes = o->memory;
	if (smt_session_new(&r.session, so, &solver, &e) != RC_OK) {
		solver_release(&solver);
		return cmd_fail(&e);
	}
	enum rc rc = smt_events_open(&r.events, inv, o->keytrace, &e);
	bool opened = rc == RC_OK;
	for (size_t i = 0; i < inv->args.n && rc == RC_OK; i++)
		rc = strcmp(inv->args.at[i], "-") ? run_file(&r, inv->args.at[i], &e) : run_stdin(&r, &e);
	if (rc == RC_OK && (o->in || !inv->args.n))
		rc = run_stdin(&r, &e);
	if (rc == RC_OK && so->statistics)
		rc = print_statistics(&r, &e);
	(void)set_channel(&r, NULL);
	if (rc == RC_OK)
		rc = flush(&r, &e);
	int code = finish(&r, rc, &e);
	if (opened)
		code = smt_events_close(&r.events, r.session, o->solver, o->cache, code);
	inv->incomplete = rc != RC_OK;
	smt_session_free(r.session);
	solver_release(&solver);
	return code;
}

/* Options that need a store, and the store's address as they want it: in uri when it is another. */
static enum rc take_store(const struct smt_options *o, struct smt_session_options *so, struct buf *uri, struct err *e)
{
	const char *needs = o->frozen        ? "--frozen"
			    : o->trust_store ? "--trust-store"
			    : o->trust_key   ? "--trust-key"
			    : o->store_ttl   ? "--store-ttl"
					     : NULL;
	if (needs && !o->store)
		return err_set(e, RC_INPUT, "%s needs --store", needs);
	enum rc rc = o->store_ttl ? store_expiring(uri, o->store, o->store_ttl, e) : RC_OK;
	if (rc == RC_OK && o->store_ttl)
		so->store = buf_str(uri);
	return rc;
}

static int run_smt(struct invocation *inv)
{
	const struct smt_options *o = inv->values;
	struct err e = ERR_INIT;
	struct buf uri = {0};
	struct smt_session_options so = smt_session_options_of(o);
	move_parameters(inv);
	if (not_a_script(inv, o) || asked_by_refrain(inv, o))
		return become_solver(inv, o);
	if (is_z3(o))
		take_run_options(inv, &so);
	runner_catch_signals(inv->runner);
	if (take_store(o, &so, &uri, &e) != RC_OK) {
		buf_release(&uri);
		return cmd_fail(&e);
	}
	int code = run_session(inv, &so);
	buf_release(&uri);
	return code;
}

const struct command cmd_smt = {
	COMMAND("smt", "[FILE…|-in]", "answer SMT-LIB scripts as a solver does, with a cache in front of one", details),
	OPTIONS(opts, &defaults),
	RUN(run_smt, COMMAND_PASS_UNKNOWN | COMMAND_RUNNER),
};
