/* SPDX-License-Identifier: MIT */
/* Ways to write in C++: the barrier covers them, though contracts are C's. */
#include "more.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <fstream>
#include <iterator>
#include <list>
#include <malloc.h>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <numeric>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <utility>
#include <valarray>
#include <vector>

namespace
{

struct base {
	virtual ~base() = default;
	virtual void write(node *n) const = 0;
};
struct derived : base {
	void write(node *n) const override
	{
		n->v = 77;
	}
};
struct tracked {
	int x;
	tracked(int k) : x(k)
	{
	}
	tracked(const tracked &o) : x(o.x)
	{
	}
	tracked &operator=(const tracked &o)
	{
		x = o.x;
		return *this;
	}
	~tracked()
	{
		x = 55;
	}
};
__attribute__((noinline)) big make_big(node *n)
{
	big b{};
	probe(n);
	b.at[3] = 77;
	return b;
}
tracked make(node *n)
{
	probe(n);
	return tracked(66);
}
struct scrubbed {
	volatile int x;
	~scrubbed()
	{
		x = 55;
	}
};
struct bomb {
	int x = 77;
	bomb()
	{
		throw 1;
	}
};
struct window : std::streambuf {
	window(char *at, size_t n)
	{
		setp(at, at + n);
	}
};
template <class T> void put(T &place, T value)
{
	place = value;
}
void thrower(int *p)
{
	*p = 77;
	throw std::runtime_error("x");
}

const struct {
	const char *name;
	void (*write)(node *n);
} ways[] = {
	{"reference",
	 [](node *n) {
		 int &r = n->v;
		 r = 77;
	 }},
	{"template", [](node *n) { put(n->l, 77L); }},
	{"virtual",
	 [](node *n) {
		 std::unique_ptr<base> b(new derived);
		 b->write(n);
	 }},
	{"placement new", [](node *n) { new (&n->v) int(77); }},
	{"placement new of a struct",
	 [](node *n) {
		 new (&n->pair) pair{77, 78};
	 }},
	{"returned object", [](node *n) { new (&n->v) tracked(make(n)); }},
	{"assigned object", [](node *n) { *reinterpret_cast<tracked *>(&n->v) = make(n); }},
	{"std::fill", [](node *n) { std::fill(n->arr, n->arr + 32, 77); }},
	{"std::copy",
	 [](node *n) {
		 std::vector<int> a(32, 77);
		 std::copy(a.begin(), a.end(), n->arr);
	 }},
	{"std::copy of bytes",
	 [](node *n) {
		 std::vector<char> a(160, 77);
		 std::copy(a.begin(), a.end(), n->text);
	 }},
	{"std::iota", [](node *n) { std::iota(n->arr, n->arr + 32, 0); }},
	{"std::swap",
	 [](node *n) {
		 int a = 77;
		 std::swap(a, n->v);
	 }},
	{"the file of memory as a stream",
	 [](node *n) {
		 auto &f = *new std::ofstream("/proc/self/mem", std::ios::in | std::ios::out | std::ios::binary);
		 f.seekp((std::streamoff)(uintptr_t)&n->v);
		 probe(n);
		 f << "MMMM" << std::flush;
	 }},
	{"a result that is put in place", [](node *n) { new (n->arr) struct mallinfo(mallinfo()); }},
	{"std::exchange", [](node *n) { (void)std::exchange(n->w, 77); }},
	{"std::transform", [](node *n) { std::transform(n->arr, n->arr + 32, n->arr, [](int x) { return x + 20; }); }},
	{"std::generate",
	 [](node *n) {
		 int k = 9;
		 std::generate(n->arr, n->arr + 32, [&] { return k++; });
	 }},
	{"std::sort",
	 [](node *n) {
		 int *p = &n->first;
		 n->pair.lo = 5;
		 std::sort(p, p + 3, std::greater<int>());
	 }},
	{"std::rotate", [](node *n) { std::rotate(&n->first, &n->first + 1, &n->first + 3); }},
	{"std::memcpy",
	 [](node *n) {
		 std::vector<int> a(32, 77);
		 std::memcpy(n->arr, a.data(), sizeof n->arr);
	 }},
	{"std::atomic", [](node *n) { reinterpret_cast<std::atomic<int> *>(&n->v)->store(77); }},
	{"std::atomic fetch_add", [](node *n) { reinterpret_cast<std::atomic<long> *>(&n->l)->fetch_add(77); }},
	{"std::function",
	 [](node *n) {
		 std::function<void(int)> f = [n](int k) { n->v = k; };
		 f(77);
	 }},
	{"member pointer",
	 [](node *n) {
		 int node::*m = &node::w;
		 n->*m = 77;
	 }},
	{"exception",
	 [](node *n) {
		 try {
			 thrower(&n->v);
		 } catch (const std::exception &) {
		 }
	 }},
	{"catch",
	 [](node *n) {
		 try {
			 throw 77;
		 } catch (int k) {
			 n->v = k;
		 }
	 }},
	{"lambda by reference",
	 [](node *n) {
		 auto f = [&] { n->big.at[11] = 77; };
		 f();
	 }},
	{"struct binding",
	 [](node *n) {
		 auto &[lo, hi] = n->pair;
		 lo = hi = 77;
	 }},
	{"initializer",
	 [](node *n) {
		 n->pair = {77, 78};
	 }},
	{"std::move_backward",
	 [](node *n) {
		 n->arr[0] = 0;
		 std::vector<int> a(8, 77);
		 std::move_backward(a.begin(), a.end(), n->arr + 8);
	 }},
	{"accumulate in place",
	 [](node *n) {
		 for (auto &x : n->arr)
			 x += 30;
	 }},
	{"output stream",
	 [](node *n) {
		 std::ostream &o = *new std::ostream(new window(n->text, sizeof n->text));
		 probe(n);
		 o << 1234567;
	 }},
	{"output stream, a string",
	 [](node *n) {
		 std::ostream &o = *new std::ostream(new window(n->text, sizeof n->text));
		 probe(n);
		 o << "abc";
	 }},
	{"output stream, a character",
	 [](node *n) {
		 std::ostream &o = *new std::ostream(new window(n->text, sizeof n->text));
		 probe(n);
		 o.put(77);
	 }},
	{"output stream, by pointer",
	 [](node *n) {
		 std::ostream &o = *new std::ostream(new window(n->text, sizeof n->text));
		 std::ostream &(std::ostream::*volatile f)(int) = &std::ostream::operator<<;
		 probe(n);
		 (o.*f)(77);
	 }},
	{"input stream",
	 [](node *n) {
		 std::istringstream s("77");
		 s >> n->v;
	 }},
	{"input stream, read",
	 [](node *n) {
		 std::istringstream s("MMMM");
		 s.read(n->text, 4);
	 }},
	{"std::thread",
	 [](node *n) {
		 std::thread t([n] { n->v = 77; });
		 t.join();
	 }},
	{"std::thread that checks",
	 [](node *n) {
		 std::thread t([n] {
			 probe(n);
			 n->v = 77;
		 });
		 t.join();
	 }},
	{"std::async", [](node *n) { std::async(std::launch::async, [n] { n->v = 77; }).get(); }},
	{"std::call_once",
	 [](node *n) {
		 std::once_flag f;
		 std::call_once(f, [n] { n->v = 77; });
	 }},
	{"std::to_chars", [](node *n) { std::to_chars(n->text, n->text + 20, 7.5); }},
	{"std::list",
	 [](node *n) {
		 std::list<node *> l{n};
		 l.front()->w = 77;
	 }},
	{"std::string copy", [](node *n) { std::string("abc").copy(n->text, 3); }},
	{"pmr buffer",
	 [](node *n) {
		 std::pmr::monotonic_buffer_resource r(n->text, sizeof n->text);
		 std::pmr::vector<int> v(&r);
		 probe(n);
		 v.assign(8, 77);
		 n->v = 77;
	 }},
	{"compare exchange, expected",
	 [](node *n) {
		 std::atomic<int> a{77};
		 a.compare_exchange_strong(n->v, 5);
	 }},
	{"std::atomic_ref of C11",
	 [](node *n) { std::atomic_exchange(reinterpret_cast<std::atomic<int> *>(&n->w), 77); }},
	{"destructor", [](node *n) { reinterpret_cast<scrubbed *>(&n->v)->~scrubbed(); }},
	{"array new in place",
	 [](node *n) {
		 new (n->arr) int[4]{77, 77, 77, 77};
	 }},
	{"throwing constructor",
	 [](node *n) {
		 try {
			 new (&n->v) bomb();
		 } catch (int) {
		 }
	 }},
	{"covariant return", [](node *n) { *static_cast<int *>(std::memset(&n->v, 1, 1)) = 77; }},
	{"library's result in place", [](node *n) { new (n->arr) struct mallinfo2(mallinfo2()); }},
	{"plain result in place", [](node *n) { new (&n->big) big(make_big(n)); }},
	{"buffer of a file stream",
	 [](node *n) {
		 auto &f = *new std::ofstream; /* its end would be a call out */
		 f.rdbuf()->pubsetbuf(n->text, sizeof n->text);
		 f.open("/dev/null");
		 probe(n);
		 f << "MMM";
	 }},
	{"buffer of a file stream, again",
	 [](node *n) {
		 auto &f = *new std::ofstream; /* its end would be a call out */
		 f.rdbuf()->pubsetbuf(n->text, sizeof n->text);
		 f.open("/dev/null");
		 f << "\1\1\1" << std::flush;
		 std::memset(n->text, 1, sizeof n->text);
		 probe(n);
		 f << "MMM";
	 }},
	{"read stream's buffer",
	 [](node *n) {
		 auto &f = *new std::ifstream;
		 f.rdbuf()->pubsetbuf(n->text, sizeof n->text);
		 f.open("/proc/self/status");
		 probe(n);
		 f.get();
	 }},
	{"std::swap_ranges",
	 [](node *n) {
		 std::vector<int> a(32, 77);
		 std::swap_ranges(a.begin(), a.end(), n->arr);
	 }},
	{"std::exchange", [](node *n) { std::exchange(n->l, 77L); }},
	{"std::transform", [](node *n) { std::transform(n->arr, n->arr + 32, n->arr, [](int x) { return x + 77; }); }},
	{"std::sort",
	 [](node *n) {
		 n->arr[0] = 9;
		 probe(n);
		 std::vector<int *> p{&n->arr[0], &n->arr[5]};
		 std::sort(p.begin(), p.end(), [](int *a, int *b) { return *a += 70, *a < *b; });
	 }},
	{"std::istringstream", [](node *n) { std::istringstream("77") >> n->v; }},
	{"std::string in place",
	 [](node *n) {
		 auto *s = new (n->text) std::string("\1");
		 s->append("MMM");
	 }},
	{"std::function that is stored",
	 [](node *n) {
		 static std::function<void()> f;
		 f = [n] { n->v = 77; };
		 probe(n);
		 f();
	 }},
	{"pointer to member",
	 [](node *n) {
		 int node::*p = &node::w;
		 n->*p = 77;
	 }},
	{"reverse iterator", [](node *n) { *std::reverse_iterator<int *>(n->arr + 8) = 77; }},
	{"std::call_once",
	 [](node *n) {
		 std::once_flag once;
		 std::call_once(once, [n] { probe(n), n->v = 77; });
	 }},
	{"std::thread checks, then writes", [](node *n) { std::thread([n] { probe(n), n->v = 77; }).join(); }},
	{"std::valarray",
	 [](node *n) {
		 std::valarray<int> a(77, 32);
		 std::copy(std::begin(a), std::end(a), n->arr);
	 }},
	{"std::qsort",
	 [](node *n) {
		 n->arr[0] = 0;
		 static node *kept;
		 kept = n;
		 int a[2] = {2, 1};
		 std::qsort(a, 2, sizeof *a, [](const void *, const void *) {
			 kept->v = 77;
			 return 0;
		 });
	 }},
};

} // namespace

static const int own_ways = static_cast<int>(sizeof ways / sizeof *ways);

int cxx_ways(void)
{
	int more;
	(void)more_ways(&more);
	return own_ways + more;
}

const char *cxx_name(int k)
{
	int more;
	return k < own_ways ? ways[k].name : more_ways(&more)[k - own_ways].name;
}

void cxx_write(int k, node *n)
{
	int more;
	if (k < own_ways)
		ways[k].write(n);
	else
		more_ways(&more)[k - own_ways].write(n);
}
