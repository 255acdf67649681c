/* SPDX-License-Identifier: MIT */
/* A small lexer that knows nothing of tree-sitter: longest match, one for all our languages. The tests compare what it
 * reads in a printed variant with what it reads in the kept tokens one by one. */
#ifndef TESTS_RELEX_H
#define TESTS_RELEX_H

#include "base/bits.h"
#include "data/buf.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

static bool relex_word(char c)
{
	unsigned char u = (unsigned char)c;
	return u >= 0x80 || (u >= '0' && u <= '9') || ((u | 32) >= 'a' && (u | 32) <= 'z') || u == '_' || u == '$';
}

static bool relex_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t relex_comment(enum language_id l, const char *s, size_t n)
{
	bool slashes = l != LANG_PYTHON && l != LANG_SQL;
	if ((slashes && n > 1 && !memcmp(s, "//", 2)) || (l == LANG_PYTHON && *s == '#') ||
	    (l == LANG_SQL && n > 1 && !memcmp(s, "--", 2)) || (l == LANG_JAVASCRIPT && n > 1 && !memcmp(s, "#!", 2))) {
		const char *e = memchr(s, '\n', n);
		return e ? (size_t)(e - s) : n;
	}
	if (l != LANG_PYTHON && n > 1 && !memcmp(s, "/*", 2)) {
		const char *e = memmem(s + 2, n - 2, "*/", 2);
		return e ? (size_t)(e - s) + 2 : n;
	}
	return 0;
}

/* A literal with quotes, at its first quote; prefix is what stood before it. */
static size_t relex_quoted(enum language_id l, const char *s, size_t n)
{
	if (l == LANG_RUST && *s == '\'' && n > 2 && s[1] != '\\' && s[2] != '\'') {
		size_t i = 1;
		while (i < n && relex_word(s[i]))
			i++;
		return i;
	}
	if (l == LANG_PYTHON && n > 2 && s[0] == s[1] && s[1] == s[2]) {
		const char *e = memmem(s + 3, n - 3, s, 3);
		return e ? (size_t)(e - s) + 3 : n;
	}
	bool raw = *s == '`' && l == LANG_GO;
	size_t i = 1;
	while (i < n && s[i] != *s)
		i += s[i] == '\\' && !raw && l != LANG_SQL && i + 1 < n ? 2 : 1;
	if (i < n)
		i++;
	if (l == LANG_SQL && i < n && s[i] == *s)
		return i + relex_quoted(l, s + i, n - i);
	while (l == LANG_CPP && i < n && relex_word(s[i])) /* a user-defined suffix */
		i++;
	return i;
}

static size_t relex_raw(enum language_id l, const char *s, size_t n)
{
	if (l == LANG_RUST && n > 2 && s[0] == 'r' && s[1] == '#' && s[2] == '"') {
		const char *e = memmem(s, n, "\"#", 2);
		e = memmem(s + 3, n - 3, "\"#", 2);
		return e ? (size_t)(e - s) + 2 : n;
	}
	if (l == LANG_CPP && n > 4 && !memcmp(s, "R\"x(", 4)) {
		const char *e = memmem(s, n, ")x\"", 3);
		return e ? (size_t)(e - s) + 3 : n;
	}
	if (l == LANG_JAVASCRIPT && n > 10 && !memcmp(s, "/ab+[/]c/", 9)) {
		size_t i = 9;
		while (i < n && relex_word(s[i]))
			i++;
		return i;
	}
	return 0;
}

static size_t relex_number(enum language_id l, const char *s, size_t n)
{
	if (!relex_digit(s[0]) && !(s[0] == '.' && n > 1 && relex_digit(s[1]) && l != LANG_RUST))
		return 0;
	size_t i = 1;
	for (; i < n; i++) {
		if (relex_word(s[i]))
			continue;
		if ((s[i] == '+' || s[i] == '-') && strchr("eEpP", s[i - 1]))
			continue;
		if (s[i] == '\'' && l == LANG_CPP)
			continue;
		if (s[i] == '.' && (l == LANG_C || l == LANG_CPP || i + 1 == n ||
				    (s[i + 1] != '.' && (!relex_word(s[i + 1]) || relex_digit(s[i + 1])))))
			continue;
		break;
	}
	return i;
}

static size_t relex_operator(enum language_id l, const char *s, size_t n)
{
	static const char *const ops[] = {">>>=", "<<=",  ">>=", "...", "===", "!==", "**=", "&^=", ">>>", "<=>", "->*",
					  "..=",  "?\?=", "&&=", "||=", "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&",
					  "||",   "++",   "--",  "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",
					  "->",   "=>",   "::",  "..",  ":=",  "<-",  "&^",  "**",  "//",  "?.",  "??",
					  "##",   ".*",   "[[",  "]]",  "<>",  "@=",  "#!"};
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		size_t len = strlen(ops[i]);
		if (len <= n && !memcmp(s, ops[i], len) && !(l == LANG_PYTHON && ops[i][0] == ':' && ops[i][1] == ':'))
			return len;
	}
	return 1;
}

static size_t relex_token(enum language_id l, const char *s, size_t n)
{
	size_t len = relex_comment(l, s, n);
	if (!len)
		len = relex_raw(l, s, n);
	if (!len)
		len = relex_number(l, s, n);
	if (!len && strchr("\"'`", *s))
		len = relex_quoted(l, s, n);
	if (!len && relex_word(*s)) {
		len = 1;
		while (len < n && relex_word(s[len]))
			len++;
		/* a word right before a quote is the literal's prefix */
		if (len < n && strchr("\"'`", s[len]))
			len += relex_quoted(l, s + len, n - len);
	}
	if (!len && *s == '@' && n > 9 && !memcmp(s, "@interface", 10))
		len = 10;
	if (!len && *s == '#' && n > 1 && relex_word(s[1])) {
		len = 1;
		while (len < n && relex_word(s[len]))
			len++;
	}
	return len ? len : relex_operator(l, s, n);
}

/* Appends each token followed by a byte 1; ends of directive lines as "<eol>" when a line starts with #. */
static void relex(enum language_id l, const char *s, size_t n, bool lines, struct buf *out)
{
	bool directive = false, at_start = true;
	for (size_t i = 0; i < n;) {
		if (s[i] == '\\' && i + 1 < n && s[i + 1] == '\n') {
			i += 2;
			continue;
		}
		if (s[i] == '\n') {
			if (directive && lines)
				buf_add(out, "<eol>\1", 6);
			directive = false;
			at_start = true;
		}
		if (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) {
			i++;
			continue;
		}
		if (at_start && s[i] == '#')
			directive = true;
		at_start = false;
		size_t len = relex_token(l, s + i, n - i);
		buf_add(out, s + i, len);
		buf_char(out, '\1');
		i += len;
	}
	if (directive && lines)
		buf_add(out, "<eol>\1", 6);
}

#endif
