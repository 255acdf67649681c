/* SPDX-License-Identifier: MIT */
/* See cc_objects.h. The plugins leave a section .refrain in each object, or a name in LLVM's bitcode. Objects are read
 * twice: first for the functions that instrumented ones define, then for what the others refer to. A file that cannot
 * be understood is left to the linker, which will say what is wrong with it. */
#include "check/cc_objects.h"

#include "data/buf.h"

#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OBJECT = 1 << 30 };
enum kind { NO_CODE, INSTRUMENTED, PLAIN, PLAIN_OPAQUE /* bitcode: what it refers to is not known */ };

struct image {
	const char *at;
	size_t n;
	bool lto;
};

struct scan {
	struct strings functions; /* of instrumented objects; names in `owned` */
	struct strings owned;
	bool collect; /* the first reading */
	bool calls_in;
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

static enum kind kind_of(const struct image *f)
{
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s;
	if (f->n > 4 && memcmp(f->at, "BC\xc0\xde", 4) == 0)
		return has_text(f, "__rf_barrier_mark") ? INSTRUMENTED : PLAIN_OPAQUE;
	s = sections(f, &h);
	if (!s || has_text(f, ".refrain") || (f->lto && has_text(f, ".gnu.lto_")))
		return s ? INSTRUMENTED : NO_CODE;
	for (unsigned i = 0; i < h->e_shnum; i++)
		if ((s[i].sh_flags & SHF_EXECINSTR) && s[i].sh_size)
			return PLAIN;
	return NO_CODE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
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
	}
}

static void symbols(struct scan *k, const struct image *f, bool instrumented)
{
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s = sections(f, &h);
	for (unsigned i = 0; s && i < h->e_shnum; i++) {
		if (s[i].sh_type != SHT_SYMTAB || s[i].sh_link >= h->e_shnum)
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

static void object(struct scan *k, const struct image *f, const char *name, size_t n)
{
	enum kind kind = kind_of(f);
	if (kind == NO_CODE)
		return;
	symbols(k, f, kind == INSTRUMENTED);
	if (k->collect || kind == INSTRUMENTED)
		return;
	k->calls_in |= kind == PLAIN_OPAQUE;
	if (!k->plain++)
		snprintf(k->first, sizeof k->first, "%.*s", (int)(n < 60 ? n : 60), name);
}

static void archive(struct scan *k, const struct image *f)
{
	for (size_t at = SARMAG; at + sizeof(struct ar_hdr) <= f->n;) {
		const struct ar_hdr *h = (const void *)(f->at + at);
		size_t size = (size_t)strtoul(h->ar_size, NULL, 10), from = at + sizeof *h;
		if (from + size > f->n || size > MAX_OBJECT)
			return;
		/* a copy: members start at even places only, and ELF's structures are read in place */
		bool index = h->ar_name[0] == '/' && (h->ar_name[1] == ' ' || h->ar_name[1] == '/');
		if (!index) {
			char *copy = mem_strndup(f->at + from, size);
			struct image member = {copy, size, f->lto};
			object(k, &member, h->ar_name, strcspn(h->ar_name, "/ "));
			free(copy);
		}
		at = from + size + (size & 1);
	}
}

static void file(struct scan *k, const char *path, bool lto, struct strings *warnings)
{
	struct buf text = {0};
	struct err e = ERR_INIT;
	k->plain = 0;
	if (buf_read_file(&text, path, MAX_OBJECT, &e) == RC_OK) {
		struct image f = {buf_str(&text), text.n, lto};
		bool is_archive = f.n > SARMAG && memcmp(f.at, ARMAG, SARMAG) == 0;
		bool before = k->calls_in;
		k->calls_in = false;
		if (is_archive)
			archive(k, &f);
		else
			object(k, &f, path, strlen(path));
		if (!k->collect && k->plain)
			vec_push(warnings,
				 mem_printf("'%s'%s%s%s was not compiled by refrain-cc%s", path, is_archive ? " (" : "",
					    is_archive ? k->first : "", is_archive ? ")" : "",
					    k->calls_in
						    ? " and calls code that was: every check will walk its data in full"
						    : ": a call to it makes the next check walk its data in full"));
		k->calls_in |= before;
	}
	buf_release(&text);
}

bool cc_objects_mixed(const struct strings *files, bool lto, struct strings *warnings)
{
	struct scan k = {.collect = true};
	for (size_t i = 0; i < files->n; i++)
		file(&k, files->at[i], lto, warnings);
	if (k.functions.n)
		qsort(k.functions.at, k.functions.n, sizeof *k.functions.at, by_name);
	k.collect = false;
	for (size_t i = 0; i < files->n; i++)
		file(&k, files->at[i], lto, warnings);
	for (size_t i = 0; i < k.owned.n; i++)
		free((char *)(uintptr_t)k.owned.at[i]);
	vec_release_all(&k.owned, &k.functions);
	return k.calls_in;
}
