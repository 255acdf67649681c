/* SPDX-License-Identifier: MIT */
/* The pass "chars": shorter tokens. Characters go from inside words and literals: chunks from the end, half as large
 * each time. All tokens with the same text are shortened alike, so that a name still means the same everywhere. A word
 * is only cut from its end (what is left of a name matters little, so few queries are worth it); a literal loses any
 * chunk; quotes stay. */
#include "reduce/syntax/syntax.h"
#include "reduce/pass/pass.h"

#include <string.h>

/* Base tokens with one text. */
struct word {
	uint32_t first; /* in members */
	uint32_t n;
};

struct words_shared {
	uint32_t refs;
	struct {
		VEC_FIELDS(uint32_t);
	} member;
	struct {
		VEC_FIELDS(struct word);
	} word;
};

struct chars {
	struct model *model;
	struct words_shared *words;
	size_t next;
	bool begun;
	/* the word at hand */
	char *text;
	uint32_t len;
	uint32_t head, tail; /* bytes at both ends that stay */
	uint32_t chunk, from, to;
	bool from_end_only;
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

static void *chars_start(struct model *m, uint64_t seed)
{
	struct chars *s = mem_zalloc(sizeof *s);
	struct words_shared *w = mem_zalloc(sizeof *w);
	(void)seed;
	w->refs = 1;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (shortenable(m, i))
			vec_push(&w->member, i);
	if (w->member.n)
		qsort_r(w->member.at, w->member.n, sizeof *w->member.at, by_symbol, m->sym);
	for (uint32_t i = 0; i < w->member.n; i++) {
		if (i && m->sym[w->member.at[i]] == m->sym[w->member.at[i - 1]])
			vec_last(&w->word).n++;
		else
			vec_push(&w->word, ((struct word){i, 1}));
	}
	s->model = m;
	s->words = w;
	return s;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`' || c == '/';
}

/* Which bytes of the text may go: from head to len − tail. */
static bool word_start(struct chars *s)
{
	uint32_t base = s->words->member.at[s->words->word.at[s->next].first];
	const struct syntax *x;
	const struct syn_token *t = token_of(s->model, base, &x);
	size_t len;
	const char *text = model_text(s->model, base, &len);
	free(s->text);
	s->text = mem_dup(text, len);
	s->len = (uint32_t)len;
	s->from_end_only = t->flags & TOKEN_WORD;
	s->head = 1;
	s->tail = 0;
	if (t->flags & TOKEN_LITERAL) {
		/* a prefix (L, r#, f) and the quotes stay */
		uint32_t q = 0;
		while (q < len && !is_quote(text[q]))
			q++;
		if (q < len) {
			s->head = q + 1;
			while (s->tail < len && !is_quote(text[len - 1 - s->tail]))
				s->tail++;
			s->tail++;
		}
	}
	if (s->head + s->tail >= len)
		return false;
	s->chunk = s->len - s->head - s->tail;
	s->from = s->len - s->tail;
	s->begun = true;
	return true;
}

/* The next chunk of the word at hand. */
static bool word_next(struct chars *s)
{
	uint32_t end = s->len - s->tail;
	if (s->from <= s->head || (s->from_end_only && s->from < end)) {
		s->chunk /= 2;
		s->from = end;
	}
	if (!s->chunk || end <= s->head)
		return false;
	s->to = s->from;
	s->from = s->to - s->head > s->chunk ? s->to - s->chunk : s->head;
	return true;
}

/* Somebody else (a merged success) may have deleted or shortened it. */
static bool still_there(const struct chars *s, uint32_t base)
{
	size_t len;
	const char *text = model_text(s->model, base, &len);
	return model_has(s->model, base) && len == s->len && memcmp(text, s->text, len) == 0;
}

static bool chars_next(void *state, struct edit *out)
{
	struct chars *s = state;
	for (; s->next < s->words->word.n; s->next++, s->begun = false) {
		const struct word *w = &s->words->word.at[s->next];
		if ((!s->begun && !word_start(s)) || !word_next(s))
			continue;
		uint32_t len = s->len - (s->to - s->from);
		char *text = mem_alloc(len);
		memcpy(text, s->text, s->from);
		memcpy(text + s->from, s->text + s->to, s->len - s->to);
		for (uint32_t i = 0; i < w->n; i++) {
			uint32_t base = s->words->member.at[w->first + i];
			if (still_there(s, base))
				edit_rewrite(out, base, model_symbol(s->model, base, text, len));
		}
		free(text);
		return true;
	}
	return false;
}

static void chars_result(void *state, bool success)
{
	struct chars *s = state;
	if (!success)
		return;
	memmove(s->text + s->from, s->text + s->to, s->len - s->to);
	s->len -= s->to - s->from;
	if (s->from_end_only)
		s->from = s->len; /* the same size once more */
}

static void *chars_clone(const void *state)
{
	const struct chars *from = state;
	struct chars *s = mem_dup(from, sizeof *from);
	s->words->refs++;
	s->text = from->text ? mem_dup(from->text, from->len) : NULL;
	return s;
}

static void chars_free(void *state)
{
	struct chars *s = state;
	if (--s->words->refs == 0) {
		vec_release_all(&s->words->member, &s->words->word);
		free(s->words);
	}
	free(s->text);
	free(s);
}

const struct pass pass_chars = {
	"chars", "shorter words and literals", 0, chars_start, chars_next, chars_result, chars_clone, chars_free};
