/* SPDX-License-Identifier: MIT */
/* The rules of several jobs (run/fold.h), each in a case small enough to see why: a pass that proposes given spans of
 * tokens, a test that is a function of the tokens left, answers in a given order. */
#include "base/bits.h"
#include "data/digest.h"
#include "reduce/model/complaints.h"
#include "reduce/model/spans.h"
#include "reduce/fold/fold.h"
#include "reduce/run/in_process.h"
#include "testing.h"

enum { TOKENS = 24, MOST = 64 };

/* ---- a pass that proposes spans */

struct script {
	struct span span[MOST];
	size_t n, next;
	bool every_run; /* again, as long as it finds something */
	bool in_order;
	bool one_decides; /* the last span is not wanted any more when this one is decided: */
	size_t decider;
	bool by_length; /* texts are known by their length */
	bool told[MOST], success[MOST], first_told[MOST], heard[MOST];
	/* the test */
	bool (*holds)(const bool *there);
	bool speaks;           /* it prints an error when it fails */
	bool all_at_once;      /* whatever runs is answered before the next question */
	unsigned answer_last;  /* that many answers are given to the newest question first */
	unsigned answer_first; /* or, if not 0, that many to the oldest, and all others to the newest */
	struct model model;
	bool there[MOST][TOKENS]; /* what was asked in each slot */
	bool busy[MOST];
	uint64_t order[MOST], asked, answered, cancelled, printed, rounds;
};

static struct script *script;

static void script_begin(void *state)
{
	(void)state;
	script->next = 0;
}

static enum made script_next(void *state, struct candidate *out, enum guess guess)
{
	(void)state, (void)guess;
	if (script->next == script->n)
		return MADE_END;
	struct span s = script->span[script->next];
	edit_remove(&out->edit, s.from, s.to);
	out->task = (uint32_t)script->next++;
	return MADE_ONE;
}

static void script_result(void *state, const struct candidate *c, bool success)
{
	(void)state;
	if (!script->told[c->task])
		script->first_told[c->task] = success;
	script->told[c->task] = true;
	script->heard[c->task] |= !success && c->said;
	script->success[c->task] = success;
}

static bool script_wanted(const void *state, const struct candidate *c)
{
	(void)state;
	return !script->one_decides || !script->told[script->decider] || c->task + 1 != script->n;
}

static const struct pass_frame script_frame = {sizeof(struct pass_state), script_next, script_result, NULL,
					       script_wanted};
static const struct pass script_pass = {"script", "", PASS_READS, script_begin, &script_frame};

/* ---- an asker that answers when and in what order the case says */

static enum rc script_ask(void *user, unsigned slot, const struct step *s, enum answer *a, struct err *e)
{
	(void)user, (void)e;
	for (uint32_t i = 0; i < TOKENS; i++)
		script->there[slot][i] = !spans_have(&s->gone, i);
	script->busy[slot] = true;
	script->order[slot] = script->asked++;
	*a = ANSWER_PENDING;
	return RC_OK;
}

static enum rc script_wait(void *user, bool block, enum wait_event *ev, unsigned *slot, enum answer *a, struct err *e)
{
	(void)user, (void)e;
	*ev = WAIT_NOTHING;
	if (!block && !script->all_at_once)
		return RC_OK;
	script->rounds += block;
	bool newest = script->answer_last > 0 || (script->answer_first && script->answered >= script->answer_first);
	script->answer_last -= script->answer_last > 0;
	script->answered++;
	*slot = MOST;
	for (unsigned i = 0; i < MOST; i++)
		if (script->busy[i] && (*slot == MOST || (script->order[i] > script->order[*slot]) == newest))
			*slot = i;
	assert_true(*slot < MOST);
	script->busy[*slot] = false;
	*ev = WAIT_ANSWER;
	*a = script->holds(script->there[*slot]) ? ANSWER_YES : ANSWER_NO;
	return RC_OK;
}

static struct complaints *script_complaints(void *user, unsigned slot, const struct step *s)
{
	static const char text[] = "script:1:1: error: no\n";
	(void)user, (void)slot, (void)s;
	return script->speaks ? complaints_read(text, sizeof text - 1) : NULL;
}

static void script_cancel(void *user, unsigned slot)
{
	(void)user;
	script->busy[slot] = false;
	script->cancelled++;
}

static enum wait_event never(void *user)
{
	(void)user;
	return WAIT_NOTHING;
}

static enum rc script_minimum(void *user, struct err *e)
{
	bool there[TOKENS];
	(void)user, (void)e;
	for (uint32_t i = 0; i < TOKENS; i++)
		there[i] = model_has(&script->model, i);
	assert_true(script->holds(there));
	return RC_OK;
}

/* Tokens keep their numbers: the model is not made anew. */
static enum rc script_rebase(void *user, struct err *e)
{
	(void)user, (void)e;
	return RC_OK;
}

static bool script_recall(void *user, const struct step *s, bool *interesting)
{
	(void)user;
	script->printed = script->model.n_tokens;
	for (uint32_t i = 0; i < TOKENS; i++)
		script->printed -= spans_have(&s->gone, i);
	*interesting = false;
	return false;
}

static uint64_t script_text(void *user)
{
	(void)user;
	return script->printed;
}

static void run_script(struct script *s, unsigned jobs)
{
	static const char *const none[] = {NULL, NULL};
	static const struct algorithm algorithm = {"script", "", none, false, NULL, NULL};
	uint32_t sym[TOKENS];
	for (uint32_t i = 0; i < TOKENS; i++)
		sym[i] = i;
	script = s;
	model_init(&s->model, sym, TOKENS);
	struct asker asker = {
		.jobs = jobs,
		.slots = s->in_order ? 2 * jobs : jobs,
		.ask = script_ask,
		.complaints = script_complaints,
		.wait = script_wait,
		.cancel = script_cancel,
		.interrupted = never,
		.minimum = script_minimum,
		.rebase = script_rebase,
	};
	if (s->by_length) {
		asker.recall = script_recall;
		asker.text = script_text;
	}
	struct engine g = {.model = &s->model, .asker = &asker, .in_order = s->in_order};
	g.cache = verdicts_new(&verdicts_full, NULL, s->model.min, s->model.n, false);
	uint64_t before;
	do {
		struct plan plan;
		before = s->model.version;
		plan_init(&plan, &g, &algorithm, NULL);
		plan.now = (struct plan_run){.pass = &script_pass,
					     .state = pass_start(&script_pass, &s->model),
					     .number = 1,
					     .version = before};
		plan.runs = 1;
		vec_push(&plan.places, 0);
		assert_int_equal(fold_run(&plan, NULL), RC_OK);
		plan_release(&plan);
	} while (s->every_run && s->model.version != before);
	/* every test is counted, and once */
	assert_int_equal(g.useful + g.merges + g.wasted, s->asked);
	verdicts_free(g.cache);
}

static bool gone(const struct script *s, uint32_t i)
{
	return !model_has(&s->model, i);
}

/* ---- rules */

static bool one_of_0_and_1(const bool *there)
{
	return there[0] || there[1];
}

/* Both deletions succeed alone; the second must not become the minimum on top of the first without a test. */
static void test_late_success_is_merged_first(void **state)
{
	(void)state;
	for (unsigned last = 0; last < 2; last++) {
		struct script s = {.span = {{0, 1}, {1, 2}}, .n = 2, .holds = one_of_0_and_1, .answer_last = last};
		run_script(&s, 2);
		assert_int_equal(gone(&s, 0) + gone(&s, 1), 1);
		assert_true(s.told[0] && s.told[1]);
		assert_int_equal(s.success[0] + s.success[1], 1);
		model_release(&s.model);
	}
}

static bool not_1_before_0(const bool *there)
{
	return there[1] || !there[0];
}

/* 1 cannot go while 0 is there. That failure says nothing about the minimum without 0. */
static void test_late_failure_is_not_cached(void **state)
{
	(void)state;
	struct script s = {.span = {{0, 1}, {1, 2}}, .n = 2, .holds = not_1_before_0, .every_run = true};
	run_script(&s, 2);
	assert_true(gone(&s, 0) && gone(&s, 1));
	model_release(&s.model);
}

static bool anything(const bool *there)
{
	(void)there;
	return true;
}

/* All of 1 … 2 is part of 0 … 4: when that is gone its test is pointless. */
static void test_void_test_is_cancelled(void **state)
{
	(void)state;
	struct script s = {.span = {{0, 4}, {1, 2}}, .n = 2, .holds = anything};
	run_script(&s, 2);
	assert_int_equal(s.asked, 2);
	assert_int_equal(s.cancelled, 1);
	assert_true(s.success[0] && s.success[1]);
	assert_int_equal(s.model.n, TOKENS - 4);
	model_release(&s.model);
}

static bool one_of_3_and_9(const bool *there)
{
	return there[3] || there[9];
}

/* Sixteen deletions succeed alone, two of them not together: one of the two is found and dropped, the others stay. */
static void test_merge_finds_the_culprit(void **state)
{
	(void)state;
	for (unsigned jobs = 2; jobs <= 64; jobs *= 2) {
		struct script s = {.n = 16, .holds = one_of_3_and_9};
		for (uint32_t i = 0; i < 16; i++)
			s.span[i] = (struct span){i, i + 1};
		run_script(&s, jobs);
		assert_int_equal(s.model.n, TOKENS - 15);
		assert_int_equal(gone(&s, 3) + gone(&s, 9), 1);
		/* the candidates, a merge for each batch of them, and a search that halves */
		assert_true(s.asked <= 16 + 16 + 8);
		model_release(&s.model);
	}
}

static bool one_of_each_four(const bool *there)
{
	for (uint32_t i = 0; i < TOKENS; i += 4)
		if (!there[i] && !there[i + 1] && !there[i + 2] && !there[i + 3])
			return false;
	return true;
}

/* Every deletion succeeds alone, and every fourth is a culprit: all are found in a few rounds, whatever comes first. */
static void test_merge_finds_many_culprits(void **state)
{
	(void)state;
	for (unsigned jobs = 2; jobs <= 64; jobs *= 2) {
		struct script s = {.n = TOKENS, .all_at_once = true, .holds = one_of_each_four};
		for (uint32_t i = 0; i < TOKENS; i++)
			s.span[i] = (struct span){i, i + 1};
		run_script(&s, jobs);
		assert_int_equal(s.model.n, TOKENS / 4);
		assert_true(jobs < 16 || s.rounds <= 12);
		model_release(&s.model);
	}
}

static void hold(struct fold *f, struct test *t, uint32_t from, uint32_t to)
{
	t->id = ++f->ids;
	t->run = 1;
	vec_push(&t->removed, ((struct span){from, to}));
}

/* What probably goes with something that is being tested waits; what does not overlap is asked. */
static void test_holding(void **state)
{
	(void)state;
	uint32_t sym[TOKENS] = {0};
	struct model m;
	model_init(&m, sym, TOKENS);
	struct engine g = {.model = &m};
	struct fold f = {.engine = &g};
	struct test asked = {0}, inside = {0}, half = {0}, apart = {0};
	f.rate[0] = 0.8;
	hold(&f, &asked, 0, 10);
	hold(&f, &inside, 2, 4);
	hold(&f, &half, 9, 11);
	hold(&f, &apart, 12, 14);
	vec_push(&f.asked, &asked);
	hold_add(&f, &inside);
	assert_true(inside.chance > 0.19 && inside.chance < 0.21);
	assert_true(hold_first(&f) == SIZE_MAX);
	hold_add(&f, &half);
	assert_true(half.chance > 0.59 && half.chance < 0.61);
	hold_add(&f, &apart);
	assert_true(apart.chance == 1);
	assert_int_equal(hold_first(&f), 1);
	assert_int_equal(hold_best(&f), 2);
	hold_block(&f, &asked); /* a second one like it */
	assert_true(inside.chance > 0.03 && inside.chance < 0.05);
	hold_unblock(&f, asked.id);
	assert_true(inside.chance == 1 && half.chance == 1);
	assert_int_equal(hold_first(&f), 0);
	vec_release_all(&f.asked, &f.held, &asked.removed, &inside.removed, &half.removed, &apart.removed);
	vec_release_all(&inside.obstacles, &half.obstacles, &apart.obstacles);
	model_release(&m);
}

/* One batch of answers counts for what it says, whichever of them counts first. */
static void test_rates_are_of_all_answers(void **state)
{
	(void)state;
	enum { ALL = 60, YES = 20 };
	struct fold f = {.rate = {0.5, 0.5}};
	struct test t[ALL] = {0};
	for (size_t i = 0; i < ALL; i++) {
		t[i] = (struct test){.run = 1, .done = true, .answer = i < ALL - YES ? ANSWER_NO : ANSWER_YES};
		vec_push(&f.asked, &t[i]);
	}
	hold_learn_done(&f, ALL);
	assert_true(f.rate[0] > 0.32 && f.rate[0] < 0.36);
	assert_true(f.rate[1] == 0.5);
	/* what is not done, or does not count any more, says nothing; nor do those that come later, in order */
	t[0].rate = t[1].rate = t[2].rate = 1;
	t[0].done = false;
	t[1].pointless = true;
	hold_learn_done(&f, 2);
	assert_true(f.rate[1] == 0.5);
	hold_learn_done(&f, 3);
	assert_true(f.rate[1] > 0.47 && f.rate[1] < 0.48);
	vec_release(&f.asked);
}

/* ---- the same run whatever the timing */

struct record {
	uint32_t need[3];
	VEC(uint64_t) asked;
};

static bool record_asked(void *user, const struct variant *v, const struct model *m)
{
	struct record *r = user;
	uint32_t t[512], found = 0;
	(void)m;
	variant_symbols(v, t);
	vec_push(&r->asked, hash64_seed(t, v->n * sizeof *t, v->n));
	for (uint32_t i = 0; i < v->n; i++)
		found += found < 3 && t[i] == r->need[found];
	return found == 3 && (v->n < 10 || hash64(t, v->n * sizeof *t) % 4);
}

static void test_in_order_does_not_depend_on_time(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 40; n++) {
		struct record r[2] = {0};
		uint32_t sym[300], left[2];
		for (uint32_t i = 0; i < 300; i++)
			sym[i] = (uint32_t)(mix64(i + n) % 40);
		for (unsigned k = 0; k < 2; k++) {
			for (uint32_t i = 0; i < 3; i++)
				r[k].need[i] = sym[60 + 70 * i];
			struct model m;
			model_init(&m, sym, 300);
			struct in_process p = {.algorithm = algorithm_find("ddmin"),
					       .cache = &verdicts_full,
					       .interesting = record_asked,
					       .user = &r[k],
					       .seed = n + 100 * k,
					       .jobs = 2 + (unsigned)n % 7,
					       .in_order = true};
			assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
			left[k] = m.n;
			model_release(&m);
		}
		assert_int_equal(left[0], left[1]);
		assert_int_equal(r[0].asked.n, r[1].asked.n);
		assert_memory_equal(r[0].asked.at, r[1].asked.at, r[0].asked.n * sizeof *r[0].asked.at);
		vec_release_all(&r[0].asked, &r[1].asked);
	}
}

/* A verdict that has come but does not count yet makes no difference to what is wanted. */
static void test_in_order_unwanted_is_unwanted(void **state)
{
	(void)state;
	struct script s[2];
	for (unsigned k = 0; k < 2; k++) {
		s[k] = (struct script){.span = {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
				       .n = 4,
				       .holds = anything,
				       .answer_last = k * MOST,
				       .in_order = true,
				       .one_decides = true};
		run_script(&s[k], 2);
		assert_true(s[k].told[3] && !s[k].first_told[3]);
		model_release(&s[k].model);
	}
	assert_memory_equal(s[0].first_told, s[1].first_told, sizeof s[0].first_told);
	assert_int_equal(s[0].asked, s[1].asked);
}

/* Other tokens may print the same text: it is not tested while it is being tested. */
static void test_same_text_of_other_tokens(void **state)
{
	(void)state;
	struct script s = {.span = {{0, 1}, {1, 2}}, .n = 2, .holds = anything, .by_length = true};
	run_script(&s, 2);
	assert_true(s.first_told[0] && !s.first_told[1]);
	assert_true(gone(&s, 0) && gone(&s, 1)); /* the pass ran again */
	assert_int_equal(s.asked, 2);
	model_release(&s.model);
}

/* The third was tested together with the second, which does not fit: what was said about that text is not what is said
 * about the third, which nobody wants to know any more. */
static void test_what_was_said_is_forgotten(void **state)
{
	(void)state;
	struct script s = {.span = {{0, 1}, {1, 2}, {2, 3}},
			   .n = 3,
			   .holds = one_of_0_and_1,
			   .one_decides = true,
			   .decider = 1,
			   .speaks = true,
			   .all_at_once = true};
	run_script(&s, 2);
	assert_true(s.first_told[0] && !s.first_told[1] && !s.first_told[2]);
	assert_true(gone(&s, 0) && !gone(&s, 1) && gone(&s, 2)); /* the pass ran again */
	assert_false(s.heard[2]);
	model_release(&s.model);
}

/* While there is something to test on top of a line the line itself is not: whatever succeeds there merges it. */
static void test_line_is_merged_on_the_way(void **state)
{
	(void)state;
	struct script s = {.span = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}},
			   .n = 6,
			   .holds = anything,
			   .all_at_once = true};
	run_script(&s, 2);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(gone(&s, i) && s.success[i]);
	assert_int_equal(s.asked, 7);
	model_release(&s.model);
}

/* Nothing but 0 or 1 can go. What fails on top of both says nothing: when two have failed there both are tested. */
static bool without_0_or_1(const bool *there)
{
	for (uint32_t i = 2; i < 10; i++)
		if (!there[i])
			return false;
	return there[0] || there[1];
}

static void test_line_does_not_wait_long(void **state)
{
	(void)state;
	struct script s = {.n = 10, .holds = without_0_or_1, .all_at_once = true};
	for (uint32_t i = 0; i < 10; i++)
		s.span[i] = (struct span){i, i + 1};
	run_script(&s, 2);
	assert_int_equal(gone(&s, 0) + gone(&s, 1), 1);
	assert_int_equal(s.asked, 14);
	model_release(&s.model);
}

/* With many jobs one more test is cheap, and the line is tested at once. */
static void test_line_of_many_jobs_does_not_wait(void **state)
{
	(void)state;
	struct script s = {.n = 20, .holds = one_of_3_and_9, .all_at_once = true};
	for (uint32_t i = 0; i < 20; i++)
		s.span[i] = (struct span){i, i + 1};
	run_script(&s, 12);
	assert_int_equal(s.model.n, TOKENS - 19);
	assert_int_equal(s.rounds, 6);
	model_release(&s.model);
}

/* What succeeds on top of the first part of a line is a good prefix, whatever has joined the line since: it is the
 * minimum at once, so that only the first answers and the last need a merge. */
static void test_good_prefix_is_committed(void **state)
{
	(void)state;
	struct script s = {.n = 12, .holds = anything};
	for (uint32_t i = 0; i < 12; i++)
		s.span[i] = (struct span){i, i + 1};
	run_script(&s, 3);
	assert_int_equal(s.model.n, TOKENS - 12);
	assert_int_equal(s.asked, 14);
	model_release(&s.model);
}

/* Of merges that run at the same time the longest is answered first: the texts of the shorter ones cannot come again
 * once it is the minimum, and their tests are given up. */
static void test_overtaken_merges_are_cancelled(void **state)
{
	(void)state;
	struct script s = {.n = 4, .holds = anything, .answer_first = 4};
	for (uint32_t i = 0; i < 4; i++)
		s.span[i] = (struct span){i, i + 1};
	run_script(&s, 3);
	assert_int_equal(s.model.n, TOKENS - 4);
	assert_int_equal(s.cancelled, 2);
	assert_int_equal(s.rounds, 5);
	model_release(&s.model);
}

enum { NAMES = 300, GROUP = 3 };

/* Of each group of three names, which are anywhere in the text, one is there. */
static bool one_of_each_group(void *user, const struct variant *v, const struct model *m)
{
	uint32_t t[NAMES];
	bool there[NAMES] = {0};
	(void)m, (void)user;
	variant_symbols(v, t);
	for (uint32_t i = 0; i < v->n; i++)
		there[t[i]] = true;
	for (uint32_t g = 0; g < NAMES / GROUP; g++) {
		bool found = false;
		for (uint32_t i = 0; i < GROUP; i++)
			found |= there[mix64(g * GROUP + i) % NAMES];
		if (!found)
			return false;
	}
	return true;
}

/* Nearly everything can go alone and little of it together: with each part of the line asked about alone too, what
 * does not fit any more goes at once. It takes 21 rounds, and 78 without. */
static void test_parts_are_asked_about_alone(void **state)
{
	(void)state;
	uint32_t sym[NAMES];
	struct model m;
	for (uint32_t i = 0; i < NAMES; i++)
		sym[i] = i;
	model_init(&m, sym, NAMES);
	struct in_process p = {.algorithm = algorithm_find("ddmin"),
			       .cache = &verdicts_full,
			       .interesting = one_of_each_group,
			       .jobs = 64,
			       .clock = CLOCK_UNIT};
	assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
	assert_true(p.time <= 40);
	model_release(&m);
}

/* As many tests as the user allows, no matter who asks for them, and what they say counts. */
static void test_limit_of_tests(void **state)
{
	(void)state;
	static const unsigned jobs[] = {1, 2, 8, 64};
	uint32_t sym[NAMES];
	for (uint32_t i = 0; i < NAMES; i++)
		sym[i] = i;
	for (unsigned k = 0; k < 2 * ARRAY_LEN(jobs); k++)
		for (uint64_t most = 1; most < 400; most += 1 + most / 64) {
			struct model m;
			model_init(&m, sym, NAMES);
			struct in_process p = {.algorithm = algorithm_find("ddmin"),
					       .cache = &verdicts_full,
					       .interesting = one_of_each_group,
					       .jobs = jobs[k / 2],
					       .in_order = k % 2,
					       .max_queries = most,
					       .clock = CLOCK_UNIT};
			assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
			assert_int_equal(p.queries, most);
			assert_false(p.complete);
			if (most >= 64)
				assert_true(m.n < NAMES);
			model_release(&m);
		}
}

/* ---- sets of tokens and fingerprints, beside the plain way */

static void random_spans(struct rng *r, struct spans *v, bool *in)
{
	struct spans any = {0};
	memset(in, 0, TOKENS);
	for (uint64_t i = 0, n = rng_below(r, 5); i < n; i++) {
		uint32_t from = (uint32_t)rng_below(r, TOKENS), to = from + (uint32_t)rng_below(r, TOKENS - from + 1);
		vec_push(&any, ((struct span){from, to}));
		memset(in + from, 1, to - from);
	}
	spans_sort(v, &any);
	vec_release(&any);
}

static enum rc nothing_to_parse(void *user, struct err *e)
{
	(void)user, (void)e;
	return RC_OK;
}

/* How many runs of passes begin if each of them rewrites the minimum anew, turn after turn, between so
 * many texts. */
static unsigned runs_until_the_end(bool loop, const char *pass, uint32_t texts)
{
	static const uint32_t symbols[] = {1, 2, 3};
	const char *const passes[] = {pass, pass, NULL};
	const struct algorithm algorithm = {.name = "test", .passes = passes, .loop = loop};
	const struct asker asker = {.jobs = 1, .slots = 1, .rebase = nothing_to_parse};
	struct model m;
	struct plan plan;
	unsigned runs = 0;
	model_init(&m, symbols, 3);
	struct engine g = {.model = &m, .asker = &asker};
	plan_init(&plan, &g, &algorithm, NULL);
	for (; runs < 1000 && plan_begin(&plan); runs++) {
		m.min[0] = 10 + runs % texts;
		m.version++;
		g.successes++;
		assert_int_equal(plan_end_run(&plan, false, NULL), RC_OK);
	}
	plan_release(&plan);
	model_release(&m);
	return runs;
}

/* Passes that undo each other's rewriting do not do so for ever. */
static void test_rewriting_in_circles_ends(void **state)
{
	(void)state;
	assert_int_equal(runs_until_the_end(false, "ddmin", 2), 2);
	for (uint32_t texts = 2; texts < 9; texts++)
		assert_in_range(runs_until_the_end(true, "ddmin", texts), 2, 4 * texts);
	for (uint32_t texts = 2; texts < 9; texts++)
		assert_in_range(runs_until_the_end(true, "tokens", texts), 2, 8 * texts);
}

/* A plan over passes of which each run leaves the minimum smaller, as far as the engine is told. */
static void end_run(struct plan *p, bool changed)
{
	if (changed) {
		p->engine->model->min[0]++;
		p->engine->model->version++;
		p->engine->successes++;
	}
	assert_int_equal(plan_end_run(p, false, NULL), RC_OK);
}

/* A success of a run that was left came to nothing: its pass begins again, once for each minimum. */
static void test_pass_of_a_missed_success_comes_again(void **state)
{
	(void)state;
	static const uint32_t symbols[] = {1, 2, 3};
	static const char *const passes[] = {"tokens", "ddmin", "ddmin", NULL};
	const struct algorithm algorithm = {.name = "test", .passes = passes};
	const struct asker asker = {.jobs = 2, .slots = 2, .rebase = nothing_to_parse};
	struct model m;
	struct plan p;
	model_init(&m, symbols, 3);
	struct engine g = {.model = &m, .asker = &asker};
	plan_init(&p, &g, &algorithm, NULL);
	assert_true(plan_begin(&p));
	uint32_t first = p.now.number;
	plan_missed(&p, first); /* it is not over */
	end_run(&p, false);
	assert_true(plan_begin(&p));
	assert_int_equal(p.at, 1);
	plan_missed(&p, first);
	plan_missed(&p, p.now.number);
	plan_missed(&p, 0);          /* a merge */
	plan_missed(&p, UINT32_MAX); /* what nobody asked for */
	end_run(&p, true);
	assert_true(plan_begin(&p));
	assert_int_equal(p.at, 0);
	end_run(&p, false);
	assert_true(plan_begin(&p));
	assert_int_equal(p.at, 1);
	plan_missed(&p, first); /* the minimum is that of the last time */
	end_run(&p, false);
	assert_true(plan_begin(&p));
	assert_int_equal(p.at, 2);
	end_run(&p, false);
	assert_false(plan_begin(&p));
	plan_release(&p);
	model_release(&m);
}

static void test_sets_of_tokens(void **state)
{
	(void)state;
	struct rng r = {7};
	for (unsigned step = 0; step < 3000; step++) {
		struct spans a = {0}, b = {0};
		bool in_a[TOKENS], in_b[TOKENS];
		uint32_t sym[TOKENS] = {0}, weight = 0, both = 0;
		struct model m;
		random_spans(&r, &a, in_a);
		random_spans(&r, &b, in_b);
		model_init(&m, sym, TOKENS);
		bool within = true;
		for (uint32_t i = 0; i < TOKENS; i++) {
			weight += in_a[i];
			both += in_a[i] && in_b[i];
			within = within && (!in_a[i] || in_b[i]);
			assert_int_equal(spans_have(&a, i), in_a[i]);
		}
		assert_int_equal(spans_weight(&a, &m), weight);
		assert_int_equal(spans_overlap(&a, &b, &m), both);
		assert_int_equal(spans_within(&a, &b), within);
		/* without b, a is what is left of it, by its new numbers */
		struct step s = {0};
		struct edit e = {.remove = b};
		if (step_make(&s, &m, &e))
			model_apply(&m, &s);
		struct spans mapped = {0};
		spans_copy(&mapped, &a);
		spans_map(&mapped, m.rank, TOKENS);
		for (uint32_t i = 0; i < TOKENS; i++)
			if (!in_b[i])
				assert_int_equal(spans_have(&mapped, m.rank[i]), in_a[i]);
		step_release(&s);
		vec_release_all(&a, &b, &mapped);
		model_release(&m);
	}
}

/* Equal texts, made from whatever minimum, have equal numbers; others do not. */
static void test_fingerprints(void **state)
{
	(void)state;
	struct rng r = {11};
	enum { TEXTS = 400 };
	static uint32_t text[TEXTS][TOKENS];
	uint32_t len[TEXTS];
	uint64_t number[TEXTS];
	for (unsigned k = 0; k < TEXTS; k++) {
		uint32_t sym[TOKENS], n = 3 + (uint32_t)rng_below(&r, 6);
		struct model m;
		struct edit e = {0};
		struct step s = {0};
		struct fingerprint f = {0};
		for (uint32_t i = 0; i < n; i++)
			sym[i] = (uint32_t)rng_below(&r, 3);
		model_init(&m, sym, n);
		for (uint64_t i = rng_below(&r, 4); i; i--) {
			uint32_t at = (uint32_t)rng_below(&r, n);
			edit_remove(&e, at, at + 1);
		}
		if (rng_below(&r, 2))
			edit_rewrite(&e, (uint32_t)rng_below(&r, n), (uint32_t)rng_below(&r, 3));
		step_make(&s, &m, &e);
		struct variant v = step_variant(&s, &m);
		len[k] = v.n;
		variant_symbols(&v, text[k]);
		number[k] = fingerprint_of(&f, &m, &v);
		fingerprint_release(&f);
		edit_release(&e);
		step_release(&s);
		model_release(&m);
	}
	for (unsigned i = 0; i < TEXTS; i++)
		for (unsigned k = 0; k < i; k++) {
			bool same = len[i] == len[k] && memcmp(text[i], text[k], len[i] * sizeof *text[i]) == 0;
			assert_int_equal(number[i] == number[k], same);
		}
}

UNIT_TESTS(cmocka_unit_test(test_late_success_is_merged_first), cmocka_unit_test(test_late_failure_is_not_cached),
	   cmocka_unit_test(test_void_test_is_cancelled), cmocka_unit_test(test_merge_finds_the_culprit),
	   cmocka_unit_test(test_merge_finds_many_culprits), cmocka_unit_test(test_parts_are_asked_about_alone),
	   cmocka_unit_test(test_rates_are_of_all_answers), cmocka_unit_test(test_holding),
	   cmocka_unit_test(test_in_order_does_not_depend_on_time),
	   cmocka_unit_test(test_in_order_unwanted_is_unwanted), cmocka_unit_test(test_same_text_of_other_tokens),
	   cmocka_unit_test(test_what_was_said_is_forgotten), cmocka_unit_test(test_line_is_merged_on_the_way),
	   cmocka_unit_test(test_line_does_not_wait_long), cmocka_unit_test(test_line_of_many_jobs_does_not_wait),
	   cmocka_unit_test(test_good_prefix_is_committed), cmocka_unit_test(test_overtaken_merges_are_cancelled),
	   cmocka_unit_test(test_rewriting_in_circles_ends),
	   cmocka_unit_test(test_pass_of_a_missed_success_comes_again), cmocka_unit_test(test_limit_of_tests),
	   cmocka_unit_test(test_sets_of_tokens), cmocka_unit_test(test_fingerprints))
