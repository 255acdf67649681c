// SPDX-License-Identifier: MIT
// C++ values in keys and results: objects in registers, objects passed by their address, two names of one object. The
// argument is a number of rounds; with one, data is longer.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static unsigned long work(unsigned long h, int rounds)
{
	for (int r = 0; r < rounds; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}

struct Base {
	int a;
	explicit Base(int x) : a(x)
	{
	}
	virtual ~Base()
	{
	}
	virtual unsigned long value(int x) const
	{
		return work((unsigned long)(a + x), 300);
	}
};
static int effects;
struct Noisy : Base {
	using Base::Base;
	unsigned long value(int x) const override
	{
		effects++;
		return (unsigned long)x;
	}
};

NOINLINE unsigned long text(std::string s)
{
	unsigned long h = 0;
	for (char c : s)
		h = work(h + (unsigned char)c, 60);
	return h;
}
NOINLINE unsigned long view(std::string_view s)
{
	unsigned long h = 0;
	for (char c : s)
		h = work(h + (unsigned char)c, 60);
	return h;
}
NOINLINE unsigned long numbers(std::span<const int> v)
{
	unsigned long h = 0;
	for (int n : v)
		h = work(h + (unsigned)n, 60);
	return h;
}
NOINLINE std::optional<int> perhaps(int a)
{
	unsigned long h = work((unsigned long)a, 300);
	if (h & 1)
		return {};
	return (int)(h % 7);
}
NOINLINE std::pair<long, double> both(int a)
{
	return {(long)work((unsigned long)a, 300), 1.5 * a};
}
NOINLINE unsigned long times(const Base &a, const Base &b)
{
	return work((unsigned long)(a.a * b.a), 300) + (&a == &b);
}
NOINLINE int lookup(const std::map<std::string, int> &m, const std::string &key)
{
	auto it = m.find(key);
	return it == m.end() ? -1 : it->second;
}
NOINLINE unsigned long &reference(Base &b, int x)
{
	static unsigned long slot[2];
	return slot[work((unsigned long)(x + b.a), 300) & 1];
}
NOINLINE unsigned long virtual_call(const Base &b, int x)
{
	return work(b.value(x), 300);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	bool more = argc > 1;
	unsigned long h = 0;
	std::map<std::string, int> m;
	for (int i = 0; i < 20; i++)
		m["key number " + std::to_string(i)] = i;
	for (int i = 0; i < rounds; i++) {
		Base b(i % 3), c(i % 2);
		Noisy n(i % 2);
		std::string s = i % 3 ? "short" : "a rather long string it is, this one here";
		if (more && i % 5 == 1)
			s += std::to_string(i % 13);
		h = h * 3 + text(s) + view(s);
		std::vector<int> v;
		for (int k = 0; k < 3 + i % 3 + (more ? i % 4 : 0); k++)
			v.push_back(k % 2);
		h = h * 3 + numbers(v) + (unsigned)perhaps(i % 5).value_or(77);
		h = h * 3 + (unsigned long)both(i % 4).first + (unsigned long)both(i % 4).second;
		h = h * 3 + times(b, more && i % 3 == 1 ? b : c);
		if (more && i == 300)
			m["key number 7"] = 99;
		h = h * 3 + (unsigned)lookup(m, "key number " + std::to_string(i % 24));
		reference(b, i % 4)++;
		h = h * 3 + reference(b, 0) + virtual_call(more && i % 4 == 3 ? n : b, i % 3);
	}
	std::printf("%lu %d\n", h, effects);
}
