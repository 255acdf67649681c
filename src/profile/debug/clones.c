/* SPDX-License-Identifier: MIT */
/* Reading the symbol table for names of clones. */
#include "profile/debug/clones.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

static bool is_clone(const char *name)
{
	static const char *const mark[] = {".isra", ".constprop", ".part"};
	for (size_t i = 0; name && i < ARRAY_LEN(mark); i++)
		if (strstr(name, mark[i]))
			return true;
	return false;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void read_section(struct clones *c, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? (size_t)(header->sh_size / header->sh_entsize) : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    is_clone(elf_strptr(elf, header->sh_link, symbol.st_name)))
			vec_push(&c->entry, symbol.st_value);
	}
	c->known = n > 0;
}

void clones_read(struct clones *c, Elf *elf)
{
	*c = (struct clones){0};
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			read_section(c, elf, section, &header);
	}
	if (c->entry.n)
		qsort(c->entry.at, c->entry.n, sizeof *c->entry.at, by_value);
}

bool clones_has(const struct clones *c, uint64_t entry, bool unknown)
{
	if (!c->known)
		return unknown;
	return c->entry.n && bsearch(&entry, c->entry.at, c->entry.n, sizeof entry, by_value);
}

void clones_release(struct clones *c)
{
	vec_release(&c->entry);
}
