/* SPDX-License-Identifier: MIT */
/* See cc_args.h. Options that take the next word as their value are in one table; everything else that starts with '-'
 * is one word. Response files (@FILE) are read in. */
#include "check/cc_args.h"

#include "base/bits.h"

#include <string.h>

enum { MAX_RESPONSE = 16 << 20, MAX_WORDS = 1000000 };

static const char *const with_value[] = {
	"-o",
	"-I",
	"-D",
	"-U",
	"-L",
	"-l",
	"-x",
	"-include",
	"-imacros",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-isysroot",
	"-MF",
	"-MT",
	"-MQ",
	"-Xlinker",
	"-Xassembler",
	"-Xpreprocessor",
	"-Xclang",
	"-T",
	"-u",
	"-z",
	"-target",
	"--param",
	"-mllvm",
	"-e",
	"-A",
	"-aux-info",
	"-B",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-imultilib",
	"--sysroot",
	"-wrapper",
	"-dumpbase",
	"-dumpdir",
	"-F",
	"-framework",
	"-rpath",
	"-arch",
	"-G",
	"-h",
	"-R",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-dumpbase-ext",
	"-specs",
};

/* With these there would be no barrier, or none that works, or the runtime would be called in another way than it is
 * compiled for. */
static const char *const refused[] = {
	"-m32",
	"-mx32",
	"-m16",
	"-mcmodel=large",
	"-masm=intel",
	"-mabi=ms",
	"-ffixed-r11",
	"-fcall-saved-r11",
	"-fpack-struct",
	"-mlong-double-64",
	"-mlong-double-128",
	"-flegacy-pass-manager",
	"-fno-experimental-new-pass-manager",
};

static bool among(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, words[i]) == 0)
			return true;
	return false;
}

static bool takes_value(const char *s)
{
	return among(s, with_value, ARRAY_LEN(with_value));
}

bool cc_is_dep(const char *s)
{
	return strncmp(s, "-MD", 3) == 0 || strncmp(s, "-MMD", 4) == 0 || strncmp(s, "-MF", 3) == 0 ||
	       strncmp(s, "-MT", 3) == 0 || strncmp(s, "-MQ", 3) == 0 || strcmp(s, "-MP") == 0;
}

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && strcmp(s + n - m, suffix) == 0;
}

/* One response file's words: blanks separate, quotes and backslashes protect. */
static enum rc response(struct cc_args *a, const char *path, struct strings *out, struct err *e)
{
	struct buf text = {0};
	enum rc rc = buf_read_file(&text, path, MAX_RESPONSE, e);
	const char *p = buf_str(&text);
	while (rc == RC_OK && *p) {
		p += strspn(p, " \t\n\r\f\v");
		if (!*p)
			break;
		struct buf word = {0};
		for (char quote = 0; *p && (quote || !strchr(" \t\n\r\f\v", *p)); p++) {
			if (*p == '\\' && p[1])
				buf_char(&word, *++p);
			else if (quote ? *p == quote : *p == '\'' || *p == '"')
				quote = quote ? 0 : *p;
			else
				buf_char(&word, *p);
		}
		const char *s = mem_strndup(word.at ? word.at : "", word.n);
		buf_release(&word);
		vec_push(&a->owned, s);
		vec_push(out, s);
		if (out->n > MAX_WORDS)
			rc = err_set(e, RC_INPUT, "%s: too many words", path);
	}
	buf_release(&text);
	return rc;
}

static bool is_refused(const char *s)
{
	return among(s, refused, ARRAY_LEN(refused)) ||
	       (strncmp(s, "--target=", 9) == 0 && strncmp(s + 9, "x86_64", 6) != 0);
}

static void option(struct cc_args *a, const char *s)
{
	if (strcmp(s, "-c") == 0 && a->stage == CC_LINK)
		a->stage = CC_OBJECT;
	else if (strcmp(s, "-S") == 0 && a->stage != CC_OTHER)
		a->stage = CC_ASSEMBLY;
	else if (strcmp(s, "-E") == 0 || strcmp(s, "-M") == 0 || strcmp(s, "-MM") == 0 ||
		 strcmp(s, "-fsyntax-only") == 0 || strcmp(s, "-###") == 0)
		a->stage = CC_OTHER;
	else if (strcmp(s, "-MD") == 0 || strcmp(s, "-MMD") == 0)
		a->deps = true;
	else if (strcmp(s, "-shared") == 0)
		a->shared = true;
	else if (strcmp(s, "-r") == 0)
		a->relocatable = true;
	else if (strcmp(s, "-nostdlib") == 0 || strcmp(s, "-nodefaultlibs") == 0)
		a->no_libs = true;
	else if (strcmp(s, "-static") == 0 || strcmp(s, "-static-pie") == 0)
		a->is_static = true;
	else if (strncmp(s, "-fsanitize=", 11) == 0 &&
		 (strstr(s, "address") || strstr(s, "thread") || strstr(s, "memory") || strstr(s, "safe-stack") ||
		  strstr(s, "dataflow")))
		a->refused = s;
	else if (is_refused(s))
		a->refused = s;
	else if (strncmp(s, "-o", 2) == 0 && s[2])
		a->output = s + 2;
	else if (strncmp(s, "-MF", 3) == 0 && s[3])
		a->dep_file = s + 3;
	else if ((strncmp(s, "-MT", 3) == 0 || strncmp(s, "-MQ", 3) == 0) && s[3])
		a->dep_target = s + 3;
}

static void value(struct cc_args *a, const char *opt, const char *v, const char **language)
{
	if (strcmp(opt, "-o") == 0)
		a->output = v;
	else if (strcmp(opt, "-MF") == 0)
		a->dep_file = v;
	else if (strcmp(opt, "-MT") == 0 || strcmp(opt, "-MQ") == 0)
		a->dep_target = v;
	else if ((strcmp(opt, "-target") == 0 && strncmp(v, "x86_64", 6) != 0) ||
		 (strcmp(opt, "-Xclang") == 0 && strncmp(v, "-disable-llvm-passes", 20) == 0))
		a->refused = v;
	else if (strcmp(opt, "-x") == 0)
		*language = strcmp(v, "none") == 0 ? NULL : v;
}

static bool is_cxx(const char *s)
{
	static const char *const suffixes[] = {".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii"};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (ends(s, suffixes[i]))
			return true;
	return false;
}

static enum cc_role input(struct cc_args *a, const char *s, const char *language)
{
	enum cc_role role = CC_INPUT;
	if (language ? strcmp(language, "c") == 0 : ends(s, ".c"))
		role = CC_C;
	else if (language ? strcmp(language, "cpp-output") == 0 : ends(s, ".i"))
		role = CC_PREPROCESSED;
	else if (language ? strcmp(language, "c++") == 0 || strcmp(language, "c++-cpp-output") == 0 : is_cxx(s))
		role = CC_CXX;
	a->n_inputs++;
	a->n_c += role != CC_INPUT;
	return role;
}

static enum rc read_words(struct cc_args *a, const struct strings *w, struct err *e)
{
	const char *language = NULL;
	bool ended = false;
	for (size_t i = 0; i < w->n; i++) {
		const char *s = w->at[i];
		if (!ended && strcmp(s, "--") == 0) {
			ended = true;
			continue;
		}
		if (ended || s[0] != '-' || !s[1]) {
			vec_push(&a->words, ((struct cc_word){s, input(a, s, language)}));
			continue;
		}
		vec_push(&a->words, ((struct cc_word){s, CC_OPTION}));
		if (strncmp(s, "-x", 2) == 0 && s[2])
			value(a, "-x", s + 2, &language);
		if (!takes_value(s)) {
			option(a, s);
			continue;
		}
		if (i + 1 == w->n)
			return err_set(e, RC_INPUT, "option '%s' needs a value", s);
		vec_push(&a->words, ((struct cc_word){w->at[i + 1], CC_VALUE}));
		value(a, s, w->at[++i], &language);
	}
	return RC_OK;
}

enum rc cc_args_read(struct cc_args *a, const char *const *argv, int n, struct err *e)
{
	*a = (struct cc_args){0};
	struct strings all = {0};
	enum rc rc = RC_OK;
	for (int i = 0; i < n && rc == RC_OK; i++) {
		if (argv[i][0] == '@' && argv[i][1])
			rc = response(a, argv[i] + 1, &all, e);
		else
			vec_push(&all, argv[i]);
	}
	if (rc == RC_OK)
		rc = read_words(a, &all, e);
	vec_release(&all);
	return rc;
}

void cc_args_release(struct cc_args *a)
{
	for (size_t i = 0; i < a->owned.n; i++)
		free((char *)(uintptr_t)a->owned.at[i]);
	vec_release_all(&a->owned, &a->words);
}
