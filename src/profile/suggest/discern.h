/* SPDX-License-Identifier: MIT */
/* The rows of a function while its cases are made, and the choice of the value that tells them apart. */
#ifndef PROFILE_DISCERN_H
#define PROFILE_DISCERN_H

#include "profile/suggest/key.h"
#include "profile/names.h"
#include "profile/suggest/span.h"

enum { KIND_BAD = 1, KIND_CHEAP = 2 };

/* What was collected on the way to a step. */
struct path {
	unsigned bytes, depth;
	uint32_t spans; /* one bit each */
	struct collected {
		bool done, text, tested;
		bool sure; /* enough inputs came this far when it was collected */
		enum key_kind kind;
		unsigned at;
		uint8_t have;           /* KEY_BYTES: the bytes that were collected, one bit each */
		unsigned short byte[8]; /* and where in the key they are */
	} * of;                         /* by node */
};

struct maker {
	struct key *k;
	const struct names *n;
	const struct profile_function *f;
	uint32_t nodes;
	bool *covered;                     /* by node: part of a string, or without a name and always the same */
	const struct profile_half **value; /* by 2 * node + half; NULL: none, or too many */
	char **bad;                        /* by row: why it cannot be cached, or NULL */
	uint64_t *kind;                    /* by row: KIND_…, or a hash of what it reads and writes */
	double cheap;
	VEC(struct span) span;
	uint32_t *span_in, *span_out; /* by node: the number of the span it is part of, from 1 */
};

struct rowset {
	VEC_FIELDS(uint32_t);
};

struct sample {
	uint32_t value, row;
	uint64_t kind, calls;
};

struct test {
	uint32_t node, half;
	double left; /* entropy */
	size_t groups, values;
	VEC_FIELDS(struct sample); /* by value, then kind */
};

static inline const struct vg_shape *shape_of(const struct maker *m, uint32_t node)
{
	return &m->f->shape.at[node - 1].s;
}

static inline unsigned class_of(const struct maker *m, uint32_t row, uint32_t node, unsigned byte)
{
	const struct profile_row *r = &m->f->rows.at[row];
	return node <= r->n ? r->at[(node - 1) * VG_ROW_BYTES + byte] : 0;
}

/* The deciding value of a row; false when it has none that can be compared. null: only whether it is NULL decides. */
bool discern_value(const struct maker *m, uint32_t row, uint32_t node, unsigned half, bool null, uint32_t *out);
/* The collected value that tells most; false when none tells anything. The caller releases best. */
bool discern(const struct maker *m, const struct rowset *rows, const struct path *p, struct test *best);
/* Behind the last sample with the value of the one at from. */
size_t discern_same_value(const struct test *t, size_t from);
/* The set of kinds that samples [from, to) lead to, as a hash. */
uint64_t discern_kinds(const struct sample *s, size_t from, size_t to);

#endif
