/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libc's string functions read 16 or 32 bytes at a time, also behind the end of a string: what lies there would
 * become an
 * input. So what they do inside is hidden from the calls around them, and when they are entered the caller reads
 * and writes
 * what their definition says. The unwinder is hidden too: the tables it keeps are no input of whoever throws. */
#include "sets.h"

enum text_call {
	TEXT_LEN,
	TEXT_NLEN,
	TEXT_CHR,
	TEXT_RCHR,
	TEXT_CMP,
	TEXT_NCMP,
	TEXT_CASECMP,
	TEXT_NCASECMP,
	TEXT_MEMCHR,
	TEXT_MEMRCHR,
	TEXT_RAWMEMCHR,
	TEXT_MEMCMP,
	TEXT_CPY,
	TEXT_NCPY,
	TEXT_CAT,
	TEXT_SPN,
	TEXT_CSPN,
	TEXT_STR,
	TEXT_NOTHING,
};

static const struct {
	const HChar *name;
	enum text_call call;
} rows[] = {
	{"strlen", TEXT_LEN},         {"strnlen", TEXT_NLEN},        {"strchr", TEXT_CHR},
	{"strchrnul", TEXT_CHR},      {"index", TEXT_CHR},           {"strrchr", TEXT_RCHR},
	{"rindex", TEXT_RCHR},        {"strcmp", TEXT_CMP},          {"strncmp", TEXT_NCMP},
	{"strcasecmp", TEXT_CASECMP}, {"memchr", TEXT_MEMCHR},       {"strncasecmp", TEXT_NCASECMP},
	{"strcpy", TEXT_CPY},         {"stpcpy", TEXT_CPY},          {"strncpy", TEXT_NCPY},
	{"stpncpy", TEXT_NCPY},       {"strcat", TEXT_CAT},          {"strspn", TEXT_SPN},
	{"strcspn", TEXT_CSPN},       {"strpbrk", TEXT_CSPN},        {"strstr", TEXT_STR},
	{"memrchr", TEXT_MEMRCHR},    {"rawmemchr", TEXT_RAWMEMCHR}, {"memcmp", TEXT_MEMCMP},
	{"memcmpeq", TEXT_MEMCMP},    {"bcmp", TEXT_MEMCMP},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* libc's own, and what the dynamic linker has of it; in a static program names with libc's underscores. */
static Bool is_libc(const HChar *name, const HChar *object)
{
	const HChar *base = VG_(strrchr)(object, '/');
	base = base ? base + 1 : object;
	return VG_(strncmp)(base, "libc.so", 7) == 0 || VG_(strncmp)(base, "libc-2", 6) == 0 ||
	       VG_(strncmp)(base, "ld-linux", 8) == 0 ||
	       (heap_by_name && (VG_(strncmp)(name, "__str", 5) == 0 || VG_(strncmp)(name, "__mem", 5) == 0 ||
				 VG_(strncmp)(name, "__raw", 5) == 0));
}

/* Of libgcc, or in a static program: the names are reserved. */
static Bool is_unwinder(const HChar *name)
{
	static const HChar *const names[] = {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
					     "_Unwind_ForcedUnwind", "_Unwind_Backtrace"};
	for (UInt i = 0; i < sizeof names / sizeof *names; i++)
		if (VG_STREQ(name, names[i]))
			return True;
	return False;
}

Bool fenv_used;

/* libm's; its own code looks at the registers without asking. */
static Bool is_fenv(const HChar *name)
{
	static const HChar *const names[] = {"fesetround",      "fesetenv",        "feupdateenv",
					     "feholdexcept",    "fegetenv",        "fetestexcept",
					     "fegetexceptflag", "fesetexceptflag", "fegetround"};
	while (*name == '_')
		name++;
	for (UInt i = 0; i < sizeof names / sizeof *names; i++)
		if (VG_STREQ(name, names[i]))
			return True;
	return False;
}

struct chosen *text_function(const HChar *name, const HChar *object)
{
	static struct chosen unwinder = {.hook = HOOK_TEXT + TEXT_NOTHING};
	if (is_unwinder(name))
		return &unwinder;
	fenv_used |= is_fenv(name);
	static struct chosen hook[N_ROWS];
	struct chosen *e = errno_function(name);
	if (e)
		return e;
	if (!is_libc(name, object))
		return NULL;
	while (*name == '_')
		name++;
	for (UInt i = 0; i < N_ROWS; i++) {
		SizeT n = VG_(strlen)(rows[i].name);
		if (VG_(strncmp)(name, rows[i].name, n) == 0 && (!name[n] || name[n] == '_')) {
			hook[i].hook = HOOK_TEXT + rows[i].call;
			return &hook[i];
		}
	}
	return NULL;
}

/* The byte at a, or −1 when it is not the program's: the program is about to crash, not we. */
static Int byte_at(Addr a)
{
	static Addr good_page = 1;
	if ((a & ~4095UL) != good_page) {
		if (!VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ))
			return -1;
		good_page = a & ~4095UL;
	}
	return *(const UChar *)a;
}

/* Bytes up to and with the first that is c or NUL, at most n. */
static SizeT until(Addr a, Int c, Bool stop_at_nul, SizeT n)
{
	SizeT i = 0;
	for (; i < n; i++) {
		Int b = byte_at(a + i);
		if (b < 0)
			return i;
		if (b == c || (stop_at_nul && b == 0))
			return i + 1;
	}
	return i;
}

static SizeT length(Addr a)
{
	SizeT n = until(a, 0, True, ~0UL);
	return n ? n - 1 : 0;
}

static SizeT until_set(Addr a, Addr set, Bool in)
{
	for (SizeT i = 0;; i++) {
		Int b = byte_at(a + i);
		if (b <= 0)
			return b < 0 ? i : i + 1;
		Bool found = False;
		for (Addr s = set; byte_at(s) > 0 && !found; s++)
			found = byte_at(s) == b;
		if (found != in)
			return i + 1;
	}
}

/* Bytes of each until they differ. */
static SizeT until_differ(Addr a, Addr b, Bool fold, SizeT n)
{
	SizeT i = 0;
	for (; i < n; i++) {
		Int x = byte_at(a + i), y = byte_at(b + i);
		if (fold) {
			x = x >= 'A' && x <= 'Z' ? x + 32 : x;
			y = y >= 'A' && y <= 'Z' ? y + 32 : y;
		}
		if (x < 0 || y < 0)
			return i;
		if (x != y || !x)
			return i + 1;
	}
	return i;
}

static SizeT until_other(Addr a, Addr b, SizeT n)
{
	SizeT i = 0;
	while (i < n && byte_at(a + i) >= 0 && byte_at(a + i) == byte_at(b + i))
		i++;
	return i < n ? i + 1 : n;
}

/* Bytes from the end down to the last that is c. */
static SizeT back_until(Addr a, Int c, SizeT n)
{
	SizeT i = 0;
	while (i < n && byte_at(a + n - 1 - i) != c)
		i++;
	return i < n ? i + 1 : n;
}

/* Bytes of the haystack that say where the needle is, or that it is not there. */
static SizeT until_needle(Addr a, Addr needle)
{
	SizeT n = length(needle);
	for (SizeT i = 0;; i++) {
		SizeT same = until_differ(a + i, needle, False, n);
		if (same == n && (!n || byte_at(a + i + n - 1) == byte_at(needle + n - 1)))
			return i + n;
		if (byte_at(a + i) <= 0)
			return i + 1;
	}
}

void text_opened(struct thread *t, const struct chosen *c, const VexGuestAMD64State *guest)
{
	Addr a = guest->guest_RDI, b = guest->guest_RSI;
	SizeT n = guest->guest_RDX, k;
	enum text_call call = c->hook - HOOK_TEXT;
	switch (call) {
	case TEXT_LEN:
	case TEXT_RCHR:
		sets_caller_reads(t, a, until(a, 0, True, ~0UL));
		break;
	case TEXT_NLEN:
		sets_caller_reads(t, a, until(a, 0, True, b));
		break;
	case TEXT_CHR:
		sets_caller_reads(t, a, until(a, (UChar)b, True, ~0UL));
		break;
	case TEXT_MEMCHR:
		sets_caller_reads(t, a, until(a, (UChar)b, False, n));
		break;
	case TEXT_RAWMEMCHR:
		sets_caller_reads(t, a, until(a, (UChar)b, False, ~0UL));
		break;
	case TEXT_MEMRCHR:
		k = back_until(a, (UChar)b, n);
		sets_caller_reads(t, a + n - k, k);
		break;
	case TEXT_MEMCMP:
		k = until_other(a, b, n);
		sets_caller_reads(t, a, k);
		sets_caller_reads(t, b, k);
		break;
	case TEXT_CMP:
	case TEXT_NCMP:
	case TEXT_CASECMP:
	case TEXT_NCASECMP:
		k = until_differ(a, b, call == TEXT_CASECMP || call == TEXT_NCASECMP,
				 call == TEXT_NCMP || call == TEXT_NCASECMP ? n : ~0UL);
		sets_caller_reads(t, a, k);
		sets_caller_reads(t, b, k);
		break;
	case TEXT_CPY:
		k = until(b, 0, True, ~0UL);
		sets_caller_reads(t, b, k);
		sets_caller_writes(t, a, k);
		break;
	case TEXT_NCPY:
		sets_caller_reads(t, b, until(b, 0, True, n));
		sets_caller_writes(t, a, n);
		break;
	case TEXT_CAT:
		k = length(a);
		sets_caller_reads(t, a, k + 1);
		sets_caller_reads(t, b, until(b, 0, True, ~0UL));
		sets_caller_writes(t, a + k, until(b, 0, True, ~0UL));
		break;
	case TEXT_SPN:
	case TEXT_CSPN:
		sets_caller_reads(t, b, until(b, 0, True, ~0UL));
		sets_caller_reads(t, a, until_set(a, b, call == TEXT_SPN));
		break;
	case TEXT_STR:
		sets_caller_reads(t, b, until(b, 0, True, ~0UL));
		sets_caller_reads(t, a, until_needle(a, b));
		break;
	case TEXT_NOTHING:
		break;
	}
}
