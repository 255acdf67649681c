/* SPDX-License-Identifier: MIT */
/* Operators on values. Up to 64 bits everything is done on one word; wider bit-vectors have what occurs in practice
 * (no division): an operator that is not known there is answered with "not known", never with a guess. */
#include "smt/value/value.h"

#include "smt/term/signature.h"
#include "smt/value/number.h"

#include <string.h>

static const struct {
	const char *name;
	uint16_t code;
	int indices;
} indexed[] = {
	{"extract", OP_EXTRACT, 2}, {"zero_extend", OP_ZERO_EXTEND, 1}, {"sign_extend", OP_SIGN_EXTEND, 1},
	{"repeat", OP_REPEAT, 1},   {"rotate_left", OP_ROTATE_LEFT, 1}, {"rotate_right", OP_ROTATE_RIGHT, 1},
};

static const char *number(const char *p, const char *end, uint32_t *out)
{
	const char *start = p;
	for (*out = 0; p < end && *p >= '0' && *p <= '9' && p - start < 9; p++)
		*out = *out * 10 + (uint32_t)(*p - '0');
	return p > start ? p : NULL;
}

/* "(_ NAME I)" or "(_ NAME I J)" */
static struct value_op find_indexed(const char *text, size_t n)
{
	const char *p = text + 3, *end = text + n - 1;
	for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++) {
		size_t len = strlen(indexed[i].name);
		struct value_op op = {indexed[i].code, 0, 0};
		if ((size_t)(end - p) <= len + 1 || memcmp(p, indexed[i].name, len) || p[len] != ' ')
			continue;
		const char *q = number(p + len + 1, end, &op.a);
		if (q && indexed[i].indices == 2)
			q = *q == ' ' ? number(q + 1, end, &op.b) : NULL;
		if (q == end)
			return op;
	}
	return (struct value_op){0};
}

struct value_op value_op_find(const char *text, size_t n)
{
	if (n > 4 && !memcmp(text, "(_ ", 3))
		return find_indexed(text, n);
	if (n > 11 && !memcmp(text, "(as const (", 11))
		return (struct value_op){OP_CONST_ARRAY, 0, 0};
	const struct signature *f = signature_find(text, n);
	return (struct value_op){f ? f->code : OP_NONE, 0, 0};
}

struct value_op value_op_of(struct value_op *kept, const struct label *l)
{
	if (kept->code == UINT16_MAX)
		*kept = l->kind == LABEL_OP ? value_op_find(l->text, l->len) : (struct value_op){0};
	return *kept;
}

static uint64_t mask(uint32_t w)
{
	return w >= 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1;
}

static int64_t as_signed(uint64_t u, uint32_t w)
{
	return (int64_t)(u << (64 - w)) >> (64 - w);
}

static struct value boolean(bool b)
{
	return (struct value){.type = VALUE_BOOL, .u = b};
}

/* ---- division as SMT-LIB defines it: by zero gives all ones, the remainder is the dividend */

static uint64_t udiv(uint64_t a, uint64_t b, uint32_t w)
{
	return b ? a / b : mask(w);
}

static uint64_t urem(uint64_t a, uint64_t b)
{
	return b ? a % b : a;
}

static uint64_t negate(uint64_t a, uint32_t w)
{
	return (0 - a) & mask(w);
}

static uint64_t signed_division(uint16_t code, uint64_t a, uint64_t b, uint32_t w)
{
	bool na = a >> (w - 1) & 1, nb = b >> (w - 1) & 1;
	uint64_t pa = na ? negate(a, w) : a, pb = nb ? negate(b, w) : b;
	if (code == OP_BVSDIV) {
		uint64_t q = udiv(pa, pb, w);
		return na != nb ? negate(q, w) : q;
	}
	uint64_t r = urem(pa, pb);
	if (code == OP_BVSREM)
		return na ? negate(r, w) : r;
	/* bvsmod: the sign follows the divisor */
	if (!r)
		return 0;
	if (na && nb)
		return negate(r, w);
	if (na)
		return (b - r) & mask(w);
	return nb ? (r + b) & mask(w) : r;
}

static uint64_t shift(uint16_t code, uint64_t a, uint64_t by, uint32_t w)
{
	if (code == OP_BVASHR)
		return (uint64_t)(as_signed(a, w) >> (by >= w ? w - 1 : by)) & mask(w);
	if (by >= w)
		return 0;
	return code == OP_BVSHL ? a << by & mask(w) : a >> by;
}

static bool binary_word(uint16_t code, uint64_t a, uint64_t b, uint32_t w, uint64_t *out)
{
	switch (code) {
	case OP_BVAND:
		*out = a & b;
		break;
	case OP_BVOR:
		*out = a | b;
		break;
	case OP_BVXOR:
		*out = a ^ b;
		break;
	case OP_BVNAND:
		*out = ~(a & b);
		break;
	case OP_BVNOR:
		*out = ~(a | b);
		break;
	case OP_BVXNOR:
		*out = ~(a ^ b);
		break;
	case OP_BVADD:
		*out = a + b;
		break;
	case OP_BVSUB:
		*out = a - b;
		break;
	case OP_BVMUL:
		*out = a * b;
		break;
	case OP_BVUDIV:
		*out = udiv(a, b, w);
		break;
	case OP_BVUREM:
		*out = urem(a, b);
		break;
	case OP_BVSDIV:
	case OP_BVSREM:
	case OP_BVSMOD:
		*out = signed_division(code, a, b, w);
		break;
	case OP_BVSHL:
	case OP_BVLSHR:
	case OP_BVASHR:
		*out = shift(code, a, b, w);
		break;
	default:
		return false;
	}
	*out &= mask(w);
	return true;
}

static bool compare(uint16_t code, const struct value *a, const struct value *b, struct value *out)
{
	int c = 0;
	bool is_signed = code >= OP_BVSLT;
	uint32_t w = a->width;
	if (w <= 64) {
		uint64_t x = a->u, y = b->u;
		if (is_signed)
			x ^= (uint64_t)1 << (w - 1), y ^= (uint64_t)1 << (w - 1);
		c = x < y ? -1 : x > y;
	} else {
		for (size_t i = value_limbs(w); i-- > 0 && !c;) {
			uint64_t x = a->limbs[i], y = b->limbs[i];
			if (is_signed && i == value_limbs(w) - 1) {
				uint64_t top = (uint64_t)1 << ((w - 1) % 64);
				x ^= top, y ^= top;
			}
			c = x < y ? -1 : x > y;
		}
	}
	switch (code) {
	case OP_BVULT:
	case OP_BVSLT:
		*out = boolean(c < 0);
		return true;
	case OP_BVULE:
	case OP_BVSLE:
		*out = boolean(c <= 0);
		return true;
	case OP_BVUGT:
	case OP_BVSGT:
		*out = boolean(c > 0);
		return true;
	default:
		*out = boolean(c >= 0);
		return true;
	}
}

/* ---- any width, bit strings in limbs */

static const uint64_t *limbs_of(const struct value *v)
{
	return v->width > 64 ? v->limbs : &v->u;
}

/* Bits lo … lo + 63 of v; beyond its width zeros. */
static uint64_t word_at(const struct value *v, uint64_t lo)
{
	size_t n = value_limbs(v->width), i = (size_t)(lo / 64);
	const uint64_t *l = limbs_of(v);
	uint64_t x = i < n ? l[i] >> (lo % 64) : 0;
	if (lo % 64 && i + 1 < n)
		x |= l[i + 1] << (64 - lo % 64);
	return x;
}

static bool bit_at(const struct value *v, uint32_t i)
{
	return limbs_of(v)[i / 64] >> (i % 64) & 1;
}

/* A value of width w from limbs, trimmed. */
static struct value make_bits(struct arena *mem, const uint64_t *limbs, uint32_t w)
{
	struct value v = {.type = VALUE_BITS, .width = w};
	if (w <= 64) {
		v.u = limbs[0] & mask(w);
		return v;
	}
	uint64_t *copy = arena_dup(mem, limbs, value_limbs(w) * sizeof *limbs);
	if (w % 64)
		copy[w / 64] &= mask(w % 64);
	v.limbs = copy;
	return v;
}

enum { MAX_LIMBS = VALUE_MAX_BITS / 64 };

static bool extract(struct arena *mem, const struct value *v, uint32_t lo, uint32_t w, struct value *out)
{
	uint64_t l[MAX_LIMBS];
	for (size_t i = 0; i < value_limbs(w); i++)
		l[i] = word_at(v, (uint64_t)lo + i * 64);
	*out = make_bits(mem, l, w);
	return true;
}

static bool extend(struct arena *mem, const struct value *v, uint64_t more, bool sign, struct value *out)
{
	uint64_t w = v->width + more;
	if (w > VALUE_MAX_BITS)
		return false;
	uint64_t l[MAX_LIMBS];
	bool ones = sign && bit_at(v, v->width - 1);
	for (size_t i = 0; i < value_limbs((uint32_t)w); i++) {
		l[i] = word_at(v, i * 64);
		if (ones && (i + 1) * 64 > v->width)
			l[i] |= i * 64 >= v->width ? UINT64_MAX : ~mask(v->width % 64);
	}
	*out = make_bits(mem, l, (uint32_t)w);
	return true;
}

static bool concat(struct arena *mem, const struct value *hi, const struct value *lo, struct value *out)
{
	uint64_t w = (uint64_t)hi->width + lo->width;
	if (w > VALUE_MAX_BITS)
		return false;
	uint64_t l[MAX_LIMBS + 1] = {0};
	memcpy(l, limbs_of(lo), value_limbs(lo->width) * sizeof *l);
	uint32_t at = lo->width / 64, by = lo->width % 64;
	for (size_t i = 0; i < value_limbs(hi->width); i++) {
		l[at + i] |= limbs_of(hi)[i] << by;
		if (by && at + i + 1 < MAX_LIMBS)
			l[at + i + 1] |= limbs_of(hi)[i] >> (64 - by);
	}
	*out = make_bits(mem, l, (uint32_t)w);
	return true;
}

static bool wide_shift(struct arena *mem, uint16_t code, const struct value *a, const struct value *by,
		       struct value *out)
{
	uint32_t w = a->width;
	uint64_t n = by->limbs[0], l[MAX_LIMBS];
	for (size_t i = 1; i < value_limbs(w); i++)
		if (by->limbs[i])
			n = w;
	if (n > w)
		n = w;
	bool ones = code == OP_BVASHR && bit_at(a, w - 1);
	for (size_t i = 0; i < value_limbs(w); i++) {
		if (code != OP_BVSHL) {
			uint64_t lo = i * 64 + n;
			l[i] = word_at(a, lo);
			if (ones && lo + 64 > w)
				l[i] |= lo >= w ? UINT64_MAX : UINT64_MAX << (w - lo);
		} else if (i * 64 + 64 <= n) {
			l[i] = 0;
		} else {
			l[i] = i * 64 >= n ? word_at(a, i * 64 - n) : a->limbs[0] << (n - i * 64);
		}
	}
	*out = make_bits(mem, l, w);
	return true;
}

static bool wide_binary(struct arena *mem, uint16_t code, const struct value *a, const struct value *b,
			struct value *out)
{
	uint64_t l[MAX_LIMBS] = {0};
	size_t n = value_limbs(a->width);
	unsigned __int128 carry = code == OP_BVSUB;
	if (code == OP_BVSHL || code == OP_BVLSHR || code == OP_BVASHR)
		return wide_shift(mem, code, a, b, out);
	if (code == OP_BVMUL) {
		for (size_t i = 0; i < n; i++) {
			unsigned __int128 c = 0;
			for (size_t k = 0; i + k < n; k++) {
				c += (unsigned __int128)a->limbs[i] * b->limbs[k] + l[i + k];
				l[i + k] = (uint64_t)c;
				c >>= 64;
			}
		}
		*out = make_bits(mem, l, a->width);
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t x = a->limbs[i], y = b->limbs[i];
		switch (code) {
		case OP_BVADD:
		case OP_BVSUB:
			carry += (unsigned __int128)x + (code == OP_BVSUB ? ~y : y);
			l[i] = (uint64_t)carry;
			carry >>= 64;
			break;
		case OP_BVAND:
			l[i] = x & y;
			break;
		case OP_BVOR:
			l[i] = x | y;
			break;
		case OP_BVXOR:
			l[i] = x ^ y;
			break;
		case OP_BVNAND:
			l[i] = ~(x & y);
			break;
		case OP_BVNOR:
			l[i] = ~(x | y);
			break;
		case OP_BVXNOR:
			l[i] = ~(x ^ y);
			break;
		default:
			return false;
		}
	}
	*out = make_bits(mem, l, a->width);
	return true;
}

static bool binary(struct arena *mem, uint16_t code, const struct value *a, const struct value *b, struct value *out)
{
	if (a->type != VALUE_BITS || b->type != VALUE_BITS)
		return false;
	if (code == OP_CONCAT)
		return concat(mem, a, b, out);
	if (a->width != b->width)
		return false;
	if (code == OP_BVCOMP) {
		*out = (struct value){.type = VALUE_BITS, .width = 1, .u = value_equal_bits(a, b)};
		return true;
	}
	if (code >= OP_BVULT)
		return compare(code, a, b, out);
	if (a->width > 64)
		return wide_binary(mem, code, a, b, out);
	/* out may be a */
	struct value r = {.type = VALUE_BITS, .width = a->width};
	bool known = binary_word(code, a->u, b->u, a->width, &r.u);
	*out = r;
	return known;
}

/* 1, 0, or −1 when it cannot be told */
static int equal(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return -1;
	if (a->type == VALUE_ARRAY)
		return value_equal_arrays(a->array, b->array);
	return a->width == b->width || a->type == VALUE_NUMBER ? value_equal_bits(a, b) : -1;
}

static bool apply_equal(uint16_t code, const struct value *args, uint32_t n, struct value *out)
{
	*out = boolean(true);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < (code == OP_EQ && i + 2 < n ? i + 2 : n); k++) {
			int e = equal(&args[i], &args[k]);
			if (e < 0)
				return false;
			if (e != (code == OP_EQ))
				out->u = 0;
		}
	return n >= 2;
}

static bool apply_boolean(uint16_t code, const struct value *args, uint32_t n, struct value *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (args[i].type != VALUE_BOOL)
			return false;
	if (code == OP_NOT) {
		*out = boolean(!args[0].u);
		return n == 1;
	}
	bool r = args[0].u;
	if (code == OP_IMPLIES) {
		r = args[n - 1].u;
		for (uint32_t i = 0; i + 1 < n; i++)
			r |= !args[i].u;
	}
	for (uint32_t i = 1; i < n && code != OP_IMPLIES; i++)
		r = code == OP_AND ? (r && args[i].u) : code == OP_OR ? (r || args[i].u) : r != (bool)args[i].u;
	*out = boolean(r);
	return true;
}

static bool apply_array(struct arena *mem, uint16_t code, const struct value *args, uint32_t n, struct value *out)
{
	if (code == OP_CONST_ARRAY) {
		if (n != 1 || args[0].type == VALUE_ARRAY)
			return false;
		*out = value_const_array(mem, &args[0]);
		return true;
	}
	if (n != (code == OP_SELECT ? 2u : 3u) || args[0].type != VALUE_ARRAY || args[1].type == VALUE_ARRAY)
		return false;
	if (code == OP_SELECT) {
		*out = value_select(args[0].array, &args[1]);
		return true;
	}
	if (args[2].type == VALUE_ARRAY)
		return false;
	*out = value_store(mem, args[0].array, &args[1], &args[2]);
	return true;
}

static bool apply_unary(struct arena *mem, struct value_op op, const struct value *v, struct value *out)
{
	uint64_t l[MAX_LIMBS];
	if (v->type != VALUE_BITS)
		return false;
	switch (op.code) {
	case OP_EXTRACT:
		return op.a < v->width && op.b <= op.a && extract(mem, v, op.b, op.a - op.b + 1, out);
	case OP_ZERO_EXTEND:
	case OP_SIGN_EXTEND:
		return extend(mem, v, op.a, op.code == OP_SIGN_EXTEND, out);
	case OP_ROTATE_LEFT:
	case OP_ROTATE_RIGHT: {
		uint32_t w = v->width, by = op.a % w;
		if (w > 64)
			return false;
		if (op.code == OP_ROTATE_RIGHT)
			by = (w - by) % w;
		*out = *v;
		out->u = by ? (v->u << by | v->u >> (w - by)) & mask(w) : v->u;
		return true;
	}
	case OP_BVNOT:
	case OP_BVNEG: {
		unsigned __int128 carry = op.code == OP_BVNEG;
		for (size_t i = 0; i < value_limbs(v->width); i++) {
			carry += ~limbs_of(v)[i];
			l[i] = (uint64_t)carry;
			carry >>= 64;
		}
		*out = make_bits(mem, l, v->width);
		return true;
	}
	case OP_REPEAT:
		*out = *v;
		for (uint32_t i = 1; i < op.a; i++)
			if (!concat(mem, out, v, out))
				return false;
		return op.a > 0;
	default:
		return false;
	}
}

bool value_apply(struct arena *mem, struct value_op op, const struct value *args, uint32_t n, struct value *out)
{
	if (op.code == OP_NONE || !n)
		return false;
	if (op.code <= OP_IMPLIES)
		return apply_boolean(op.code, args, n, out);
	if (op.code <= OP_DISTINCT)
		return apply_equal(op.code, args, n, out);
	if (op.code == OP_ITE) {
		if (n != 3 || args[0].type != VALUE_BOOL)
			return false;
		*out = args[0].u ? args[1] : args[2];
		return true;
	}
	if (op.code >= OP_PLUS)
		return number_apply(op.code, args, n, out);
	if (op.code <= OP_CONST_ARRAY)
		return apply_array(mem, op.code, args, n, out);
	if (n == 1)
		return apply_unary(mem, op, &args[0], out);
	/* the others are binary; the associative ones may be written with more arguments */
	bool chain = op.code == OP_CONCAT || (op.code >= OP_BVAND && op.code <= OP_BVXOR) || op.code == OP_BVADD ||
		     op.code == OP_BVMUL;
	if (op.code < OP_CONCAT || (op.code > OP_CONCAT && op.code < OP_BVAND) || (n > 2 && !chain))
		return false;
	struct value r = args[0];
	for (uint32_t i = 1; i < n; i++)
		if (!binary(mem, op.code, &r, &args[i], &r))
			return false;
	*out = r;
	return true;
}
