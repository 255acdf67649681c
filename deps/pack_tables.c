/* SPDX-License-Identifier: MIT */
/* Part of the build: pack_tables IN OUT writes IN as one zstd frame that says how long IN is. The level is
 * where more work stops making parse tables smaller; one thread and no time stamp, so that the same table gives the
 * same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 9 };

static char *read_all(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) != 0)
		return NULL;
	long size = ftell(f);
	char *bytes = malloc((size_t)size + 1);
	rewind(f);
	*n = bytes ? fread(bytes, 1, (size_t)size, f) : 0;
	fclose(f);
	return *n == (size_t)size ? bytes : NULL;
}

int main(int argc, char **argv)
{
	size_t n = 0;
	char *in = argc == 3 ? read_all(argv[1], &n) : NULL;
	if (!in) {
		fprintf(stderr, "usage: pack_tables IN OUT\n");
		return 2;
	}
	size_t room = ZSTD_compressBound(n);
	char *out = malloc(room);
	size_t m = out ? ZSTD_compress(out, room, in, n, LEVEL) : 0;
	FILE *f = fopen(argv[2], "wb");
	if (!out || ZSTD_isError(m) || !f || fwrite(out, 1, m, f) != m || fclose(f) != 0) {
		fprintf(stderr, "pack_tables: cannot write '%s'\n", argv[2]);
		return 3;
	}
	return 0;
}
