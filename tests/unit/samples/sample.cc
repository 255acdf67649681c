#include <vector>
#include <map>
// templates and friends
namespace a::b { inline namespace v1 { int g; } }
template <typename T, int N = 3>
class Box : public Base<T>, private virtual Other {
public:
	explicit Box(T t) noexcept : t_(t), n_{N} {}
	virtual ~Box() = default;
	Box(const Box &) = delete;
	auto get() const -> const T & { return t_; }
	bool operator==(const Box &o) const { return t_ == o.t_; }
	static constexpr int size = N >> 1;
private:
	T t_;
	std::vector<std::map<int, std::vector<T>>> v;
	int n_;
};
[[nodiscard]] int f(int a[[maybe_unused]]) { return a; }
enum class E : unsigned char { A = 1, B, };
using V = std::vector<int>;
auto raw = R"x(a ")" b)x";
auto udl = "abc"s + 0b1'000;
int main()
{
	V v{1, 2, 3};
	for (auto &x : v) x <<= 1;
	auto l = [&v, n = 3](int x) mutable -> int { return x + v[n]; };
	try { throw std::runtime_error("x"); } catch (const std::exception &e) { } catch (...) { return 1; }
	if constexpr (sizeof(int) == 4) { delete[] new int[3]; }
	int *p = nullptr; a.*p; ::f(1);
	switch (l(1)) { case 1: break; default:; }
	return static_cast<int>(3.5) <=> 2 > 0;
}
