/* SPDX-License-Identifier: MIT */
/* Which object files of a link were compiled with the write barrier. */
#ifndef CHECK_CC_OBJECTS_H
#define CHECK_CC_OBJECTS_H

#include "data/strings.h"

#include <stdbool.h>

/* Looks at object files and archives. Appends a warning for each that has code without the barrier (the caller frees
 * them). True if one of those calls code that has it: then stores between two checks may go unseen, and marks are not
 * to be relied on. lto: object files of the compiler's own intermediate code get the barrier at the link. */
bool cc_objects_mixed(const struct strings *files, bool lto, struct strings *warnings);

#endif
