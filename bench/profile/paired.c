/* SPDX-License-Identifier: MIT */
/* Runs two programs alternately with the same arguments and compares their CPU time (of the process).
 *	paired RUNS INPUT A B ARG…
 * Prints the means of user + system time, the share B saves and its 95 % confidence interval (paired differences,
 * Student's t), and the same for user time alone. INPUT is the standard input of both, or "-" for none; their output is
 * dropped. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct cpu {
	double user, system;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static struct cpu run(const char *program, const char *input, char **args)
{
	pid_t pid = fork();
	if (pid == 0) {
		int in = open(input[0] == '-' && !input[1] ? "/dev/null" : input, O_RDONLY),
		    out = open("/dev/null", O_WRONLY);
		if (in < 0 || out < 0)
			_exit(127);
		dup2(in, 0);
		dup2(out, 1);
		dup2(out, 2);
		args[0] = (char *)program;
		execv(program, args);
		_exit(127);
	}
	int status;
	struct rusage u;
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
		fprintf(stderr, "cannot run %s\n", program);
		exit(3);
	}
	return (struct cpu){seconds(u.ru_utime), seconds(u.ru_stime)};
}

struct sums {
	double before, difference, squares;
};

static void add(struct sums *s, double a, double b)
{
	s->before += a;
	s->difference += a - b;
	s->squares += (a - b) * (a - b);
}

/* "saved 3.0 % (95 %: 1.0 … 5.0)" */
static void print_saved(const struct sums *s, int n)
{
	double a = s->before / n, mean = s->difference / n;
	double deviation = n > 1 ? sqrt((s->squares - n * mean * mean) / (n - 1)) : 0;
	double half = (n >= 30 ? 2.045 : 2.8) * deviation / sqrt(n);
	printf("saved %.1f %% (95 %%: %.1f … %.1f)", 100 * mean / a, 100 * (mean - half) / a, 100 * (mean + half) / a);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: paired RUNS INPUT A B ARG…\n");
		return 2;
	}
	int n = atoi(argv[1]);
	struct sums all = {0}, user = {0};
	for (int i = 0; i < n; i++) {
		struct cpu x = run(argv[3], argv[2], argv + 4), y = run(argv[4], argv[2], argv + 4);
		add(&all, x.user + x.system, y.user + y.system);
		add(&user, x.user, y.user);
	}
	printf("%.4f s before, %.4f s after, ", all.before / n, (all.before - all.difference) / n);
	print_saved(&all, n);
	printf(", %d runs each; user time (%.0f %% of it) ", n, 100 * user.before / all.before);
	print_saved(&user, n);
	printf("\n");
	return 0;
}
