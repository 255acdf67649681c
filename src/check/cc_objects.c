/* SPDX-License-Identifier: MIT */
/* See cc_objects.h. The plugins leave a section .refrain in each object, or a name in LLVM's bitcode. Objects are read
 * twice: first for the functions that instrumented ones define, then for what the others refer to. Marks of contracts
 * are looked for as text: they stand as they are in ELF's tables of names, in gcc's intermediate code and in LLVM's. A
 * file that cannot be understood is left to the linker, which will say what is wrong with it. */
#include "check/cc_objects.h"

#include "data/buf.h"
#include "runtime/check/inside/calls.h"

#include <ar.h>
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OBJECT = 1 << 30 };
enum kind { NO_CODE, INSTRUMENTED, PLAIN, PLAIN_OPAQUE /* bitcode, or a mixture: what it refers to is not known */ };

struct image {
	const char *at;
	size_t n;
	bool lto;
};

struct scan {
	struct strings functions;         /* of instrumented objects; names in `owned` */
	struct strings checked, promised; /* the texts of marks, likewise */
	struct strings owned;
	bool collect; /* the first reading */
	bool calls_in;
	bool later;   /* an object without the barrier starts threads, or sets handlers */
	bool known;   /* it defines a function by the name of one of the C library that is known to write to little */
	bool library; /* the file is a shared library: what it starts is taken for its own affair */
	size_t plain;
	char first[64]; /* the first object without the barrier, in an archive */
};

static const void *part(const struct image *f, uint64_t off, uint64_t count, uint64_t size)
{
	return off <= f->n && count <= (f->n - off) / size ? f->at + off : NULL;
}

static bool has_text(const struct image *f, const char *text)
{
	return memmem(f->at, f->n, text, strlen(text)) != NULL;
}

static const Elf64_Shdr *sections(const struct image *f, const Elf64_Ehdr **h)
{
	*h = part(f, 0, 1, sizeof **h);
	if (!*h || memcmp((*h)->e_ident, ELFMAG, SELFMAG) != 0 || (*h)->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	return part(f, (*h)->e_shoff, (*h)->e_shnum, sizeof(Elf64_Shdr));
}

/* Has `ld -r` put units with the barrier and units without it into one object? The plugin leaves a byte for each
 * unit, the assembler a symbol. */
static bool is_half(const struct image *f, const Elf64_Ehdr *h, const Elf64_Shdr *s)
{
	const char *names =
		h->e_shstrndx < h->e_shnum ? part(f, s[h->e_shstrndx].sh_offset, s[h->e_shstrndx].sh_size, 1) : NULL;
	uint64_t marked = 0, units = 0;
	for (unsigned i = 0; names && i < h->e_shnum; i++) {
		const Elf64_Sym *sym = NULL;
		uint64_t n = s[i].sh_size / sizeof *sym, room = s[h->e_shstrndx].sh_size;
		if (s[i].sh_name < room && strncmp(names + s[i].sh_name, ".refrain", room - s[i].sh_name) == 0)
			marked += s[i].sh_size;
		if (s[i].sh_type == SHT_SYMTAB)
			sym = part(f, s[i].sh_offset, n, sizeof *sym);
		for (uint64_t j = 0; sym && j < n; j++)
			units += ELF64_ST_TYPE(sym[j].st_info) == STT_FILE && sym[j].st_name;
	}
	return h->e_type == ET_REL && units > marked;
}

static enum kind kind_of(const struct image *f)
{
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s;
	if (f->n > 4 && memcmp(f->at, "BC\xc0\xde", 4) == 0)
		return has_text(f, "__rf_barrier_mark") ? INSTRUMENTED : PLAIN_OPAQUE;
	s = sections(f, &h);
	if (!s || (f->lto && has_text(f, ".gnu.lto_")))
		return s ? INSTRUMENTED : NO_CODE;
	if (has_text(f, ".refrain"))
		return is_half(f, h, s) ? PLAIN_OPAQUE : INSTRUMENTED;
	for (unsigned i = 0; i < h->e_shnum; i++)
		if ((s[i].sh_flags & SHF_EXECINSTR) && s[i].sh_size)
			return PLAIN;
	return NO_CODE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Code that gets itself called again, nobody sees when, or hands memory over that is written to later. */
static bool is_called_later(const char *name)
{
	static const char start_thread[] = "_ZNSt6thread15_M_start_thread"; /* of std::thread; what it takes follows */
	/* seen where they are called, or of no consequence but for text */
	static const char *const harmless[] = {"atexit", "putenv"};
	const char *how = known_call(name);
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strcmp(name, harmless[i]) == 0)
			return false;
	return (how && strpbrk(how, "abkuhseF")) || strncmp(name, start_thread, sizeof start_thread - 1) == 0;
}

/* A function that instrumented code calls without a second thought. Allocators are looked at elsewhere, and a
 * function that may write to anything takes the place of no known one. */
static bool is_known(const char *name)
{
	static const char *const allocators[] = {
		"malloc",        "calloc",         "realloc",      "free",      "memalign",     "valloc",
		"aligned_alloc", "posix_memalign", "reallocarray", "pvalloc",   "cfree",        "malloc_usable_size",
		"malloc_trim",   "mallopt",        "mallinfo",     "mallinfo2", "malloc_stats", "malloc_info"};
	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
		if (strcmp(name, allocators[i]) == 0)
			return false;
	return strncmp(name, "_Z", 2) != 0 && strncmp(name, "rf_", 3) != 0 && known_call(name) != NULL;
}

static void symbol(struct scan *k, const Elf64_Sym *s, const char *name, bool instrumented)
{
	if (ELF64_ST_BIND(s->st_info) == STB_LOCAL || !*name)
		return;
	bool here = s->st_shndx != SHN_UNDEF;
	if (k->collect) {
		if (instrumented && here && ELF64_ST_TYPE(s->st_info) == STT_FUNC) {
			char *copy = mem_printf("%s", name);
			vec_push(&k->owned, copy);
			vec_push(&k->functions, copy);
		}
	} else if (!instrumented && (here ? strcmp(name, "main") == 0
					  : k->functions.n && bsearch(&name, k->functions.at, k->functions.n,
								      sizeof name, by_name) != NULL)) {
		k->calls_in = true;
	} else if (!instrumented && !here && !k->library && is_called_later(name)) {
		k->calls_in = k->later = true;
	} else if (!instrumented && here && ELF64_ST_TYPE(s->st_info) == STT_FUNC && is_known(name)) {
		k->calls_in = k->known = true;
	}
}

static void symbols(struct scan *k, const struct image *f, bool instrumented)
{
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s = sections(f, &h);
	k->library = s && h->e_type == ET_DYN;
	for (unsigned i = 0; s && i < h->e_shnum; i++) {
		/* a shared library's calls are in its dynamic table, which is always there */
		if (s[i].sh_type != (h->e_type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB) || s[i].sh_link >= h->e_shnum)
			continue;
		const Elf64_Shdr *names = &s[s[i].sh_link];
		uint64_t n = s[i].sh_size / sizeof(Elf64_Sym);
		const Elf64_Sym *sym = part(f, s[i].sh_offset, n, sizeof *sym);
		const char *text = part(f, names->sh_offset, names->sh_size, 1);
		if (!sym || !text || !names->sh_size || text[names->sh_size - 1])
			continue;
		for (uint64_t j = 0; j < n; j++)
			if (sym[j].st_name < names->sh_size)
				symbol(k, &sym[j], text + sym[j].st_name, instrumented);
	}
}

/* Their texts without the last MARK_END. parts: how many of those there are. */
static void marks(struct scan *k, const struct image *f, const char *prefix, unsigned parts, struct strings *out)
{
	size_t m = strlen(prefix), e = strlen(MARK_END);
	for (const char *p = f->at, *end = f->at + f->n; (p = memmem(p, (size_t)(end - p), prefix, m)); p += m) {
		const char *to = p + m;
		for (unsigned i = 0; i < parts && to; i++)
			to = memmem(to + (i ? e : 0), (size_t)(end - to) - (i ? e : 0), MARK_END, e);
		if (!to)
			return;
		char *name = mem_strndup(p + m, (size_t)(to - p) - m);
		vec_push(&k->owned, name);
		vec_push(out, name);
	}
}

static void object(struct scan *k, const struct image *f, const char *name, size_t n)
{
	enum kind kind = kind_of(f);
	if (kind == NO_CODE)
		return;
	symbols(k, f, kind == INSTRUMENTED);
	if (k->collect && kind == INSTRUMENTED) {
		marks(k, f, MARK_CHECKED, 1, &k->checked);
		marks(k, f, MARK_PROMISED, 2, &k->promised);
	}
	if (k->collect || kind == INSTRUMENTED)
		return;
	k->calls_in |= kind == PLAIN_OPAQUE;
	if (!k->plain++)
		snprintf(k->first, sizeof k->first, "%.*s", (int)(n < 60 ? n : 60), name);
}

/* The name of an archive's member, in place or in the table of long names; it ends before a slash or a blank. */
static const char *member_name(const struct ar_hdr *h, const char *names, size_t n_names, size_t *n)
{
	const char *name = h->ar_name;
	size_t room = sizeof h->ar_name, at = 0;
	if (name[0] == '/' && isdigit((unsigned char)name[1])) {
		at = (size_t)strtoul(name + 1, NULL, 10);
		room = at < n_names ? n_names - at : 0;
		name = names + at;
		const char *end = room ? memmem(name, room, "/\n", 2) : NULL; /* a path has slashes of its own */
		*n = end ? (size_t)(end - name) : room;
		return name;
	}
	const char *end = memchr(name, '/', room);
	*n = end ? (size_t)(end - name) : room;
	while (*n && name[*n - 1] == ' ')
		--*n;
	return name;
}

/* A member of a thin archive is a file of its own, named from the archive's folder. */
static void thin_member(struct scan *k, const char *path, const char *name, size_t n, bool lto)
{
	const char *slash = strrchr(path, '/');
	int folder = name[0] == '/' || !slash ? 0 : (int)(slash - path) + 1;
	char *file = mem_printf("%.*s%.*s", folder, path, (int)n, name);
	struct buf text = {0};
	struct err quiet = ERR_INIT;
	if (buf_read_file(&text, file, MAX_OBJECT, &quiet) == RC_OK) {
		struct image f = {buf_str(&text), text.n, lto};
		object(k, &f, name, n);
	}
	buf_release(&text);
	free(file);
}

static void archive(struct scan *k, const struct image *f, const char *path, bool thin)
{
	const char *names = "";
	size_t n_names = 0;
	for (size_t at = SARMAG; at + sizeof(struct ar_hdr) <= f->n;) {
		const struct ar_hdr *h = (const void *)(f->at + at);
		size_t size = (size_t)strtoul(h->ar_size, NULL, 10), from = at + sizeof *h, n;
		bool table = h->ar_name[0] == '/' && h->ar_name[1] == '/',
		     index = h->ar_name[0] == '/' && (h->ar_name[1] == ' ' || strncmp(h->ar_name, "/SYM64/", 7) == 0);
		size_t here = thin && !table && !index ? 0 : size;
		if (here > f->n - from || size > MAX_OBJECT)
			return;
		if (table) {
			names = f->at + from;
			n_names = size;
		} else if (!index) {
			const char *name = member_name(h, names, n_names, &n);
			if (thin) {
				thin_member(k, path, name, n, f->lto);
			} else {
				/* a copy: members start at even places only, and ELF's structures are read in place */
				char *copy = mem_strndup(f->at + from, size);
				struct image member = {copy, size, f->lto};
				object(k, &member, name, n);
				free(copy);
			}
		}
		at = from + here + (here & 1);
	}
}

/* A source of another language, which the compiler compiles at the link, or a script of the linker's. */
static bool is_source(const struct image *f)
{
	static const char wrapped[] = "\xde\xc0\x17\x0b"; /* LLVM's other form of bitcode */
	return f->n > 4 && memcmp(f->at, ELFMAG, SELFMAG) != 0 && memcmp(f->at, "BC\xc0\xde", 4) != 0 &&
	       (!memchr(f->at, '\0', f->n) || memcmp(f->at, wrapped, 4) == 0);
}

static void opaque(struct scan *k, const char *path)
{
	if (k->collect)
		return;
	k->calls_in = true;
	k->plain = 1;
	snprintf(k->first, sizeof k->first, "%.60s", path);
}

static const char *consequence(const struct scan *k)
{
	if (k->later)
		return " and starts threads, sets handlers or hands memory over: every check will walk its data in "
		       "full";
	if (k->known)
		return " and defines a function of the C library's name: every check will walk its data in full";
	return k->calls_in ? " and calls code that was: every check will walk its data in full"
			   : ": a call to it makes the next check walk its data in full";
}

static void file(struct scan *k, const char *path, bool lto, struct strings *warnings)
{
	struct buf text = {0};
	struct err e = ERR_INIT;
	k->plain = 0;
	if (buf_read_file(&text, path, MAX_OBJECT, &e) == RC_OK) {
		struct image f = {buf_str(&text), text.n, lto};
		bool thin = f.n > SARMAG && memcmp(f.at, "!<thin>\n", SARMAG) == 0;
		bool is_archive = thin || (f.n > SARMAG && memcmp(f.at, ARMAG, SARMAG) == 0);
		bool before = k->calls_in;
		k->calls_in = k->later = k->known = false;
		if (!is_archive && is_source(&f))
			opaque(k, path);
		else if (is_archive)
			archive(k, &f, path, thin);
		else
			object(k, &f, path, strlen(path));
		if (!k->collect && k->plain)
			vec_push(warnings,
				 mem_printf("'%s'%s%s%s was not compiled by refrain-cc%s", path, is_archive ? " (" : "",
					    is_archive ? k->first : "", is_archive ? ")" : "", consequence(k)));
		k->calls_in |= before;
	}
	buf_release(&text);
}

static bool is_checked(const struct scan *k, const char *name)
{
	return k->checked.n && bsearch(&name, k->checked.at, k->checked.n, sizeof name, by_name) != NULL;
}

static void warn_unchecked(struct strings *warnings, const char *place, const char *name)
{
	vec_push(warnings,
		 mem_printf("%s: the contract of '%s' is not checked: no file of this link that was compiled with it "
			    "defines the function",
			    place, name));
}

/* Of each promised contract that is checked nowhere, once. */
static void unchecked(struct scan *k, const struct strings *promised, struct strings *warnings)
{
	for (size_t i = 0; i + 1 < promised->n; i += 2)
		if (!is_checked(k, promised->at[i + 1]))
			warn_unchecked(warnings, promised->at[i], promised->at[i + 1]);
	for (size_t i = 0; i < k->promised.n; i++) {
		const char *mark = k->promised.at[i], *place = strstr(mark, MARK_END);
		if (!place || (i && strcmp(mark, k->promised.at[i - 1]) == 0))
			continue;
		char *name = mem_strndup(mark, (size_t)(place - mark));
		struct buf where = {0};
		for (const char *p = place + strlen(MARK_END); *p; p++) {
			unsigned code;
			if (*p == '.' && p[1] && p[2] && sscanf(p + 1, "%2x", &code) == 1) {
				buf_char(&where, (char)code);
				p += 2;
			} else {
				buf_char(&where, *p);
			}
		}
		if (!is_checked(k, name))
			warn_unchecked(warnings, buf_str(&where), name);
		buf_release(&where);
		free(name);
	}
}

static void sort(struct strings *v)
{
	if (v->n)
		qsort(v->at, v->n, sizeof *v->at, by_name);
}

bool cc_objects_mixed(const struct strings *files, bool lto, const struct strings *promised, struct strings *warnings)
{
	struct scan k = {.collect = true};
	for (size_t i = 0; i < files->n; i++)
		file(&k, files->at[i], lto, warnings);
	sort(&k.functions);
	sort(&k.checked);
	sort(&k.promised);
	k.collect = false;
	for (size_t i = 0; i < files->n; i++)
		file(&k, files->at[i], lto, warnings);
	if (promised)
		unchecked(&k, promised, warnings);
	for (size_t i = 0; i < k.owned.n; i++)
		free((char *)(uintptr_t)k.owned.at[i]);
	vec_release_all(&k.owned, &k.functions, &k.checked, &k.promised);
	return k.calls_in;
}
