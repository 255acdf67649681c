/* SPDX-License-Identifier: MIT */
/* Writers in C++ that are compiled without the barrier. */
#include "alien.h"

alien_object::alien_object(const alien_object &o) : n(o.n)
{
}

alien_object::~alien_object()
{
	if (n)
		n->v = 77;
}

void alien_deleter::operator()(node *n) const
{
	n->v = 77;
}

alien_base::~alien_base()
{
}

void alien_base::write(node *n)
{
	n->v = 77;
}

void alien_throw(node *n)
{
	throw alien_object(n);
}

/* What it has to clean up writes when f throws. */
void alien_unwound(node *n, void (*f)(node *))
{
	alien_object o(n);
	f(n);
}

void alien_function(node *n)
{
	n->v = 77;
}

/* So that this unit has one. */
extern void (*const alien_instance)(node *, int);
void (*const alien_instance)(node *, int) = write_in_either<int>;
