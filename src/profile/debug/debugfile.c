/* SPDX-License-Identifier: MIT */
/* Finding debug information: the file itself first, then its build id, then its debug link. A file found by its
 * link counts
 * only if its build id is the same, when both have one. */
#include "profile/debug/debugfile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char debug_folder[] = "/usr/lib/debug";

static Dwarf *open_file(const char *path, int *fd)
{
	Dwarf_Off next;
	size_t header;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return NULL;
	Dwarf *dw = dwarf_begin(*fd, DWARF_C_READ);
	if (dw && dwarf_nextcu(dw, 0, &next, &header, NULL, NULL, NULL) == 0)
		return dw;
	if (dw)
		dwarf_end(dw);
	close(*fd);
	return NULL;
}

static bool same_build(Elf *a, Elf *b)
{
	const void *x, *y;
	ssize_t n = dwelf_elf_gnu_build_id(a, &x), m = dwelf_elf_gnu_build_id(b, &y);
	return n <= 0 || m <= 0 || (n == m && memcmp(x, y, (size_t)n) == 0);
}

static Dwarf *try_file(Elf *elf, const char *path, int *fd)
{
	Dwarf *dw = open_file(path, fd);
	if (dw && !same_build(elf, dwarf_getelf(dw))) {
		debugfile_close(dw, *fd);
		return NULL;
	}
	return dw;
}

static Dwarf *by_build_id(Elf *elf, int *fd)
{
	const unsigned char *id;
	const void *p;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &p);
	char hex[2 * 64 + 1], path[PATH_MAX];
	if (n < 2 || n > 64)
		return NULL;
	id = p;
	for (ssize_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", debug_folder, hex, hex + 2);
	Dwarf *dw = try_file(elf, path, fd);
	const char *home = getenv("HOME"), *cache = getenv("DEBUGINFOD_CACHE_PATH");
	if (!dw && cache) {
		snprintf(path, sizeof path, "%s/%s/debuginfo", cache, hex);
		dw = try_file(elf, path, fd);
	}
	if (!dw && home) {
		snprintf(path, sizeof path, "%s/.cache/debuginfod_client/%s/debuginfo", home, hex);
		dw = try_file(elf, path, fd);
	}
	return dw;
}

static Dwarf *by_link(Elf *elf, const char *object, int *fd)
{
	GElf_Word checksum;
	const char *name = dwelf_elf_gnu_debuglink(elf, &checksum), *slash = strrchr(object, '/');
	int n = slash ? (int)(slash - object) : 1;
	const char *folder = slash ? object : ".";
	char path[PATH_MAX];
	if (!name)
		return NULL;
	snprintf(path, sizeof path, "%.*s/%s", n, folder, name);
	Dwarf *dw = strcmp(path, object) == 0 ? NULL : try_file(elf, path, fd);
	if (!dw) {
		snprintf(path, sizeof path, "%.*s/.debug/%s", n, folder, name);
		dw = try_file(elf, path, fd);
	}
	if (!dw) {
		snprintf(path, sizeof path, "%s%.*s/%s", debug_folder, n, folder, name);
		dw = try_file(elf, path, fd);
	}
	return dw;
}

Dwarf *debugfile_open(const char *path, int *fd)
{
	Dwarf *dw = open_file(path, fd);
	if (dw)
		return dw;
	int object = open(path, O_RDONLY | O_CLOEXEC);
	if (object < 0)
		return NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(object, ELF_C_READ, NULL);
	if (elf) {
		dw = by_build_id(elf, fd);
		if (!dw)
			dw = by_link(elf, path, fd);
		elf_end(elf);
	}
	close(object);
	return dw;
}

void debugfile_close(Dwarf *dw, int fd)
{
	dwarf_end(dw);
	close(fd);
}
