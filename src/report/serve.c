/* SPDX-License-Identifier: MIT */
/* A live report: see serve.h.
 *
 * Two things are answered: GET /TOKEN/, the page made from the logs as they are now, and GET /TOKEN/version, a
 * line that changes when a log does; the page's script asks for the second and fetches the first when it changed.
 * Everything else is refused: a request without the token, and one whose Host is not this server's address (a page
 * of another site that has its name point here). All connections are served in turns by one poll loop; one that
 * neither sends nor takes anything is closed. */
#include "report/serve.h"

#include "base/bits.h"
#include "data/buf.h"
#include "data/clock.h"
#include "data/mem.h"
#include "report/report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 32, LONGEST_REQUEST = 8192, IDLE_SECONDS = 10 };

struct connection {
	int fd; /* −1: free */
	double since;
	struct buf in, out;
	size_t sent;
	bool answered;
};

struct serve {
	const struct strings *logs;
	int fd;
	char host[32], token[33], address[96];
	struct connection at[MOST_CONNECTIONS];
};

static enum rc make_token(struct serve *s, struct err *e)
{
	unsigned char random[(sizeof s->token - 1) / 2];
	static const char digits[] = "0123456789abcdef";
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_sys(e, RC_ENV, errno, "no random numbers for the page's address");
	for (size_t i = 0; i < sizeof random; i++) {
		s->token[2 * i] = digits[random[i] >> 4];
		s->token[2 * i + 1] = digits[random[i] & 15];
	}
	return RC_OK;
}

enum rc serve_new(struct serve **out, const struct strings *logs, uint16_t port, struct err *e)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof a;
	struct serve *s = mem_zalloc(sizeof *s);
	s->logs = logs;
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		s->at[i].fd = -1;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	enum rc rc = RC_OK;
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(s->fd, MOST_CONNECTIONS) != 0 ||
	    getsockname(s->fd, (struct sockaddr *)&a, &n) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot listen on 127.0.0.1:%u", port);
	if (rc == RC_OK)
		rc = make_token(s, e);
	if (rc != RC_OK) {
		serve_free(s);
		return rc;
	}
	snprintf(s->host, sizeof s->host, "127.0.0.1:%u", ntohs(a.sin_port));
	snprintf(s->address, sizeof s->address, "http://%s/%s/", s->host, s->token);
	*out = s;
	return RC_OK;
}

const char *serve_address(const struct serve *s)
{
	return s->address;
}

/* Changes when a log is written to, replaced, made or removed. */
static void version(const struct serve *s, struct buf *out)
{
	for (size_t i = 0; i < s->logs->n; i++) {
		struct stat st;
		if (stat(s->logs->at[i], &st) == 0)
			buf_printf(out, "%llx.%llx.%llx.%lx ", (unsigned long long)st.st_ino,
				   (unsigned long long)st.st_size, (unsigned long long)st.st_mtim.tv_sec,
				   (unsigned long)st.st_mtim.tv_nsec);
		else
			buf_str_add(out, "- ");
	}
}

/* The logs that are there; a run that has not begun yet has none. The version is taken first: what is written meanwhile
 * makes another one. */
static enum rc make_page(const struct serve *s, struct buf *out, struct err *e)
{
	struct report *r = report_new(s->logs->n);
	struct page page = {out, NULL};
	struct buf now = {0};
	enum rc rc = RC_OK;
	version(s, &now);
	for (size_t i = 0; rc == RC_OK && i < s->logs->n; i++) {
		struct stat st;
		if (stat(s->logs->at[i], &st) == 0 && st.st_size > 0)
			rc = report_add(r, s->logs->at[i], e);
	}
	if (rc == RC_OK)
		report_html(r, buf_str(&now), &page);
	report_free(r);
	buf_release(&now);
	return rc;
}

static void answer(struct connection *c, const char *status, const char *type, const struct buf *body, bool head)
{
	buf_printf(
		&c->out,
		"HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
		"Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
		status, type, body->n);
	if (!head)
		buf_add(&c->out, buf_str(body), body->n);
	c->answered = true;
}

static void refuse(struct connection *c, const char *status)
{
	struct buf body = {0};
	buf_printf(&body, "%s\n", status);
	answer(c, status, "text/plain", &body, false);
	buf_release(&body);
}

/* Whether the request has the header Host with this server's address, by number or as localhost. */
static bool host_is_ours(const struct serve *s, const char *head)
{
	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
		const char *value = line + 2;
		if (strncasecmp(value, "host:", 5) != 0)
			continue;
		value += 5 + strspn(value + 5, " \t");
		size_t n = strcspn(value, " \t\r\n");
		const char *port = strchr(s->host, ':');
		return (n == strlen(s->host) && strncmp(value, s->host, n) == 0) ||
		       (n == strlen("localhost") + strlen(port) && strncasecmp(value, "localhost", 9) == 0 &&
			strncmp(value + 9, port, n - 9) == 0);
	}
	return false;
}

static void respond(struct serve *s, struct connection *c)
{
	const char *request = buf_str(&c->in);
	struct err e = ERR_INIT;
	struct buf body = {0};
	bool head = strncmp(request, "HEAD ", 5) == 0;
	if (!head && strncmp(request, "GET ", 4) != 0) {
		refuse(c, "405 Method Not Allowed");
		return;
	}
	const char *path = request + (head ? 5 : 4);
	size_t n = strlen(s->token);
	if (!host_is_ours(s, request))
		refuse(c, "403 Forbidden");
	else if (path[0] != '/' || strncmp(path + 1, s->token, n) != 0 || path[1 + n] != '/')
		refuse(c, "404 Not Found");
	else if (strncmp(path + n + 2, "version ", 8) == 0) {
		version(s, &body);
		answer(c, "200 OK", "text/plain", &body, head);
	} else if (path[n + 2] != ' ')
		refuse(c, "404 Not Found");
	else if (make_page(s, &body, &e) == RC_OK)
		answer(c, "200 OK", "text/html", &body, head);
	else {
		buf_clear(&body);
		buf_printf(&body, "%s\n", e.text);
		answer(c, "503 Service Unavailable", "text/plain", &body, head);
	}
	buf_release(&body);
}

static void hang_up(struct connection *c)
{
	close(c->fd);
	c->fd = -1;
	c->sent = 0;
	c->answered = false;
	buf_release(&c->in);
	buf_release(&c->out);
}

static void take(struct serve *s)
{
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		if (s->at[i].fd < 0) {
			s->at[i] = (struct connection){.fd = fd, .since = clock_seconds()};
			return;
		}
	close(fd);
}

static void receive(struct serve *s, struct connection *c)
{
	char bytes[2048];
	ssize_t n = read(c->fd, bytes, sizeof bytes);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(c);
		return;
	}
	c->since = clock_seconds();
	buf_add(&c->in, bytes, (size_t)n);
	if (c->in.n > LONGEST_REQUEST)
		refuse(c, "431 Request Header Fields Too Large");
	else if (strstr(buf_str(&c->in), "\r\n\r\n"))
		respond(s, c);
}

static void transmit(struct connection *c)
{
	ssize_t n = send(c->fd, c->out.at + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->since = clock_seconds();
	c->sent += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->sent == c->out.n)
		hang_up(c);
}

enum rc serve_run(struct serve *s, int stop_fd, struct err *e)
{
	for (;;) {
		struct pollfd wait[MOST_CONNECTIONS + 2] = {{stop_fd, POLLIN, 0}, {s->fd, POLLIN, 0}};
		for (size_t i = 0; i < MOST_CONNECTIONS; i++)
			wait[i + 2] = (struct pollfd){s->at[i].fd, s->at[i].answered ? POLLOUT : POLLIN, 0};
		if (poll(wait, ARRAY_LEN(wait), 1000) < 0 && errno != EINTR)
			return err_sys(e, RC_ENV, errno, "cannot wait for requests");
		if (wait[0].revents)
			return RC_OK;
		for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
			struct connection *c = &s->at[i];
			if (c->fd >= 0 && wait[i + 2].revents) {
				if (c->answered)
					transmit(c);
				else
					receive(s, c);
			} else if (c->fd >= 0 && clock_seconds() - c->since > IDLE_SECONDS) {
				hang_up(c);
			}
		}
		if (wait[1].revents)
			take(s);
	}
}

void serve_free(struct serve *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		if (s->at[i].fd >= 0)
			hang_up(&s->at[i]);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}
