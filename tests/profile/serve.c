/* SPDX-License-Identifier: MIT */
/* One function whose only new input is a counter it increments, one that does I/O, one that is pure; the second would
 * save most. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static long served;

__attribute__((noinline)) static long rounds(const int *a, int n, int times)
{
	long s = 0;
	for (int r = 0; r < times; r++)
		for (int i = 0; i < n; i++)
			s += (long)a[i] * r;
	return s;
}

__attribute__((noinline)) static long work(const int *a, int n)
{
	served++;
	return rounds(a, n, 30);
}

__attribute__((noinline)) static long report(int fd, const int *a, int n)
{
	long s = rounds(a, n, 60);
	return write(fd, "x", 1) == 1 ? s : -1;
}

__attribute__((noinline)) static long pure(const int *a, int n)
{
	return rounds(a, n, 40);
}

int main(void)
{
	int a[32], fd = open("/dev/null", O_WRONLY);
	long t = 0;
	for (int i = 0; i < 32; i++)
		a[i] = i;
	for (int i = 0; i < 500; i++) {
		a[0] = i % 4;
		t += work(a, 32) + report(fd, a, 32) + pure(a, 32) + 1;
	}
	printf("%ld %ld\n", t, served);
	return 0;
}
