/* SPDX-License-Identifier: MIT */
/* Compact encoding: see compact.h. As printed, Algorithm 4 reads past the end of p (line 9) and of min (line 6): both
 * loops need an end test. */
#include "reduce/cache/compact.h"

#include <string.h>

bool compact_encode(const uint32_t *min, uint32_t n_min, const uint32_t *p, uint32_t n, struct encoding *out)
{
	vec_clear(out);
	for (uint32_t at = 0, i = 0; i < n;) {
		while (at < n_min && min[at] != p[i])
			at++;
		if (at == n_min)
			return false;
		vec_push(out, at + 1);
		while (at < n_min && i < n && min[at] == p[i]) {
			at++;
			i++;
		}
		vec_push(out, at + 1);
	}
	return true;
}

uint32_t compact_decode(const uint32_t *min, const uint32_t *encoding, size_t n, uint32_t *out)
{
	uint32_t len = 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		uint32_t part = encoding[i + 1] - encoding[i];
		memcpy(out + len, min + encoding[i] - 1, part * sizeof *out);
		len += part;
	}
	return len;
}
