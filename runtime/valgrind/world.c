/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: what each says about the calls that are open, and how long the kernel worked for them.
 *
 * Three kinds matter. Memory of the process itself (brk, mmap without a file, futex) is nobody's business. Asking
 * (stat,
 * open for reading, read from a file opened inside the call, the clock) makes a result that must be invalidated
 * when the
 * world changes. Everything else acts: a cache that leaves it out changes what the program does. A read from a file
 * that was open before the call consumes it, so it acts too, for the calls that are younger than the open file.
 *
 * The kernel's time is the thread's CPU time between the two hooks. What Valgrind does there is in it too: refrain
 * scales it to
 * what the kernel takes without a tool. */
#include "tool.h"

#include "children.h"

#include "pub_tool_vkiscnums.h"

enum { MAX_FDS = 1024 };

enum kind {
	KIND_ACT, /* the default */
	KIND_MEMORY,
	KIND_ASK,
	KIND_PATH0, /* asks about the path in that argument */
	KIND_PATH1,
	KIND_OPEN0, /* opens it; the flags follow */
	KIND_OPEN1,
	KIND_FD,      /* asks about an open file */
	KIND_CONSUME, /* and moves its position */
};

struct row {
	UShort number;
	UChar kind;
};
static const struct row rows[] = {
	{__NR_brk, KIND_MEMORY},
	{__NR_munmap, KIND_MEMORY},
	{__NR_mremap, KIND_MEMORY},
	{__NR_mprotect, KIND_MEMORY},
	{__NR_madvise, KIND_MEMORY},
	{__NR_futex, KIND_MEMORY},
	{__NR_sched_yield, KIND_MEMORY},
	{__NR_rt_sigprocmask, KIND_MEMORY},
	{__NR_rt_sigreturn, KIND_MEMORY},
	{__NR_exit, KIND_MEMORY},
	{__NR_exit_group, KIND_MEMORY},
	{__NR_getpid, KIND_ASK},
	{__NR_gettid, KIND_ASK},
	{__NR_getppid, KIND_ASK},
	{__NR_getuid, KIND_ASK},
	{__NR_geteuid, KIND_ASK},
	{__NR_getgid, KIND_ASK},
	{__NR_getegid, KIND_ASK},
	{__NR_uname, KIND_ASK},
	{__NR_getcwd, KIND_ASK},
	{__NR_getrusage, KIND_ASK},
	{__NR_times, KIND_ASK},
	{__NR_sysinfo, KIND_ASK},
	{__NR_time, KIND_ASK},
	{__NR_gettimeofday, KIND_ASK},
	{__NR_clock_gettime, KIND_ASK},
	{__NR_clock_getres, KIND_ASK},
	{__NR_getrandom, KIND_ASK},
	{__NR_sched_getaffinity, KIND_ASK},
	{__NR_stat, KIND_PATH0},
	{__NR_lstat, KIND_PATH0},
	{__NR_access, KIND_PATH0},
	{__NR_readlink, KIND_PATH0},
	{__NR_statfs, KIND_PATH0},
	{__NR_getxattr, KIND_PATH0},
	{__NR_lgetxattr, KIND_PATH0},
	{__NR_newfstatat, KIND_PATH1},
	{__NR_faccessat, KIND_PATH1},
	{__NR_faccessat2, KIND_PATH1},
	{__NR_readlinkat, KIND_PATH1},
	{__NR_statx, KIND_PATH1},
	{__NR_open, KIND_OPEN0},
	{__NR_openat, KIND_OPEN1},
	{__NR_fstat, KIND_FD},
	{__NR_pread64, KIND_FD},
	{__NR_fcntl, KIND_FD},
	{__NR_fadvise64, KIND_FD},
	{__NR_fstatfs, KIND_FD},
	{__NR_read, KIND_CONSUME},
	{__NR_readv, KIND_CONSUME},
	{__NR_lseek, KIND_CONSUME},
	{__NR_getdents, KIND_CONSUME},
	{__NR_getdents64, KIND_CONSUME},
	{__NR_close, KIND_CONSUME},
};

static struct {
	ULong age; /* frames opened before it was; 0: it was there at the start */
	HChar *path;
} file[MAX_FDS];

static ULong kernel_all, n_calls;

static ULong cpu_ns(void)
{
	struct vki_timespec t;
	VG_(clock_gettime)(&t, VKI_CLOCK_THREAD_CPUTIME_ID);
	return (ULong)t.tv_sec * 1000000000u + (ULong)t.tv_nsec;
}

static enum kind kind_of(UInt number, const UWord *args)
{
	enum { MAP_ANONYMOUS = 0x20, TCGETS = 0x5401 };
	if (number == __NR_mmap)
		return args[3] & MAP_ANONYMOUS ? KIND_MEMORY : KIND_ASK;
	if (number == __NR_ioctl)
		return args[1] == TCGETS ? KIND_FD : KIND_ACT;
	for (UInt i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number)
			return rows[i].kind;
	return KIND_ACT;
}

static const HChar *path_at(Addr a)
{
	return VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ) ? (const HChar *)a : "";
}

static void look(struct thread *t, UInt number, const UWord *args)
{
	enum { ACCESS_MODE = 3, CREATES = 0100 | 01000 };
	enum kind k = kind_of(number, args);
	if (k == KIND_MEMORY)
		return;
	t->sys++;
	struct asked q = {.number = number, .path = ""};
	UWord fd = k == KIND_FD || k == KIND_CONSUME ? args[0] : ~0UL;
	switch (k) {
	case KIND_ACT:
		q.acts = True;
		break;
	case KIND_PATH0:
	case KIND_OPEN0:
		q.path = path_at(args[0]);
		break;
	case KIND_PATH1:
	case KIND_OPEN1:
		q.path = path_at(args[1]);
		if (!q.path[0])
			fd = args[0];
		break;
	default:
		break;
	}
	if (k == KIND_OPEN0 || k == KIND_OPEN1) {
		UWord flags = args[k == KIND_OPEN0 ? 1 : 2];
		q.acts = (flags & ACCESS_MODE) != 0 || (flags & CREATES);
	}
	if (fd < MAX_FDS) {
		q.path = file[fd].path ? file[fd].path : "";
		q.younger_than = file[fd].age;
		q.consumes = k == KIND_CONSUME;
	} else if (k == KIND_CONSUME) {
		q.acts = True;
	}
	world_asked(t, &q);
}

static void before(ThreadId tid, UInt number, UWord *args, UInt n)
{
	(void)n;
	n_calls++;
	struct thread *t = threads_get(tid);
	look(t, number, args);
	if (number == __NR_execve)
		children_exec(path_at(args[0]));
	else if (number == __NR_execveat)
		children_exec((Int)args[0] == VKI_AT_FDCWD ? path_at(args[1]) : "");
	t = threads_get(tid);
	t->kernel_since = cpu_ns();
}

static void after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes r)
{
	(void)n;
	struct thread *t = threads_get(tid);
	ULong now = cpu_ns(), spent = t->kernel_since && now > t->kernel_since ? now - t->kernel_since : 0;
	t->kernel_since = 0;
	/* Valgrind reads debug information while it maps a file */
	if (kind_of(number, args) != KIND_MEMORY && number != __NR_mmap) {
		t->kernel_ns += spent;
		kernel_all += spent;
	}
	if (number == __NR_execve || number == __NR_execveat)
		children_stayed();
	if (sr_isError(r))
		return;
	enum kind k = kind_of(number, args);
	UWord fd = sr_Res(r);
	if ((k == KIND_OPEN0 || k == KIND_OPEN1) && fd < MAX_FDS) {
		VG_(free)(file[fd].path);
		file[fd].path = VG_(strdup)("rf.path", path_at(args[k == KIND_OPEN0 ? 0 : 1]));
		file[fd].age = threads_opened();
	} else if (number == __NR_close && args[0] < MAX_FDS) {
		VG_(free)(file[args[0]].path);
		file[args[0]].path = NULL;
		file[args[0]].age = 0;
	}
}

void world_restart(void)
{
	kernel_all = n_calls = 0;
}

ULong world_system_calls(void)
{
	return n_calls;
}

ULong world_kernel_ns(void)
{
	return kernel_all;
}

void world_init(void)
{
	VG_(needs_syscall_wrapper)(before, after);
}
