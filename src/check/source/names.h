/* SPDX-License-Identifier: MIT */
/* Resolving the names in expressions, for resolve.c. */
#ifndef CHECK_ANNOT_NAMES_H
#define CHECK_ANNOT_NAMES_H

#include "check/source/annot.h"

struct names {
	const struct annot_set *set;
	const struct members *members; /* NULL: nothing is known of C types */
	struct regtype *reg;           /* the type it stands in … */
	const struct pred *pred;       /* … or the predicate */
	struct err *e;
};

enum expr_place { IN_RELATION, IN_MEASURE, IN_BOUND };

enum rc names_in_type(const struct names *n, struct expr *x, enum expr_place where);
enum rc names_in_relation(const struct names *n, struct expr *x);
/* The term of a literal TYPE(TERM). */
enum rc names_of_term(const struct names *n, struct expr *x, bool post);
/* post: of a postcondition; old: inside old(…). */
enum rc names_in_pred(const struct names *n, struct expr *x, bool post, bool old);

#endif
