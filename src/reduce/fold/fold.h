/* SPDX-License-Identifier: MIT */
/* Several jobs: tests run at the same time, against the minimum of the moment they were asked, and what they say is
 * folded into one minimum in the order in which it comes.
 *
 *	   pass ── candidates ──> held ──> asked ──> failed: told to the pass, kept in the cache
 *	                                     │
 *	                                     └─────> success ──> minimum, if it lacks all that one lacks
 *	                                                │
 *	                                                └──> waiting ──> line ──> merged: minimum
 *
 * A test keeps its edit and the set of base tokens gone from its text. Rules:
 *  1. Commit. A success becomes the minimum at once if what is gone from the minimum is gone from its text too, and
 *     what stands first in the line as well (it shows that a prefix of the line is good). Any other success waits for
 *     the line: its edit is merged with the others.
 *  2. A test is never cancelled because the minimum moved, only when its edit is void: all of it is gone already, or an
 *     alternative to it succeeded. Even then it goes on for as long as its text may be asked about again.
 *  3. A late failure goes into the cache only if what is gone from the minimum is gone from its text too (it is a
 *     variant of the minimum); it counts as the candidate's failure all the same.
 *  4. The line (line.c) is a sequence of successes; prefixes of it are tested. The longest good one is committed at
 *     once; between it and the shortest bad one the search goes on until one culprit is left, which is dropped. Where
 *     merges fail often there are many culprits: while prefixes are tested each part is also asked about alone, so
 *     that all that does not fit the minimum any more goes at once. Workers that would be idle ask what is left of
 *     the line should some of its parts not fit (guess.c).
 *  5. New candidates are tested on top of the line while merges mostly succeed; the first success there commits all of
 *     it, so with few jobs the line itself is tested only when some failed there. A failure there counts when all parts
 *     it stands on were committed; if one was dropped the candidate is asked again.
 *  6. Holding (hold.c). A candidate is asked if it will probably still be wanted when what runs now is decided; others
 *     are held. Workers stay idle rather than test what is probably pointless.
 *  7. When little is undecided the next run of a pass begins; edits are taken over into the new parse (remap.c).
 *  8. While workers would be idle and little is to be hoped for, passes whose turn has not come begin ahead of it, on
 *     the base of now. When it comes they go on; if there is a new parse by then they begin anew, and only what they
 *     found is kept.
 *
 * With engine->in_order outcomes count in the order of the questions, a fixed number at a time, and nothing is
 * cancelled: then the run depends on the verdicts alone and not on how long each took. */
#ifndef REDUCE_RUN_FOLD_H
#define REDUCE_RUN_FOLD_H

#include "reduce/model/fingerprint.h"
#include "reduce/model/spans.h"
#include "reduce/fold/asked.h"
#include "reduce/fold/known.h"
#include "reduce/fold/plan.h"

/* Something undecided that a held candidate overlaps with, and the chance that this leaves the candidate wanted. */
struct obstacle {
	uint64_t id;
	double chance;
};

/* A candidate or a merge, from its making to its verdict. */
struct test {
	uint64_t id;
	uint32_t run; /* of the plan; 0: a merge */
	struct candidate c;
	struct spans removed; /* c.edit.remove in order */
	unsigned rate;        /* of its kind, see struct fold */
	/* held */
	uint32_t weight; /* tokens of the minimum in removed */
	VEC(struct obstacle) obstacles;
	double chance; /* of their product */
	bool later;    /* the line leaves nothing of it to ask about for now */
	/* asked */
	struct step step; /* what is tested; step.gone and step.rewrite are kept up to date through new parses */
	uint64_t version, rewrites; /* of the minimum it was made against */
	uint64_t text;              /* fingerprint of its tokens, */
	uint64_t printed;           /* and of what they print, where that is known */
	unsigned slot;
	bool stale;     /* a new parse came and the text is not a variant of it */
	bool done;      /* it has its answer */
	bool pointless; /* the answer will not count */
	bool untested;  /* the answer is not the test's */
	bool uncounted; /* it was tested and is not among the useful, merges and wasted yet */
	bool given_up;  /* at a new parse, while it was tested */
	enum answer answer;
	struct complaints *said; /* c.said */
	uint64_t upto;           /* a merge: the last part of the line in it, */
	uint64_t alone;          /* or the only one */
	VEC(uint64_t) without;   /* parts before the last that are left out, ascending */
	uint64_t stands;         /* on the line, up to this part; 0: on the minimum */
	bool broken;             /* one of these was dropped */
};

struct tests {
	VEC_FIELDS(struct test *);
};

/* A success that is not part of the minimum yet. */
struct part {
	uint64_t id; /* as a test's; ascending in the line */
	uint32_t run;
	struct candidate c;
	struct spans removed;
	uint64_t made;  /* id of the candidate */
	uint64_t alone; /* version of the minimum against which it was asked about alone */
	bool uncounted; /* as its test */
};

struct parts {
	VEC_FIELDS(struct part);
};

enum { RATES = 64 };

struct fold {
	struct engine *engine;
	struct plan *plan;
	unsigned jobs, slots;
	bool in_order, closing; /* closing: whatever runs is given up */
	struct test **slot;     /* who is asked in it, or NULL */
	unsigned busy;
	struct tests asked; /* oldest first */
	struct tests held;  /* in the order they were made */
	struct tests limbo; /* failed on top of a line that is undecided */
	struct parts waiting, line;
	uint64_t bad;       /* the last part of the shortest prefix of the line that failed; 0: none did */
	bool loose;         /* the line has many culprits */
	double bad_rate;    /* how often merges fail, of late */
	double part_rate;   /* how often successes that wait come into the minimum, of late */
	uint64_t ids;       /* of tests and parts, counted */
	uint64_t rewrites;  /* minima that rewrote a token */
	double rate[RATES]; /* how often candidates of a pass and class succeed, of late */
	struct fingerprint fingerprint;
	struct asked_texts texts;
	bool skip;   /* the user wants the next pass */
	bool enough; /* no test is to begin any more */
};

/* fold.c */
enum rc fold_run(struct plan *p, struct err *e);
/* Whether another test may begin: there is a slot, and the user does not want to stop. */
bool fold_room(struct fold *f);
/* Tells the pass, if it is still the one that made the candidate; id: the candidate's. */
void fold_tell(struct fold *f, uint32_t run, uint64_t id, const struct candidate *c, bool success);
struct test *test_new(struct fold *f);
/* What was said about its text is forgotten: it is to be asked again, about another. */
void test_forget_said(struct test *t);
/* One that is not counted yet was wasted. */
void test_free(struct fold *f, struct test *t);
void tests_remove(struct tests *v, const struct test *t);
void part_release(struct fold *f, struct part *p);
/* Counts a test, once. */
void fold_count(bool *uncounted, uint64_t *as);

/* issue.c */
enum issued { ISSUED, ISSUED_DECIDED, ISSUED_NOT_NOW };
/* Asks about t, which is in no list. DECIDED: it was known, its outcome is taken and t is gone or elsewhere.
 * NOT_NOW: t is still the caller's. */
enum rc fold_issue(struct fold *f, struct test *t, enum issued *what, struct err *e);
/* The minimum that the edit of t was made for. A merge is of many edits: the oldest counts. */
enum made_for fold_made_for(const struct fold *f, const struct test *t);
/* A test's verdict is not wanted any more. t is in f->asked; it goes, or stays until its turn comes (in order) or the
 * test is over, if another candidate may make the same text. */
void fold_cancel(struct fold *f, struct test *t);

/* outcome.c */
/* t, in no list, has its verdict; it is freed or goes elsewhere. */
enum rc fold_outcome(struct fold *f, struct test *t, struct err *e);
/* Whether what is gone from the minimum is gone from t's text too. */
bool fold_contains(const struct fold *f, const struct test *t);
/* And whether it may become the minimum as it is. What rewrites words may bring back what went since, inside a longer
 * word: it is asked about again, as a merge, and if that makes the same text the verdict is known. */
bool fold_fits(const struct fold *f, const struct test *t);
/* t's text becomes the minimum; what is void then goes. */
enum rc fold_commit(struct fold *f, const struct test *t, struct err *e);
/* The test said no about t's text. */
void fold_remember(struct fold *f, const struct test *t);
/* Alternatives to c, which succeeded, go. */
void fold_drop_group(struct fold *f, uint32_t run, uint32_t group);
bool fold_void(const struct fold *f, const struct edit *e, const struct spans *removed);
/* Parts left the line: what stood on it is decided now. */
void fold_settle(struct fold *f);

/* line.c */
/* Asks about prefixes of the line as long as there are slots. idle: there are no candidates to test on top of it. */
enum rc line_launch(struct fold *f, bool idle, struct err *e);
enum rc line_result(struct fold *f, struct test *t, struct err *e);
/* Takes a part out that is not to be merged any more. */
void line_drop(struct fold *f, size_t at);
void line_wait(struct fold *f, struct part p);
/* A part that has left the line need not be asked about alone. */
void line_forget(struct fold *f, uint64_t id);
/* Whether a merge lacks that part although it goes further. */
bool line_leaves_out(const struct test *t, uint64_t id);
/* Whether new candidates are to be tested on top of the line. */
bool line_carries(const struct fold *f);

/* guess.c */
/* Asks about the line without parts that may not fit, as long as there are slots. */
enum rc line_guess(struct fold *f, struct err *e);

/* hold.c */
/* Puts t among the held. */
void hold_add(struct fold *f, struct test *t);
/* Sets t->chance and what it depends on. */
void hold_weigh(const struct fold *f, struct test *t);
/* t was asked; something that held candidates overlap with is decided. */
void hold_block(struct fold *f, const struct test *t);
void hold_block_part(struct fold *f, const struct part *p);
void hold_unblock(struct fold *f, uint64_t id);
/* The first held candidate worth asking, or SIZE_MAX; the likeliest one even if it is not. */
size_t hold_first(const struct fold *f);
size_t hold_best(const struct fold *f);
/* How many successes are to be expected of what is undecided in runs up to that one. */
double hold_hopes(const struct fold *f, uint32_t upto);
/* So many of n tests of a kind succeeded. */
void hold_learn(struct fold *f, unsigned rate, unsigned n, unsigned successes);
/* Learns from those of the n oldest tests that are done, before the first of them counts. All together: taken one by
 * one, in the order in which they count, the last ones (successes) would make up the rate. */
void hold_learn_done(struct fold *f, size_t n);
#define HOLD_ASK 0.5     /* chance from which a candidate is asked, */
#define HOLD_IDLE 0.05   /* when workers would be idle, */
#define HOLD_LEAST 0.001 /* when most would, and there is nothing to guess about the line either */

/* remap.c */
/* Ends the run of the plan: see plan_end_run. What is undecided is taken over into the new parse. */
enum rc fold_end_run(struct fold *f, bool skip, struct err *e);

#ifdef RF_INVARIANTS
void fold_check(const struct fold *f);
#else
#define fold_check(f) ((void)(f))
#endif

#endif
