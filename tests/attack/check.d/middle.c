/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): results that the kernel leaves, a handler that changes where a store goes, more of
 * the C library's functions, and calls that check in the middle of a statement. */
#define _GNU_SOURCE
#include "ways.h"

#include <complex.h>
#include <ftw.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <uchar.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

static struct node *wanted;

static int check_and_compare(const void *a, const void *b)
{
	(void)probe(head_of(wanted));
	return *(const int *)a - *(const int *)b;
}
/* ---- the kernel */
WAY(sendmmsg_len)
{
	int fd[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
	static char text[77];
	struct iovec v = {text, 77};
	struct {
		struct mmsghdr m;
	} *p = (void *)(n->arr + (((uintptr_t)n->arr & 4) != 0));
	memset(p, 0, sizeof *p);
	p->m.msg_hdr.msg_iov = &v;
	p->m.msg_hdr.msg_iovlen = 1;
	sendmmsg(fd[0], &p->m, 1, 0);
	return WALK;
}
WAY(recvmmsg_in)
{
	int fd[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
	(void)!write(fd[1], "MMMM", 4);
	struct iovec v = {&n->v, 4};
	struct mmsghdr m = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};
	recvmmsg(fd[0], &m, 1, 0, NULL);
	return WALK;
}
WAY(recvmsg_control)
{
	int fd[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	int one = 1;
	setsockopt(fd[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof one);
	(void)!write(fd[1], "MMMM", 4);
	char b[4];
	struct iovec v = {b, 4};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = n->text, .msg_controllen = 100};
	(void)!recvmsg(fd[0], &m, 0);
	return WALK;
}
WAY(getsockopt_in)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t k = 4;
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &n->v, &k);
	return WALK;
}
WAY(ioctl_in)
{
	int fd[2];
	(void)!pipe(fd);
	static char b[77];
	(void)!write(fd[1], b, 77);
	ioctl(fd[0], FIONREAD, &n->v);
	return WALK;
}
WAY(sigaction_old_raw)
{
	struct sigaction a = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR1, NULL, (struct sigaction *)(void *)(n->text));
	return WALK;
}
WAY(sigprocmask_old)
{
	sigset_t s;
	sigfillset(&s);
	sigprocmask(SIG_BLOCK, &s, NULL);
	sigprocmask(SIG_BLOCK, NULL, (sigset_t *)(void *)n->arr);
	return WALK;
}
WAY(regexec_matches)
{
	regex_t r;
	regcomp(&r, "x", 0);
	static char text[100];
	memset(text, 'a', 77);
	text[77] = 'x';
	regexec(&r, text, 1, (regmatch_t *)(void *)&n->v, 0);
	return WALK;
}
WAY(poll_revents)
{
	struct pollfd *p = (void *)n->arr;
	p->fd = 1;
	p->events = 5;
	(void)probe(head_of(n));
	poll(p, 1, 0);
	n->arr[1] += 50 << 16;
	return WALK;
}
WAY(epoll_in)
{
	int e = epoll_create(1), fd[2];
	(void)!pipe(fd);
	struct epoll_event ev = {.events = EPOLLIN, .data.u64 = 7777};
	epoll_ctl(e, EPOLL_CTL_ADD, fd[0], &ev);
	(void)!write(fd[1], "x", 1);
	epoll_wait(e, (struct epoll_event *)(void *)n->arr, 3, 0);
	return WALK;
}
WAY(select_in)
{
	fd_set *s = (fd_set *)(void *)n->text;
	struct timeval t = {0, 0};
	n->text[8] = 4;
	(void)probe(head_of(n));
	int fd[2];
	(void)!pipe(fd);
	for (int i = 0; i < 100; i++)
		if (dup(fd[1]) > 70)
			break;
	FD_ZERO(s);
	FD_SET(66, s);
	select(67, NULL, s, NULL, &t);
	n->text[12] = 77;
	return WALK;
}
WAY_OF(sysinfo_in, sysinfo((struct sysinfo *)(void *)n->text))
WAY_OF(clock_getres_in, clock_getres(CLOCK_REALTIME_COARSE, (struct timespec *)(void *)&n->bits))
WAY_OF(statvfs_in, (void)!statvfs("/", (struct statvfs *)(void *)n->text))
WAY_OF(timerfd_in, {
	struct itimerspec s = {{0}, {1000, 0}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd, 0, &s, NULL);
	timerfd_gettime(fd, (struct itimerspec *)(void *)n->arr);
})
WAY_OF(itimer_old, {
	struct itimerval s = {{0}, {1000, 0}};
	setitimer(ITIMER_VIRTUAL, &s, NULL);
	struct itimerval z = {{0}};
	setitimer(ITIMER_VIRTUAL, &z, (struct itimerval *)(void *)n->arr);
})
WAY(msgrcv_in)
{
	int q = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	if (q < 0) {
		n->v = 77;
		return WALK;
	}
	struct {
		long t;
		char b[8];
	} m = {5, "MMMM"};
	msgsnd(q, &m, 4, 0);
	msgrcv(q, &n->arr[((uintptr_t)n->arr & 4) != 0], 8, 0, 0);
	msgctl(q, IPC_RMID, NULL);
	return WALK;
}
WAY(semctl_in)
{
	int q = semget(IPC_PRIVATE, 2, 0600 | IPC_CREAT);
	if (q < 0) {
		n->v = 77;
		return WALK;
	}
	union {
		int val;
		unsigned short *array;
		struct semid_ds *d;
	} u = {.array = (unsigned short *)&n->v};
	unsigned short vals[2] = {77, 77};
	union {
		int val;
		unsigned short *array;
	} w = {.array = vals};
	semctl(q, 0, SETALL, w);
	semctl(q, 0, GETALL, u);
	semctl(q, 0, IPC_RMID);
	return WALK;
}
WAY_OF(prctl_name, syscall(SYS_prctl, 16, n->text, 0, 0, 0))
WAY_OF(arch_prctl_fs, syscall(SYS_arch_prctl, 0x1003, &n->l))
WAY_OF(futex_wake_op, {
	static int w;
	syscall(SYS_futex, &w, 5, 0, 0, &n->v, (0 << 28) | (77 << 12));
})
WAY(readv_by_asm)
{
	int fd[2];
	(void)!pipe(fd);
	(void)!write(fd[1], "MMMM", 4);
	struct iovec v = {&n->v, 4};
	long r = SYS_readv;
	__asm__ volatile("syscall" : "+a"(r) : "D"((long)fd[0]), "S"(&v), "d"(1L) : "rcx", "r11", "memory");
	return WALK;
}
WAY(sbrk_shrinks)
{
	char *p = sbrk(3 * 4096);
	if (p == (void *)-1) {
		n->v = 77;
		return WALK;
	}
	struct node *m = new_node((void *)(((uintptr_t)p + 4095) & ~4095ul));
	head_of(n)->next = m;
	struct node *h = head_of(m);
	(void)probe(h);
	(void)probe(h);
	sbrk(-3 * 4096);
	sbrk(3 * 4096);
	(void)h;
	return WALK;
}
/* ---- a handler that changes registers of what it interrupted */
static void to_node(int s, siginfo_t *i, void *c)
{
	(void)s;
	(void)i;
	greg_t *g = ((ucontext_t *)c)->uc_mcontext.gregs;
	for (int k = REG_R8; k <= REG_RIP; k++)
		if (g[k] == 0x1230)
			g[k] = (greg_t)&wanted->v;
}
WAY(handler_changes_address)
{
	struct sigaction a = {.sa_sigaction = to_node, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &a, NULL);
	wanted = n;
	(void)probe(head_of(n));
	volatile uintptr_t p = 0x1230;
	*(int *)p = k77;
	if (n->v != 77) {
		n->v = 77;
	}
	return WALK;
}
static void to_value(int s, siginfo_t *i, void *c)
{
	(void)s;
	(void)i;
	greg_t *g = ((ucontext_t *)c)->uc_mcontext.gregs;
	(void)g;
	wanted->v = 77;
}
WAY(handler_full_writes)
{
	struct sigaction a = {.sa_sigaction = to_value, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR2, &a, NULL);
	wanted = n;
	raise(SIGUSR2);
	return WALK;
}
/* ---- more instructions */
WAY_OF(rep_movsb, {
	const char *s = "MMMM";
	char *d = n->text;
	long k = 4;
	__asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(k) : : "memory");
})
WAY_OF(rep_stosl_no_clobber, {
	int *d = n->arr;
	long k = 4;
	__asm__ volatile("rep stosl" : "+D"(d), "+c"(k) : "a"(77));
})
WAY_OF(xchg_asm, {
	int x = 77;
	__asm__ volatile("xchgl %0, %1" : "+r"(x), "+m"(n->v));
})
WAY_OF(sub_overflow, (void)__builtin_sub_overflow(100, 23 + k0, &n->v))
WAY_OF(mul_overflow, (void)__builtin_mul_overflow(11, 7 + k0, &n->v))
WAY_OF(atomic_clear_in, {
	n->first = 1;
	__atomic_clear((char *)&n->first, __ATOMIC_SEQ_CST);
})
WAY_OF(sync_release, { __sync_lock_release(&n->first); })
WAY_OF(sync_test_set, (void)__sync_lock_test_and_set(&n->v, 77))
WAY_OF(complex_both, *(_Complex float *)(void *)n->arr = 77.0f + 5.0f * I)
union uu {
	int i;
	float f;
	char c[4];
};
WAY_OF(union_member, ((union uu *)(void *)&n->v)->c[1 + k0] = 77)
struct flex {
	int n;
	int at[];
};
WAY_OF(flexible, ((struct flex *)(void *)&n->v)->at[0 + k0] = 77)
struct ret {
	int a[6];
};
static NOINLINE struct ret rets(struct node *n)
{
	(void)probe(head_of(n));
	return (struct ret){{77, 1, 2, 3, 4, 5}};
}
WAY_OF(hidden_pointer, *(struct ret *)(void *)n->arr = rets(n))
static NOINLINE struct ret (*pick(void))(struct node *)
{
	return rets;
}
WAY_OF(hidden_pointer_indirect, *(struct ret *)(void *)n->arr = pick()(n))
struct two {
	double a;
	long b;
};
static NOINLINE struct two ret_two(struct node *n)
{
	(void)probe(head_of(n));
	return (struct two){1e300, 77};
}
WAY_OF(two_registers, *(struct two *)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0)) = ret_two(n))
static NOINLINE long double ret_ld(struct node *n)
{
	(void)probe(head_of(n));
	return 7.7L;
}
WAY_OF(x87_result, *(long double *)(void *)n->text = ret_ld(n))
static NOINLINE _Bool ret_b(struct node *n)
{
	(void)probe(head_of(n));
	return 0;
}
WAY_OF(bool_result, *(_Bool *)&n->first = ret_b(n))
static NOINLINE unsigned ret_u(struct node *n)
{
	(void)probe(head_of(n));
	return 100;
}
WAY_OF(bit_field_result, ((struct fields *)(void *)&n->bits)->b = ret_u(n))
typedef int v4 __attribute__((vector_size(16)));
static NOINLINE v4 ret_v(struct node *n)
{
	(void)probe(head_of(n));
	return (v4){77, 1, 2, 3};
}
WAY_OF(vector_result, {
	v4 x = ret_v(n);
	memcpy(n->arr, &x, 16);
})
static NOINLINE int with_check(struct node *n)
{
	(void)probe(head_of(n));
	return 70;
}
WAY_OF(compound_assign_call, n->v += with_check(n))
WAY_OF(chained_assign, n->v = n->w = with_check(n))
WAY_OF(index_call, n->arr[with_check(n) - 69] = 77)
WAY_OF(comma_call, n->v = (with_check(n), 77))
WAY_OF(cond_call, n->v = with_check(n) ? 77 : 1)
WAY_OF(designated, { *n = (struct node){.next = n->next, .v = with_check(n), .first = 1}; })
WAY_OF(memcpy_of_call, memcpy(n->arr, (struct ret[]){rets(n)}, sizeof(struct ret)))
WAY_OF(atomic_of_call, __atomic_store_n(&n->v, with_check(n), __ATOMIC_RELEASE))
WAY_OF(asm_of_call, {
	int x;
	__asm__ volatile("movl %1, %0" : "=m"(n->v) : "r"(with_check(n)));
	(void)x;
})
WAY_OF(wmempcpy_in, (void)wmempcpy((wchar_t *)(void *)n->arr, L"abc", four))
WAY_OF(wcsncpy_in, (void)wcsncpy((wchar_t *)(void *)n->arr, L"abc", four))
WAY_OF(mbrtoc32_in, {
	mbstate_t s = {0};
	(void)mbrtoc32((char32_t *)(void *)n->arr, "M", 1, &s);
})
WAY_OF(wcstol_end, { (void)wcstol(L"12x", (wchar_t **)&n->l, 10); })
WAY_OF(strtod_end, { (void)strtod("1.5x", (char **)&n->l); })
WAY_OF(strtok_r_save, {
	char b[] = "a b";
	(void)strtok_r(b, " ", (char **)&n->l);
})
WAY_OF(asctime_r_in, {
	struct tm t = {.tm_mday = 1};
	(void)asctime_r(&t, n->text);
})
WAY_OF(
	inet_pton_in, (void)0; {
		extern int inet_pton(int, const char *, void *);
		inet_pton(AF_INET, "77.77.77.77", &n->v);
	})
WAY_OF(getgroups_like, (void)!confstr(_CS_PATH, n->text, 100))
WAY_OF(pthread_getname_in, (void)pthread_getname_np(pthread_self(), n->text, 100))
WAY_OF(sem_init_in, sem_init((sem_t *)(void *)n->arr, 0, 77))
WAY_OF(ecvt_r_in, {
	int a;
	ecvt_r(1.5, 5, &a, &n->w, n->text, 100);
	(void)a;
})
WAY_OF(qsort_structs, {
	n->arr[0] = 9;
	n->arr[1] = 1;
	(void)0;
	n->v = 78;
	qsort(&n->v, 2, sizeof(int), check_and_compare);
})
WAY_OF(getaddrinfo_in, {
	struct addrinfo h = {.ai_flags = AI_NUMERICHOST};
	(void)getaddrinfo("127.0.0.1", NULL, &h, (struct addrinfo **)&n->l);
})
static int each_phdr(struct dl_phdr_info *i, size_t s, void *p)
{
	(void)i;
	(void)s;
	(void)probe(head_of(wanted));
	((struct node *)p)->v = 77;
	return 1;
}
WAY_OF(dl_iterate, wanted = n; dl_iterate_phdr(each_phdr, n))
static int each_file(const char *p, const struct stat *s, int t)
{
	(void)p;
	(void)s;
	(void)t;
	wanted->v = 77;
	(void)probe(head_of(wanted));
	return 1;
}
WAY_OF(ftw_callback, wanted = n; ftw("/etc", each_file, 3))
WAY(posix_spawn_pid)
{
	char *argv[] = {(char *)"true", NULL};
	posix_spawnp(&n->v, "true", NULL, NULL, argv, NULL);
	while (wait(NULL) > 0)
		;
	return WALK;
}
