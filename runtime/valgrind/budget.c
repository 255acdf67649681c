/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that the tool adds to the program's own, bounded: what it holds for logs, marks, the heap's map and the
 * open calls, counted from the first byte, and what Valgrind itself holds (translations, debug information), as the
 * kernel sees it. A request that would pass the limit is refused and the caller cuts what it was logging; Valgrind's
 * allocator would end the program instead. Large pieces are mapped and unmapped, so that what is given back really is.
 *
 * Valgrind's part cannot be refused: it is looked at often, and a reserve is kept for what it may take until then. It
 * needs most when it starts (it reads debug information): a limit below that peak is kept by what comes after only. */
#include "tool.h"

enum { MAPPED_FROM = 1 << 17, OVERHEAD = 32, LEAST_RESERVE = 2 << 20, LEAST_GAP_MS = 20 };
static ULong limit = ~0ULL, held, most;
static ULong valgrind_holds, noted;
static UInt next_look_ms;
static Bool refused;

void budget_set(ULong bytes)
{
	limit = bytes;
}

/* ---- what is resident */

struct reader {
	Int fd;
	Int n, at;
	HChar piece[16384];
};

/* A line without its end, cut to size; False at the end of the file. */
static Bool next_line(struct reader *r, HChar *line, Int size)
{
	Int n = 0;
	for (;;) {
		if (r->at == r->n) {
			r->n = VG_(read)(r->fd, r->piece, sizeof r->piece);
			r->at = 0;
			if (r->n <= 0)
				return False;
		}
		HChar c = r->piece[r->at++];
		if (c == '\n')
			break;
		if (n < size - 1)
			line[n++] = c;
	}
	line[n] = 0;
	return True;
}

static Bool is_program(Addr a)
{
	const NSegment *s = VG_(am_find_nsegment)(a);
	return s && (s->kind == SkAnonC || s->kind == SkFileC || s->kind == SkShmC);
}

/* Bytes of the process that are not the program's; 0 when the kernel does not say. */
static ULong resident(void)
{
	static struct reader r;
	HChar line[128], *end;
	ULong sum = 0;
	Bool ours = False;
	r.fd = VG_(fd_open)("/proc/self/smaps", VKI_O_RDONLY, 0);
	r.n = r.at = 0;
	if (r.fd < 0)
		return 0;
	while (next_line(&r, line, sizeof line)) {
		if (VG_(strncmp)(line, "Rss:", 4) == 0) {
			HChar *p = line + 4;
			while (*p == ' ')
				p++;
			if (ours)
				sum += (ULong)VG_(strtoll10)(p, &end) * 1024;
		} else if ((line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f')) {
			Addr start = (Addr)VG_(strtoull16)(line, &end);
			if (*end == '-')
				ours = !is_program(start);
		}
	}
	VG_(close)(r.fd);
	return sum;
}

/* The most that was resident before the program's first instruction. */
static ULong start_peak(void)
{
	static struct reader r;
	HChar line[128], *end;
	ULong most_kb = 0;
	r.fd = VG_(fd_open)("/proc/self/status", VKI_O_RDONLY, 0);
	r.n = r.at = 0;
	if (r.fd < 0)
		return 0;
	while (next_line(&r, line, sizeof line))
		if (VG_(strncmp)(line, "VmHWM:", 6) == 0) {
			HChar *p = line + 6;
			while (*p == ' ' || *p == '\t')
				p++;
			most_kb = (ULong)VG_(strtoll10)(p, &end);
		}
	VG_(close)(r.fd);
	return most_kb * 1024;
}

static void note_peak(void)
{
	if (held + noted + valgrind_holds > most)
		most = held + noted + valgrind_holds;
}

void budget_note(Long n)
{
	noted += (ULong)n;
	note_peak();
}

void budget_look(void)
{
	UInt begin = VG_(read_millisecond_timer)();
	if (begin < next_look_ms)
		return;
	if (!most)
		most = start_peak();
	ULong all = resident();
	if (all > held)
		valgrind_holds = all - held;
	note_peak();
	/* reading that file takes longer the more there is: a fiftieth of the time at most, whatever the clock shows */
	UInt now = VG_(read_millisecond_timer)();
	UInt took = now > begin ? now - begin : 0;
	next_look_ms = now + (took ? 50 * took : LEAST_GAP_MS);
}

/* ---- */

static Bool take(SizeT n)
{
	ULong reserve = limit / 16 > LEAST_RESERVE ? limit / 16 : LEAST_RESERVE,
	      used = held + noted + valgrind_holds + reserve;
	if (used > limit || n > limit - used) {
		refused = True;
		return False;
	}
	held += n;
	note_peak();
	return True;
}

static SizeT real_size(SizeT n)
{
	return n >= MAPPED_FROM ? VG_PGROUNDUP(n) : n + OVERHEAD;
}

void *budget_alloc(const HChar *what, SizeT n)
{
	if (!take(real_size(n)))
		return NULL;
	if (n < MAPPED_FROM)
		return VG_(calloc)(what, 1, n);
	void *p = VG_(am_shadow_alloc)(n);
	if (!p) {
		held -= real_size(n);
		refused = True;
	}
	return p;
}

void budget_free(void *p, SizeT n)
{
	if (!p)
		return;
	if (n < MAPPED_FROM)
		VG_(free)(p);
	else
		VG_(am_munmap_valgrind)((Addr)p, real_size(n));
	held -= real_size(n);
}

void *budget_grow(const HChar *what, void *p, SizeT old, SizeT n)
{
	/* both blocks exist for a moment: that counts */
	void *q = budget_alloc(what, n);
	if (!q)
		return NULL;
	if (p)
		VG_(memcpy)(q, p, old);
	budget_free(p, old);
	return q;
}

Bool budget_over(void)
{
	return held + noted + valgrind_holds > limit - limit / 32;
}

ULong budget_peak(void)
{
	return most;
}

Bool budget_hit(void)
{
	return refused;
}
