/* SPDX-License-Identifier: MIT */
/* Which functions are instrumented, and what else the barrier reports of calls to those that are not.
 *
 * Every instrumented function has an entry in section rf_text of its image: its address. The
 * images' tables become one hash table when a call through a pointer first asks. Functions of the C library that write
 * to nothing they are given (calls.h) count as instrumented; the dynamic linker knows where they are. */
#include "calls.h"
#include "rt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct text {
	const uintptr_t *from, *to;
};
static struct rt_vec texts; /* struct text */
static struct rt_vec table; /* uintptr_t: a power of two of places */
static size_t table_mask;

void rf_instrumented(const void *from, const void *to, int here)
{
	bool in = rt_enter();
	size_t i = 0;
	while (i < texts.n && VEC_AT(texts, struct text, i).from != from)
		i++;
	if (here && i == texts.n && rt_vec_reserve(&texts, 1, sizeof(struct text)))
		VEC_AT(texts, struct text, texts.n++) = (struct text){from, to};
	else if (!here && i < texts.n)
		VEC_AT(texts, struct text, i) = VEC_AT(texts, struct text, --texts.n);
	rt_vec_release(&table, sizeof(uintptr_t));
	rt_forget_harmless();
	if (in)
		rt_leave();
}

static void put(uintptr_t f)
{
	uintptr_t *t = &VEC_AT(table, uintptr_t, 0);
	size_t i = mix64(f) & table_mask;
	while (t[i] && t[i] != f)
		i = (i + 1) & table_mask;
	t[i] = f;
}

static bool only_reads(const char *how)
{
	return how[strspn(how, ".")] == '\0';
}

/* Without the runtime's lock: the dynamic linker has one of its own, and calls constructors that take ours under it. */
static struct rt_vec library; /* uintptr_t */
static void find_library(void)
{
	static int state; /* 1: being filled; 2: filled */
	int none = 0;
	extern void *dlsym(void *, const char *) __attribute__((weak)); /* a static program may have none */
	if (!dlsym || !__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	struct rt_vec v = {0};
	for (size_t row = 0; row < ARRAY_LEN(known_calls); row++)
		for (const char *p = known_calls[row].names; only_reads(known_calls[row].how) && *p;) {
			char name[200];
			size_t n = strcspn(p, " ");
			snprintf(name, sizeof name, "%.*s", (int)n, p);
			void *f = dlsym(RTLD_DEFAULT, name);
			if (f && rt_vec_reserve(&v, 1, sizeof(uintptr_t)))
				VEC_AT(v, uintptr_t, v.n++) = (uintptr_t)f;
			p += n + strspn(p + n, " ");
		}
	bool in = rt_enter();
	library = v;
	rt_vec_release(&table, sizeof(uintptr_t));
	if (in)
		rt_leave();
	__atomic_store_n(&state, 2, __ATOMIC_RELEASE);
}

static bool build(void)
{
	size_t n = 64 + library.n;
	for (size_t i = 0; i < texts.n; i++)
		n += (size_t)(VEC_AT(texts, struct text, i).to - VEC_AT(texts, struct text, i).from);
	n = ceil_pow2(n * 2);
	if (!rt_vec_reserve(&table, n, sizeof(uintptr_t)))
		return false;
	table_mask = n - 1;
	for (size_t i = 0; i < texts.n; i++)
		for (const uintptr_t *p = VEC_AT(texts, struct text, i).from; p < VEC_AT(texts, struct text, i).to; p++)
			put(*p);
	for (size_t i = 0; i < library.n; i++)
		put(VEC_AT(library, uintptr_t, i));
	return true;
}

bool rt_is_harmless(uintptr_t f)
{
	int keep = errno;
	find_library();
	bool in = rt_enter(), found = false;
	if (table.at || build()) {
		const uintptr_t *t = &VEC_AT(table, uintptr_t, 0);
		size_t i = mix64(f) & table_mask;
		while (t[i] && t[i] != f)
			i = (i + 1) & table_mask;
		found = t[i] == f;
	}
	errno = keep;
	if (in)
		rt_leave();
	return found;
}

/* ---- arguments of known functions */

void rf_everything(void)
{
	rt_everything();
}

void rf_iovec(const void *p, size_t n)
{
	const struct iovec *v = p;
	for (size_t i = 0; i < n && i < 1024; i++)
		rf_range(v[i].iov_base, v[i].iov_len);
}

void rf_message(const void *p)
{
	const struct msghdr *m = p;
	rf_block(m);
	rf_block(m->msg_name);
	rf_block(m->msg_control);
	rf_iovec(m->msg_iov, m->msg_iovlen);
}

/* printf's %n writes. */
void rf_format(const void *format)
{
	for (const char *p = format; p && (p = strchr(p, '%')) != NULL;) {
		p += 1 + strspn(p + 1, "0123456789 #+-'.*$hlLqjztI");
		if (*p == 'n')
			rt_everything();
		p += *p != '\0';
	}
}

/* Memory can be written to through a file of the kernel's: then no mark can be relied on. */
void rf_path(const void *path)
{
	const char *s = path, *end = s ? strrchr(s, '/') : NULL;
	if (end && strcmp(end, "/mem") == 0 && strncmp(s, "/proc/", 6) == 0) {
		rt_full_only = true;
		rt_everything();
	}
}
