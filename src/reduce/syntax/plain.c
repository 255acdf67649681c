/* SPDX-License-Identifier: MIT */
/* Readers without a grammar: lines, words, characters, and lists in parentheses (Lisp, SMT-LIB).
 *
 * A line is a token with its white space. Lines that are indented deeper than the one before stand below it, and a line
 * that closes what it opened (a bracket, "</", "end") goes with it: indentation makes the tree. Words, numbers, quoted
 * strings and single signs are tokens too; brackets that match make the tree there, and inside of them lines. Brackets
 * are extras of their node: they can go and leave what they enclose, and nothing is replaced by one. A node whose
 * children stand for themselves has NODE_ERROR, so that each may be replaced by what is inside it.
 *
 * Depth is bounded by the text alone, hence a stack and no recursion. */
#include "reduce/syntax/internal.h"

#include "data/text.h"

#include <string.h>

#define NO_RULE UINT16_MAX
/* Tokens of the finest reader at most: what is longer is cut into pieces of several bytes, until it is shorter. */
#define MAX_PIECES (1u << 20)
#define LOOKED_AT 4096 /* bytes that tell what kind of text it is */

enum { FREE = NODE_ERROR | NODE_BROKEN };

/* ---- kinds of text */

enum text_kind syntax_text_kind(const char *text, size_t n)
{
	size_t look = n < LOOKED_AT ? n : LOOKED_AT, zeros[2] = {0, 0}, controls = 0;
	if (n >= 2 && ((text[0] == '\xff' && text[1] == '\xfe') || (text[0] == '\xfe' && text[1] == '\xff')))
		return text[0] == '\xff' ? TEXT_UTF16_LE : TEXT_UTF16_BE;
	for (size_t i = 0; i < look; i++) {
		unsigned char c = (unsigned char)text[i];
		zeros[i & 1] += c == 0;
		controls += c < 32 && !(c >= '\t' && c <= '\r') && c != 27;
	}
	/* ASCII as UTF-16: every other byte is 0 */
	if (look >= 8 && zeros[1] * 10 >= look / 2 * 9 && zeros[0] * 10 < look / 2)
		return TEXT_UTF16_LE;
	if (look >= 8 && zeros[0] * 10 >= look / 2 * 9 && zeros[1] * 10 < look / 2)
		return TEXT_UTF16_BE;
	return controls * 32 > look ? TEXT_BINARY : TEXT_PLAIN;
}

static bool is_utf16(enum text_kind k)
{
	return k == TEXT_UTF16_LE || k == TEXT_UTF16_BE;
}

/* ---- lines */

/* One past the end of the line at `at`. */
static uint32_t line_end(const struct syntax_full *f, enum text_kind kind, uint32_t at)
{
	uint32_t n = (uint32_t)f->s.n_text;
	if (!is_utf16(kind)) {
		const char *nl = memchr(f->text + at, '\n', n - at);
		return nl ? (uint32_t)(nl - f->text) + 1 : n;
	}
	for (uint32_t i = at; i + 1 < n; i += 2)
		if (memcmp(f->text + i, kind == TEXT_UTF16_LE ? "\n\0" : "\0\n", 2) == 0)
			return i + 2;
	return n;
}

/* The column of the first character; UINT32_MAX for a line of white space. */
static uint32_t indentation(const char *line, uint32_t n, uint32_t *first)
{
	uint32_t column = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (line[i] == '\t')
			column = (column | 7) + 1;
		else if (line[i] == ' ')
			column++;
		else if (line[i] != '\r' && line[i] != '\n') {
			*first = i;
			return column;
		}
	}
	return UINT32_MAX;
}

/* Whether the line ends what a line above it, at the same column, began. */
static bool closes(const char *line, uint32_t n)
{
	if (n && memchr(")]}", line[0], 3))
		return true;
	return (n >= 2 && memcmp(line, "</", 2) == 0) || (n >= 3 && memcmp(line, "end", 3) == 0);
}

struct block {
	uint32_t node, column;
};

struct blocks {
	VEC_FIELDS(struct block);
};

static void close_blocks(struct syntax_full *f, struct blocks *open, uint32_t column)
{
	while (open->n && vec_last(open).column >= column) {
		uint32_t node = vec_pop(open).node;
		build_close(f, node);
	}
}

static void add_line(struct syntax_full *f, uint32_t parent, uint32_t at, uint32_t len)
{
	build_leaf(f, parent, &(struct leaf){SYNTAX_NO_SYMBOL, 0, TOKEN_LITERAL, at, len});
}

void build_lines(struct syntax_full *f)
{
	enum text_kind kind = syntax_text_kind(f->text, f->s.n_text);
	uint32_t root = build_open(f, SYNTAX_NONE, SYNTAX_NO_SYMBOL, NO_RULE, FREE), n = (uint32_t)f->s.n_text;
	struct blocks open = {0};
	uint32_t first = 0, next_first = 0, column = 0;
	for (uint32_t i = 0, end; i < n; i = end) {
		end = line_end(f, kind, i);
		uint32_t next = end < n && kind == TEXT_PLAIN
					? indentation(f->text + end, line_end(f, kind, end) - end, &next_first)
					: UINT32_MAX;
		if (i == 0 && kind == TEXT_PLAIN)
			column = indentation(f->text, end, &first);
		bool blank = column == UINT32_MAX || kind != TEXT_PLAIN;
		if (!blank) {
			close_blocks(f, &open, column + closes(f->text + i + first, end - i - first));
			/* the line that closes a block is its last */
			if (next != UINT32_MAX && next > column) {
				close_blocks(f, &open, column);
				uint32_t parent = open.n ? vec_last(&open).node : root;
				uint32_t node = build_open(f, parent, SYNTAX_NO_SYMBOL, NO_RULE, FREE);
				vec_push(&open, ((struct block){node, column}));
			}
		}
		add_line(f, open.n ? vec_last(&open).node : root, i, end - i);
		if (!blank && open.n && vec_last(&open).column == column && !(next != UINT32_MAX && next > column))
			close_blocks(f, &open, column);
		column = next;
		first = next_first;
	}
	close_blocks(f, &open, 0);
	build_close(f, root);
	vec_release(&open);
}

/* ---- characters */

void build_chars(struct syntax_full *f)
{
	uint32_t root = build_open(f, SYNTAX_NONE, SYNTAX_NO_SYMBOL, NO_RULE, 0), n = (uint32_t)f->s.n_text;
	enum text_kind kind = syntax_text_kind(f->text, n);
	uint32_t piece = n / MAX_PIECES + 1;
	bool bytes = f->s.language->id == LANG_BYTES;
	if (!bytes && is_utf16(kind))
		piece += piece & 1;
	for (uint32_t i = 0, len; i < n; i += len) {
		len = piece == 1 && !bytes ? text_utf8_len(f->text + i, n - i) : piece;
		if (!len)
			len = 1;
		if (len > n - i)
			len = n - i;
		build_leaf(f, root, &(struct leaf){SYNTAX_NO_SYMBOL, 0, TOKEN_LITERAL, i, len});
	}
	build_close(f, root);
}

/* ---- words and brackets */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The other side of an opening bracket, or 0. */
static char other_side(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

/* An open bracket and the line inside it. */
struct inside {
	uint32_t node, line; /* line: SYNTAX_NONE as long as there is none */
	bool several;        /* lines */
	uint32_t end;        /* position of the bracket that closes it */
};

struct words {
	struct syntax_full *f;
	struct {
		VEC_FIELDS(struct inside);
	} open;
	bool fresh; /* a line began since the last token */
	struct {
		VEC_FIELDS(uint32_t);
	} match; /* where each opening bracket ends, in their order; SYNTAX_NONE: nowhere */
	size_t next_match;
	uint32_t (*token_end)(const char *t, uint32_t at, uint32_t to);
};

/* Finds what each opening bracket is closed by: one that does not match is a sign like any other. */
static void match_brackets(struct words *w)
{
	const char *t = w->f->text;
	uint32_t n = (uint32_t)w->f->s.n_text;
	struct {
		VEC_FIELDS(uint32_t);
	} open = {0};
	struct {
		VEC_FIELDS(char);
	} wanted = {0};
	for (uint32_t i = 0, end; i < n; i = end) {
		end = is_space(t[i]) ? i + 1 : w->token_end(t, i, n);
		if (is_space(t[i]) || end != i + 1)
			continue;
		if (other_side(t[i])) {
			vec_push(&open, (uint32_t)w->match.n);
			vec_push(&wanted, other_side(t[i]));
			vec_push(&w->match, SYNTAX_NONE);
		} else if (wanted.n && t[i] == vec_last(&wanted)) {
			uint32_t which = vec_pop(&open);
			(void)vec_pop(&wanted);
			w->match.at[which] = i;
		}
	}
	vec_release_all(&open, &wanted);
}

/* The node that the next token goes under. */
static uint32_t parent_of(struct words *w)
{
	struct inside *in = &vec_last(&w->open);
	if (!in->several)
		return in->node;
	if (w->fresh || in->line == SYNTAX_NONE) {
		if (in->line != SYNTAX_NONE)
			build_close(w->f, in->line);
		in->line = build_open(w->f, in->node, SYNTAX_NO_SYMBOL, NO_RULE, FREE);
	}
	return in->line;
}

static void open_bracket(struct words *w, uint32_t at, uint32_t end)
{
	bool several = memchr(w->f->text + at, '\n', end - at) != NULL;
	uint32_t parent = parent_of(w);
	uint32_t node = build_open(w->f, parent, SYNTAX_NO_SYMBOL, NO_RULE, several ? 0 : FREE);
	build_leaf(w->f, node, &(struct leaf){SYNTAX_NO_SYMBOL, NODE_EXTRA, 0, at, 1});
	vec_push(&w->open, ((struct inside){node, SYNTAX_NONE, several, end}));
}

static void close_bracket(struct words *w, uint32_t at)
{
	struct inside in = vec_pop(&w->open);
	if (in.line != SYNTAX_NONE)
		build_close(w->f, in.line);
	build_leaf(w->f, in.node, &(struct leaf){SYNTAX_NO_SYMBOL, NODE_EXTRA, 0, at, 1});
	build_close(w->f, in.node);
}

static void add_word(struct words *w, uint32_t at, uint32_t end, char comment)
{
	const char *t = w->f->text;
	uint32_t parent = parent_of(w);
	struct leaf l = {SYNTAX_NO_SYMBOL, 0, 0, at, end - at};
	if (comment && t[at] == comment) {
		l.node_flags = NODE_EXTRA;
		l.token_flags = TOKEN_COMMENT | TOKEN_LINE_END;
	} else if (end - at > 1 && memchr("\"'`|", t[at], 4)) {
		l.token_flags = TOKEN_LITERAL;
	}
	build_leaf(w->f, parent, &l);
}

static void build_bracketed(struct syntax_full *f, uint32_t (*token_end)(const char *, uint32_t, uint32_t),
			    char comment)
{
	struct words w = {.f = f, .token_end = token_end};
	const char *t = f->text;
	uint32_t n = (uint32_t)f->s.n_text;
	match_brackets(&w);
	uint32_t root = build_open(f, SYNTAX_NONE, SYNTAX_NO_SYMBOL, NO_RULE, 0);
	bool several = memchr(t, '\n', n) != NULL;
	vec_push(&w.open, ((struct inside){root, SYNTAX_NONE, several, n}));
	for (uint32_t i = 0, end; i < n; i = end) {
		if (is_space(t[i])) {
			w.fresh = w.fresh || t[i] == '\n';
			end = i + 1;
			continue;
		}
		end = token_end(t, i, n);
		uint32_t match = SYNTAX_NONE;
		if (end == i + 1 && other_side(t[i]))
			match = w.match.at[w.next_match++];
		if (match != SYNTAX_NONE)
			open_bracket(&w, i, match);
		else if (vec_last(&w.open).end == i)
			close_bracket(&w, i);
		else
			add_word(&w, i, end, comment);
		w.fresh = false;
	}
	if (vec_last(&w.open).line != SYNTAX_NONE)
		build_close(f, vec_last(&w.open).line);
	build_close(f, root);
	vec_release_all(&w.open, &w.match);
}

void build_words(struct syntax_full *f)
{
	build_bracketed(f, build_raw_end, 0);
}

/* A symbol, a number or a keyword ends where a blank, a parenthesis or a quote begins. */
static uint32_t lisp_end(const char *t, uint32_t at, uint32_t to)
{
	uint32_t i = at + 1;
	if (t[at] == ';') {
		while (i < to && t[i] != '\n')
			i++;
		return i;
	}
	if (t[at] == '"' || t[at] == '|') {
		const char *end = memchr(t + i, t[at], to - i);
		while (end && t[at] == '"' && end[-1] == '\\')
			end = memchr(end + 1, t[at], (size_t)(t + to - end) - 1);
		return end ? (uint32_t)(end - t) + 1 : i;
	}
	if (memchr("()[]{}'`,", t[at], 9))
		return i;
	while (i < to && !is_space(t[i]) && !memchr("()[]{};\"|", t[i], 9))
		i++;
	return i;
}

void build_lisp(struct syntax_full *f)
{
	build_bracketed(f, lisp_end, ';');
}
