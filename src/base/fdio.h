/* SPDX-License-Identifier: MIT */
/* The one write loop and the one read loop: all bytes, through short transfers and signals. System
 * calls only, so that the runtime can use them inside somebody else's process. */
#ifndef BASE_FDIO_H
#define BASE_FDIO_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Counts what one call transferred; false: it failed, or there is no more. */
static inline bool fdio_moved(char **at, size_t *left, ssize_t done)
{
	if (done <= 0)
		return done < 0 && errno == EINTR;
	*at += done;
	*left -= (size_t)done;
	return true;
}

/* Writes all n bytes; false: it failed, errno says why. */
static inline bool write_all(int fd, const void *bytes, size_t n)
{
	char *at = (char *)bytes; /* only read */
	while (n && fdio_moved(&at, &n, write(fd, at, n)))
		;
	return n == 0;
}

/* Reads n bytes; false: it failed, or the file ended before. */
static inline bool read_all(int fd, void *bytes, size_t n)
{
	char *at = bytes;
	while (n && fdio_moved(&at, &n, read(fd, at, n)))
		;
	return n == 0;
}

#endif
