/* SPDX-License-Identifier: MIT */
/* Other people's scripts with small changes, for tests/attack/smt_altered:
 *
 *	smt_altered SEED N FOLDER < LIST    FOLDER/s0.smt2 …, each one of the scripts that LIST names, altered
 *
 * A script is taken as its tokens. An alteration puts an operator of the same kind for another, changes a number, a
 * width or a literal, quotes or swaps names, copies a term over another, or adds, copies, swaps and removes commands;
 * most of what comes out is still SMT-LIB. Three in a row come from one script, so that they share much of what a cache
 * looks at. Commands that print values or text are put between marks, as smt_odd's `check` wants them. */
#include "data/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
	const char *at;
	size_t n;
};

struct script {
	VEC(struct token) token;
	VEC(char *) made; /* texts of tokens that are not in the file */
};

static uint64_t rng;

static unsigned draw(size_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return n ? (unsigned)(rng >> 33) % (unsigned)n : 0;
}

/* ---- tokens */

static size_t token_length(const char *t)
{
	if (*t == '(' || *t == ')')
		return 1;
	if (*t == '|' || *t == '"') {
		const char *close = strchr(t + 1, *t);
		return close ? (size_t)(close - t) + 1 : strlen(t);
	}
	return strcspn(t, " \t\r\n()|\";") ? strcspn(t, " \t\r\n()|\";") : 1;
}

static void read_tokens(struct script *s, const char *t)
{
	for (;;) {
		t += strspn(t, " \t\r\n");
		if (!*t)
			return;
		if (*t == ';') {
			t += strcspn(t, "\n");
			continue;
		}
		size_t n = token_length(t);
		vec_push(&s->token, ((struct token){t, n}));
		t += n;
	}
}

static bool is(const struct token *t, const char *text)
{
	return t->n == strlen(text) && !memcmp(t->at, text, t->n);
}

static bool same(const struct token *a, const struct token *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

/* A place where a token of the script that the text describes is; s->token.n: none was found by chance. */
static size_t somewhere(const struct script *s, bool (*wanted)(const struct token *t))
{
	for (int tries = 0; tries < 200 && s->token.n; tries++) {
		size_t i = draw(s->token.n);
		if (wanted(&s->token.at[i]))
			return i;
	}
	return s->token.n;
}

/* The end of the term or command that starts at token i. */
static size_t end_of(const struct script *s, size_t i)
{
	size_t depth = 0;
	for (; i < s->token.n; i++) {
		depth += is(&s->token.at[i], "(");
		if (is(&s->token.at[i], ")") && depth)
			depth--;
		if (!depth)
			return i + 1;
	}
	return i;
}

/* The start of a command drawn among all; the number of tokens: the end. */
static size_t some_command(const struct script *s, bool or_end)
{
	size_t n = 0, k = 0, at = 0;
	for (size_t i = 0; i < s->token.n; i = end_of(s, i))
		n++;
	k = draw(n + or_end);
	for (size_t i = 0; i < k; i++)
		at = end_of(s, at);
	return at;
}

/* Tokens [to, to + gone) become the given ones. */
static void splice(struct script *s, size_t to, size_t gone, const struct token *with, size_t n)
{
	VEC(struct token) copy = {0};
	for (size_t i = 0; i < n; i++)
		vec_push(&copy, with[i]);
	size_t rest = s->token.n - to - gone;
	vec_reserve(&s->token, n);
	memmove(s->token.at + to + n, s->token.at + to + gone, rest * sizeof *s->token.at);
	if (n)
		memcpy(s->token.at + to, copy.at, n * sizeof *copy.at);
	s->token.n = to + n + rest;
	vec_release(&copy);
}

static const char *keep(struct script *s, const struct buf *text)
{
	char *t = strdup(buf_str(text));
	vec_push(&s->made, t);
	return t;
}

static void insert_text(struct script *s, size_t to, size_t gone, const struct buf *text)
{
	struct script t = {0};
	read_tokens(&t, keep(s, text));
	splice(s, to, gone, t.token.at, t.token.n);
	vec_release(&t.token);
}

/* ---- alterations */

static const char *const operators[][16] = {
	{"bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvand", "bvor", "bvxor", "bvshl",
	 "bvlshr", "bvashr", "bvxnor"},
	{"bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "=", "distinct"},
	{"bvnot", "bvneg", "(_ rotate_left 1)", "(_ zero_extend 0)", "(_ repeat 1)"},
	{"and", "or", "xor", "=>", "="},
	{"+", "-", "*", "div", "mod", "/"},
	{"<", "<=", ">", ">=", "=", "distinct"},
	{"sign_extend", "zero_extend", "rotate_left", "rotate_right", "repeat"},
	{"forall", "exists"},
	{"str.++", "str.replace", "str.at", "str.substr"},
	{"str.prefixof", "str.suffixof", "str.contains", "str.<", "str.<="},
	{"fp.add", "fp.sub", "fp.mul", "fp.div", "fp.rem"},
	{"fp.lt", "fp.leq", "fp.gt", "fp.geq", "fp.eq"},
	{"RNE", "RNA", "RTP", "RTN", "RTZ"},
	{"push", "pop"},
	{"check-sat", "get-model", "reset-assertions", "get-assertions"},
	{"Int", "Real", "Bool", "String"},
	{"select", "store"},
	{"QF_BV", "QF_ABV", "QF_AUFBV", "QF_LIA", "QF_LRA", "QF_UFLIA", "ALL", "AUFLIRA", "QF_NRA", "QF_FP", "HORN"},
};
enum { KINDS = sizeof operators / sizeof *operators, MEMBERS = 16 };

static int kind_of(const struct token *t)
{
	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < MEMBERS && operators[k][i]; i++)
			if (is(t, operators[k][i]))
				return k;
	return -1;
}

static bool is_operator(const struct token *t)
{
	return kind_of(t) >= 0;
}

static bool is_literal(const struct token *t)
{
	return (t->at[0] >= '0' && t->at[0] <= '9') || t->at[0] == '#' || (t->n > 2 && !memcmp(t->at, "bv", 2));
}

static bool is_open(const struct token *t)
{
	return is(t, "(");
}

/* A symbol that is not a theory's, as far as can be seen. */
static bool is_name(const struct token *t)
{
	static const char *const ours[] = {"assert", "check-sat", "let", "_", "ite", "not", "as", "!", "true", "false"};
	if (strchr("()\":#0123456789", t->at[0]) || kind_of(t) >= 0 || memchr(t->at, '-', t->n))
		return false;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (is(t, ours[i]))
			return false;
	return true;
}

static void other_operator(struct script *s)
{
	size_t i = somewhere(s, is_operator);
	if (i == s->token.n)
		return;
	const char *const *kind = operators[kind_of(&s->token.at[i])];
	unsigned n = 0;
	while (n < MEMBERS && kind[n])
		n++;
	const char *with = kind[draw(n)];
	s->token.at[i] = (struct token){with, strlen(with)};
}

static void other_literal(struct script *s)
{
	size_t i = somewhere(s, is_literal);
	struct buf b = {0};
	if (i == s->token.n)
		return;
	struct token t = s->token.at[i];
	buf_add(&b, t.at, t.n);
	char *last = b.at + b.n - 1;
	if (t.at[0] == '#' && t.n > 2 && !draw(4))
		b.n--; /* another width */
	else if (t.at[0] == '#' && t.n > 1 && t.at[1] == 'b')
		*last ^= 1;
	else if (*last >= '0' && *last <= '9')
		*last = (char)('0' + draw(10));
	buf_char(&b, 0);
	const char *made = keep(s, &b);
	s->token.at[i] = (struct token){made, strlen(made)};
	buf_release(&b);
}

/* One name quoted, or renamed to another of the script's, here or everywhere. */
static void other_name(struct script *s)
{
	size_t i = somewhere(s, is_name), k = somewhere(s, is_name);
	struct buf b = {0};
	if (i == s->token.n || k == s->token.n)
		return;
	struct token old = s->token.at[i], with = s->token.at[k];
	bool here = draw(2);
	if (old.at[0] == '|') {
		with = (struct token){old.at + 1, old.n - 2};
	} else if (draw(3)) {
		buf_printf(&b, "|%.*s|", (int)old.n, old.at);
		const char *made = keep(s, &b);
		with = (struct token){made, strlen(made)};
	}
	for (size_t j = 0; j < s->token.n; j++)
		if (here ? j == i : same(&s->token.at[j], &old))
			s->token.at[j] = with;
	buf_release(&b);
}

static void other_term(struct script *s)
{
	size_t i = somewhere(s, is_open), k = somewhere(s, draw(2) ? is_open : is_name);
	if (i == s->token.n || k == s->token.n)
		return;
	size_t n = end_of(s, k) - k;
	if (n < 400)
		splice(s, i, end_of(s, i) - i, s->token.at + k, n);
}

static void other_commands(struct script *s)
{
	size_t i = some_command(s, false), k = some_command(s, true);
	size_t n = i < s->token.n ? end_of(s, i) - i : 0;
	if (n == 0 || (i < k && k < i + n))
		return;
	unsigned what = draw(3);
	if (what == 0) { /* away */
		splice(s, i, n, NULL, 0);
	} else if (what == 1 || k <= i) { /* again */
		splice(s, k, 0, s->token.at + i, n);
	} else { /* somewhere later */
		splice(s, k, 0, s->token.at + i, n);
		splice(s, i, n, NULL, 0);
	}
}

static const char *const commands[] = {
	"(push 1)",
	"(push 1)",
	"(push)",
	"(pop 1)",
	"(pop 1)",
	"(push 2)",
	"(pop 2)",
	"(check-sat)",
	"(check-sat)",
	"( check-sat-assuming (%s))",
	"(check-sat-assuming ((not %s)))",
	"(assert %s)",
	"(assert (not %s))",
	"(get-value (%s))",
	"(get-value (%s (= %s %s)))",
	"(get-model)",
	"(eval %s)",
	"(get-unsat-core)",
	"(get-assignment)",
	"(get-info :reason-unknown)",
	"(reset)",
	"(reset-assertions)",
	"(assert false)",
	"(declare-const %s Bool)",
	"(declare-fun %s () (_ BitVec 8))",
	"(define-fun %s () Int 1)",
	"(declare-sort %s 0)",
	"(set-option :produce-unsat-cores true)",
	"(set-option :produce-models true)",
	"(set-option :print-success true)",
	"(set-option :global-declarations true)",
	"(set-option :produce-unsat-assumptions true)",
	"(exit)",
	"(assert (! %s :named nm))",
	"(assert (let ((%s %s)) %s))",
	"(assert (let ((%s true)) %s))",
	"(assert (forall ((%s Int)) (= %s 0)))",
	"(echo \"%s\")",
	"(simplify %s)",
	"(get-option :print-success)",
	"(set-info :status unsat)",
	"(set-info :status sat)",
	"(get-assertions)",
	"(define-fun-rec %s ((x Int)) Int x)",
};

static void another_command(struct script *s)
{
	const char *form = commands[draw(sizeof commands / sizeof *commands)], *percent;
	struct buf b = {0};
	for (; (percent = strstr(form, "%s")); form = percent + 2) {
		size_t i = somewhere(s, is_name);
		buf_add(&b, form, (size_t)(percent - form));
		if (i < s->token.n)
			buf_add(&b, s->token.at[i].at, s->token.at[i].n);
	}
	buf_str_add(&b, form);
	insert_text(s, some_command(s, true), 0, &b);
	buf_release(&b);
}

/* A level around some commands, and the question again. */
static void a_level(struct script *s)
{
	struct buf push = {0}, pop = {0};
	buf_str_add(&push, "(push 1)");
	buf_str_add(&pop, draw(2) ? "(check-sat)(pop 1)(check-sat)" : "(pop 1)(check-sat)");
	size_t a = some_command(s, true), b = some_command(s, true);
	insert_text(s, a < b ? b : a, 0, &pop);
	insert_text(s, a < b ? a : b, 0, &push);
	buf_release(&push);
	buf_release(&pop);
}

static void alter(struct script *s)
{
	static void (*const ways[])(struct script *) = {
		other_operator, other_operator, other_literal, other_name,      other_term,
		other_commands, other_commands, a_level,       another_command, another_command,
	};
	for (unsigned i = 1 + draw(6); i > 0; i--)
		ways[draw(sizeof ways / sizeof *ways)](s);
}

/* ---- out */

/* Of which the answer is text or values. */
static bool speaks(const struct token *t)
{
	return !strncmp(t->at, "get-", 4) || !strncmp(t->at, "eval", 4) || !strncmp(t->at, "simplify", 8) ||
	       !strncmp(t->at, "display", 7) || !strncmp(t->at, "help", 4) || !strncmp(t->at, "labels", 6);
}

static void print(const struct script *s, struct buf *out)
{
	size_t end = 0;
	bool marked = false;
	for (size_t i = 0; i < s->token.n; i++) {
		if (i == end) {
			end = end_of(s, i);
			marked = i + 1 < s->token.n && speaks(&s->token.at[i + 1]);
			buf_str_add(out, marked ? "(echo \"<<\")\n" : "");
		}
		buf_add(out, s->token.at[i].at, s->token.at[i].n);
		bool tight = is(&s->token.at[i], "(") || (i + 1 < s->token.n && is(&s->token.at[i + 1], ")"));
		buf_str_add(out, i + 1 == end ? "\n" : tight ? "" : " ");
		if (i + 1 == end && marked)
			buf_str_add(out, "(echo \">>\")\n");
	}
}

static bool write_one(const char *folder, unsigned number, const char *text)
{
	struct script s = {0};
	struct buf out = {0}, path = {0};
	struct err e = ERR_INIT;
	read_tokens(&s, text);
	alter(&s);
	buf_printf(&out, "(echo \"@@%u\")\n", number);
	print(&s, &out);
	buf_printf(&path, "%s/s%u.smt2", folder, number);
	bool ok = buf_write_file(&out, buf_str(&path), 0644, &e) == RC_OK;
	for (size_t i = 0; i < s.made.n; i++)
		free(s.made.at[i]);
	vec_release_all(&s.token, &s.made);
	buf_release(&out);
	buf_release(&path);
	return ok;
}

int main(int argc, char **argv)
{
	VEC(char *) name = {0};
	struct buf list = {0};
	struct err e = ERR_INIT;
	if (argc != 4 || buf_read_fd(&list, 0, "list", 1u << 26, &e) != RC_OK) {
		fprintf(stderr, "usage: smt_altered SEED N FOLDER < LIST\n");
		return 2;
	}
	for (char *at = list.at, *nl; at && (nl = strchr(at, '\n')); at = nl + 1) {
		*nl = 0;
		vec_push(&name, at);
	}
	rng = strtoull(argv[1], NULL, 10) * 1000003 + 7;
	struct buf text = {0};
	for (unsigned i = 0; i < strtoul(argv[2], NULL, 10); i++) {
		if (i % 3 == 0) {
			buf_clear(&text);
			if (buf_read_file(&text, name.at[draw(name.n)], 1u << 20, &e) != RC_OK)
				return 3;
		}
		if (!write_one(argv[3], i, buf_str(&text)))
			return 3;
	}
	vec_release(&name);
	buf_release(&list);
	buf_release(&text);
	return 0;
}
