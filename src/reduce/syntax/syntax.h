/* SPDX-License-Identifier: MIT */
/* Programs as tokens and trees: what the reducer edits.
 *
 * syntax_parse turns a text into flat, immutable arrays: tokens in text order and nodes in preorder, from tree-sitter's
 * parse or, for languages without a grammar and for what does not parse, from a plain scan. Every byte that is
 * not white space belongs to exactly one token, comments too (they are tokens with TOKEN_COMMENT). A string literal is
 * one token. Nothing fails: what tree-sitter cannot parse becomes nodes with NODE_ERROR, whose children may go one by
 * one.
 *
 * Every node is tied back to the rule of the grammar it came from (reduce/syntax/grammar.h): which children form
 * lists, which are optional, what may stand in place of a child. The functions on shapes below answer that for any
 * list of child symbols, so that an edited tree can be asked about without a new parse.
 *
 * syntax_print writes any subset of the tokens so that it reads back as these tokens: nothing glues together, lines
 * that matter stay lines, Python's blocks are indented anew. All tokens together give the original text, byte for byte.
 *
 * One thread at a time: grammars and shapes are remembered per language. */
#ifndef REDUCE_SYNTAX_SYNTAX_H
#define REDUCE_SYNTAX_SYNTAX_H

#include "data/buf.h"
#include "data/err.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- languages */

enum language_id {
	LANG_C,
	LANG_CPP,
	LANG_RUST,
	LANG_GO,
	LANG_JAVA,
	LANG_JAVASCRIPT,
	LANG_TYPESCRIPT,
	LANG_TSX,
	LANG_PYTHON,
	LANG_JSON,
	LANG_SQL,
	LANG_CSS,
	LANG_HTML,
	LANG_XML,
	LANG_YAML,
	LANG_PHP,
	LANG_RUBY,
	LANG_BASH,
	LANG_CSHARP,
	LANG_KOTLIN,
	LANG_SWIFT,
	LANG_SCALA,
	LANG_HASKELL,
	LANG_OCAML,
	LANG_ZIG,
	LANG_LUA,
	LANG_SOLIDITY,
	LANG_GLSL,
	LANG_VERILOG,
	LANG_LLVM,
	LANG_SMTLIB,
	LANG_LISP,
	LANG_LINES,
	LANG_WORDS,
	LANG_CHARS,
	LANG_BYTES,
	N_LANGUAGES
};

struct language {
	enum language_id id;
	const char *name;       /* for --language */
	const char *aliases;    /* other names, separated by spaces */
	const char *extensions; /* without the dot, separated by spaces */
	const char *grammar;    /* the tree-sitter grammar it is parsed with; NULL: no tree */
};

/* Rows of one table, in the order of enum language_id. */
extern const struct language languages[N_LANGUAGES];

/* By name or alias, any case; NULL if there is none. */
const struct language *language_find(const char *name);
const char *language_name(size_t i); /* NULL after the last */
/* Whether its grammar, if it has one, was compiled in. */
bool language_available(const struct language *l);
/* By extension, unless the text is none of that language or no text at all; else by content (#! line, what parses
 * without an error), else "lines". path may be NULL. */
const struct language *language_detect(const char *path, const char *text, size_t n);
/* The same in two steps, for those who parse the text anyway: what it is to be parsed as, and whether it is lines after
 * all. */
const struct language *language_likely(const char *path, const char *text, size_t n);
struct syntax;
bool language_misfits(const char *path, const struct syntax *s);
/* What a text is read as when there is nothing more to find in it as `l`: lines, then words. NULL: nothing else. */
const struct language *language_finer(const struct language *l, const char *text, size_t n);
/* Whether a text of l is worth a look at each character: what has no other structure, and what is small. */
bool language_by_chars(const struct language *l, const char *text, size_t n);
/* Whether programs are lists in parentheses, which have a tree without a grammar. */
bool language_is_lists(const struct language *l);

enum text_kind {
	TEXT_PLAIN,
	TEXT_BINARY,   /* control characters, among them NUL */
	TEXT_UTF16_LE, /* by its first two bytes, or every other byte is 0 */
	TEXT_UTF16_BE,
};
enum text_kind syntax_text_kind(const char *text, size_t n);
/* What a file that begins with this text is read as at the finest: its characters or, where they are not UTF-8 or
 * UTF-16, its bytes. */
const struct language *language_finest(const char *text, size_t n);

/* ---- tokens and trees */

#define SYNTAX_NONE UINT32_MAX
/* Larger texts are read as lines whatever the language. */
#define SYNTAX_MAX_BYTES (256u << 20)

enum {
	TOKEN_COMMENT = 1,  /* no part of the program */
	TOKEN_LITERAL = 2,  /* string, character or template literal, number */
	TOKEN_WORD = 4,     /* identifier or keyword */
	TOKEN_LINE_END = 8, /* a new line must follow (line comment) */
	TOKEN_LAYOUT =
		16, /* a new line that is a token of its own (after #if); not counted as a token of the program */
	TOKEN_STATEMENT = 32, /* the first of a statement, declaration or member */
	TOKEN_LINE_START =
		64 /* the new line before it has a meaning: two tokens are the same only if they agree here */
};

struct syn_token {
	uint32_t at, len; /* bytes of the text */
	uint32_t node;    /* its leaf */
	uint32_t line;    /* 0, or the number of the line it may not leave (directive, Python's logical line) */
	uint8_t flags;
};

enum {
	NODE_EXTRA = 1, /* comment or unparsed text: may stand anywhere, is not part of the rule */
	NODE_ERROR = 2, /* did not parse, or a part is missing: children are free */
	NODE_LEAF = 4,  /* has exactly one token and no children */
	NODE_BROKEN = 8 /* some node below (or itself) has NODE_ERROR */
};

struct syn_node {
	uint32_t parent;     /* SYNTAX_NONE for the root, which is node 0 */
	uint32_t end;        /* one past its last descendant: the first child of i is i + 1 if i + 1 < end, and the
			      * sibling after child c is node c's end, if that is below the parent's end */
	uint32_t tok, n_tok; /* its tokens */
	uint16_t sym;        /* what it is called where it stands (an alias if there is one) */
	uint16_t rule;       /* the rule its children follow */
	uint16_t letter;     /* what it is in the rule of its parent: see shapes */
	uint16_t depth;      /* distance from the root, at most 65535 */
	uint8_t flags;
};

struct syntax {
	const struct language *language;
	const char *text; /* a copy, ended by NUL */
	size_t n_text;
	const struct syn_token *token;
	uint32_t n_tokens;
	const struct syn_node *node;
	uint32_t n_nodes;
	uint32_t n_errors; /* nodes with NODE_ERROR */
};

/* n must not exceed UINT32_MAX − 1 (RC_INPUT). Freed by syntax_free. */
enum rc syntax_parse(struct syntax **out, const struct language *lang, const char *text, size_t n, struct err *e);
void syntax_free(struct syntax *s);

/* SYNTAX_NO_SYMBOL if the grammar has no such symbol. */
#define SYNTAX_NO_SYMBOL UINT16_MAX
uint16_t syntax_symbol(const struct language *lang, const char *name, bool named);
/* First child and next sibling, SYNTAX_NONE at the end. */
uint32_t syntax_first_child(const struct syntax *s, uint32_t node);
uint32_t syntax_next_sibling(const struct syntax *s, uint32_t node);

/* ---- printing */

/* Token `token` is printed with this text. */
struct syn_rewrite {
	uint32_t token;
	uint32_t len;
	const char *text;
};

/* The tokens from … to−1. */
struct syn_run {
	uint32_t from, to;
};

/* Appends the tokens of the runs (ascending, disjoint) to out. Where two kept tokens were neighbours in the text, the
 * white space between them stays; elsewhere there is as little as possible. rewrites are ascending by token; a
 * rewritten token's neighbours are separated as its new text needs it. A run costs one copy (Python: one per token). */
void syntax_print(const struct syntax *s, const struct syn_run *run, size_t n_runs, const struct syn_rewrite *rewrite,
		  size_t n_rewrites, struct buf *out);

/* A part of what was printed: tokens token … to−1, as they stand next to each other in the text of s (or one that
 * is rewritten), at this offset. */
struct syn_piece {
	size_t at;
	uint32_t token, to;
};
struct syn_pieces {
	VEC_FIELDS(struct syn_piece);
};
/* The same into an empty out; appends where what is. */
void syntax_print_pieces(const struct syntax *s, const struct syn_run *run, size_t n_runs,
			 const struct syn_rewrite *rewrite, size_t n_rewrites, struct buf *out,
			 struct syn_pieces *pieces);

/* Whether a token that starts with b, written right after token a (n bytes, at least one), could read as anything but
 * these two. */
bool syntax_glues(const char *a, size_t n, char b);

/* ---- shapes: a node's children against its rule
 *
 * A shape is the answer for one rule and one sequence of children's letters (extras left out). Its lists are what may
 * be deleted: any subset of a list's elements as far as the grammar goes (shape_valid has the last word). An optional
 * child is a list of one element. */

struct shape_element {
	uint32_t from, to;  /* children of the element */
	uint32_t separator; /* the child after `to` that joins it to the next element, or SYNTAX_NONE */
};

struct shape_list {
	uint32_t first, n; /* elements */
	bool may_be_empty; /* else one element must stay */
	bool free;         /* the rule did not match: no promise at all */
};

struct shape {
	bool matched; /* false: the rule is unknown or does not match; all children form one free list */
	uint32_t n_children;
	const struct shape_list *list;
	size_t n_lists;
	const struct shape_element *element;
};

/* letter[i] is that of child i. The caller owns the answer until shape_drop. */
const struct shape *shape_get(const struct language *lang, uint16_t rule, const uint16_t *letter, uint32_t n);
void shape_drop(const struct shape *s);
/* Whether the rule allows exactly these children. True when the rule is not known. */
bool shape_valid(const struct language *lang, uint16_t rule, const uint16_t *letter, uint32_t n);
/* Whether child `at` of a matched shape may be replaced by the sequence with[0 … n−1]. */
bool shape_accepts(const struct shape *s, uint32_t at, const uint16_t *with, uint32_t n);

#endif
