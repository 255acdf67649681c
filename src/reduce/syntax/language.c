/* SPDX-License-Identifier: MIT */
/* The languages: one row each, and what printing must know about them. A language is found by name, by a file's
 * extension, by its #! line, and at last by trying which grammar takes the text without an error. */
#include "reduce/syntax/grammar.h"
#include "reduce/syntax/internal.h"

#include "base/bits.h"
#include "data/text.h"

#include <string.h>

#define MAX_TRIED (1 << 20)      /* bytes of a text that is parsed to find out what it is */
#define MAX_TEXT_BY_CHARS 2048   /* bytes of a text, and of a program, below which each character is tried: each may */
#define MAX_PROGRAM_BY_CHARS 100 /* cost a test, and a program has little left to find there */
#define LONG_WORDS 256           /* bytes of words that are worth it however many they are, as in a binary file */
/* Files that say how others are built: each line counts for itself. */
#define BUILD_FILES "Makefile makefile GNUmakefile Dockerfile SConstruct BUILD BUILD.bazel meson.build"

const struct language languages[N_LANGUAGES] = {
	{LANG_C, "c", "", "c h i", "c"},
	{LANG_CPP, "c++", "cpp cxx cc", "cc cpp cxx c++ C hh hpp hxx h++ H ii inl ipp tpp", "cpp"},
	{LANG_RUST, "rust", "rs", "rs", "rust"},
	{LANG_GO, "go", "golang", "go", "go"},
	{LANG_JAVA, "java", "", "java", "java"},
	{LANG_JAVASCRIPT, "javascript", "js jsx ecmascript", "js jsx mjs cjs", "javascript"},
	{LANG_TYPESCRIPT, "typescript", "ts", "ts mts cts", "typescript"},
	{LANG_TSX, "tsx", "", "tsx", "tsx"},
	{LANG_PYTHON, "python", "py python3", "py pyi pyw", "python"},
	{LANG_JSON, "json", "", "json jsonl geojson webmanifest", "json"},
	{LANG_SQL, "sql", "", "sql ddl dml", "sql"},
	{LANG_CSS, "css", "", "css", "css"},
	{LANG_HTML, "html", "htm", "html htm xhtml", "html"},
	{LANG_XML, "xml", "", "xml svg xsd xsl xslt rss atom plist", "xml"},
	{LANG_YAML, "yaml", "yml", "yaml yml", "yaml"},
	{LANG_PHP, "php", "", "php phtml", "php"},
	{LANG_RUBY, "ruby", "rb", "rb rake gemspec", "ruby"},
	{LANG_BASH, "bash", "sh shell", "sh bash", "bash"},
	{LANG_CSHARP, "c#", "csharp cs", "cs csx", "c_sharp"},
	{LANG_KOTLIN, "kotlin", "kt", "kt kts", "kotlin"},
	{LANG_SWIFT, "swift", "", "swift", "swift"},
	{LANG_SCALA, "scala", "", "scala sc", "scala"},
	{LANG_HASKELL, "haskell", "hs", "hs", "haskell"},
	{LANG_OCAML, "ocaml", "ml", "ml", "ocaml"},
	{LANG_ZIG, "zig", "", "zig zon", "zig"},
	{LANG_LUA, "lua", "", "lua", "lua"},
	{LANG_SOLIDITY, "solidity", "sol", "sol", "solidity"},
	{LANG_GLSL, "glsl", "", "glsl vert frag geom comp tesc tese", "glsl"},
	{LANG_VERILOG, "verilog", "systemverilog sv", "v vh sv svh", "verilog"},
	{LANG_LLVM, "llvm", "llvm-ir ll", "ll", "llvm"},
	{LANG_SMTLIB, "smtlib", "smt smt2 smt-lib sygus", "smt smt2 sy", NULL},
	{LANG_LISP, "lisp", "scheme clojure racket elisp", "lisp lsp cl el scm ss rkt clj cljs edn fnl wat", NULL},
	{LANG_LINES, "lines", "text txt", "txt text log csv mk cmake toml ini cfg conf", NULL},
	{LANG_WORDS, "words", "", "", NULL},
	{LANG_CHARS, "chars", "characters", "", NULL},
	{LANG_BYTES, "bytes", "binary", "", NULL},
};

const struct language_traits language_traits[N_LANGUAGES] = {
	[LANG_C] = {NEWLINE_FREE, true, "string_literal char_literal system_lib_string"},
	[LANG_CPP] = {NEWLINE_FREE, true, "string_literal char_literal system_lib_string raw_string_literal"},
	[LANG_RUST] = {NEWLINE_FREE, false, "string_literal raw_string_literal char_literal lifetime label"},
	[LANG_GO] = {NEWLINE_STATEMENT, false, "interpreted_string_literal raw_string_literal rune_literal"},
	[LANG_JAVA] = {NEWLINE_FREE, false, "string_literal character_literal"},
	[LANG_JAVASCRIPT] = {NEWLINE_STATEMENT, false, "string template_string regex"},
	[LANG_TYPESCRIPT] = {NEWLINE_STATEMENT, false, "string template_string regex template_literal_type"},
	[LANG_TSX] = {NEWLINE_STATEMENT, false, "string template_string regex template_literal_type"},
	[LANG_PYTHON] = {NEWLINE_LAYOUT, false, "string"},
	[LANG_JSON] = {NEWLINE_FREE, false, "string"},
	[LANG_SQL] = {NEWLINE_FREE, false, "literal"},
	[LANG_CSS] = {NEWLINE_FREE, false, "string_value"},
	[LANG_HTML] = {NEWLINE_FREE, false, "quoted_attribute_value"},
	[LANG_XML] = {NEWLINE_FREE, false, "AttValue PseudoAttValue EntityValue"},
	[LANG_YAML] = {NEWLINE_INDENTED, false, "double_quote_scalar single_quote_scalar block_scalar"},
	[LANG_PHP] = {NEWLINE_FREE, false, "string encapsed_string heredoc nowdoc"},
	[LANG_RUBY] = {NEWLINE_INDENTED, false, "string regex heredoc_body subshell string_array symbol_array"},
	[LANG_BASH] = {NEWLINE_INDENTED, false, "string raw_string ansi_c_string heredoc_body"},
	[LANG_CSHARP] = {NEWLINE_FREE, true,
			 "string_literal verbatim_string_literal raw_string_literal character_literal "
			 "interpolated_string_expression"},
	[LANG_KOTLIN] = {NEWLINE_INDENTED, false, "string_literal multiline_string_literal character_literal"},
	[LANG_SWIFT] = {NEWLINE_INDENTED, false, "line_string_literal multi_line_string_literal raw_string_literal"},
	[LANG_SCALA] = {NEWLINE_INDENTED, false, "string character_literal interpolated_string_expression"},
	[LANG_HASKELL] = {NEWLINE_INDENTED, false, "string char"},
	[LANG_OCAML] = {NEWLINE_FREE, false, "string character quoted_string"},
	[LANG_ZIG] = {NEWLINE_FREE, false, "string character multiline_string"},
	[LANG_LUA] = {NEWLINE_FREE, false, "string"},
	[LANG_SOLIDITY] = {NEWLINE_FREE, false, "string string_literal"},
	[LANG_GLSL] = {NEWLINE_FREE, true, "string_literal char_literal system_lib_string"},
	[LANG_VERILOG] = {NEWLINE_INDENTED, false, "string_literal"},
	[LANG_LLVM] = {NEWLINE_INDENTED, false, "string cstring"},
	[LANG_SMTLIB] = {NEWLINE_FREE, false, ""},
	[LANG_LISP] = {NEWLINE_FREE, false, ""},
	[LANG_LINES] = {NEWLINE_NONE, false, ""},
	[LANG_WORDS] = {NEWLINE_FREE, false, ""},
	[LANG_CHARS] = {NEWLINE_NONE, false, ""},
	[LANG_BYTES] = {NEWLINE_NONE, false, ""},
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool language_available(const struct language *l)
{
	return !l->grammar || grammar_get(l);
}

bool language_in_list(const char *list, const char *word, size_t n, bool any_case)
{
	while (*list) {
		size_t len = strcspn(list, " "), i = 0;
		while (len == n && i < n && (any_case ? lower(list[i]) == lower(word[i]) : list[i] == word[i]))
			i++;
		if (n && len == n && i == n)
			return true;
		list += len;
		list += *list == ' ';
	}
	return false;
}

const char *language_name(size_t i)
{
	return i < N_LANGUAGES ? languages[i].name : NULL;
}

const struct language *language_find(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < N_LANGUAGES; i++)
		if (language_in_list(languages[i].name, name, n, true) ||
		    language_in_list(languages[i].aliases, name, n, true))
			return &languages[i];
	return NULL;
}

static const struct language *by_extension(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	if (language_in_list(BUILD_FILES, base, strlen(base), false))
		return &languages[LANG_LINES];
	if (!dot)
		return NULL;
	size_t n = strlen(dot + 1);
	/* .C and .H are C++, so letters have a case first */
	for (int any_case = 0; any_case < 2; any_case++)
		for (size_t i = 0; i < N_LANGUAGES; i++)
			if (language_in_list(languages[i].extensions, dot + 1, n, any_case))
				return &languages[i];
	return NULL;
}

static const struct language *by_interpreter(const char *text, size_t n)
{
	static const struct {
		const char *word;
		enum language_id id;
	} rows[] = {{"python", LANG_PYTHON}, {"node", LANG_JAVASCRIPT}, {"deno", LANG_TYPESCRIPT},
		    {"ruby", LANG_RUBY},     {"lua", LANG_LUA},         {"php", LANG_PHP},
		    {"bash", LANG_BASH},     {"/sh", LANG_BASH},        {"dash", LANG_BASH}};
	if (n < 2 || text[0] != '#' || text[1] != '!')
		return NULL;
	const char *end = memchr(text, '\n', n);
	size_t line = end ? (size_t)(end - text) : n;
	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		if (memmem(text, line, rows[r].word, strlen(rows[r].word)) &&
		    language_available(&languages[rows[r].id]))
			return &languages[rows[r].id];
	return &languages[LANG_LINES];
}

/* Whether most of the text is what the grammar does not know. Half is not enough: a dialect of SQL may be that far from
 * the grammar, and still has its statements and lists. */
bool language_misfits(const char *path, const struct syntax *s)
{
	uint32_t lost = 0;
	if (!s->language->grammar || s->n_text > MAX_TRIED || s->language != by_extension(path))
		return false;
	for (uint32_t i = 0; i < s->n_tokens; i++) {
		uint32_t parent = s->node[s->token[i].node].parent;
		lost += !(s->token[i].flags & TOKEN_COMMENT) && parent != SYNTAX_NONE &&
			s->node[parent].flags & NODE_ERROR;
	}
	return lost > s->n_tokens / 4 * 3;
}

static const struct language *by_content(const char *text, size_t n)
{
	/* JSON first: every JSON text is a JavaScript or Python expression too */
	static const enum language_id tried[] = {LANG_JSON, LANG_C,      LANG_GO,         LANG_RUST,       LANG_JAVA,
						 LANG_CPP,  LANG_PYTHON, LANG_JAVASCRIPT, LANG_TYPESCRIPT, LANG_SQL};
	const struct language *l = NULL;
	for (size_t i = 0; !l && n <= MAX_TRIED && i < ARRAY_LEN(tried); i++) {
		struct syntax *s;
		struct err e = ERR_INIT;
		/* the cheap question first: where a text is none of the language, recovery can take minutes */
		if (!tree_fits(&languages[tried[i]], text, (uint32_t)n) ||
		    syntax_parse(&s, &languages[tried[i]], text, n, &e) != RC_OK)
			continue;
		/* a lone word or number is not evidence */
		if (!s->n_errors && s->n_tokens > 2 && !(s->n_nodes && s->node[0].flags & NODE_BROKEN))
			l = s->language;
		syntax_free(s);
	}
	return l;
}

const struct language *language_likely(const char *path, const char *text, size_t n)
{
	const struct language *l = path ? by_extension(path) : NULL;
	if (syntax_text_kind(text, n) != TEXT_PLAIN || (l && !language_available(l)))
		return &languages[LANG_LINES];
	if (!l)
		l = by_interpreter(text, n);
	if (!l)
		l = by_content(text, n);
	return l ? l : &languages[LANG_LINES];
}

const struct language *language_detect(const char *path, const char *text, size_t n)
{
	const struct language *l = language_likely(path, text, n);
	struct syntax *s;
	struct err e = ERR_INIT;
	if (!path || !l->grammar || n > MAX_TRIED || syntax_parse(&s, l, text, n, &e) != RC_OK)
		return l;
	if (language_misfits(path, s))
		l = &languages[LANG_LINES];
	syntax_free(s);
	return l;
}

const struct language *language_finer(const struct language *l, const char *text, size_t n)
{
	return l->id == LANG_LINES && syntax_text_kind(text, n) == TEXT_PLAIN ? &languages[LANG_WORDS] : NULL;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether the text is of few and long words: encoded data, something packed. */
static bool is_of_long_words(const char *text, size_t n)
{
	size_t words = 0;
	for (size_t i = 0; i < n && words <= n / LONG_WORDS; i++)
		words += !is_space(text[i]) && (!i || is_space(text[i - 1]));
	return words <= n / LONG_WORDS;
}

bool language_by_chars(const struct language *l, const char *text, size_t n)
{
	if (l->id == LANG_LINES && syntax_text_kind(text, n) != TEXT_PLAIN)
		return true;
	if (l->id != LANG_LINES && l->id != LANG_WORDS)
		return n <= MAX_PROGRAM_BY_CHARS;
	return n <= MAX_TEXT_BY_CHARS || is_of_long_words(text, n);
}

bool language_is_lists(const struct language *l)
{
	return l->id == LANG_SMTLIB || l->id == LANG_LISP;
}

const struct language *language_finest(const char *text, size_t n)
{
	enum text_kind kind = syntax_text_kind(text, n);
	bool letters = kind != TEXT_BINARY;
	for (size_t i = 0, len; letters && kind == TEXT_PLAIN && i < n; i += len) {
		len = text_utf8_len(text + i, n - i);
		letters = len > 0;
	}
	return &languages[letters ? LANG_CHARS : LANG_BYTES];
}
