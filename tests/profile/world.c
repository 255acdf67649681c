/* SPDX-License-Identifier: MIT */
/* Functions that ask the system, or act on it; each comment says calls/distinct inputs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;

/* 400/2: opens, reads and closes a file of its own */
NOINLINE int owner(const char *path, int line)
{
	char text[256];
	int fd = open(path, O_RDONLY), newlines = 0, r = 0;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
	for (ssize_t i = 0; i < n; i++) {
		r = newlines == line ? r * 31 + text[i] : r;
		newlines += text[i] == '\n';
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* 400/1: a file that is never there */
NOINLINE int missing(const char *path)
{
	struct stat st;
	return access(path, R_OK) == 0 || stat(path, &st) == 0;
}

/* 400/1: reads on from a file that was open before: the next byte is another one */
NOINLINE int next_byte(int fd)
{
	char c = 0;
	return read(fd, &c, 1) == 1 ? c : -1;
}

/* 400/2: writes: leaving it out changes what the program does */
NOINLINE int tell(int fd, int i)
{
	return (int)write(fd, i ? "one\n" : "two\n", 4);
}

/* 2000/6: opens a file in its first call only */
NOINLINE int lazy(int n)
{
	static int factor;
	if (!factor) {
		int fd = open("/dev/null", O_RDONLY);
		factor = 3;
		if (fd >= 0)
			close(fd);
	}
	int s = 0;
	for (int i = 0; i < 200; i++)
		s += (n * factor) ^ i;
	return s;
}

/* 400/4: pure */
NOINLINE int pure(int n)
{
	int s = 0;
	for (int i = 0; i < 60; i++)
		s += (n * i) ^ i;
	return s;
}

int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	if (argc != 2 || zero < 0 || null < 0)
		return 2;
	for (int i = 0; i < 400; i++) {
		sink += owner(argv[1], i % 2);
		sink += missing("/nonexistent/pack/pack-1.idx");
		sink += next_byte(zero);
		sink += tell(null, i % 2);
		sink += pure(i % 4);
	}
	for (int i = 0; i < 2000; i++)
		sink += lazy(i % 5);
	printf("%ld\n", sink);
	return 0;
}
