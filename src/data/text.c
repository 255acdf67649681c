/* SPDX-License-Identifier: MIT */
/* Showing foreign text safely, and reading numbers strictly: see text.h. */
#include "data/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned text_utf8_len(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	if (n == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	unsigned len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || len > n)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, beyond U+10FFFF */
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf0 && u[1] < 0x90) ||
	    (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return len;
}

/* C1 controls (U+0080–U+009F) can steer terminals too. */
static bool is_control(const unsigned char *u, unsigned len)
{
	return (len == 1 && (u[0] < 0x20 || u[0] == 0x7f)) || (len == 2 && u[0] == 0xc2 && u[1] < 0xa0);
}

size_t text_escape(const char *s, size_t n, char *out, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t o = 0;
	if (size == 0)
		return 0;
	for (size_t i = 0; i < n;) {
		const unsigned char *u = (const unsigned char *)s + i;
		unsigned len = text_utf8_len(s + i, n - i);
		if (len && !is_control(u, len)) {
			if (o + len >= size)
				break;
			memcpy(out + o, s + i, len);
			o += len;
			i += len;
			continue;
		}
		unsigned bytes = len ? len : 1;
		if (o + (size_t)4 * bytes >= size)
			break;
		for (unsigned k = 0; k < bytes; k++) {
			out[o++] = '\\';
			out[o++] = 'x';
			out[o++] = hex[u[k] >> 4];
			out[o++] = hex[u[k] & 15];
		}
		i += bytes;
	}
	out[o] = '\0';
	return o;
}

static bool leading_u64(const char *s, uint64_t *out, const char **end)
{
	uint64_t v = 0;
	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++) {
		unsigned d = (unsigned)(*s - '0');
		if (v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	*end = s;
	return true;
}

bool text_u64(const char *s, uint64_t *out)
{
	const char *end;
	return leading_u64(s, out, &end) && *end == '\0';
}

bool text_size(const char *s, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *end;
	if (!leading_u64(s, out, &end))
		return false;
	if (*end == '\0')
		return true;
	const char *unit = strchr(units, toupper((unsigned char)*end));
	if (!unit)
		return false;
	if (strcmp(end + 1, "") != 0 && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0)
		return false;
	unsigned shift = 10 * (unsigned)(unit - units + 1);
	if (*out > UINT64_MAX >> shift)
		return false;
	*out <<= shift;
	return true;
}

bool text_seconds(const char *s, double *out)
{
	char *end;
	if (!isdigit((unsigned char)*s) && *s != '.')
		return false;
	errno = 0;
	double v = strtod(s, &end);
	if (end == s || *end != '\0' || errno || !isfinite(v) || v < 0)
		return false;
	*out = v;
	return true;
}
