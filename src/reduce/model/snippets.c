/* SPDX-License-Identifier: MIT */
/* The shortest texts of each kind of node: see snippets.h. */
#include "reduce/model/snippets.h"

#include "reduce/syntax/syntax.h"

#include <string.h>

enum {
	PER_LETTER = 2, /* texts of a kind that are kept from the program */
	MAX_TOKENS = 3
};

/* To add a language: the name of its row in languages[], and a text that has its smallest expressions, statements,
 * types and patterns. */
static const struct {
	const char *language, *text;
} seeds[] = {
	{"c", "int a(){;0;1;{}}"},
	{"c++", "int a(){;0;1;{}}"},
	{"rust", "fn a()->(){();0;{}}fn a(_:()){}"},
	{"go", "package a\nvar a int\nfunc a(){a=0;a=nil;a=\"\";{}}"},
	{"java", "class a{int a=0;int a=1;Object a=null;int a(){;{}}}"},
	{"javascript", ";0;1;{};a=[];"},
	{"typescript", ";0;1;{};a=[];let a:0;"},
	{"tsx", ";0;1;{};a=[];let a:0;"},
	{"python", "pass\n0\n1\nNone\n''\n[]\n"},
	{"json", "[0,1,null,\"\"]"},
	{"sql", "SELECT 0;SELECT 1;SELECT NULL;SELECT '';"},
	{"css", "a{a:0}"},
	{"yaml", "[0]"},
	{"php", "<?php ;0;1;null;'';[];{}"},
	{"ruby", "0\n1\nnil\n''\n[]\n"},
	{"bash", "a=0\n:\n((0))\n"},
	{"c#", "class a{int a=0;int a=1;object a=null;int a(){;{}}}"},
	{"kotlin", "val a:Int=0\nval a=1\nval a=null\nval a=\"\"\nfun a(){}\n"},
	{"swift", "let a:Int=0\nlet a=1\nlet a=nil\nlet a=\"\"\nlet a=[]\n"},
	{"scala", "val a:Int=0\nval a=1\nval a=null\nval a=()\nval a=\"\"\n"},
	{"haskell", "a=0\na=1\na=()\na=[]\na=\"\"\na::()\n"},
	{"ocaml", "let a:int=0 let a=1 let a=() let a=[] let a=\"\""},
	{"zig", "const a:u8=0;const a=1;const a=null;const a={};"},
	{"lua", "a=0;a=1;a=nil;a={};a=''"},
	{"solidity", "contract a{int a=0;int a=1;function a()public{;{}}}"},
	{"glsl", "int a(){;0;1;{}}"},
	{"verilog", "module a;wire a=0;assign a=1;endmodule"},
	{"llvm",
	 "define void@a(){ret void}define i8@a(){ret i8 0}define i8@a(){ret i8 undef}define i8@a(){unreachable}"},
};

static int by_length(const void *a, const void *b)
{
	const struct snippet *x = a, *y = b;
	if (x->tokens != y->tokens)
		return x->tokens < y->tokens ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	int c = memcmp(x->text, y->text, x->len);
	return c ? c : (x->letter > y->letter) - (x->letter < y->letter);
}

static bool same(const struct snippet *a, const struct snippet *b)
{
	return a->letter == b->letter && a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static uint8_t sort_of(char first)
{
	if (first >= '0' && first <= '9')
		return SNIPPET_NUMBER;
	return first == '"' || first == '\'' ? SNIPPET_STRING : SNIPPET_OTHER;
}

/* The text of a node that is one line. */
static bool take(const struct syntax *x, uint32_t node, struct snippet *out)
{
	const struct syn_node *n = &x->node[node];
	if (!n->n_tok || n->n_tok > MAX_TOKENS || n->flags & (NODE_EXTRA | NODE_ERROR | NODE_BROKEN))
		return false;
	const struct syn_token *first = &x->token[n->tok], *last = first + n->n_tok - 1;
	for (const struct syn_token *t = first; t <= last; t++)
		if (t->flags & (TOKEN_COMMENT | TOKEN_LAYOUT | TOKEN_LINE_END))
			return false;
	*out = (struct snippet){
		.text = x->text + first->at,
		.len = last->at + last->len - first->at,
		.tokens = n->n_tok,
		.letter = n->letter,
		.sort = sort_of(x->text[first->at]),
	};
	return !memchr(out->text, '\n', out->len);
}

/* Adds a snippet unless it is there; a kind that has enough keeps its shortest. */
static void add(struct snippets *s, struct snippet new)
{
	struct snippet *longest = NULL;
	unsigned alike = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (same(&s->at[i], &new))
			return;
		if (s->at[i].letter != new.letter || s->at[i].sort != new.sort || s->at[i].seed)
			continue;
		alike++;
		if (!longest || by_length(longest, &s->at[i]) < 0)
			longest = &s->at[i];
	}
	if (!new.seed && alike >= PER_LETTER &&by_length(&new, longest) > 0)
		return;
	new.text = arena_strndup(&s->arena, new.text, new.len);
	if (!new.seed && alike >= PER_LETTER)
		*longest = new;
	else
		vec_push(s, new);
}

/* Seeds have to call something by a name: `a`, or `@a`. */
static bool has_made_up_name(const struct syntax *x, uint32_t node)
{
	for (uint32_t t = x->node[node].tok; t < x->node[node].tok + x->node[node].n_tok; t++) {
		const char *text = x->text + x->token[t].at;
		if (text[0] == 'a' ? x->token[t].len == 1 : x->token[t].len == 2 && text[1] == 'a')
			return true;
	}
	return false;
}

static void add_seed(struct snippets *s, const struct language *lang)
{
	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		struct syntax *x;
		if (strcmp(seeds[i].language, lang->name) != 0 ||
		    syntax_parse(&x, lang, seeds[i].text, strlen(seeds[i].text), NULL) != RC_OK)
			continue;
		struct snippet new;
		for (uint32_t n = 1; n < x->n_nodes; n++)
			if (take(x, n, &new) && !has_made_up_name(x, n)) {
				new.seed = true;
				add(s, new);
			}
		syntax_free(x);
	}
}

void snippets_init(struct snippets *s, const struct syntax *x)
{
	*s = (struct snippets){0};
	if (x->language->grammar)
		add_seed(s, x->language);
	struct snippet new;
	for (uint32_t n = 1; n < x->n_nodes; n++)
		if (take(x, n, &new))
			add(s, new);
	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, by_length);
}

void snippets_release(struct snippets *s)
{
	vec_release(s);
	arena_release(&s->arena);
}
