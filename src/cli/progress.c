/* SPDX-License-Identifier: MIT */
/* The live block on standard error: see progress.h.
 *
 * The cursor stays at the end of the block's last line. To erase it, the rows that its lines fill at the terminal's
 * present width are counted (a terminal that was made narrower has wrapped them), the cursor goes up so many and
 * clears to the end of the screen. Lines are cut to one column less than the terminal has, so they never wrap by
 * themselves. Where there is no terminal to steer (--progress=always into a file) the block is printed as plain
 * lines, once a second. */
#include "cli/progress.h"

#include "cli/guard.h"
#include "data/clock.h"
#include "data/buf.h"
#include "data/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERVAL_MS = 100, PLAIN_INTERVAL_MS = 1000, USUAL_COLUMNS = 80, FEWEST_COLUMNS = 8, USUAL_ROWS = 24 };

/* Another screen without a cursor, and back. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

struct progress {
	bool on, terminal;
	bool drawn;           /* some picture was due already */
	double last;          /* when, by the one clock */
	VEC(unsigned) widths; /* columns of each line on the screen; none: nothing is shown */
	struct buf out;
	char *follows; /* NULL, or the file that fills the terminal, which is ours while entered is set */
	bool entered;
	struct guard *guard; /* may be NULL */
};

static bool steerable(void)
{
	const char *term = getenv("TERM");
	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

struct progress *progress_new(const char *mode, bool quiet)
{
	struct progress *p = mem_zalloc(sizeof *p);
	bool always = mode && strcmp(mode, "always") == 0, never = mode && strcmp(mode, "never") == 0;
	p->terminal = steerable();
	p->on = !never && (always || (p->terminal && !quiet));
	return p;
}

/* A job in the background leaves the terminal to the one in the foreground. */
static bool in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);
	return group < 0 || group == getpgrp();
}

bool progress_due(struct progress *p)
{
	if (!p || !p->on)
		return false;
	double now = clock_seconds();
	if (p->drawn && (now - p->last) * 1000 < (p->terminal ? INTERVAL_MS : PLAIN_INTERVAL_MS))
		return false;
	if (p->terminal && !in_foreground())
		return false;
	p->drawn = true;
	p->last = now;
	return true;
}

static unsigned columns(void)
{
	struct winsize w;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return USUAL_COLUMNS;
	return w.ws_col < FEWEST_COLUMNS ? FEWEST_COLUMNS : w.ws_col;
}

static unsigned rows(void)
{
	struct winsize w;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0 ? USUAL_ROWS : w.ws_row;
}

static void flush(struct progress *p)
{
	(void)!write_all(STDERR_FILENO, p->out.at, p->out.n); /* a lost progress line is not an error */
	buf_clear(&p->out);
}

static uint32_t code_point(const char *s, unsigned len)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)s[0] & first[len];
	for (unsigned i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	return c;
}

/* Columns of a character: 0 for combining marks, 2 for East Asian wide ones and pictographs. libc's wcwidth would
 * depend on the locale. */
static unsigned char_width(uint32_t c)
{
	static const struct {
		uint32_t from, to;
		unsigned width;
	} ranges[] = {
		{0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x200b, 0x200f, 0},
		{0x20d0, 0x20ff, 0},   {0x2e80, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
		{0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
		{0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
	};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && c >= ranges[i].from; i++)
		if (c <= ranges[i].to)
			return ranges[i].width;
	return 1;
}

/* The length of a colour sequence ("ESC [ … m"), the only control a line may hold; 0 when there is none. */
static size_t color_len(const char *s, size_t n)
{
	if (n < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	size_t i = 2;
	while (i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	return i < n && s[i] == 'm' ? i + 1 : 0;
}

/* Appends what fits into max columns; returns the columns used. */
static unsigned add_line(struct progress *p, const char *s, size_t n, unsigned max)
{
	unsigned used = 0;
	bool colored = false;
	for (size_t i = 0; i < n;) {
		size_t len = color_len(s + i, n - i);
		unsigned width = 0;
		if (len) {
			colored = true;
			if (p->terminal)
				buf_add(&p->out, s + i, len);
			i += len;
			continue;
		}
		len = text_utf8_len(s + i, n - i);
		width = len ? char_width(code_point(s + i, (unsigned)len)) : 1;
		if (used + width > max)
			break;
		if (len == 0 || (unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			buf_char(&p->out, '?');
		else
			buf_add(&p->out, s + i, len);
		used += width;
		i += len ? len : 1;
	}
	if (colored && p->terminal)
		buf_str_add(&p->out, "\033[0m");
	return used;
}

static void erase(struct progress *p)
{
	unsigned filled = 0, width = columns();
	if (p->entered) {
		buf_str_add(&p->out, LEAVE);
		p->entered = false;
	}
	if (p->widths.n == 0)
		return;
	for (size_t i = 0; i < p->widths.n; i++)
		filled += p->widths.at[i] ? (p->widths.at[i] + width - 1) / width : 1;
	buf_char(&p->out, '\r');
	if (filled > 1)
		buf_printf(&p->out, "\033[%uA", filled - 1);
	buf_str_add(&p->out, "\033[J");
	vec_clear(&p->widths);
}

bool progress_follow(struct progress *p, const char *path)
{
	if (!p->on || !p->terminal || p->follows)
		return false;
	p->follows = mem_strdup(path);
	p->guard = guard_start(LEAVE);
	return true;
}

/* The beginning of the file, as much as could fill a terminal. */
static void read_some(const char *path, struct buf *text)
{
	enum { MOST = 65536 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = 1;
	vec_reserve(text, MOST);
	while (fd >= 0 && got > 0 && text->n < MOST) {
		got = read(fd, text->at + text->n, MOST - text->n);
		text->n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
}

/* One line of the terminal; the cursor is at the start of the next one then, but for the last. */
static void full_line(struct progress *p, const char *s, size_t n, unsigned *left)
{
	if (*left == 0)
		return;
	add_line(p, s, n, columns() - 1);
	buf_str_add(&p->out, --*left ? "\033[K\r\n" : "\033[K");
}

/* A line of the file: what could steer the terminal is made visible, tabs are spaces. */
static void text_line(struct progress *p, const char *s, size_t n, unsigned *left)
{
	struct buf spaced = {0}, safe = {0};
	size_t most = 4 * (size_t)columns();
	for (size_t i = 0; i < n && spaced.n < most; i++) {
		size_t many = s[i] == '\t' ? 8 - spaced.n % 8 : 1;
		while (many--)
			buf_char(&spaced, s[i] == '\t' ? ' ' : s[i]);
	}
	vec_reserve(&safe, 4 * spaced.n + 1);
	safe.n = text_escape(buf_str(&spaced), spaced.n, safe.at, safe.cap);
	full_line(p, buf_str(&safe), safe.n, left);
	buf_release(&spaced);
	buf_release(&safe);
}

static void show_full(struct progress *p, const char *lines)
{
	unsigned left = rows();
	struct buf text = {0};
	if (!p->entered)
		buf_str_add(&p->out, ENTER);
	p->entered = true;
	buf_str_add(&p->out, "\033[H");
	for (const char *s = lines; *s;) {
		size_t n = strcspn(s, "\n");
		full_line(p, s, n, &left);
		s += n + (s[n] == '\n');
	}
	for (unsigned i = 1; i < columns(); i++)
		buf_str_add(&text, "─");
	full_line(p, buf_str(&text), text.n, &left);
	buf_clear(&text);
	read_some(p->follows, &text);
	for (size_t at = 0; at < text.n && left;) {
		const char *nl = memchr(text.at + at, '\n', text.n - at);
		size_t n = nl ? (size_t)(nl - text.at) - at : text.n - at;
		text_line(p, text.at + at, n, &left);
		at += n + 1;
	}
	buf_str_add(&p->out, "\033[J");
	flush(p);
	buf_release(&text);
}

void progress_show(struct progress *p, const char *lines)
{
	if (!p || !p->on)
		return;
	if (p->follows) {
		show_full(p, lines);
		return;
	}
	erase(p);
	unsigned max = p->terminal ? columns() - 1 : UINT16_MAX;
	for (bool first = true;; first = false) {
		size_t n = strcspn(lines, "\n");
		if (!first && p->terminal)
			buf_str_add(&p->out, "\r\n");
		unsigned used = add_line(p, lines, n, max);
		if (p->terminal)
			vec_push(&p->widths, used);
		else
			buf_char(&p->out, '\n');
		if (!lines[n] || !lines[n + 1])
			break;
		lines += n + 1;
	}
	flush(p);
}

void progress_hide(struct progress *p)
{
	if (!p || (p->widths.n == 0 && !p->entered))
		return;
	erase(p);
	flush(p);
}

void progress_free(struct progress *p)
{
	if (!p)
		return;
	progress_hide(p);
	guard_stop(p->guard);
	free(p->follows);
	vec_release(&p->widths);
	buf_release(&p->out);
	free(p);
}

void progress_message(struct progress *p, const char *fmt, ...)
{
	struct buf text = {0}, line = {0};
	va_list ap;
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	vec_reserve(&line, mem_add(mem_mul(text.n, 4), 1));
	line.n = text_escape(buf_str(&text), text.n, line.at, line.cap);
	/* one write for the block and the line: nothing of another process comes between */
	struct progress none = {0};
	struct progress *to = p ? p : &none;
	erase(to);
	buf_printf(&to->out, "refrain: %s\n", buf_str(&line));
	flush(to);
	buf_release(&none.out);
	buf_release(&text);
	buf_release(&line);
}

bool progress_color(const char *mode)
{
	const char *no = getenv("NO_COLOR");
	if (mode && strcmp(mode, "always") == 0)
		return true;
	if (mode && strcmp(mode, "never") == 0)
		return false;
	return !(no && *no) && steerable();
}
