/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the tool of --tool=NAME in $VALGRIND_LIB with the arguments it was given. Valgrind's core runs this program at
 * an exec that it follows, and the tool refuses to start without being told who started it. An ordinary program. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char self[PATH_MAX], tool[PATH_MAX];
	const char *folder = getenv("VALGRIND_LIB"), *name = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	for (int i = 1; i < argc && !name; i++)
		if (strncmp(argv[i], "--tool=", 7) == 0)
			name = argv[i] + 7;
	if (n <= 0 || !folder || !name ||
	    snprintf(tool, sizeof tool, "%s/%s-amd64-linux", folder, name) >= (int)sizeof tool) {
		fprintf(stderr, "refrain: started by refrain's Valgrind tools only\n");
		return 3;
	}
	self[n] = 0;
	setenv("VALGRIND_LAUNCHER", self, 1);
	execv(tool, argv);
	perror(tool);
	return 3;
}
