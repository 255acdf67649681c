// SPDX-License-Identifier: MIT
// Objects for --method=memoizeit, 60 calls each: a target whose state is 4 different ones; references; a text in an
// object of the library, 3 different ones, too long to lie inside it; a base class whose field differs, though not the
// result: 5.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Counter {
	int state;
	int unused = 0;
	__attribute__((noinline)) long next() const
	{
		long s = 0;
		for (int i = 0; i < 200; i++)
			s = s * 31 + state;
		return s;
	}
};

__attribute__((noinline)) long measure(const std::string &text)
{
	long s = 0;
	for (char c : text)
		s = s * 31 + c;
	return s;
}

struct Base {
	long id;
};
struct Derived : Base {
	long own;
};
__attribute__((noinline)) long inherit(const Derived &d)
{
	return d.own * 3;
}

int main()
{
	long s = 0;
	std::vector<std::unique_ptr<std::string>> kept;
	for (int i = 0; i < 60; i++) {
		auto c = std::make_unique<Counter>();
		c->state = i % 4;
		s += c->next();
		kept.push_back(std::make_unique<std::string>("a text that is longer than sixteen bytes " +
							     std::to_string(i % 3)));
		s += measure(*kept.back());
		Derived d{{i % 5}, 1};
		__asm__ volatile("" : : "r"(&d) : "memory");
		s += inherit(d);
	}
	std::printf("%ld\n", s);
}
