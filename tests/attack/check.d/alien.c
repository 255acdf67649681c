/* SPDX-License-Identifier: MIT */
/* Writers that are compiled without the barrier. */
#include "node.h"

#include <fcntl.h>
#include <stdio.h>

static struct node *kept;

void alien_write(struct node *n)
{
	n->v = 77;
}

void alien_deep(struct node *head)
{
	while (head->next)
		head = head->next;
	head->w = 77;
}

void alien_keep(struct node *n)
{
	kept = n;
}

void alien_tick(void)
{
	kept->l = 77;
}

int alien_call(struct node *n, int (*f)(struct node *))
{
	int seen = f(n);
	n->v = 77;
	return seen + f(n);
}

struct pair alien_pair(struct node *n)
{
	n->w = 50;
	return (struct pair){60, 70};
}

void alien_by_pointer(void *const *slots)
{
	((struct node *)slots[1])->v = 77;
}

void (*alien_pointer)(struct node *n) = alien_write;

void alien_handler(int s)
{
	(void)s;
	kept->v = 77;
}

void *alien_start(void *n)
{
	((struct node *)n)->v = 77;
	return 0;
}

volatile int alien_go;
void *alien_start_late(void *n)
{
	while (!alien_go)
		;
	((struct node *)n)->v = 77;
	return 0;
}

int alien_compare(const void *a, const void *b)
{
	(void)a;
	(*(struct node *const *)b)->v = 77;
	return 0;
}

/* Functions of streams, of printf and of the end. */
long alien_cookie_read(void *cookie, char *to, size_t n)
{
	((struct node *)cookie)->v = 77;
	to[0] = 'x';
	return n != 0;
}

long alien_cookie_write(void *cookie, const char *from, size_t n)
{
	(void)from;
	((struct node *)cookie)->v = 77;
	return (long)n;
}

int alien_print(FILE *f, const void *info, const void *const *args)
{
	(void)f;
	(void)info;
	(void)args;
	kept->v = 77;
	return 0;
}

void alien_end(void *n)
{
	((struct node *)n)->v = 77;
}

int alien_open(const char *name)
{
	return open(name, O_RDWR);
}

/* A context, and functions that glob is told to use. */
void alien_context(void)
{
	kept->v = 77;
}

void *alien_open_folder(const char *name)
{
	static int descriptor = -1; /* what dirfd() reads */
	(void)name;
	kept->v = 77;
	return &descriptor;
}

void *alien_read_folder(void *folder)
{
	(void)folder;
	return NULL;
}

void alien_close_folder(void *folder)
{
	(void)folder;
}

int alien_stat(const char *name, void *to)
{
	(void)name;
	(void)to;
	return -1;
}

/* More functions that are hung into the C library. */
void alien_argument(void *to, void *ap)
{
	(void)to;
	(void)ap;
	kept->v = 77;
}

void alien_tell(void)
{
	kept->v = 77;
}
