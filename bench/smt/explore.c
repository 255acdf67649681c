/* SPDX-License-Identifier: MIT */
/* A suite of queries nobody has seen: a random program, explored as a symbolic executor does it.
 *
 *	explore SEED COUNT SECONDS FOLDER     FOLDER/000000.smt2 … as they were asked, FOLDER/verdicts
 *
 * The program reads bytes of its input, folds them into words as parsers and hashes do, compares, leaves,
 * loops. A path is executed from the start each time it is extended: decisions that were taken before are a prefix, and
 * at the first new branch z3 is asked about both sides. What it does not answer within its time is not in the suite.
 * Values that do not depend on the input are computed, so only what does is asked about. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REGISTERS = 5, INPUT = 24, TEXT = 2400, DEPTH = 200, WORK = 4000, BLOCK = 6, NESTING = 3 };

static uint64_t rng_state;

static unsigned rnd(unsigned n)
{
	rng_state += 0x9e3779b97f4a7c15u;
	uint64_t x = rng_state;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (unsigned)((x ^ (x >> 31)) % n);
}

/* ---- the program */

enum kind { READ, DIGIT, CALC, IF, WHILE, LEAVE, KINDS };

struct statement {
	enum kind kind;
	unsigned a, b, c;     /* registers */
	unsigned op, compare; /* places in the tables below */
	bool constant;        /* k stands for register c */
	uint32_t k, low, high;
	struct statement *body[BLOCK], *other[BLOCK];
};

static const char *const ops[] = {"bvadd", "bvsub", "bvmul",  "bvxor",  "bvand",
				  "bvor",  "bvshl", "bvlshr", "bvudiv", "bvurem"};
enum { ADD, SUB, MUL, XOR, AND, OR, SHL, LSHR, UDIV, UREM, OPS };
static const char *const compares[] = {"=", "bvult", "bvule", "bvugt", "bvslt"};
enum { EQ, ULT, ULE, UGT, SLT, COMPARES };

static uint32_t number(void)
{
	static const uint32_t known[] = {0,   1,   2,   3,   4,    7,    8,     10,    12,       16,
					 31,  33,  48,  57,  60,   65,   97,    100,   127,      128,
					 153, 255, 256, 365, 1000, 4096, 65521, 65535, 16777619, 2166136261u};
	return rnd(4) ? known[rnd(sizeof known / sizeof *known)] : rnd(1u << (1 + rnd(20)));
}

static void make_block(struct statement **block, unsigned n, unsigned depth);

static struct statement *make_statement(unsigned depth)
{
	struct statement *s = calloc(1, sizeof *s);
	if (!s)
		exit(3);
	static const enum kind often[] = {READ, READ, DIGIT, DIGIT, CALC, CALC, CALC, LEAVE, IF, IF, WHILE};
	s->kind = often[rnd(depth < NESTING ? 11 : 8)];
	s->a = rnd(REGISTERS);
	s->b = rnd(REGISTERS);
	s->c = rnd(REGISTERS);
	s->op = rnd(OPS);
	s->compare = rnd(COMPARES);
	s->k = number();
	s->constant = s->op >= SHL || rnd(3);
	if (s->op == SHL || s->op == LSHR)
		s->k %= 32;
	if (s->op >= UDIV && s->kind == CALC)
		s->k += s->k < 2 ? 7 : 0;
	static const unsigned char from[] = {48, 65, 97, 32, 0, 128}, to[] = {57, 90, 122, 126, 31, 191};
	unsigned class = rnd(sizeof from);
	s->low = from[class];
	s->high = to[class];
	if (s->kind == IF || s->kind == WHILE)
		make_block(s->body, 1 + rnd(4), depth + 1);
	if (s->kind == IF && rnd(2))
		make_block(s->other, 1 + rnd(3), depth + 1);
	return s;
}

static void make_block(struct statement **block, unsigned n, unsigned depth)
{
	for (unsigned i = 0; i < n && i < BLOCK; i++)
		block[i] = make_statement(depth);
}

/* ---- values: a number, or a term over the input */

struct value {
	bool known;
	uint32_t u;
	unsigned width; /* of the term: 8 or 32 */
	char text[TEXT];
};

static struct value reg[REGISTERS];

static uint32_t compute(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case ADD:
		return a + b;
	case SUB:
		return a - b;
	case MUL:
		return a * b;
	case XOR:
		return a ^ b;
	case AND:
		return a & b;
	case OR:
		return a | b;
	case SHL:
		return b < 32 ? a << b : 0;
	case LSHR:
		return b < 32 ? a >> b : 0;
	case UDIV:
		return b ? a / b : UINT32_MAX;
	default:
		return b ? a % b : a;
	}
}

static bool compared(unsigned compare, uint32_t a, uint32_t b)
{
	return compare == EQ    ? a == b
	       : compare == ULT ? a < b
	       : compare == ULE ? a <= b
	       : compare == UGT ? a > b
				: (int32_t)a < (int32_t)b;
}

/* The value as a term of that width, in out. False: too long. */
static bool written(const struct value *v, unsigned width, char *out, size_t size)
{
	int n;
	if (v->known)
		n = snprintf(out, size, "(_ bv%lu %u)", (unsigned long)(width == 8 ? v->u & 255 : v->u), width);
	else if (v->width == width)
		n = snprintf(out, size, "%s", v->text);
	else
		n = snprintf(out, size, "((_ zero_extend 24) %s)", v->text);
	return n > 0 && (size_t)n < size;
}

/* to = a OP b; stays as it was where the term would be too long. */
static void calculate(struct value *to, unsigned op, const struct value *a, const struct value *b)
{
	static char x[TEXT], y[TEXT], all[2 * TEXT + 40];
	if (a->known && b->known) {
		*to = (struct value){.known = true, .u = compute(op, a->u, b->u)};
		return;
	}
	if (!written(a, 32, x, sizeof x) || !written(b, 32, y, sizeof y) ||
	    snprintf(all, sizeof all, "(%s %s %s)", ops[op], x, y) >= TEXT)
		return;
	to->known = false;
	to->width = 32;
	memcpy(to->text, all, strlen(all) + 1);
}

/* ---- z3, and what it has been asked */

static FILE *to_z3, *from_z3;
static const char *folder;
static unsigned asked, wanted;
static time_t end;
static FILE *verdicts;

static void start_z3(void)
{
	int in[2], out[2];
	if (pipe(in) || pipe(out))
		exit(3);
	pid_t pid = fork();
	if (pid < 0)
		exit(3);
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execlp("z3", "z3", "-in", "-t:4000", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to_z3 = fdopen(in[1], "w");
	from_z3 = fdopen(out[0], "r");
}

static char *path[DEPTH]; /* conditions that hold */
static unsigned depth;

static void write_query(FILE *f, const char *last)
{
	fprintf(f, "(set-logic QF_ABV)\n(declare-fun arr () (Array (_ BitVec 32) (_ BitVec 8)))\n");
	for (unsigned i = 0; i < depth; i++)
		fprintf(f, "(assert %s)\n", path[i]);
	fprintf(f, "(assert %s)\n(check-sat)\n", last);
}

/* Is the path possible with this condition too? Unknown counts as no. */
static bool possible(const char *condition)
{
	char line[200], file[4096];
	fprintf(to_z3, "(reset)\n");
	write_query(to_z3, condition);
	fflush(to_z3);
	if (!fgets(line, sizeof line, from_z3)) {
		fprintf(stderr, "explore: z3 ended\n");
		exit(3);
	}
	line[strcspn(line, "\n")] = 0;
	bool sat = !strcmp(line, "sat");
	if (!sat && strcmp(line, "unsat") != 0)
		return false;
	snprintf(file, sizeof file, "%s/%06u.smt2", folder, asked++);
	FILE *f = fopen(file, "w");
	if (!f) {
		fprintf(stderr, "explore: %s: %s\n", file, strerror(errno));
		exit(3);
	}
	write_query(f, condition);
	fprintf(f, "(exit)\n");
	if (fclose(f))
		exit(3);
	fprintf(verdicts, "%s\n", line);
	return sat;
}

/* ---- a run along one path */

struct prefix {
	unsigned n;
	bool taken[DEPTH];
};

static struct prefix work[WORK], now;
static unsigned waiting, decided, position;

static bool enough(void)
{
	return asked >= wanted || time(NULL) >= end || depth + 1 >= DEPTH;
}

/* Takes the condition or its opposite, for the rest of the path. */
static bool decide(const char *condition)
{
	size_t n = strlen(condition) + 8;
	char *no = malloc(n), *yes = strdup(condition);
	if (!no || !yes)
		exit(3);
	snprintf(no, n, "(not %s)", condition);
	bool side;
	if (decided < now.n) {
		side = now.taken[decided];
	} else {
		side = possible(yes);
		if (side && possible(no) && waiting < WORK) {
			work[waiting] = now;
			work[waiting++].taken[now.n] = false;
			work[waiting - 1].n = now.n + 1;
		}
		now.taken[now.n++] = side;
	}
	decided++;
	path[depth++] = side ? yes : no;
	free(side ? no : yes);
	return side;
}

static bool decide_compare(unsigned compare, const struct value *a, const struct value *b)
{
	static char x[TEXT], y[TEXT], text[2 * TEXT + 40];
	if (a->known && b->known)
		return compared(compare, a->u, b->u);
	bool bytes = (a->known ? a->u < 128 : a->width == 8) && (b->known ? b->u < 128 : b->width == 8);
	unsigned width = bytes && compare != SLT ? 8 : 32;
	if (!written(a, width, x, sizeof x) || !written(b, width, y, sizeof y))
		return false;
	snprintf(text, sizeof text, "(%s %s %s)", compares[compare], x, y);
	return decide(text);
}

/* The next byte or word of the input; false: it is at its end. */
static bool read_input(struct value *to, bool word)
{
	unsigned n = word ? 4 : 1;
	if (position + n > INPUT)
		return false;
	*to = (struct value){.width = n * 8};
	size_t at = (size_t)snprintf(to->text, TEXT, word ? "(concat" : "");
	for (unsigned i = n; i-- > 0;)
		at += (size_t)snprintf(to->text + at, TEXT - at, "%s(select arr (_ bv%u 32))", word ? " " : "",
				       position + i);
	snprintf(to->text + at, TEXT - at, word ? ")" : "");
	position += n;
	return true;
}

static bool run_block(struct statement *const *block);

/* A byte of a class of characters, added to a number: the program leaves at any other. */
static bool run_digit(const struct statement *s)
{
	static struct value byte;
	struct value low = {.known = true, .u = s->low}, high = {.known = true, .u = s->high};
	struct value base = {.known = true, .u = s->high - s->low + 1};
	if (!read_input(&byte, false) || decide_compare(ULT, &byte, &low) || decide_compare(UGT, &byte, &high))
		return false;
	calculate(&reg[s->a], MUL, &reg[s->a], &base);
	calculate(&byte, SUB, &byte, &low);
	calculate(&reg[s->a], ADD, &reg[s->a], &byte);
	return true;
}

/* False: the program ends. */
static bool run_statement(const struct statement *s)
{
	static struct value constants[64];
	struct value *k = &constants[s->k % 64];
	*k = (struct value){.known = true, .u = s->k};
	const struct value *c = s->constant ? k : &reg[s->c];
	switch (s->kind) {
	case READ:
		return read_input(&reg[s->a], s->k % 5 == 0);
	case DIGIT:
		return run_digit(s);
	case CALC:
		calculate(&reg[s->a], s->op, &reg[s->b], c);
		return true;
	case IF:
		return run_block(decide_compare(s->compare, &reg[s->b], c) ? s->body : s->other);
	case WHILE:
		for (unsigned i = 0; i < 5 && !enough(); i++) {
			*k = (struct value){.known = true, .u = s->k};
			if (!decide_compare(s->compare, &reg[s->b], c))
				return true;
			if (!run_block(s->body))
				return false;
		}
		return true;
	default:
		return !decide_compare(s->compare, &reg[s->b], c);
	}
}

static bool run_block(struct statement *const *block)
{
	for (unsigned i = 0; i < BLOCK && block[i]; i++)
		if (enough() || !run_statement(block[i]))
			return false;
	return true;
}

static void run_path(struct statement *const *program)
{
	memset(reg, 0, sizeof reg);
	for (unsigned i = 0; i < REGISTERS; i++)
		reg[i] = (struct value){.known = true, .u = i};
	decided = position = depth = 0;
	for (unsigned i = 0; i < 3; i++) /* not much is read in one go */
		if (!run_block(program))
			break;
	for (unsigned i = 0; i < depth; i++)
		free(path[i]);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: explore SEED COUNT SECONDS FOLDER\n");
		return 2;
	}
	char file[4096];
	struct statement *program[BLOCK] = {0};
	rng_state = strtoull(argv[1], NULL, 10);
	wanted = (unsigned)strtoul(argv[2], NULL, 10);
	end = time(NULL) + strtol(argv[3], NULL, 10);
	folder = argv[4];
	snprintf(file, sizeof file, "%s/verdicts", folder);
	verdicts = fopen(file, "w");
	if (!verdicts) {
		perror(file);
		return 3;
	}
	start_z3();
	/* a program that is soon explored is followed by another */
	for (unsigned programs = 0; asked < wanted && time(NULL) < end && programs < 1000; programs++) {
		for (unsigned i = 0; i < BLOCK; i++)
			program[i] = make_statement(0);
		waiting = 1;
		work[0].n = 0;
		for (unsigned paths = 0; waiting && asked < wanted && time(NULL) < end; paths++) {
			unsigned at = paths % 3 ? waiting / 2 : waiting - 1;
			now = work[at];
			work[at] = work[--waiting];
			run_path(program);
		}
	}
	fclose(to_z3);
	return fclose(verdicts) ? 3 : 0;
}
