/* SPDX-License-Identifier: MIT */
/* Calls square 5 times with 1 input, then does what its argument says: c crash, l loop for ever, f fork. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sink;
__attribute__((noinline, noclone, noipa)) long square(long n)
{
	long s = 0;
	for (int i = 0; i < 100; i++)
		s += n * i;
	return s;
}
int main(int argc, char **argv)
{
	char what = argc > 1 ? argv[1][0] : ' ';
	for (int i = 0; i < 5; i++)
		sink += square(3);
	if (what == 'c')
		*(volatile int *)(sink - sink) = 1;
	while (what == 'l')
		sink += square(3);
	if (what == 'f') {
		pid_t pid = fork();
		for (int i = 0; i < 5; i++)
			sink += square(3);
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	return 7;
}
