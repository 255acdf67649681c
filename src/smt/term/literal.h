/* SPDX-License-Identifier: MIT */
/* One spelling for each constant: bit-vectors as #x… when the width is a multiple of four, else #b…, lower case. */
#ifndef SMT_TERM_LITERAL_H
#define SMT_TERM_LITERAL_H

#include "smt/sexpr.h"
#include "smt/term/dag.h"

/* The label of the literal at node (hex, binary, numeral, decimal, string). */
uint32_t literal_label(struct dag *d, const struct sexpr *x, uint32_t node, struct buf *scratch);
/* The label of (_ bvN W) at node; TERM_NONE when it is something else, or N does not fit into W bits. */
uint32_t literal_indexed(struct dag *d, const struct sexpr *x, uint32_t node, struct buf *scratch);
/* Appends the literal of width w whose value is in limbs (least significant first, (w + 63) / 64 of them). */
void literal_print_bits(struct buf *out, const uint64_t *limbs, uint32_t w);
/* Reads a "#x…" or "#b…" text into limbs (room for 64 · max bits); its width, or 0 when it does not fit. */
uint32_t literal_read_bits(const char *text, size_t n, uint64_t *limbs, size_t max);

#endif
