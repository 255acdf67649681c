/* The tool's own memory, counted from the first byte: a request beyond the limit is refused and the caller cuts what it
 * was logging. Valgrind's allocator would end the program instead. */
#include "tool.h"

static ULong budget_limit = ~0ULL, budget_now, budget_most;
static Bool refused;

void budget_set(ULong bytes)
{
	budget_limit = bytes;
}

static Bool take(SizeT n)
{
	if (n > budget_limit || budget_now > budget_limit - n) {
		refused = True;
		return False;
	}
	budget_now += n;
	if (budget_now > budget_most)
		budget_most = budget_now;
	return True;
}

void *budget_alloc(const HChar *what, SizeT n)
{
	return take(n) ? VG_(calloc)(what, 1, n) : NULL;
}

void *budget_grow(const HChar *what, void *p, SizeT old, SizeT n)
{
	/* both blocks exist for a moment: that counts */
	if (!take(n))
		return NULL;
	void *q = VG_(realloc)(what, p, n);
	budget_now -= old;
	return q;
}

void budget_free(void *p, SizeT n)
{
	if (p) {
		VG_(free)(p);
		budget_now -= n;
	}
}

ULong budget_peak(void)
{
	return budget_most;
}

Bool budget_hit(void)
{
	return refused;
}
