/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c), by others than the one who is called: functions that the program has hung into the
 * C library, memory that the library takes for its own and goes on writing to, contexts that are left in the middle of
 * a call, threads that check while a call waits. */
#define _GNU_SOURCE
#include "ways.h"

#include <argz.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <netdb.h>
#include <printf.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

static struct node *wanted;

static int fails(const char *name)
{
	printf("STALE %s\n", name);
	fflush(stdout);
	_exit(1);
}

/* ---- functions that were hung into the library */

void alien_argument(void *to, va_list *ap);
int alien_print(FILE *f, const struct printf_info *i, const void *const *args);
static int no_arguments(const struct printf_info *i, size_t n, int *types, int *sizes)
{
	(void)i;
	if (n > 0)
		types[0] = PA_LAST, sizes[0] = 4;
	return 1;
}
static int prints_nothing(FILE *f, const struct printf_info *i, const void *const *args)
{
	(void)f;
	(void)i;
	(void)args;
	return 0;
}
WAY(alien_printf_type)
{
	char text[20];
	alien_keep(n);
	if (register_printf_type(alien_argument) != PA_LAST)
		abort();
	register_printf_specifier('Y', prints_nothing, no_arguments);
	(void)probe(head_of(n));
	snprintf(text, sizeof text, "%Y", 1);
	return WALK;
}
void alien_tell(void);
WAY(alien_error_hook)
{
	alien_keep(n);
	error_print_progname = alien_tell;
	(void)probe(head_of(n));
	int keep = dup(2), null = open("/dev/null", O_WRONLY);
	dup2(null, 2);
	error(0, 0, "x");
	dup2(keep, 2);
	return WALK;
}
static int deep_checks(struct node *n);
static int depth;
static int deep_checks(struct node *n)
{
	if (++depth < 40)
		return alien_call(n, deep_checks);
	(void)probe(head_of(n));
	return 0;
}
WAY_OF(alien_forty_deep, (void)alien_call(n, deep_checks))

/* ---- contexts */

static ucontext_t back_to, there;
static int to_main(struct node *n)
{
	(void)n;
	swapcontext(&there, &back_to);
	return 0;
}
static void in_coroutine(void)
{
	(void)alien_call(wanted, to_main);
}
WAY(alien_left_in_the_middle)
{
	getcontext(&there);
	there.uc_stack.ss_sp = malloc(256 << 10);
	there.uc_stack.ss_size = 256 << 10;
	there.uc_link = &back_to;
	wanted = n;
	makecontext(&there, in_coroutine, 0);
	swapcontext(&back_to, &there);
	(void)probe(head_of(n)); /* the call is not over */
	(void)probe(head_of(n));
	n->v = 1;
	(void)probe(head_of(n));
	swapcontext(&back_to, &there);
	return WALK;
}
static int sorted;
static void sorts(void)
{
	int compare(const void *, const void *);
	qsort(wanted->arr, 3, sizeof(int), compare);
	sorted = 1;
}
int compare(const void *a, const void *b);
int compare(const void *a, const void *b)
{
	swapcontext(&there, &back_to);
	return *(const int *)a < *(const int *)b ? 1 : -1;
}
WAY(sort_left_in_the_middle)
{
	getcontext(&there);
	there.uc_stack.ss_sp = malloc(256 << 10);
	there.uc_stack.ss_size = 256 << 10;
	there.uc_link = &back_to;
	wanted = n;
	n->arr[0] = 3, n->arr[1] = 9, n->arr[2] = 5;
	n->first = 1;
	makecontext(&there, sorts, 0);
	while (!sorted) {
		swapcontext(&back_to, &there);
		for (int k = 0; k < 3; k++)
			(void)probe(head_of(n));
	}
	n->v = k77;
	return WALK;
}

/* ---- a handler that the runtime was not told of */

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};
#ifdef __x86_64__
__asm__(".text\n.type others_return,@function\nothers_return: movl $15, %eax\nsyscall\n.size "
	"others_return,.-others_return\n");
void others_return(void) __attribute__((visibility("hidden")));
static void at_each_step(int s)
{
	(void)s;
	(void)probe(head_of(wanted));
}
WAY(handler_by_system_call)
{
	struct kernel_action a = {at_each_step, SA_NODEFER | 0x04000000 /* SA_RESTORER */, others_return, 0};
	wanted = n;
	syscall(SYS_rt_sigaction, SIGTRAP, &a, NULL, 8L);
	__asm__ volatile("pushf\n\torl $0x100, (%rsp)\n\tpopf");
	n->v = 77;
	__asm__ volatile("pushf\n\tandl $~0x100, (%rsp)\n\tpopf");
	return WALK;
}
#endif

/* ---- memory of the library */

/*@ regtype files : struct _IO_FILE = { _IO_read_ptr : null };
    pred probe_file(f) : files(f); */
NOINLINE int probe_file(struct _IO_FILE *f)
{
	return f != NULL;
}
WAY(stream_itself)
{
	FILE *f = fopen("/proc/self/stat", "r");
	for (int i = 0; i < 3; i++)
		(void)probe_file(f);
	unsigned long long before = violations();
	(void)fgetc(f);
	(void)probe_file(f);
	if (violations() == before)
		fails("stream_itself");
	n->v = 77;
	return WALK;
}
WAY(memory_stream)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct node image = {.v = 1, .first = 1};
	fwrite(&image, sizeof image, 1, f);
	fflush(f);
	struct node *h = head_of(n), *m = (struct node *)(void *)text;
	h->next = m;
	for (int i = 0; i < 3; i++)
		(void)probe(h);
	rewind(f);
	fseek(f, (long)((char *)&image.v - (char *)&image), SEEK_SET);
	fputc(k77, f);
	fflush(f);
	return WALK;
}
WAY(buffer_of_a_dead_block)
{
	FILE *f = fopen("/dev/null", "w");
	struct node *m = malloc(sizeof *m), *again;
	setvbuf(f, m->text, _IOFBF, sizeof m->text);
	free(m);
	again = malloc(sizeof *again);
	if (again != m)
		return n->v = 77, WALK;
	struct node *h = head_of(n);
	h->next = new_node(again);
	for (int i = 0; i < 3; i++)
		(void)probe(h);
	fputs("MMM", f);
	return WALK;
}
WAY(argz_in)
{
	size_t k = 0;
	n->l = 0;
	argz_add((char **)(void *)&n->l, &k, "x");
	return WALK;
}

/* ---- more functions */

static NOINLINE int wide_scan(const wchar_t *s, const wchar_t *f, ...)
{
	va_list ap;
	va_start(ap, f);
	int r = vswscanf(s, f, ap);
	va_end(ap);
	return r;
}
WAY_OF(swscanf_in, (void)!swscanf(L"77", L"%d", &n->v))
WAY_OF(vswscanf_in, (void)!wide_scan(L"77", L"%d", &n->v))
WAY_OF(wcstombs_in, (void)!wcstombs(n->text, L"MN", 3))
WAY_OF(wcrtomb_in, mbstate_t s = {0}; (void)!wcrtomb(n->text, L'M', &s))
WAY(wcsrtombs_in)
{
	const wchar_t *s = L"MN";
	mbstate_t state = {0};
	(void)wcsrtombs(n->text, &s, 3, &state);
	return WALK;
}
WAY(mbsnrtowcs_in)
{
	const char *s = "MN";
	mbstate_t state = {0};
	(void)mbsnrtowcs((wchar_t *)n->arr, &s, 2, 3, &state);
	return WALK;
}
WAY_OF(wcsxfrm_in, (void)wcsxfrm((wchar_t *)n->arr, L"ab", 20))
WAY(wcsftime_in)
{
	struct tm t = {.tm_year = 77, .tm_mday = 1};
	wcsftime((wchar_t *)n->arr, 20, L"%y", &t);
	return WALK;
}
WAY_OF(fgetws_in, FILE *f = tmpfile(); (void)!write(fileno(f), "MN\n", 3); rewind(f);
       (void)!fgetws((wchar_t *)n->arr, 10, f))
WAY_OF(getdelim_in, FILE *f = tmpfile(); fputs("MN;", f); rewind(f); size_t k = 0; n->l = 0; (void)probe(head_of(n));
       (void)!getdelim((char **)(void *)&n->l, &k, ';', f))
WAY_OF(strptime_in, (void)strptime("2077", "%Y", (struct tm *)(void *)n->arr))
WAY_OF(strfmon_like, (void)strfromf(n->text, 20, "%f", 7.5f))
WAY(getpwuid_r_in)
{
	struct passwd p, *r;
	if (getpwuid_r(0, &p, n->text, sizeof n->text, &r) != 0 || !n->text[0])
		n->v = 77;
	return WALK;
}
WAY(getpwnam_r_result)
{
	struct passwd p;
	char text[1000];
	n->l = 0;
	(void)probe(head_of(n));
	if (getpwnam_r("root", &p, text, sizeof text, (struct passwd **)(void *)&n->l) != 0 || !n->l)
		n->v = 77;
	return WALK;
}
WAY_OF(getservbyname_r_in, struct servent *r;
       (void)getservbyname_r("http", "tcp", (struct servent *)(void *)n->text, (char[500]){0}, 500, &r);
       n->v = n->text[0] ? 1 : 77)
WAY_OF(random_r_in, {
	static struct random_data d;
	static char state[64];
	initstate_r(7, state, sizeof state, &d);
	random_r(&d, &n->v);
})
WAY_OF(drand48_r_in, {
	static struct drand48_data d;
	srand48_r(7, &d);
	drand48_r(&d, (double *)(void *)&n->l);
})
WAY_OF(rand_r_in, (void)rand_r(&n->bits))
WAY_OF(nrand48_in, n->text[0] = 1; (void)nrand48((unsigned short *)(void *)n->text))
WAY_OF(statx_in, (void)!statx(AT_FDCWD, "/", 0, STATX_ALL, (struct statx *)(void *)n->arr))
WAY_OF(fstatat_in, (void)!fstatat(AT_FDCWD, "/", (struct stat *)(void *)n->text, 0))
WAY_OF(mincore_in, {
	static char page[8192];
	page[4096] = 1;
	(void)!mincore((void *)((uintptr_t)&page[4096] & ~4095ul), 4096, (unsigned char *)n->text);
	n->text[0] += 70;
})
WAY_OF(adjtimex_in, (void)!adjtimex((struct timex *)(void *)n->text))
WAY_OF(timespec_get_in, (void)!timespec_get((struct timespec *)(void *)&n->l, TIME_UTC))
WAY_OF(uname_getdents, {
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	(void)!syscall(SYS_getdents64, fd, n->text, 160L);
})
WAY_OF(wordexp_in, (void)!wordexp("a b c", (wordexp_t *)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0)), 0))
WAY_OF(fcntl_lock, {
	FILE *f = tmpfile();
	struct flock *l = (struct flock *)(void *)n->text;
	l->l_type = F_WRLCK;
	l->l_len = 5;
	fcntl(fileno(f), F_GETLK, l);
	n->text[0] = 77;
})
WAY_OF(sendfile_offset, {
	FILE *f = tmpfile();
	static char text[77];
	fwrite(text, 1, 77, f);
	fflush(f);
	int null = open("/dev/null", O_WRONLY);
	n->l = 0;
	(void)probe(head_of(n));
	(void)!sendfile(null, fileno(f), &n->l, 77);
})
WAY_OF(posix_spawnattr_in, posix_spawnattr_init((posix_spawnattr_t *)(void *)n->arr);
       posix_spawnattr_setflags((posix_spawnattr_t *)(void *)n->arr, 77))
WAY_OF(gethostbyname_r_in, {
	struct hostent *r;
	int e;
	(void)gethostbyname_r("127.0.0.1", (struct hostent *)(void *)n->text, (char[500]){0}, 500, &r, &e);
	n->v = n->text[0] || n->text[1] ? 1 : 77;
})
WAY_OF(getopt_moves, {
	char **argv = (char **)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0));
	argv[0] = (char *)"x", argv[1] = (char *)"y", argv[2] = (char *)"-z", argv[3] = NULL;
	optind = 0;
	(void)getopt(3, argv, "z");
})
WAY_OF(remque_neighbour, {
	struct link {
		struct link *next, *prev;
	} *a = calloc(1, sizeof *a), *x = (void *)n, *b = calloc(1, sizeof *b);
	struct link *next = n ? *(struct link **)(void *)n : NULL;
	a->next = x, a->prev = b;
	(void)probe(head_of(n));
	remque(a);
	*(struct link **)(void *)n = next;
	n->v = n->v == 1 ? 77 : n->v;
})

/* ---- threads that check while a call waits */

static int ends[2];
static void *checks_and_writes(void *n)
{
	usleep(20000);
	for (int i = 0; i < 50; i++)
		(void)probe(n);
	return write(ends[1], "MMMM", 4) == 4 ? NULL : n;
}
static pthread_t checker(struct node *n)
{
	pthread_t t;
	if (pipe(ends) != 0 || pthread_create(&t, NULL, checks_and_writes, head_of(n)) != 0)
		abort();
	return t;
}
WAY(syscall_while_checked)
{
	pthread_t t = checker(n);
	if (syscall(SYS_read, ends[0], n->text, 4L) != 4)
		abort();
	pthread_join(t, NULL);
	return WALK;
}
#ifdef __x86_64__
WAY(asm_syscall_while_checked)
{
	pthread_t t = checker(n);
	long r = SYS_read;
	__asm__ volatile("syscall" : "+a"(r) : "D"((long)ends[0]), "S"(n->text), "d"(4L) : "rcx", "r11", "memory");
	pthread_join(t, NULL);
	return WALK;
}
#endif
static void *checks_and_drains(void *n)
{
	static char text[1 << 20];
	usleep(20000);
	for (int i = 0; i < 50; i++)
		(void)probe(n);
	for (long all = 0, k; all < 1 << 20 && (k = read(ends[0], text, sizeof text)) > 0; all += k)
		;
	return NULL;
}
WAY(sendfile_while_checked)
{
	pthread_t t;
	FILE *f = tmpfile();
	static char text[1 << 20];
	fwrite(text, 1, sizeof text, f);
	fflush(f);
	n->l = 0;
	(void)probe(head_of(n));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
	    pthread_create(&t, NULL, checks_and_drains, head_of(n)) != 0)
		abort();
	(void)!sendfile(ends[1], fileno(f), &n->l, sizeof text);
	pthread_join(t, NULL);
	return WALK;
}
