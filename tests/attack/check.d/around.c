/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c), around the program: by its children, by functions without the barrier that known
 * ones call (a stream's, printf's, those of the end), by system calls in assembler, through memory that is mapped
 * twice, and by operands of assembler that are only said to be read. */
#define _GNU_SOURCE
#include "ways.h"

#include <errno.h>
#include <fcntl.h>
#include <printf.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static const char bytes77[] = "MMMM";
static struct node *wanted;

/* The list's second node on pages of its own, verified. */
static struct node *mapped(struct node *n)
{
	struct node *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	new_node(m);
	head_of(n)->next = m;
	(void)probe(head_of(m));
	return m;
}

/* ---- children that write to their parent */

static int in_child(void (*write)(pid_t parent, struct node *n), struct node *n)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		write(parent, n);
		_exit(0);
	}
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
static void by_vm(pid_t parent, struct node *n)
{
	struct iovec from = {(void *)(uintptr_t)bytes77, 4}, to = {&n->v, 4};
	(void)!process_vm_writev(parent, &from, 1, &to, 1, 0);
}
static void by_ptrace(pid_t parent, struct node *n)
{
	int status;
	if (ptrace(PTRACE_ATTACH, parent, 0, 0) != 0)
		return;
	waitpid(parent, &status, 0);
	ptrace(PTRACE_POKEDATA, parent, &n->l, 77);
	ptrace(PTRACE_DETACH, parent, 0, 0);
}
static void by_file(pid_t parent, struct node *n)
{
	char name[40];
	snprintf(name, sizeof name, "/proc/%d/mem", (int)parent);
	int fd = open(name, O_RDWR);
	(void)!pwrite(fd, bytes77, 4, (off_t)(uintptr_t)&n->v);
}
WAY_OF(child_by_process_vm, in_child(by_vm, n))
/* a machine that does not allow it changes nothing: then the parent does */
WAY_OF(child_by_ptrace, in_child(by_ptrace, n); if (n->l != 77) n->l = 77)
WAY_OF(child_by_memory_file, in_child(by_file, n))
static int wait_for(void *flag)
{
	while (!*(volatile int *)flag)
		;
	return 0;
}
WAY(clone_clears_at_exit)
{
	static volatile int go;
	char *stack = malloc(65536);
	int flags = CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD;
	pid_t child = clone(wait_for, stack + 65536, flags, (void *)(uintptr_t)&go, NULL, NULL, &n->v);
	(void)probe(head_of(n));
	(void)probe(head_of(n));
	go = 1;
	waitpid(child, NULL, 0);
	return WALK;
}

/* ---- functions without the barrier that known ones call */

ssize_t alien_cookie_read(void *cookie, char *to, size_t n);
ssize_t alien_cookie_write(void *cookie, const char *from, size_t n);
int alien_print(FILE *f, const struct printf_info *i, const void *const *args);
void alien_end(void *n);
int alien_open(const char *name);

WAY(alien_stream_read)
{
	FILE *f = fopencookie(n, "r", (cookie_io_functions_t){.read = alien_cookie_read});
	(void)probe(head_of(n));
	(void)fgetc(f);
	return WALK;
}
WAY(alien_stream_written)
{
	FILE *f = fopencookie(n, "w", (cookie_io_functions_t){.write = alien_cookie_write});
	(void)probe(head_of(n));
	fputs("text", f);
	fflush(f);
	return WALK;
}
static ssize_t check_and_take(void *cookie, const char *from, size_t n)
{
	(void)cookie;
	(void)from;
	(void)probe(head_of(wanted));
	return (ssize_t)n;
}
WAY(stream_checks_before_percent_n)
{
	static char text[91];
	FILE *f = fopencookie(n, "w", (cookie_io_functions_t){.write = check_and_take});
	wanted = n;
	memset(text, 'x', 90);
	setvbuf(f, NULL, _IONBF, 0);
	fprintf(f, "%s%n", text, &n->v);
	return WALK;
}
static int no_arguments(const struct printf_info *i, size_t n, int *types, int *sizes)
{
	(void)i;
	(void)n;
	(void)types;
	(void)sizes;
	return 0;
}
WAY(alien_printf_specifier)
{
	char text[20];
	alien_keep(n);
	register_printf_specifier('Q', alien_print, no_arguments);
	(void)probe(head_of(n));
	snprintf(text, sizeof text, "%Q", 1);
	return WALK;
}

/* What is called at the end can only be asked there. */
extern int __cxa_atexit(void (*)(void *), void *, void *), __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;
static void at_the_end(void)
{
	unsigned long long before = violations();
	(void)probe(head_of(wanted));
	_exit(violations() == before);
}
WAY(alien_cxa_atexit)
{
	wanted = n;
	atexit(at_the_end);
	__cxa_atexit(alien_end, n, NULL);
	(void)probe(head_of(n));
	exit(1);
}
static void *end_with(void *n)
{
	__cxa_thread_atexit_impl(alien_end, n, &__dso_handle);
	(void)probe(head_of(n));
	return NULL;
}
WAY(alien_thread_end)
{
	pthread_t t;
	pthread_create(&t, NULL, end_with, n);
	pthread_join(t, NULL);
	return WALK;
}
WAY(alien_opens_memory)
{
	int fd = alien_open("/proc/self/mem");
	(void)probe(head_of(n));
	(void)!pwrite(fd, bytes77, 4, (off_t)(uintptr_t)&n->v);
	return WALK;
}

/* ---- the kernel */

WAY(vmsplice_in)
{
	int fd[2];
	struct iovec to = {&n->v, 4};
	(void)!pipe(fd);
	(void)!write(fd[1], bytes77, 4);
	(void)!vmsplice(fd[0], &to, 1, 0);
	return WALK;
}
WAY(memory_opened_in_asm)
{
	static const char name[] = "/proc/self/mem";
	long r = SYS_open;
	__asm__ volatile("syscall" : "+a"(r) : "D"(name), "S"((long)O_RDWR), "d"(0L) : "rcx", "r11", "memory");
	(void)probe(head_of(n));
	(void)!pwrite((int)r, bytes77, 4, (off_t)(uintptr_t)&n->v);
	return WALK;
}
WAY(shm_over_a_page)
{
	int id = shmget(IPC_PRIVATE, 8192, 0600 | IPC_CREAT);
	struct node *m = mapped(n), *other = shmat(id, NULL, 0);
	memcpy(other, m, sizeof *m);
	(void)!shmat(id, m, SHM_REMAP);
	shmctl(id, IPC_RMID, NULL);
	(void)probe(head_of(m));
	other->v = k77;
	return WALK;
}
WAY(file_over_a_page_by_system_call)
{
	int fd = memfd_create("x", 0);
	(void)!ftruncate(fd, 8192);
	struct node *m = mapped(n), *other = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(other, m, sizeof *m);
	syscall(SYS_mmap, m, 8192L, (long)(PROT_READ | PROT_WRITE), (long)(MAP_SHARED | MAP_FIXED), (long)fd, 0L);
	(void)probe(head_of(m));
	other->v = k77;
	return WALK;
}
static void by_system_call(int s)
{
	(void)s;
	syscall(SYS_mprotect, wanted, 8192L, (long)(PROT_READ | PROT_WRITE));
	(void)probe(head_of(wanted));
}
WAY(fault_after_system_call)
{
	wanted = mapped(n);
	signal(SIGSEGV, by_system_call);
	syscall(SYS_mprotect, wanted, 8192L, (long)PROT_READ);
	wanted->v = k77;
	return WALK;
}
static void by_key(int s)
{
	(void)s;
	pkey_mprotect(wanted, 8192, PROT_READ | PROT_WRITE, -1);
	(void)probe(head_of(wanted));
}
WAY(fault_after_pkey_mprotect)
{
	wanted = mapped(n);
	signal(SIGSEGV, by_key);
	pkey_mprotect(wanted, 8192, PROT_READ, -1);
	wanted->v = k77;
	return WALK;
}

/* ---- assembler that does not say what it writes */

WAY_OF(asm_through_a_number, __asm__ volatile("movl $77, (%0)" : : "r"((uintptr_t)&n->v)))
WAY_OF(asm_to_an_input, __asm__ volatile("movl $77, %0" : : "m"(n->v)))

/* ---- a block that is only lent */

#ifdef __clang__
#define LENT __attribute__((noescape))
#else
#define LENT
#endif
int lent_probe(struct node *LENT n) __attribute__((pure));
WAY(lent_block)
{
	struct node *m = malloc(sizeof *m);
	memset(m, 0, sizeof *m);
	m->v = m->first = 1;
	int seen = lent_probe(m);
	unsigned long long before = violations();
	m->v = k77;
	seen += lent_probe(m);
	n->v = violations() == before ? 1 : seen;
	free(m);
	return WALK;
}

/* ---- a handler between the test and the store: the processor stops after each instruction until the store is done */

static void at_each_step(int s, siginfo_t *i, void *context)
{
	static int steps;
	(void)s;
	(void)i;
	if (wanted->v == 77 || ++steps > 10000)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x100;
	else
		(void)probe(head_of(wanted));
}
WAY(handler_at_each_step)
{
	struct sigaction a = {.sa_sigaction = at_each_step, .sa_flags = SA_SIGINFO};
	wanted = n;
	sigaction(SIGTRAP, &a, NULL);
	__asm__ volatile("pushf\n\torl $0x100, (%rsp)\n\tpopf");
	n->v = 77;
	__asm__ volatile("");
	return WALK;
}
static void at_each_step_simply(int s)
{
	(void)s;
	(void)probe(head_of(wanted));
}
WAY(handlers_are_told)
{
	struct sigaction a = {.sa_handler = at_each_step_simply}, was;
	(void)signal(SIGUSR1, at_each_step_simply);
	int good = sigaction(SIGUSR1, NULL, &was) == 0 && was.sa_handler == at_each_step_simply &&
		   !(was.sa_flags & SA_SIGINFO) && signal(SIGUSR1, SIG_IGN) == at_each_step_simply &&
		   sigaction(SIGUSR1, &a, &was) == 0 && was.sa_handler == SIG_IGN &&
		   signal(SIGUSR1, SIG_DFL) == at_each_step_simply && signal(SIGUSR1, SIG_DFL) == SIG_DFL;
	n->v = good ? 77 : 1; /* 1: "without effect" */
	return WALK;
}
