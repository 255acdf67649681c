/* SPDX-License-Identifier: MIT */
/* The functions that set signal handlers, in front of the C library's. A handler runs between any two instructions of
 * the program, so also between the barrier's test and the store behind it: if it verified the node that is about to
 * change, nobody would see the store. So it is called from here, as a function that another calls back: its checks walk
 * their value in full and mark nothing. The program is told of its own handlers only. Weak: a program that has
 * functions of these names keeps them. */
#include "refrain/check.h"

#include <dlfcn.h>
#include <signal.h>

#include <string.h>
#include <ucontext.h>

#define WEAK __attribute__((weak))

typedef void handler(int);
typedef void action(int, siginfo_t *, void *);

struct given {
	handler *simple;
	action *full; /* or NULL */
};
static struct given given[NSIG];

extern int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);
extern handler *__sysv_signal(int sig, handler *h);
extern handler *bsd_signal(int sig, handler *h);

/* A handler may change the registers that it returns to, and so where a store goes that was tested already. */
static void run_full(action *f, int sig, siginfo_t *info, void *context)
{
	mcontext_t *m = context ? &((ucontext_t *)context)->uc_mcontext : NULL;
#ifdef __x86_64__
	enum { GENERAL = REG_RIP + 1 };
	greg_t was[GENERAL];
	if (m)
		memcpy(was, m->gregs, sizeof was);
	f(sig, info, context);
	if (m && memcmp(was, m->gregs, sizeof was) != 0)
		rf_mixed();
#else
	(void)m;
	f(sig, info, context);
#endif
}

static void run(int sig, siginfo_t *info, void *context)
{
	struct given g = given[sig];
	unsigned before = rf_interrupted((uintptr_t)__builtin_frame_address(0));
	if (g.full)
		run_full(g.full, sig, info, context);
	else
		g.simple(sig);
	rf_resumed(before);
}

/* The same without its other arguments, which are not used then. */
static void run_simple(int sig)
{
	run(sig, NULL, NULL);
}

static int is_function(int sig, handler *h)
{
	return sig > 0 && sig < NSIG && h != SIG_ERR && h != SIG_DFL && h != SIG_IGN && h != SIG_HOLD;
}

WEAK int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction mine, was;
	struct given before = sig > 0 && sig < NSIG ? given[sig] : (struct given){0};
	int set = act && is_function(sig, act->sa_handler);
	if (set) {
		mine = *act;
		mine.sa_flags |= SA_SIGINFO;
		mine.sa_sigaction = run;
		given[sig] = act->sa_flags & SA_SIGINFO ? (struct given){NULL, act->sa_sigaction}
							: (struct given){act->sa_handler, NULL};
	}
	int r = __sigaction(sig, set ? &mine : act, &was);
	if (r != 0 && set)
		given[sig] = before;
	if (r != 0 || !old)
		return r;
	*old = was;
	if (was.sa_sigaction != run && was.sa_handler != run_simple)
		return r;
	old->sa_flags = before.full ? was.sa_flags | SA_SIGINFO : was.sa_flags & ~SA_SIGINFO;
	if (before.full)
		old->sa_sigaction = before.full;
	else
		old->sa_handler = before.simple;
	return r;
}

static handler *set_simple(const char *name, int sig, handler *h)
{
	handler *(*real)(int, handler *), *was;
	*(void **)&real = dlsym(RTLD_NEXT, name);
	struct given before = sig > 0 && sig < NSIG ? given[sig] : (struct given){0};
	int set = is_function(sig, h);
	if (set)
		given[sig] = (struct given){h, NULL};
	was = real(sig, set ? run_simple : h);
	if (was == SIG_ERR && set)
		given[sig] = before;
	if (was == run_simple || was == (handler *)(uintptr_t)run)
		was = before.full ? (handler *)(uintptr_t)before.full : before.simple;
	return was;
}

#define SETS(name)                                                                                                     \
	WEAK handler *name(int sig, handler *h)                                                                        \
	{                                                                                                              \
		return set_simple(#name, sig, h);                                                                      \
	}
SETS(signal)
SETS(bsd_signal)
SETS(ssignal)
SETS(sysv_signal)
SETS(__sysv_signal)
SETS(sigset)
