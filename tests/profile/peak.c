/* SPDX-License-Identifier: MIT */
/* peak OUT COMMAND…: runs it and writes the most memory that it or one of its descendants had resident (the kernel's
 * count), in KB, to OUT. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	int status;
	struct rusage u;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || getrusage(RUSAGE_CHILDREN, &u) != 0)
		return 3;
	FILE *f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%ld\n", u.ru_maxrss) < 0 || fclose(f) != 0)
		return 3;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
