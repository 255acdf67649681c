/* SPDX-License-Identifier: MIT */
/* A poll loop over a writing and a reading descriptor. */
#include "smt/solver/exchange.h"

#include "data/clock.h"
#include "process/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static int wait_ms(double deadline)
{
	if (deadline < 0)
		return -1;
	double left = deadline - clock_seconds();
	return left <= 0 ? 0 : left > 1000 ? 1000000 : (int)(left * 1000) + 1;
}

/* Writes what fits; false: the other side is gone. */
static bool write_some(int in, const char **text, size_t *n)
{
	ssize_t k = write(in, *text, *n);
	if (k < 0)
		return errno == EAGAIN || errno == EINTR;
	*text += k;
	*n -= (size_t)k;
	return true;
}

static bool read_some(int out, struct buf *got)
{
	vec_reserve(got, 65536);
	ssize_t k = read(out, got->at + got->n, 65535);
	if (k < 0)
		return errno == EAGAIN || errno == EINTR;
	got->n += (size_t)k;
	got->at[got->n] = 0;
	return k > 0;
}

/* *to: −1 when it has been closed */
static enum exchange_end talk(const struct exchange *x, int *to)
{
	int in = *to;
	const char *text = x->text;
	size_t n = x->n;
	if (in >= 0)
		fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	for (;;) {
		if (runner_stopped())
			return EXCHANGE_STOPPED;
		/* most questions fit into the pipe: try before asking poll */
		if (in >= 0 && n && !write_some(in, &text, &n))
			return EXCHANGE_CLOSED;
		if (in >= 0 && !n && x->last) {
			close(in);
			*to = in = -1;
		}
		struct pollfd p[2] = {{x->out, POLLIN, 0}, {in, n ? POLLOUT : 0, 0}};
		int r = poll(p, n && in >= 0 ? 2 : 1, wait_ms(x->deadline));
		if (r < 0 && errno != EINTR)
			return EXCHANGE_CLOSED;
		if (r == 0 && x->deadline >= 0 && clock_seconds() >= x->deadline)
			return EXCHANGE_LATE;
		if (r > 0 && p[0].revents) {
			if (!read_some(x->out, x->got))
				return x->enough ? EXCHANGE_CLOSED : EXCHANGE_DONE;
			if (x->enough && !n && x->enough(x->user, x->got))
				return EXCHANGE_DONE;
		}
	}
}

enum exchange_end exchange(const struct exchange *x)
{
	int in = x->in;
	enum exchange_end end = talk(x, &in);
	if (x->last && in >= 0)
		close(in);
	return end;
}
