/* SPDX-License-Identifier: MIT */
/* Tokens of a C text and the search for functions in them, see csource.h. Nothing here parses C fully: a declaration at
 * file scope begins after the last ';' or '}' that ended one, its name is followed by a parenthesis, and a body or a
 * ';' comes after that. */
#include "check/source/csource.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- splitting */

struct splitter {
	struct csource *cs;
	struct annot_set *set;
	struct err *e;
	size_t i;
	const char *file;
	long line;
	size_t line_off; /* where the current line begins */
};

static void newline(struct splitter *s)
{
	s->line++;
	s->line_off = s->i + 1;
}

/* # 12 "file" …, #line 12 "file", or another directive: skipped with its continuation lines. */
static void directive(struct splitter *s)
{
	const char *t = s->cs->text;
	size_t n = s->cs->n, i = s->i + 1;
	while (i < n && (t[i] == ' ' || t[i] == '\t'))
		i++;
	if (n - i > 5 && memcmp(t + i, "line ", 5) == 0)
		i += 5;
	long line = 0;
	bool marker = i < n && isdigit((unsigned char)t[i]);
	while (i < n && isdigit((unsigned char)t[i]) && line < 100000000)
		line = line * 10 + (t[i++] - '0');
	size_t quote = i;
	while (quote < n && t[quote] == ' ')
		quote++;
	if (marker && quote < n && t[quote] == '"') {
		size_t end = quote + 1;
		while (end < n && t[end] != '"' && t[end] != '\n')
			end++;
		s->file = arena_strndup(&s->set->arena, t + quote + 1, end - quote - 1);
	}
	while (s->i < n && (t[s->i] != '\n' || (s->i && t[s->i - 1] == '\\'))) {
		if (t[s->i] == '\n')
			newline(s);
		s->i++;
	}
	if (marker)
		s->line = line - 1; /* the marker gives the number of the next line */
}

/* The text of a comment. No statement begins with a star: if the text does, the stars that its lines begin with are an
 * ornament, and blanks stand for them. */
static const char *without_stars(struct splitter *s, const char *t, size_t n)
{
	size_t i = 0;
	while (i < n && isspace((unsigned char)t[i]))
		i++;
	if (i == n || t[i] != '*')
		return t;
	char *copy = arena_strndup(&s->set->arena, t, n);
	for (bool start = true; i < n; i++) {
		if (start && copy[i] == '*')
			copy[i] = ' ';
		start = copy[i] == '\n' || (start && isspace((unsigned char)t[i]));
	}
	return copy;
}

/* A comment of ours is parsed; one that is nearly ours is an error. */
static enum rc annotation(struct splitter *s, size_t from, size_t end, struct place at)
{
	size_t n = end - from;
	const char *t = without_stars(s, s->cs->text + from, n);
	if (annot_is_ours(t, n))
		return annot_parse(s->set, t, n, at, s->e);
	return annot_near_miss(t, n, at, s->e);
}

static enum rc comment(struct splitter *s)
{
	const char *t = s->cs->text;
	size_t n = s->cs->n, from = s->i + 2, end = from;
	while (end + 1 < n && !(t[end] == '*' && t[end + 1] == '/'))
		end++;
	bool closed = end + 1 < n;
	if (!closed)
		end = n;
	struct place at = {s->file, s->line, (long)(from + 1 - s->line_off) + 1};
	for (; s->i < (closed ? end + 2 : n); s->i++)
		if (t[s->i] == '\n')
			newline(s);
	if (from >= n || t[from] != '@')
		return RC_OK;
	if (!closed && annot_is_ours(without_stars(s, t + from + 1, end - from - 1), end - from - 1))
		return annot_fail(s->e, at, "unterminated annotation");
	return annotation(s, from + 1, end, at);
}

/* A comment that ends with its line: //@ pred f(x) : t(x); */
static enum rc line_comment(struct splitter *s)
{
	const char *t = s->cs->text;
	size_t from = s->i + 2;
	struct place at = {s->file, s->line, (long)(from + 1 - s->line_off) + 1};
	while (s->i < s->cs->n && t[s->i] != '\n')
		s->i++;
	return from < s->i && t[from] == '@' ? annotation(s, from + 1, s->i, at) : RC_OK;
}

static void string(struct splitter *s)
{
	const char *t = s->cs->text;
	char quote = t[s->i];
	size_t from = s->i++;
	while (s->i < s->cs->n && t[s->i] != quote && t[s->i] != '\n')
		s->i += t[s->i] == '\\' && s->i + 1 < s->cs->n && t[s->i + 1] != '\n' ? 2 : 1;
	if (s->i < s->cs->n && t[s->i] == quote)
		s->i++;
	if (s->i > s->cs->n)
		s->i = s->cs->n;
	vec_push(&s->cs->toks, ((struct ctoken){CTOK_STRING, (uint32_t)(s->i - from), from}));
}

static void word(struct splitter *s)
{
	const char *t = s->cs->text;
	size_t from = s->i;
	bool number = isdigit((unsigned char)t[from]);
	while (s->i < s->cs->n &&
	       (isalnum((unsigned char)t[s->i]) || t[s->i] == '_' || t[s->i] == '$' || (number && t[s->i] == '.')))
		s->i++;
	vec_push(&s->cs->toks, ((struct ctoken){number ? CTOK_NUMBER : CTOK_NAME, (uint32_t)(s->i - from), from}));
}

enum rc csource_read(struct csource *cs, const char *text, size_t n, const char *file, struct annot_set *set,
		     struct err *e)
{
	*cs = (struct csource){.text = text, .n = n};
	struct splitter s = {.cs = cs, .set = set, .e = e, .line = 1};
	s.file = arena_strndup(&set->arena, file, strlen(file));
	bool at_start = true; /* of a line, but for blanks */
	while (s.i < n) {
		char c = text[s.i];
		if (c == '\n') {
			newline(&s);
			s.i++;
			at_start = true;
			continue;
		}
		if (isspace((unsigned char)c)) {
			s.i++;
			continue;
		}
		if (c == '#' && at_start) {
			directive(&s);
			continue;
		}
		if (c == '/' && s.i + 1 < n && text[s.i + 1] == '*') {
			if (comment(&s) != RC_OK)
				return RC_INPUT;
			continue;
		}
		at_start = false;
		if (c == '/' && s.i + 1 < n && text[s.i + 1] == '/') {
			if (line_comment(&s) != RC_OK)
				return RC_INPUT;
		} else if (c == '"' || c == '\'') {
			string(&s);
		} else if (isalnum((unsigned char)c) || c == '_' || c == '$') {
			word(&s);
		} else {
			vec_push(&cs->toks, ((struct ctoken){CTOK_PUNCT, 1, s.i}));
			s.i++;
		}
	}
	return RC_OK;
}

void csource_release(struct csource *cs)
{
	vec_release(&cs->toks);
	arena_release(&cs->arena);
}

/* ---- declarations */

bool csource_is(const struct csource *cs, size_t i, const char *s)
{
	return i < cs->toks.n && cs->toks.at[i].len == strlen(s) &&
	       memcmp(cs->text + cs->toks.at[i].off, s, cs->toks.at[i].len) == 0;
}

static bool is_name(const struct csource *cs, size_t i)
{
	return i < cs->toks.n && cs->toks.at[i].kind == CTOK_NAME;
}

bool csource_mentions(const struct csource *cs, const char *name)
{
	for (size_t i = 0; i < cs->toks.n; i++)
		if (csource_is(cs, i, name))
			return true;
	return false;
}

size_t csource_after_group(const struct csource *cs, size_t i)
{
	size_t depth = 0;
	for (; i < cs->toks.n; i++) {
		if (csource_is(cs, i, "(") || csource_is(cs, i, "[") || csource_is(cs, i, "{"))
			depth++;
		else if ((csource_is(cs, i, ")") || csource_is(cs, i, "]") || csource_is(cs, i, "}")) && --depth == 0)
			return i + 1;
	}
	return cs->toks.n;
}

static bool is_attribute(const struct csource *cs, size_t i)
{
	return csource_is(cs, i, "__attribute__") || csource_is(cs, i, "__attribute") || csource_is(cs, i, "__asm__") ||
	       csource_is(cs, i, "__asm") || csource_is(cs, i, "asm");
}

static void add_token(const struct csource *cs, struct buf *b, size_t i)
{
	if (b->n)
		buf_char(b, ' ');
	buf_add(b, cs->text + cs->toks.at[i].off, cs->toks.at[i].len);
}

static const char *keep(struct csource *cs, struct buf *b)
{
	const char *s = arena_strndup(&cs->arena, b->at ? b->at : "", b->n);
	buf_release(b);
	return s;
}

static bool is_qualifier(const struct csource *cs, size_t i)
{
	static const char *const q[] = {"const",   "volatile", "restrict", "__restrict", "__restrict__",
					"__const", "register", "_Nonnull", "_Nullable"};
	for (size_t k = 0; k < sizeof q / sizeof *q; k++)
		if (csource_is(cs, i, q[k]))
			return true;
	return false;
}

/* Words that are part of a type and never a parameter's name. */
static bool is_type_word(const struct csource *cs, size_t i)
{
	static const char *const w[] = {"int",      "char",       "short",     "long",     "unsigned",
					"signed",   "float",      "double",    "void",     "_Bool",
					"__int128", "__signed__", "_Float128", "_Complex", "__extension__"};
	for (size_t k = 0; k < sizeof w / sizeof *w; k++)
		if (csource_is(cs, i, w[k]))
			return true;
	return false;
}

/* The token that names the parameter in [from, to), or `to` when it has no name. */
static size_t param_name(const struct csource *cs, size_t from, size_t to)
{
	bool typed = false;
	for (size_t i = from; i < to; i++) {
		if (is_attribute(cs, i)) {
			i = csource_after_group(cs, i + 1) - 1;
		} else if (csource_is(cs, i, "struct") || csource_is(cs, i, "union") || csource_is(cs, i, "enum")) {
			typed = true;
			i++;
		} else if (csource_is(cs, i, "__typeof__") || csource_is(cs, i, "typeof") ||
			   csource_is(cs, i, "_Atomic")) {
			typed = true;
			if (csource_is(cs, i + 1, "("))
				i = csource_after_group(cs, i + 1) - 1;
		} else if (is_type_word(cs, i)) {
			typed = true;
		} else if (is_name(cs, i) && !is_qualifier(cs, i)) {
			if (typed)
				return i;
			typed = true;
		} else if (csource_is(cs, i, "[") || (csource_is(cs, i, "(") && !csource_is(cs, i + 1, "*"))) {
			return to;
		}
	}
	return to;
}

/* Where a name goes that is not there: before array brackets, or inside "(*)". */
static size_t name_place(const struct csource *cs, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (csource_is(cs, i, "["))
			return i;
		if (csource_is(cs, i, "(") && csource_is(cs, i + 1, "*")) {
			for (i++; i < to && !csource_is(cs, i, ")"); i++)
				;
			return i;
		}
	}
	return to;
}

static void read_param(struct csource *cs, size_t from, size_t to, struct cparam *p)
{
	size_t nm = param_name(cs, from, to), place = nm < to ? nm : name_place(cs, from, to);
	struct buf b = {0};
	for (size_t i = from; i < place; i++) {
		if (is_attribute(cs, i))
			i = csource_after_group(cs, i + 1) - 1;
		else
			add_token(cs, &b, i);
	}
	p->before = keep(cs, &b);
	for (size_t i = nm < to ? place + 1 : place; i < to; i++) {
		if (is_attribute(cs, i))
			i = csource_after_group(cs, i + 1) - 1;
		else
			add_token(cs, &b, i);
	}
	p->after = keep(cs, &b);
	if (nm < to)
		add_token(cs, &b, nm);
	p->name = keep(cs, &b);
}

static void read_params(struct csource *cs, size_t open, size_t close, struct cfunction *f)
{
	VEC(struct cparam) ps = {0};
	size_t from = open + 1;
	if (close == from + 1 && csource_is(cs, from, "void"))
		from = close;
	while (from < close) {
		size_t to = from;
		while (to < close && !csource_is(cs, to, ","))
			to = csource_is(cs, to, "(") || csource_is(cs, to, "[") || csource_is(cs, to, "{")
				     ? csource_after_group(cs, to)
				     : to + 1;
		if (to > close)
			to = close;
		if (csource_is(cs, from, "."))
			f->variadic = true;
		struct cparam p;
		read_param(cs, from, to, &p);
		vec_push(&ps, p);
		from = to + 1;
	}
	f->n_params = ps.n;
	f->params = arena_dup(&cs->arena, ps.at ? (void *)ps.at : (void *)"", ps.n * sizeof *ps.at);
	vec_release(&ps);
}

/* int f(x, y) struct d *x; { … }: the declaration of parameter `name` among the declarations in [from, to). */
static bool old_param(struct csource *cs, const char *name, size_t from, size_t to, struct cparam *p)
{
	while (from < to) {
		size_t end = from, specs = 0;
		while (end < to && !csource_is(cs, end, ";"))
			end = csource_is(cs, end, "(") || csource_is(cs, end, "[") ? csource_after_group(cs, end)
										   : end + 1;
		for (size_t at = from, next; at < end; at = next + 1) {
			for (next = at; next < end && !csource_is(cs, next, ",");)
				next = csource_is(cs, next, "(") || csource_is(cs, next, "[")
					       ? csource_after_group(cs, next)
					       : next + 1;
			size_t nm = at;
			if (at == from) { /* the specifiers end where the first declarator begins */
				nm = param_name(cs, at, next);
				for (specs = at;
				     specs < nm && !csource_is(cs, specs, "*") && !csource_is(cs, specs, "(");)
					specs++;
			} else {
				while (nm < next && !is_name(cs, nm))
					nm++;
			}
			if (!csource_is(cs, nm, name))
				continue;
			struct buf b = {0};
			for (size_t i = from; i < specs; i++)
				if (!csource_is(cs, i, "register"))
					add_token(cs, &b, i);
			for (size_t i = at == from ? specs : at; i < nm; i++)
				add_token(cs, &b, i);
			p->before = keep(cs, &b);
			for (size_t i = nm + 1; i < next; i++)
				add_token(cs, &b, i);
			p->after = keep(cs, &b);
			p->name = name;
			return true;
		}
		from = end + 1;
	}
	return false;
}

/* False: what stands between the parentheses and the body is something else. */
static bool read_old_params(struct csource *cs, size_t open, size_t close, struct cfunction *f)
{
	size_t body = close + 1;
	while (body < cs->toks.n && !csource_is(cs, body, "{"))
		body = csource_is(cs, body, "(") || csource_is(cs, body, "[") ? csource_after_group(cs, body)
									      : body + 1;
	if (body >= cs->toks.n || !csource_is(cs, body - 1, ";"))
		return false;
	f->n_params = (close - open) / 2;
	f->params = arena_array(&cs->arena, struct cparam, f->n_params + 1);
	for (size_t i = 0; i < f->n_params; i++) {
		size_t at = open + 1 + 2 * i;
		if (!is_name(cs, at) || (at + 1 != close && !csource_is(cs, at + 1, ",")))
			return false;
		const char *name = arena_strndup(&cs->arena, cs->text + cs->toks.at[at].off, cs->toks.at[at].len);
		if (!old_param(cs, name, close + 1, body, &f->params[i]))
			f->params[i] = (struct cparam){"int", "", name};
	}
	return true;
}

static void read_head(struct csource *cs, size_t from, size_t to, struct cfunction *f)
{
	struct buf b = {0};
	bool star = false, isvoid = false;
	for (size_t i = from; i < to; i++) {
		if (is_attribute(cs, i)) {
			for (size_t end = csource_after_group(cs, i + 1); i + 1 < end; i++)
				f->is_weak |= csource_is(cs, i, "weak") || csource_is(cs, i, "__weak__");
			continue;
		}
		if (csource_is(cs, i, "{")) { /* struct r { int a; } f(…): its name will do */
			i = csource_after_group(cs, i) - 1;
			continue;
		}
		star |= csource_is(cs, i, "*");
		isvoid |= csource_is(cs, i, "void");
		f->is_static |= csource_is(cs, i, "static");
		f->is_extern_or_inline |= csource_is(cs, i, "extern") || csource_is(cs, i, "inline") ||
					  csource_is(cs, i, "__inline") || csource_is(cs, i, "__inline__");
		if (!csource_is(cs, i, "_Noreturn") && !csource_is(cs, i, "__extension__"))
			add_token(cs, &b, i);
	}
	f->is_void = isvoid && !star;
	f->head = keep(cs, &b);
}

/* A '{' at file scope belongs to a declaration that goes on after its '}'. */
static bool opens_in_declaration(const struct csource *cs, size_t i)
{
	if (i && csource_is(cs, i - 1, "="))
		return true;
	for (size_t back = 0; back < 6 && i-- > 0; back++) {
		if (csource_is(cs, i, "struct") || csource_is(cs, i, "union") || csource_is(cs, i, "enum"))
			return true;
		if (csource_is(cs, i, ")")) { /* struct __attribute__((packed)) {, or a function's parameters */
			size_t depth = 1;
			while (i-- > 0 && depth)
				depth += csource_is(cs, i, ")") ? 1 : csource_is(cs, i, "(") ? (size_t)-1 : 0;
			if (i == (size_t)-1 || !is_attribute(cs, i))
				return false;
		} else if (!is_name(cs, i)) {
			return false;
		}
	}
	return false;
}

/* What comes after the parameters: −1 nothing we know, 0 a prototype, 1 a body, 2 old-style parameters. */
static int what_follows(const struct csource *cs, size_t i)
{
	while (is_attribute(cs, i))
		i = csource_after_group(cs, i + 1);
	if (csource_is(cs, i, "{"))
		return 1;
	if (csource_is(cs, i, ";") || csource_is(cs, i, ","))
		return 0;
	return is_name(cs, i) ? 2 : -1;
}

/* Is the function's name at i, before its parameters: name(…) or (name)(…)? The parameters' '(' goes to *open. */
static bool names_function(const struct csource *cs, size_t i, const char *name, size_t *at, size_t *open)
{
	bool alone = csource_is(cs, i, "(") && csource_is(cs, i + 2, ")");
	*at = i + alone;
	*open = i + (alone ? 3 : 1);
	return csource_is(cs, *at, name) && csource_is(cs, *open, "(");
}

bool csource_function(struct csource *cs, const char *name, struct cfunction *out)
{
	size_t start = 0;
	bool found = false;
	for (size_t i = 0; i < cs->toks.n; i++) {
		size_t at, open;
		if (csource_is(cs, i, ";")) {
			start = i + 1;
		} else if (csource_is(cs, i, "{")) {
			bool inner = opens_in_declaration(cs, i);
			/* extern "C" { … } is looked into */
			if (i && cs->toks.at[i - 1].kind == CTOK_STRING) {
				start = i + 1;
				continue;
			}
			i = csource_after_group(cs, i) - 1;
			if (!inner)
				start = i + 1;
		} else if (csource_is(cs, i, "}")) {
			start = i + 1;
		} else if (names_function(cs, i, name, &at, &open) && start < i) {
			size_t close = csource_after_group(cs, open) - 1;
			int what = what_follows(cs, close + 1);
			if (what < 0 || (found && what == 0))
				continue;
			struct cfunction f = {.defined = what == 1,
					      .old_style = what == 2,
					      .decl_off = cs->toks.at[start].off,
					      .name_off = cs->toks.at[at].off};
			read_head(cs, start, i, &f);
			if (!f.old_style)
				read_params(cs, open, close, &f);
			else if (!(f.defined = read_old_params(cs, open, close, &f)))
				continue;
			*out = f;
			found = true;
			if (what)
				return true;
			i = close;
		} else if (csource_is(cs, i, "(")) {
			i = csource_after_group(cs, i) - 1;
		}
	}
	return found;
}
