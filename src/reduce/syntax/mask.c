/* SPDX-License-Identifier: MIT */
/* What the grammars of C and C++ trip over, hidden from the parser: see mask_text in internal.h.
 *
 * One namespace with an attribute is enough to turn the rest of a preprocessed C++ file into one error. So
 * attributes, assembler names, compiler keywords that say nothing about the structure, and line markers inside a
 * declaration are blanked in a copy,
 * byte for byte, and only the parser sees the copy: the tree gets them back as unparsed text, a node per masked
 * stretch. */
#include "reduce/syntax/internal.h"

#include <string.h>

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static uint32_t skip_blanks(const char *t, uint32_t at, uint32_t n)
{
	while (at < n && is_blank(t[at]))
		at++;
	return at;
}

/* One past the string, character or comment at `at`; `at` when there is none. */
static uint32_t skip_quoted(const char *t, uint32_t at, uint32_t n)
{
	if (t[at] == '/' && at + 1 < n && t[at + 1] == '/') {
		const char *end = memchr(t + at, '\n', n - at);
		return end ? (uint32_t)(end - t) : n;
	}
	if (t[at] == '/' && at + 1 < n && t[at + 1] == '*') {
		for (at += 2; at + 1 < n && (t[at] != '*' || t[at + 1] != '/'); at++)
			;
		return at + 2 < n ? at + 2 : n;
	}
	if (t[at] != '"' && t[at] != '\'')
		return at;
	uint32_t i = at + 1;
	while (i < n && t[i] != t[at] && t[i] != '\n')
		i += t[i] == '\\' && i + 1 < n ? 2 : 1;
	return i < n ? i + 1 : n;
}

/* One past the parenthesis that closes the one at `at`; 0 when there is none. */
static uint32_t skip_parentheses(const char *t, uint32_t at, uint32_t n)
{
	uint32_t open = 0;
	while (at < n) {
		uint32_t next = skip_quoted(t, at, n);
		if (next > at) {
			at = next;
			continue;
		}
		if (t[at] == '(')
			open++;
		else if (t[at] == ')' && --open == 0)
			return at + 1;
		at++;
	}
	return 0;
}

static bool word_is(const char *t, uint32_t at, uint32_t len, const char *word)
{
	return strlen(word) == len && memcmp(t + at, word, len) == 0;
}

static bool word_in(const char *t, uint32_t at, uint32_t len, const char *const *words)
{
	for (; *words; words++)
		if (word_is(t, at, len, *words))
			return true;
	return false;
}

/* One past what is to be masked with the word at `at`; `at` when it stays. last: the character before it that is not
 * blank. */
static uint32_t masked_end(const char *t, uint32_t at, uint32_t len, uint32_t n, char last)
{
	static const char *const alone[] = {"__extension__", "__restrict__", "__restrict", "__inline__",
					    "__inline",      "__volatile__", NULL};
	static const char *const called[] = {"__attribute__", "__attribute", "__declspec", NULL};
	static const char *const assembler[] = {"__asm__", "__asm", "asm", NULL};
	uint32_t next = skip_blanks(t, at + len, n);
	if (word_in(t, at, len, alone))
		return at + len;
	/* as a statement it parses; after a declarator it names the symbol */
	bool name = last == ')' && word_in(t, at, len, assembler);
	if ((name || word_in(t, at, len, called)) && next < n && t[next] == '(') {
		uint32_t end = skip_parentheses(t, next, n);
		return end ? end : at;
	}
	if (word_is(t, at, len, "extern") && n - next > 8 && memcmp(t + next, "template", 8) == 0 &&
	    !is_word(t[next + 8]))
		return at + len;
	/* T C::*, a pointer to a member: the grammar knows it in few places */
	if (n - next > 2 && t[next] == ':' && t[next + 1] == ':') {
		uint32_t star = skip_blanks(t, next + 2, n);
		if (star < n && t[star] == '*')
			return next + 2;
	}
	return at;
}

/* One past the marker at `at` that a preprocessor left in the middle of something; `at` when there is none. last: the
 * character before it that is not blank. Between declarations the grammar takes it. */
static uint32_t marker_end(const char *t, uint32_t at, uint32_t n, char last)
{
	if (t[at] != '#' || (at && t[at - 1] != '\n') || n - at < 3 || t[at + 1] != ' ' || t[at + 2] < '0' ||
	    t[at + 2] > '9' || !last || strchr(";{}:\"", last))
		return at;
	const char *end = memchr(t + at, '\n', n - at);
	return end ? (uint32_t)(end - t) : n;
}

static void mask(struct masked *m, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (m->text[i] != '\n')
			m->text[i] = ' ';
	if (m->regions.n && vec_last(&m->regions).to == from)
		vec_last(&m->regions).to = to;
	else
		vec_push(&m->regions, ((struct syn_run){from, to}));
}

void mask_text(struct masked *m, const char *text, uint32_t n)
{
	*m = (struct masked){.text = mem_strndup(text, n)};
	char last = 0;
	for (uint32_t at = 0; at < n;) {
		uint32_t end = skip_quoted(text, at, n), marker = marker_end(text, at, n, last);
		if (end > at) {
			last = '"';
		} else if (marker > at) {
			mask(m, at, marker);
			end = marker;
		} else if (is_word(text[at])) {
			for (end = at; end < n && is_word(text[end]);)
				end++;
			uint32_t to = masked_end(text, at, end - at, n, last);
			if (to > at) {
				mask(m, at, to);
				end = to;
			} else {
				last = text[end - 1];
			}
		} else {
			if (n - at > 5 && memcmp(text + at, "......", 6) == 0)
				mask(m, at, at + 3);
			if (!is_blank(text[at]))
				last = text[at];
			end = at + 1;
		}
		at = end;
	}
}

void mask_release(struct masked *m)
{
	free(m->text);
	vec_release(&m->regions);
}
