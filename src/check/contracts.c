/* SPDX-License-Identifier: MIT */
/* See contracts.h. A side file has the same grammar, bare or in comments: for headers that may not be edited. */
#include "check/contracts.h"

#include "check/cc_objects.h"
#include "check/gen/gen.h"
#include "check/macros.h"
#include "check/source/hidden.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE = 256 << 20 };

static const char prologue[] =
#include "check_prologue.h"
	;

/* _Generic for RF_IS_PTR(VALUE, TYPE), which begins at `at`; returns the text after it. */
static const char *expand_is_ptr(const char *at, struct buf *out)
{
	size_t n = 10, depth = 1, comma = 0;
	for (; at[n] && depth; n++) {
		depth += at[n] == '(' ? 1 : at[n] == ')' ? (size_t)-1 : 0;
		if (at[n] == ',' && depth == 1)
			comma = n;
	}
	int type_len = (int)(n - 1 - (comma + 2));
	const char *type = at + comma + 2;
	buf_printf(out, "_Generic((%.*s)", (int)(comma - 10), at + 10);
	static const char *const qualifiers[] = {"", "const ", "volatile ", "const volatile "};
	for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
		buf_printf(out, ", %s%.*s *: 1, %svoid *: 1", qualifiers[i], type_len, type, qualifiers[i]);
	buf_printf(out, ", %.*s: 0)", type_len, type);
	return at + n;
}

/* Line directives: what the compiler says about code made from an annotation is said at the annotation. */
struct expander {
	struct buf *out;
	bool preprocessed; /* else the text will see a preprocessor */
	struct buf file;   /* as a C string; empty: our own code */
	long line;
};

static void directive(struct expander *x)
{
	if (x->preprocessed) /* as a system header: the user's warnings are about the user's code */
		buf_printf(x->out, "# %ld %s 3\n", x->file.n ? x->line : 1,
			   x->file.n ? buf_str(&x->file) : "\"<contracts>\"");
	else
		buf_printf(x->out, "#line %ld %s\n", x->file.n ? x->line : 1,
			   x->file.n ? buf_str(&x->file) : "\"<contracts>\"");
}

/* \001LINE FILE\001 begins the code of a place, \001\001 ends it. */
static const char *mark(struct expander *x, const char *p)
{
	const char *end = strchr(p + 1, '\001'), *blank = end ? strchr(p + 1, ' ') : NULL;
	buf_clear(&x->file);
	if (end > p + 1 && blank) {
		char *file = mem_strndup(blank + 1, (size_t)(end - blank - 1));
		x->line = strtol(p + 1, NULL, 10);
		gen_string(&x->file, file);
		free(file);
	}
	buf_char(x->out, '\n');
	directive(x);
	return end ? end + 1 : p + strlen(p);
}

/* Expands our own macros: preprocessed text does not see a preprocessor again. */
static void expand(const struct buf *in, struct buf *out, bool preprocessed)
{
	static const char code[] = "__attribute__((no_sanitize(\"kernel-address\"), unused))";
	struct expander x = {.out = out, .preprocessed = preprocessed};
	for (const char *p = buf_str(in); *p;) {
		size_t n = strcspn(p, "R\001\n");
		buf_add(out, p, n);
		p += n;
		if (*p == '\001') {
			p = mark(&x, p);
		} else if (*p == '\n') {
			buf_char(out, *p++);
			if (x.file.n)
				directive(&x);
		} else if (strncmp(p, "RF_CODE", 7) == 0) {
			buf_str_add(out, code);
			p += 7;
		} else if (strncmp(p, "RF_IS_PTR(", 10) == 0) {
			p = expand_is_ptr(p, out);
		} else if (*p) {
			buf_char(out, *p++);
		}
	}
	buf_release(&x.file);
}

static int is_member(const void *arg, const char *ctype, const char *name)
{
	const struct gen *g = arg;
	enum cmember m = MEMBER_UNKNOWN;
	for (size_t i = 0; i < g->n_files && m == MEMBER_UNKNOWN; i++)
		m = csource_member(&g->files[i], ctype, name);
	return m == MEMBER_UNKNOWN ? -1 : m != MEMBER_NONE;
}

/* Is the predicate about this file: does its path end in the one that the predicate names? */
static bool about(const struct pred *p, const char *file)
{
	size_t n = strlen(file), m = p->unit ? strlen(p->unit) : 0;
	return !p->unit || (n >= m && strcmp(file + n - m, p->unit) == 0 && (n == m || file[n - m - 1] == '/'));
}

static enum rc read_side(const struct strings *side, struct annot_set *set, struct err *e)
{
	struct pred **from = set->preds_end;
	for (size_t i = 0; side && i < side->n; i++) {
		struct buf text = {0};
		struct csource cs = {0};
		enum rc rc = buf_read_file(&text, side->at[i], MAX_FILE, e);
		/* positions and names point into the text: it lives as long as the set */
		const char *copy = rc == RC_OK ? arena_strndup(&set->arena, buf_str(&text), text.n) : "";
		size_t n = text.n;
		buf_release(&text);
		if (rc != RC_OK)
			return rc;
		if (annot_is_ours(copy, n))
			rc = annot_parse(set, copy, n, (struct place){side->at[i], 1, 1}, e);
		else
			rc = csource_read(&cs, copy, n, side->at[i], set, e);
		csource_release(&cs);
		if (rc != RC_OK)
			return rc;
	}
	for (struct pred *p = *from; p; p = p->next)
		p->side = true;
	return RC_OK;
}

/* Is p the first predicate of its function? */
static bool first_of_function(const struct annot_set *set, const struct pred *p)
{
	for (const struct pred *q = set->preds; q != p; q = q->next)
		if (strcmp(q->function, p->function) == 0)
			return false;
	return true;
}

/* ---- compile */

static enum rc compile_functions(struct gen *g, struct csource *cs, size_t n, struct buf *functions, struct err *e)
{
	for (const struct pred *p = g->set->preds; p; p = p->next) {
		if (!first_of_function(g->set, p))
			continue;
		struct cfunction f;
		bool found = false;
		for (size_t i = 0; i < n && !found; i++)
			found = csource_function(&cs[i], p->function, &f);
		if (!found)
			return annot_fail(e, p->at, "function '%s' is not declared in these files", p->function);
		if (f.is_static)
			return annot_fail(e, p->at, "function '%s' is static: only refrain-cc can wrap it",
					  p->function);
		struct buf real = {0}, wrap = {0};
		buf_printf(&real, "__real_%s", p->function);
		buf_printf(&wrap, "__wrap_%s", p->function);
		gen_prototype(&g->code, &f, buf_str(&real), NULL);
		buf_str_add(&g->code, ";\n");
		enum rc rc = gen_wrapper(g, p->function, &f, buf_str(&real), buf_str(&wrap));
		buf_release(&real);
		buf_release(&wrap);
		if (rc != RC_OK)
			return rc;
		buf_printf(functions, "%s%s", functions->n ? " " : "", p->function);
	}
	return RC_OK;
}

/* Types without parameters are there for calls by hand, used by a predicate or not. in: only those that the text
 * calls by their names. */
static enum rc compile_types(struct gen *g, const struct csource *in)
{
	for (struct regtype *r = g->set->regtypes; r; r = r->next) {
		char name[256];
		snprintf(name, sizeof name, "rf_type_%.240s", r->name);
		if (in && !csource_mentions(in, name))
			continue;
		struct type_expr *t = arena_new(&g->set->arena, struct type_expr);
		*t = (struct type_expr){.kind = TYPE_REG, .at = r->at, .name = r->name, .reg = r};
		if (!r->n_params && gen_instance(g, t) < 0)
			return RC_INPUT;
	}
	return RC_OK;
}

static void compile_out(const struct strings *files, const struct buf *types, const struct buf *code,
			const struct buf *functions, struct buf *out)
{
	buf_str_add(out, "/* Written by `refrain check compile`; do not edit. Link with librefrain-rt");
	for (const char *p = buf_str(functions); *p;) {
		size_t n = strcspn(p, " ");
		buf_printf(out, " -Wl,--wrap=%.*s", (int)n, p);
		p += n + (p[n] == ' ');
	}
	buf_str_add(out, " */\n");
	for (size_t i = 0; i < files->n; i++)
		buf_printf(out, "#include \"%s\"\n", files->at[i]);
	buf_printf(out, "#pragma pack(push, 16)\n#ifndef REFRAIN_CHECK_H\n%s#endif\n", prologue);
	struct buf all = {0};
	buf_add(&all, buf_str(types), types->n);
	buf_add(&all, buf_str(code), code->n);
	expand(&all, out, false);
	buf_str_add(out, "\n#pragma pack(pop)\n");
	buf_release(&all);
}

/* Leaves out the predicates that are about other files. */
static void drop_others(struct annot_set *set, const char *const *files, size_t n)
{
	for (struct pred **p = &set->preds; *p;) {
		bool ours = false;
		for (size_t i = 0; i < n && !ours; i++)
			ours = about(*p, files[i]);
		if (ours || !n)
			p = &(*p)->next;
		else
			*p = (*p)->next;
	}
}

enum rc contracts_compile(const struct strings *files, const struct strings *side, struct buf *out,
			  struct buf *functions, struct err *e)
{
	struct annot_set set;
	struct buf types = {0};
	annot_init(&set);
	struct gen g;
	gen_init(&g, &set, e);
	g.exported = true;
	struct csource *cs = mem_zalloc((files->n + 1) * sizeof *cs);
	enum rc rc = read_side(side, &set, e);
	for (size_t i = 0; i < files->n && rc == RC_OK; i++) {
		struct buf text = {0};
		rc = buf_read_file(&text, files->at[i], MAX_FILE, e);
		const char *copy = rc == RC_OK ? arena_strndup(&set.arena, buf_str(&text), text.n) : "";
		if (rc == RC_OK)
			rc = annot_in_macros(copy, text.n, files->at[i], e);
		if (rc == RC_OK)
			rc = csource_read(&cs[i], copy, text.n, files->at[i], &set, e);
		buf_release(&text);
	}
	g.files = cs;
	g.n_files = files->n;
	if (rc == RC_OK)
		rc = annot_resolve(&set, &(struct members){is_member, &g, false}, e);
	if (rc == RC_OK)
		drop_others(&set, files->at, files->n);
	if (rc == RC_OK && !set.preds && !set.regtypes)
		rc = err_set(e, RC_INPUT, "no annotations in %s%s", files->n ? files->at[0] : "the side files",
			     files->n > 1 ? ", …" : "");
	if (rc == RC_OK)
		rc = compile_functions(&g, cs, files->n, functions, e);
	if (rc == RC_OK)
		rc = compile_types(&g, NULL);
	if (rc == RC_OK)
		rc = gen_types(&g, &types);
	if (rc == RC_OK)
		compile_out(files, &types, &g.code, functions, out);
	for (size_t i = 0; i < files->n; i++)
		csource_release(&cs[i]);
	free(cs);
	buf_release(&types);
	gen_release(&g);
	annot_release(&set);
	return rc;
}

enum rc contracts_promised(const struct strings *side, struct strings *out, struct err *e)
{
	struct annot_set set;
	annot_init(&set);
	enum rc rc = read_side(side, &set, e);
	for (const struct pred *p = set.preds; p && rc == RC_OK; p = p->next)
		if (first_of_function(&set, p)) {
			vec_push(out, mem_printf("%s:%ld:%ld", p->at.file, p->at.line, p->at.col));
			vec_push(out, mem_strdup(p->function));
		}
	annot_release(&set);
	return rc;
}

/* ---- transform */

/* A name that the object keeps, for the link (cc_objects.h): of a function whose contract is checked here, or of one
 * whose contract was read and that is to be defined elsewhere, with the place. Weak, because a header is read often. */
static void leave_mark(struct buf *b, const struct pred *p, bool checked, size_t n)
{
	buf_printf(b, "extern char __attribute__((weak, visibility(\"default\"), used)) rf_mark%zu __asm__(\"", n);
	buf_str_add(b, checked ? MARK_CHECKED : MARK_PROMISED);
	buf_str_add(b, p->function);
	buf_str_add(b, MARK_END);
	if (!checked) {
		char where[PATH_MAX + 64];
		snprintf(where, sizeof where, "%s:%ld:%ld", p->at.file, p->at.line, p->at.col);
		for (const char *s = where; *s; s++)
			if (isalnum((unsigned char)*s) || *s == '_')
				buf_char(b, *s);
			else
				buf_printf(b, ".%02x", (unsigned char)*s);
		buf_str_add(b, MARK_END);
	}
	buf_printf(b, "\");\nchar rf_mark%zu = 0;\n", n);
}

struct edit {
	size_t off, cut;
	struct buf insert;
};

static void release_edits(struct edit *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_release(&at[i].insert);
}

/* Before the definition: the wrapper's prototype, so that calls inside find it; the definition itself is renamed. */
static void rename_definition(const char *name, const struct cfunction *f, struct edit *before, struct edit *rename)
{
	*before = (struct edit){.off = f->decl_off};
	gen_prototype(&before->insert, f, name, NULL);
	buf_str_add(&before->insert, f->is_weak ? " __attribute__((weak)); " : "; ");
	if (f->is_weak) /* the linker chooses the wrapper and the function alike: those of the first file */
		buf_str_add(&before->insert, "__attribute__((visibility(\"hidden\"))) ");
	else if (!f->is_static && !f->is_extern_or_inline)
		buf_str_add(&before->insert, "static ");
	*rename = (struct edit){.off = f->name_off, .cut = strlen(name)};
	buf_printf(&rename->insert, "rf_real_%s", name);
}

static int by_offset(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

static void transform_out(const struct buf *text, struct edit *edits, size_t n, struct gen *g, const struct buf *types,
			  struct buf *out)
{
	qsort(edits, n, sizeof *edits, by_offset);
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		buf_add(out, text->at + at, edits[i].off - at);
		buf_add(out, buf_str(&edits[i].insert), edits[i].insert.n);
		at = edits[i].off + edits[i].cut;
	}
	buf_add(out, text->at + at, text->n - at);
	/* marked as a system header: the user's warnings are about the user's code */
	buf_str_add(out, "\n# 1 \"<contracts>\" 3\n#pragma pack(push, 16)\n"); /* as the runtime was compiled */
	struct buf all = {0};
	if (!strstr(buf_str(text), "/refrain/check.h\""))
		buf_str_add(&all, prologue);
	buf_add(&all, buf_str(types), types->n);
	buf_add(&all, buf_str(&g->code), g->code.n);
	expand(&all, out, true);
	buf_str_add(out, "\n#pragma pack(pop)\n");
	buf_release(&all);
}

/* marks: how many names were left for the link. */
static enum rc transform_functions(struct gen *g, struct csource *cs, struct edit *edits, size_t *n, size_t *marks,
				   struct err *e)
{
	for (const struct pred *p = g->set->preds; p; p = p->next) {
		struct cfunction f;
		if (!first_of_function(g->set, p))
			continue;
		if (!csource_function(cs, p->function, &f)) {
			if (!csource_mentions(cs, p->function))
				return annot_fail(e, p->at, "unknown function '%s'", p->function);
			f = (struct cfunction){0};
		}
		struct buf real = {0};
		buf_printf(&real, "rf_real_%s", p->function);
		enum rc rc = RC_OK;
		bool here = f.defined || f.old_style;
		if (here || !p->side)
			leave_mark(&g->code, p, here, (*marks)++);
		if (here) {
			rc = gen_wrapper(g, p->function, &f, buf_str(&real), p->function);
			rename_definition(p->function, &f, &edits[*n], &edits[*n + 1]);
			*n += 2;
		}
		buf_release(&real);
		if (rc != RC_OK)
			return rc;
	}
	return RC_OK;
}

enum rc contracts_transform(const struct transform_input *in, struct buf *out, bool *changed, struct err *e)
{
	struct annot_set set;
	struct buf types = {0};
	struct csource cs = {0};
	struct gen g;
	*changed = false;
	annot_init(&set);
	gen_init(&g, &set, e);
	enum rc rc = csource_read(&cs, buf_str(in->text), in->text->n, in->name, &set, e);
	if (rc == RC_OK)
		rc = read_side(in->side, &set, e);
	g.files = &cs;
	g.n_files = 1;
	g.exported = g.weak = true;
	if (rc == RC_OK)
		rc = annot_resolve(&set, &(struct members){is_member, &g, true}, e);
	if (rc == RC_OK)
		drop_others(&set, &in->name, 1);
	size_t n_preds = 0, n = 0, marks = 0;
	for (const struct pred *p = set.preds; p; p = p->next)
		n_preds++;
	/* a side file is about the whole program: predicates whose functions are not in this file are skipped */
	for (struct pred **p = &set.preds; *p;) {
		if (!(*p)->side || (*p)->unit || csource_mentions(&cs, (*p)->function))
			p = &(*p)->next;
		else
			*p = (*p)->next;
	}
	struct edit *edits = mem_zalloc((n_preds * 2 + 1) * sizeof *edits);
	if (rc == RC_OK)
		rc = transform_functions(&g, &cs, edits, &n, &marks, e);
	if (rc == RC_OK)
		rc = compile_types(&g, &cs);
	if (rc == RC_OK && (marks || g.instances.n)) {
		struct buf checkers = {0};
		rc = gen_types(&g, &checkers);
		if (rc == RC_OK && in->macros)
			rc = macros_declare(&g, in->macros, &types, e);
		buf_add(&types, buf_str(&checkers), checkers.n);
		buf_release(&checkers);
		if (rc == RC_OK) {
			transform_out(in->text, edits, n, &g, &types, out);
			*changed = true;
		}
	}
	release_edits(edits, n);
	free(edits);
	buf_release(&types);
	csource_release(&cs);
	gen_release(&g);
	annot_release(&set);
	return rc;
}

/* ---- C++ */

enum rc contracts_refuse_cxx(const struct buf *text, const char *name, struct err *e)
{
	struct annot_set set;
	struct csource cs = {0};
	annot_init(&set);
	enum rc rc = csource_read(&cs, buf_str(text), text->n, name, &set, e);
	static const char why[] = "contracts are checked in C, not in C++: move %s '%s' to a C file";
	for (const struct regtype *r = set.regtypes; r && rc == RC_OK; r = r->next)
		if (strcmp(r->at.file, name) == 0)
			rc = annot_fail(e, r->at, why, "the type", r->name);
	for (const struct pred *p = set.preds; p && rc == RC_OK; p = p->next) {
		struct cfunction f;
		/* a header's are about functions of C files, unless this file defines one of them */
		if (strcmp(p->at.file, name) == 0 || (csource_function(&cs, p->function, &f) && f.defined))
			rc = annot_fail(e, p->at, why, "the predicate on", p->function);
	}
	csource_release(&cs);
	annot_release(&set);
	return rc;
}
