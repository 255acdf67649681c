/* SPDX-License-Identifier: MIT */
/* Which functions are copies that the compiler made with other parameters (NAME.isra.0, NAME.constprop.0,
 * NAME.part.0): only those do not follow the calling convention. Debug information does not say it: with -flto every
 * function looks like a copy of an abstract one. */
#ifndef PROFILE_CLONES_H
#define PROFILE_CLONES_H

#include "base/bits.h"
#include "data/vec.h"

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct clones {
	bool known;          /* the file has a symbol table */
	VEC(uint64_t) entry; /* sorted */
};

void clones_read(struct clones *c, Elf *elf);
/* unknown: the answer when there is no symbol table. */
bool clones_has(const struct clones *c, uint64_t entry, bool unknown);
void clones_release(struct clones *c);

#endif
