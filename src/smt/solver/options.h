/* SPDX-License-Identifier: MIT */
/* What options of a script or of a solver's command line do to answers. */
#ifndef SMT_SOLVER_OPTIONS_H
#define SMT_SOLVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_NONE,     /* there is none */
	OPTION_PLAIN,    /* nothing: a solver that ignores it answers the same */
	OPTION_HARMLESS, /* how long they take and whether they come, not what they mean */
	OPTION_MEANING,  /* not known to be one of these: what is learnt under it holds under it only */
};

/* Of an option's name, with or without a colon or dashes before it. */
enum option_kind option_kind(const char *name, size_t n);
/* Of a word of a command line: "-t:20", "--seed=7", "smt.random_seed=7"; OPTION_NONE: it is not an option. */
enum option_kind option_word(const char *word, size_t n);
/* The option that says where answers go. */
bool option_channel(const char *name, size_t n);
/* z3's :smtlib2_compliant, as an option's name or as a word of a command line that sets it to true. While it is on,
 * every parameter that a script sets switches :print-success on. */
bool option_compliant(const char *name, size_t n);
bool option_word_compliant(const char *word, size_t n);
/* A parameter of z3's, not an option that its command set-option knows itself. */
bool option_parameter(const char *name, size_t n);

#endif
