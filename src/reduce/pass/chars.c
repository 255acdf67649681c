/* SPDX-License-Identifier: MIT */
/* The pass "chars": shorter tokens. Characters go from inside words and literals: chunks from the end, half as large
 * each time. All tokens with the same text are shortened alike, so that a name still means the same everywhere. A word
 * is only cut from its end (what is left of a name matters little, so few queries are worth it); a literal loses any
 * chunk; quotes stay. Words do not depend on one another: while the chunk of one is undecided the next is begun. */
#include "reduce/syntax/syntax.h"
#include "reduce/pass/pass.h"

#include <string.h>

/* Base tokens with one text. */
struct word {
	uint32_t first; /* in members */
	uint32_t n;
};

/* A word at hand. */
struct task {
	uint32_t word;
	char *text;
	uint32_t len;
	uint32_t head, tail; /* bytes at both ends that stay */
	uint32_t chunk, from;
	uint32_t open; /* candidates undecided */
	bool from_end_only;
};

struct chars {
	struct pass_state pass;
	VEC(uint32_t) member;
	VEC(struct word) word;
	size_t next;
	VEC(struct task) task; /* in the order of their words */
};

static const struct syn_token *token_of(const struct model *m, uint32_t base, const struct syntax **x)
{
	const struct base_file *f = m->file;
	while (base >= f->first + f->n)
		f++;
	*x = f->syntax;
	return &f->syntax->token[base - f->first];
}

static bool shortenable(const struct model *m, uint32_t base)
{
	const struct syntax *x;
	const struct syn_token *t = token_of(m, base, &x);
	size_t len;
	model_text(m, base, &len);
	return len > 1 && x->language->grammar && t->flags & (TOKEN_WORD | TOKEN_LITERAL) && model_has(m, base);
}

static int by_symbol(const void *a, const void *b, void *user)
{
	const uint32_t *sym = user, x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (sym[x] != sym[y])
		return sym[x] < sym[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void chars_begin(void *state)
{
	struct chars *s = state;
	struct model *m = s->pass.model;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (shortenable(m, i))
			vec_push(&s->member, i);
	if (s->member.n)
		qsort_r(s->member.at, s->member.n, sizeof *s->member.at, by_symbol, m->sym);
	for (uint32_t i = 0; i < s->member.n; i++) {
		if (i && m->sym[s->member.at[i]] == m->sym[s->member.at[i - 1]])
			vec_last(&s->word).n++;
		else
			vec_push(&s->word, ((struct word){i, 1}));
	}
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`' || c == '/';
}

/* Which bytes of the text may go: from head to len − tail. False: none. */
static bool word_start(const struct chars *s, struct task *t, uint32_t word)
{
	uint32_t base = s->member.at[s->word.at[word].first];
	const struct syntax *x;
	const struct syn_token *k = token_of(s->pass.model, base, &x);
	size_t len;
	const char *text = model_text(s->pass.model, base, &len);
	*t = (struct task){.word = word, .len = (uint32_t)len, .from_end_only = k->flags & TOKEN_WORD, .head = 1};
	if (k->flags & TOKEN_LITERAL) {
		/* a prefix (L, r#, f) and the quotes stay */
		uint32_t q = 0;
		while (q < len && !is_quote(text[q]))
			q++;
		if (q < len) {
			t->head = q + 1;
			while (t->tail < len && !is_quote(text[len - 1 - t->tail]))
				t->tail++;
			t->tail++;
		}
	}
	if (t->head + t->tail >= len)
		return false;
	t->text = mem_dup(text, len);
	t->chunk = t->len - t->head - t->tail;
	t->from = t->len - t->tail;
	return true;
}

/* Somebody else (a merged success) may have deleted or shortened it. */
static bool still_there(const struct chars *s, const struct task *t, uint32_t base)
{
	size_t len;
	const char *text = model_text(s->pass.model, base, &len);
	return model_has(s->pass.model, base) && len == t->len && memcmp(text, t->text, len) == 0;
}

/* The next chunk of the word, as long as none is undecided. */
static enum made word_next(struct chars *s, struct task *t, struct candidate *out, bool guess)
{
	uint32_t end = t->len - t->tail;
	if (t->open && !guess)
		return MADE_NONE;
	if (t->from <= t->head || (t->from_end_only && t->from < end)) {
		t->chunk /= 2;
		t->from = end;
	}
	if (!t->chunk || end <= t->head)
		return t->open ? MADE_NONE : MADE_END;
	uint32_t to = t->from;
	t->from = to - t->head > t->chunk ? to - t->chunk : t->head;
	uint32_t len = t->len - (to - t->from);
	char *text = mem_alloc(len);
	memcpy(text, t->text, t->from);
	memcpy(text + t->from, t->text + to, t->len - to);
	const struct word *w = &s->word.at[t->word];
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t base = s->member.at[w->first + i];
		if (still_there(s, t, base))
			edit_rewrite(&out->edit, base, model_symbol(s->pass.model, base, text, len));
	}
	free(text);
	out->task = t->word;
	out->group = t->word + 1;
	out->part = t->len;
	out->from = t->from;
	out->to = to;
	t->open++;
	return MADE_ONE;
}

static void task_end(struct chars *s, size_t at)
{
	free(s->task.at[at].text);
	memmove(s->task.at + at, s->task.at + at + 1, (--s->task.n - at) * sizeof *s->task.at);
}

static enum made chars_next(void *state, struct candidate *out, enum guess guess)
{
	struct chars *s = state;
	for (size_t i = 0; i < s->task.n;) {
		enum made made = word_next(s, &s->task.at[i], out, false);
		if (made == MADE_ONE)
			return made;
		if (made == MADE_END)
			task_end(s, i);
		else
			i++;
	}
	while (s->next < s->word.n) {
		struct task t;
		if (word_start(s, &t, (uint32_t)s->next++)) {
			vec_push(&s->task, t);
			if (word_next(s, &vec_last(&s->task), out, false) == MADE_ONE)
				return MADE_ONE;
		}
	}
	for (size_t i = 0; guess && i < s->task.n; i++)
		if (word_next(s, &s->task.at[i], out, true) == MADE_ONE)
			return MADE_ONE;
	return s->task.n ? MADE_NONE : MADE_END;
}

static void chars_result(void *state, const struct candidate *c, bool success)
{
	struct chars *s = state;
	size_t i = 0;
	while (i < s->task.n && s->task.at[i].word != c->task)
		i++;
	if (i == s->task.n)
		return;
	struct task *t = &s->task.at[i];
	t->open--;
	/* several succeed when the word is gone: then each was of the text before the first */
	if (!success || c->part != t->len)
		return;
	memmove(t->text + c->from, t->text + c->to, t->len - c->to);
	t->len -= c->to - c->from;
	/* chunks asked about since were of the longer text; a word is cut by the same size once more */
	t->from = t->from_end_only ? t->len : c->from;
}

static void chars_release(void *state)
{
	struct chars *s = state;
	while (s->task.n)
		task_end(s, s->task.n - 1);
	vec_release_all(&s->member, &s->word, &s->task);
}

static const struct pass_frame frame = {sizeof(struct chars), chars_next, chars_result, chars_release, NULL};

const struct pass pass_chars = {"chars", "shorter words and literals", 0, chars_begin, &frame};
