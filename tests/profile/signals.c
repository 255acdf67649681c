/* SPDX-License-Identifier: MIT */
/* Signals, in the middle of calls: raised by the call itself (so that the run is the same every time), handled on
 * the same
 * stack, on a stack of its own, and left by siglongjmp. Each comment says calls/distinct inputs. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;
static int handled; /* read and written by handlers only */
static sigjmp_buf env;
static char stack[1 << 16];

/* 780/5: 600 from main with 0 to 3, 180 from handlers with 9; the handlers' cost is not its callers' */
NOINLINE int work(int n)
{
	int s = 0;
	for (int i = 0; i < 100; i++)
		s += (n * i) ^ i;
	return s;
}

static void on_plain(int number)
{
	(void)number;
	handled++;
	for (int i = 0; i < 30; i++)
		sink += work(9);
}

static void on_jump(int number)
{
	(void)number;
	handled++;
	siglongjmp(env, 1);
}

/* 3/1: interrupted on the same stack */
NOINLINE int plain(int n)
{
	int s = work(n);
	raise(SIGUSR1);
	return s + work(n);
}

/* 3/1: interrupted, the handler elsewhere */
NOINLINE int elsewhere(int n)
{
	int s = work(n);
	raise(SIGUSR2);
	return s + work(n);
}

/* 4/1: never returns */
NOINLINE int jumped(int n)
{
	int s = work(n);
	raise(SIGHUP);
	return s;
}

static void handle(int number, void (*f)(int), int flags)
{
	struct sigaction sa;
	memset(&sa, 0, sizeof sa);
	sa.sa_handler = f;
	sa.sa_flags = flags;
	sigaction(number, &sa, NULL);
}

int main(void)
{
	stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&own, NULL);
	handle(SIGUSR1, on_plain, 0);
	handle(SIGUSR2, on_plain, SA_ONSTACK);
	handle(SIGHUP, on_jump, SA_NODEFER);
	for (volatile int i = 0; i < 584; i++)
		sink += work(i % 4);
	for (volatile int i = 0; i < 3; i++)
		sink += plain(1) + elsewhere(2);
	for (volatile int i = 0; i < 4; i++)
		if (!sigsetjmp(env, 1))
			sink += jumped(3);
	printf("%ld %d\n", sink, handled);
	return 0;
}
