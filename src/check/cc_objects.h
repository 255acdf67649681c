/* SPDX-License-Identifier: MIT */
/* What the object files of a link say: which were compiled with the write barrier, and which functions have their
 * contracts checked.
 *
 * A compiled file has the name MARK_CHECKED FUNCTION MARK_END for each function whose contract is checked in it,
 * and MARK_PROMISED FUNCTION MARK_END PLACE MARK_END for each whose contract it has read (in a header, say) and
 * that it does not define. In a place, characters other than letters, digits and _ are written as .XX, their code. */
#ifndef CHECK_CC_OBJECTS_H
#define CHECK_CC_OBJECTS_H

#include "data/strings.h"

#include <stdbool.h>

#define MARK_CHECKED "__rf_pred."
#define MARK_PROMISED "__rf_want."
#define MARK_END ".."

/* Looks at object files, archives and shared libraries. Appends a warning (the caller frees them) for each that has
 * code without the barrier, and for each contract that is checked nowhere: of a function that a file promises, or
 * that `promised` has (PLACE and NAME by turns). promised NULL: contracts are not looked at. True if code without
 * the barrier calls code that has it: then stores between two checks may go unseen, and marks are not to be relied
 * on. lto: object files of the compiler's own intermediate code get the barrier at the link. */
bool cc_objects_mixed(const struct strings *files, bool lto, const struct strings *promised, struct strings *warnings);

#endif
