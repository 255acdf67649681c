/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread-local variables are the program's. The loader puts those of the program itself directly below the thread
 * pointer, as many bytes as its PT_TLS segment says, and those of libraries, libc's among them, below that or where
 * the thread's vector (behind the thread pointer's second word) leads. Which library's they are cannot be told: with
 * one that has any, besides those that come with the compiler, nothing down there is taken for libc's. */
#include "sets.h"

enum { FAR_BELOW = 1 << 16 };

static ULong own_bytes; /* of the program's own, as laid out below the thread pointer */
static Bool others;     /* a library has some too */

Bool tls_headers(const HChar *path, Elf64_Ehdr *e, Elf64_Phdr *p)
{
	Int fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
	if (fd < 0)
		return False;
	Bool ok = VG_(read)(fd, e, sizeof *e) == sizeof *e && e->e_phnum <= MAX_HEADERS &&
		  e->e_phentsize == sizeof *p && VG_(lseek)(fd, (OffT)e->e_phoff, VKI_SEEK_SET) == (OffT)e->e_phoff;
	Int bytes = ok ? (Int)(e->e_phnum * sizeof *p) : 0;
	ok = ok && VG_(read)(fd, p, bytes) == bytes;
	VG_(close)(fd);
	return ok;
}

static void add_object(const HChar *path)
{
	Elf64_Ehdr e;
	Elf64_Phdr p[MAX_HEADERS];
	const Elf64_Phdr *tls = NULL;
	if (!tls_headers(path, &e, p))
		return;
	Bool program = e.e_type == ET_EXEC;
	for (UInt i = 0; i < e.e_phnum; i++) {
		program |= p[i].p_type == PT_INTERP;
		if (p[i].p_type == PT_TLS && p[i].p_memsz)
			tls = &p[i];
	}
	if (!tls)
		return;
	ULong align = tls->p_align ? tls->p_align : 1;
	if (program && !own_bytes && tls->p_vaddr % align == 0)
		own_bytes = (tls->p_memsz + align - 1) / align * align;
	else
		others = True;
}

/* Again whenever an object was loaded. */
static void read_objects(void)
{
	static UInt epoch;
	if (epoch == VG_(current_DiEpoch)().n)
		return;
	epoch = VG_(current_DiEpoch)().n;
	own_bytes = 0;
	others = False;
	for (const DebugInfo *d = VG_(next_DebugInfo)(NULL); d; d = VG_(next_DebugInfo)(d))
		if (!object_is_system(VG_(DebugInfo_get_filename)(d)))
			add_object(VG_(DebugInfo_get_filename)(d));
}

static Addr thread_pointer(void)
{
	Addr pointer = 0;
	if (running)
		VG_(get_shadow_regs_area)
	(running->tid, (UChar *)&pointer, 0, offsetof(VexGuestAMD64State, guest_FS_CONST), 8);
	return pointer;
}

ULong tls_own(Addr *low)
{
	read_objects();
	if (!own_bytes)
		return 0;
	Addr end = thread_pointer();
	*low = (end - own_bytes) & ~(Addr)7; /* places are 8 bytes */
	return end - *low;
}

enum tls tls_place(Addr a, Long *offset)
{
	Addr pointer = thread_pointer();
	if (!pointer || a < pointer - FAR_BELOW || a >= pointer + 16)
		return TLS_NONE;
	read_objects();
	*offset = (Long)(a - (pointer - own_bytes));
	/* the first place of 8 bytes may begin before the first variable */
	if (own_bytes && *offset > -8 && a < pointer)
		return TLS_OWN;
	return others && (a < pointer || a >= pointer + 8) ? TLS_UNKNOWN : TLS_NONE;
}
