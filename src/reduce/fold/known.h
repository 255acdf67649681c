/* SPDX-License-Identifier: MIT */
/* "Is this variant known?", decided in one place. */
#ifndef REDUCE_RUN_KNOWN_H
#define REDUCE_RUN_KNOWN_H

#include "reduce/fold/engine.h"

/* What is known about a candidate without starting a test. */
enum known {
	KNOWN_NOTHING, /* a test is needed */
	KNOWN_FAILED,  /* counts as a failure, and nothing is to be remembered */
	KNOWN_EMPTY,   /* it changes nothing: counts as a success */
	KNOWN_NO,      /* the test said so about this text, */
	KNOWN_YES,     /* before this pass or as another sequence of tokens */
};

/* The minimum that an edit was made for: this one, an earlier one of the same base, or one of another base. */
enum made_for { FOR_THIS, FOR_EARLIER, FOR_OTHER_BASE };

/* Makes s of the edit and looks at everything that costs no walk over the program: never KNOWN_NO or KNOWN_YES. */
enum known known_cheaply(struct engine *g, const struct edit *e, enum made_for made_for, struct step *s);
/* Whether the edit, which makes s of the minimum, would bring a longer word back. */
bool known_to_lengthen(const struct model *m, const struct edit *e, enum made_for made_for, const struct step *s);
/* What the asker knows about the text of s: KNOWN_NOTHING, KNOWN_NO or KNOWN_YES. The last thing to look at before a
 * test of s. */
enum known known_by_text(struct engine *g, const struct step *s);

#endif
