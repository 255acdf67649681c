/* SPDX-License-Identifier: MIT */
/* measure RUNS COMMAND…: runs each COMMAND (one argument: words, leading NAME=VALUE words set its environment) RUNS
 * times, in turn (A B C A B C …), and prints for each the median CPU time (user+system, seconds) and the peak
 * memory in KB, as the kernel counted them for the whole process. Standard output is thrown away; a command that
 * fails ends it with 3. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, MAX_RUNS = 99, MAX_COMMANDS = 256, CPU_LIMIT = 300 };

struct sample {
	double cpu;
	long kb;
};

static struct sample samples[MAX_COMMANDS][MAX_RUNS];

static void start(char *command)
{
	char *words[MAX_WORDS + 1];
	int n = 0;
	for (char *p = command; *p && n < MAX_WORDS;) {
		p += strspn(p, " ");
		size_t len = strcspn(p, " ");
		if (!len)
			break;
		char *end = p + len, *eq = memchr(p, '=', len);
		bool more = *end != '\0';
		*end = '\0';
		if (n == 0 && eq && !memchr(p, '/', (size_t)(eq - p)))
			putenv(p);
		else
			words[n++] = p;
		p = more ? end + 1 : end;
	}
	words[n] = NULL;
	struct rlimit limit = {CPU_LIMIT, CPU_LIMIT};
	setrlimit(RLIMIT_CPU, &limit);
	dup2(open("/dev/null", O_WRONLY), 1);
	if (n)
		execvp(words[0], words);
	_exit(127);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int by_cpu(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0, n = argc - 2;
	if (runs < 1 || runs > MAX_RUNS || n > MAX_COMMANDS)
		return 2;
	for (int r = 0; r < runs; r++)
		for (int i = 0; i < n; i++) {
			pid_t pid = fork();
			if (pid == 0)
				start(argv[i + 2]);
			int status;
			struct rusage u;
			if (pid < 0 || wait4(pid, &status, 0, &u) < 0 || !WIFEXITED(status) ||
			    WEXITSTATUS(status) != 0) {
				fprintf(stderr, "measure: failed: %s\n", argv[i + 2]);
				return 3;
			}
			samples[i][r] = (struct sample){seconds(u.ru_utime) + seconds(u.ru_stime), u.ru_maxrss};
		}
	for (int i = 0; i < n; i++) {
		qsort(samples[i], (size_t)runs, sizeof samples[i][0], by_cpu);
		printf("%.5f %ld\n", samples[i][runs / 2].cpu, samples[i][runs / 2].kb);
	}
	return 0;
}
