/* SPDX-License-Identifier: MIT */
/* A small log analyser, the program of this example. Lines are "DATE USER CODE"; it counts the days between requests
 * of each user, in a search tree, and forgets users who log out (code 0). With --filters it prints what its filters
 * ask of a line as an SMT-LIB script: a filter that no line can pass is a mistake.
 *
 * Three things are wrong with it: it works out the same dates again and again, forgetting a user with two
 * neighbours in the tree damages it (compile with -DFIXED to see the tree whole), and some filters can never match. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
	struct user *left, *right;
	char name[16];
	int requests, last_day;
};

/*@ regtype users : struct user = null | { left : users, right : users, requests : int(1..1000000) };
    pred seen(t, name, day) : users(*t) => users(*t);
    pred forget(t, name) : users(*t) => users(*t); */

static int leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days since 2000-01-01, counted one by one: correct, and slow. */
__attribute__((noinline)) int day_number(int year, int month, int day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int days = 0;
	for (int y = 2000; y <= year; y++)
		for (int m = 1; m <= 12; m++)
			for (int d = 1; d <= lengths[m - 1] + (m == 2 && leap(y)); d++) {
				if (y == year && m == month && d == day)
					return days;
				days++;
			}
	return -1;
}

static struct user **find(struct user **t, const char *name)
{
	while (*t && strcmp((*t)->name, name) != 0)
		t = strcmp(name, (*t)->name) < 0 ? &(*t)->left : &(*t)->right;
	return t;
}

/* The days since the user's last request. */
static int seen(struct user **t, const char *name, int day)
{
	t = find(t, name);
	if (!*t) {
		*t = calloc(1, sizeof **t);
		snprintf((*t)->name, sizeof(*t)->name, "%s", name);
		(*t)->last_day = day;
	}
	int days = day - (*t)->last_day;
	(*t)->requests++;
	(*t)->last_day = day;
	return days;
}

static void forget(struct user **t, const char *name)
{
	t = find(t, name);
	struct user *gone = *t;
	if (gone && gone->left && gone->right) {
		/* the next name takes its place */
		struct user **next = &gone->right;
		while ((*next)->left)
			next = &(*next)->left;
		struct user *moved = *next;
		memcpy(gone->name, moved->name, sizeof gone->name);
		gone->last_day = moved->last_day;
#ifdef FIXED
		gone->requests = moved->requests;
#else
		gone->requests -= gone->requests;
#endif
		*next = moved->right;
		free(moved);
	} else if (gone) {
		*t = gone->left ? gone->left : gone->right;
		free(gone);
	}
}

/* A filter is a list of comparisons "FIELD OP NUMBER" joined by "and"; each becomes an assertion. */
/* The numbers of a line are ints: 32 bits, with a sign. */
static const char *solver_name(const char *op)
{
	static const char *const names[][2] = {
		{"<", "bvslt"}, {"<=", "bvsle"}, {">", "bvsgt"}, {">=", "bvsge"}, {"=", "="}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(op, names[i][0]) == 0)
			return names[i][1];
	return op; /* the solver says what it thinks of it */
}

static int filters(const char *path)
{
	char line[256];
	FILE *f = fopen(path, "r");
	if (!f)
		return 1;
	puts("(set-logic QF_BV)\n(define-sort number () (_ BitVec 32))\n"
	     "(declare-const code number)\n(declare-const day number)\n(declare-const user number)");
	while (fgets(line, sizeof line, f)) {
		puts("(push 1)\n(assert (and (bvsge code #x00000000) (bvslt code (_ bv600 32)) (bvsge day #x00000000) "
		     "(bvsge user #x00000000)))");
		char *rest = line;
		for (char *word; (word = strsep(&rest, " \n")) && *word;) {
			char *op = strsep(&rest, " "), *value = strsep(&rest, " \n");
			if (op && value)
				printf("(assert (%s %s (_ bv%s 32)))\n", solver_name(op), word, value);
			strsep(&rest, " \n"); /* and */
		}
		puts("(check-sat)\n(pop 1)");
	}
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
	int year, month, day, code;
	char name[16];
	long gaps = 0, lines = 0;
	struct user *users = NULL;
	if (argc == 3 && strcmp(argv[1], "--filters") == 0)
		return filters(argv[2]);
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!f) {
		fprintf(stderr, "usage: logan LOG | logan --filters FILE\n");
		return 2;
	}
	for (; fscanf(f, "%d-%d-%d %15s %d", &year, &month, &day, name, &code) == 5; lines++) {
		if (code == 0)
			forget(&users, name);
		else
			gaps += seen(&users, name, day_number(year, month, day));
	}
	fclose(f);
	printf("%ld lines, %ld days between requests\n", lines, gaps);
	return 0;
}
