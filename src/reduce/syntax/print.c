/* SPDX-License-Identifier: MIT */
/* Printing a subset of the tokens so that it reads back as these tokens.
 *
 * Between two tokens that were neighbours in the text the white space stays. Between others there is: a new line
 * where a directive or a line comment ends or a directive starts; a new line for the reader (or, before a statement,
 * for the language) where the text had one beside either token; a space where the two would glue; else nothing. Spaces
 * are given generously: syntax_glues may say yes where the lexer would cope, never no where it would not.
 *
 * Where lines stay lines (NEWLINE_INDENTED), tokens between which a line began are on two lines, the second as deep as
 * the line of its first token was.
 *
 * Python: as soon as one token is missing every logical line is indented anew, by one space for each enclosing block
 * whose colon is kept. A statement whose header is gone thus moves out to where the header stood. Where the tree and
 * the indentation do not agree, as in text that does not parse, lines stay lines instead. */
#include "reduce/syntax/internal.h"

#include <string.h>

struct printer {
	const struct syntax_full *f;
	const struct language_traits *traits;
	const struct syn_run *run;
	size_t n_runs;
	const struct syn_rewrite *rewrite; /* those still to come */
	size_t n_rewrites;
	struct buf *out;
	uint32_t last;    /* token printed last, or SYNTAX_NONE */
	const char *prev; /* its text */
	size_t n_prev;
	uint32_t *depth;           /* of each block: its colon and those around it that are kept */
	struct syn_pieces *pieces; /* NULL, or where pieces are noted */
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

bool syntax_glues(const char *a, size_t n, char b)
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

/* Whether what began a line goes on to begin one, as deep as it was. */
static bool keeps_lines(const struct printer *p)
{
	return p->traits->newline == NEWLINE_INDENTED || (p->traits->newline == NEWLINE_LAYOUT && !p->f->block_of);
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

static void add_if_gluing(struct printer *p, char first)
{
	if (syntax_glues(p->prev, p->n_prev, first))
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
static bool gap_layout(struct printer *p, uint32_t a, uint32_t b, bool as_it_was)
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
	if (b == a + 1 && !n)
		return as_it_was;
	if (b == a + 1 && !has_newline(gap, n)) {
		buf_add(p->out, gap, n);
		return true;
	}
	if (b == a + 1) {
		buf_char(p->out, ' ');
		return true;
	}
	return false;
}

/* Whether a new line between a and b separates statements. What stands at b now takes the place of the largest node
 * that began after a: if that was a statement behind a new line, so is b. */
static bool starts_statement(const struct syntax_full *f, uint32_t a, uint32_t b)
{
	uint32_t n = f->tokens.at[b].node, end = f->tokens.at[a].at + f->tokens.at[a].len;
	for (uint32_t up; (up = f->nodes.at[n].parent) != SYNTAX_NONE && f->nodes.at[up].tok > a;)
		n = up;
	const struct syn_token *first = &f->tokens.at[f->nodes.at[n].tok];
	if (first->flags & TOKEN_STATEMENT && has_newline(f->text + end, first->at - end))
		return true;
	/* the bracket that closes a list of statements on lines of their own */
	uint32_t parent = f->nodes.at[f->tokens.at[b].node].parent, last = f->tokens.at[b - 1].node;
	if (parent == SYNTAX_NONE || f->nodes.at[parent].tok >= b)
		return false;
	while (f->nodes.at[last].parent != parent && f->nodes.at[last].parent != SYNTAX_NONE)
		last = f->nodes.at[last].parent;
	const struct syn_token *t = &f->tokens.at[b];
	return f->tokens.at[f->nodes.at[last].tok].flags & TOKEN_LINE_START && has_newline(f->text + end, t->at - end);
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

/* Where a line began between a and b, which were no neighbours, one begins still, as deep as that of b. */
static bool gap_indented(struct printer *p, uint32_t a, uint32_t b)
{
	const struct syn_token *ta = &p->f->tokens.at[a], *tb = &p->f->tokens.at[b];
	const char *text = p->f->text, *from = text + ta->at + ta->len, *to = text + tb->at;
	const char *nl = memrchr(from, '\n', (size_t)(to - from));
	if (!nl)
		return false;
	newline(p->out);
	for (nl++; nl < to && (*nl == ' ' || *nl == '\t'); nl++)
		buf_char(p->out, *nl);
	return true;
}

static void gap(struct printer *p, uint32_t b, char first)
{
	uint32_t a = p->last;
	const struct syn_token *ta = &p->f->tokens.at[a], *tb = &p->f->tokens.at[b];
	bool as_it_was = p->prev == p->f->text + ta->at && first == p->f->text[tb->at];
	if (p->depth) {
		if (!gap_layout(p, a, b, as_it_was))
			add_if_gluing(p, first);
		return;
	}
	size_t n;
	const char *text = gap_before(p->f, b, &n);
	if (b == a + 1) {
		buf_add(p->out, text, n);
		if (!n && !as_it_was)
			add_if_gluing(p, first);
	} else if (keeps_lines(p) && gap_indented(p, a, b)) {
		return;
	} else if (ta->flags & TOKEN_LINE_END || ta->line != tb->line) {
		newline(p->out);
	} else if (p->traits->newline != NEWLINE_NONE && !gap_newline(p, a, b)) {
		if (ta->line)
			buf_char(p->out, ' ');
		else
			add_if_gluing(p, first);
	}
}

static bool is_kept(const struct printer *p, uint32_t token, size_t *run)
{
	while (*run < p->n_runs && p->run[*run].to <= token)
		++*run;
	return *run < p->n_runs && p->run[*run].from <= token;
}

static void block_depths(struct printer *p)
{
	const struct syntax_full *f = p->f;
	size_t run = 0;
	p->depth = mem_alloc(mem_mul(f->blocks.n + 1, sizeof *p->depth));
	for (size_t i = 0; i < f->blocks.n; i++) {
		const struct syn_block *b = &f->blocks.at[i];
		/* colons come in ascending order: blocks are in preorder */
		bool colon = b->colon != SYNTAX_NONE && is_kept(p, b->colon, &run);
		p->depth[i] = (b->parent == SYNTAX_NONE ? 0 : p->depth[b->parent]) + colon;
	}
}

/* The first token that is kept stands as deep as its line did. */
static void indent_as_line(struct printer *p, uint32_t b)
{
	const char *text = p->f->text, *at = text + p->f->tokens.at[b].at;
	const char *nl = memrchr(text, '\n', (size_t)(at - text));
	for (nl = nl ? nl + 1 : text; nl < at && (*nl == ' ' || *nl == '\t'); nl++)
		buf_char(p->out, *nl);
}

/* What comes before token b, whose text starts with first. */
static void before(struct printer *p, uint32_t b, char first)
{
	if (p->last != SYNTAX_NONE)
		gap(p, b, first);
	else if (p->depth)
		indent(p, b);
	else if (b == 0)
		buf_add(p->out, p->f->text, p->f->tokens.at[0].at);
	else if (keeps_lines(p))
		indent_as_line(p, b);
}

static void note_piece(struct printer *p, uint32_t from, uint32_t to)
{
	if (p->pieces)
		vec_push(p->pieces, ((struct syn_piece){p->out->n, from, to}));
}

static void print_token(struct printer *p, uint32_t i, const char *text, size_t len)
{
	if (!len)
		return;
	before(p, i, text[0]);
	note_piece(p, i, i + 1);
	buf_add(p->out, text, len);
	p->last = i;
	p->prev = text;
	p->n_prev = len;
}

/* Tokens from … to−1 as they stand in the text. */
static void print_slice(struct printer *p, uint32_t from, uint32_t to)
{
	const struct syn_token *t = p->f->tokens.at;
	if (from == to)
		return;
	if (p->depth) {
		for (uint32_t i = from; i < to; i++)
			print_token(p, i, p->f->text + t[i].at, t[i].len);
		return;
	}
	before(p, from, p->f->text[t[from].at]);
	note_piece(p, from, to);
	buf_add(p->out, p->f->text + t[from].at, t[to - 1].at + t[to - 1].len - t[from].at);
	p->last = to - 1;
	p->prev = p->f->text + t[to - 1].at;
	p->n_prev = t[to - 1].len;
}

static void finish(struct printer *p)
{
	const struct syntax_full *f = p->f;
	const struct syn_token *t = &f->tokens.at[p->last], *end = &f->tokens.at[f->tokens.n - 1];
	uint32_t rest = end->at + end->len;
	if (t == end)
		buf_add(p->out, f->text + rest, f->s.n_text - rest);
	else if (p->traits->newline != NEWLINE_NONE && f->text[f->s.n_text - 1] == '\n')
		newline(p->out);
	if ((t->flags & TOKEN_LINE_END || t->line) && t != end)
		newline(p->out);
}

void syntax_print_pieces(const struct syntax *s, const struct syn_run *run, size_t n_runs,
			 const struct syn_rewrite *rewrite, size_t n_rewrites, struct buf *out,
			 struct syn_pieces *pieces)
{
	const struct syntax_full *f = (const struct syntax_full *)(const void *)s;
	struct printer p = {.f = f,
			    .traits = &language_traits[s->language->id],
			    .run = run,
			    .n_runs = n_runs,
			    .out = out,
			    .rewrite = rewrite,
			    .n_rewrites = n_rewrites,
			    .last = SYNTAX_NONE,
			    .pieces = pieces};
	uint64_t kept = 0;
	for (size_t i = 0; i < n_runs; i++)
		kept += run[i].to - run[i].from;
	if (f->block_of && kept < s->n_tokens)
		block_depths(&p);
	for (size_t i = 0; i < n_runs; i++) {
		uint32_t at = run[i].from;
		for (; p.n_rewrites && p.rewrite->token < at; p.n_rewrites--)
			p.rewrite++;
		for (; p.n_rewrites && p.rewrite->token < run[i].to; p.rewrite++, p.n_rewrites--) {
			print_slice(&p, at, p.rewrite->token);
			print_token(&p, p.rewrite->token, p.rewrite->text, p.rewrite->len);
			at = p.rewrite->token + 1;
		}
		print_slice(&p, at, run[i].to);
	}
	if (p.last != SYNTAX_NONE)
		finish(&p);
	else if (!s->n_tokens) /* nothing but white space, which is all of it */
		buf_add(out, f->text, s->n_text);
	free(p.depth);
}

void syntax_print(const struct syntax *s, const struct syn_run *run, size_t n_runs, const struct syn_rewrite *rewrite,
		  size_t n_rewrites, struct buf *out)
{
	syntax_print_pieces(s, run, n_runs, rewrite, n_rewrites, out, NULL);
}
