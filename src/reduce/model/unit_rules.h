/* SPDX-License-Identifier: MIT */
/* What the declaration graph has to know of a language: which nodes of its grammar hold declarations, and how each of
 * these says the names that it makes. See units.h.
 *
 * To add a language: a list of node_class and a row in unit_rules[] (unit_rules.c). */
#ifndef REDUCE_MODEL_UNIT_RULES_H
#define REDUCE_MODEL_UNIT_RULES_H

#include "reduce/syntax/syntax.h"

#include <stdbool.h>
#include <stddef.h>

enum class {
	OTHER,
	LIST,        /* its children are units */
	MEMBERS,     /* a list inside a SPECIFIER, else a block of statements */
	WRAP,        /* around a declaration, or a list of them */
	SPECIFIER,   /* class, struct, union, enum: its first identifier is its name */
	NAMED,       /* its first identifier is its name, however deep */
	METHOD,      /* the first identifier among its children is its name */
	TYPED,       /* the last identifier among its children is its name */
	EXTENSION,   /* adds to the type whose name is the last among its children; it declares nothing of its own */
	USING,       /* its last identifier is its name */
	IMPORT,      /* all its identifiers are names */
	PATH_IMPORT, /* the last part of a path in quotes is its name, and so are its identifiers */
	ASSIGNING,   /* a statement: what its ASSIGNMENTs put something in are its names */
	ASSIGNMENT,  /* its first child is what gets the value, or several with commas between them: */
	PATTERN,     /* … all identifiers in it */
	MEMBER,      /* … the last identifier: `a.b = …` declares b */
	DECLARATION, /* a type and declarators */
	NAMESPACE,
	MODULE, /* a namespace that is there even if nothing is in it */
	TYPE,
	IDENTIFIER,
	DECLARATOR,
	OPERATOR,
	DESTRUCTOR,
	QUALIFIED,
	PARAMETERS,
	BODY,
	INITIALISERS,
	PART,
	DEFAULTED, /* `= value` inside is a part */
	ENUMERATOR,
	LABEL,
	PREFIX,      /* goes with the unit after it */
	CONDITIONAL, /* #if: a list and a container */
	MACRO,
	EXPRESSION
};

/* What a node is, by the name its grammar gives it. */
struct node_class {
	enum class class;
	const char *names; /* separated by spaces */
};

struct unit_rules {
	enum language_id language;
	const struct node_class *classes;
	size_t n;
	/* A body that fits every function; ";": a declaration without one, else empty braces; NULL: unknown. */
	const char *body;
	bool scripted; /* what declares nothing is run, so it stays */
	bool filled;   /* a class must have something in it */
	bool chained;  /* each statement makes a name that later ones need */
};

/* NULL: there are none for this language. */
const struct unit_rules *unit_rules_of(enum language_id language);

#endif
