/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap of a static program: nothing is loaded beside it that could stand in for malloc, so its own allocator is
 * watched, by name. What it does inside is hidden from the calls around it; when it returns, the block it gave out is
 * entered into blocks.c and made zero like any other, and what it takes back is removed. An allocator that calls
 * another one counts once. */
#include "sets.h"

#include "pub_tool_clientstate.h"

Bool heap_by_name;

enum heap_call { HEAP_NONE, HEAP_MALLOC, HEAP_CALLOC, HEAP_REALLOC, HEAP_ALIGNED, HEAP_POSIX, HEAP_FREE };

/* A program without an interpreter is static: nothing is loaded beside it. */
void heap_find(void)
{
	Elf64_Ehdr e;
	Elf64_Phdr p[MAX_HEADERS];
	if (!tls_headers(VG_(args_the_exename), &e, p) || VG_(memcmp)(e.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	heap_by_name = True;
	for (UInt i = 0; i < e.e_phnum; i++)
		heap_by_name &= p[i].p_type != PT_INTERP;
}

struct chosen *heap_function(const HChar *name)
{
	static const struct {
		const HChar *name;
		enum heap_call call;
	} rows[] = {
		{"malloc", HEAP_MALLOC},
		{"calloc", HEAP_CALLOC},
		{"realloc", HEAP_REALLOC},
		{"memalign", HEAP_ALIGNED},
		{"aligned_alloc", HEAP_ALIGNED},
		{"posix_memalign", HEAP_POSIX},
		{"free", HEAP_FREE},
		{"cfree", HEAP_FREE},
	};
	static struct chosen hook[sizeof rows / sizeof *rows];
	if (!heap_by_name)
		return NULL;
	if (VG_(strncmp)(name, "__libc_", 7) == 0)
		name += 7;
	else if (VG_(strncmp)(name, "__", 2) == 0)
		name += 2;
	for (UInt i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].call && VG_STREQ(name, rows[i].name)) {
			hook[i].hook = rows[i].call;
			return &hook[i];
		}
	return NULL;
}

static Bool is_inner(const struct thread *t, UInt below)
{
	const struct fn *fn = below ? t->frame[below - 1].fn : NULL;
	return fn && ((const struct chosen *)fn->more)->hook;
}

void heap_opened(struct thread *t, const struct chosen *c, struct log *log, const VexGuestAMD64State *guest)
{
	log->word[0] = guest->guest_RDI;
	log->word[1] = guest->guest_RSI;
	log->word[2] = guest->guest_RDX;
	if (is_inner(t, t->n - 1))
		return;
	if (c->hook == HEAP_FREE)
		block_remove((Addr)log->word[0]);
	/* the copy is the caller's doing: what it reads is read */
	UInt old = c->hook == HEAP_REALLOC && log->word[0] ? block_at((Addr)log->word[0]) : 0;
	if (old && block_get(old)->start == log->word[0])
		sets_caller_reads(t, block_get(old)->start, block_get(old)->size);
}

void heap_closed(const struct thread *t, const struct chosen *c, const struct log *log, const VexGuestAMD64State *guest)
{
	if (!guest || c->hook == HEAP_FREE || is_inner(t, t->n))
		return;
	Addr p = guest->guest_RAX;
	SizeT size = log->word[0], kept = 0;
	switch (c->hook) {
	case HEAP_CALLOC:
		size *= log->word[1];
		break;
	case HEAP_ALIGNED:
		size = log->word[1];
		break;
	case HEAP_POSIX:
		if (p)
			return;
		p = *(const Addr *)log->word[0];
		size = log->word[2];
		break;
	case HEAP_REALLOC: {
		Addr old = log->word[0];
		UInt id = old ? block_at(old) : 0;
		kept = id ? block_get(id)->size : 0;
		size = log->word[1];
		if (p || !size)
			block_remove(old);
		break;
	}
	default:
		break;
	}
	if (!p)
		return;
	if (kept < size)
		block_zero(p + kept, size - kept);
	block_add(p, size);
}
