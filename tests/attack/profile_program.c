/* SPDX-License-Identifier: MIT */
/* Prints a random program whose calls and inputs are counted by the program itself.
 *	profile_program SEED c|c++ [plain|threads|signals|fork]
 * Compiled with -DCOUNT the program counts, in its source, the calls of each function and its different inputs (what a
 * call is given and what it reads, callees included), and prints "name calls distinct" lines on standard error
 * ("+": at least so many). Compiled without, it is the same program for the profiler. The functions cover integers,
 * doubles, structures by value, lists at ever new addresses, text with rubbish behind its end, globals that are read
 * only for some arguments, results in memory, fresh memory, recursion, callees, longjmp or exceptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % n;
}

enum kind { INTEGERS, LIST, TEXT, REALS, RESULTS, FRESH, RECURSION, VALUES, CALLER, LEAVES, INTERRUPTED, KINDS };
enum { MAX = 12, GLOBALS = 4 };

static const char *const prologue[] = {
	"#include <math.h>",
	"#include <pthread.h>",
	"#include <setjmp.h>",
	"#include <signal.h>",
	"#include <stdio.h>",
	"#include <stdlib.h>",
	"#include <string.h>",
	"#include <sys/wait.h>",
	"#include <unistd.h>",
	"#define NOINLINE __attribute__((noinline)) ALONE",
	"#ifdef __clang__",
	"#define ALONE",
	"#else",
	"#define ALONE __attribute__((noclone, noipa))",
	"#endif",
	"static volatile long sink;",
	"struct node { int value, unread; struct node *next; };",
	"struct record { int x, y; long written; };",
	"struct small { int a; long b; };",
	"struct large { long a[4]; };",
	"#ifdef COUNT",
	"struct seen { char *key; struct seen *next; };",
	"static struct { long calls, distinct; struct seen *seen; } count[32];",
	"static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;",
	"static int silent;",
	"/* open calls of this thread: what each has read so far */",
	"static _Thread_local struct { int fn; char key[4096]; } open_call[256];",
	"static _Thread_local int n_open, n_base;",
	"static void add(int i, const char *text) { strncat(open_call[i].key, text, 4000 - strlen(open_call[i].key)); "
	"}",
	"static void enter(int fn, const char *key) { open_call[n_open].fn = fn; open_call[n_open].key[0] = 0; "
	"add(n_open++, key); }",
	"static void read_global(int g, int v) { char t[40]; snprintf(t, sizeof t, \" g%d=%d\", g, v);",
	"\tfor (int i = n_base; i < n_open; i++) if (!strstr(open_call[i].key, t)) add(i, t); }",
	"static void leave(void) { int fn = open_call[--n_open].fn; const char *key = open_call[n_open].key; struct "
	"seen *s;",
	"\tif (silent) return;",
	"\tpthread_mutex_lock(&lock); count[fn].calls++;",
	"\tfor (s = count[fn].seen; s && strcmp(s->key, key); s = s->next) ;",
	"\tif (!s) { s = (struct seen *)malloc(sizeof *s); s->key = strdup(key); s->next = count[fn].seen; "
	"count[fn].seen = "
	"s; count[fn].distinct++; }",
	"\tpthread_mutex_unlock(&lock); }",
	"static char *key_of(const char *format, ...);",
	"#include <stdarg.h>",
	"static _Thread_local char key_text[4096];",
	"static char *key_of(const char *format, ...) { va_list a; va_start(a, format); vsnprintf(key_text, sizeof "
	"key_text, "
	"format, a); va_end(a); return key_text; }",
	"static char *key_of_list(const struct node *n) { int k = 0; key_text[0] = 0; for (; n; n = n->next) k += "
	"snprintf(key_text + k, 20, \"%d,\", n->value); return key_text; }",
	"#define ENTER(fn, key) enter(fn, key)",
	"#define LEAVE() leave()",
	"#define READ(g, v) read_global(g, v)",
	"#else",
	"#define ENTER(fn, key) ((void)0)",
	"#define LEAVE() ((void)0)",
	"#define READ(g, v) ((void)0)",
	"#endif",
	"static _Thread_local jmp_buf env;",
	"static _Thread_local unsigned long state;",
	"static unsigned below(unsigned n) { state = state * 6364136223846793005ul + 1442695040888963407ul; return "
	"(unsigned)(state >> 33) % n; }",
	"static struct node *list(int n, int first) { struct node *head = NULL; for (int i = 0; i < n; i++) { struct "
	"node "
	"*x = (struct node *)malloc(sizeof *x); x->value = first + i; x->unread = (int)below(1000); x->next = head; "
	"head = x; } "
	"return head; }",
	"static void drop(struct node *n) { while (n) { struct node *next = n->next; free(n); n = next; } }",
	"static void fill(char *t, int size, int n) { for (int i = 0; i < size; i++) t[i] = (char)('a' + below(26)); "
	"snprintf(t, (size_t)size, \"text %d\", n); }",
};

struct function {
	enum kind kind;
	int global, callee, rounds;
};
static struct function fn[MAX];
static int n_fn;
static int cpp;
static const char *mode;

/* A loop whose length and result depend on v. */
static void body(int k, const char *v)
{
	printf("\tlong s = %d; for (int i = 0; i < %d; i++) s = s * 31 + (%s ^ i);\n", k, fn[k].rounds, v);
}

static void print_other(int k)
{
	int g = fn[k].global;
	switch (fn[k].kind) {
	case FRESH:
		printf("NOINLINE struct node *f%d(int n)\n{\n\tENTER(%d, key_of(\"%%d\", n));\n\tstruct node *head = "
		       "NULL;\n"
		       "\tfor (int i = 0; i < n; i++) { struct node *x = (struct node *)malloc(sizeof *x); x->value = "
		       "n * i; "
		       "x->unread = 0; x->next = head; head = x; }\n\tLEAVE(); return head;\n}\n",
		       k, k);
		break;
	case RECURSION:
		printf("NOINLINE long f%d(int n)\n{\n\tENTER(%d, key_of(\"%%d\", n));\n\tREAD(%d, g%d);\n\tlong more = "
		       "(n ? "
		       "f%d(n - 1) : 0) + g%d;\n",
		       k, k, g, g, k, g);
		body(k, "more");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case VALUES:
		printf("NOINLINE long f%d(struct small v, struct large w)\n{\n\tENTER(%d, key_of(\"%%d %%ld %%ld\", "
		       "v.a, "
		       "v.b, w.a[2]));\n",
		       k, k);
		body(k, "(v.a + v.b * 3 + w.a[2])");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case CALLER:
		printf("NOINLINE long f%d(int a)\n{\n\tENTER(%d, key_of(\"%%d\", a));\n\tlong more = f%d(a %% 3, a & "
		       "2) + "
		       "f%d(a %% 2, 1);\n",
		       k, k, fn[k].callee, fn[k].callee);
		body(k, "more");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case LEAVES:
		printf("NOINLINE long f%d(int a)\n{\n\tENTER(%d, key_of(\"%%d\", a));\n", k, k);
		body(k, "a");
		printf(cpp ? "\tif (a %% 3 == 0) { LEAVE(); throw a; }\n"
			   : "\tif (a %% 3 == 0) { LEAVE(); longjmp(env, 1); }\n");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	default:
		printf("NOINLINE long f%d(int a)\n{\n\tENTER(%d, key_of(\"%%d\", a));\n\tif (a == 1) raise(SIGUSR1);\n",
		       k, k);
		body(k, "a");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	}
}

static void print_function(int k)
{
	int g = fn[k].global;
	switch (fn[k].kind) {
	case INTEGERS:
		printf("NOINLINE long f%d(int a, int b)\n{\n\tENTER(%d, key_of(\"%%d %%d\", a, b));\n\tlong more = 0;\n"
		       "\tif ((a ^ b) & 1) { more = g%d; READ(%d, g%d); }\n",
		       k, k, g, g, g);
		body(k, "(a * 7 + b + more)");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case LIST:
		printf("NOINLINE long f%d(const struct node *n)\n{\n\tENTER(%d, key_of_list(n));\n\tlong more = 0;\n"
		       "\tfor (; n; n = n->next) more = more * 3 + n->value;\n",
		       k, k);
		body(k, "more");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case TEXT:
		printf("NOINLINE long f%d(const char *t)\n{\n\tENTER(%d, key_of(\"%%s\", t));\n\tlong more = "
		       "(long)strlen(t) "
		       "+ (strchr(t, '3') != NULL) * 100 + strcmp(t, \"text 2\");\n\tfor (const char *p = t; *p; p++) "
		       "more = "
		       "more * 5 + *p;\n",
		       k, k);
		body(k, "more");
		printf("\tLEAVE(); return s;\n}\n");
		break;
	case REALS:
		printf("NOINLINE double f%d(double x, float y)\n{\n\tENTER(%d, key_of(\"%%a %%a\", x, (double)y));\n"
		       "\tdouble s = x;\n\tfor (int i = 0; i < %d; i++) s = s * 0.5 + y;\n\tLEAVE(); return s;\n}\n",
		       k, k, fn[k].rounds);
		break;
	case RESULTS:
		printf("NOINLINE void f%d(int a, int *out, struct record *r)\n{\n\tENTER(%d, a & 1 ? key_of(\"%%d %%d "
		       "%%d\", "
		       "a, r->x, r->y) : key_of(\"%%d %%d\", a, r->x));\n\tlong more = a & 1 ? r->y : 0;\n\tmore += "
		       "r->x;\n",
		       k, k);
		body(k, "(a + more)");
		printf("\t*out = (int)s; r->written = s; LEAVE();\n}\n");
		break;
	default:
		print_other(k);
		break;
	}
}

static void print_call(int k)
{
	/* %1$d: the function; %2$u: how many different first arguments there are */
	static const char plain[] = "sink += f%1$d((int)below(%2$u));";
	static const char *const calls[KINDS] = {
		[INTEGERS] = "sink += f%1$d((int)below(%2$u), (int)below(3));",
		[LIST] = "{ struct node *l = list(1 + (int)below(%2$u), (int)below(3)); sink += f%1$d(l); drop(l); }",
		[TEXT] = "{ char t[100]; fill(t, sizeof t, (int)below(%2$u)); sink += f%1$d(t); }",
		[REALS] = "sink += (long)f%1$d(below(%2$u) * 0.25, (float)below(2));",
		[RESULTS] = "{ int out; struct record r = {(int)below(2), (int)below(%2$u), 0}; "
			    "f%1$d((int)below(4), &out, &r); sink += out; }",
		[FRESH] = "drop(f%1$d((int)below(%2$u)));",
		[VALUES] = "{ struct small v = {(int)below(%2$u), (long)below(2)}; "
			   "struct large w = {{1, 2, (long)below(2), 4}}; sink += f%1$d(v, w); }",
		[LEAVES] = "if (!setjmp(env)) sink += f%1$d((int)below(%2$u));",
	};
	static const char leaves_cpp[] = "try { sink += f%1$d((int)below(%2$u)); } catch (int e) { sink += e; }";
	unsigned range = 2 + below(5);
	const char *call = fn[k].kind == LEAVES && cpp ? leaves_cpp : calls[fn[k].kind];
	printf(call ? call : plain, k, range);
}

static void choose(void)
{
	int signals = strcmp(mode, "signals") == 0;
	n_fn = 3 + (int)below(MAX - 3);
	for (int k = 0; k < n_fn; k++) {
		fn[k].kind = k == 0 ? INTEGERS : (enum kind)below(KINDS);
		if (fn[k].kind == INTERRUPTED && !signals)
			fn[k].kind = INTEGERS;
		if (signals && k == 1)
			fn[k].kind = INTERRUPTED;
		fn[k].global = (int)below(GLOBALS);
		fn[k].rounds = 5 + (int)below(60);
		/* a caller calls an earlier function of two integers: the first one is */
		fn[k].callee = 0;
	}
}

static void print_main(void)
{
	unsigned calls = 100 + below(300);
	int threads = strcmp(mode, "threads") == 0, forks = strcmp(mode, "fork") == 0;
	printf("static void on_signal(int n)\n{\n\t(void)n;\n#ifdef COUNT\n\tint base = n_base; n_base = "
	       "n_open;\n#endif\n"
	       "\tsink += f0(1, 2);\n#ifdef COUNT\n\tn_base = base;\n#endif\n}\n");
	printf("static void *run(void *seed)\n{\n\tstate = (unsigned long)seed;\n\tfor (volatile int i = 0; i < %u; "
	       "i++)\n"
	       "\t\tswitch (below(%d)) {\n",
	       calls, n_fn + !threads);
	for (int k = 0; k < n_fn; k++) {
		printf("\t\tcase %d: ", k);
		print_call(k);
		printf(" break;\n");
	}
	printf("\t\tdefault: g%u = (int)below(3); break;\n\t\t}\n\treturn NULL;\n}\n", below(GLOBALS));
	printf("int main(void)\n{\n\tsignal(SIGUSR1, on_signal);\n");
	if (threads)
		printf("\tpthread_t t; pthread_create(&t, NULL, run, (void *)7ul); run((void *)11ul); pthread_join(t, "
		       "NULL);\n");
	else
		printf("\trun((void *)11ul);\n");
	if (forks)
		printf("\tif (!fork()) {\n#ifdef COUNT\n\tsilent = 1;\n#endif\n\trun((void *)13ul); _exit(0); "
		       "}\n\twait(NULL);\n");
	printf("#ifdef COUNT\n");
	/* how a call is left through longjmp or an exception is read from memory that this program does not count */
	for (int k = 0; k < n_fn; k++)
		printf("\tfprintf(stderr, \"f%d %%ld %%ld%s\\n\", count[%d].calls, count[%d].distinct);\n", k,
		       fn[k].kind == LEAVES ? "+" : "", k, k);
	printf("#endif\n\treturn 0;\n}\n");
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	state = strtoul(argv[1], NULL, 10) * 2654435761u + 1;
	cpp = strcmp(argv[2], "c++") == 0;
	mode = argc > 3 ? argv[3] : "plain";
	for (int i = 0; i < 4; i++)
		below(2);
	choose();
	if (cpp)
		puts("#define _Thread_local thread_local");
	for (size_t i = 0; i < sizeof prologue / sizeof *prologue; i++)
		puts(prologue[i]);
	for (int i = 0; i < GLOBALS; i++)
		printf("static volatile int g%d = %u;\n", i, below(3));
	for (int k = 0; k < n_fn; k++)
		print_function(k);
	print_main();
	return 0;
}
