/* SPDX-License-Identifier: MIT */
/* word() looks a text up in a table that never changes: the key is the text, not the table. scaled() reads a table
 * one entry of which changes, and the same text. 4000 calls of each, 5 texts of 3 characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *name;
	long value;
};
static struct entry table[24];
static long factor[24];

__attribute__((noinline)) static long word(const char *s)
{
	long found = 0;
	for (int i = 0; i < 24; i++)
		for (const char *a = s, *b = table[i].name; *a == *b; a++, b++)
			if (!*a)
				found = table[i].value;
	return found;
}

__attribute__((noinline)) static long scaled(const char *s)
{
	long sum = 0;
	for (int i = 0; i < 24; i++)
		sum += factor[i] * s[0];
	return sum;
}

int main(void)
{
	static const char *const words[] = {"one", "two", "six", "ten", "nil"};
	long t = 0;
	for (int i = 0; i < 24; i++) {
		char *name = malloc(4);
		snprintf(name, 4, "%s", words[i % 5]);
		table[i] = (struct entry){name, i};
		factor[i] = i;
	}
	for (int i = 0; i < 4000; i++) {
		char s[4];
		memcpy(s, words[i % 5], 4);
		factor[7] = i % 2;
		t += word(s) + scaled(s);
	}
	printf("%ld\n", t);
	return 0;
}
