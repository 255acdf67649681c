/* SPDX-License-Identifier: MIT */
/* Ways to write in C++ that meet code without the barrier (alien_cxx.cc): destructors of what was thrown, deleters,
 * inline functions of which the linker takes the other copy; and more of the library's templates. */
#include "alien.h"
#include "more.h"

#include <algorithm>
#include <any>
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <exception>
#include <functional>
#include <future>
#include <iomanip>
#include <locale>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace
{

struct derived : alien_base {
};
struct holder {
	alien_object inner;
	int k;
};
node *wanted;

/* Room in the node for an object that must be aligned. */
void *room(node *n, size_t bytes)
{
	void *p = n->arr;
	size_t all = sizeof n->arr;
	return std::align(8, bytes, p, all);
}

/* A buffer that checks whenever it is full, and goes on in the node. */
struct checking_buffer : std::streambuf {
	node *n;
	char one;
	checking_buffer(node *to) : n(to), one(0)
	{
	}
	int_type overflow(int_type c) override
	{
		one = static_cast<char>(c);
		setp(n->text, n->text + 8);
		(void)probe(n);
		(void)probe(n);
		return 0;
	}
};
struct checking_numbers : std::numpunct<char> {
	char do_thousands_sep() const override
	{
		(void)probe(wanted);
		return '.';
	}
	std::string do_grouping() const override
	{
		return "\1";
	}
};

void check_and_throw(node *n)
{
	(void)probe(n);
	(void)probe(n);
	throw 1;
}

void caught_in_the_end(node *n)
{
	std::exception_ptr p;
	try {
		throw alien_object(n);
	} catch (const alien_object &) {
		p = std::current_exception();
	}
	n->v = 1;
	try {
		std::exception_ptr q = std::move(p);
		std::rethrow_exception(q);
	} catch (...) {
		(void)probe(n);
	}
}

void caught_twice(node *n)
{
	try {
		try {
			throw alien_object(n);
		} catch (...) {
			(void)probe(n);
			throw;
		}
	} catch (...) {
		(void)probe(n);
	}
}

template <class T> void thrown(node *n, T x)
{
	try {
		throw x;
	} catch (...) {
		n->v = 1;
		(void)probe(n);
	}
}

const more_way ways[] = {
	{"thrown alien", [](node *n) { thrown(n, alien_object(n)); }},
	{"thrown alien in another",
	 [](node *n) {
		 thrown(n, holder{alien_object(n), 1});
	 }},
	{"thrown alien by an alien",
	 [](node *n) {
		 try {
			 alien_throw(n);
		 } catch (const alien_object &) {
			 (void)probe(n);
		 }
	 }},
	{"thrown alien, rethrown", caught_in_the_end},
	{"thrown alien, caught twice", caught_twice},
	{"unwound alien",
	 [](node *n) {
		 try {
			 alien_unwound(n, check_and_throw);
		 } catch (int) {
		 }
	 }},
	{"inline function in either unit",
	 [](node *n) {
		 (void)probe(n);
		 write_in_either(n, 77);
	 }},
	{"alien deleter",
	 [](node *n) {
		 std::unique_ptr<node, alien_deleter> p(n);
		 (void)probe(n);
	 }},
	{"alien deleter, shared",
	 [](node *n) {
		 std::shared_ptr<node> p(n, alien_function);
		 (void)probe(n);
		 p.reset();
	 }},
	{"alien virtual function",
	 [](node *n) {
		 std::unique_ptr<alien_base> b(new derived);
		 (void)probe(n);
		 b->write(n);
	 }},
	{"alien in std::thread",
	 [](node *n) {
		 std::thread t(alien_function, n);
		 (void)probe(n);
		 t.join();
	 }},
	{"alien in std::async, deferred",
	 [](node *n) {
		 auto f = std::async(std::launch::deferred, alien_function, n);
		 (void)probe(n);
		 f.get();
	 }},
	{"alien in std::bind", [](node *n) { std::bind(alien_function, n)(); }},
	{"alien in std::for_each",
	 [](node *n) {
		 node *all[] = {n};
		 std::for_each(all, all + 1, alien_function);
	 }},
	{"once flag",
	 [](node *n) {
		 wanted = n;
		 auto *o = new (&n->w) std::once_flag;
		 (void)probe(n);
		 std::call_once(*o, [] { (void)probe(wanted); });
		 n->v = 70 + n->w;
	 }},
	{"optional",
	 [](node *n) {
		 auto *o = new (n->arr) std::optional<int>;
		 (void)probe(n);
		 *o = 77;
	 }},
	{"variant",
	 [](node *n) {
		 auto *v = new (n->arr) std::variant<int, char>(1);
		 (void)probe(n);
		 v->emplace<0>(77);
	 }},
	{"any",
	 [](node *n) {
		 auto *a = new (room(n, sizeof(std::any))) std::any;
		 (void)probe(n);
		 *a = 77;
	 }},
	{"bitset",
	 [](node *n) {
		 auto *b = new (&n->l) std::bitset<64>;
		 (void)probe(n);
		 b->set(6);
	 }},
	{"array fill", [](node *n) { reinterpret_cast<std::array<int, 4> *>(n->arr)->fill(77); }},
	{"tie",
	 [](node *n) {
		 int a;
		 std::tie(a, n->v) = std::make_tuple(1, 77);
	 }},
	{"string grows",
	 [](node *n) {
		 auto *s = new (room(n, sizeof(std::string))) std::string;
		 s->append(100, 'x');
	 }},
	{"vector grows",
	 [](node *n) {
		 auto *v = new (room(n, sizeof(std::vector<int>))) std::vector<int>;
		 (void)probe(n);
		 v->push_back(77);
	 }},
	{"stream, get",
	 [](node *n) {
		 std::istringstream s("MMM");
		 s.get(n->text, 4);
	 }},
	{"stream, time",
	 [](node *n) {
		 std::istringstream s("2077");
		 s >> std::get_time(reinterpret_cast<std::tm *>(n->arr), "%Y");
	 }},
	{"stream, facet",
	 [](node *n) {
		 std::istringstream s("77");
		 std::ios_base::iostate e{};
		 using get = std::num_get<char>;
		 std::use_facet<get>(s.getloc()).get(std::istreambuf_iterator<char>(s), {}, s, e, n->l);
	 }},
	{"string to number", [](node *n) { n->v = 70 + std::stoi("12", reinterpret_cast<size_t *>(&n->l)); }},
	{"alien stream buffer",
	 [](node *n) {
		 auto &s = *new std::ostream(alien_buffer(n)); /* nothing is destroyed before the check */
		 (void)probe(n);
		 s << 5;
	 }},
	{"alien stream buffer of a tied stream",
	 [](node *n) {
		 static std::ostream &s = *new std::ostringstream;
		 s.tie(new std::ostream(alien_buffer(n)));
		 (void)probe(n);
		 s << 5;
	 }},
	{"alien facet",
	 [](node *n) {
		 auto &s = *new std::ostringstream;
		 s.imbue(*new std::locale(std::locale::classic(), alien_facet(n)));
		 (void)probe(n);
		 static_cast<std::ostream &>(s) << 5;
	 }},
	{"stream buffer that checks",
	 [](node *n) {
		 auto &s = *new std::ostream(new checking_buffer(n));
		 (void)probe(n);
		 s << 1234567;
	 }},
	{"facet that checks",
	 [](node *n) {
		 wanted = n;
		 char *text = n->text;
		 auto &s = *new std::ostringstream;
		 s.imbue(*new std::locale(std::locale::classic(), new checking_numbers));
		 s.rdbuf()->pubsetbuf(text, 20);
		 (void)probe(n);
		 static_cast<std::ostream &>(s) << 77777;
		 n->text[30] = n->text[0] ? 0 : 77;
	 }},
	{"complex",
	 [](node *n) {
		 *reinterpret_cast<std::complex<float> *>(n->arr) = {77, 1};
	 }},
	{"replace_if",
	 [](node *n) {
		 std::replace_if(
			 n->arr, n->arr + 4, [](int k) { return k == 0; }, 77);
	 }},
	{"uninitialized copy",
	 [](node *n) {
		 const int from[] = {77, 1, 2};
		 std::uninitialized_copy(from, from + 3, n->arr);
	 }},
	{"clock",
	 [](node *n) {
		 using clock = std::chrono::system_clock;
		 *reinterpret_cast<clock::time_point *>(&n->l) = clock::now();
	 }},
	{"virtual function by member pointer",
	 [](node *n) {
		 void (alien_base::*p)(node *) = &alien_base::write;
		 derived d;
		 (d.*p)(n);
	 }},
};

} // namespace

const more_way *more_ways(int *count)
{
	*count = static_cast<int>(sizeof ways / sizeof *ways);
	return ways;
}
