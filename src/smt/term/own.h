/* SPDX-License-Identifier: MIT */
/* Names that a script gives to functions of its own which terms then use like those of a theory: recursive functions,
 * the constructors, selectors and testers of datatypes. What they mean is in the scope's context; here it is kept
 * that they are names, so that nothing else of the same name is taken for them. */
#ifndef SMT_TERM_OWN_H
#define SMT_TERM_OWN_H

#include "smt/term/scope.h"

/* Declares the names in a define-fun-rec, define-funs-rec, declare-datatype, declare-datatypes or declare-codatatypes.
 * RC_NO: of a form that is not followed, a second use of a name, or a name that has a meaning here. The scope is
 * uncacheable then. */
enum rc own_declare(struct scope *s, const struct sexpr *x);

#endif
