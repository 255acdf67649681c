/* SPDX-License-Identifier: MIT */
/* The declaration graph of a base: which parts of a program declare what, and which names each of them uses.
 *
 * A *unit* is a piece that may go as a whole: a declaration in a file, namespace or class, and some parts of one (a
 * base clause, a default value). Units form a forest; they stand in preorder. A unit declares names and uses words;
 * both are plain text, with no scopes: a name that is declared twice is there as long as one of its units is. That
 * errs on the safe side when units are kept and is cheap enough for a million tokens.
 *
 * To add a language: see unit_rules.h. */
#ifndef REDUCE_MODEL_UNITS_H
#define REDUCE_MODEL_UNITS_H

#include "reduce/model/names.h"
#include "reduce/model/variant.h"

struct complaints;

#define UNIT_NONE UINT32_MAX

enum unit_kind {
	UNIT_ITEM,
	UNIT_CONTAINER, /* namespace, extern "C": needs nothing and declares nothing */
	UNIT_PART,      /* of the unit above: stays with it unless it is deleted itself */
	UNIT_LABEL      /* `public:`: stays with its class */
};

/* Whose names a unit has. */
enum unit_borrows {
	BORROWS_NOTHING,   /* its own */
	BORROWS_IMPORT,    /* of what it imports, which may be a unit of the program */
	BORROWS_EXTENSION, /* of what it adds something to: it is there only with that */
};

struct unit {
	struct span span;    /* base tokens */
	uint32_t node, file; /* in the file's syntax */
	uint32_t parent;     /* UNIT_NONE: top */
	uint32_t end;        /* one past its last descendant */
	uint32_t body;       /* of a function: token of the `{`, or of the constructor's initialisers; else UNIT_NONE */
	uint32_t name, n_names, use, n_uses; /* in names[] and uses[] */
	uint32_t tokens;                     /* its own, without those of units below */
	enum unit_kind kind;
	enum unit_borrows borrows;
	bool qualified;   /* a definition outside of its class */
	bool main_source; /* in the file that was preprocessed, not in what it includes */
};

struct name_list {
	uint32_t first, n;
};

struct units {
	VEC_FIELDS(struct unit);
	struct {
		VEC_FIELDS(uint32_t);
	} names, uses;                           /* names by number, unit by unit */
	uint32_t n_names;                        /* distinct names */
	struct names text;                       /* their texts */
	struct name_list *declared_by, *used_by; /* per name: units, in declarers[] and users[] */
	uint32_t *declarers, *users;
	uint32_t *alive_count; /* scratch of units_kill: per name, declarers that are not killed */
	bool *imported;        /* per name: nothing but imports declares it */
};

/* False when no file has a language with rules, or nothing but one unit. */
bool units_make(struct units *u, const struct model *m);
void units_release(struct units *u);

/* Whether a unit that has this name is one of those without which the name is not there. */
static inline bool units_declares(const struct units *u, uint32_t unit, uint32_t name)
{
	enum unit_borrows b = u->at[unit].borrows;
	return b == BORROWS_NOTHING || (b == BORROWS_IMPORT && u->imported[name]);
}

/* The units the program is about: what stands in the main source of a preprocessed file, else what declares `main`. An
 * array per unit, to be freed; all false when there is neither. */
bool *units_roots(const struct units *u, const struct model *m);

/* Which units are reached by name from the roots. A unit with root[i] set is alive with all below it; those with
 * killed[i] (may be NULL) never are. What contains a living unit lives, what stands in a class only if the class
 * does. */
void units_mark(const struct units *u, const bool *root, const bool *killed, bool *alive);

/* From which units all others are reached by name: the roots, and from the end of the files backwards whatever was not
 * reached so far (what is used stands before its users, as a rule). */
void units_stays(const struct units *u, const bool *root, bool *stay);

/* Adds to killed[] (all below it included) what cannot do without unit i: units that use a name which nobody
 * declares any more, and so on. Appends the units killed to list. False, and nothing is changed, when a unit with
 * keep[] would be killed. */
struct unit_list {
	VEC_FIELDS(uint32_t);
};
bool units_kill(struct units *u, uint32_t i, const bool *keep, bool *killed, struct unit_list *list);
/* The innermost unit around a base token, containers and parts passed over; UNIT_NONE: none. */
uint32_t units_at(const struct units *u, uint32_t token);
/* Appends the units, each once, that declare a name which is complained about. */
void units_named(const struct units *u, const struct complaints *c, struct unit_list *out);
/* Appends those at which the complaints stand. */
void units_blamed(const struct units *u, const struct complaints *c, struct unit_list *out);
/* Takes back what was killed from list[from] on. */
void units_revive(struct units *u, bool *killed, struct unit_list *list, size_t from);

#endif
