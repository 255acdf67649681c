/* SPDX-License-Identifier: MIT */
/* Spelling of constants. The common case, a bit-vector of up to 64 bits, is done without a big number. */
#include "smt/term/literal.h"

#include <string.h>

enum { MAX_LIMBS = 64 };

void literal_print_bits(struct buf *out, const uint64_t *limbs, uint32_t w)
{
	unsigned step = w % 4 ? 1 : 4;
	buf_str_add(out, step == 4 ? "#x" : "#b");
	vec_reserve(out, w / step + 1);
	for (uint32_t at = w; at > 0;) {
		at -= step;
		out->at[out->n++] = "0123456789abcdef"[limbs[at / 64] >> (at % 64) & ((1u << step) - 1)];
	}
	out->at[out->n] = 0;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

uint32_t literal_read_bits(const char *text, size_t n, uint64_t *limbs, size_t max)
{
	if (n < 3 || text[0] != '#' || (text[1] != 'x' && text[1] != 'b'))
		return 0;
	unsigned step = text[1] == 'x' ? 4 : 1;
	if (n - 2 > max * 64 / step)
		return 0;
	uint32_t w = (uint32_t)(n - 2) * step;
	if (w <= 64) {
		limbs[0] = 0;
		for (size_t i = 2; i < n; i++)
			limbs[0] = limbs[0] << step | hex_digit(text[i]);
		return w;
	}
	memset(limbs, 0, (w + 63) / 64 * sizeof *limbs);
	for (size_t i = n, at = 0; i-- > 2; at += step)
		limbs[at / 64] |= (uint64_t)hex_digit(text[i]) << (at % 64);
	return w;
}

uint32_t literal_label(struct dag *d, const struct sexpr *x, uint32_t node, struct buf *b)
{
	const char *text = x->text + x->at[node].off;
	size_t n = x->at[node].len;
	buf_clear(b);
	if (x->at[node].kind == SEXPR_HEX) {
		for (size_t i = 0; i < n; i++)
			buf_char(b, text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] | 32) : text[i]);
	} else if (x->at[node].kind == SEXPR_BINARY && (n - 2) % 4 == 0) {
		buf_str_add(b, "#x");
		for (size_t i = 2; i < n; i += 4)
			buf_char(b, "0123456789abcdef"[(text[i] - '0') << 3 | (text[i + 1] - '0') << 2 |
						       (text[i + 2] - '0') << 1 | (text[i + 3] - '0')]);
	} else if (x->at[node].kind == SEXPR_STRING) {
		buf_char(b, '"');
		buf_add(b, text, n);
		buf_char(b, '"');
	} else {
		buf_add(b, text, n);
	}
	return dag_label(d, LABEL_VALUE, b->at, b->n, "", 0);
}

/* limbs = limbs * 10 + digit; false when it does not fit */
static bool times_ten(uint64_t *limbs, size_t n, unsigned digit)
{
	unsigned __int128 carry = digit;
	for (size_t i = 0; i < n; i++) {
		carry += (unsigned __int128)limbs[i] * 10;
		limbs[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return carry == 0;
}

uint32_t literal_indexed(struct dag *d, const struct sexpr *x, uint32_t node, struct buf *b)
{
	uint32_t end = x->at[node].next, name = node + 2, width = node + 3;
	if (end != node + 4 || x->at[name].kind != SEXPR_SYMBOL || x->at[width].kind != SEXPR_NUMERAL ||
	    x->at[name].len < 3 || x->at[width].len > 5)
		return TERM_NONE;
	const char *text = x->text + x->at[name].off;
	if (text[0] != 'b' || text[1] != 'v')
		return TERM_NONE;
	uint32_t w = 0;
	for (uint32_t i = 0; i < x->at[width].len; i++)
		w = w * 10 + (uint32_t)(x->text[x->at[width].off + i] - '0');
	size_t limbs = (w + 63) / 64;
	uint64_t v[MAX_LIMBS];
	if (!w || limbs > MAX_LIMBS)
		return TERM_NONE;
	memset(v, 0, limbs * sizeof *v);
	for (uint32_t i = 2; i < x->at[name].len; i++)
		if (text[i] < '0' || text[i] > '9' || !times_ten(v, limbs, (unsigned)(text[i] - '0')))
			return TERM_NONE;
	if (w % 64 && v[limbs - 1] >> (w % 64))
		return TERM_NONE;
	buf_clear(b);
	literal_print_bits(b, v, w);
	return dag_label(d, LABEL_VALUE, b->at, b->n, "", 0);
}
