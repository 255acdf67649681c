/* SPDX-License-Identifier: MIT */
/* A function worth remembering: the length of the Collatz sequence from n, asked for again and again.
 * Build:  cc -O2 longest.c $(pkg-config --cflags --libs refrain-rt) -o longest */
#include <refrain/memo.h>
#include <stdio.h>

static uint64_t steps(uint64_t n)
{
	uint64_t count = 0;
	for (; n != 1; count++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return count;
}

static uint64_t steps_remembered(uint64_t n)
{
	static rf_memo *memo;
	uint64_t count;
	if (!memo)
		memo = rf_memo_new(&(rf_memo_config){.name = "steps",
						     .kind = RF_MEMO_LRU,
						     .entries = 1024,
						     .key_size = sizeof n,
						     .value_size = sizeof count});
	if (!RF_MEMO_GET(memo, &n, &count)) {
		count = steps(n);
		RF_MEMO_PUT(memo, &n, &count);
	}
	return count;
}

int main(void)
{
	uint64_t sum = 0, x = 1;
	for (int i = 0; i < 2000000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		sum += steps_remembered((x >> 33) % 1000 + 1);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
