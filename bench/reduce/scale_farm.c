/* SPDX-License-Identifier: MIT */
/* The input and the property of bench/farm/run, in this process and on the clock of src/reduce/run/in_process.h:
 *
 *	scale_farm FUNCTIONS JOBS [unit|lognormal|timeouts] [passes]
 *	scale_farm write FUNCTIONS > FILE.c
 *	scale_farm test FUNCTIONS SECONDS FILE.c
 *
 * Functions that call the one before, of which every 73rd has to stay. With workers that sleep in their tests the
 * time is that of the clock, so that what a hundred workers gain is known without a hundred workers. Prints one
 * line of names and values; with "passes" a line on standard error for each run of a pass. The other two are for
 * scale_real.sh: the input, and the property as a test that sleeps. */
#include "pass_log.h"

#include "data/buf.h"
#include "reduce/model/load.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { FIRST = 7, STEP = 73 };

struct property {
	struct pass_log log;
	unsigned functions;
};

static void write_input(struct buf *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_printf(
			b,
			"int f%u(int a) { int b = a + %u; if (b > %u) { b = f%u(b - 1); return b; } return a * %u; }\n",
			i, i, i * 7, i ? i - 1 : 0, i % 11);
	buf_printf(b, "int main(void) { return f3(f7(2)); }\n");
}

/* grep -o "f(7|80|…)(int" finds each number. */
static bool interesting(void *user, const struct buf *text)
{
	const struct property *p = user;
	uint64_t found[64] = {0};
	unsigned left = (p->functions - FIRST - 1) / STEP + 1;
	const char *at = buf_str(text);
	while ((at = strchr(at, 'f'))) {
		char *end;
		unsigned long n = strtoul(++at, &end, 10);
		if (end == at || *at < '1' || *at > '9' || strncmp(end, "(int", 4) != 0 || n < FIRST ||
		    n >= p->functions)
			continue;
		unsigned i = (unsigned)(n - FIRST) / STEP;
		if ((n - FIRST) % STEP == 0 && !(found[i / 64] >> i % 64 & 1)) {
			found[i / 64] |= (uint64_t)1 << i % 64;
			left--;
		}
	}
	return !left;
}

static void pass_ended(void *user, const struct pass *pass)
{
	struct property *p = user;
	pass_log(&p->log, pass);
}

static int fail(const char *what)
{
	fprintf(stderr, "scale_farm: %s\n", what);
	return 2;
}

/* Counts outside of what is counted: a line for each test that came to its end, if SCALE_LOG names a file. */
static void log_end(const struct buf *text, bool yes)
{
	const char *name = getenv("SCALE_LOG");
	int fd = name ? open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return;
	dprintf(fd, "%016llx %d\n", (unsigned long long)XXH3_64bits(buf_str(text), text->n), yes);
	close(fd);
}

static int test(double seconds, struct property *p, const char *file)
{
	struct err e = ERR_INIT;
	struct buf text = {0};
	struct timespec nap = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&nap, NULL);
	if (buf_read_file(&text, file, 1u << 28, &e) != RC_OK)
		return fail(e.text);
	bool yes = interesting(p, &text);
	log_end(&text, yes);
	buf_release(&text);
	return yes ? 0 : 1;
}

static int reduce(const struct buf *text, struct property *p, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct model m = {0};
	struct source src = {"a.c", buf_str(text), text->n, language_detect("a.c", buf_str(text), text->n)};
	p->log.model = &m;
	if (model_load(&m, &src, 1, &e) != RC_OK)
		return fail(e.text);
	uint32_t before = m.n;
	struct in_process run = {
		.interesting_text = interesting,
		.pass_ended = pass_ended,
		.user = p,
		.any_grain = true,
		.seed = 1,
		.jobs = (unsigned)strtoul(argv[2], NULL, 10),
		.clock = CLOCK_UNIT,
	};
	for (int i = 3; i < argc; i++)
		if (strcmp(argv[i], "lognormal") == 0)
			run.clock = CLOCK_LOGNORMAL;
		else if (strcmp(argv[i], "timeouts") == 0)
			run.clock = CLOCK_TIMEOUTS;
		else if (strcmp(argv[i], "passes") == 0)
			p->log.run = &run;
	if (reduce_in_process(&run, &m, &e) != RC_OK)
		return fail(e.text);
	printf("tokens %u after %u queries %llu rounds %.2f useful %llu merges %llu wasted %llu\n", before, m.n,
	       (unsigned long long)run.queries, run.time, (unsigned long long)run.useful,
	       (unsigned long long)run.merges, (unsigned long long)run.wasted);
	model_unload(&m);
	return 0;
}

int main(int argc, char **argv)
{
	struct buf text = {0};
	struct property p = {0};
	if (argc < 3)
		return fail("usage: scale_farm FUNCTIONS JOBS [unit|lognormal|timeouts] [passes]");
	bool tests = strcmp(argv[1], "test") == 0 && argc == 5, writes = strcmp(argv[1], "write") == 0;
	p.functions = (unsigned)strtoul(argv[1 + (tests || writes)], NULL, 10);
	if (p.functions <= FIRST || p.functions > STEP * 4096)
		return fail("invalid number of functions");
	if (tests)
		return test(strtod(argv[3], NULL), &p, argv[4]);
	write_input(&text, p.functions);
	if (writes)
		return fputs(buf_str(&text), stdout) == EOF;
	int rc = reduce(&text, &p, argc, argv);
	buf_release(&text);
	return rc;
}
