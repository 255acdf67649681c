/* SPDX-License-Identifier: MIT */
/* C++ that is compiled without the barrier (alien_cxx.cc) and called from code that has it (cxx_alien.cc). */
#ifndef ATTACK_ALIEN_H
#define ATTACK_ALIEN_H

#include "node.h"

#include <locale>
#include <streambuf>

/* Writes to its node when it goes away. */
struct alien_object {
	node *n;
	alien_object(node *to) : n(to)
	{
	}
	alien_object(const alien_object &o);
	~alien_object();
};
struct alien_deleter {
	void operator()(node *n) const;
};
struct alien_base {
	virtual ~alien_base();
	virtual void write(node *n);
};
void alien_throw(node *n);
void alien_unwound(node *n, void (*f)(node *));
void alien_function(node *n);
std::streambuf *alien_buffer(node *n);
std::num_put<char> *alien_facet(node *n);
/* Both units have it; the linker takes one of them. */
template <class T> __attribute__((noinline)) void write_in_either(node *n, T v)
{
	n->v = v;
}

#endif
