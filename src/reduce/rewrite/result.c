/* SPDX-License-Identifier: MIT */
/* The pass "result": a function returns nothing. Its type becomes `void`, or its result goes where the language writes
 * that after the parameters; in the same edit its `return`s go, or lose their values, or leave the value as a
 * statement, and declarations of the same name change with it. None of this can be done by one step after the
 * other. */
#include "reduce/pass/proposals.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum where {
	BEFORE_NAME, /* a type, which becomes `void` */
	AFTER_LIST   /* between the parameters and the body */
};

/* To add a language: its functions and declarations of functions, what holds the name and parameters (or the
 * parameters alone), the body, and what returns. Names of nodes, separated by spaces. */
static const struct result_rules {
	const char *language;
	enum where where;
	const char *functions, *head, *body, *returns;
	bool tail; /* the last expression of a body is its value */
} rules[] = {
	{"c", BEFORE_NAME, "function_definition declaration", "function_declarator", "compound_statement",
	 "return_statement", false},
	{"c++", BEFORE_NAME, "function_definition declaration field_declaration", "function_declarator",
	 "compound_statement", "return_statement", false},
	{"java", BEFORE_NAME, "method_declaration", "formal_parameters", "block", "return_statement", false},
	{"c#", BEFORE_NAME, "method_declaration local_function_statement", "parameter_list", "block",
	 "return_statement", false},
	{"go", AFTER_LIST, "function_declaration method_declaration func_literal", "parameter_list", "block",
	 "return_statement", false},
	{"rust", AFTER_LIST, "function_item", "parameters", "block", "return_expression", true},
};

enum returns { GO, LEAVE_VALUE, LOSE_VALUE, N_RETURNS };

struct function {
	uint32_t node;
	struct span type; /* local tokens */
	struct span body; /* local tokens, empty: none */
	uint32_t name;    /* local token */
};

struct finder {
	const struct syntax *x;
	const struct result_rules *rules;
	VEC(struct function) functions;
};

static bool is_one_of(const struct syntax *x, uint32_t node, const char *names)
{
	for (const char *s = names; *s;) {
		size_t n = strcspn(s, " ");
		char name[64];
		memcpy(name, s, n);
		name[n] = '\0';
		uint16_t sym = syntax_symbol(x->language, name, true);
		if (sym != SYNTAX_NO_SYMBOL && x->node[node].sym == sym)
			return true;
		s += n + (s[n] == ' ');
	}
	return false;
}

static struct span tokens_of(const struct syntax *x, uint32_t node)
{
	return (struct span){x->node[node].tok, x->node[node].tok + x->node[node].n_tok};
}

/* The node of one of those names in the head of a function: not in its body, nor deeper than its declarators. */
static uint32_t find_head(const struct finder *f, uint32_t node)
{
	const struct syntax *x = f->x;
	for (uint32_t c = node + 1; c < x->node[node].end;) {
		bool declarator = x->node[c].depth <= x->node[node].depth + 3;
		if (declarator && is_one_of(x, c, f->rules->head))
			return c;
		c = is_one_of(x, c, f->rules->body) ? x->node[c].end : c + 1;
	}
	return SYNTAX_NONE;
}

static bool is_word_token(const struct syntax *x, uint32_t token)
{
	return x->token[token].flags & TOKEN_WORD;
}

static void look_at(struct finder *f, uint32_t node)
{
	const struct syntax *x = f->x;
	uint32_t head = find_head(f, node), body = SYNTAX_NONE, before = SYNTAX_NONE;
	if (head == SYNTAX_NONE)
		return;
	struct span all = tokens_of(x, node), h = tokens_of(x, head);
	for (uint32_t c = syntax_first_child(x, node); c != SYNTAX_NONE; c = syntax_next_sibling(x, c)) {
		if (is_one_of(x, c, f->rules->body))
			body = c;
		if (x->node[c].tok + x->node[c].n_tok <= h.from && x->node[c].n_tok)
			before = c;
	}
	struct function n = {.node = node, .body = {all.to, all.to}};
	if (body != SYNTAX_NONE)
		n.body = tokens_of(x, body);
	if (f->rules->where == AFTER_LIST) {
		n.type = (struct span){h.to, n.body.from};
		n.name = h.from ? h.from - 1 : 0;
		if (body == SYNTAX_NONE || n.type.from >= n.type.to)
			return;
	} else {
		/* the type, with the stars of a pointer; the name follows or stands before the parameters */
		n.name = is_word_token(x, h.from) ? h.from : h.from ? h.from - 1 : 0;
		if (before != SYNTAX_NONE && tokens_of(x, before).to > n.name) {
			uint32_t type = SYNTAX_NONE;
			for (uint32_t c = syntax_first_child(x, node); c < before; c = syntax_next_sibling(x, c))
				type = c;
			before = type;
		}
		if (before == SYNTAX_NONE)
			return;
		n.type = (struct span){x->node[before].tok, n.name};
		if (n.type.from >= n.type.to)
			return;
	}
	vec_push(&f->functions, n);
}

static bool same_name(const struct syntax *x, uint32_t a, uint32_t b)
{
	return x->token[a].len == x->token[b].len &&
	       memcmp(x->text + x->token[a].at, x->text + x->token[b].at, x->token[a].len) == 0;
}

/* The value a body ends with, where that is an expression without a `;`. */
static void drop_last_value(struct proposals *p, const struct syntax *x, uint32_t first, const struct function *n)
{
	uint32_t body = SYNTAX_NONE, last = SYNTAX_NONE;
	for (uint32_t c = syntax_first_child(x, n->node); c != SYNTAX_NONE; c = syntax_next_sibling(x, c))
		if (x->node[c].tok == n->body.from)
			body = c;
	if (body == SYNTAX_NONE)
		return;
	for (uint32_t c = syntax_first_child(x, body); c != SYNTAX_NONE; c = syntax_next_sibling(x, c))
		if (x->node[c].tok + x->node[c].n_tok == n->body.to - 1)
			last = c;
	if (last == SYNTAX_NONE)
		return;
	struct span s = tokens_of(x, last);
	const char *end = x->text + x->token[s.to - 1].at;
	if (s.from > n->body.from && *end != ';' && *end != '}')
		proposal_remove(p, first + s.from, first + s.to);
}

static void drop_returns(struct proposals *p, const struct finder *f, uint32_t first, const struct function *n,
			 enum returns how)
{
	const struct syntax *x = f->x;
	for (uint32_t c = n->node + 1; c < x->node[n->node].end; c++) {
		struct span s = tokens_of(x, c);
		if (s.from < n->body.from || !s.to || !is_one_of(x, c, f->rules->returns))
			continue;
		bool semicolon = x->text[x->token[s.to - 1].at] == ';';
		if (how == GO)
			proposal_remove(p, first + s.from, first + s.to);
		else if (how == LEAVE_VALUE)
			proposal_remove(p, first + s.from, first + s.from + 1);
		else
			proposal_remove(p, first + s.from + 1, first + s.to - semicolon);
	}
	if (f->rules->tail && how == GO)
		drop_last_value(p, x, first, n);
}

static void propose(struct proposals *p, const struct finder *f, uint32_t first, size_t at)
{
	const struct function *n = &f->functions.at[at];
	for (int how = 0; how < N_RETURNS; how++) {
		for (size_t i = 0; i < f->functions.n; i++) {
			const struct function *o = &f->functions.at[i];
			if (i != at && !same_name(f->x, n->name, o->name))
				continue;
			struct span type = {first + o->type.from, first + o->type.to};
			if (f->rules->where == BEFORE_NAME)
				proposal_replace(p, type, "void", 4, 1);
			else
				proposal_remove(p, type.from, type.to);
			drop_returns(p, f, first, o, (enum returns)how);
		}
		proposal_end(p, first + n->name + 1);
	}
}

static void look_at_file(struct proposals *p, const struct forest *forest, size_t number)
{
	const struct base_file *file = &p->pass.model->file[number];
	(void)forest;
	struct finder f = {.x = file->syntax};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rules[i].language, f.x->language->name) == 0)
			f.rules = &rules[i];
	if (!f.rules)
		return;
	for (uint32_t n = 1; n < f.x->n_nodes; n++)
		if (!(f.x->node[n].flags & (NODE_LEAF | NODE_ERROR)) && is_one_of(f.x, n, f.rules->functions))
			look_at(&f, n);
	for (size_t i = 0; i < f.functions.n; i++)
		propose(p, &f, file->first, i);
	vec_release(&f.functions);
}

static void result_begin(void *state)
{
	proposals_of_files(state, look_at_file);
}

const struct pass pass_result = {"result", "functions return nothing", PASS_TREE | PASS_FIXPOINT, result_begin,
				 &proposals_frame};
