/* SPDX-License-Identifier: MIT */
/* Build-time generator: a tree-sitter grammar.json → tables of the rules as regular expressions over visible
 * children.
 *
 * A parse tree shows only visible nodes: hidden rules, inlined rules and supertypes leave none, repeats are
 * flattened into the parent. So each rule is written here as an expression whose letters are what a child can be in
 * the tree: a node made by a rule (under whatever alias) or a token with a name; hidden rules stay references,
 * which reduce/syntax/grammar.c expands when it first needs a rule. Tokens without a name (a pattern inside a rule,
 * hidden externals) leave no node and become the empty expression.
 *
 * Output: NAME_names[] (name, named), NAME_code[] (prefix notation: operator and operand, members follow), NAME_rules[]
 * (name, offset into the code, whether it is a token), NAME_aliases[] (which rules are shown under which other names).
 *
 *	gen_grammar NAME grammar.json OUT.h */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("gen_grammar: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static void *grow(void *p, size_t n)
{
	p = realloc(p, n);
	if (!p)
		die("out of memory");
	return p;
}

/* ---- JSON, as far as a grammar needs it; the files are part of a package we chose, recursion is bounded by them */

enum kind { NUL, BOOL, NUMBER, STRING, ARRAY, OBJECT };

struct value {
	enum kind kind;
	bool boolean;
	char *text;           /* string */
	size_t n;             /* members */
	char **key;           /* object */
	struct value *member; /* array, object */
};

static const char *at;

static void blanks(void)
{
	while (*at && isspace((unsigned char)*at))
		at++;
}

static char *put_utf8(char *o, unsigned c)
{
	if (c < 0x80) {
		*o++ = (char)c;
	} else if (c < 0x800) {
		*o++ = (char)(0xc0 | c >> 6);
		*o++ = (char)(0x80 | (c & 63));
	} else {
		*o++ = (char)(0xe0 | c >> 12);
		*o++ = (char)(0x80 | (c >> 6 & 63));
		*o++ = (char)(0x80 | (c & 63));
	}
	return o;
}

static char *read_string(void)
{
	if (*at++ != '"')
		die("string expected");
	size_t n = 0;
	while (at[n] && at[n] != '"')
		n += at[n] == '\\' && at[n + 1] ? 2 : 1;
	char *s = grow(NULL, n + 1), *o = s;
	while (*at && *at != '"') {
		if (*at != '\\') {
			*o++ = *at++;
			continue;
		}
		at++;
		static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
		const char *f = *at ? strchr(from, *at) : NULL;
		if (f) {
			*o++ = to[f - from];
		} else if (*at == 'u') {
			char hex[5] = {0};
			strncpy(hex, at + 1, 4);
			o = put_utf8(o, (unsigned)strtoul(hex, NULL, 16));
			at += 4;
		} else {
			*o++ = *at;
		}
		at++;
	}
	if (*at++ != '"')
		die("unended string");
	*o = 0;
	return s;
}

static struct value read_value(void);

static struct value read_members(enum kind kind, char end)
{
	struct value v = {.kind = kind};
	size_t cap = 0;
	at++;
	for (blanks(); *at != end; blanks()) {
		if (v.n == cap) {
			cap = cap * 2 + 4;
			v.member = grow(v.member, cap * sizeof *v.member);
			v.key = grow(v.key, cap * sizeof *v.key);
		}
		v.key[v.n] = NULL;
		if (kind == OBJECT) {
			v.key[v.n] = read_string();
			blanks();
			if (*at++ != ':')
				die("':' expected");
		}
		v.member[v.n++] = read_value();
		blanks();
		if (*at == ',')
			at++;
		else if (*at != end)
			die("',' expected");
	}
	at++;
	return v;
}

static struct value read_value(void)
{
	struct value v = {.kind = NUL};
	blanks();
	if (*at == '{')
		return read_members(OBJECT, '}');
	if (*at == '[')
		return read_members(ARRAY, ']');
	if (*at == '"') {
		v.kind = STRING;
		v.text = read_string();
		return v;
	}
	if (*at == '-' || isdigit((unsigned char)*at)) {
		v.kind = NUMBER;
		at += strspn(at, "+-0123456789.eE");
		return v;
	}
	size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
	if (!n)
		die("value expected at '%.20s'", at);
	v.kind = strncmp(at, "null", 4) ? BOOL : NUL;
	v.boolean = *at == 't';
	at += n;
	return v;
}

static const struct value *get(const struct value *v, const char *key)
{
	for (size_t i = 0; v && v->kind == OBJECT && i < v->n; i++)
		if (!strcmp(v->key[i], key))
			return &v->member[i];
	return NULL;
}

static const char *get_text(const struct value *v, const char *key)
{
	const struct value *t = get(v, key);
	if (!t || t->kind != STRING)
		die("no text '%s'", key);
	return t->text;
}

/* ---- the grammar */

static struct value grammar;
static const struct value *rules;

static struct name {
	const char *text;
	bool named;
} names[4096];
static size_t n_names;
static struct alias {
	size_t rule, name;
} aliases[4096];
static size_t n_aliases;
static uint16_t *code;
static size_t n_code, cap_code;

enum op { OP_EMPTY, OP_SYM, OP_NODE, OP_RULE, OP_SEQ, OP_CHOICE, OP_STAR, OP_PLUS };
static const char *const op_names[] = {"OP_EMPTY", "OP_SYM",    "OP_NODE", "OP_RULE",
				       "OP_SEQ",   "OP_CHOICE", "OP_STAR", "OP_PLUS"};

static void emit(enum op op, size_t operand)
{
	if (operand > UINT16_MAX)
		die("operand too large");
	if (n_code + 2 > cap_code) {
		cap_code = cap_code * 2 + 1024;
		code = grow(code, cap_code * sizeof *code);
	}
	code[n_code++] = (uint16_t)op;
	code[n_code++] = (uint16_t)operand;
}

static size_t name_of(const char *text, bool named)
{
	for (size_t i = 0; i < n_names; i++)
		if (names[i].named == named && !strcmp(names[i].text, text))
			return i;
	if (n_names == sizeof names / sizeof *names)
		die("too many names");
	names[n_names] = (struct name){text, named};
	return n_names++;
}

static bool listed(const char *list, const char *name)
{
	const struct value *l = get(&grammar, list);
	for (size_t i = 0; l && i < l->n; i++)
		if (l->member[i].kind == STRING && !strcmp(l->member[i].text, name))
			return true;
	return false;
}

static bool hidden(const char *name)
{
	return name[0] == '_' || listed("inline", name) || listed("supertypes", name);
}

static const struct value *strip(const struct value *v)
{
	while (!strncmp(get_text(v, "type"), "PREC", 4))
		v = get(v, "content");
	return v;
}

/* Whether the rule is a token: such a rule makes a leaf, or nothing when it is hidden. */
static bool lexical(const struct value *v)
{
	const char *t = get_text(strip(v), "type");
	return !strcmp(t, "TOKEN") || !strcmp(t, "IMMEDIATE_TOKEN") || !strcmp(t, "PATTERN") || !strcmp(t, "STRING");
}

static size_t rule_number(const char *name)
{
	size_t i = 0;
	while (i < rules->n && strcmp(rules->key[i], name))
		i++;
	return i;
}

/* The rule behind a reference that makes a node with children of its own; rules->n if there is none such. */
static size_t node_rule(const struct value *v)
{
	if (strcmp(get_text(v, "type"), "SYMBOL"))
		return rules->n;
	size_t r = rule_number(get_text(v, "name"));
	if (r == rules->n || lexical(&rules->member[r]) || listed("inline", rules->key[r]))
		return rules->n;
	return r;
}

static void write_symbol(const struct value *v)
{
	const char *name = get_text(v, "name");
	size_t r = rule_number(name);
	if (!hidden(name) && node_rule(v) < rules->n)
		emit(OP_NODE, r);
	else if (!hidden(name))
		emit(OP_SYM, name_of(name, true));
	else if (r == rules->n || lexical(&rules->member[r]))
		emit(OP_EMPTY, 0); /* a hidden token */
	else
		emit(OP_RULE, r);
}

/* A rule that is always shown under one alias loses its own name in the parser: remember which alias that may be. */
static void note_alias(const struct value *content, size_t name)
{
	const char *t = get_text(strip(content), "type");
	for (size_t i = 0; !strcmp(t, "SYMBOL") && i < rules->n; i++) {
		if (strcmp(rules->key[i], get_text(strip(content), "name")))
			continue;
		for (size_t a = 0; a < n_aliases; a++)
			if (aliases[a].rule == i && aliases[a].name == name)
				return;
		if (n_aliases == sizeof aliases / sizeof *aliases)
			die("too many aliases");
		aliases[n_aliases++] = (struct alias){i, name};
		return;
	}
}

/* Rules that nothing uses (replaced ones of a grammar this one extends) are not in the parser. */
static bool *reachable;

static void reach(const struct value *v)
{
	const struct value *content = get(v, "content"), *members = get(v, "members");
	if (!strcmp(get_text(v, "type"), "SYMBOL"))
		for (size_t i = 0; i < rules->n; i++)
			if (!strcmp(rules->key[i], get_text(v, "name")) && !reachable[i]) {
				reachable[i] = true;
				reach(&rules->member[i]);
			}
	if (content)
		reach(content);
	for (size_t i = 0; members && i < members->n; i++)
		reach(&members->member[i]);
}

static void find_reachable(void)
{
	const struct value *extras = get(&grammar, "extras");
	reachable = grow(NULL, rules->n + 1);
	memset(reachable, 0, rules->n + 1);
	reachable[0] = true;
	reach(&rules->member[0]);
	for (size_t i = 0; extras && i < extras->n; i++)
		reach(&extras->member[i]);
}

static void write_rule(const struct value *v, bool used)
{
	const char *t = get_text(v, "type");
	const struct value *content = get(v, "content"), *members = get(v, "members");
	if (!strcmp(t, "SEQ") || !strcmp(t, "CHOICE")) {
		emit(t[0] == 'S' ? OP_SEQ : OP_CHOICE, members->n);
		for (size_t i = 0; i < members->n; i++)
			write_rule(&members->member[i], used);
	} else if (!strcmp(t, "REPEAT") || !strcmp(t, "REPEAT1")) {
		emit(t[6] ? OP_PLUS : OP_STAR, 0);
		write_rule(content, used);
	} else if (!strcmp(t, "STRING")) {
		emit(OP_SYM, name_of(get_text(v, "value"), false));
	} else if (!strcmp(t, "ALIAS")) {
		size_t name = name_of(get_text(v, "value"), get(v, "named")->boolean);
		const struct value *seq = get(strip(content), "members");
		if (used)
			note_alias(content, name);
		/* an alias of a sequence names each of its members */
		if (!strcmp(get_text(strip(content), "type"), "SEQ"))
			emit(OP_SEQ, seq->n);
		else
			seq = NULL;
		/* under an anonymous alias a node cannot be told from a token */
		size_t rule = names[name].named ? node_rule(strip(content)) : rules->n;
		if (rule < rules->n)
			emit(OP_NODE, rule);
		else
			for (size_t i = 0; i < (seq ? seq->n : 1); i++)
				emit(OP_SYM, name);
	} else if (!strcmp(t, "SYMBOL")) {
		write_symbol(v);
	} else if (!strcmp(t, "TOKEN") || !strcmp(t, "IMMEDIATE_TOKEN")) {
		const struct value *c = strip(content);
		if (!strcmp(get_text(c, "type"), "STRING"))
			write_rule(c, used);
		else
			emit(OP_EMPTY, 0);
	} else if (!strcmp(t, "BLANK") || !strcmp(t, "PATTERN")) {
		emit(OP_EMPTY, 0);
	} else if (content) { /* FIELD, PREC…, RESERVED */
		write_rule(content, used);
	} else {
		die("unknown kind of rule '%s'", t);
	}
}

static void write_c_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (isalnum(c) || c == '_' || c == ' ')
			fputc(c, f);
		else
			fprintf(f, "\\%03o", c);
	}
	fputc('"', f);
}

static void write_tables(FILE *f, const char *name, const size_t *offset)
{
	fprintf(f, "/* generated from the grammar's grammar.json by deps/gen_grammar.c */\n");
	fprintf(f, "static const struct rule_name %s_names[] = {\n", name);
	for (size_t i = 0; i < n_names; i++) {
		fputs("\t{", f);
		write_c_string(f, names[i].text);
		fprintf(f, ", %s},\n", names[i].named ? "true" : "false");
	}
	fprintf(f, "};\nstatic const uint16_t %s_code[] = {\n", name);
	for (size_t i = 0; i < n_code; i += 2)
		fprintf(f, "%s%s, %u,%s", i % 16 ? " " : "\t", op_names[code[i]], code[i + 1],
			i % 16 == 14 ? "\n" : "");
	fprintf(f, "\n};\nstatic const struct rule_row %s_rules[] = {\n", name);
	for (size_t i = 0; i < rules->n; i++) {
		fputs("\t{", f);
		write_c_string(f, rules->key[i]);
		fprintf(f, ", %zu, %s},\n", offset[i], lexical(&rules->member[i]) ? "true" : "false");
	}
	fprintf(f, "};\nstatic const struct rule_alias %s_aliases[] = {\n", name);
	for (size_t i = 0; i < n_aliases; i++)
		fprintf(f, "\t{%zu, %zu},\n", aliases[i].rule, aliases[i].name);
	fputs("\t{UINT16_MAX, UINT16_MAX},\n};\n", f);
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		die("cannot open %s", path);
	char *text = NULL;
	size_t n = 0, got;
	do {
		text = grow(text, n + 65536 + 1);
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	text[n] = 0;
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		die("usage: gen_grammar NAME grammar.json OUT.h");
	at = read_file(argv[2]);
	grammar = read_value();
	rules = get(&grammar, "rules");
	if (!rules || rules->kind != OBJECT)
		die("%s has no rules", argv[2]);
	size_t *offset = grow(NULL, (rules->n + 1) * sizeof *offset);
	find_reachable();
	for (size_t i = 0; i < rules->n; i++) {
		offset[i] = n_code;
		write_rule(&rules->member[i], reachable[i]);
	}
	FILE *f = fopen(argv[3], "w");
	if (!f)
		die("cannot write %s", argv[3]);
	write_tables(f, argv[1], offset);
	if (fclose(f))
		die("cannot write %s", argv[3]);
	return 0;
}
