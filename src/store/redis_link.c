/* SPDX-License-Identifier: MIT */
/* A connection to Redis with deadlines: see redis_link.h. We write by ourselves, because hiredis would raise
 * SIGPIPE in a program that is not ours. */
#include "store/redis_link.h"

#include "data/clock.h"
#include "data/mem.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* No answer is longer; the rest of what a server sends without end is not kept. */
static const size_t largest_answer = (size_t)1 << 30;

struct redis_link {
	redisContext *c;
	char *name;     /* for messages */
	struct buf out; /* not written yet */
};

static enum rc failed(struct redis_link *l, struct err *e)
{
	return err_set(e, RC_ENV, "Redis at %s: %s", l->name,
		       l->c->errstr[0] ? l->c->errstr : "the connection was closed");
}

/* RC_NO when the time is up. */
static enum rc wait_for(struct redis_link *l, short events, double deadline, struct err *e)
{
	for (;;) {
		double left = deadline - clock_seconds();
		struct pollfd p = {.fd = l->c->fd, .events = events};
		int n = poll(&p, 1, left <= 0 ? 0 : (int)(left * 1000) + 1);
		if (n > 0)
			return RC_OK;
		if (n < 0 && errno != EINTR)
			return err_sys(e, RC_ENV, errno, "Redis at %s", l->name);
		if (n == 0 && left <= 0)
			return RC_NO;
	}
}

static enum rc too_slow(struct redis_link *l, struct err *e)
{
	return err_set(e, RC_ENV, "Redis at %s does not answer in time", l->name);
}

static enum rc flush_until(struct redis_link *l, double deadline, struct err *e)
{
	size_t done = 0;
	enum rc rc = RC_OK;
	while (rc == RC_OK && done < l->out.n) {
		ssize_t n = send(l->c->fd, l->out.at + done, l->out.n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			rc = wait_for(l, POLLOUT, deadline, e);
		else if (errno != EINTR)
			return err_sys(e, RC_ENV, errno, "Redis at %s", l->name);
	}
	buf_clear(&l->out);
	return rc == RC_NO ? too_slow(l, e) : rc;
}

enum rc redis_flush(struct redis_link *l, double seconds, struct err *e)
{
	return flush_until(l, clock_seconds() + seconds, e);
}

enum rc redis_receive(struct redis_link *l, double seconds, redisReply **out, struct err *e)
{
	double deadline = clock_seconds() + seconds;
	enum rc rc = flush_until(l, deadline, e);
	while (rc == RC_OK) {
		void *reply = NULL;
		if (redisGetReplyFromReader(l->c, &reply) != REDIS_OK)
			return failed(l, e);
		if (reply) {
			*out = reply;
			return RC_OK;
		}
		rc = wait_for(l, POLLIN, deadline, e);
		if (rc == RC_OK && redisBufferRead(l->c) != REDIS_OK)
			return failed(l, e);
		if (rc == RC_OK && l->c->reader->len > largest_answer)
			return err_set(e, RC_ENV, "Redis at %s: an answer without end", l->name);
	}
	return rc;
}

void redis_send(struct redis_link *l, const struct redis_word *words, size_t n)
{
	const char **at = mem_alloc(mem_mul(n, sizeof *at));
	size_t *len = mem_alloc(mem_mul(n, sizeof *len));
	for (size_t i = 0; i < n; i++) {
		at[i] = words[i].at;
		len[i] = words[i].n;
	}
	char *command;
	int size = redisFormatCommandArgv(&command, (int)n, at, len);
	if (size < 0)
		mem_oom(0);
	buf_add(&l->out, command, (size_t)size);
	redisFreeCommand(command);
	free(at);
	free(len);
}

static bool plain(const struct redis_word *word)
{
	const unsigned char *at = word->at;
	for (size_t i = 0; i < word->n; i++)
		if (!isalnum(at[i]) && (!at[i] || !strchr("-_:.>", at[i])))
			return false;
	return word->n > 0;
}

void redis_send_line(struct redis_link *l, const struct redis_word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!plain(&words[i])) {
			redis_send(l, words, n);
			return;
		}
	for (size_t i = 0; i < n; i++) {
		buf_add(&l->out, words[i].at, words[i].n);
		buf_add(&l->out, i + 1 < n ? " " : "\r\n", i + 1 < n ? 1 : 2);
	}
}

void redis_send_text(struct redis_link *l, const char *word, ...)
{
	VEC(struct redis_word) words = {0};
	va_list ap;
	va_start(ap, word);
	for (const char *w = word; w; w = va_arg(ap, const char *))
		vec_push(&words, ((struct redis_word){w, strlen(w)}));
	va_end(ap);
	redis_send(l, words.at, words.n);
	vec_release(&words);
}

/* Receives the reply of a command that belongs to opening the link: what the server refuses is the user's to mend. */
static enum rc accepted(struct redis_link *l, double deadline, const char *what, struct err *e)
{
	redisReply *reply;
	enum rc rc = redis_receive(l, deadline - clock_seconds(), &reply, e);
	if (rc != RC_OK)
		return rc == RC_NO ? too_slow(l, e) : rc;
	if (reply->type == REDIS_REPLY_ERROR)
		rc = err_set(e, RC_INPUT, "Redis at %s refuses %s: %.200s", l->name, what, reply->str);
	freeReplyObject(reply);
	return rc;
}

static enum rc introduce(struct redis_link *l, const struct address *a, double deadline, struct err *e)
{
	struct buf password = {0};
	char *database = mem_printf("%u", a->database);
	enum rc rc = address_secret(&password, "RF_STORE_PASSWORD", e);
	if (rc == RC_OK && (password.n || a->user)) {
		if (a->user)
			redis_send_text(l, "AUTH", a->user, buf_str(&password), NULL);
		else
			redis_send_text(l, "AUTH", buf_str(&password), NULL);
		rc = accepted(l, deadline, "the password", e);
	}
	if (rc == RC_OK) {
		redis_send_text(l, "SELECT", database, NULL);
		rc = accepted(l, deadline, "the connection", e);
	}
	free(database);
	if (password.n)
		explicit_bzero(password.at, password.n);
	buf_release(&password);
	return rc;
}

static enum rc connected(struct redis_link *l, double deadline, struct err *e)
{
	int problem = 0;
	socklen_t n = sizeof problem;
	if (l->c->err)
		return failed(l, e);
	enum rc rc = wait_for(l, POLLOUT, deadline, e);
	if (rc != RC_OK)
		return rc == RC_NO ? too_slow(l, e) : rc;
	if (getsockopt(l->c->fd, SOL_SOCKET, SO_ERROR, &problem, &n) != 0)
		problem = errno;
	return problem ? err_sys(e, RC_ENV, problem, "Redis at %s", l->name) : RC_OK;
}

enum rc redis_link_open(struct redis_link **out, const struct address *a, struct err *e)
{
	double deadline = clock_seconds() + a->timeout_ms / 1000.0;
	redisContext *c = a->path ? redisConnectUnixNonBlock(a->path) : redisConnectNonBlock(a->host, (int)a->port);
	if (!c)
		mem_oom(0);
	struct redis_link *l = mem_zalloc(sizeof *l);
	l->c = c;
	l->name = a->path ? mem_strdup(a->path) : mem_printf("%s:%u", a->host, a->port);
	enum rc rc = connected(l, deadline, e);
	if (rc == RC_OK)
		rc = introduce(l, a, deadline, e);
	if (rc == RC_OK)
		*out = l;
	else
		redis_link_close(l);
	return rc;
}

enum rc redis_links_open(struct redis_link **const *out, size_t n, const struct address *a, struct err *e)
{
	enum rc rc = RC_OK;
	for (size_t i = 0; i < n; i++)
		*out[i] = NULL;
	for (size_t i = 0; i < n && rc == RC_OK; i++)
		rc = redis_link_open(out[i], a, e);
	for (size_t i = 0; i < n && rc != RC_OK; i++) {
		redis_link_close(*out[i]);
		*out[i] = NULL;
	}
	return rc;
}

enum rc redis_expect(struct redis_link *l, double seconds, int type, redisReply **out, struct err *e)
{
	enum rc rc = redis_receive(l, seconds, out, e);
	if (rc != RC_OK)
		return rc == RC_NO ? err_set(e, RC_ENV, "the Redis server does not answer in time") : rc;
	if ((*out)->type == type || ((*out)->type == REDIS_REPLY_NIL && type == REDIS_REPLY_STRING))
		return RC_OK;
	if ((*out)->type == REDIS_REPLY_ERROR)
		err_set(e, RC_ENV, "the Redis server says: %.200s", (*out)->str);
	else
		err_set(e, RC_ENV, "the Redis server gives an answer of another kind");
	freeReplyObject(*out);
	return RC_ENV;
}

void redis_link_close(struct redis_link *l)
{
	if (!l)
		return;
	redisFree(l->c);
	buf_release(&l->out);
	free(l->name);
	free(l);
}

int redis_link_fd(const struct redis_link *l)
{
	return l->c->fd;
}
