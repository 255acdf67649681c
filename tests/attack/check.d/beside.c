/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c), beside what a function is called for: functions of the program that known ones
 * call and that check, or have no barrier, before those write; locks that are taken while another thread checks; memory
 * of the C library's own. */
#define _GNU_SOURCE
#include "ways.h"

#include <dirent.h>
#include <glob.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static struct node *wanted;
void alien_context(void);
void *alien_open_folder(const char *name);
struct dirent *alien_read_folder(void *folder);
void alien_close_folder(void *folder);
int alien_stat(const char *name, struct stat *to);

static int fails(const char *name)
{
	printf("STALE %s\n", name);
	fflush(stdout);
	_exit(1);
}

/* ---- glob with the program's own functions */
static void *od(const char *s)
{
	static int f = -1;
	(void)s;
	return &f;
}
static struct dirent *rd(void *p)
{
	(void)p;
	(void)probe(head_of(wanted));
	return NULL;
}
static void cd(void *p)
{
	(void)p;
}
WAY(glob_alien_functions)
{
	glob_t g = {.gl_opendir = alien_open_folder,
		    .gl_readdir = alien_read_folder,
		    .gl_closedir = alien_close_folder,
		    .gl_stat = alien_stat,
		    .gl_lstat = alien_stat};
	alien_keep(n);
	(void)probe(head_of(n));
	glob("/x*", GLOB_ALTDIRFUNC, NULL, &g);
	return WALK;
}
WAY(glob_checks_then_writes)
{
	glob_t *g = (glob_t *)(void *)n->arr;
	wanted = n;
	g->gl_opendir = od;
	g->gl_readdir = rd;
	g->gl_closedir = cd;
	g->gl_stat = g->gl_lstat = alien_stat;
	glob("/x*", GLOB_ALTDIRFUNC, NULL, g);
	return WALK;
}
WAY(context_alien)
{
	static ucontext_t here, there;
	alien_keep(n);
	getcontext(&there);
	there.uc_stack.ss_sp = malloc(65536);
	there.uc_stack.ss_size = 65536;
	there.uc_link = &here;
	makecontext(&there, alien_context, 0);
	(void)probe(head_of(n));
	swapcontext(&here, &there);
	return WALK;
}
static int once_seen;
static void once_checks(void)
{
	once_seen++;
	(void)probe(head_of(wanted));
}
WAY(once_in_node)
{
	wanted = n;
	pthread_once_t *o = (pthread_once_t *)&n->w;
	*o = PTHREAD_ONCE_INIT;
	(void)probe(head_of(n));
	pthread_once(o, once_checks);
	n->w += 76;
	return WALK;
}
static int cmp_checks(const void *a, const void *b)
{
	(void)probe(head_of(wanted));
	return *(const int *)a - *(const int *)b;
}
WAY(lsearch_that_checks)
{
	size_t k = 5;
	int key = 77;
	wanted = n;
	(void)lsearch(&key, n->arr, &k, sizeof(int), cmp_checks);
	return WALK;
}
static int cmp_checks2(const void *a, const void *b)
{
	(void)a;
	(void)b;
	(void)probe(head_of(wanted));
	return 1;
}
WAY(tsearch_that_checks)
{
	void *root = NULL;
	wanted = n;
	tsearch("a", &root, cmp_checks2);
	void **slot = (void **)&n->l;
	*slot = NULL;
	(void)probe(head_of(n));
	tsearch("b", slot, cmp_checks2);
	return WALK;
}
static int sel_checks(const struct dirent *d)
{
	(void)d;
	(void)probe(head_of(wanted));
	return 1;
}
WAY(scandir_that_checks)
{
	wanted = n;
	n->l = 0;
	scandir("/", (struct dirent ***)&n->l, sel_checks, NULL);
	return WALK;
}
static ssize_t cookie_checks(void *c, char *to, size_t m)
{
	(void)c;
	(void)m;
	(void)probe(head_of(wanted));
	memcpy(to, "77 x\n", 5);
	return 5;
}
static FILE *cookie(struct node *n)
{
	wanted = n;
	return fopencookie(n, "r", (cookie_io_functions_t){.read = cookie_checks});
}
WAY_OF(cookie_fscanf, (void)!fscanf(cookie(n), "%d", &n->v))
WAY_OF(cookie_fread, (void)!fread(n->text, 1, 4, cookie(n)))
WAY_OF(cookie_fgets, (void)!fgets(n->text, 4, cookie(n)))
WAY_OF(cookie_getw, n->v = getw(cookie(n)))
WAY_OF(cookie_getc, n->v = getc(cookie(n)))
static int vscan(FILE *f, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int r = vfscanf(f, fmt, ap);
	va_end(ap);
	return r;
}
WAY_OF(cookie_vfscanf, (void)vscan(cookie(n), "%d", &n->v))
WAY(cookie_getline)
{
	FILE *f = cookie(n);
	char *p = NULL;
	n->l = 0;
	(void)probe(head_of(n));
	(void)!getline(&p, (size_t *)&n->l, f);
	return WALK;
}
WAY(cookie_fgetpos)
{
	FILE *f = tmpfile();
	fputs("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", f);
	fgetpos(f, (fpos_t *)(void *)&n->l);
	return WALK;
}
/* ---- memory of the C library */
/*@ regtype years : struct tm = { tm_year : int(70..100) };
    pred probe_tm(t) : years(t); */
NOINLINE int probe_tm(struct tm *t)
{
	return t->tm_year;
}
WAY(localtime_static)
{
	time_t a = 100000000, b = 2000000000;
	struct tm *t = gmtime(&a);
	(void)probe_tm(t);
	(void)probe_tm(t);
	unsigned long long before = violations();
	(void)gmtime(&b);
	(void)probe_tm(t);
	if (violations() == before)
		fails("localtime_static");
	n->v = 77;
	return WALK;
}
/*@ regtype users : struct passwd = { pw_uid : int(0..0) };
    pred probe_pw(t) : users(t); */
NOINLINE int probe_pw(struct passwd *t)
{
	return (int)t->pw_uid;
}
WAY(getpwnam_static)
{
	struct passwd *t = getpwnam("root");
	if (!t) {
		n->v = 77;
		return WALK;
	}
	(void)probe_pw(t);
	(void)probe_pw(t);
	unsigned long long before = violations();
	(void)getpwnam("daemon");
	int bad = t->pw_uid != 0;
	(void)probe_pw(t);
	if (bad && violations() == before)
		fails("getpwnam_static");
	n->v = 77;
	return WALK;
}
NOINLINE int probe_name(char *t)
{
	return t[0];
}
/*@ regtype entries : struct dirent = { d_type : int(4..4) };
    pred probe_dirent(t) : entries(t); */
NOINLINE int probe_dirent(struct dirent *t)
{
	return t->d_type;
}
WAY(readdir_buffer)
{
	DIR *d = opendir("/usr/bin"); /* more entries than the library's buffer holds */
	struct dirent *first = d ? readdir(d) : NULL, *e = first;
	unsigned long long before = violations();
	for (int i = 0; i < 3; i++)
		(void)probe_dirent(first);
	while (e && first->d_type == DT_DIR)
		e = readdir(d);
	(void)probe_dirent(first);
	if (e && violations() == before)
		fails("readdir_buffer");
	n->v = 77;
	return WALK;
}
/* ---- the environment is the node's own array */
WAY(setenv_in_node)
{
	extern char **environ;
	char **was = environ;
	environ = (char **)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0));
	setenv("X77", "y", 1);
	int moved = environ != (char **)(void *)n->arr;
	environ = was;
	if (moved)
		n->v = 77;
	return WALK;
}
/* ---- a mutex: another thread checks while this one waits for it */
static pthread_mutex_t *mx;
static volatile int held;
static void *holds(void *p)
{
	(void)p;
	pthread_mutex_lock(mx);
	held = 1;
	usleep(30000);
	for (int i = 0; i < 50; i++)
		(void)probe(head_of(wanted));
	pthread_mutex_unlock(mx);
	for (int i = 0; i < 5; i++)
		(void)probe(head_of(wanted));
	return NULL;
}
WAY(mutex_in_node_waits)
{
	pthread_t t;
	wanted = n;
	mx = (pthread_mutex_t *)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0));
	pthread_create(&t, NULL, holds, NULL);
	while (!held)
		;
	pthread_mutex_lock(mx);
	for (int i = 0; i < 5; i++)
		(void)probe(head_of(n));
	pthread_join(t, NULL);
	return WALK;
}
WAY(rwlock_in_node)
{
	pthread_rwlock_t *r = (pthread_rwlock_t *)(void *)(n->arr + (((uintptr_t)n->arr & 4) != 0));
	pthread_rwlock_wrlock(r);
	return WALK;
}
