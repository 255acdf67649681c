/* SPDX-License-Identifier: MIT */
/* Functions that open files, in front of the C library's: libraries and code without the barrier open files too, and
 * one of them may be a process's memory. A stream whose functions were not compiled by refrain-cc is noticed here, for
 * its functions are called by others that are known to write to nothing else. Weak: a program that has functions of
 * these names keeps them. */
#include "refrain/check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

extern FILE *_IO_fopen(const char *name, const char *mode);

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static FILE *opened(FILE *f)
{
	if (f)
		rf_opened(fileno(f));
	return f;
}

WEAK FILE *fopen(const char *name, const char *mode)
{
	return opened(_IO_fopen(name, mode));
}

WEAK FILE *fopen64(const char *name, const char *mode)
{
	return opened(_IO_fopen(name, mode));
}

WEAK FILE *freopen64(const char *name, const char *mode, FILE *f)
{
	FILE *(*real)(const char *, const char *, FILE *);
	*(void **)&real = next("freopen64");
	return opened(real(name, mode, f));
}

WEAK FILE *freopen(const char *name, const char *mode, FILE *f)
{
	return freopen64(name, mode, f);
}

static int open_at(int folder, const char *name, int flags, va_list ap)
{
	unsigned mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, unsigned) : 0;
	int fd = (int)syscall(SYS_openat, folder, name, flags, mode);
	rf_opened(fd);
	return fd;
}

#define OPEN(name)                                                                                                     \
	WEAK int name(const char *path, int flags, ...)                                                                \
	{                                                                                                              \
		va_list ap;                                                                                            \
		va_start(ap, flags);                                                                                   \
		int fd = open_at(AT_FDCWD, path, flags, ap);                                                           \
		va_end(ap);                                                                                            \
		return fd;                                                                                             \
	}
#define OPEN_AT(name)                                                                                                  \
	WEAK int name(int folder, const char *path, int flags, ...)                                                    \
	{                                                                                                              \
		va_list ap;                                                                                            \
		va_start(ap, flags);                                                                                   \
		int fd = open_at(folder, path, flags, ap);                                                             \
		va_end(ap);                                                                                            \
		return fd;                                                                                             \
	}
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

WEAK FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t f)
{
	FILE *(*real)(void *, const char *, cookie_io_functions_t);
	const void *functions[4];
	*(void **)&real = next("fopencookie");
	__builtin_memcpy(functions, &f, sizeof functions);
	for (int i = 0; i < 4; i++)
		if (functions[i])
			rf_handler(functions[i]);
	return real(cookie, mode, f);
}
