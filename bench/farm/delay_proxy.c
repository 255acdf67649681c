/* SPDX-License-Identifier: MIT */
/* A network between two sockets of this machine, for machines whose kernel has no netem:
 *
 *	delay_proxy LISTEN TARGET MILLISECONDS[,LOSS] [LOG]
 *
 * passes on what it gets, after so long each way, in order, and writes it down (connection, side, length, bytes) for
 * wire_count. LOSS, in percent, is what TCP makes of it: a piece that is lost is sent again after 200 ms, the least
 * time-out of Linux, and all that comes after it on the connection waits. (With more in flight a fast retransmission
 * would take one round trip instead; pieces here are single and small.) One thread; ends on a signal, and then says
 * how many bytes went each way. */

#include "data/clock.h"
#include "data/vec.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RESEND_S 0.2

enum { CHUNK = 65536 };

struct chunk {
	double due;
	size_t n, done;
	char *bytes;
};

/* What was read from `from` and is not written to the other end of the pair yet. */
struct end {
	int fd;
	bool over;
	VEC(struct chunk) queue;
	size_t first;
};

struct pair {
	unsigned number;
	struct end end[2]; /* 0: who connected, 1: the target */
};

static volatile sig_atomic_t stopped;
static double delay_s, loss;
static unsigned long long bytes_passed[2];
static FILE *written;

static void stop(int sig)
{
	stopped = sig;
}

static int open_socket(const char *path, bool listening)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc = listening ? bind(fd, (struct sockaddr *)&a, sizeof a) : connect(fd, (struct sockaddr *)&a, sizeof a);
	if (rc != 0 || (listening && listen(fd, 1024) != 0)) {
		perror(path);
		exit(3);
	}
	return fd;
}

static void write_down(unsigned connection, unsigned side, const char *bytes, unsigned n)
{
	const unsigned head[] = {connection, side, n};
	fwrite(head, sizeof head, 1, written);
	fwrite(bytes, 1, n, written);
}

static void take(struct pair *p, int side)
{
	struct end *e = &p->end[side];
	char *bytes = mem_alloc(CHUNK);
	ssize_t n = recv(e->fd, bytes, CHUNK, MSG_DONTWAIT);
	if (n > 0) {
		bytes_passed[side] += (unsigned long long)n;
		if (written)
			write_down(p->number, (unsigned)side, bytes, (unsigned)n);
		double due = clock_seconds() + delay_s;
		while (drand48() < loss)
			due += RESEND_S;
		vec_push(&e->queue, ((struct chunk){due, (size_t)n, 0, bytes}));
		return;
	}
	free(bytes);
	e->over = e->over || n == 0 || (errno != EAGAIN && errno != EINTR);
}

/* Writes what is due to the other end; the time until the next is due. */
static double pass(struct end *from, struct end *to, double now)
{
	while (from->first < from->queue.n && from->queue.at[from->first].due <= now) {
		struct chunk *c = &from->queue.at[from->first];
		ssize_t n = send(to->fd, c->bytes + c->done, c->n - c->done, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			to->over = true;
		if (n < 0)
			return to->over ? 1 : 0.001;
		c->done += (size_t)n;
		if (c->done == c->n) {
			free(c->bytes);
			from->first++;
		}
	}
	if (from->first == from->queue.n) {
		from->first = from->queue.n = 0;
		return 1;
	}
	return from->queue.at[from->first].due - now;
}

static void close_pair(struct pair *p)
{
	for (int k = 0; k < 2; k++) {
		struct end *e = &p->end[k];
		for (size_t i = e->first; i < e->queue.n; i++)
			free(e->queue.at[i].bytes);
		vec_release(&e->queue);
		close(e->fd);
	}
}

int main(int argc, char **argv)
{
	VEC(struct pair) pairs = {0};
	VEC(struct pollfd) polls = {0};
	if (argc != 4 && argc != 5)
		return 2;
	if (argc == 5 && !(written = fopen(argv[4], "wb")))
		return 3;
	unsigned connections = 0;
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	const char *comma = strchr(argv[3], ',');
	delay_s = atof(argv[3]) / 1000;
	loss = comma ? atof(comma + 1) / 100 : 0;
	if (loss < 0 || loss > 0.5)
		return 2;
	int listener = open_socket(argv[1], true);
	while (!stopped) {
		double now = clock_seconds(), next = 1;
		vec_clear(&polls);
		vec_push(&polls, ((struct pollfd){.fd = listener, .events = POLLIN}));
		for (size_t i = pairs.n; i-- > 0;) {
			struct pair *p = &pairs.at[i];
			for (int k = 0; k < 2; k++) {
				double due = pass(&p->end[k], &p->end[!k], now);
				next = due < next ? due : next;
			}
			bool done = (p->end[0].over && !p->end[0].queue.n) || (p->end[1].over && !p->end[1].queue.n);
			if (done) {
				close_pair(p);
				*p = vec_last(&pairs);
				pairs.n--;
			}
		}
		for (size_t i = 0; i < pairs.n; i++)
			for (int k = 0; k < 2; k++)
				vec_push(&polls,
					 ((struct pollfd){.fd = pairs.at[i].end[k].over ? -1 : pairs.at[i].end[k].fd,
							  .events = POLLIN}));
		if (poll(polls.at, polls.n, next <= 0 ? 0 : (int)(next * 1000) + 1) < 0)
			continue;
		for (size_t i = 1; i < polls.n; i++)
			if (polls.at[i].revents)
				take(&pairs.at[(i - 1) / 2], (int)(i - 1) % 2);
		if (polls.at[0].revents) {
			int fd = accept(listener, NULL, NULL);
			if (fd >= 0)
				vec_push(&pairs, ((struct pair){connections++,
								{{.fd = fd}, {.fd = open_socket(argv[2], false)}}}));
		}
	}
	if (written && fclose(written) != 0)
		return 3;
	printf("%llu bytes to the server, %llu from it\n", bytes_passed[0], bytes_passed[1]);
	return 0;
}
