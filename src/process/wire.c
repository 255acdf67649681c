/* SPDX-License-Identifier: MIT */
/* Messages over stream sockets: see wire.h. Descriptors arrive with the first byte of a head. */
#include "process/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union fd_space {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(WIRE_MAX_FDS * sizeof(int))];
};

int wire_send(int fd, const struct wire_head *h, const void *body, const int *fds, size_t n_fds)
{
	union fd_space space;
	struct iovec iov[2] = {
		{.iov_base = (void *)(uintptr_t)h, .iov_len = sizeof *h},
		{.iov_base = (void *)(uintptr_t)body, .iov_len = h->len},
	};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = h->len ? 2 : 1};
	if (n_fds > WIRE_MAX_FDS)
		return EMFILE;
	if (n_fds) {
		memset(&space, 0, sizeof space);
		m.msg_control = space.bytes;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	while (m.msg_iovlen) {
		ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return errno == ECONNRESET ? EPIPE : errno;
		}
		m.msg_control = NULL;
		m.msg_controllen = 0;
		size_t left = (size_t)n;
		while (m.msg_iovlen && left >= m.msg_iov->iov_len) {
			left -= m.msg_iov->iov_len;
			m.msg_iov++;
			m.msg_iovlen--;
		}
		if (m.msg_iovlen) {
			m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + left;
			m.msg_iov->iov_len -= left;
		}
	}
	return 0;
}

int wire_recv(int fd, void *out, size_t n)
{
	char *p = out;
	while (n) {
		ssize_t got = recv(fd, p, n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == ECONNRESET ? EPIPE : errno;
		if (got == 0)
			return EPIPE;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

int wire_recv_head(int fd, struct wire_head *h, int *fds, size_t *n_fds)
{
	union fd_space space;
	struct iovec iov = {.iov_base = h, .iov_len = sizeof *h};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	size_t room = n_fds ? *n_fds : 0;
	if (room) {
		m.msg_control = space.bytes;
		m.msg_controllen = CMSG_SPACE((room < WIRE_MAX_FDS ? room : WIRE_MAX_FDS) * sizeof(int));
		*n_fds = 0;
	}
	ssize_t got;
	do
		got = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == ECONNRESET ? EPIPE : errno;
	if (got == 0)
		return EPIPE;
	for (struct cmsghdr *c = room ? CMSG_FIRSTHDR(&m) : NULL; c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		*n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *n_fds * sizeof(int));
	}
	return wire_recv(fd, (char *)h + got, sizeof *h - (size_t)got);
}
