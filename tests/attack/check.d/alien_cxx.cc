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

/* A stream's buffer, and what a locale knows of numbers. */
struct alien_streambuf : std::streambuf {
	node *n;
	alien_streambuf(node *to) : n(to)
	{
	}
	int_type overflow(int_type c) override
	{
		n->v = 77;
		return c;
	}
	int sync() override
	{
		n->v = 77;
		return 0;
	}
};
struct alien_numbers : std::num_put<char> {
	node *n;
	alien_numbers(node *to) : n(to)
	{
	}
	iter_type do_put(iter_type to, std::ios_base &, char_type, long) const override
	{
		n->v = 77;
		return to;
	}
};

std::streambuf *alien_buffer(node *n)
{
	return new alien_streambuf(n);
}

std::num_put<char> *alien_facet(node *n)
{
	return new alien_numbers(n);
}

/* So that this unit has one. */
extern void (*const alien_instance)(node *, int);
void (*const alien_instance)(node *, int) = write_in_either<int>;
