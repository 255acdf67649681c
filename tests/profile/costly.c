/* SPDX-License-Identifier: MIT */
/* A key of 32 bytes, about 160 instructions a call, 64 inputs. -DMEMO: with the cache that refrain profile suggests. */
#include <refrain/memo.h>
#include <stdio.h>
#include <string.h>

struct key {
	unsigned w[8];
};

__attribute__((noinline)) static unsigned work(const struct key *k)
{
	unsigned h = 7;
	for (unsigned r = 0; r < 4; r++)
		for (int i = 0; i < 8; i++)
			h = (h ^ k->w[i]) * 16777619u + r;
	return h;
}

int main(void)
{
	unsigned long total = 0;
	struct key k;
	unsigned r;
#ifdef MEMO
	rf_memo *m = rf_memo_new(&(rf_memo_config){
		.name = "work", .kind = RF_MEMO_LRU, .entries = 64, .key_size = sizeof k, .value_size = sizeof r});
#endif
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned j = 0; j < 8; j++)
			k.w[j] = (i & 63) * (j + 1);
#ifdef MEMO
		unsigned char key[sizeof k];
		for (unsigned j = 0; j < sizeof k; j += 8)
			memcpy(key + j, (const char *)&k + j, 8);
		if (!RF_MEMO_GET(m, &key, &r)) {
			r = work(&k);
			RF_MEMO_PUT(m, &key, &r);
		}
#else
		r = work(&k);
#endif
		total += r;
	}
	printf("%lu\n", total);
	return 0;
}
