/* SPDX-License-Identifier: MIT */
/* The pass "blanks": as little white space as the tokens need. A line break stays where a statement begins or a block
 * ends, so that the result can still be read, and wherever it may have a meaning (directives, Python, JavaScript's and
 * Go's statements). One question for the whole program. It comes early, since every text after it is another one; what
 * later passes take away leaves no blanks behind. */
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_LEFT = 2000 }; /* tokens of a program that is worth it */

struct blanks {
	struct pass_state pass;
	struct buf text;
	size_t file; /* the next to look at */
};

/* A line break between two tokens that is only there for the reader, and that he can do without. */
static bool is_idle(const struct syntax *x, const struct syn_token *next)
{
	enum language_id id = x->language->id;
	return (id == LANG_C || id == LANG_CPP || id == LANG_RUST || id == LANG_JAVA || id == LANG_JSON) &&
	       !(next->flags & TOKEN_STATEMENT) && x->text[next->at] != '}';
}

/* What stands between token t − 1 and token t, made shorter. */
static void add_gap(struct buf *out, const struct syntax *x, uint32_t t)
{
	const struct syn_token *a = &x->token[t - 1], *b = &x->token[t];
	const char *gap = x->text + a->at + a->len;
	size_t n = b->at - (a->at + a->len);
	if (a->line || b->line || (a->flags | b->flags) & (TOKEN_LINE_END | TOKEN_LAYOUT))
		buf_add(out, gap, n);
	else if (memchr(gap, '\n', n) && !is_idle(x, b))
		buf_char(out, '\n');
	else if (n && syntax_glues(x->text + a->at, a->len, x->text[b->at]))
		buf_char(out, ' ');
}

static bool make_text(const struct syntax *x, struct buf *out)
{
	buf_clear(out);
	for (uint32_t t = 0; t < x->n_tokens; t++) {
		if (t)
			add_gap(out, x, t);
		buf_add(out, x->text + x->token[t].at, x->token[t].len);
	}
	/* what stands before the first token and after the last one stays */
	const struct syn_token *last = &x->token[x->n_tokens - 1];
	return out->n < last->at + last->len - x->token[0].at;
}

static void blanks_begin(void *state)
{
	struct blanks *s = state;
	struct model *m = s->pass.model;
	s->file = m->n > MAX_LEFT ? m->n_files : 0;
}

static enum made blanks_next(void *state, struct candidate *out, enum guess guess)
{
	struct blanks *s = state;
	(void)guess;
	for (; s->file < s->pass.model->n_files; s->file++) {
		const struct base_file *f = &s->pass.model->file[s->file];
		/* the tokens are those of the parse as long as nothing was deleted */
		if (!f->tree || !f->n || model_count(s->pass.model, f->first, f->first + f->n) != f->n ||
		    !make_text(f->syntax, &s->text))
			continue;
		edit_rewrite(&out->edit, f->first, model_symbol(s->pass.model, f->first, buf_str(&s->text), s->text.n));
		edit_remove(&out->edit, f->first + 1, f->first + f->n);
		out->class = CLASS_REPLACE;
		s->file++;
		return MADE_ONE;
	}
	return MADE_END;
}

static void blanks_release(void *state)
{
	struct blanks *s = state;
	buf_release(&s->text);
}

static const struct pass_frame frame = {sizeof(struct blanks), blanks_next, NULL, blanks_release, NULL};

const struct pass pass_blanks = {"blanks", "as little white space as the tokens need", PASS_TREE, blanks_begin, &frame};
