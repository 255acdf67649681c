/* SPDX-License-Identifier: MIT */
/* A program of two files: this one, compiled without the barrier, starts a thread that writes later (STARTER), or
 * sets a handler that does (HANDLER), hands the node to the C library, which does (KEEPER), or has a function of the
 * C library's name that does at once (NAMED). The other, with the barrier, checks before and after it. Exit 0: the
 * write was seen. */
#include "node.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void start_writer(struct node *n);

#ifdef NAMED
#include <stdio.h>

int remove(const char *n)
{
	((struct node *)n)->v = 77;
	return 0;
}

void start_writer(struct node *n)
{
	(void)n;
}
#elif defined KEEPER
#include <stdio.h>

void start_writer(struct node *n)
{
	setvbuf(stdout, n->text, _IOFBF, sizeof n->text);
}
#elif defined STARTER || defined HANDLER
static struct node *kept;
static volatile int go;

static void write_to(int s)
{
	(void)s;
	kept->v = 77;
}

static void *wait_and_write(void *n)
{
	(void)n;
	while (!go)
		;
	write_to(0);
	return NULL;
}

void start_writer(struct node *n)
{
	kept = n;
#ifdef HANDLER
	signal(SIGUSR1, write_to);
	(void)wait_and_write;
#else
	pthread_t t;
	pthread_create(&t, NULL, wait_and_write, NULL);
	go = 1;
#endif
}
#else
#include <refrain/check.h>
#include <stdio.h>
#include <string.h>

static unsigned long long violations(struct node *n)
{
	struct rf_check_stats s;
	(void)probe(n);
	rf_check_get_stats(&s);
	return s.violations;
}

int main(int argc, char **argv)
{
	struct node *n = calloc(1, sizeof *n);
	n->v = n->first = 1;
	start_writer(n);
	for (int i = 0; i < 3; i++)
		(void)probe(n);
	if (argc > 1 && strcmp(argv[1], "raise") == 0)
		raise(SIGUSR1);
	if (argc > 1 && strcmp(argv[1], "print") == 0) {
		fputs("MMM", stdout);
		return n->text[0] == 77 && violations(n) ? 0 : 1;
	}
	if (argc > 1 && strcmp(argv[1], "remove") == 0)
		remove((const char *)n);
	for (int i = 0; i < 1000 && *(volatile int *)&n->v == 1; i++)
		usleep(1000);
	return *(volatile int *)&n->v == 77 && violations(n) ? 0 : 1;
}
#endif
