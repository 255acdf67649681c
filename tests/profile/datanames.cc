// SPDX-License-Identifier: MIT
// Variables of namespaces, classes and functions, and one that libstdc++ asks for.
#include <cstdio>
#include <memory>
#include <string>

namespace shapes
{
class Circle
{
      public:
	static int scale;
};
int Circle::scale = 3;
namespace
{
int hidden = 2;
}
} // namespace shapes
static std::shared_ptr<int> shared = std::make_shared<int>(5);

__attribute__((noinline)) long area(int i)
{
	static int calls_so_far = (int)std::string("abc").size();
	std::shared_ptr<int> mine = shared;
	long s = calls_so_far;
	for (int r = 0; r < 2000; r++)
		s = s * shapes::Circle::scale + shapes::hidden + *mine + i;
	return s;
}

int main(int argc, char **)
{
	long s = 0;
	shapes::Circle::scale += argc;
	shapes::hidden += argc;
	for (int i = 0; i < 200; i++)
		s += area(i % 4);
	std::printf("%ld\n", s);
	return 0;
}
