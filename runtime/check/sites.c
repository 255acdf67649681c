/* SPDX-License-Identifier: MIT */
/* The barrier's tests switched off where nobody can need them: no type is registered, or RF_CHECK=off.
 *
 * Each image has a table of its tests (section rf_sites, made by the compilers' plugins): where one begins and how many
 * bytes it is long. The first two bytes of its first instruction become a jump behind it, and are put back when a type
 * is registered or checks are switched on. Only while there is one thread: none can be in the middle of an instruction.
 * If the kernel does not let us write to the program, the tests stay, which costs time only. If they cannot be put
 * back, what is stored is not seen, and every check walks its value in full. */
#include "runtime/check/inside/rt.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct site {
	int32_t at; /* from here */
	uint8_t n;
} __attribute__((packed));

struct image {
	const struct site *from, *to;
	struct rt_vec saved; /* uint16_t, for each site what stood there; 0: it was left alone */
	bool off;
};
static struct rt_vec images; /* struct image */

enum { JUMP = 0xeb, SHORTEST = 3, LONGEST = 129 };

static uint8_t *place(const struct site *s)
{
	return (uint8_t *)((uintptr_t)s + (uintptr_t)(intptr_t)s->at);
}

/* Does a test start here: lea or mov to a 32-bit register, with a prefix for the upper registers? */
static bool is_test(const struct site *s)
{
	const uint8_t *p = place(s);
	return s->n >= SHORTEST && s->n <= LONGEST && (p[0] & 0xf0) == 0x40 &&
	       (p[1] == 0x8d || p[1] == 0x89 || p[1] == 0x8b);
}

/* The pages that all tests of the image lie on, made writable or as they were. */
static bool protect(const struct image *m, int protection)
{
	uintptr_t lo = UINTPTR_MAX, hi = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (const struct site *s = m->from; s < m->to; s++) {
		uintptr_t a = (uintptr_t)place(s);
		lo = a < lo ? a : lo;
		hi = a + 2 > hi ? a + 2 : hi;
	}
	lo &= ~(page - 1);
	return hi <= lo || syscall(SYS_mprotect, lo, (hi - lo + page - 1) & ~(page - 1), protection) == 0;
}

static bool turn(struct image *m, bool off)
{
	size_t n = (size_t)(m->to - m->from);
	m->saved.n = 0;
	if (!rt_vec_reserve(&m->saved, n, sizeof(uint16_t)) || !protect(m, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	uint16_t *saved = &VEC_AT(m->saved, uint16_t, 0);
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = place(&m->from[i]);
		if (off) {
			saved[i] = 0;
			if (!is_test(&m->from[i]))
				continue;
			memcpy(&saved[i], p, sizeof saved[i]);
			p[0] = JUMP;
			p[1] = (uint8_t)(m->from[i].n - 2);
		} else if (saved[i]) {
			memcpy(p, &saved[i], sizeof saved[i]);
		}
	}
	protect(m, PROT_READ | PROT_EXEC);
	m->off = off;
	return true;
}

void rt_sites_update(void)
{
	bool off = !rf_check_on || !rt_n_types;
	for (size_t i = 0; i < images.n; i++) {
		struct image *m = &VEC_AT(images, struct image, i);
		if (m->off != off && !(RT_ALONE && turn(m, off)) && !off)
			rf_mixed();
	}
}

void rf_sites(const void *from, const void *to, int here)
{
	bool in = rt_enter();
	size_t i = 0;
	while (i < images.n && VEC_AT(images, struct image, i).from != from)
		i++;
	if (here && i == images.n && rt_vec_reserve(&images, 1, sizeof(struct image))) {
		VEC_AT(images, struct image, images.n++) = (struct image){.from = from, .to = to};
		rt_sites_update();
	} else if (!here && i < images.n) {
		rt_vec_release(&VEC_AT(images, struct image, i).saved, sizeof(uint16_t));
		VEC_AT(images, struct image, i) = VEC_AT(images, struct image, --images.n);
	}
	if (in)
		rt_leave();
}
