/* SPDX-License-Identifier: GPL-2.0-or-later */
/* errno belongs to libc, whose own reads of it (to save it) say nothing about the program. The program's code reads it
 * through the pointer that __errno_location returns: a call inside which that was asked may depend on errno. What is
 * left in errno is output of every call: whoever called may look. Until the program has asked once nobody can. */
#include "sets.h"

struct chosen *errno_function(const HChar *name)
{
	static struct chosen hook = {.hook = HOOK_ERRNO};
	return VG_STREQ(name, "__errno_location") ? &hook : NULL;
}

void errno_found(struct thread *t, Addr a)
{
	struct thread_logs *l = sets_logs(t);
	l->errno_at = a;
	/* up to a signal handler, whose calls are not part of what they interrupted */
	for (UInt i = t->n; i && i <= l->cap && t->frame[i - 1].fn; i--)
		l->log[i - 1].asks_errno = True;
}

UInt errno_bits(Addr a)
{
	const struct thread_logs *l = running ? running->more : NULL;
	return l && l->errno_at && a == (l->errno_at & ~7ul) ? 0xfu << (l->errno_at & 7) : 0;
}
