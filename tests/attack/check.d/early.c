/* SPDX-License-Identifier: MIT */
/* A program of two files: this one without ALIEN, with the barrier, checks a node in a constructor, in main and in a
 * destructor; with ALIEN, without the barrier, it writes to the node in between. Exit 0: what was written was seen. */
#include "node.h"

#include <stdlib.h>

extern struct node *early_node;

#ifdef ALIEN
__attribute__((constructor(300))) static void write_first(void)
{
	early_node->v = ALIEN & 1 ? 77 : 1;
}

static void at_exit(int status, void *n)
{
	(void)status;
	((struct node *)n)->v = 77;
}

void alien_registers(void);
void alien_registers(void)
{
	if (ALIEN & 4)
		on_exit(at_exit, early_node);
}

__attribute__((destructor(300))) static void write_last(void)
{
	if (ALIEN & 2)
		early_node->v = 77;
}
#else
#include <refrain/check.h>
#include <unistd.h>

struct node *early_node;
void alien_registers(void);

static int is_stale(void)
{
	struct rf_check_stats before, after;
	rf_check_get_stats(&before);
	(void)probe(early_node);
	rf_check_get_stats(&after);
	return (after.violations != before.violations) != (*(volatile int *)&early_node->v == 77);
}

__attribute__((constructor(200))) static void check_first(void)
{
	early_node = calloc(1, sizeof *early_node);
	early_node->v = early_node->first = 1;
	for (int i = 0; i < 3; i++)
		(void)probe(early_node);
}

static void at_the_end(void)
{
	if (*(volatile int *)&early_node->v == 77)
		_exit(is_stale());
}

__attribute__((destructor(200))) static void check_last(void)
{
	_exit(is_stale());
}

int main(void)
{
	if (is_stale())
		_exit(1);
	early_node->v = 1;
	atexit(at_the_end);
	alien_registers();
	for (int i = 0; i < 3; i++)
		(void)probe(early_node);
	return 0;
}
#endif
