/* SPDX-License-Identifier: MIT */
/* Arithmetic on 128 bits, brought back to lowest terms after each step: see number.h. */
#include "smt/value/number.h"

#include "smt/term/ops.h"

typedef __int128 wide;

static int64_t numerator(const struct value *v)
{
	return (int64_t)v->u;
}

static wide divisor(wide a, wide b)
{
	a = a < 0 ? -a : a;
	while (b) {
		wide r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* n / d, d above 0. */
static bool make(wide n, wide d, struct value *out)
{
	wide g = divisor(n, d);
	n /= g;
	d /= g;
	if (n < INT64_MIN || n > INT64_MAX || d > INT32_MAX)
		return false;
	*out = (struct value){.type = VALUE_NUMBER, .width = (uint32_t)d, .u = (uint64_t)(int64_t)n};
	return true;
}

bool number_read(const char *text, size_t n, struct value *out)
{
	wide num = 0, den = 1;
	bool point = false;
	if (!n || text[0] < '0' || text[0] > '9')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		num = num * 10 + (text[i] - '0');
		den *= point ? 10 : 1;
		if (num >> 100 || den >> 100)
			return false;
	}
	return make(num, den, out);
}

static bool add(const struct value *a, const struct value *b, int sign, struct value *out)
{
	wide n = (wide)numerator(a) * b->width + sign * (wide)numerator(b) * a->width;
	return make(n, (wide)a->width * b->width, out);
}

static bool divide(const struct value *a, const struct value *b, struct value *out)
{
	wide n = (wide)numerator(a) * b->width, d = (wide)numerator(b) * a->width;
	return d && make(d < 0 ? -n : n, d < 0 ? -d : d, out);
}

/* The quotient for which the remainder is not negative, as SMT-LIB has it; d is not 0. */
static wide whole_quotient(wide n, wide d)
{
	wide q = n / d;
	return n % d < 0 ? (d > 0 ? q - 1 : q + 1) : q;
}

static bool whole_division(uint16_t code, const struct value *a, const struct value *b, struct value *out)
{
	wide n = numerator(a), d = numerator(b);
	if (!number_whole(a) || !number_whole(b) || !d)
		return false;
	wide q = whole_quotient(n, d);
	return make(code == OP_DIV ? q : n - q * d, 1, out);
}

static bool binary(uint16_t code, const struct value *a, const struct value *b, struct value *out)
{
	switch (code) {
	case OP_PLUS:
	case OP_MINUS:
		return add(a, b, code == OP_PLUS ? 1 : -1, out);
	case OP_TIMES:
		return make((wide)numerator(a) * numerator(b), (wide)a->width * b->width, out);
	case OP_DIVIDE:
		return divide(a, b, out);
	case OP_DIV:
	case OP_MOD:
		return whole_division(code, a, b, out);
	default:
		return false;
	}
}

static bool unary(uint16_t code, const struct value *a, struct value *out)
{
	wide n = numerator(a), d = a->width;
	switch (code) {
	case OP_PLUS:
	case OP_TIMES:
	case OP_TO_REAL:
		*out = *a;
		return true;
	case OP_MINUS:
		return make(-n, d, out);
	case OP_ABS:
		return d == 1 && make(n < 0 ? -n : n, d, out); /* integers only: z3 rounds a real */
	case OP_TO_INT:
		return make(whole_quotient(n, d), 1, out);
	case OP_IS_INT:
		*out = (struct value){.type = VALUE_BOOL, .u = d == 1};
		return true;
	default:
		return false;
	}
}

static bool ordered(uint16_t code, const struct value *a, const struct value *b)
{
	wide x = (wide)numerator(a) * b->width, y = (wide)numerator(b) * a->width;
	switch (code) {
	case OP_LT:
		return x < y;
	case OP_LE:
		return x <= y;
	case OP_GT:
		return x > y;
	default:
		return x >= y;
	}
}

bool number_apply(uint16_t code, const struct value *args, uint32_t n, struct value *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (args[i].type != VALUE_NUMBER)
			return false;
	if (code >= OP_LT && code <= OP_GE) { /* each with the next */
		*out = (struct value){.type = VALUE_BOOL, .u = 1};
		for (uint32_t i = 1; i < n; i++)
			out->u &= ordered(code, &args[i - 1], &args[i]);
		return n > 1;
	}
	if (n == 1)
		return unary(code, &args[0], out);
	bool two = code == OP_MOD || code >= OP_ABS;
	struct value r = args[0]; /* the others are left-associative */
	bool ok = n > 1 && !(two && n > 2);
	for (uint32_t i = 1; i < n && ok; i++)
		ok = binary(code, &r, &args[i], &r);
	*out = r;
	return ok;
}

void number_print(struct buf *out, const struct value *v, bool real)
{
	const char *point = real ? ".0" : "";
	int64_t n = numerator(v);
	uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	if (n < 0)
		buf_str_add(out, "(- ");
	if (v->width == 1)
		buf_printf(out, "%llu%s", (unsigned long long)size, point);
	else
		buf_printf(out, "(/ %llu.0 %u.0)", (unsigned long long)size, (unsigned)v->width);
	if (n < 0)
		buf_char(out, ')');
}
