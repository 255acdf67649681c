/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static data a function touched, byte by byte; named when the run is over. A small hash table per function, by places
 * of 8 bytes: what does not fit is not named. */
#include "sets.h"

enum { PROBES = 8 };

void globals_note(struct chosen *c, const struct global_seen *seen)
{
	UInt at = (UInt)(seen->a >> 3);
	for (UInt i = 0; i < PROBES; i++) {
		struct global_seen *g = &c->global[(at + i) % MAX_GLOBALS];
		if (g->a && g->a != seen->a)
			continue;
		g->a = seen->a;
		g->read |= seen->read;
		g->written |= seen->written;
		g->changed |= seen->changed;
		g->calls++;
		g->changes += seen->changed != 0;
		return;
	}
}

Bool globals_name(Addr a, const HChar **name, PtrdiffT *offset)
{
	if ((a & ~7ul) == ERRNO_PLACE) {
		*name = "errno";
		*offset = 0;
		return True;
	}
	return VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), a, name, offset);
}

/* One record for each symbol that has some of the 8 bytes. */
static void tell_place(const struct chosen *c, const struct global_seen *g)
{
	HChar last[128] = "";
	struct vg_global r = {.fn = c->id, .calls = g->calls, .changes = g->changes};
	UInt whose = g->a != ERRNO_PLACE && place_is_system(g->a) ? VG_GLOBAL_SYSTEM : 0;
	Bool open = False;
	for (UInt i = 0; i <= 8; i++) {
		const HChar *name = "";
		PtrdiffT offset = 0;
		UInt bit = i < 8 ? 1u << i : 0;
		if (i < 8 && !((g->read | g->written) & bit))
			continue;
		if (i < 8 && !globals_name(g->a + i, &name, &offset))
			name = "";
		if (open && (i == 8 || VG_(strncmp)(name, last, sizeof last - 1) != 0)) {
			struct out_part parts[] = {{&r, sizeof r}, {last, VG_(strlen)(last) + 1}};
			out_parts(VG_GLOBAL, parts, 2);
			open = False;
		}
		if (i == 8)
			return;
		if (!open) {
			VG_(strncpy)(last, name, sizeof last - 1);
			r.flags = whose;
			r.offset = (ULong)offset;
			open = True;
		}
		r.flags |= (g->read & bit ? VG_GLOBAL_READ : 0) | (g->written & bit ? VG_GLOBAL_WRITTEN : 0) |
			   (g->changed & bit ? VG_GLOBAL_CHANGED : 0);
	}
}

void globals_tell(const struct chosen *c)
{
	for (UInt i = 0; i < MAX_GLOBALS; i++)
		/* what libc and the loader keep for themselves is no part of a key, unless the function changes it */
		if (c->global[i].a &&
		    (c->global[i].changed || c->global[i].a == ERRNO_PLACE || !place_is_system(c->global[i].a)))
			tell_place(c, &c->global[i]);
}
