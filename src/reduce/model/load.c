/* SPDX-License-Identifier: MIT */
/* Files to base and back: see load.h. */
#include "reduce/model/load.h"

#include "reduce/syntax/syntax.h"
#include "reduce/model/symbols.h"

#include <string.h>

#define MAX_FILES (1u << 23)

/* Tokens of one class may stand in place of one another: those of one file, one grain and one kind of line. */
static uint32_t class_of(const struct base_file *f, size_t file, const struct syn_token *t)
{
	uint32_t grain = f->syntax->language == f->language ? 0 : f->syntax->language->id + 1u;
	return grain << 24 | (uint32_t)file << 1 | !!(t->flags & TOKEN_LINE_START);
}

/* Symbols and ranges of all files, once each has its syntax. */
static enum rc number_tokens(struct model *m, struct err *e)
{
	uint64_t n = 0;
	for (size_t i = 0; i < m->n_files; i++) {
		m->file[i].first = (uint32_t)n;
		m->file[i].n = m->file[i].syntax->n_tokens;
		const struct language *l = m->file[i].syntax->language;
		m->file[i].tree = l->grammar || language_is_lists(l);
		n += m->file[i].n;
	}
	if (n >= UINT32_MAX)
		return err_set(e, RC_INPUT, "the files have too many tokens");
	m->n_tokens = (uint32_t)n;
	m->sym = mem_realloc(m->sym, mem_mul(n, sizeof *m->sym));
	for (size_t i = 0; i < m->n_files; i++) {
		const struct syntax *s = m->file[i].syntax;
		for (uint32_t t = 0; t < s->n_tokens; t++)
			m->sym[m->file[i].first + t] = symbols_add(m->symbols, class_of(&m->file[i], i, &s->token[t]),
								   s->text + s->token[t].at, s->token[t].len);
	}
	free(m->guard);
	m->guard = NULL;
	model_reset_minimum(m);
	return RC_OK;
}

enum rc model_load(struct model *m, const struct source *src, size_t n, struct err *e)
{
	enum rc rc = RC_OK;
	if (n > MAX_FILES)
		return err_set(e, RC_INPUT, "too many files: %zu", n);
	m->symbols = mem_zalloc(sizeof *m->symbols);
	m->file = mem_zalloc(mem_mul(n, sizeof *m->file));
	m->n_files = n;
	for (size_t i = 0; i < n && rc == RC_OK; i++) {
		m->file[i].name = src[i].name;
		m->file[i].finest = language_finest(src[i].text, src[i].n);
		rc = syntax_parse(&m->file[i].syntax, src[i].language, src[i].text, src[i].n, e);
		if (rc == RC_OK)
			m->file[i].language = m->file[i].coarse = m->file[i].syntax->language;
	}
	return rc == RC_OK ? number_tokens(m, e) : rc;
}

void model_unload(struct model *m)
{
	for (size_t i = 0; i < m->n_files; i++)
		syntax_free(m->file[i].syntax);
	if (m->symbols)
		symbols_release(m->symbols);
	free(m->symbols);
	model_release(m);
}

/* The rewrites of one file, those of the minimum and the step's merged (the step's win), as the printer wants them. */
static struct syn_rewrite *rewrites_of(const struct model *m, const struct base_file *f, const struct rewrites *more,
				       size_t *n)
{
	size_t n_more = more ? more->n : 0, i = 0, j = 0;
	*n = 0;
	if (!m->rewritten.n && !n_more)
		return NULL;
	struct syn_rewrite *out = mem_alloc(mem_mul(m->rewritten.n + n_more, sizeof *out));
	while (i < m->rewritten.n || j < n_more) {
		struct rewrite r;
		if (i == m->rewritten.n || (j < n_more && more->at[j].token <= m->rewritten.at[i].token)) {
			i += i < m->rewritten.n && m->rewritten.at[i].token == more->at[j].token;
			r = more->at[j++];
		} else {
			r = m->rewritten.at[i++];
		}
		if (r.token >= f->first && r.token < f->first + f->n) {
			const struct symbol *y = &m->symbols->at[r.sym];
			out[(*n)++] = (struct syn_rewrite){r.token - f->first, y->len, y->text};
		}
	}
	return out;
}

static void print(const struct model *m, size_t file, const struct spans *gone, const struct rewrites *more,
		  struct buf *out, struct syn_pieces *pieces)
{
	const struct base_file *f = &m->file[file];
	VEC(struct syn_run) keep = {0};
	uint32_t at = f->first, end = f->first + f->n;
	for (size_t i = 0; i <= gone->n && at < end; i++) {
		uint32_t stop = i < gone->n && gone->at[i].from < end ? gone->at[i].from : end;
		if (at < stop)
			vec_push(&keep, ((struct syn_run){at - f->first, stop - f->first}));
		at = stop > at ? stop : at;
		if (i < gone->n && gone->at[i].to > at)
			at = gone->at[i].to;
	}
	size_t n_rewrites;
	struct syn_rewrite *rw = rewrites_of(m, f, more, &n_rewrites);
	syntax_print_pieces(f->syntax, keep.at, keep.n, rw, n_rewrites, out, pieces);
	free(rw);
	vec_release(&keep);
}

void model_print(const struct model *m, size_t file, const struct step *s, struct buf *out)
{
	print(m, file, &s->gone, &s->rewrite, out, NULL);
}

void model_print_pieces(const struct model *m, size_t file, const struct step *s, struct buf *out,
			struct syn_pieces *pieces)
{
	print(m, file, &s->gone, &s->rewrite, out, pieces);
}

void model_print_minimum(const struct model *m, size_t file, struct buf *out)
{
	print(m, file, &m->gone, NULL, out, NULL);
}

/* Parses a text so that printing it gives the same text again: white space alone may be no token of its language,
 * and what was tested would be lost. Characters have no such gaps. */
static enum rc parse_exactly(struct syntax **out, const struct language *l, const struct buf *text, struct err *e)
{
	enum rc rc = syntax_parse(out, l, buf_str(text), text->n, e);
	if (rc != RC_OK)
		return rc;
	struct buf again = {0};
	struct syn_run all = {0, (*out)->n_tokens};
	syntax_print(*out, &all, all.to > 0, NULL, 0, &again);
	bool same = again.n == text->n && (again.n == 0 || memcmp(again.at, text->at, again.n) == 0);
	buf_release(&again);
	if (same)
		return RC_OK;
	syntax_free(*out);
	return syntax_parse(out, &languages[LANG_CHARS], buf_str(text), text->n, e);
}

/* Parses the minimum anew, file i as language[i]. */
static enum rc parse_minimum(struct model *m, const struct language *const *language, struct err *e)
{
	enum rc rc = RC_OK;
	struct buf text = {0};
	for (size_t i = 0; i < m->n_files && rc == RC_OK; i++) {
		struct syntax *fresh;
		buf_clear(&text);
		model_print_minimum(m, i, &text);
		rc = parse_exactly(&fresh, language[i], &text, e);
		if (rc != RC_OK)
			break;
		/* later files are still printed from the old numbers: only the syntax changes here */
		syntax_free(m->file[i].syntax);
		m->file[i].syntax = fresh;
	}
	buf_release(&text);
	return rc == RC_OK ? number_tokens(m, e) : rc;
}

enum rc model_rebase(struct model *m, struct err *e)
{
	if (m->n_files && !m->file->syntax) {
		model_compact(m);
		return RC_OK;
	}
	const struct language **language = mem_alloc(mem_mul(m->n_files, sizeof *language));
	for (size_t i = 0; i < m->n_files; i++)
		language[i] = m->file[i].syntax->language;
	enum rc rc = parse_minimum(m, language, e);
	free(language);
	return rc;
}

/* The language of the grain for a file whose minimum is text. */
static const struct language *regrained(struct base_file *f, enum grain to, const struct buf *text)
{
	const struct language *now = f->syntax->language, *finer;
	switch (to) {
	case GRAIN_FINER:
		finer = language_finer(now, buf_str(text), text->n);
		if (finer)
			f->coarse = finer;
		return finer ? finer : now;
	case GRAIN_CHARS:
		return language_by_chars(f->coarse, buf_str(text), text->n) ? f->finest : now;
	default:
		return f->coarse;
	}
}

enum rc model_regrain(struct model *m, enum grain to, bool *changed, struct err *e)
{
	const struct language **language = mem_alloc(mem_mul(m->n_files, sizeof *language));
	struct buf text = {0};
	*changed = false;
	for (size_t i = 0; i < m->n_files; i++) {
		buf_clear(&text);
		model_print_minimum(m, i, &text);
		language[i] = regrained(&m->file[i], to, &text);
		*changed = *changed || language[i] != m->file[i].syntax->language;
	}
	enum rc rc = *changed ? parse_minimum(m, language, e) : RC_OK;
	buf_release(&text);
	free(language);
	return rc;
}

static uint64_t count_tokens(const struct syntax *s)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < s->n_tokens; i++)
		n += !(s->token[i].flags & (TOKEN_COMMENT | TOKEN_LAYOUT));
	return n;
}

uint64_t model_file_tokens(const struct model *m, size_t file)
{
	const struct base_file *f = &m->file[file];
	uint64_t n = 0;
	if (f->syntax->language == f->language) {
		for (uint32_t t = 0; t < f->n; t++)
			n += model_has(m, f->first + t) &&
			     !(f->syntax->token[t].flags & (TOKEN_COMMENT | TOKEN_LAYOUT));
		return n;
	}
	struct buf text = {0};
	struct syntax *s;
	struct err e = ERR_INIT;
	model_print_minimum(m, file, &text);
	if (syntax_parse(&s, f->language, buf_str(&text), text.n, &e) == RC_OK) {
		n = count_tokens(s);
		syntax_free(s);
	}
	buf_release(&text);
	return n;
}
