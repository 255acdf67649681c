/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over the files of a folder, without libFuzzer: the kept corpus is part of the normal tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");
	if (!f)
		return 1;
	static uint8_t data[1 << 22];
	size_t n = fread(data, 1, sizeof data, f);
	fclose(f);
	/* a block of its exact size, so that a read past the end is seen by the sanitizer */
	uint8_t *exact = malloc(n ? n : 1);
	if (!exact)
		return 1;
	memcpy(exact, data, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	printf("ok - %s\n", name);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int n = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;
	int bad = 0;
	if (n < 0) {
		printf("not ok - no corpus folder\n");
		return 1;
	}
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.')
			bad += replay_file(argv[1], names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return bad != 0;
}
