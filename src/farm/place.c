/* SPDX-License-Identifier: MIT */
/* Where a farm meets: see place.h. */
#include "farm/place.h"

#include <arpa/inet.h>
#include <string.h>

/* Whether an address is of this machine by its form alone: a name that is looked up may be anybody's. */
static bool local(const struct address *a)
{
	struct in_addr v4;
	struct in6_addr v6;
	if (a->path)
		return true;
	if (inet_pton(AF_INET, a->host, &v4) == 1)
		return (ntohl(v4.s_addr) >> 24) == 127;
	if (inet_pton(AF_INET6, a->host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return strcmp(a->host, "localhost") == 0;
}

enum rc place_parse(struct address *a, const char *uri, const struct sign_key *k, struct err *e)
{
	enum rc rc;
	*a = (struct address){0};
	if (strncmp(uri, "redis:", 6) == 0)
		rc = address_redis(a, uri + 6, e);
	else if (strncmp(uri, "unix:", 5) == 0)
		rc = address_unix(a, uri + 5, e);
	else
		return err_set(e, RC_INPUT,
			       "workers meet at a Redis server (redis://HOST:PORT or unix:PATH), not at '%s'", uri);
	if (rc == RC_OK && (a->flags || a->ttl))
		rc = err_set(e, RC_INPUT, "mode and ttl are a store's parameters, not of a server for workers");
	if (rc == RC_OK && !k->bytes.n && !local(a))
		rc = err_set(
			e, RC_INPUT,
			"without a key anybody who reaches '%s' could run programs here: give both sides --key=FILE",
			a->host);
	return rc;
}
