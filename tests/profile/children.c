/* SPDX-License-Identifier: MIT */
/* Three generations. The first process calls twice() 40 times with 4 inputs before the forks; the children call it
 * N times with N / 10 inputs, or become another program:
 *	children            1: 40 calls; 2: 200 calls, 20 inputs; 3: 300 calls, 30 inputs, and its own child
 *	                    4: 100 calls, 10 inputs; 5, which becomes "children leaf", with leaf() 500 calls, 5 inputs
 *	children leaf       that alone
 *	children become     becomes the leaf itself
 *	children lines      300 lines, 5 different ones */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static long twice(const int *a)
{
	long s = 0;
	for (int r = 0; r < 2000; r++)
		s = s * 31 + a[r % 4];
	return s;
}

__attribute__((noinline)) static long leaf(int n)
{
	long s = n;
	for (int r = 0; r < 3000; r++)
		s = s * 33 + r;
	return s;
}

__attribute__((noinline)) static long work(int calls, int inputs)
{
	long s = 0;
	for (int i = 0; i < calls; i++) {
		int a[4] = {i % inputs, 1, 2, 3};
		s += twice(a);
	}
	return s;
}

/* The call ends in both processes, but it is the parent's. */
__attribute__((noinline)) static pid_t start(void)
{
	return fork();
}

static void child(const char *self, int number)
{
	if (number == 5) {
		execl("/nonexistent/children", self, "leaf", (char *)0);
		execl(self, self, "leaf", (char *)0);
		_exit(9);
	}
	long s = work(number * 100, number * 10);
	if (number == 3) {
		pid_t p = fork();
		if (!p)
			_exit((int)(work(100, 10) & 1));
		waitpid(p, 0, 0);
	}
	_exit((int)(s & 1));
}

int main(int argc, char **argv)
{
	long s = 0;
	if (argc > 1 && strcmp(argv[1], "become") == 0) {
		s = work(50, 5);
		execl(argv[0], argv[0], "leaf", (char *)0);
	}
	if (argc > 1 && strcmp(argv[1], "lines") == 0) {
		for (int i = 0; i < 300; i++)
			printf("line %d\n", i % 5);
		return 0;
	}
	if (argc > 1) {
		for (int i = 0; i < 500; i++)
			s += leaf(i % 5);
		printf("leaf %ld\n", s);
		return 0;
	}
	s = work(40, 4);
	for (int number = 2; number <= 5; number++) {
		if (number == 4)
			continue;
		pid_t p = start();
		if (!p)
			child(argv[0], number);
		waitpid(p, 0, 0);
	}
	printf("%ld\n", s);
	return 0;
}
