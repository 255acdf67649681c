/* SPDX-License-Identifier: MIT */
/* Reading error messages: see complaints.h. One look at each line; nothing is kept of a line that is no error. */
#include "reduce/model/complaints.h"

#include "reduce/model/load.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum { MAX_COMPLAINTS = 200, MAX_WORDS = 32, MAX_LINE = 4096, MAX_LINES = 20000 };

/* The rest of a line. */
struct text {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_word(char c)
{
	return is_digit(c) || is_letter(c) || c == '_' || c == '$';
}

static bool take(struct text *t, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0)
		return false;
	t->at += n;
	return true;
}

static bool take_number(struct text *t, uint32_t *out)
{
	*out = 0;
	if (t->at == t->end || !is_digit(*t->at))
		return false;
	for (; t->at < t->end && is_digit(*t->at); t->at++)
		if (*out < UINT32_MAX / 10 - 1)
			*out = *out * 10 + (uint32_t)(*t->at - '0');
	return true;
}

static void skip_blanks(struct text *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '|' || *t->at == '='))
		t->at++;
}

/* `:12:5` or `(12,5)`, then a colon or (bare) the end of the line. */
static bool take_place(struct text *t, bool bare, struct complaint *c)
{
	struct text s = *t;
	c->column = 0;
	if (take(&s, "(")) {
		if (!take_number(&s, &c->line) || !take(&s, ",") || !take_number(&s, &c->column) || !take(&s, ")"))
			return false;
	} else if (take(&s, ":") && take_number(&s, &c->line)) {
		struct text column = s;
		if (take(&column, ":") && take_number(&column, &c->column))
			s = column;
	} else {
		return false;
	}
	if (!c->line || (bare ? s.at != s.end : !take(&s, ":")))
		return false;
	*t = s;
	return true;
}

/* `path:12:5:` at the start of the line; t is what comes after it. */
static bool read_place(struct text *t, bool bare, struct complaint *c)
{
	for (const char *p = t->at; p < t->end; p++) {
		struct text s = {p, t->end};
		if (p > t->at && (*p == ':' || *p == '(') && take_place(&s, bare, c)) {
			c->path = (struct name){t->at, (size_t)(p - t->at)};
			t->at = s.at;
			return true;
		}
	}
	return false;
}

/* ---- words */

static void add_word(struct complaints *c, const char *at, size_t n)
{
	struct complaint *last = &vec_last(c);
	if (last->n_words == MAX_WORDS)
		return;
	vec_push(&c->words, ((struct name){arena_strndup(&c->arena, at, n), n}));
	last->n_words++;
}

/* `operator <<` is operator<<, `operator bool` operatorbool; at stands behind the word. */
static const char *add_operator(struct complaints *c, const char *from, const char *at, const char *end)
{
	char name[80] = "operator";
	size_t n = 8;
	while (at < end && *at == ' ')
		at++;
	bool word = at < end && is_word(*at);
	for (; at < end && n < sizeof name && (word ? is_word(*at) : *at && strchr("+-*/%^&|~!=<>[],", *at)); at++)
		name[n++] = *at;
	add_word(c, n > 8 ? name : from, n);
	return at;
}

/* Names, and operators by their sign: operator<<. */
static void add_words(struct complaints *c, const char *at, const char *end)
{
	while (at < end) {
		const char *from = at;
		while (at < end && is_word(*at))
			at++;
		if (at == from || is_digit(*from)) {
			at += at == from;
			continue;
		}
		if (at - from == 8 && memcmp(from, "operator", 8) == 0)
			at = add_operator(c, from, at, end);
		else
			add_word(c, from, (size_t)(at - from));
	}
}

/* How long the quotation mark is that stands here, 0: none. open: the one it was opened with, or NULL. */
static size_t quote_at(const char *s, const char *at, const char *end, const char *open)
{
	size_t n = end - at >= 3 && memcmp(at, "\xe2\x80", 2) == 0 && (at[2] == '\x98' || at[2] == '\x99') ? 3
		   : strchr("'`\"", *at) && *at                                                            ? 1
													   : 0;
	if (!n)
		return 0;
	if (!open)
		return at > s && is_word(at[-1]) ? 0 : n;
	bool closes = n == 3 ? *open == *at : *open == *at || (*open == '`' && *at == '\'');
	return closes ? n : 0;
}

/* The words between quotation marks; where there are none, all. */
static void add_message(struct complaints *c, struct text t)
{
	bool quoted = false;
	for (const char *p = t.at; p < t.end; p++) {
		size_t n = quote_at(t.at, p, t.end, NULL), m = 0;
		const char *close = p + n;
		while (n && close < t.end && !(m = quote_at(t.at, close, t.end, p)))
			close++;
		if (!m)
			continue;
		add_words(c, p + n, close);
		quoted = true;
		p = close + m - 1;
	}
	if (!quoted)
		add_words(c, t.at, t.end);
	vec_last(c).message = hash64(t.at, (size_t)(t.end - t.at));
}

/* ---- lines */

static void add(struct complaints *c, struct complaint new, struct text message)
{
	if (new.path.len)
		new.path.text = arena_strndup(&c->arena, new.path.text, new.path.len);
	new.token = COMPLAINT_NOWHERE;
	new.word = (uint32_t)c->words.n;
	vec_push(c, new);
	add_message(c, message);
}

/* What is said beside errors, and would pass for one of a compiler that does not say which is which (go). */
static bool is_remark(struct text t)
{
	static const char *const others[] = {"warning", "note",     "remark", "help",         "info",       "In ",
					     "in ",     "required", "from ",  "instantiated", "recursively"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct text s = t;
		if (take(&s, others[i]))
			return true;
	}
	return t.at == t.end;
}

/* `error: `, `error TS2304: `, `error[E0425]: `. */
static bool take_severity(struct text *t)
{
	struct text s = *t;
	(void)take(&s, "fatal ");
	if (!take(&s, "error"))
		return false;
	const char *colon = memchr(s.at, ':', (size_t)(s.end - s.at));
	if (!colon || colon - s.at > 12)
		return false;
	t->at = colon + 1;
	return true;
}

static bool is_exception(struct text t, struct text *message)
{
	const char *p = t.at;
	while (p < t.end && (is_word(*p) || *p == '.'))
		p++;
	*message = (struct text){p, t.end};
	return p - t.at >= 5 && memcmp(p - 5, "Error", 5) == 0 && take(message, ": ");
}

static bool is_undefined(struct text t, struct text *message)
{
	static const char *const signs[] = {"undefined reference to ", "undefined symbol: "};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const char *p = memmem(t.at, (size_t)(t.end - t.at), signs[i], strlen(signs[i]));
		if (p) {
			*message = (struct text){p + strlen(signs[i]), t.end};
			return true;
		}
	}
	return false;
}

static void read_line(struct complaints *c, struct text t)
{
	struct complaint new = {0};
	struct text rest = t, message;
	skip_blanks(&rest);
	if (take(&rest, "--> ")) {
		/* rustc: where the error above it is */
		if (c->n && !vec_last(c).path.len && read_place(&rest, true, &new)) {
			struct complaint *last = &vec_last(c);
			last->path = (struct name){arena_strndup(&c->arena, new.path.text, new.path.len), new.path.len};
			last->line = new.line;
			last->column = new.column;
		}
		return;
	}
	if (take(&rest, "symbol:")) { /* javac: of the error above it */
		if (c->n)
			add_words(c, rest.at, rest.end);
		return;
	}
	if (is_undefined(t, &message)) {
		add(c, new, message);
		return;
	}
	rest = t;
	if (read_place(&rest, false, &new)) {
		skip_blanks(&rest);
		if (take_severity(&rest) || (new.column && !is_remark(rest)))
			add(c, new, rest);
	} else if (take_severity(&rest)) {
		add(c, (struct complaint){0}, rest);
	} else if (is_exception(t, &message)) {
		add(c, (struct complaint){0}, message);
	}
}

struct complaints *complaints_read(const char *text, size_t n)
{
	struct complaints *c = mem_zalloc(sizeof *c);
	const char *at = text, *end = text + n;
	for (unsigned lines = 0; at < end && c->n < MAX_COMPLAINTS && lines < MAX_LINES; lines++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at)), *stop = nl ? nl : end;
		read_line(c, (struct text){at, stop - at > MAX_LINE ? at + MAX_LINE : stop});
		at = nl ? nl + 1 : end;
	}
	if (c->n)
		return c;
	complaints_free(c);
	return NULL;
}

void complaints_free(struct complaints *c)
{
	if (!c)
		return;
	vec_release_all(c, &c->words);
	arena_release(&c->arena);
	free(c);
}

void complaints_except(struct complaints *c, const struct complaints *usual)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		bool known = false;
		for (size_t k = 0; usual && k < usual->n && !known; k++)
			known = usual->at[k].message == c->at[i].message;
		if (!known)
			c->at[n++] = c->at[i];
	}
	c->n = n;
}

/* ---- places */

static bool is_path_of(const struct name *printed, const char *name, size_t n)
{
	return n && printed->len >= n && memcmp(printed->text + printed->len - n, name, n) == 0 &&
	       (printed->len == n || printed->text[printed->len - n - 1] == '/');
}

/* The base token at an offset of the printed text. */
static uint32_t token_at(const struct base_file *f, const struct syn_pieces *pieces, size_t offset)
{
	size_t lo = 0, hi = pieces->n;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (pieces->at[mid].at <= offset)
			lo = mid;
		else
			hi = mid;
	}
	const struct syn_token *t = f->syntax->token;
	uint32_t from = pieces->at[lo].token, to = pieces->at[lo].to;
	size_t at = t[from].at + (offset > pieces->at[lo].at ? offset - pieces->at[lo].at : 0);
	while (to - from > 1) {
		uint32_t mid = from + (to - from) / 2;
		if (t[mid].at <= at)
			from = mid;
		else
			to = mid;
	}
	return f->first + from;
}

/* # 12 "file.h" … or #line 12 "file.h" */
static bool read_marker(struct text t, struct name *path, uint32_t *line)
{
	if (!take(&t, "#line ") && !take(&t, "# "))
		return false;
	uint32_t n;
	if (!take_number(&t, &n) || !take(&t, " \""))
		return false;
	const char *close = memchr(t.at, '"', (size_t)(t.end - t.at));
	if (!close)
		return false;
	*path = (struct name){t.at, (size_t)(close - t.at)};
	*line = n;
	return true;
}

static void place_in(struct complaints *c, const struct base_file *f, const struct buf *text,
		     const struct syn_pieces *pieces)
{
	struct name path = {f->name, strlen(f->name)};
	uint32_t line = 1;
	const char *start = buf_str(text), *end = start + text->n;
	for (const char *at = start; at < end; line++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at)), *stop = nl ? nl : end;
		if (read_marker((struct text){at, stop}, &path, &line)) {
			line--;
		} else {
			for (size_t i = 0; i < c->n; i++) {
				struct complaint *x = &c->at[i];
				if (x->line != line || !is_path_of(&x->path, path.text, path.len))
					continue;
				size_t column = x->column ? x->column - 1 : 0, most = (size_t)(stop - at);
				x->token = token_at(f, pieces, (size_t)(at - start) + (column < most ? column : most));
			}
		}
		at = nl ? nl + 1 : end;
	}
}

void complaints_place(struct complaints *c, const struct model *m, const struct step *s)
{
	struct buf text = {0};
	struct syn_pieces pieces = {0};
	for (size_t i = 0; i < m->n_files; i++) {
		const struct base_file *f = &m->file[i];
		/* with many files, those that were preprocessed are hardly among them */
		bool named = m->n_files == 1;
		for (size_t k = 0; k < c->n && !named; k++)
			named = is_path_of(&c->at[k].path, f->name, strlen(f->name));
		if (!named || !f->syntax)
			continue;
		buf_clear(&text);
		vec_clear(&pieces);
		model_print_pieces(m, i, s, &text, &pieces);
		if (pieces.n)
			place_in(c, f, &text, &pieces);
	}
	buf_release(&text);
	vec_release(&pieces);
}
