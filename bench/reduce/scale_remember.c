/* SPDX-License-Identifier: MIT */
/* A test that is run once for each text, for scale_sizes.sh:
 *
 *	scale_remember FOLDER MILLISECONDS FILE TEST
 *
 * Ends with the exit code of TEST (a script, run without arguments). It is kept in FOLDER under the SHA-256 of FILE's
 * bytes, so that the next run that comes to the same text need not run TEST. An answer takes a random time on top, of
 * that mean: with several jobs each run then goes another way, at hardly any cost. */
#include "data/buf.h"
#include "data/digest.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "scale_remember: cannot %s '%s'\n", what, name);
	return 3;
}

/* Exponential: most answers are quick, some take long. */
static void linger(double mean)
{
	uint32_t r;
	if (getrandom(&r, sizeof r, 0) != sizeof r)
		return;
	double s = -log(((double)r + 1) / 4294967297.0) * mean / 1000;
	nanosleep(&(struct timespec){(time_t)s, (long)((s - floor(s)) * 1e9)}, NULL);
}

static bool read_file(const char *path, struct buf *b)
{
	char part[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
		buf_add(b, part, (size_t)n);
	if (fd >= 0)
		close(fd);
	return n == 0;
}

static int run(const char *test)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/bash", "bash", test, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Under a name of its own first: others may write the same at the same time, and any of us may be killed. */
static bool keep(const char *path, int code)
{
	struct buf name = {0};
	buf_printf(&name, "%s.%ld", path, (long)getpid());
	FILE *f = fopen(buf_str(&name), "w");
	bool good = f && fprintf(f, "%d\n", code) > 0;
	good = f && fclose(f) == 0 && good && rename(buf_str(&name), path) == 0;
	buf_release(&name);
	return good;
}

int main(int argc, char **argv)
{
	struct buf text = {0}, path = {0}, known = {0};
	if (argc != 5)
		return fail("understand", "the arguments: FOLDER MILLISECONDS FILE TEST are wanted");
	if (!read_file(argv[3], &text))
		return fail("read", argv[3]);
	struct digest256 digest = digest_sha256(text.at, text.n);
	buf_printf(&path, "%s/", argv[1]);
	for (size_t i = 0; i < sizeof digest; i++)
		buf_printf(&path, "%02x", ((const unsigned char *)&digest)[i]);
	int code;
	if (read_file(buf_str(&path), &known) && known.n) {
		code = atoi(buf_str(&known));
	} else {
		code = run(argv[4]);
		if (!keep(buf_str(&path), code))
			return fail("write", buf_str(&path));
	}
	linger(atof(argv[2]));
	buf_release(&text);
	buf_release(&path);
	buf_release(&known);
	return code;
}
