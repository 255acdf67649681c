/* SPDX-License-Identifier: MIT */
/* The progress block on a real (pseudo) terminal: a small screen is kept from what is written, wrapping as terminals
 * do, and compared. */
#include "testing.h"
#include "cli/progress.h"

#include "data/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 24, MOST = 100 };

static struct {
	int master, saved_stderr;
	unsigned columns;
	char cell[ROWS][MOST + 1];
	unsigned row, col;
	char raw[65536];
	size_t n;
	bool other; /* the screen of programs that use all of it */
} screen;

static void set_width(unsigned columns)
{
	struct winsize w = {.ws_row = ROWS, .ws_col = (unsigned short)columns};
	assert_int_equal(ioctl(screen.master, TIOCSWINSZ, &w), 0);
	screen.columns = columns;
}

static void open_terminal(unsigned columns)
{
	int slave;
	struct termios raw;
	memset(&screen, 0, sizeof screen);
	for (unsigned r = 0; r < ROWS; r++)
		memset(screen.cell[r], ' ', MOST);
	assert_int_equal(openpty(&screen.master, &slave, NULL, NULL, NULL), 0);
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	raw.c_oflag |= OPOST | ONLCR;
	tcsetattr(slave, TCSANOW, &raw);
	setenv("TERM", "xterm", 1);
	set_width(columns);
	fflush(stderr);
	screen.saved_stderr = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
}

static void close_terminal(void)
{
	dup2(screen.saved_stderr, STDERR_FILENO);
	close(screen.saved_stderr);
	close(screen.master);
}

static void line_feed(void)
{
	if (screen.row + 1 < ROWS) {
		screen.row++;
		return;
	}
	memmove(screen.cell[0], screen.cell[1], sizeof screen.cell[0] * (ROWS - 1));
	memset(screen.cell[ROWS - 1], ' ', MOST);
}

static void clear_down(void)
{
	memset(screen.cell[screen.row] + screen.col, ' ', MOST - screen.col);
	for (unsigned r = screen.row + 1; r < ROWS; r++)
		memset(screen.cell[r], ' ', MOST);
}

static size_t control(const char *s)
{
	unsigned n = 0;
	int used = 0;
	if (strncmp(s, "\033[J", 3) == 0) {
		clear_down();
		return 3;
	}
	if (strncmp(s, "\033[K", 3) == 0) {
		memset(screen.cell[screen.row] + screen.col, ' ', MOST - screen.col);
		return 3;
	}
	if (strncmp(s, "\033[H", 3) == 0) {
		screen.row = screen.col = 0;
		return 3;
	}
	/* the other screen: what it covers is not kept here */
	if (sscanf(s, "\033[?%u%*1[hl]%n", &n, &used) == 1 && used) {
		if (n == 1049)
			screen.other = s[used - 1] == 'h';
		return (size_t)used;
	}
	if (sscanf(s, "\033[%uA%n", &n, &used) == 1 && used) {
		assert_true(n <= screen.row);
		screen.row -= n;
		return (size_t)used;
	}
	if (sscanf(s, "\033[%um%n", &n, &used) == 1 && used)
		return (size_t)used;
	fail_msg("a control sequence that is not expected");
	return 0;
}

/* Takes in what was written since the last time. */
static void look(void)
{
	struct pollfd p = {screen.master, POLLIN, 0};
	char in[8192];
	while (poll(&p, 1, 50) == 1) {
		ssize_t got = read(screen.master, in, sizeof in - 1);
		if (got <= 0)
			break;
		in[got] = '\0';
		memcpy(screen.raw + screen.n, in, (size_t)got);
		screen.n += (size_t)got;
		for (const char *s = in; *s;) {
			if (*s == '\033') {
				s += control(s);
				continue;
			}
			if (*s == '\r') {
				screen.col = 0;
			} else if (*s == '\n') {
				line_feed();
			} else if (((unsigned char)*s & 0xc0) != 0x80) {
				if (screen.col == screen.columns) {
					screen.col = 0;
					line_feed();
				}
				screen.cell[screen.row][screen.col++] = (unsigned char)*s < 0x80 ? *s : '#';
			}
			s++;
		}
	}
}

static void row_is(unsigned row, const char *text)
{
	char got[MOST + 1];
	memcpy(got, screen.cell[row], MOST);
	size_t n = MOST;
	while (n && got[n - 1] == ' ')
		n--;
	got[n] = '\0';
	assert_string_equal(got, text);
}

static void test_block(void **state)
{
	(void)state;
	open_terminal(20);
	struct progress *p = progress_new("auto", false);
	assert_true(progress_due(p));
	assert_false(progress_due(p));
	progress_show(p, "one\ntwo\nthree");
	look();
	row_is(0, "one");
	row_is(2, "three");
	progress_show(p, "uno\ndue");
	look();
	row_is(0, "uno");
	row_is(1, "due");
	row_is(2, "");
	progress_message(p, "a message with a control\a byte");
	look();
	row_is(0, "refrain: a message w");
	row_is(1, "ith a control\\x07 by");
	row_is(2, "te");
	row_is(3, "");
	progress_show(p, "again");
	look();
	row_is(3, "again");
	progress_free(p);
	look();
	row_is(2, "te");
	row_is(3, "");
	assert_int_equal(screen.row, 3);
	assert_int_equal(screen.col, 0);
	close_terminal();
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* The file is shown as it is at each picture; what could steer the terminal is not. */
static void test_whole_terminal(void **state)
{
	(void)state;
	char path[] = "/tmp/refrain-progress.XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	write_file(path, "one\n\ttwo\n\033[31mred\nfour\n");
	open_terminal(30);
	struct progress *p = progress_new("auto", false);
	assert_true(progress_follow(p, path));
	assert_false(screen.other);
	progress_show(p, "pass 1\n2 workers");
	look();
	assert_true(screen.other);
	row_is(0, "pass 1");
	row_is(1, "2 workers");
	row_is(3, "one");
	row_is(4, "        two");
	row_is(5, "\\x1b[31mred");
	row_is(6, "four");
	write_file(path, "one\n");
	progress_show(p, "pass 2");
	look();
	row_is(0, "pass 2");
	row_is(2, "one");
	row_is(3, "");
	row_is(6, "");
	progress_message(p, "hello");
	look();
	assert_false(screen.other);
	progress_show(p, "pass 3");
	look();
	assert_true(screen.other);
	progress_free(p);
	look();
	assert_false(screen.other);
	close_terminal();
	remove(path);
}

static void test_cut_by_characters(void **state)
{
	(void)state;
	open_terminal(12);
	struct progress *p = progress_new("auto", false);
	progress_show(p, "0123456789abcdefgh\n\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc"
			 "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\nend");
	look();
	row_is(0, "0123456789a");
	row_is(1, "###########");
	row_is(2, "end");
	/* wide ones take two columns, invalid bytes one, colours none */
	progress_show(p,
		      "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\n\033[31mred\033[0m\xff"
		      "bcdefghijkl\nend");
	look();
	row_is(0, "#####");
	row_is(1, "red?bcdefgh");
	row_is(2, "end");
	progress_show(p, "a\n");
	look();
	row_is(0, "a");
	row_is(1, "");
	progress_free(p);
	close_terminal();
}

/* The terminal became narrower: the block fills more rows than it has lines, and all of them go. */
static void test_resize(void **state)
{
	(void)state;
	open_terminal(40);
	struct progress *p = progress_new("auto", false);
	progress_show(p, "012345678901234567890123456789\nsecond");
	look();
	/* what the terminal makes of it at 20 columns */
	memcpy(screen.cell[2], screen.cell[1], MOST);
	memset(screen.cell[1], ' ', MOST);
	memcpy(screen.cell[1], screen.cell[0] + 20, 10);
	memset(screen.cell[0] + 20, ' ', 20);
	screen.row = 2;
	set_width(20);
	progress_show(p, "012345678901234567890123456789\nsecond");
	look();
	row_is(0, "0123456789012345678");
	row_is(1, "second");
	row_is(2, "");
	progress_free(p);
	look();
	row_is(0, "");
	close_terminal();
}

static void test_hidden(void **state)
{
	(void)state;
	open_terminal(40);
	struct progress *p = progress_new("auto", true);
	assert_false(progress_due(p));
	progress_show(p, "x");
	progress_free(p);
	p = progress_new("never", false);
	assert_false(progress_due(p));
	progress_free(p);
	setenv("TERM", "dumb", 1);
	p = progress_new("auto", false);
	assert_false(progress_due(p));
	progress_free(p);
	unsetenv("NO_COLOR");
	assert_false(progress_color("auto"));
	setenv("TERM", "xterm", 1);
	assert_true(progress_color("auto"));
	setenv("NO_COLOR", "1", 1);
	assert_false(progress_color("auto"));
	assert_true(progress_color("always"));
	unsetenv("NO_COLOR");
	look();
	assert_int_equal(screen.n, 0);
	close_terminal();
}

/* Into a file: nothing, or plain lines when asked for. */
static void test_no_terminal(void **state)
{
	(void)state;
	char text[256];
	int p[2], saved = dup(STDERR_FILENO);
	assert_int_equal(pipe(p), 0);
	dup2(p[1], STDERR_FILENO);
	struct progress *q = progress_new("auto", false);
	assert_false(progress_due(q));
	progress_show(q, "hidden");
	progress_message(q, "said");
	progress_message(NULL, "said %d", 2);
	progress_free(q);
	q = progress_new("always", false);
	assert_true(progress_due(q));
	progress_show(q, "\033[31mplain\033[0m\nlines");
	progress_free(q);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(p[1]);
	ssize_t n = read(p[0], text, sizeof text - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "refrain: said\nrefrain: said 2\nplain\nlines\n");
	close(p[0]);
	assert_false(progress_due(NULL));
	progress_show(NULL, "x");
	progress_hide(NULL);
	progress_free(NULL);
}

UNIT_TESTS(cmocka_unit_test(test_block), cmocka_unit_test(test_whole_terminal),
	   cmocka_unit_test(test_cut_by_characters), cmocka_unit_test(test_resize), cmocka_unit_test(test_hidden),
	   cmocka_unit_test(test_no_terminal))
