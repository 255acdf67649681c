/* SPDX-License-Identifier: MIT */
/* What a script declares and asserts, as terms and as a query. Scripts, the cores of a store and the definitions of a
 * model are all read with it.
 *
 * Commands that only add to the assertion stack are statements: rows of one table (reader.c). What is done about any
 * other command, and about one that is not understood, is up to the caller. */
#ifndef SMT_TERM_READER_H
#define SMT_TERM_READER_H

#include "smt/term/build.h"
#include "smt/term/query.h"

struct reader {
	struct dag dag;
	struct scope scope;
	struct builder builder;
	struct sexpr x; /* the command being read */
	VEC(uint32_t) assertion;
	struct query query; /* as reader_query left it */
};

enum {
	STATEMENT_DECLARES = 1,    /* a declaration or definition */
	STATEMENT_OWN_SYMBOLS = 2, /* of symbols that terms use like those of a theory */
	STATEMENT_ASSERTS = 4,     /* restricts the models of what is asked next */
};

struct statement {
	const char *name;
	/* Takes the command in r->x. RC_NO: it is of a form that we do not follow. */
	enum rc (*take)(struct reader *r);
	unsigned flags; /* of the above */
};

/* A reader must not be moved: its parts point to one another. */
void reader_init(struct reader *r);
void reader_release(struct reader *r);
/* As after a reset. */
void reader_clear(struct reader *r);

/* NULL: no statement has this name. */
const struct statement *statement_find(const char *name, size_t n);
/* Takes the command in r->x; RC_NO also when it is not a statement. */
enum rc reader_command(struct reader *r);
/* Makes r->query of everything asserted. */
void reader_query(struct reader *r);
/* Reads a whole text of statements from an empty state and makes its query. RC_NO: some command is not understood. */
enum rc reader_text(struct reader *r, const char *text, size_t n);

#endif
