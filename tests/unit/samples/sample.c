/* Counts words; written to have every sort of token. */
#include <stdio.h>
#include "local.h"
#define SQUARE(x) ((x) * (x))
#define LONG_ONE do { \
	f(1); \
} while (0)
#define EMPTY
#ifdef DEBUG
# define LOG(...) fprintf(stderr, __VA_ARGS__)
#elif defined(TRACE) && TRACE > 1
# define LOG(...) trace(#__VA_ARGS__)
#else
# define LOG(...)
#endif
#pragma once

typedef unsigned long long u64; // a line comment
static const char *const names[] = {"one", "t\"wo", L"three" "four", u8"five",};
enum colour { RED, GREEN = 0x1e+1, BLUE };
struct point { int x : 3, y; struct point *next; } origin = { .x = 1, .y = -2 };
union both { float f; unsigned u; };

static inline u64 mix(u64 a, u64 b)
{
	u64 r = a+ +b - -a * *(&b);
	r ^= a << 3 | b >> 2;
	r += a ? b : ~a;
	r = r / 2 % 7 && !a || b != 3 && a <= b;
	return r--- b, r++;
}

int main(int argc, char **argv)
{
	double d = .5 + 1. + 1e-3 + 0x1p+4f - 3.L;
	char c = '\'', q = '"', z = L'x';
	for (int i = 0, n = argc; i < n; i++) {
		if (i == 3) continue; else if (i > 4) break;
		switch (argv[i][0]) {
		case 'a': case 'b': printf("%s\n", argv[i]); break;
		default:
			goto out;
		}
	}
	while (argc --> 0) { LOG("x"); }
	do { d *= 2; } while (d < 1e9);
out:
	(void)c, (void)q; (void)z;
	return sizeof(struct point) + sizeof d + SQUARE(3) ? (int)mix(1ULL, 2) : names[0][1];
}
