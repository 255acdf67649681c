/* SPDX-License-Identifier: MIT */
/* What the text of an asm statement says of the memory it writes to. Both plugins ask; the text is the compiler's:
 * operands are %0 and registers %%rax for gcc, $0 and %rax for LLVM, whose alternatives of dialect are $( | $). */
#ifndef RT_CHECK_ASM_TEXT_H
#define RT_CHECK_ASM_TEXT_H

#include <stddef.h>
#include <string.h>

/* The first word of a piece of text, without blanks; its length. */
static inline size_t asm_word(const char **s, const char *end)
{
	while (*s < end && strchr(" \t", **s))
		++*s;
	size_t n = 0;
	while (*s + n < end && !strchr(" \t#", (*s)[n]))
		n++;
	return n;
}

static inline int asm_is(const char *s, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && strncmp(*words, s, n) == 0)
			return 1;
	return 0;
}

struct asm_text {
	unsigned instructions; /* labels and prefixes are none */
	int calls;
	int jumps;    /* or waits in other ways: another thread may check before it writes */
	int brackets; /* it writes an address with registers, not by an operand in memory */
	int fixed;    /* among them is one that is no operand */
	int silent;   /* only instructions that write to no memory */
};

static inline void asm_piece(struct asm_text *t, const char *s, const char *end)
{
	static const char *const prefixes[] = {"lock",  "rep",     "repe",     "repz",     "repne",
					       "repnz", "notrack", "xacquire", "xrelease", NULL};
	static const char *const silent[] = {"pause", "nop",   "mfence", "lfence", "sfence",  "rdtsc", "rdtscp",
					     "cpuid", "bswap", "bswapl", "bswapq", "endbr64", NULL};
	static const char *const data[] = {".byte",  ".word",  ".short", ".long", ".quad", ".int",
					   ".2byte", ".4byte", ".8byte", ".insn", NULL};
	size_t n = asm_word(&s, end);
	while (n && (s[n - 1] == ':' || asm_is(s, n, prefixes))) {
		s += n;
		n = asm_word(&s, end);
	}
	if (!n)
		return;
	t->instructions++;
	if (asm_is(s, n, data)) { /* machine code by its numbers */
		t->brackets = t->fixed = 1;
		t->calls = t->jumps = 1;
	}
	t->silent &= asm_is(s, n, silent);
	t->calls |= (n >= 4 && strncmp(s, "call", 4) == 0) || (n >= 5 && strncmp(s, "lcall", 5) == 0);
	t->jumps |= *s == 'j' || (n >= 4 && strncmp(s, "loop", 4) == 0) || t->calls;
}

static inline struct asm_text asm_read(const char *text, char operand)
{
	struct asm_text t = {0, 0, 0, 0, 0, 1};
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, ";\n");
		asm_piece(&t, s, s + n);
		s += n + (s[n] != '\0');
	}
	for (const char *s = text; *s; s++) {
		int alternative = operand == '$' && s > text && s[-1] == '$';
		int by_address = operand == '%' ? s[0] == '%' && s[1] == 'a' : strncmp(s, ":a}", 3) == 0;
		if (by_address || ((*s == '(' || *s == '[') && !alternative))
			t.brackets = 1;
		if ((*s == '(' || *s == '[') && !alternative)
			for (const char *p = s; *p && !strchr(")]", *p); p++)
				t.fixed |= operand == '%' ? p[0] == '%' && p[1] == '%' : *p == '%';
	}
	return t;
}

/* Its writes may go where no operand points: through a register that it sets itself. */
static inline int asm_goes_on(const struct asm_text *t)
{
	return t->brackets && (t->fixed || t->instructions > 1);
}

#endif
