/* SPDX-License-Identifier: MIT */
/* A store file of any bytes: opening, reading, checking and writing it must neither crash nor give a value that was
 * never put under this key. The header that makes it a store of ours is forced, so that the rest is looked at. */
#include "store/store.h"
#include "store/admin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ignore_record(void *user, const struct store_record *r)
{
	++*(size_t *)user;
	return r->key_len < SIZE_MAX;
}

static bool ignore_entry(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	(void)key;
	(void)key_len;
	(void)value;
	(void)value_len;
	++*(size_t *)user;
	return true;
}

static void use(const char *path)
{
	/* the identity of the corpus's stores, see corpus/store */
	struct store_id id = {.engine = "torture", .schema = 1};
	struct store_admin *a;
	struct store *s;
	struct err e = ERR_INIT;
	struct buf out = {0};
	size_t n = 0;
	if (store_admin_open(&a, path, false, &e) == RC_OK) {
		store_admin_each(a, ignore_record, &n, &e);
		store_admin_check(a, &out, &e);
		store_admin_close(a);
	}
	buf_clear(&out);
	if (store_open(&s, path, &id, 0, NULL) == RC_OK) {
		/* a fresh key has no value, whatever the file says */
		if (store_get(s, "a key that nobody put", 21, &out, NULL) != RC_NO)
			abort();
		store_each(s, ignore_entry, &n, NULL);
		store_put(s, "key", 3, "value", 5, NULL);
		if (store_get(s, "key", 3, &out, NULL) == RC_OK && (out.n != 5 || memcmp(out.at, "value", 5) != 0))
			abort();
		store_close(s);
	}
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char folder[256];
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	const char *tmp = getenv("TMPDIR");
	char path[300];
	if (size < 100 || size > 1 << 20)
		return 0;
	snprintf(folder, sizeof folder, "%s/fuzz-store.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/s", folder);
	uint8_t *bytes = malloc(size);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	memcpy(bytes, "SQLite format 3", 16);
	memcpy(bytes + 60, "\0\0\0\1", 4);
	memcpy(bytes + 68, "RfKV", 4);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		use(path);
	if (fd >= 0)
		close(fd);
	free(bytes);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		snprintf(path, sizeof path, "%s/s%s", folder, ends[i]);
		unlink(path);
	}
	rmdir(folder);
	return 0;
}
