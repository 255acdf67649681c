/* SPDX-License-Identifier: MIT */
/* S-expression reading. One table classifies bytes; both readers are loops over it, so the depth of the input costs
 * a counter (splitter) or one number per open list (parser). */
#include "smt/sexpr.h"

#include "base/bits.h"

#include <string.h>

enum { C_SYM, C_BLANK, C_LINE, C_OPEN, C_CLOSE, C_COMMENT, C_BAR, C_QUOTE, C_BAD };

static const uint8_t class_of[256] = {
	[' '] = C_BLANK,
	['\t'] = C_BLANK,
	['\r'] = C_BLANK,
	['\n'] = C_LINE,
	['('] = C_OPEN,
	[')'] = C_CLOSE,
	[';'] = C_COMMENT,
	['|'] = C_BAR,
	['"'] = C_QUOTE,
	/* outside strings, quoted symbols and comments SMT-LIB has no use for these; z3 has names with a comma */
	['\''] = C_BAD,
	['['] = C_BAD,
	[']'] = C_BAD,
	['\\'] = C_BAD,
	['`'] = C_BAD,
	['{'] = C_BAD,
	['}'] = C_BAD,
	[0 ... 8] = C_BAD,
	[11 ... 12] = C_BAD,
	[14 ... 31] = C_BAD,
	[127 ... 255] = C_BAD,
};

static inline unsigned class_at(const char *p)
{
	return class_of[(unsigned char)*p];
}

static bool all_of(const char *p, size_t n, const char *set)
{
	for (size_t i = 0; i < n; i++)
		if (!p[i] || !strchr(set, p[i]))
			return false;
	return n > 0;
}

static uint8_t atom_kind(const char *p, size_t n)
{
	if (*p == ':')
		return SEXPR_KEYWORD;
	if (*p == '#' && n > 2 && p[1] == 'x' && all_of(p + 2, n - 2, "0123456789abcdefABCDEF"))
		return SEXPR_HEX;
	if (*p == '#' && n > 2 && p[1] == 'b' && all_of(p + 2, n - 2, "01"))
		return SEXPR_BINARY;
	if (*p >= '0' && *p <= '9') {
		if (all_of(p, n, "0123456789"))
			return SEXPR_NUMERAL;
		const char *dot = memchr(p, '.', n);
		if (dot && all_of(p, (size_t)(dot - p), "0123456789") &&
		    all_of(dot + 1, n - (size_t)(dot - p) - 1, "0123456789"))
			return SEXPR_DECIMAL;
	}
	return (*p >= '0' && *p <= '9') || *p == '#' ? SEXPR_NOTHING : SEXPR_SYMBOL;
}

bool sexpr_plain_symbol(const char *s, size_t n)
{
	if (!n || (s[0] >= '0' && s[0] <= '9'))
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = s[i];
		bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!alnum && (!c || !strchr("~!@$%^&*_-+=<>.?/", c)))
			return false;
	}
	static const char *const reserved[] = {"let", "forall", "exists", "as", "par", "match", "_", "!", "lambda"};
	for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
		if (reserved[i][0] == s[0] && strlen(reserved[i]) == n && !memcmp(reserved[i], s, n))
			return false;
	return true;
}

struct place {
	const char *text;
	size_t at;
	long line, col;
};

void sexpr_advance(const char *text, size_t from, size_t to, long *line, long *col)
{
	const char *p = text + from, *end = text + to, *nl;
	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		++*line;
		*col = 1;
		p = nl + 1;
	}
	*col += end - p;
}

/* Positions are worked out only when an error needs one. */
static enum rc fail(struct err *e, const struct place *p, const char *what)
{
	long line = p->line, col = p->col;
	sexpr_advance(p->text, 0, p->at, &line, &col);
	return err_at(e, RC_INPUT, "", line, col, "%s", what);
}

static void push(struct sexpr *x, size_t off, size_t len, uint8_t kind, bool quoted)
{
	struct sexpr_node *n = vec_add(x);
	*n = (struct sexpr_node){(uint32_t)off, (uint32_t)len, (uint32_t)x->n, kind, quoted};
}

static size_t skip_until(const char *text, size_t i, size_t n, char c)
{
	const char *p = memchr(text + i, c, n - i);
	return p ? (size_t)(p - text) : n;
}

/* The end of the string that starts after the quote at i, or n when it does not end. */
static size_t string_end(const char *text, size_t i, size_t n)
{
	for (i++; i < n; i++)
		if (text[i] == '"') {
			if (i + 1 >= n || text[i + 1] != '"')
				return i;
			i++;
		}
	return n;
}

const char *sexpr_written(const struct sexpr *x, uint32_t i, size_t *n)
{
	const struct sexpr_node *t = &x->at[i];
	const char *at = x->text + t->off;
	bool barred = t->kind == SEXPR_SYMBOL && t->off && at[-1] == '|';
	bool enclosed = t->kind == SEXPR_STRING || barred;
	*n = t->len + 2 * enclosed;
	return at - enclosed;
}

/* One atom at i; returns the position after it, or 0 with e filled. */
static size_t parse_atom(struct sexpr *x, struct place *p, size_t n, struct err *e)
{
	size_t i = p->at;
	const char *text = p->text;
	unsigned c = class_at(text + i);
	if (c == C_BAR) {
		const char *end = memchr(text + i + 1, '|', n - i - 1);
		if (!end)
			return fail(e, p, "this quoted symbol does not end"), 0;
		size_t len = (size_t)(end - text) - i - 1;
		push(x, i + 1, len, SEXPR_SYMBOL, !sexpr_plain_symbol(text + i + 1, len));
		return (size_t)(end - text) + 1;
	}
	if (c == C_QUOTE) {
		size_t end = string_end(text, i, n);
		if (end == n)
			return fail(e, p, "this string does not end"), 0;
		push(x, i + 1, end - i - 1, SEXPR_STRING, false);
		return end + 1;
	}
	if (c == C_BAD)
		return fail(e, p, "unexpected character"), 0;
	size_t j = i + 1;
	while (j < n && class_at(text + j) == C_SYM)
		j++;
	push(x, i, j - i, atom_kind(text + i, j - i), false);
	return j;
}

enum rc sexpr_parse(struct sexpr *x, const char *text, size_t n, long line, long col, struct err *e)
{
	struct place p = {text, 0, line, col};
	x->text = text;
	vec_clear(x);
	vec_clear(&x->open);
	if (n >= UINT32_MAX)
		return fail(e, &p, "this expression is larger than 4 GB");
	size_t i = 0;
	while (i < n) {
		switch (class_at(text + i)) {
		case C_BLANK:
		case C_LINE:
			i++;
			continue;
		case C_COMMENT:
			while (i < n && text[i] != '\n')
				i++;
			continue;
		default:
			break;
		}
		p.at = i;
		if (x->n && !x->open.n)
			return fail(e, &p, "one expression was expected, here a second one starts");
		if (text[i] == '(') {
			vec_push(&x->open, (uint32_t)x->n);
			push(x, i, 0, SEXPR_LIST, false);
			i++;
		} else if (text[i] == ')') {
			if (!x->open.n)
				return fail(e, &p, "unexpected )");
			struct sexpr_node *list = &x->at[vec_pop(&x->open)];
			i++;
			list->len = (uint32_t)i - list->off;
			list->next = (uint32_t)x->n;
		} else if (!(i = parse_atom(x, &p, n, e))) {
			return RC_INPUT;
		}
	}
	p.at = n;
	if (x->open.n || !x->n)
		return fail(e, &p, "the text ends inside an expression");
	return RC_OK;
}

/* The first byte that is not in a string, quoted symbol or comment and is bad, or a comma. */
static size_t find_open(const char *text, size_t i, size_t n, bool comma)
{
	for (; i < n && (comma ? text[i] != ',' : class_at(text + i) != C_BAD); i++)
		switch (class_at(text + i)) {
		case C_COMMENT:
		case C_BAR:
			i = skip_until(text, i + 1, n, text[i] == '|' ? '|' : '\n');
			break;
		case C_QUOTE:
			i = string_end(text, i, n);
			break;
		default:
			break;
		}
	return i < n ? i : n;
}

size_t sexpr_unexpected(const char *text, size_t i, size_t n)
{
	return find_open(text, i, n, false);
}

bool sexpr_comma(const char *text, size_t n)
{
	return memchr(text, ',', n) && find_open(text, 0, n, true) < n;
}

void sexpr_release(struct sexpr *x)
{
	vec_release_all(x, &x->open);
}

enum { S_BETWEEN, S_ATOM, S_LIST, S_COMMENT, S_LIST_COMMENT, S_BAR, S_STRING, S_STRING_QUOTE };

/* Line and column after the bytes from s->at up to to. */
static void advance(struct sexpr_split *s, const char *text, size_t to)
{
	sexpr_advance(text, s->at, to, &s->line, &s->col);
	s->at = to;
}

static void begin(struct sexpr_split *s, const char *text, size_t i)
{
	advance(s, text, i);
	s->start = i;
	s->start_line = s->line;
	s->start_col = s->col + (s->commented && s->line > 1);
}

static enum sexpr_found found(struct sexpr_split *s, const char *text, size_t end)
{
	advance(s, text, end);
	s->state = S_BETWEEN;
	return SEXPR_FOUND;
}

/* Between expressions at i: what starts there? Returns true when the answer is *out. */
static bool between(struct sexpr_split *s, const char *text, size_t *i, enum sexpr_found *out)
{
	unsigned class = class_at(text + *i);
	switch (class) {
	case C_LINE:
		s->commented = false;
		break;
	case C_BLANK:
		break;
	case C_COMMENT:
		s->state = S_COMMENT;
		break;
	case C_OPEN:
		begin(s, text, *i);
		s->state = S_LIST;
		s->depth = 1;
		break;
	case C_CLOSE:
		begin(s, text, *i);
		advance(s, text, *i + 1);
		*out = SEXPR_STRAY;
		return true;
	default:
		begin(s, text, *i);
		s->state = class == C_BAR ? S_BAR : class == C_QUOTE ? S_STRING : S_ATOM;
		s->depth = 0;
		break;
	}
	++*i;
	return false;
}

/* At the new line that ends a comment. */
static void end_comment(struct sexpr_split *s, size_t *i)
{
	s->commented = true;
	++*i;
	s->state = s->state == S_COMMENT ? S_BETWEEN : S_LIST;
}

/* To the end of a quoted symbol or string. A new line in it is to z3 as one that ends a comment. */
static size_t skip_quoted(struct sexpr_split *s, const char *text, size_t i, size_t n, char quote)
{
	size_t end = skip_until(text, i, n, quote);
	if (skip_until(text, i, end, '\n') < end)
		s->commented = true;
	return end;
}

enum sexpr_found sexpr_split_next(struct sexpr_split *s, const char *text, size_t n, bool eof)
{
	enum sexpr_found out;
	size_t i = s->at;
	while (i < n) {
		switch (s->state) {
		case S_BETWEEN:
			if (between(s, text, &i, &out))
				return out;
			break;
		case S_ATOM:
			if (class_at(text + i) != C_SYM)
				return found(s, text, i);
			i++;
			break;
		case S_LIST:
			switch (class_at(text + i++)) {
			case C_LINE:
				s->commented = false;
				break;
			case C_OPEN:
				s->depth++;
				break;
			case C_CLOSE:
				if (--s->depth == 0)
					return found(s, text, i);
				break;
			case C_COMMENT:
				s->state = S_LIST_COMMENT;
				break;
			case C_BAR:
				s->state = S_BAR;
				break;
			case C_QUOTE:
				s->state = S_STRING;
				break;
			default:
				break;
			}
			break;
		case S_COMMENT:
		case S_LIST_COMMENT:
			i = skip_until(text, i, n, '\n');
			if (i < n)
				end_comment(s, &i);
			break;
		case S_BAR:
			i = skip_quoted(s, text, i, n, '|');
			if (i < n) {
				i++;
				if (!s->depth)
					return found(s, text, i);
				s->state = S_LIST;
			}
			break;
		case S_STRING:
			i = skip_quoted(s, text, i, n, '"');
			if (i < n) {
				i++;
				s->state = S_STRING_QUOTE;
			}
			break;
		case S_STRING_QUOTE:
			if (text[i] == '"') {
				s->state = S_STRING;
				i++;
				break;
			}
			if (!s->depth)
				return found(s, text, i);
			s->state = S_LIST;
			break;
		}
	}
	if (eof && (s->state == S_ATOM || (s->state == S_STRING_QUOTE && !s->depth)))
		return found(s, text, n);
	advance(s, text, n);
	return SEXPR_MORE;
}

void sexpr_split_drop(struct sexpr_split *s, size_t bytes)
{
	s->at -= bytes;
	s->start -= bytes <= s->start ? bytes : s->start;
}

bool sexpr_split_open(const struct sexpr_split *s)
{
	return s->state != S_BETWEEN && s->state != S_COMMENT;
}
