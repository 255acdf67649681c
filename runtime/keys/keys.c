/* SPDX-License-Identifier: MIT */
/* Key streams: see keys.h. Buffered here and written with write(2): the stdio of the program is not touched. */
#include "runtime/keys/keys.h"

#include "base/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 4096 };

struct rt_keys {
	int fd; /* −1 after an error */
	size_t n;
	unsigned char buffer[KEYS * 8];
};

static int name_is_plain(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	return name[0] && name[0] != '.' && strlen(name) < 200 && name[strspn(name, plain)] == '\0';
}

struct rt_keys *rt_keys_open(const char *folder, const char *name)
{
	char path[4096];
	int saved = errno;
	if (!name_is_plain(name) || (size_t)snprintf(path, sizeof path, "%s/%s.u64", folder, name) >= sizeof path)
		return NULL;
	struct rt_keys *k = malloc(sizeof *k);
	if (k) {
		k->n = 0;
		k->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (k->fd < 0) {
			free(k);
			k = NULL;
		}
	}
	errno = saved;
	return k;
}

static void flush(struct rt_keys *k)
{
	int saved = errno;
	if (k->fd >= 0 && !write_all(k->fd, k->buffer, k->n * 8)) {
		close(k->fd);
		k->fd = -1;
	}
	k->n = 0;
	errno = saved;
}

void rt_keys_add(struct rt_keys *k, uint64_t key)
{
	if (!k || k->fd < 0)
		return;
	for (int i = 0; i < 8; i++)
		k->buffer[k->n * 8 + (size_t)i] = (unsigned char)(key >> (8 * i));
	if (++k->n == KEYS)
		flush(k);
}

void rt_keys_close(struct rt_keys *k)
{
	if (!k)
		return;
	flush(k);
	if (k->fd >= 0)
		close(k->fd);
	free(k);
}
