/* SPDX-License-Identifier: MIT */
/* A function that has the barrier (without REPLACES, WRAPS or MAIN) and one without it that takes its place at the link
 * or when the program is loaded. MAIN checks before and after it is called. Exit 0: what it wrote was seen. */
#include "node.h"

void hook(struct node *n);
void __wrap_hook(struct node *n);
void call_hook(struct node *n);
void real_hook(struct node *n);

#ifdef MAIN
#include <refrain/check.h>
#include <stdlib.h>

/* Where the hook is called in its own file, that is taken. */
__attribute__((weak)) void call_hook(struct node *n)
{
	hook(n);
}

int main(void)
{
	struct rf_check_stats s;
	struct node *n = calloc(1, sizeof *n);
	n->v = n->first = 1;
	for (int i = 0; i < 3; i++)
		(void)probe(n);
	call_hook(n);
	(void)probe(n);
	rf_check_get_stats(&s);
	return *(volatile int *)&n->v == 77 && s.violations == 1 ? 0 : 1;
}
#elif defined WRAPS
void __wrap_hook(struct node *n)
{
	n->v = 77;
}
#elif defined REPLACES
void hook(struct node *n)
{
	n->v = 77;
}
#elif defined ALIAS
void real_hook(struct node *n)
{
	n->v = 5;
}
void hook(struct node *n) __attribute__((weak, alias("real_hook")));
void call_hook(struct node *n)
{
	hook(n);
}
#else
#ifdef WEAK
__attribute__((weak))
#endif
__attribute__((noinline)) void
hook(struct node *n)
{
	n->v = 5;
}
#ifdef CALLS
void call_hook(struct node *n)
{
	hook(n);
}
#endif
#endif
