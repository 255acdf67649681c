/* SPDX-License-Identifier: MIT */
/* The declaration graph: what is declared and used, what is reached, what falls together; and the masking that lets
 * preprocessed C++ parse. */
#include "reduce/model/load.h"
#include "reduce/model/units.h"
#include "reduce/pass/halves.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include "base/bits.h"
#include "testing.h"

struct program {
	struct model m;
	struct units u;
};

static void load(struct program *p, const char *name, const char *text)
{
	struct err e = ERR_INIT;
	struct source src = {name, text, strlen(text), language_detect(name, text, strlen(text))};
	*p = (struct program){0};
	assert_int_equal(model_load(&p->m, &src, 1, &e), RC_OK);
	assert_true(units_make(&p->u, &p->m));
}

static void unload(struct program *p)
{
	units_release(&p->u);
	model_unload(&p->m);
}

/* The unit whose text starts with this. */
static uint32_t unit_at(const struct program *p, const char *start)
{
	const struct syntax *x = p->m.file[0].syntax;
	for (uint32_t i = 0; i < p->u.n; i++)
		if (strncmp(x->text + x->token[p->u.at[i].span.from].at, start, strlen(start)) == 0)
			return i;
	fail_msg("no unit starts with %s", start);
	return 0;
}

static const char program_text[] =
	"# 1 \"main.cc\"\n"
	"# 1 \"lib.h\" 1\n"
	"namespace std __attribute__ ((__visibility__ (\"default\"))) {\n"
	"  typedef unsigned long size_t;\n"
	"  template<typename T> struct box { T value; box(T); int size() const { return extent; }\n"
	"    static const int extent = 3; };\n"
	"  template<typename T> T box<T>::* member(box<T> &b);\n"
	"  struct unused { size_t n; };\n"
	"  box<int> operator+(box<int> a, box<int> b);\n"
	"}\n"
	"extern int helper(int) __asm__ (\"help\");\n"
	"enum color { red, green };\n"
	"static int shade(color c) { return c == red; }\n"
	"# 2 \"main.cc\" 2\n"
	"int main() { std::box<int> a(1), b(2); a + b; return shade(green); }\n";

static void names_lead_to_what_is_needed(void **state)
{
	(void)state;
	struct program p;
	load(&p, "main.ii", program_text);
	bool *root = units_roots(&p.u, &p.m), *alive = mem_zalloc(p.u.n);
	for (uint32_t i = 0; i < p.u.n; i++)
		assert_int_equal(root[i], i == unit_at(&p, "int main"));
	units_mark(&p.u, root, NULL, alive);
	const char *live[] = {"namespace std",      "template<typename T> struct box",
			      "box<int> operator+", "enum color",
			      "static int shade",   "int main"};
	for (size_t i = 0; i < ARRAY_LEN(live); i++)
		assert_true(alive[unit_at(&p, live[i])]);
	const char *dead[] = {"struct unused", "extern int helper", "typedef unsigned long", "int size() const",
			      "static const int extent"};
	for (size_t i = 0; i < ARRAY_LEN(dead); i++)
		assert_false(alive[unit_at(&p, dead[i])]);
	/* what is killed is not reached, nor what only it leads to */
	bool *killed = mem_zalloc(p.u.n);
	killed[unit_at(&p, "static int shade")] = true;
	units_mark(&p.u, root, killed, alive);
	assert_false(alive[unit_at(&p, "static int shade")]);
	assert_true(alive[unit_at(&p, "enum color")]); /* main says green */
	free(root);
	free(alive);
	free(killed);
	unload(&p);
}

/* Which units of a program are alive, by how they begin. */
static void lives(const char *name, const char *text, const char *const *live, const char *const *dead)
{
	struct program p;
	load(&p, name, text);
	bool *root = units_roots(&p.u, &p.m), *alive = mem_zalloc(p.u.n);
	units_mark(&p.u, root, NULL, alive);
	for (; *live; live++)
		if (!alive[unit_at(&p, *live)])
			fail_msg("%s is dead in %s", *live, name);
	for (; *dead; dead++)
		if (alive[unit_at(&p, *dead)])
			fail_msg("%s lives in %s", *dead, name);
	free(root);
	free(alive);
	unload(&p);
}

/* Where statements are run, these are what the program is about. */
static void scripts_live_from_their_statements(void **state)
{
	(void)state;
	static const char python[] = "import os, sys as system\n"
				     "from re import compile, match\n"
				     "limit = 3\n"
				     "other, spare = 4, 5\n"
				     "@cached\ndef helper(n):\n    return n + limit\n"
				     "def unused():\n    return os.name\n"
				     "class Empty:\n    def one(self, a, b):\n        return a\n    x = 1\n"
				     "class Box:\n    def __init__(self):\n        self.n = 1\n"
				     "    def get(self):\n        return match\n    def put(self):\n        pass\n"
				     "print(helper(Box().get()), Empty)\n";
	lives("a.py", python,
	      (const char *const[]){"from re", "limit =", "@cached", "class Empty", "x = 1", "class Box",
				    "def __init__", "def get", "print", NULL},
	      (const char *const[]){"import os", "other, spare", "def unused", "def one", "def put", NULL});
	static const char script[] =
		"import { a, b } from 'm';\n"
		"const { c, d: [e] } = load();\n"
		"var f = 1, g = 2;\n"
		"function Box() {}\n"
		"Box.prototype.get = function () { return e; };\n"
		"Box.prototype.put = function () { return g; };\n"
		"export class Shape { constructor() {} area() { return a; } name() { return f; } }\n"
		"new Box().get(new Shape().area());\n";
	lives("a.js", script,
	      (const char *const[]){"import", "const {", "function Box", "Box.prototype.get", "export class",
				    "constructor", "area()", "new Box", NULL},
	      (const char *const[]){"var f", "Box.prototype.put", "name()", NULL});
}

/* Where they are not, `main` is, and what answers for something outside of the program stays with its class. */
static void programs_live_from_main(void **state)
{
	(void)state;
	static const char rust[] = "#![allow(dead_code)]\n"
				   "mod inner { pub struct Kept(i32); pub fn unused() {} }\n"
				   "mod empty { fn nothing() {} }\n"
				   "use inner::Kept;\nuse std::collections::HashMap;\nuse std::fmt::*;\n"
				   "#[derive(Clone)]\nstruct Attributed;\n"
				   "trait Named { fn name(&self) -> String; fn never(&self) {} }\n"
				   "impl std::ops::Drop for Kept { fn drop(&mut self) {} }\n"
				   "impl Kept { fn get(&self) -> i32 { limit } fn put(&self) {} }\n"
				   "impl Attributed { fn of(self) {} }\n"
				   "const limit: i32 = 1;\nstatic other: i32 = 2;\n"
				   "fn main() { let k = Kept(1); k.get(); }\n";
	lives("a.rs", rust,
	      (const char *const[]){"#![allow", "mod inner", "pub struct Kept", "use inner", "use std::fmt",
				    "impl std::ops", "fn drop", "impl Kept", "fn get", "const limit", "fn main", NULL},
	      (const char *const[]){"mod empty", "pub fn unused", "use std::coll", "#[derive", "trait Named", "fn put",
				    "impl Attributed", "static other", NULL});
	static const char go[] = "package main\n"
				 "import (\n\t\"fmt\"\n\t\"path/filepath\"\n\talias \"os\"\n)\n"
				 "import \"strings\"\n"
				 "const ( a, b = 1, 2\n c = 3 )\n"
				 "const d = 4\n"
				 "var ( e, f = 5, 6\n g int )\n"
				 "type shape interface { area() int }\n"
				 "type box struct { n int }\n"
				 "func (x box) area() int { return x.n + b + f }\n"
				 "func (x box) hidden() string { return strings.ToUpper(\"\") }\n"
				 "func main() { fmt.Println(shape(box{}).area(), alias.Args) }\n";
	lives("a.go", go,
	      (const char *const[]){"package", "\"fmt\"", "alias", "const (", "e, f", "type shape", "type box",
				    "func (x box) area", "func main", NULL},
	      (const char *const[]){"\"path", "import \"strings", "const d", "g int", "func (x box) hidden", NULL});
	static const char java[] =
		"package p;\nimport java.util.List;\nimport java.util.Map;\nimport java.io.*;\n"
		"enum Color { RED, GREEN; static int hue() { return 1; } int unseen() { return 2; } }\n"
		"interface Unused { void run(); }\n"
		"class Box<T> { T first, second; int third; List<T> all; Box(T t) { first = t; }\n"
		" @Override public String toString() { return \"\"; } T get() { return all == null ? second : first; } "
		"void put(T t) { } }\n"
		"public class A { static Runnable r = new Runnable() { public void run() { } };\n"
		" public static void main(String[] a) { new Box<Color>(Color.RED).get(); r.run(); Color.hue(); } }\n";
	lives("A.java", java,
	      (const char *const[]){"package", "import java.util.List", "import java.io", "enum Color",
				    "static int hue", "class Box", "T first", "Box(T t)", "@Override", "T get",
				    "public class A", "static Runnable", "public static void", NULL},
	      (const char *const[]){"import java.util.Map", "int unseen", "int third", "void put", NULL});
	static const char csharp[] =
		"using System;\n"
		"namespace N {\n"
		" enum E { X, Y }\n enum F { Z }\n"
		" class Base { public virtual int Area() { return 0; } }\n"
		" class Box : Base { int n, m; static int k; public Box(int n) { this.n = n; }\n"
		"  public override string ToString() { return \"\"; } public E Kind { get { return E.X; } }\n"
		"  public Box Next() { return null; } void Unused() { } }\n"
		" class P { static void Main() { Console.WriteLine(new Box(1).Next().Kind); } }\n"
		"}\n";
	lives("a.cs", csharp,
	      (const char *const[]){"using", "namespace N", "enum E", "class Base", "class Box", "int n, m",
				    "public Box(int", "public override", "public E Kind", "public Box Next", "class P",
				    "static void Main", NULL},
	      (const char *const[]){"enum F", "public virtual", "static int k", "void Unused", NULL});
}

/* An import is the declaration only of what the program does not declare, an extension never is one. */
static void imports_fall_with_what_they_bring(void **state)
{
	(void)state;
	struct program p;
	load(&p, "a.rs",
	     "mod m { pub struct Own; }\nuse m::Own;\nuse std::rc::Rc;\nimpl Own { fn f(&self) {} }\n"
	     "impl Named for Vec<i32> { }\nfn g(o: Own) {}\nfn h(o: Rc<i32>) {}\nfn k(o: Vec<i32>) {}\n");
	bool *killed = mem_zalloc(p.u.n), *keep = mem_zalloc(p.u.n), *stay = mem_zalloc(p.u.n);
	struct unit_list list = {0};
	uint32_t own = unit_at(&p, "pub struct Own"), use = unit_at(&p, "use m"), rc = unit_at(&p, "use std"),
		 impl = unit_at(&p, "impl Own"), vec = unit_at(&p, "impl Named"), g = unit_at(&p, "fn g"),
		 h = unit_at(&p, "fn h"), k = unit_at(&p, "fn k");
	assert_true(units_kill(&p.u, use, keep, killed, &list));
	assert_true(killed[use] && !killed[g] && !killed[own]); /* paths may lead there */
	assert_true(units_kill(&p.u, own, keep, killed, &list));
	assert_true(killed[g] && killed[impl] && !killed[h]);
	units_revive(&p.u, killed, &list, 0);
	assert_true(units_kill(&p.u, own, keep, killed, &list)); /* the counts were put back */
	assert_true(killed[use] && killed[g] && killed[impl] && !killed[h]);
	assert_true(units_kill(&p.u, vec, keep, killed, &list));
	assert_true(!killed[k] && !killed[h]);
	assert_true(units_kill(&p.u, rc, keep, killed, &list));
	assert_true(killed[h] && !killed[k]);
	units_stays(&p.u, keep, stay); /* without roots: what nothing after it leads to */
	assert_true(stay[g] && stay[h] && stay[k] && !stay[own] && !stay[rc] && !stay[use] && !stay[impl] &&
		    !stay[vec]);
	vec_release(&list);
	free(killed);
	free(keep);
	free(stay);
	unload(&p);
}

static void users_fall_with_the_last_declaration(void **state)
{
	(void)state;
	struct program p;
	load(&p, "a.c",
	     "int f(int);\nint f(int x) { return x; }\nint g(void) { return f(1); }\nint h(void) { return g(); }\n"
	     "int k(void) { return 0; }\n");
	bool *killed = mem_zalloc(p.u.n), *keep = mem_zalloc(p.u.n);
	struct unit_list list = {0};
	uint32_t f1 = unit_at(&p, "int f(int);"), f2 = unit_at(&p, "int f(int x)"), g = unit_at(&p, "int g"),
		 h = unit_at(&p, "int h"), k = unit_at(&p, "int k");
	assert_true(units_kill(&p.u, f1, keep, killed, &list));
	assert_true(killed[f1] && !killed[f2] && !killed[g]); /* it is still declared */
	assert_true(units_kill(&p.u, f2, keep, killed, &list));
	assert_true(killed[f2] && killed[g] && killed[h] && !killed[k]);
	units_revive(&p.u, killed, &list, 1);
	assert_true(killed[f1] && !killed[f2] && !killed[g] && !killed[h]);
	keep[h] = true;
	assert_false(units_kill(&p.u, f2, keep, killed, &list));
	assert_true(list.n == 1 && !killed[f2] && !killed[g]);
	keep[h] = false;
	assert_true(units_kill(&p.u, f2, keep, killed, &list)); /* the counts were put back */
	assert_true(killed[h]);
	vec_release(&list);
	free(killed);
	free(keep);
	unload(&p);
}

static void hidden_text_is_kept_and_goes_whole(void **state)
{
	(void)state;
	struct program p;
	load(&p, "main.ii", program_text);
	const struct syntax *x = p.m.file[0].syntax;
	assert_int_equal(x->n_errors, 0); /* without masking there are some */
	struct buf out = {0};
	model_print_minimum(&p.m, 0, &out);
	assert_string_equal(buf_str(&out), program_text);
	buf_release(&out);
	/* the attribute of the namespace is one node */
	bool found = false;
	for (uint32_t i = 0; i < x->n_nodes; i++)
		found |= x->node[i].sym == SYNTAX_NO_SYMBOL && x->node[i].flags & NODE_EXTRA && x->node[i].n_tok == 9;
	assert_true(found);
	unload(&p);
}

/* whatever is killed and revived in whatever order, the counts agree with a count from scratch */
static void killing_and_reviving_agree_with_counting(void **state)
{
	(void)state;
	struct rng r = {5};
	for (int round = 0; round < 100; round++) {
		struct buf text = {0};
		for (int i = 0; i < 30; i++)
			buf_printf(&text, "int f%d(void) { return f%d() + f%d(); }\n", (int)rng_below(&r, 12),
				   (int)rng_below(&r, 12), (int)rng_below(&r, 12));
		struct program p;
		load(&p, "a.c", buf_str(&text));
		bool *killed = mem_zalloc(p.u.n), *keep = mem_zalloc(p.u.n);
		keep[rng_below(&r, p.u.n)] = true;
		struct unit_list list = {0};
		for (int i = 0; i < 40; i++) {
			if (list.n && rng_below(&r, 3) == 0)
				units_revive(&p.u, killed, &list, 0);
			else
				units_kill(&p.u, (uint32_t)rng_below(&r, p.u.n), keep, killed, &list);
			for (uint32_t name = 0; name < p.u.n_names; name++) {
				uint32_t n = 0;
				struct name_list l = p.u.declared_by[name];
				for (uint32_t k = l.first; k < l.first + l.n; k++)
					n += !killed[p.u.declarers[k]];
				assert_int_equal(p.u.alive_count[name], n);
				l = p.u.used_by[name];
				for (uint32_t k = l.first; !n && k < l.first + l.n; k++)
					assert_true(killed[p.u.users[k]]);
			}
			for (uint32_t k = 0; k < p.u.n; k++)
				assert_false(keep[k] && killed[k]);
		}
		vec_release(&list);
		free(killed);
		free(keep);
		unload(&p);
		buf_release(&text);
	}
}

enum { FUNCTIONS = 400, EVERY = 37 };

/* A function has its type before it, and each 37th function is there. */
static bool some_functions(void *user, const struct buf *text)
{
	bool type[FUNCTIONS] = {false};
	unsigned found = 0, i;
	(void)user;
	for (const char *line = buf_str(text); line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
		if (sscanf(line, "typedef int t%u;", &i) == 1 && i < FUNCTIONS)
			type[i] = true;
		else if (sscanf(line, "t%*u f%u(", &i) == 1 && (i >= FUNCTIONS || !type[i]))
			return false;
		else
			found += sscanf(line, "t%*u f%u(", &i) == 1 && i % EVERY == 0;
	}
	return found == (FUNCTIONS - 1) / EVERY + 1;
}

/* Culprits are found at the same time, and the same ones as one after the other. */
static void sweep_finds_many_culprits_at_once(void **state)
{
	static const char *const passes[] = {"sweep", NULL};
	static const struct algorithm sweep = {"sweep", "", passes, false, NULL, NULL};
	struct buf text = {0}, left[2] = {{0}};
	double time[2];
	(void)state;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		buf_printf(&text, "typedef int t%u;\nt%u f%u(t%u p);\n", i, i, i, i);
	buf_str_add(&text, "int main(void) { return 0; }\n");
	for (unsigned k = 0; k < 2; k++) {
		struct program p;
		struct err e = ERR_INIT;
		load(&p, "a.c", buf_str(&text));
		struct in_process run = {.algorithm = &sweep,
					 .cache = verdicts_find("full"),
					 .interesting_text = some_functions,
					 .jobs = k ? 16 : 1,
					 .clock = CLOCK_UNIT};
		assert_int_equal(reduce_in_process(&run, &p.m, &e), RC_OK);
		time[k] = run.time;
		model_print_minimum(&p.m, 0, &left[k]);
		unload(&p);
	}
	assert_string_equal(buf_str(&left[0]), buf_str(&left[1]));
	/* one after the other takes more than a third of one job's time */
	assert_true(time[1] * 4 < time[0]);
	buf_release(&text);
	buf_release(&left[0]);
	buf_release(&left[1]);
}

/* Each 37th function needs its body. */
static bool some_bodies(void *user, const struct buf *text)
{
	unsigned found = 0, *left = user, i;
	*left = 0;
	for (const char *line = buf_str(text); line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
		int at = 0;
		bool body = sscanf(line, "int f%u(void) %n", &i, &at) == 1 && at && line[at] == '{';
		*left += body;
		found += body && i % EVERY == 0;
	}
	return found == (FUNCTIONS - 1) / EVERY + 1;
}

/* A part of the bodies that is little of the whole program costs no question: here, a single one. */
static void bodies_that_are_little_are_not_asked_about(void **state)
{
	static const char *const passes[] = {"bodies", NULL};
	static const struct algorithm bodies = {"bodies", "", passes, false, NULL, NULL};
	(void)state;
	for (unsigned large = 0; large < 2; large++) {
		struct program p;
		struct err e = ERR_INIT;
		struct buf text = {0}, out = {0};
		unsigned left, needed = (FUNCTIONS - 1) / EVERY + 1;
		for (unsigned i = 0; i < FUNCTIONS; i++)
			buf_printf(&text, "int f%u(void) { return %s; }\n", i,
				   i % EVERY ? "1+2+3+4+5+6+7+8+9+10+11+12+13+14" : "1");
		buf_str_add(&text, "int table[] = {");
		for (unsigned i = 0; i < (large ? 10000 : 1); i++)
			buf_str_add(&text, "0, ");
		buf_str_add(&text, "};\n");
		load(&p, "a.c", buf_str(&text));
		struct in_process run = {.algorithm = &bodies,
					 .cache = verdicts_find("full"),
					 .interesting_text = some_bodies,
					 .user = &left,
					 .jobs = 1};
		assert_int_equal(reduce_in_process(&run, &p.m, &e), RC_OK);
		model_print_minimum(&p.m, 0, &out);
		assert_true(some_bodies(&left, &out));
		if (large)
			assert_true(left > needed);
		else
			assert_int_equal(left, needed);
		unload(&p);
		buf_release(&text);
		buf_release(&out);
	}
}

static bool has_only(void *user, const struct buf *text)
{
	(void)user;
	return strstr(buf_str(text), "kept") && strstr(buf_str(text), "only");
}

/* Python's docstrings are washed off, not what a block needs or a name has. */
static void docstrings_go(void **state)
{
	static const char *const passes[] = {"wash", NULL};
	static const struct algorithm wash = {"wash", "", passes, false, NULL, NULL};
	struct program p;
	struct err e = ERR_INIT;
	struct buf out = {0};
	(void)state;
	load(&p, "a.py", "\"\"\"module\"\"\"\nclass A:\n \"\"\"only\"\"\"\nclass B:\n r'one'\n x = 1\ny = 'kept'\n");
	struct in_process run = {
		.algorithm = &wash, .cache = verdicts_find("full"), .interesting_text = has_only, .jobs = 1};
	assert_int_equal(reduce_in_process(&run, &p.m, &e), RC_OK);
	assert_int_equal(run.queries, 2); /* the file as it is, and this */
	model_print_minimum(&p.m, 0, &out);
	assert_string_equal(buf_str(&out), "class A:\n \"\"\"only\"\"\"\nclass B:\n x = 1\ny = 'kept'\n");
	unload(&p);
	buf_release(&out);
}

/* Of sixteen edits the first cannot be: straight down to it, then the largest part that is left. */
static void halves_ask_about_the_largest_part_once_something_went(void **state)
{
	(void)state;
	static const unsigned wanted[][2] = {{0, 16}, {0, 8}, {0, 4}, {0, 2}, {0, 1}, {1, 2}, {8, 16}, {4, 8}, {2, 4}};
	struct halves h = {0};
	halves_start(&h, 1, 16);
	size_t n = 0;
	for (; halves_next(&h, GUESS_NOTHING) == MADE_ONE; n++) {
		struct candidate c = {0};
		assert_int_equal(halves_ask(&h, &c), MADE_ONE);
		assert_true(n < ARRAY_LEN(wanted));
		assert_int_equal(c.from, wanted[n][0]);
		assert_int_equal(c.to, wanted[n][1]);
		halves_result(&h, &c, c.from > 0);
	}
	assert_int_equal(n, ARRAY_LEN(wanted));
	halves_release(&h);
}

UNIT_TESTS(cmocka_unit_test(halves_ask_about_the_largest_part_once_something_went),
	   cmocka_unit_test(sweep_finds_many_culprits_at_once), cmocka_unit_test(docstrings_go),
	   cmocka_unit_test(bodies_that_are_little_are_not_asked_about), cmocka_unit_test(names_lead_to_what_is_needed),
	   cmocka_unit_test(programs_live_from_main), cmocka_unit_test(imports_fall_with_what_they_bring),
	   cmocka_unit_test(scripts_live_from_their_statements), cmocka_unit_test(users_fall_with_the_last_declaration),
	   cmocka_unit_test(hidden_text_is_kept_and_goes_whole),
	   cmocka_unit_test(killing_and_reviving_agree_with_counting))
