/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): later, or by way of somebody else. Handlers, threads and callbacks that are code
 * without the barrier, the kernel while a handler checks, memory that changes with fork. */
#define _GNU_SOURCE
#include "ways.h"

#include <aio.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct node *wanted;

/* ---- code without the barrier that nobody calls by name */

WAY(alien_signal_handler)
{
	alien_keep(n);
	(void)probe(head_of(n));
	signal(SIGUSR1, alien_handler);
	raise(SIGUSR1);
	return WALK;
}
WAY(alien_sigaction)
{
	struct sigaction a = {.sa_handler = alien_handler};
	alien_keep(n);
	(void)probe(head_of(n));
	sigaction(SIGUSR1, &a, NULL);
	(void)probe(head_of(n));
	raise(SIGUSR1);
	return WALK;
}
WAY(alien_thread)
{
	pthread_t t;
	alien_keep(n);
	(void)probe(head_of(n));
	if (pthread_create(&t, NULL, alien_start, n) != 0)
		return GONE;
	pthread_join(t, NULL);
	return WALK;
}
WAY(alien_thread_waits)
{
	pthread_t t;
	(void)probe(head_of(n));
	if (pthread_create(&t, NULL, alien_start_late, n) != 0)
		return GONE;
	(void)probe(head_of(n));
	alien_go = 1;
	pthread_join(t, NULL);
	return WALK;
}
WAY(alien_c11_thread)
{
	thrd_t t;
	(void)probe(head_of(n));
	if (thrd_create(&t, (thrd_start_t)(void *)alien_start, n) != thrd_success)
		return GONE;
	(void)probe(head_of(n));
	thrd_join(t, NULL);
	return WALK;
}
WAY(alien_compare_in_qsort)
{
	struct node *array[] = {n, n};
	qsort(array, 2, sizeof *array, alien_compare);
	return WALK;
}
WAY(alien_compare_in_bsearch)
{
	struct node *array[] = {n, n};
	(void)bsearch(&array[1], array, 2, sizeof *array, alien_compare);
	return WALK;
}
WAY(alien_once)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	alien_keep(n);
	(void)probe(head_of(n));
	pthread_once(&once, alien_tick);
	return WALK;
}
static void *ends_with_key(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, wanted);
	return NULL;
}
WAY(alien_destructor)
{
	pthread_key_t key;
	pthread_t t;
	wanted = n;
	pthread_key_create(&key, (void (*)(void *))(void *)alien_write);
	(void)probe(head_of(n));
	if (pthread_create(&t, NULL, ends_with_key, &key) != 0)
		return GONE;
	pthread_join(t, NULL);
	return WALK;
}
WAY(alien_timer)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_ptr = n};
	struct itimerspec soon = {.it_value.tv_nsec = 20000000};
	timer_t t;
	e.sigev_notify_function = (void (*)(union sigval))(void *)alien_write;
	if (timer_create(CLOCK_MONOTONIC, &e, &t) != 0)
		return n->v = 77, WALK;
	(void)probe(head_of(n));
	timer_settime(t, 0, &soon, NULL);
	(void)probe(head_of(n));
	usleep(300000);
	return WALK;
}

/* ---- the kernel writes while a handler of the program checks */

static int pipe_ends[2];
static void check_and_feed(int s)
{
	(void)s;
	(void)probe(head_of(wanted));
	(void)!write(pipe_ends[1], (int[]){77, 77, 77, 77}, 16);
}
static void soon(struct node *n)
{
	struct itimerval t = {.it_value.tv_usec = 20000};
	wanted = n;
	(void)!pipe(pipe_ends);
	struct sigaction a = {.sa_handler = check_and_feed, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}
WAY(handler_checks_in_read)
{
	soon(n);
	(void)!read(pipe_ends[0], n->arr, 16);
	return WALK;
}
WAY(handler_checks_in_fread)
{
	soon(n);
	FILE *f = fdopen(pipe_ends[0], "r");
	(void)!fread(n->arr, 4, 4, f);
	return WALK;
}
WAY(handler_checks_in_readv)
{
	soon(n);
	struct iovec v = {n->arr, 16};
	extern ssize_t readv(int, const struct iovec *, int);
	(void)!readv(pipe_ends[0], &v, 1);
	return WALK;
}
static jmp_buf back;
static void check_and_leave(int s)
{
	(void)s;
	(void)probe(head_of(wanted));
	siglongjmp(back, 1);
}
WAY(handler_leaves_read)
{
	soon(n);
	signal(SIGALRM, check_and_leave);
	if (sigsetjmp(back, 1) == 0)
		(void)!read(pipe_ends[0], n->arr, 16);
	(void)probe(head_of(n));
	n->v = k77;
	return WALK;
}

/* ---- arguments that are written to though they do not look like it */

WAY(getsockname_in)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t size = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) != 0 ||
	    getsockname(s, (struct sockaddr *)(void *)n->arr, &size) != 0)
		n->v = 77;
	n->arr[0] = n->arr[0] ? n->arr[0] : 77;
	return WALK;
}
WAY(accept_in)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(s, (struct sockaddr *)&a, sizeof a) != 0 || getsockname(s, (struct sockaddr *)&a, &size) != 0 ||
	    listen(s, 1) != 0 || connect(c, (struct sockaddr *)&a, sizeof a) != 0)
		return n->v = 77, WALK;
	(void)probe(head_of(n));
	(void)accept(s, (struct sockaddr *)(void *)n->arr, &size);
	return WALK;
}
WAY(recvfrom_address)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	char c;
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(s, (struct sockaddr *)&a, sizeof a) != 0 || getsockname(s, (struct sockaddr *)&a, &size) != 0 ||
	    sendto(s, "x", 1, 0, (struct sockaddr *)&a, sizeof a) != 1)
		return n->v = 77, WALK;
	(void)probe(head_of(n));
	(void)!recvfrom(s, &c, 1, 0, (struct sockaddr *)(void *)n->arr, &size);
	return WALK;
}
WAY(ioctl_inner)
{
	struct ifconf c = {.ifc_len = sizeof n->text};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	c.ifc_buf = n->text;
	if (ioctl(s, SIOCGIFCONF, &c) != 0 || !c.ifc_len)
		n->v = 77;
	return WALK;
}
WAY(lio_listio_in)
{
	static struct aiocb a;
	struct aiocb *list[] = {&a};
	(void)!pipe(pipe_ends);
	a = (struct aiocb){.aio_fildes = pipe_ends[0], .aio_buf = n->arr, .aio_nbytes = 16, .aio_lio_opcode = LIO_READ};
	if (lio_listio(LIO_NOWAIT, list, 1, NULL) != 0)
		return n->v = 77, WALK;
	(void)probe(head_of(n));
	(void)!write(pipe_ends[1], (int[]){77, 77, 77, 77}, 16);
	usleep(300000);
	return WALK;
}
WAY(number_of_a_child)
{
	pid_t child;
	n->v = 5;
	(void)probe(head_of(n));
	child = (pid_t)syscall(SYS_clone, 0x01000000 /* CLONE_CHILD_SETTID */ | SIGCHLD, 0, NULL, &n->v, 0);
	if (child == 0)
		_exit(n->v > 9 && (probe(head_of(n)), violations()) ? 0 : 1);
	int status = 1;
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return GONE;
	return n->v = 77, WALK;
}

/* ---- memory of a child */

static enum expected in_child(struct node *n, int advice)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct node *h = head_of(n);
	h->next = new_node(page);
	(void)probe(h);
	(void)probe(h);
	if (madvise(page, 4096, advice) != 0)
		return h->next->v = 77, WALK;
	(void)probe(h);
	(void)probe(h);
	pid_t child = fork();
	if (child == 0) {
		unsigned long long k = violations();
		(void)probe(h);
		_exit(violations() == k);
	}
	int status = 1;
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return GONE; /* the child's verdict was stale: so is the parent's, which is asked for */
	return h->next->v = 77, WALK;
}
WAY(wiped_by_fork)
{
	return in_child(n, MADV_WIPEONFORK);
}
WAY(lost_by_fork)
{
	return in_child(n, MADV_DONTFORK);
}
