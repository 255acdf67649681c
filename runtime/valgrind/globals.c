/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static data a function touched, by address; named when the run is over. A small hash table per function: what does
 * not fit is not named. */
#include "sets.h"

enum { PROBES = 8 };

void globals_note(struct chosen *c, Addr a, UInt flags)
{
	UInt at = (UInt)(a >> 3);
	for (UInt i = 0; i < PROBES; i++) {
		struct global_seen *g = &c->global[(at + i) % MAX_GLOBALS];
		if (g->a && g->a != a)
			continue;
		g->a = a;
		g->flags |= flags;
		g->calls++;
		return;
	}
}

Bool globals_name(Addr a, const HChar **name, PtrdiffT *offset)
{
	DiEpoch now = VG_(current_DiEpoch)();
	/* the 8 bytes may begin before a small variable */
	for (UInt i = 0; i < 8; i += 4)
		if (VG_(get_datasym_and_offset)(now, a + i, name, offset))
			return True;
	return False;
}

void globals_tell(const struct chosen *c)
{
	for (UInt i = 0; i < MAX_GLOBALS; i++) {
		const struct global_seen *g = &c->global[i];
		if (!g->a)
			continue;
		const HChar *name;
		PtrdiffT offset = 0;
		if (!globals_name(g->a, &name, &offset))
			name = "";
		struct vg_global r = {.fn = c->id, .flags = g->flags, .offset = (ULong)offset, .calls = g->calls};
		struct out_part parts[] = {{&r, sizeof r}, {name, VG_(strlen)(name) + 1}};
		out_parts(VG_GLOBAL, parts, 2);
	}
}
