/* SPDX-License-Identifier: MIT */
/* Rates from samples: made-up samples of a made-up call graph in this program's own file. */
#include <stddef.h>

#include "testing.h"
#include "profile/profile.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* main calls slow and fast; both call leaf; jumps is called by main and ends with a jump to leaf or end; lib is the
 * system's. */
enum { MAIN, SLOW, FAST, LEAF, JUMPS, END, LIB, FUNCTIONS };
enum { SPACE = 16 };

static uint64_t text_offset, text_address;

/* Where this program's code is, in its file and in memory. */
static void find_text(void)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	FILE *f = fopen("/proc/self/exe", "rb");
	assert_non_null(f);
	assert_int_equal(fread(&h, sizeof h, 1, f), 1);
	for (unsigned i = 0; i < h.e_phnum; i++) {
		assert_int_equal(fseek(f, (long)(h.e_phoff + i * sizeof p), SEEK_SET), 0);
		assert_int_equal(fread(&p, sizeof p, 1, f), 1);
		if (p.p_type == PT_LOAD && p.p_flags & PF_X) {
			text_offset = p.p_offset;
			text_address = p.p_vaddr;
		}
	}
	fclose(f);
}

static void make_profile(struct profile *p)
{
	static const char *const names[] = {"main", "slow", "fast", "leaf", "jumps", "end", "lib"};
	static const uint64_t inclusive[] = {1000, 100, 100, 150, 100, 50, 500};
	static const uint32_t edges[][2] = {{MAIN, SLOW},  {MAIN, FAST},  {SLOW, LEAF}, {FAST, LEAF},
					    {MAIN, JUMPS}, {JUMPS, LEAF}, {JUMPS, END}, {FAST, LIB}};
	*p = (struct profile){.instructions = 1000};
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct profile_function f = {.name = names[i],
					     .object = i == LIB ? "/lib/libc.so.6" : "/proc/self/exe",
					     .entry = text_address + SPACE * i,
					     .calls = 10,
					     .inclusive = inclusive[i],
					     .rate = 1};
		vec_push(&p->fn, f);
	}
	for (size_t i = 0; i < ARRAY_LEN(edges); i++) {
		struct profile_edge e = {edges[i][0], edges[i][1], 10};
		vec_push(&p->edge, e);
	}
}

/* n samples: in at[0], called from at[1] and so on; they end at −1. The system's library is object 1. CALLS(x) more
 * says
 * which function the instruction calls. */
#define CALLS(x) (100 * ((x) + 1))
static void put(FILE *f, unsigned n, const int *at)
{
	while (n--) {
		fputc('S', f);
		for (const int *x = at; *x >= 0; x++) {
			fprintf(f, *x == LIB ? " 1:%llu" : " 0:%llu",
				(unsigned long long)(text_offset + SPACE * (unsigned)(*x % 100) + 5));
			if (*x >= 100)
				fprintf(f, ":%llu",
					(unsigned long long)(text_offset + SPACE * (unsigned)(*x / 100 - 1)));
		}
		fputc('\n', f);
	}
}

static FILE *begin(char *path)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *f = fdopen(fd, "w");
	fputs("R\nO 0 /proc/self/exe\nO 1 /lib/libc.so.6\n", f);
	return f;
}

static double expected(const struct profile_function *f, unsigned found, unsigned all)
{
	return (found + 12.0) / ((double)f->inclusive / 1000 * all + 12.0);
}

static void finish(FILE *f, const char *path, struct profile *p)
{
	fclose(f);
	make_profile(p);
	samples_read(p, path);
	unlink(path);
}

static void rates(void **state)
{
	(void)state;
	char path[] = "/tmp/refrain-test.XXXXXX";
	struct profile p;
	find_text();
	FILE *f = begin(path);
	put(f, 500, (const int[]){MAIN, -1});
	/* a word of an earlier call is left on the stack: fast does not call slow */
	put(f, 200, (const int[]){LEAF, SLOW, FAST, MAIN, -1});
	put(f, 100, (const int[]){LEAF, FAST + CALLS(MAIN), SLOW + CALLS(LEAF), MAIN + CALLS(SLOW), -1});
	put(f, 50, (const int[]){LEAF, FAST, MAIN, -1});
	/* what the system does on somebody's behalf, whatever function of it that is */
	put(f, 100, (const int[]){LIB, LIB, FAST, MAIN, -1});
	/* jumps is not on the stack; its caller is */
	put(f, 30, (const int[]){LEAF, MAIN + CALLS(JUMPS), -1});
	/* called by a pointer, it is the only one that may have jumped */
	put(f, 10, (const int[]){END, MAIN, -1});
	/* a call inside a call of the same function is one */
	put(f, 10, (const int[]){SLOW, SLOW + CALLS(SLOW), MAIN + CALLS(SLOW), -1});
	finish(f, path, &p);
	static const unsigned found[] = {1000, 310, 150, 380, 40, 10};
	for (int i = 0; i < LIB; i++) {
		assert_int_equal(p.fn.at[i].samples, found[i]);
		assert_float_equal(p.fn.at[i].rate, expected(&p.fn.at[i], found[i], 1000), 1e-9);
	}
	assert_float_equal(p.fn.at[LIB].rate, 1, 0);
	profile_release(&p);
}

/* Chains that do not reach main: too many of them, and nothing is concluded of those who may have called the last
 * function; the others keep what was seen of them. */
static void cut(void **state)
{
	(void)state;
	for (unsigned n = 99; n <= 101; n += 2) {
		char path[] = "/tmp/refrain-test.XXXXXX";
		struct profile p;
		find_text();
		FILE *f = begin(path);
		put(f, 1000 - n, (const int[]){SLOW, MAIN, -1});
		put(f, n, (const int[]){LEAF, FAST, -1});
		finish(f, path, &p);
		assert_float_equal(p.fn.at[MAIN].rate, n < 100 ? expected(&p.fn.at[MAIN], 1000 - n, 1000) : 1, 1e-9);
		assert_float_equal(p.fn.at[SLOW].rate, expected(&p.fn.at[SLOW], 1000 - n, 1000), 1e-9);
		profile_release(&p);
	}
}

static void few(void **state)
{
	(void)state;
	char path[] = "/tmp/refrain-test.XXXXXX";
	struct profile p;
	find_text();
	FILE *f = begin(path);
	put(f, 199, (const int[]){SLOW, MAIN, -1});
	/* damaged lines */
	fputs("S\nS 7:1\nS 0\nO\nO 3\nX\n", f);
	finish(f, path, &p);
	assert_float_equal(p.fn.at[SLOW].rate, 1, 0);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rates), cmocka_unit_test(cut), cmocka_unit_test(few)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
