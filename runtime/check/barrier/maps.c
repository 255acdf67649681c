/* SPDX-License-Identifier: MIT */
/* mmap and its family in front of the C library's: memory that goes away, comes back as zeros or becomes another file's
 * is forgotten; private anonymous mappings are memory whose stores are seen. */
#include "refrain/check.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_own(int flags, int protection)
{
	return protection != PROT_READ && (flags & MAP_TYPE) == MAP_PRIVATE && (flags & MAP_ANONYMOUS) &&
	       !(flags & (MAP_STACK | MAP_GROWSDOWN));
}

/* Stores to variables have no barrier, wherever the program maps them to. */
struct area {
	uintptr_t from, to;
	int image;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct area *a = arg;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + h->p_vaddr;
		a->image |= h->p_type == PT_LOAD && from < a->to && a->from < from + h->p_memsz;
	}
	return a->image;
}

static int is_image(const void *p, size_t n)
{
	struct area a = {(uintptr_t)p, (uintptr_t)p + n, 0};
	dl_iterate_phdr(look, &a);
	return a.image;
}

void *mmap(void *p, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		rf_mapped(p, n, 0);
	void *q = (void *)syscall(SYS_mmap, p, n, protection, flags, fd, offset);
	if (q != MAP_FAILED) {
		int keep = errno;
		rf_mapped(q, n, is_own(flags, protection) && !((flags & MAP_FIXED) && is_image(q, n)));
		errno = keep;
	}
	return q;
}

void *mmap64(void *p, size_t n, int protection, int flags, int fd, off_t offset) __attribute__((alias("mmap")));

int munmap(void *p, size_t n)
{
	rf_mapped(p, n, 0);
	return (int)syscall(SYS_munmap, p, n);
}

void *mremap(void *p, size_t old, size_t n, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	/* what it was is not asked: no longer trusted */
	rf_mapped(p, old, 0);
	if (to)
		rf_mapped(to, n, 0);
	return (void *)syscall(SYS_mremap, p, old, n, flags, to);
}

/* A child of fork may find other contents, or none. */
static void watch_forks(void)
{
	static int done;
	if (!done)
		done = pthread_atfork(NULL, NULL, rf_everything) == 0;
}

int madvise(void *p, size_t n, int advice)
{
	switch (advice) {
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
		break;
	case MADV_WIPEONFORK:
	case MADV_DONTFORK:
		watch_forks();
		rf_mapped(p, n, 0);
		break;
	case MADV_FREE: /* the kernel takes it when it likes */
		rf_mapped(p, n, 0);
		break;
	default:
		rf_forget(p, n);
	}
	return (int)syscall(SYS_madvise, p, n, advice);
}

/* Contents stay, but they may no longer be readable. A store to what is not writable is done again after a handler of
 * the program has made it so, and perhaps checked: not seen, so that memory is not trusted any more. */
static void protect(void *p, size_t n, int protection)
{
	if (protection & PROT_WRITE)
		rf_unreadable(p, n);
	else
		rf_mapped(p, n, 0);
}

int mprotect(void *p, size_t n, int protection)
{
	protect(p, n, protection);
	return (int)syscall(SYS_mprotect, p, n, protection);
}

int pkey_mprotect(void *p, size_t n, int protection, int key)
{
	protect(p, n, key > 0 ? PROT_READ : protection); /* what the key allows may change without a call */
	return (int)syscall(key < 0 ? SYS_mprotect : SYS_pkey_mprotect, p, n, protection, key);
}

void *shmat(int id, const void *p, int flags)
{
	struct shmid_ds s;
	void *q = (void *)syscall(SYS_shmat, id, p, flags);
	if ((flags & SHM_REMAP) && q != MAP_FAILED) {
		rf_everything();
		if (shmctl(id, IPC_STAT, &s) == 0)
			rf_mapped(q, s.shm_segsz, 0);
		else
			rf_mixed();
	}
	return q;
}
