/* Printing a subset of the tokens so that it reads back as these tokens.
 *
 * Between two tokens that were neighbours in the text the white space stays. Between others there is: a new line
 * where a directive or a line comment ends or a directive starts; a new line for the reader (or, before a statement, for
 * the language) where the text had one beside either token; a space where the two would glue; else nothing. Spaces are
 * given generously: glues() may say yes where the lexer would cope, never no where it would not.
 *
 * Python: as soon as one token is missing every logical line is indented anew, by one space for each enclosing block
 * whose colon is kept. A statement whose header is gone thus moves out to where the header stood. */
#include "core/syntax_impl.h"

#include <string.h>

struct printer {
	const struct syntax_full *f;
	const struct language_traits *traits;
	const uint32_t *kept;
	size_t n;
	const struct syn_rewrite *rewrite, *rewrite_end;
	struct buf *out;
	uint32_t *depth; /* of each block: its colon and those around it that are kept */
};

static bool is_word(char c)
{
	unsigned char u = (unsigned char)c;
	return u >= 0x80 || (u >= '0' && u <= '9') || ((u | 32) >= 'a' && (u | 32) <= 'z') || u == '_' || u == '$';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool is_operator(char c)
{
	return c && strchr("+-*/%&|^<>=!~.:?#@\\", c) != NULL;
}

/* Whether b written right after a could read as anything but a and b. */
static bool glues(const char *a, size_t n, char b)
{
	char first = a[0], last = a[n - 1];
	if (is_word(last) || is_quote(last)) {
		if (is_word(b) || is_quote(b) || b == '#')
			return true;
		/* 1 .x, 0x1e +1 */
		return (is_digit(first) || first == '.') && (b == '.' || b == '+' || b == '-');
	}
	if (is_word(b) || is_quote(b)) {
		if (last == '.')
			return is_digit(b) || is_digit(first);
		/* a regular expression takes letters as flags; #x and @interface are tokens */
		return last == '#' || last == '@' || last == '\\' || (first == '/' && n > 1);
	}
	if ((last == '[' && b == '[') || (last == ']' && b == ']'))
		return true; /* attributes */
	return is_operator(last) && is_operator(b);
}

static bool has_newline(const char *s, size_t n)
{
	return memchr(s, '\n', n) != NULL;
}

static const char *gap_before(const struct syntax_full *f, uint32_t token, size_t *n)
{
	const struct syn_token *t = &f->tokens.at[token];
	uint32_t from = token ? t[-1].at + t[-1].len : 0;
	*n = t->at - from;
	return f->text + from;
}

static void newline(struct buf *out)
{
	if (out->n && out->at[out->n - 1] != '\n')
		buf_char(out, '\n');
}

static void add_if_gluing(struct printer *p, const char *prev, size_t n_prev, char first)
{
	if (glues(prev, n_prev, first))
		buf_char(p->out, ' ');
}

static void indent(struct printer *p, uint32_t token)
{
	newline(p->out);
	uint32_t b = p->f->block_of[token];
	for (uint32_t i = b == SYNTAX_NONE ? 0 : p->depth[b]; i; i--)
		buf_char(p->out, ' ');
}

/* Python, when something is missing. */
static bool gap_layout(struct printer *p, uint32_t a, uint32_t b)
{
	const struct syn_token *ta = &p->f->tokens.at[a], *tb = &p->f->tokens.at[b];
	if (ta->line != tb->line) {
		indent(p, b);
		return true;
	}
	if (ta->flags & TOKEN_LINE_END) {
		newline(p->out);
		return true;
	}
	size_t n;
	const char *gap = gap_before(p->f, b, &n);
	if (b == a + 1 && n && !has_newline(gap, n)) {
		buf_add(p->out, gap, n);
		return true;
	}
	if (b == a + 1 && n) {
		buf_char(p->out, ' ');
		return true;
	}
	return false;
}

/* Whether a new line between a and b separates statements: one that began after a, behind a new line, goes on at b. */
static bool starts_statement(const struct syntax_full *f, uint32_t a, uint32_t b)
{
	uint32_t end = f->tokens.at[a].at + f->tokens.at[a].len;
	for (uint32_t n = f->tokens.at[b].node; n != SYNTAX_NONE && f->nodes.at[n].tok > a; n = f->nodes.at[n].parent) {
		const struct syn_token *first = &f->tokens.at[f->nodes.at[n].tok];
		if (first->flags & TOKEN_STATEMENT && has_newline(f->text + end, first->at - end))
			return true;
	}
	return false;
}

/* Tokens between a and b are gone: returns true if a new line was written. */
static bool gap_newline(struct printer *p, uint32_t a, uint32_t b)
{
	const struct syn_token *ta = &p->f->tokens.at[a], *tb = &p->f->tokens.at[b];
	size_t n_before, n_after;
	const char *before = gap_before(p->f, b, &n_before), *after = gap_before(p->f, a + 1, &n_after);
	if (tb->flags & TOKEN_LAYOUT || (tb->line && tb->line == ta->line))
		return false;
	bool wanted = p->traits->newline == NEWLINE_STATEMENT
	                      ? starts_statement(p->f, a, b)
	                      : has_newline(before, n_before) || has_newline(after, n_after);
	if (wanted)
		newline(p->out);
	return wanted;
}

static void gap(struct printer *p, uint32_t a, uint32_t b, const char *prev, size_t n_prev, char first)
{
	const struct syn_token *ta = &p->f->tokens.at[a], *tb = &p->f->tokens.at[b];
	if (p->depth) {
		if (!gap_layout(p, a, b))
			add_if_gluing(p, prev, n_prev, first);
		return;
	}
	size_t n;
	const char *text = gap_before(p->f, b, &n);
	if (b == a + 1) {
		buf_add(p->out, text, n);
		bool as_it_was = prev == p->f->text + ta->at && first == p->f->text[tb->at];
		if (!n && !as_it_was)
			add_if_gluing(p, prev, n_prev, first);
	} else if (ta->flags & TOKEN_LINE_END || ta->line != tb->line) {
		newline(p->out);
	} else if (p->traits->newline != NEWLINE_NONE && !gap_newline(p, a, b)) {
		if (ta->line)
			buf_char(p->out, ' ');
		else
			add_if_gluing(p, prev, n_prev, first);
	}
}

static void block_depths(struct printer *p)
{
	const struct syntax_full *f = p->f;
	size_t k = 0;
	p->depth = mem_alloc(mem_mul(f->blocks.n + 1, sizeof *p->depth));
	for (size_t i = 0; i < f->blocks.n; i++) {
		const struct syn_block *b = &f->blocks.at[i];
		/* colons come in ascending order: blocks are in preorder */
		while (b->colon != SYNTAX_NONE && k < p->n && p->kept[k] < b->colon)
			k++;
		bool colon = k < p->n && p->kept[k] == b->colon;
		p->depth[i] = (b->parent == SYNTAX_NONE ? 0 : p->depth[b->parent]) + colon;
	}
}

static void finish(struct printer *p)
{
	const struct syntax_full *f = p->f;
	uint32_t last = p->kept[p->n - 1];
	const struct syn_token *t = &f->tokens.at[last], *end = &f->tokens.at[f->tokens.n - 1];
	uint32_t rest = end->at + end->len;
	if (t == end)
		buf_add(p->out, f->text + rest, f->s.n_text - rest);
	else if (p->traits->newline != NEWLINE_NONE && f->text[f->s.n_text - 1] == '\n')
		newline(p->out);
	if ((t->flags & TOKEN_LINE_END || t->line) && t != end)
		newline(p->out);
}

void syntax_print(const struct syntax *s, const uint32_t *kept, size_t n, const struct syn_rewrite *rewrite,
                  size_t n_rewrites, struct buf *out)
{
	const struct syntax_full *f = (const struct syntax_full *)(const void *)s;
	struct printer p = {.f = f, .traits = &language_traits[s->language->id], .kept = kept, .n = n, .out = out,
	                    .rewrite = rewrite, .rewrite_end = rewrite + n_rewrites};
	if (!n)
		return;
	if (f->block_of && n < s->n_tokens)
		block_depths(&p);
	const char *prev = NULL;
	size_t n_prev = 0;
	for (size_t i = 0; i < n; i++) {
		const struct syn_token *t = &s->token[kept[i]];
		const char *text = s->text + t->at;
		size_t len = t->len;
		while (p.rewrite < p.rewrite_end && p.rewrite->token < kept[i])
			p.rewrite++;
		if (p.rewrite < p.rewrite_end && p.rewrite->token == kept[i]) {
			text = p.rewrite->text;
			len = p.rewrite->len;
		}
		if (!len)
			continue;
		if (prev)
			gap(&p, kept[i - 1], kept[i], prev, n_prev, text[0]);
		else if (kept[i] == 0 && !p.depth)
			buf_add(out, s->text, t->at);
		else if (p.depth)
			indent(&p, kept[i]);
		buf_add(out, text, len);
		prev = text;
		n_prev = len;
	}
	finish(&p);
	free(p.depth);
}
