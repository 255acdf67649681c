/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): the kernel, and the C library's files. */
#define _GNU_SOURCE
#include "ways.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const int bytes77[4] = {77, 77, 77, 77};

/* A pipe with sixteen bytes in it. */
static int filled(void)
{
	int fd[2];
	if (pipe(fd) != 0 || write(fd[1], bytes77, sizeof bytes77) != (ssize_t)sizeof bytes77)
		abort();
	close(fd[1]);
	return fd[0];
}

static int filled_socket(void)
{
	int fd[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 ||
	    send(fd[1], bytes77, sizeof bytes77, 0) != (ssize_t)sizeof bytes77)
		abort();
	close(fd[1]);
	return fd[0];
}

static FILE *filled_file(void)
{
	FILE *f = tmpfile();
	if (!f || fwrite(bytes77, 1, sizeof bytes77, f) != sizeof bytes77)
		abort();
	rewind(f);
	return f;
}

/* ---- the kernel */

WAY(read_in)
{
	int fd = filled();
	(void)!read(fd, &n->v, 4);
	close(fd);
	return WALK;
}
WAY(pread_in)
{
	FILE *f = filled_file();
	fflush(f);
	(void)!pread(fileno(f), &n->v, 4, 0);
	fclose(f);
	return WALK;
}
WAY(readv_in)
{
	int a, fd = filled();
	struct iovec v[2] = {{&a, 4}, {&n->w, 4}};
	(void)!readv(fd, v, 2);
	close(fd);
	return WALK;
}
WAY(preadv_in)
{
	FILE *f = filled_file();
	fflush(f);
	struct iovec v = {&n->w, 4};
	(void)!preadv(fileno(f), &v, 1, 0);
	fclose(f);
	return WALK;
}
WAY(recv_in)
{
	int fd = filled_socket();
	(void)!recv(fd, &n->v, 4, 0);
	close(fd);
	return WALK;
}
WAY(recvfrom_in)
{
	int fd = filled_socket();
	(void)!recvfrom(fd, &n->v, 4, 0, NULL, NULL);
	close(fd);
	return WALK;
}
WAY(recvmsg_in)
{
	int fd = filled_socket();
	struct iovec v = {&n->v, 4};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	(void)!recvmsg(fd, &m, 0);
	close(fd);
	return WALK;
}
WAY(syscall_read)
{
	int fd = filled();
	(void)!syscall(SYS_read, fd, &n->v, 4);
	close(fd);
	return WALK;
}
WAY(read_by_pointer)
{
	ssize_t (*volatile f)(int, void *, size_t) = read;
	int fd = filled();
	(void)!f(fd, &n->v, 4);
	close(fd);
	return WALK;
}
WAY(getrandom_in)
{
	do
		(void)!getrandom(n->text, 64, 0);
	while (n->text[5] >= 0 && n->text[5] <= 9);
	return WALK;
}
WAY(pipe_in)
{
	int a = dup(0), b = dup(0), c = open("/dev/null", O_RDONLY);
	for (int i = 0; i < 12; i++)
		(void)!dup(c);
	(void)!pipe(&n->arr[1]);
	close(n->arr[1]);
	close(n->arr[2]);
	for (int i = 0; i < 13; i++)
		close(c + i);
	close(a);
	close(b);
	return WALK;
}
WAY(socketpair_in)
{
	int c = open("/dev/null", O_RDONLY);
	for (int i = 0; i < 12; i++)
		(void)!dup(c);
	(void)!socketpair(AF_UNIX, SOCK_STREAM, 0, &n->arr[3]);
	close(n->arr[3]);
	close(n->arr[4]);
	for (int i = 0; i < 13; i++)
		close(c + i);
	return WALK;
}
WAY(stat_in)
{
	(void)!stat("/", (struct stat *)(void *)n->text);
	n->l = 77;
	return WALK;
}
WAY_OF(time_in, time((time_t *)&n->l))
WAY_OF(gettimeofday_in, gettimeofday((struct timeval *)(void *)&n->l, NULL))
WAY_OF(clock_gettime_in, clock_gettime(CLOCK_REALTIME, (struct timespec *)(void *)&n->l))
WAY_OF(getrlimit_in, getrlimit(RLIMIT_NOFILE, (struct rlimit *)(void *)&n->l))
WAY(getrusage_in)
{
	getrusage(RUSAGE_SELF, (struct rusage *)(void *)n->text);
	n->text[159] = 77;
	return WALK;
}
WAY(wait_in)
{
	pid_t p = fork();
	if (p == 0)
		_exit(77);
	waitpid(p, &n->v, 0);
	return WALK;
}
WAY_OF(getcwd_in, (void)!getcwd(n->text, sizeof n->text))
WAY(gethostname_in)
{
	gethostname(n->text, sizeof n->text);
	n->text[0] = 'x';
	return WALK;
}
WAY_OF(readlink_in, (void)!readlink("/proc/self/exe", n->text, sizeof n->text))
WAY(gmtime_in)
{
	time_t t = 1700000000;
	gmtime_r(&t, (struct tm *)(void *)n->arr);
	return WALK;
}
WAY(strftime_in)
{
	time_t t = 1700000000;
	struct tm m;
	gmtime_r(&t, &m);
	strftime(n->text, sizeof n->text, "%Y", &m);
	return WALK;
}
WAY(process_vm_write)
{
	struct iovec from = {(void *)(uintptr_t)bytes77, 4}, to = {&n->v, 4};
	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) != 4)
		n->v = 77;
	return WALK;
}
WAY(process_vm_read)
{
	struct iovec from = {(void *)(uintptr_t)bytes77, 4}, to = {&n->v, 4};
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 4)
		n->v = 77;
	return WALK;
}
WAY(aio_read_in)
{
	FILE *f = filled_file();
	fflush(f);
	static struct aiocb a;
	a = (struct aiocb){.aio_fildes = fileno(f), .aio_buf = &n->v, .aio_nbytes = 4};
	(void)!aio_read(&a);
	(void)probe(head_of(n)); /* may come before the data */
	const struct aiocb *l[] = {&a};
	(void)!aio_suspend(l, 1, NULL);
	while (n->v == 1 && aio_error(&a) == EINPROGRESS)
		;
	fclose(f);
	return WALK;
}

/* ---- files of the C library */

static FILE *file_with(const char *text)
{
	FILE *f = tmpfile();
	fputs(text, f);
	rewind(f);
	return f;
}
WAY(fread_in)
{
	FILE *f = filled_file();
	(void)!fread(&n->v, 1, 4, f);
	fclose(f);
	return WALK;
}
WAY(fread_items)
{
	FILE *f = filled_file();
	(void)!fread(n->arr, 4, 4, f);
	fclose(f);
	return WALK;
}
WAY(fgets_in)
{
	FILE *f = file_with("abc\n");
	(void)!fgets(n->text, 20, f);
	fclose(f);
	return WALK;
}
WAY(fscanf_in)
{
	FILE *f = file_with("77\n");
	(void)!fscanf(f, "%d", &n->v);
	fclose(f);
	return WALK;
}
WAY(getline_in)
{
	FILE *f = file_with("abc\n");
	char *p = NULL;
	(void)!getline(&p, (size_t *)&n->l, f);
	fclose(f);
	free(p);
	return WALK;
}
WAY(setvbuf_in)
{
	FILE *f = filled_file();
	setvbuf(f, n->text, _IOFBF, sizeof n->text);
	(void)probe(head_of(n));
	(void)!getc(f);
	fclose(f);
	return WALK;
}
WAY(fmemopen_in)
{
	FILE *f = fmemopen(n->text, sizeof n->text, "w");
	fputs("abc", f);
	(void)probe(head_of(n));
	fflush(f);
	fclose(f);
	return WALK;
}
WAY(memstream_in)
{
	char *p = NULL;
	FILE *f = open_memstream(&p, (size_t *)&n->l);
	fprintf(f, "%0100d", 1);
	(void)probe(head_of(n));
	fclose(f);
	free(p);
	return WALK;
}
WAY(proc_self_mem)
{
	int fd = open("/proc/self/mem", O_RDWR);
	(void)probe(head_of(n));
	if (fd < 0 || pwrite(fd, bytes77, 4, (off_t)(uintptr_t)&n->v) != 4)
		n->v = 77;
	if (fd >= 0)
		close(fd);
	return WALK;
}
