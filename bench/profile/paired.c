/* Runs two programs alternately with the same arguments and compares their CPU time (user + system of the process).
 *	paired RUNS INPUT A B ARG…
 * Prints the means, the share B saves and its 95 % confidence interval (paired differences, Student's t). INPUT is
 * the standard input of both, or "-" for none; their output is dropped. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double run(const char *program, const char *input, char **args)
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
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: paired RUNS INPUT A B ARG…\n");
		return 2;
	}
	int n = atoi(argv[1]);
	double a = 0, sum = 0, squares = 0;
	for (int i = 0; i < n; i++) {
		double x = run(argv[3], argv[2], argv + 4), y = run(argv[4], argv[2], argv + 4);
		a += x;
		sum += x - y;
		squares += (x - y) * (x - y);
	}
	a /= n;
	double mean = sum / n, deviation = n > 1 ? sqrt((squares - n * mean * mean) / (n - 1)) : 0;
	double half = (n >= 30 ? 2.045 : 2.8) * deviation / sqrt(n);
	printf("%.4f s before, %.4f s after, saved %.1f %% (95 %%: %.1f … %.1f), %d runs each\n", a, a - mean,
	       100 * mean / a, 100 * (mean - half) / a, 100 * (mean + half) / a, n);
	return 0;
}
