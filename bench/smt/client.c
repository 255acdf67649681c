/* SPDX-License-Identifier: MIT */
/* A client that lives on an SMT solver's pipe, as verifiers and model checkers do: it sends a script command by command
 * to a program and waits for each verdict. Times are taken here, outside the program they judge: from the moment a
 * check-sat, and what was held back before it, is written to the moment its verdict can be read.
 *
 *	client SCRIPT PROGRAM ARG…      verdicts on standard output; on standard error one line:
 *	                                QUERIES CPU-SECONDS MEDIAN-µs P95-µs MAX-µs
 *
 * CPU-SECONDS: of the program and what it started. Commands other than check-sat are written at once and not waited
 * for; what they print is passed over when it comes before the next verdict. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The end of the command that starts at or after at; NULL: there is none. */
static const char *command_end(const char *at)
{
	int depth = 0;
	for (; *at; at++) {
		if (*at == ';') {
			at += strcspn(at, "\n");
			if (!*at)
				return NULL;
		} else if (*at == '"' || *at == '|') {
			const char *close = strchr(at + 1, *at);
			if (!close)
				return NULL;
			at = close;
		} else if (*at == '(') {
			depth++;
		} else if (*at == ')' && --depth == 0) {
			return at + 1;
		}
	}
	return NULL;
}

static int is_check(const char *command)
{
	command += strcspn(command, "(");
	command += *command == '(';
	command += strspn(command, " \t\r\n");
	return !strncmp(command, "check-sat", 9);
}

static int is_verdict(const char *line)
{
	return !strcmp(line, "sat\n") || !strcmp(line, "unsat\n") || !strcmp(line, "unknown\n") ||
	       !strcmp(line, "timeout\n");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	if (!f || fseek(f, 0, SEEK_END))
		return NULL;
	long n = ftell(f);
	char *text = calloc((size_t)n + 1, 1);
	rewind(f);
	if (!text || fread(text, 1, (size_t)n, f) != (size_t)n)
		return NULL;
	fclose(f);
	return text;
}

static pid_t start(char **argv, FILE **to, FILE **from)
{
	int in[2], out[2];
	if (pipe(in) || pipe(out))
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(in[0]), close(out[1]);
	*to = fdopen(in[1], "w");
	*from = fdopen(out[0], "r");
	return pid;
}

/* False: the program has ended. */
static int wait_verdict(FILE *from, char *line, size_t size)
{
	while (fgets(line, (int)size, from))
		if (is_verdict(line))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	char *text = argc > 2 ? read_file(argv[1]) : NULL, line[65536];
	FILE *to = NULL, *from = NULL;
	if (!text) {
		fprintf(stderr, "usage: client SCRIPT PROGRAM ARG...\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	pid_t pid = start(argv + 2, &to, &from);
	if (pid < 0 || !to || !from)
		return 3;
	size_t n = 0, room = 0;
	double *took = NULL;
	for (const char *at = text, *end; (end = command_end(at)); at = end) {
		double begin = now();
		fwrite(at, 1, (size_t)(end - at), to);
		fputc('\n', to);
		if (fflush(to))
			break;
		if (!is_check(at + strspn(at, " \t\r\n")))
			continue;
		if (!wait_verdict(from, line, sizeof line))
			break;
		fputs(line, stdout);
		if (n == room)
			took = realloc(took, (room = room * 2 + 1024) * sizeof *took);
		took[n++] = now() - begin;
	}
	fclose(to);
	while (fgets(line, sizeof line, from))
		;
	waitpid(pid, NULL, 0);
	struct rusage r;
	getrusage(RUSAGE_CHILDREN, &r);
	qsort(took, n, sizeof *took, by_value);
	fprintf(stderr, "%zu %.3f %.0f %.0f %.0f\n", n,
		(double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
			(double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6,
		n ? took[n / 2] * 1e6 : 0, n ? took[n - 1 - n / 20] * 1e6 : 0, n ? took[n - 1] * 1e6 : 0);
	return 0;
}
