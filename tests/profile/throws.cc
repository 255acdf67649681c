/* SPDX-License-Identifier: MIT */
// 9 calls of check(int): 3 inputs, of which one throws; 9 calls of outer(int), which is passed by the exception.
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone, noipa))
static volatile long sink;
NOINLINE int check(int n)
{
	if (n == 2)
		throw n;
	return n + 1;
}
NOINLINE int outer(int n)
{
	return check(n) * 2;
}
// the unwinder sets itself up at the first throw
NOINLINE void warm()
{
	throw 1;
}
NOINLINE int after(int n)
{
	return n + 5;
}
// 6 calls of each instance, 2 inputs
namespace shape
{
template <class T> NOINLINE T area(T a, T b)
{
	T s = 0;
	for (int i = 0; i < 50; i++)
		s += a * b;
	return s;
}
} // namespace shape
int main()
{
	for (int i = 0; i < 6; i++)
		sink += shape::area(i % 2, 3) + (long)shape::area(i % 2 * 0.5, 2.0);
	try {
		warm();
	} catch (int) {
	}
	for (int i = 0; i < 9; i++) {
		try {
			sink += outer(i % 3);
		} catch (int e) {
			sink += e;
		}
		sink += after(1);
	}
	std::printf("%ld\n", (long)sink);
	return 0;
}
