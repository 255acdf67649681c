/* SPDX-License-Identifier: MIT */
/* Names of C++ variables (the Itanium ABI's, as far as variables of namespaces, classes and functions need them; no
 * templates). Functions are demangled by Valgrind, data is not. */
#include "profile/debug/datanames.h"

#include <ctype.h>
#include <string.h>

/* LENGTH NAME, after it perhaps the tag of an ABI. */
static bool part(const char **at, struct buf *out)
{
	const char *s = *at + (**at == 'L');
	size_t n = 0;
	while (isdigit((unsigned char)*s) && n < 4096)
		n = 10 * n + (size_t)(*s++ - '0');
	if (!n || strlen(s) < n)
		return false;
	if (n >= 10 && strncmp(s, "_GLOBAL__N", 10) == 0)
		buf_str_add(out, "(anonymous)");
	else
		buf_add(out, s, n);
	s += n;
	struct buf tag = {0};
	if (*s == 'B' && isdigit((unsigned char)s[1])) {
		s++;
		part(&s, &tag);
	}
	buf_release(&tag);
	*at = s;
	return true;
}

/* One part, or several between N and E; St is std. */
static bool name(const char **at, struct buf *out)
{
	const char *s = *at;
	bool nested = *s == 'N', any = false;
	s += nested;
	while (nested && (*s == 'K' || *s == 'V' || *s == 'r'))
		s++;
	if (strncmp(s, "St", 2) == 0) {
		buf_str_add(out, "std::");
		s += 2;
	}
	do {
		if (any)
			buf_str_add(out, "::");
		if (!part(&s, out))
			return false;
		any = true;
	} while (nested && *s != 'E');
	*at = s + nested;
	return true;
}

/* NAME, or Z FUNCTION PARAMETERS E NAME and perhaps the number of one of several. */
static bool entity(const char *s, struct buf *out)
{
	if (*s != 'Z')
		return name(&s, out) && !*s;
	s++;
	if (!name(&s, out))
		return false;
	buf_str_add(out, "()::");
	for (const char *e = s + strlen(s); e > s; e--) {
		const char *rest = e;
		struct buf own = {0};
		bool ok = e[-1] == 'E' && part(&rest, &own) && (!*rest || *rest == '_');
		if (ok)
			buf_str_add(out, buf_str(&own));
		buf_release(&own);
		if (ok)
			return true;
	}
	return false;
}

void dataname_add(struct buf *out, const char *symbol)
{
	struct buf b = {0};
	bool guard = strncmp(symbol, "_ZGV", 4) == 0;
	bool ok = strncmp(symbol, "_Z", 2) == 0 && entity(symbol + (guard ? 4 : 2), &b);
	if (ok && guard)
		buf_str_add(out, "guard of ");
	buf_str_add(out, ok ? buf_str(&b) : symbol);
	buf_release(&b);
}
