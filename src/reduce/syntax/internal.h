/* SPDX-License-Identifier: MIT */
/* Shared by the files that make and print a struct syntax. */
#ifndef REDUCE_SYNTAX_INTERNAL_H
#define REDUCE_SYNTAX_INTERNAL_H

#include "reduce/syntax/syntax.h"
#include "data/vec.h"

/* What a new line means where tokens between two kept ones went away. */
enum newline_rule {
	NEWLINE_FREE,      /* white space: kept for the reader's sake */
	NEWLINE_STATEMENT, /* may end a statement: only before one (JavaScript, Go) */
	NEWLINE_LAYOUT,    /* logical lines and blocks (Python) */
	NEWLINE_INDENTED,  /* lines stay lines, and keep their indentation (YAML, Haskell, shells) */
	NEWLINE_NONE       /* tokens hold their own white space (lines, characters) */
};

struct language_traits {
	enum newline_rule newline;
	bool directives;      /* a line that starts with # is a line of its own */
	const char *literals; /* nodes that are one token, separated by spaces */
};
extern const struct language_traits language_traits[N_LANGUAGES];

/* Whether word is one of the words of list (separated by single spaces); any_case: ASCII letters without case. */
bool language_in_list(const char *list, const char *word, size_t n, bool any_case);

/* A Python block: its tokens are one level deeper than the line of its colon. */
struct syn_block {
	uint32_t parent; /* block, or SYNTAX_NONE */
	uint32_t colon;  /* token, or SYNTAX_NONE */
};

struct syntax_full {
	struct syntax s;
	struct {
		VEC_FIELDS(struct syn_token);
	} tokens;
	struct {
		VEC_FIELDS(struct syn_node);
	} nodes;
	struct {
		VEC_FIELDS(struct syn_block);
	} blocks;
	uint32_t *block_of; /* of each token, or SYNTAX_NONE; NULL unless Python */
	char *text;
};

/* ---- building (build.c): nodes are opened and closed in preorder, tokens come in text order */

/* Opens a node below the last open one. */
uint32_t build_open(struct syntax_full *f, uint32_t parent, uint16_t sym, uint16_t rule, uint8_t flags);
void build_close(struct syntax_full *f, uint32_t node);
/* A leaf and its token, bytes at … at+len−1 of the text. */
struct leaf {
	uint16_t sym;
	uint8_t node_flags, token_flags;
	uint32_t at, len;
};
void build_leaf(struct syntax_full *f, uint32_t parent, const struct leaf *l);
/* What stands in from … to−1 and is not white space, as leaves with NODE_EXTRA: words, quoted strings, single
 * signs. */
void build_raw(struct syntax_full *f, uint32_t parent, uint32_t from, uint32_t to);
/* The whole text as a tree of two levels: lines and raw tokens. */
void build_lines_and_words(struct syntax_full *f);
/* The end of the raw token at `at`: a quoted string that ends on its line, a word, or one sign. */
uint32_t build_raw_end(const char *t, uint32_t at, uint32_t to);
/* After the tree is there: which tokens may not leave their line, Python's blocks. */
void build_layout(struct syntax_full *f);

/* ---- readers without a grammar (plain.c) */

void build_lines(struct syntax_full *f);
void build_words(struct syntax_full *f);
void build_chars(struct syntax_full *f);
void build_lisp(struct syntax_full *f);

/* ---- masking (mask.c) */

/* A copy of the text with blanks where the grammar of C or C++ would not expect what is there. */
struct masked {
	char *text;
	struct {
		VEC_FIELDS(struct syn_run); /* bytes, ascending, apart */
	} regions;
};
void mask_text(struct masked *m, const char *text, uint32_t n);
void mask_release(struct masked *m);

/* Parses with tree-sitter; false if it gave up. */
bool build_tree(struct syntax_full *f);
/* Memory that the last parse of this thread asked for, freed or not: what it cost. And what one of n bytes may cost,
 * but for its last hundred steps. */
uint64_t tree_bytes(void);
uint64_t tree_max_bytes(uint32_t n);
/* Whether the language's grammar takes the whole text without an error; false at the first one. */
bool tree_fits(const struct language *l, const char *text, uint32_t n);

#endif
