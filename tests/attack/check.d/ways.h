/* SPDX-License-Identifier: MIT */
/* What the files with ways to write share. */
#ifndef ATTACK_WAYS_H
#define ATTACK_WAYS_H

#include "node.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline))
/* Values and lengths that the compiler does not know. */
static volatile int k77 = 77, k0;
static volatile size_t four = 4;

enum expected { WALK, GONE /* the verdict must be false, and the list may not be walked */ };
struct way {
	const char *name;
	enum expected (*write)(struct node *n);
};
/* All ways are in one section of the program. */
#define WAY(name)                                                                                                      \
	static enum expected name(struct node *n);                                                                     \
	static const struct way name##_way __attribute__((used, section("ways"), aligned(16))) = {#name, name};        \
	static enum expected name(struct node *n)
/* A way that is one statement. */
#define WAY_OF(name, ...)                                                                                              \
	WAY(name)                                                                                                      \
	{                                                                                                              \
		__VA_ARGS__;                                                                                           \
		return WALK;                                                                                           \
	}
extern const struct way __start_ways[], __stop_ways[];

/* The list that n is the second node of. */
struct node *head_of(struct node *n);
/* A list of three in memory from where it says; the node that is written to is the second. */
struct node *new_node(void *at);
void swab_bytes(char *text);
/* Is the memory behind the list's second node gone? */
enum expected mmap_gone(struct node *head);
unsigned long long violations(void);

#endif
