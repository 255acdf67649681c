/* SPDX-License-Identifier: MIT */
/* See parser.h. */
#include "check/source/parser.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_NODES = 200000 };

enum rc annot_fail(struct err *e, struct place at, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(e, RC_INPUT, at.file, at.line, at.col, "%s", text);
}

void parse_next(struct parser *p)
{
	p->last = p->tok;
	p->tok = p->ahead;
	p->ahead = lex_next(&p->lx);
}

bool parse_failed(const struct parser *p)
{
	return p->rc != RC_OK;
}

void parse_fail(struct parser *p, const char *what)
{
	if (parse_failed(p))
		return;
	if (p->tok.kind == TOK_END)
		p->rc = annot_fail(p->e, p->tok.at, "%s, but the annotation ends here", what);
	else
		p->rc = annot_fail(p->e, p->tok.at, "%s, not '%.*s'", what, (int)(p->tok.n > 40 ? 40 : p->tok.n),
				   p->tok.s);
}

bool parse_at(const struct parser *p, const char *text)
{
	return !parse_failed(p) && token_is(&p->tok, text);
}

bool parse_take(struct parser *p, const char *text)
{
	if (!parse_at(p, text))
		return false;
	parse_next(p);
	return true;
}

void parse_want(struct parser *p, const char *text)
{
	char what[40];
	if (parse_take(p, text))
		return;
	snprintf(what, sizeof what, "expected '%s'", text);
	parse_fail(p, what);
}

bool parse_nest(struct parser *p)
{
	if (++p->nesting <= MAX_NESTING)
		return true;
	if (!parse_failed(p))
		p->rc = annot_fail(p->e, p->tok.at, "more than %d levels of nesting", MAX_NESTING);
	return false;
}

void parse_unnest(struct parser *p)
{
	p->nesting--;
}

void *parse_node(struct parser *p, size_t size)
{
	if (++p->set->n_nodes > MAX_NODES && !parse_failed(p))
		p->rc = annot_fail(p->e, p->tok.at, "the annotations are too long");
	return arena_zalloc(&p->set->arena, size);
}

/* Room for one more element in an array of the arena, which doubles when its size is a power of two. */
void *parse_grown(struct parser *p, void *old, size_t n, size_t size)
{
	if (n && (n & (n - 1)))
		return old;
	void *at = parse_node(p, size * (n ? n * 2 : 1));
	if (n)
		memcpy(at, old, size * n);
	return at;
}

const char *parse_copy(struct parser *p, const char *s, size_t n)
{
	return arena_strndup(&p->set->arena, s, n);
}

const char *parse_name(struct parser *p, const char *what)
{
	if (parse_failed(p) || p->tok.kind != TOK_NAME) {
		parse_fail(p, what);
		return "";
	}
	const char *s = parse_copy(p, p->tok.s, p->tok.n);
	parse_next(p);
	return s;
}

const char *parse_source(struct parser *p, const char *from, const char *to)
{
	struct buf b = {0};
	for (const char *s = from; s < to; s++) {
		bool blank = *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r' || *s == '@';
		if (blank && (!b.n || b.at[b.n - 1] == ' '))
			continue;
		buf_char(&b, blank ? ' ' : *s);
	}
	while (b.n && b.at[b.n - 1] == ' ')
		b.n--;
	const char *s = parse_copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	return s;
}

const char *parse_constant(struct parser *p)
{
	bool minus = parse_take(p, "-");
	if (parse_failed(p) || (p->tok.kind != TOK_NUMBER && (minus || p->tok.kind != TOK_NAME))) {
		parse_fail(p, "expected a number or the name of a constant");
		return "";
	}
	struct buf b = {0};
	buf_printf(&b, "%s%.*s", minus ? "-" : "", (int)p->tok.n, p->tok.s);
	const char *s = parse_copy(p, b.at, b.n);
	buf_release(&b);
	parse_next(p);
	return s;
}

void parse_term(struct parser *p, struct term *t)
{
	const char *from = p->tok.s, *to;
	*t = (struct term){.at = p->tok.at, .base = "", .path = "", .text = ""};
	while (parse_take(p, "*"))
		t->stars++;
	to = p->tok.s + p->tok.n;
	t->base = parse_name(p, t->stars ? "expected an argument" : "expected an argument, a field or a number");
	const char *path = p->tok.s;
	while (parse_at(p, "->") || parse_at(p, ".") || parse_at(p, "[")) {
		bool index = parse_at(p, "[");
		parse_next(p);
		to = p->tok.s + p->tok.n;
		if (!index) {
			parse_name(p, "expected the name of a field");
			continue;
		}
		parse_constant(p);
		to = p->tok.s + p->tok.n;
		parse_want(p, "]");
	}
	if (parse_failed(p))
		return;
	t->path = path < to ? parse_source(p, path, to) : "";
	t->text = parse_source(p, from, to);
}
