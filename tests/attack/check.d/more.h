/* SPDX-License-Identifier: MIT */
/* The second list of ways in C++ (cxx_alien.cc), which cxx.cc puts behind its own. */
#ifndef ATTACK_MORE_H
#define ATTACK_MORE_H

#include "node.h"

struct more_way {
	const char *name;
	void (*write)(node *n);
};
const more_way *more_ways(int *count);

#endif
