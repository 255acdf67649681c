/* SPDX-License-Identifier: MIT */
/* The function that an address lies in, from the symbol table of the file (.symtab, which has static functions too,
 * else .dynsym). Read when a violation is reported: the file is mapped, nothing is allocated; an inconsistent
 * file means "not known". */
#include "runtime/check/inside/rt.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const char *at;
	size_t n;
};

/* count elements of size bytes from off on, or NULL */
static const void *part(const struct image *f, uint64_t off, uint64_t count, uint64_t size)
{
	bool fits = off <= f->n && size && count <= (f->n - off) / size && off % 8 == 0;
	return fits ? f->at + off : NULL;
}

/* The symbol of one table that starts last before a. */
static void search(const struct image *f, const ElfW(Shdr) * table, const ElfW(Shdr) * strings, uintptr_t a,
		   const char **name, uintptr_t *start)
{
	uint64_t n = table->sh_size / sizeof(ElfW(Sym));
	const ElfW(Sym) *s = part(f, table->sh_offset, n, sizeof *s);
	bool fits = strings->sh_offset <= f->n && strings->sh_size <= f->n - strings->sh_offset && strings->sh_size;
	const char *text = fits ? f->at + strings->sh_offset : NULL;
	if (!s || !text || text[strings->sh_size - 1])
		return;
	for (uint64_t i = 0; i < n; i++)
		if (ELF64_ST_TYPE(s[i].st_info) == STT_FUNC && s[i].st_shndx != SHN_UNDEF && s[i].st_value <= a &&
		    a - s[i].st_value < s[i].st_size && s[i].st_value >= *start && s[i].st_name < strings->sh_size &&
		    strncmp(text + s[i].st_name, "__rf_has_", 9) != 0) { /* an alias, see runtime/plugin */
			*start = s[i].st_value;
			*name = text + s[i].st_name;
		}
}

static bool find(const struct image *f, uintptr_t a, uintptr_t base, char *out, size_t size)
{
	const ElfW(Ehdr) *h = part(f, 0, 1, sizeof *h);
	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	const ElfW(Shdr) *s = part(f, h->e_shoff, h->e_shnum, sizeof *s);
	const char *name = NULL;
	uintptr_t start = 0;
	/* an executable at a fixed address has its addresses in the file as they are in memory */
	a -= h->e_type == ET_DYN ? base : 0;
	for (unsigned i = 0; s && i < h->e_shnum; i++)
		if ((s[i].sh_type == SHT_SYMTAB || (s[i].sh_type == SHT_DYNSYM && !name)) && s[i].sh_link < h->e_shnum)
			search(f, &s[i], &s[s[i].sh_link], a, &name, &start);
	if (name && *name)
		snprintf(out, size, "%.200s+0x%lx", name, (unsigned long)(a - start));
	return name && *name;
}

bool rt_symbol(const char *object, uintptr_t a, uintptr_t base, char *out, size_t size)
{
	struct stat st;
	int fd = open(object, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool found = false;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		struct image f = {mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0), (size_t)st.st_size};
		if (f.at != MAP_FAILED) {
			found = find(&f, a, base, out, size);
			munmap((void *)(uintptr_t)f.at, f.n);
		}
	}
	close(fd);
	return found;
}
