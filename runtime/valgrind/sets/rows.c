/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which places go together. A row is what calls have in common: for each node of the function's shape whether it was
 * read, as a pointer, as NULL or with which value, and whether it was written. Calls that agree in all of that are one
 * row, which counts them and their cost. refrain finds in the rows the values that decide what a call reads.
 *
 * Values are kept by halves of 4 bytes, MAX_VALUES of each; a half with more has no values any more. When there are too
 * many rows, the half with the most values loses them, which joins rows: what is left tells the same, less finely. */
#include "sets.h"

enum { MAX_ROWS = 1024, MAX_VALUES = 64, TABLE = 4 * MAX_ROWS, DIGESTS = 1 << 15 };

struct half {
	UChar n, bits;
	Bool many;
	UInt value[MAX_VALUES];
};

struct row {
	ULong calls, cost, hash;
	UInt flags, inputs;
};

struct digest {
	ULong value;
	UInt row; /* + 1 */
};

struct rows {
	UInt n;
	Bool lost;
	UInt nodes; /* highest node of the call at hand, and of all */
	UInt all_nodes;
	struct half half[SHAPE_NODES][2];
	UChar now[SHAPE_NODES][VG_ROW_BYTES];
	struct row row[MAX_ROWS];
	UChar at[MAX_ROWS][SHAPE_NODES][VG_ROW_BYTES];
	UShort table[TABLE];           /* row + 1 */
	struct digest digest[DIGESTS]; /* of inputs seen before */
};

struct rows *rows_new(void)
{
	return budget_alloc("rf.rows", sizeof(struct rows));
}

void rows_free(struct rows *r)
{
	budget_free(r, sizeof *r);
}

/* 0 when it is a value of which there are too many. */
static UChar class_of(struct half *h, UInt v, UInt bits)
{
	if (h->n && h->bits != bits)
		h->many = True;
	if (h->many)
		return VG_CLASS_MANY;
	h->bits = (UChar)bits;
	for (UInt i = 0; i < h->n; i++)
		if (h->value[i] == v)
			return (UChar)(VG_CLASS_VALUE + i);
	if (h->n == MAX_VALUES) {
		h->many = True;
		return VG_CLASS_MANY;
	}
	h->value[h->n] = v;
	return (UChar)(VG_CLASS_VALUE + h->n++);
}

static UChar *now(struct rows *r, UInt node)
{
	if (node > r->nodes)
		r->nodes = node;
	return r->now[node - 1];
}

void rows_value(struct rows *r, UInt node, ULong v, UInt bits, Bool pointer)
{
	UChar *c = now(r, node);
	c[3] |= (UChar)bits;
	if (pointer || (bits == 0xff && !v)) {
		c[0] = pointer ? VG_CLASS_POINTER : VG_CLASS_ZERO;
		return;
	}
	v &= byte_mask(bits);
	for (UInt h = 0; h < 2; h++)
		if (bits >> 4 * h & 15)
			c[h] = class_of(&r->half[node - 1][h], (UInt)(v >> 32 * h), bits >> 4 * h & 15);
}

void rows_write(struct rows *r, UInt node, UInt state, UInt bits)
{
	now(r, node)[2] |= (UChar)state;
	now(r, node)[4] |= (UChar)bits;
}

static ULong hash_of(UChar at[][VG_ROW_BYTES], UInt nodes, UInt flags)
{
	ULong h = flags;
	for (UInt i = 0; i < nodes; i++)
		if (at[i][0] | at[i][1] | at[i][2])
			h ^= mix64((ULong)(i + 1) << 40 | (ULong)at[i][4] << 32 | (ULong)at[i][3] << 24 |
				   (ULong)at[i][0] << 16 | (ULong)at[i][1] << 8 | at[i][2]);
	return h;
}

/* The row of these classes: its number + 1; 0: there is none. */
static UInt find(const struct rows *r, ULong hash, UChar at[][VG_ROW_BYTES], UInt flags, UInt *slot)
{
	for (*slot = (UInt)mix64(hash) % TABLE; r->table[*slot]; *slot = (*slot + 1) % TABLE) {
		UInt i = r->table[*slot] - 1;
		if (r->row[i].hash == hash && r->row[i].flags == flags &&
		    VG_(memcmp)(r->at[i], at, r->all_nodes * VG_ROW_BYTES) == 0)
			return i + 1;
	}
	return 0;
}

/* Rows that became equal are joined. */
static void join(struct rows *r)
{
	static UShort to[MAX_ROWS];
	UInt n = r->n, slot;
	VG_(memset)(r->table, 0, sizeof r->table);
	r->n = 0;
	for (UInt i = 0; i < n; i++) {
		struct row old = r->row[i];
		old.hash = hash_of(r->at[i], r->all_nodes, old.flags);
		UInt k = find(r, old.hash, r->at[i], old.flags, &slot);
		if (k) {
			r->row[k - 1].calls += old.calls;
			r->row[k - 1].cost += old.cost;
			r->row[k - 1].inputs += old.inputs;
		} else {
			k = ++r->n;
			r->row[k - 1] = old;
			if (k - 1 != i)
				VG_(memcpy)(r->at[k - 1], r->at[i], sizeof r->at[i]);
			r->table[slot] = (UShort)k;
		}
		to[i] = (UShort)k;
	}
	for (UInt i = 0; i < DIGESTS; i++)
		if (r->digest[i].row)
			r->digest[i].row = to[r->digest[i].row - 1];
}

/* Takes the values of one half away; False when none has any. */
static Bool coarser(struct rows *r)
{
	struct half *most = NULL;
	UInt node = 0, side = 0;
	for (UInt i = 0; i < r->all_nodes; i++)
		for (UInt h = 0; h < 2; h++)
			if (!r->half[i][h].many && r->half[i][h].n && (!most || r->half[i][h].n > most->n)) {
				most = &r->half[i][h];
				node = i;
				side = h;
			}
	if (!most)
		return False;
	most->many = True;
	for (UInt i = 0; i < r->n; i++)
		if (r->at[i][node][side] >= VG_CLASS_VALUE)
			r->at[i][node][side] = VG_CLASS_MANY;
	if (r->now[node][side] >= VG_CLASS_VALUE)
		r->now[node][side] = VG_CLASS_MANY;
	return True;
}

/* Classes given before a half lost its values. */
static void settle(struct rows *r)
{
	for (UInt i = 0; i < r->all_nodes; i++)
		for (UInt h = 0; h < 2; h++)
			if (r->half[i][h].many && r->half[i][h].n) {
				r->half[i][h].n = 0;
				for (UInt k = 0; k < r->n; k++)
					if (r->at[k][i][h] >= VG_CLASS_VALUE)
						r->at[k][i][h] = VG_CLASS_MANY;
			}
}

void rows_end(struct rows *r, ULong digest, UInt flags, ULong cost)
{
	UInt slot, row = 0;
	if (r->nodes > r->all_nodes)
		r->all_nodes = r->nodes;
	if (!r->lost) {
		ULong hash = hash_of(r->now, r->all_nodes, flags);
		row = find(r, hash, r->now, flags, &slot);
		while (!row && r->n == MAX_ROWS && !r->lost) {
			r->lost = !coarser(r);
			settle(r);
			join(r);
			hash = hash_of(r->now, r->all_nodes, flags);
			row = find(r, hash, r->now, flags, &slot);
		}
		if (!row && !r->lost) {
			row = ++r->n;
			r->row[row - 1] = (struct row){.hash = hash, .flags = flags};
			VG_(memcpy)(r->at[row - 1], r->now, sizeof r->now);
			r->table[slot] = (UShort)row;
		}
	}
	if (row) {
		r->row[row - 1].inputs++;
		r->row[row - 1].calls++;
		r->row[row - 1].cost += cost;
		r->digest[digest % DIGESTS] = (struct digest){digest, row};
	}
	VG_(memset)(r->now, 0, r->nodes * VG_ROW_BYTES);
	r->nodes = 0;
}

void rows_again(struct rows *r, ULong digest, ULong cost)
{
	const struct digest *d = &r->digest[digest % DIGESTS];
	if (d->row && d->value == digest) {
		r->row[d->row - 1].calls++;
		r->row[d->row - 1].cost += cost;
	}
}

void rows_tell(struct rows *r, UInt fn)
{
	settle(r);
	join(r);
	for (UInt i = 0; i < r->all_nodes; i++)
		for (UInt h = 0; h < 2; h++) {
			const struct half *x = &r->half[i][h];
			struct vg_values v = {fn, i + 1, h, x->bits};
			struct out_part parts[] = {{&v, sizeof v}, {x->value, x->n * sizeof *x->value}};
			if (x->n && !x->many)
				out_parts(VG_VALUES, parts, 2);
		}
	for (UInt i = 0; i < r->n && !r->lost; i++) {
		struct vg_row v = {
			fn, r->all_nodes, r->row[i].flags, r->row[i].inputs, r->row[i].calls, r->row[i].cost};
		struct out_part parts[] = {{&v, sizeof v}, {r->at[i], r->all_nodes * VG_ROW_BYTES}};
		out_parts(VG_ROW, parts, 2);
	}
}
