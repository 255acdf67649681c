/* SPDX-License-Identifier: MIT */
/* Which functions are instrumented, and what else the barrier reports of calls to those that are not.
 *
 * Every instrumented function has an entry in section rf_text of its image: its address. The
 * images' tables become one hash table when a call through a pointer first asks. Functions of the C library that write
 * to nothing they are given (calls.h) count as instrumented; the dynamic linker knows their names. */
#include "runtime/check/inside/calls.h"
#include "runtime/check/inside/rt.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#ifndef GLOB_ALTDIRFUNC
#define GLOB_ALTDIRFUNC 0 /* musl's glob calls nothing */
#endif

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

/* Functions that keep what they are given, or open files: the dynamic linker may know another of their names. */
struct by_address {
	uintptr_t function;
	const char *how;
};

static const struct by_address *keepers(void *(*look)(void *, const char *))
{
	static struct by_address found[128];
	static bool done;
	size_t n = 0;
	for (size_t i = 0; !done && i < ARRAY_LEN(known_calls); i++) {
		const char *names = known_calls[i].names;
		for (size_t k; (known_keeps(known_calls[i].how) || known_opens(known_calls[i].how)) && *names &&
			       n + 1 < ARRAY_LEN(found);
		     names += k + (names[k] == ' ')) {
			char name[80] = "";
			k = strcspn(names, " ");
			memcpy(name, names, k < sizeof name ? k : sizeof name - 1);
			found[n] = (struct by_address){(uintptr_t)look(RTLD_DEFAULT, name), known_calls[i].how};
			n += found[n].function != 0;
		}
	}
	done = true;
	return found;
}

/* What is known of f, if it is a function of the C library; NULL: nothing. Asked without the runtime's lock: the
 * dynamic linker has one of its own, and calls constructors that take ours under it. Functions that the library chooses
 * for the processor have no name at their address, so those are looked for by name. */
static const char *known_how(uintptr_t f)
{
	static const char *const chosen[] = {"strcmp",  "strlen",  "memcmp",  "strncmp",   "strcasecmp", "strncasecmp",
					     "strchr",  "strrchr", "memchr",  "strstr",    "strnlen",    "strspn",
					     "strcspn", "strpbrk", "memrchr", "rawmemchr", "wcslen",     "wmemcmp"};
	extern void *dlsym(void *, const char *) __attribute__((weak)); /* a static program may have none */
	extern int dladdr(const void *, Dl_info *) __attribute__((weak));
	if (!dlsym || !dladdr)
		return "F"; /* it may keep what it is given */
	Dl_info i;
	const char *how = NULL;
	if (dladdr((const void *)f, &i) && i.dli_sname && (uintptr_t)i.dli_saddr == f)
		how = known_call(i.dli_sname);
	for (const struct by_address *k = keepers(dlsym); !how && k->how; k++)
		if (k->function == f)
			how = k->how;
	if (how)
		return how;
	for (size_t k = 0; k < ARRAY_LEN(chosen); k++)
		if ((uintptr_t)dlsym(RTLD_DEFAULT, chosen[k]) == f)
			return "";
	return NULL;
}

static bool build(void)
{
	size_t n = 64;
	for (size_t i = 0; i < texts.n; i++)
		n += (size_t)(VEC_AT(texts, struct text, i).to - VEC_AT(texts, struct text, i).from);
	n = ceil_pow2(n * 2);
	if (!rt_vec_reserve(&table, n, sizeof(uintptr_t)))
		return false;
	table_mask = n - 1;
	for (size_t i = 0; i < texts.n; i++)
		for (const uintptr_t *p = VEC_AT(texts, struct text, i).from; p < VEC_AT(texts, struct text, i).to; p++)
			put(*p);
	return true;
}

bool rt_is_harmless(uintptr_t f, bool called)
{
	bool in = rt_enter(), found = false;
	if (table.at || build()) {
		const uintptr_t *t = &VEC_AT(table, uintptr_t, 0);
		size_t i = mix64(f) & table_mask;
		while (t[i] && t[i] != f)
			i = (i + 1) & table_mask;
		found = t[i] == f;
	}
	if (in)
		rt_leave();
	if (found)
		return true;
	int keep = errno;
	const char *how = known_how(f);
	errno = keep;
	if (called && how && known_keeps(how))
		rf_mixed();
	if (called && how && known_opens(how))
		rt_file_opened();
	return how && how[strspn(how, ".")] == '\0';
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

/* getopt_long writes to where an option's flag is said to be. */
void rf_options(const void *p)
{
	for (const struct option *o = p; o && o->name; o++)
		if (o->flag)
			rf_block(o->flag);
}

/* ---- known functions that wait have written: another thread may have checked meanwhile */

void rf_wrote_any(void)
{
	if (!RT_ALONE)
		rt_everything();
}

/* ---- functions that are handed over */

/* Called before the call that it is given to returns. */
void rf_called(const void *function)
{
	if (function && !rt_is_harmless((uintptr_t)function, false))
		rt_everything();
}

/* glob calls functions that its result names: they may write to anything. Checks that they make mark nothing. */
void rf_glob(const void *flags)
{
	if ((uintptr_t)flags & GLOB_ALTDIRFUNC)
		rt_everything();
}

/* Called at any time from now on, by a signal or as a thread: what it writes would not be seen. */
void rf_handler(const void *function)
{
	bool no_function = (uintptr_t)function <= 2 || function == (const void *)(uintptr_t)SIG_ERR;
	if (!no_function && !rt_is_harmless((uintptr_t)function, false))
		rf_mixed();
}

int rf_is_foreign(const void *function)
{
	return !rt_is_harmless((uintptr_t)function, false);
}

void rf_action(const void *p)
{
	const struct sigaction *a = p;
	if (a)
		rf_handler((const void *)(uintptr_t)a->sa_handler);
}

void rf_event(const void *p)
{
	const struct sigevent *e = p;
	if (e && e->sigev_notify == SIGEV_THREAD)
		rf_handler((const void *)(uintptr_t)e->sigev_notify_function);
}

/* ---- exceptions of C++ */

/* Is it a function of the C++ library's own? Its destructors write to their object, which is gone then. */
static bool is_of_library(uintptr_t f)
{
	extern int dladdr(const void *, Dl_info *) __attribute__((weak));
	Dl_info i;
	return dladdr && dladdr((const void *)f, &i) && i.dli_fname && strstr(i.dli_fname, "libstdc++.so");
}

/* The innermost exception that is handled may be destroyed. What libstdc++ notes of it starts with its type and its
 * destructor, and has a word before what the unwinder uses that says whose it is. */
void rf_caught(void)
{
	extern void *__cxa_get_globals(void) __attribute__((weak));
	enum { DESTRUCTOR = 1, CLASS = 10 /* words */ };
	static const char own_class[8] = "GNUCC++";
	static uintptr_t last; /* that was harmless */
	const uintptr_t *e = __cxa_get_globals ? *(const uintptr_t *const *)__cxa_get_globals() : NULL;
	if (e && memcmp(&e[CLASS], own_class, sizeof own_class) == 0) {
		uintptr_t f = e[DESTRUCTOR];
		if (!f || __atomic_load_n(&last, __ATOMIC_RELAXED) == f)
			return;
		if (rt_is_harmless(f, false) || is_of_library(f)) {
			__atomic_store_n(&last, f, __ATOMIC_RELAXED);
			return;
		}
	}
	rt_everything();
}

/* ---- others */

/* Are the virtual functions of an object of libstdc++ its own? Those of the program may check, or have no barrier. */
static bool is_standard(const void *object)
{
	static uintptr_t last;
	uintptr_t functions = object ? *(const uintptr_t *)object : 0;
	if (!object || functions == __atomic_load_n(&last, __ATOMIC_RELAXED))
		return true;
	if (!is_of_library(functions))
		return false;
	__atomic_store_n(&last, functions, __ATOMIC_RELAXED);
	return true;
}

/* An ostream of libstdc++: its virtual base, at the distance that stands before its functions, has the buffer, whose
 * free part is written to, the locale, whose facets are asked how, and perhaps another stream that is flushed first. */
void rf_stream(const void *p)
{
	enum {
		DISTANCE = -3,
		LOCALE = 26 /* words of basic_ios */,
		TIED = 27,
		BUFFER = 29,
		NEXT = 5,
		END = 6 /* words of streambuf */
	};
	extern const uintptr_t *_ZNSt6locale7classicEv(void) __attribute__((weak));
	for (unsigned depth = 0; p && depth < 8; depth++) {
		const intptr_t *functions = *(const intptr_t *const *)p;
		const uintptr_t *ios = (const void *)((uintptr_t)p + (uintptr_t)functions[DISTANCE]);
		const uintptr_t *buffer = (const void *)ios[BUFFER];
		if (!is_standard(buffer)) {
			rf_mixed();
			return;
		}
		if (!_ZNSt6locale7classicEv || ios[LOCALE] != *_ZNSt6locale7classicEv())
			rt_everything();
		if (buffer && buffer[END] > buffer[NEXT])
			rf_range((const void *)buffer[NEXT], buffer[END] - buffer[NEXT]);
		p = (const void *)ios[TIED];
	}
}

void rf_syscall(const void *number)
{
	static const long later[] = {
		SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_setup, SYS_io_submit, SYS_set_tid_address,
		SYS_userfaultfd, SYS_set_robust_list, SYS_clone, SYS_clone3, SYS_rseq,
		/* functions that the runtime is not told of */
		SYS_rt_sigaction, SYS_sigaltstack,
		/* memory that is trusted becomes another, or read-only for a while */
		SYS_mmap, SYS_munmap, SYS_mremap, SYS_remap_file_pages, SYS_shmat, SYS_mprotect, SYS_pkey_mprotect,
		/* from an asm statement that does not say which */
		-1};
	static const long opens[] = {SYS_openat, SYS_openat2, SYS_pidfd_getfd,
#ifdef SYS_open /* not on arm64 */
				     SYS_open, SYS_creat
#endif
	};
	rt_everything();
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		if ((long)(uintptr_t)number == later[i])
			rf_mixed();
	for (size_t i = 0; i < ARRAY_LEN(opens); i++)
		if ((long)(uintptr_t)number == opens[i])
			rt_file_opened();
	if ((long)(uintptr_t)number == SYS_process_vm_writev || (long)(uintptr_t)number == SYS_ptrace)
		rt_family_writes(0);
}
