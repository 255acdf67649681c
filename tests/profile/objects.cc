/* SPDX-License-Identifier: MIT */
/* C++: what travels by address and what in registers, exceptions, names. The numbers of inputs are known: six for the
 * functions that take an object, five for those that return one, six for those that throw. */
#include <memory>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline, noclone))

static volatile long sink;

NOINLINE static long spin(long x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 31 + (x >> 7) + i;
	return x;
}

struct Plain {
	int a;
	long b;
};
struct Ends : Plain {
	Ends(int x) : Plain{x, 1}
	{
	}
	~Ends()
	{
		spin(a, 1);
	}
};
struct Copied : Plain {
	Copied(int x) : Plain{x, 1}
	{
	}
	Copied(const Copied &o) : Plain{o.a, o.b}
	{
	}
};
struct Derived : Ends {
	Derived(int x) : Ends(x)
	{
	}
};

NOINLINE long take_plain(Plain v, int k)
{
	return spin(v.a + v.b, 40) + k;
}
NOINLINE long take_ends(Ends v, int k)
{
	return spin(v.a + v.b, 40) + k;
}
NOINLINE long take_copied(Copied v, int k)
{
	return spin(v.a + v.b, 40) + k;
}
NOINLINE long take_derived(Derived v, int k)
{
	return spin(v.a + v.b, 40) + k;
}
NOINLINE Plain give_plain(int k)
{
	return Plain{k, spin(k, 40)};
}
NOINLINE Ends give_ends(int k)
{
	return Ends((int)spin(k, 40));
}
NOINLINE std::unique_ptr<int> give_pointer(int k)
{
	return std::unique_ptr<int>(new int((int)spin(k, 40)));
}
NOINLINE std::string give_text(int k)
{
	return "a text that is not small, with number " + std::to_string(k);
}
template <typename T> NOINLINE T template_of(T a)
{
	return a + (T)spin((long)a, 40);
}
namespace
{
NOINLINE long unnamed(int k)
{
	return spin(k, 40);
}
} // namespace

NOINLINE long throws(int x)
{
	if (x % 3 == 0)
		throw std::runtime_error("bad " + std::to_string(x));
	return spin(x, 50);
}

NOINLINE long catches(int x)
{
	try {
		return throws(x);
	} catch (const std::exception &e) {
		return (long)std::string(e.what()).size() + spin(x, 20);
	}
}

int main()
{
	for (int i = 0; i < 300; i++) {
		Plain plain = {i % 3, 1};
		sink = sink + take_plain(plain, i % 2) + take_ends(Ends(i % 3), i % 2);
		sink = sink + take_copied(Copied(i % 3), i % 2) + take_derived(Derived(i % 3), i % 2);
		sink = sink + give_plain(i % 5).b + give_ends(i % 5).a + *give_pointer(i % 5) +
		       (long)give_text(i % 5).size();
		sink = sink + template_of<int>(i % 5) + unnamed(i % 5) + catches(i % 6);
	}
}
