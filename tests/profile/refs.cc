/* SPDX-License-Identifier: MIT */
// What C++ passes without a name of its own in C: references, objects with a destructor, private members, functions.
#include <cstdio>
#include <functional>
#include <string>
#define NOINLINE __attribute__((noinline, noclone, noipa))
static unsigned long work(unsigned long h)
{
	for (int r = 0; r < 500; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}
class Point
{
	int x, y;
	const int *scale;

public:
	Point(int a, int b, const int *s) : x(a), y(b), scale(s)
	{
	}
	NOINLINE unsigned long weight() const
	{
		return work((unsigned long)(x * 8 + y * *scale));
	}
	int left() const
	{
		return x * *scale;
	}
	friend unsigned long by_reference(const Point &p, const int &k);
	friend unsigned long by_value(Point p);
	~Point()
	{
		x = y = -1;
	}
};
NOINLINE unsigned long by_reference(const Point &p, const int &k)
{
	return work((unsigned long)(p.x * 8 + p.y * *p.scale + k));
}
NOINLINE unsigned long by_value(Point p)
{
	return work((unsigned long)(p.x * 8 + p.y));
}
NOINLINE unsigned long by_pointer(const Point *p)
{
	return work((unsigned)p->left());
}
NOINLINE unsigned long applied(const std::function<unsigned long(unsigned long)> &f, int k)
{
	return f(work((unsigned)k));
}
NOINLINE unsigned long by_address(const int &a, const int &b)
{
	return work(&a == &b);
}
// every third call throws, straight to who called
NOINLINE unsigned long thrown(int k)
{
	unsigned long h = work((unsigned)k);
	if (k % 3 == 2)
		throw k;
	return h;
}
int main()
{
	unsigned long sum = 0;
	const int scale[] = {3, 5};
	for (int i = 0; i < 120; i++) {
		Point p(i % 4, i % 3, &scale[i % 2]);
		int k = i % 2, place[2] = {1, 1};
		unsigned long add = (unsigned)(i % 3);
		sum = sum * 3 + p.weight() + by_reference(p, k) + by_value(p) + by_pointer(&p);
		sum = sum * 3 + applied([add](unsigned long x) { return x + add; }, i % 2);
		sum = sum * 3 + by_address(place[0], place[i % 2]);
		try {
			sum = sum * 3 + thrown(i % 6);
		} catch (int) {
			sum++;
		}
	}
	std::printf("%lu\n", sum);
	return 0;
}
