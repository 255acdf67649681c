/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c), beyond what a call is given: through pointers inside its arguments, by functions
 * of the C library that are called through pointers and keep what they are given, while another thread checks, when a
 * store faults, through the kernel's files, and in assembler that says little of itself. */
#define _GNU_SOURCE
#include "ways.h"

#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct node *wanted;

/* ---- where arguments lead */

static void options(struct node *n, int (*get)(int, char *const *, const char *, const struct option *, int *))
{
	const struct option o[] = {{"loud", no_argument, &n->v, 77}, {0}};
	char *argv[] = {(char *)"x", (char *)"--loud", NULL};
	optind = 1;
	get(2, argv, "", o, NULL);
}
WAY(getopt_long_flag)
{
	const struct option o[] = {{"loud", no_argument, &n->v, 77}, {0}};
	char *argv[] = {(char *)"x", (char *)"--loud", NULL};
	getopt_long(2, argv, "", o, NULL);
	return WALK;
}
WAY(getopt_long_only_flag)
{
	const struct option o[] = {{"loud", no_argument, &n->w, 77}, {0}};
	char *argv[] = {(char *)"x", (char *)"-loud", NULL};
	getopt_long_only(2, argv, "", o, NULL);
	return WALK;
}
WAY_OF(getopt_by_pointer, options(n, getopt_long))
WAY(getsubopt_in)
{
	char text[] = "a=1,b";
	char *const names[] = {(char *)"a", NULL};
	char *at = text;
	getsubopt(&at, names, (char **)(void *)&n->l);
	return WALK;
}
static int by_value(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}
WAY(tsearch_root)
{
	void *root = NULL;
	tsearch("a", &root, by_value);
	n->l = 0;
	(void)probe(head_of(n));
	tsearch("b", (void **)&n->l, by_value);
	return WALK;
}

/* ---- more bytes than there are */

WAY_OF(snprintf_any_length, snprintf(n->text + k0, (size_t)-1 - (size_t)k0, "M"))
WAY_OF(snprintf_int_max, snprintf(n->text + k0, (size_t)INT_MAX + (size_t)k0, "M"))
WAY(strftime_any_length)
{
	struct tm t = {.tm_year = 77, .tm_mday = 1};
	strftime(n->text, (size_t)-1 - (size_t)k0, "%y", &t);
	return WALK;
}
WAY_OF(readlink_long, readlink("/proc/self/exe", n->text, (size_t)INT_MAX + (size_t)k0) < 0 ? abort() : (void)0)
WAY(read_long)
{
	int ends[2];
	if (pipe(ends) != 0 || write(ends[1], "MMMM", 4) != 4)
		return GONE;
	if (read(ends[0], n->text, (size_t)0x7fff0000 + (size_t)k0) != 4)
		abort();
	return WALK;
}
WAY(fgets_long)
{
	FILE *f = tmpfile();
	fputs("MMMM\n", f);
	rewind(f);
	return fgets(n->text, INT_MAX - k0, f) ? WALK : GONE;
}

/* ---- functions that keep what they are given, by pointer */

WAY(setvbuf_by_pointer)
{
	int (*volatile f)(FILE *, char *, int, size_t) = setvbuf;
	FILE *out = fopen("/dev/null", "w");
	f(out, n->text, _IOFBF, sizeof n->text);
	(void)probe(head_of(n));
	fputs("MMM", out);
	return WALK;
}
WAY(setvbuf_by_name)
{
	int (*f)(FILE *, char *, int, size_t) = (int (*)(FILE *, char *, int, size_t))dlsym(RTLD_DEFAULT, "setvbuf");
	FILE *out = fopen("/dev/null", "w");
	f(out, n->text, _IOFBF, sizeof n->text);
	(void)probe(head_of(n));
	fputs("MMM", out);
	return WALK;
}
WAY(signal_by_pointer)
{
	void (*(*volatile f)(int, void (*)(int)))(int) = signal;
	alien_keep(n);
	f(SIGUSR1, alien_handler);
	(void)probe(head_of(n));
	raise(SIGUSR1);
	return WALK;
}
WAY(sigaction_by_pointer)
{
	int (*volatile f)(int, const struct sigaction *, struct sigaction *) = sigaction;
	struct sigaction a = {.sa_handler = alien_handler};
	alien_keep(n);
	f(SIGUSR1, &a, NULL);
	(void)probe(head_of(n));
	raise(SIGUSR1);
	return WALK;
}
WAY(thread_by_pointer)
{
	int (*volatile f)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
	pthread_t t;
	f(&t, NULL, alien_start_late, n);
	(void)probe(head_of(n));
	alien_go = 1;
	pthread_join(t, NULL);
	return WALK;
}
WAY(aio_by_pointer)
{
	int (*volatile f)(struct aiocb *) = aio_read;
	int ends[2];
	static struct aiocb a;
	if (pipe(ends) != 0)
		return GONE;
	a = (struct aiocb){.aio_fildes = ends[0], .aio_buf = n->text, .aio_nbytes = 4};
	f(&a);
	(void)probe(head_of(n));
	if (write(ends[1], "MMMM", 4) != 4)
		return GONE;
	while (aio_error(&a) == EINPROGRESS)
		;
	return WALK;
}
WAY(strtok_by_pointer)
{
	char *(*volatile f)(char *, const char *) = strtok;
	memcpy(n->text, "\1\2\3\2\5", 5);
	n->text[5] = 0;
	n->text[3] = 2;
	f(n->text, "\2");
	(void)probe(head_of(n));
	char seen = n->text[3];
	(strtok)(NULL, "\2");
	if (n->text[3] == seen)
		return GONE;
	n->text[3] = 77;
	return WALK;
}

/* ---- another thread checks while this one waits */

static int ends[2];
static void *checks_and_writes(void *n)
{
	usleep(20000);
	for (int i = 0; i < 50; i++) /* often enough that another thread's changes no longer count */
		(void)probe(n);
	return write(ends[1], "MMMM", 4) == 4 ? NULL : n;
}
static void *checks_and_returns(void *n)
{
	usleep(20000);
	for (int i = 0; i < 50; i++)
		(void)probe(n);
	return (void *)77;
}
WAY(read_while_checked)
{
	pthread_t t;
	if (pipe(ends) != 0 || pthread_create(&t, NULL, checks_and_writes, head_of(n)) != 0)
		return GONE;
	if (read(ends[0], n->text, 4) != 4)
		abort();
	pthread_join(t, NULL);
	return WALK;
}
WAY(fread_while_checked)
{
	pthread_t t;
	if (pipe(ends) != 0 || pthread_create(&t, NULL, checks_and_writes, head_of(n)) != 0)
		return GONE;
	FILE *f = fdopen(ends[0], "r");
	if (fread(n->text, 2, 2, f) != 2)
		abort();
	pthread_join(t, NULL);
	return WALK;
}
WAY(join_while_checked)
{
	pthread_t t;
	if (pthread_create(&t, NULL, checks_and_returns, head_of(n)) != 0)
		return GONE;
	pthread_join(t, (void **)(void *)&n->l);
	return WALK;
}
static int lets_another_check(struct node *n)
{
	pthread_t t;
	if (pthread_create(&t, NULL, checks_and_returns, head_of(n)) == 0)
		pthread_join(t, NULL);
	return 0;
}
WAY_OF(alien_while_checked, alien_call(n, lets_another_check))
static NOINLINE int last_call(struct node *n)
{
	return alien_call(n, lets_another_check);
}
WAY_OF(alien_tail_call_while_checked, last_call(n))

/* ---- a store that faults, and a handler that checks before it is done again */

static void *fault_page;
static void unprotect_and_check(int s)
{
	(void)s;
	mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
	(void)probe(wanted);
}
WAY(fault_in_store)
{
	fault_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct node *m = new_node(fault_page);
	struct node *after = n->next;
	n->next = m;
	m->next = after;
	wanted = head_of(n);
	(void)probe(wanted);
	signal(SIGSEGV, unprotect_and_check);
	mprotect(fault_page, 4096, PROT_READ);
	m->v = k77;
	return WALK;
}
WAY(fault_in_copy)
{
	char from[8] = "MMMMMMM";
	fault_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct node *m = new_node(fault_page);
	struct node *after = n->next;
	n->next = m;
	m->next = after;
	wanted = head_of(n);
	(void)probe(wanted);
	signal(SIGSEGV, unprotect_and_check);
	mprotect(fault_page, 4096, PROT_READ);
	memcpy(m->text, from, four);
	return WALK;
}

/* ---- the kernel's files */

static enum expected through(int fd, struct node *n)
{
	(void)probe(head_of(n));
	int value = 77;
	if (fd < 0 || pwrite(fd, &value, sizeof value, (off_t)(uintptr_t)&n->v) != sizeof value)
		abort();
	return WALK;
}
WAY(mem_in_folder)
{
	return through(openat(open("/proc/self", O_PATH), "mem", O_RDWR), n);
}
WAY(mem_here)
{
	return through(chdir("/proc/self") == 0 ? open("mem", O_RDWR) : -1, n);
}
WAY(mem_two_slashes)
{
	return through(open("//proc/self/mem", O_RDWR), n);
}
WAY(mem_by_link)
{
	char name[] = "/tmp/refrain-attack-XXXXXX";
	close(mkstemp(name));
	unlink(name);
	int fd = symlink("/proc/self/mem", name) == 0 ? open(name, O_RDWR) : -1;
	unlink(name);
	return through(fd, n);
}
WAY(mem_by_system_call)
{
	return through((int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR), n);
}
WAY(mem_by_pointer)
{
	int (*volatile f)(const char *, int, ...) = open;
	return through(f("/proc/self/mem", O_RDWR), n);
}

/* ---- assembler */

struct node *beyond_place __attribute__((used));
WAY(asm_basic)
{
	beyond_place = n;
#if defined(__PIC__) && !defined(__PIE__)
	__asm__ volatile("movq beyond_place@GOTPCREL(%%rip), %%rax\n\tmovq (%%rax), %%rax\n\tmovl $77, 8(%%rax)" ::
				 : "rax", "memory");
#else
	__asm__("pushq %rax\n\tmovq beyond_place(%rip), %rax\n\tmovl $77, 8(%rax)\n\tpopq %rax");
#endif
	return WALK;
}
WAY_OF(asm_any_length, __asm__("movl $77, %0" : "=m"(*(int (*)[]) & n->v)))
WAY_OF(asm_zero_length, __asm__("movl $77, %0" : "=m"(*(int (*)[0]) & n->v)))
WAY_OF(asm_flag, n->v = 1; __asm__("cmpl %1, %1" : "=@ccne"(n->v) : "r"(k77)))
WAY(asm_early)
{
	int a;
	__asm__("movl $77, %0\n\tmovl $5, %1" : "=&m"(n->v), "=r"(a));
	return WALK;
}

/* ---- returning twice, returning much */

WAY(setjmp_result)
{
	static jmp_buf again;
	n->v = setjmp(again);
	if (n->v == 0) {
		n->v = 1;
		(void)probe(head_of(n));
		longjmp(again, 77);
	}
	return WALK;
}
WAY_OF(setjmp_buffer, (void)setjmp(*(jmp_buf *)(void *)n->arr))
WAY_OF(division_result, *(div_t *)(void *)&n->pair = div(777 + k0, 10))

/* ---- handlers at the exit: run in a child */

static void say_verdict(void)
{
	unsigned long long before = violations();
	(void)probe(wanted);
	_exit(violations() == before ? 3 : 4);
}
static enum expected in_child(struct node *n, int how)
{
	int status = 0;
	wanted = head_of(n);
	alien_keep(n);
	pid_t child = fork();
	if (child == 0) {
		if (how == 0) {
			atexit(say_verdict);
			atexit(alien_tick);
		} else {
			on_exit((void (*)(int, void *))(void (*)(void))say_verdict, NULL);
			on_exit((void (*)(int, void *))(void (*)(void))alien_tick, NULL);
		}
		(void)probe(wanted);
		exit(0);
	}
	waitpid(child, &status, 0);
	if (status != 4 << 8) {
		printf("STALE: a handler at the exit\n");
		fflush(stdout);
		_exit(1);
	}
	n->v = 77;
	return WALK;
}
WAY(alien_atexit)
{
	return in_child(n, 0);
}
WAY(alien_on_exit)
{
	return in_child(n, 1);
}

/* ---- other forms of a store */

struct __attribute__((packed)) odd {
	unsigned char before;
	unsigned long wide : 57;
};
WAY_OF(wide_field, ((struct odd *)(void *)n->text)->wide = 77ul << 45)
static NOINLINE void spread(int count, ...)
{
	va_list ap;
	va_start(ap, count);
	*va_arg(ap, struct big *) = va_arg(ap, struct big);
	va_end(ap);
}
WAY_OF(variadic_struct, spread(2, &n->big, (struct big){{77, 77, 77}}))
/* A store that begins in bytes that no condition reads: its type says that it is aligned, its address is not. */
struct gap {
	struct gap *next;
	long unread;
	char read, rest[7];
};
/*@ regtype gaps : struct gap = null | { next : gaps, read : int(0..9) };
    pred probe_gap(g) : gaps(g); */
NOINLINE int probe_gap(struct gap *g)
{
	return g != NULL;
}
WAY(misaligned)
{
	struct gap *g = calloc(1, sizeof *g);
	(void)probe_gap(g);
	(void)probe_gap(g);
	*(int *)(void *)((char *)&g->unread + 5 + k0) = k77 << 24;
	unsigned long long before = violations();
	(void)probe_gap(g);
	if (g->read != 77 || violations() == before) {
		printf("STALE misaligned\n");
		fflush(stdout);
		_exit(1);
	}
	n->v = 77;
	return WALK;
}
#ifndef __clang__
struct __attribute__((scalar_storage_order("big-endian"))) swapped {
	int x;
};
WAY_OF(other_byte_order, ((struct swapped *)(void *)&n->v)->x = k77)
static __attribute__((target_clones("avx2", "default"))) NOINLINE void cloned(int *p, int k)
{
	for (int i = 0; i < 32; i++)
		p[i] = k;
}
WAY_OF(target_clones, cloned(n->arr, k77))
#endif
