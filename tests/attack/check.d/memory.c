/* SPDX-License-Identifier: MIT */
/* More ways to write (see stores.c): functions that keep, call back or go further, code that was compiled without the
 * barrier, mappings, threads and other stacks. */
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

/* ---- functions that keep, call back or go further */

static int up(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}
WAY(qsort_in)
{
	n->pair.lo = 5, n->pair.hi = 7;
	qsort(&n->first, 3, sizeof(int), up);
	return WALK;
}
static struct node *looked_at;
static int up_and_look(const void *a, const void *b)
{
	(void)probe(looked_at);
	return *(const int *)b - *(const int *)a;
}
WAY(qsort_that_checks)
{
	looked_at = head_of(n);
	n->pair.lo = 5, n->pair.hi = 7;
	qsort(&n->first, 3, sizeof(int), up_and_look);
	return WALK;
}
WAY(qsort_r_in)
{
	n->pair.lo = 5;
	qsort_r(&n->first, 3, sizeof(int), (int (*)(const void *, const void *, void *))(void (*)(void))up, NULL);
	return WALK;
}
WAY(lsearch_in)
{
	size_t m = 3;
	int k = k77;
	(void)lsearch(&k, n->arr, &m, sizeof(int), up);
	return WALK;
}
WAY(insque_neighbour)
{
	/* links that lead to each other at the start of two blocks: the second is written by way of the first */
	struct link {
		struct link *next, *prev;
	} *a = calloc(1, sizeof *a), *x = (void *)n;
	a->next = x;
	struct link *b = calloc(1, sizeof *b);
	insque(b, a);
	n->v = n->v == 1 ? 66 : n->v;
	free(a), free(b);
	return WALK;
}
WAY(initstate_in)
{
	char *old = initstate(7, n->text, 128);
	(void)probe(head_of(n));
	(void)random();
	setstate(old);
	n->text[1] |= 64;
	return WALK;
}
WAY(pthread_create_in)
{
	pthread_t t;
	(void)t;
	extern void *nothing(void *);
	pthread_create((pthread_t *)(void *)&n->l, NULL, nothing, NULL);
	pthread_join(*(pthread_t *)(void *)&n->l, NULL);
	return WALK;
}
void *nothing(void *p);
void *nothing(void *p)
{
	return p;
}
WAY(posix_memalign_in)
{
	void *keep;
	(void)!posix_memalign((void **)(void *)&n->l, 64, 64);
	memcpy(&keep, &n->l, sizeof keep);
	free(keep);
	return WALK;
}
WAY(asprintf_in)
{
	char *keep;
	(void)!asprintf((char **)(void *)&n->l, "%d", k77);
	memcpy(&keep, &n->l, sizeof keep);
	free(keep);
	return WALK;
}

WAY_OF(alien_function, alien_write(n))
WAY_OF(alien_reaches_further, alien_deep(head_of(n)))
WAY(alien_kept)
{
	alien_keep(n);
	(void)probe(head_of(n));
	alien_tick();
	return WALK;
}
WAY_OF(alien_through_pointer, alien_pointer(n))
WAY(alien_with_slots)
{
	void *s[2] = {NULL, n};
	alien_by_pointer(s);
	return WALK;
}
static int look(struct node *n)
{
	return probe(head_of(n)) > 1000;
}
WAY_OF(alien_calls_back, (void)alien_call(n, look))
WAY_OF(alien_result, n->pair = alien_pair(n))

/* ---- memory that goes away or changes */

static struct node *mapped(struct node *n, int flags, int fd)
{
	struct node *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, flags, fd, 0);
	struct node *h = head_of(n);
	new_node(m);
	h->next = m;
	(void)probe(h);
	(void)probe(h);
	return m;
}

WAY_OF(mapped_store, mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1)->v = k77)
WAY_OF(mapped_memcpy, memcpy(&mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1)->v, bytes77, sizeof(int)))
WAY_OF(shared_store, mapped(n, MAP_SHARED | MAP_ANONYMOUS, -1)->v = k77)
WAY(munmap_below)
{
	munmap(mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), 8192);
	return GONE;
}
WAY(protected_below)
{
	mprotect(mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), 8192, PROT_NONE);
	return GONE;
}
WAY(fixed_over)
{
	(void)!mmap(mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return WALK;
}
WAY_OF(madvise_dontneed, madvise(mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), 8192, MADV_DONTNEED))
WAY(mremap_away)
{
	struct node *m = mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	(void)!mremap(m, 8192, 1 << 20, MREMAP_MAYMOVE);
	return mmap_gone(head_of(m));
}
WAY(syscall_munmap)
{
	(void)!syscall(SYS_munmap, mapped(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), 8192);
	return GONE;
}
WAY(two_views)
{
	int fd = memfd_create("x", 0);
	(void)!ftruncate(fd, 8192);
	struct node *m = mapped(n, MAP_SHARED, fd),
		    *other = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)m;
	other->v = k77;
	close(fd);
	return WALK;
}
WAY(file_below)
{
	FILE *f = tmpfile();
	(void)!ftruncate(fileno(f), 8192);
	struct node *m = mapped(n, MAP_SHARED, fileno(f));
	(void)!pwrite(fileno(f), bytes77, 4, (char *)&m->v - (char *)m);
	return WALK;
}
WAY(private_file_below)
{
	FILE *f = tmpfile();
	(void)!ftruncate(fileno(f), 8192);
	struct node *m = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fileno(f), 0), image = {.v = 1, .first = 1};
	(void)!pwrite(fileno(f), &image, sizeof image, 0);
	head_of(n)->next = m;
	(void)probe(head_of(m));
	struct node *h = head_of(m);
	(void)probe(h);
	(void)!pwrite(fileno(f), bytes77, 4, (char *)&m->v - (char *)m);
	return WALK;
}
WAY(free_below)
{
	free(n);
	return GONE;
}
WAY(realloc_below)
{
	char *keep = malloc(100000);
	char *p = realloc(n, 200000);
	(void)keep;
	return p != (char *)n ? GONE : (n->v = 77, WALK);
}
WAY(child_by_vfork)
{
	pid_t p = vfork();
	if (p == 0) {
		n->v = k77;
		_exit(0);
	}
	waitpid(p, NULL, 0);
	return WALK;
}

/* ---- threads and stacks */

static void *thread_store(void *p)
{
	((struct node *)p)->v = k77;
	return NULL;
}
static void *thread_memset(void *p)
{
	memset(((struct node *)p)->text, 77, 8);
	return NULL;
}
static void *thread_check_and_store(void *p)
{
	(void)probe(p);
	((struct node *)p)->next->v = k77;
	return NULL;
}
static void in_thread(void *(*f)(void *), void *p)
{
	pthread_t t;
	pthread_create(&t, NULL, f, p);
	pthread_join(t, NULL);
}
WAY_OF(other_thread, in_thread(thread_store, n))
WAY_OF(other_thread_memset, in_thread(thread_memset, n))
WAY_OF(other_thread_checks, in_thread(thread_check_and_store, head_of(n)))
/* The node in place of the second one, verified there. */
static void put_second(struct node *n, struct node *second)
{
	struct node *h = head_of(n);
	h->next = new_node(second);
	(void)probe(h);
	(void)probe(h);
}
static __thread struct node local;
WAY(thread_local_node)
{
	put_second(n, &local);
	local.v = k77;
	return WALK;
}
static struct node fixed;
WAY(static_node)
{
	put_second(n, &fixed);
	fixed.v = k77;
	return WALK;
}
WAY(static_node_deep)
{
	put_second(n, &fixed);
	fixed.big.at[3] = k77;
	return WALK;
}
static __attribute__((noinline)) int by_value(struct node x)
{
	return probe(&x);
}
static void coroutine(struct node *n, int bad)
{
	struct node a = *n, b = *n;
	a.next = b.next = NULL;
	(void)by_value(a);
	(void)by_value(a);
	b.v = bad ? 77 : 1;
	extern int by_value_verdict(struct node);
	n->w = by_value_verdict(b) ? 0 : 50;
}
static int count;
static __attribute__((noinline)) int look_at(struct node *x)
{
	unsigned long long k = violations();
	(void)probe(x);
	return violations() == k;
}
int by_value_verdict(struct node x);
__attribute__((noinline)) int by_value_verdict(struct node x)
{
	count++;
	return look_at(&x);
}
WAY_OF(by_value_argument, coroutine(n, 1))
static ucontext_t back_to, there;
static struct node *for_coroutine;
static void run_coroutine(void)
{
	coroutine(for_coroutine, 1);
}
WAY(coroutine_stack)
{
	char *stack = malloc(256 << 10);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = 256 << 10;
	there.uc_link = &back_to;
	for_coroutine = n;
	makecontext(&there, run_coroutine, 0);
	swapcontext(&back_to, &there);
	return WALK;
}
static void *on_own_stack(void *p)
{
	coroutine(p, 1);
	return NULL;
}
WAY(thread_with_own_stack)
{
	pthread_attr_t a;
	pthread_t t;
	void *stack = NULL;
	(void)!posix_memalign(&stack, 4096, 256 << 10);
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, stack, 256 << 10);
	pthread_create(&t, &a, on_own_stack, n);
	pthread_join(t, NULL);
	return WALK;
}
