/* SPDX-License-Identifier: MIT */
/* Parsing the URIs of network stores: see address.h. Strict: an unknown parameter, a port out of range or a
 * password is an error that says what was meant. */
#include "store/address.h"

#include "base/bits.h"
#include "data/mem.h"
#include "data/text.h"
#include "store/store.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIMEOUT_MS = 1000, LONGEST_TIMEOUT_MS = 60000, LARGEST_SECRET = 4096 };

static enum rc bounded(const char *what, const char *text, uint64_t least, uint64_t most, unsigned *out, struct err *e)
{
	uint64_t v;
	if (!text_u64(text, &v) || v < least || v > most)
		return err_set(e, RC_INPUT, "%s must be a number from %llu to %llu, not '%s'", what,
			       (unsigned long long)least, (unsigned long long)most, text);
	*out = (unsigned)v;
	return RC_OK;
}

static enum rc set_mode(struct address *a, const char *value, struct err *e)
{
	static const struct {
		const char *name;
		unsigned flags;
	} modes[] = {
		{"read", STORE_READONLY},
		{"frozen", STORE_FROZEN},
		{"write", STORE_WRITEONLY},
	};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(value, modes[i].name) == 0) {
			a->flags = modes[i].flags;
			return RC_OK;
		}
	return err_set(e, RC_INPUT, "a store's mode is read, write or frozen, not '%s'", value);
}

static enum rc set_parameter(struct address *a, const char *name, const char *value, struct err *e)
{
	if (strcmp(name, "ttl") == 0)
		return bounded("ttl (seconds)", value, 1, INT_MAX, &a->ttl, e);
	if (strcmp(name, "timeout") == 0)
		return bounded("timeout (milliseconds)", value, 1, LONGEST_TIMEOUT_MS, &a->timeout_ms, e);
	if (strcmp(name, "db") == 0)
		return bounded("db", value, 0, INT_MAX, &a->database, e);
	if (strcmp(name, "mode") == 0)
		return set_mode(a, value, e);
	return err_set(e, RC_INPUT, "a store's address has no parameter '%s' (ttl, timeout, mode, db)", name);
}

/* Takes "?name=value&…" off the end of text. */
static enum rc take_parameters(struct address *a, char *text, struct err *e)
{
	a->timeout_ms = DEFAULT_TIMEOUT_MS;
	char *at = strchr(text, '?');
	if (!at)
		return RC_OK;
	*at++ = 0;
	enum rc rc = RC_OK;
	for (char *next; rc == RC_OK && at; at = next) {
		next = strchr(at, '&');
		if (next)
			*next++ = 0;
		char *value = strchr(at, '=');
		if (!value)
			return err_set(e, RC_INPUT, "a store's parameter needs a value: '%s'", at);
		*value++ = 0;
		rc = set_parameter(a, at, value, e);
	}
	return rc;
}

/* "[USER@]HOST[:PORT]"; an IPv6 address stands in brackets. */
static enum rc take_authority(struct address *a, char *text, unsigned port, struct err *e)
{
	char *at = strrchr(text, '@'), *host = at ? at + 1 : text, *end;
	if (at) {
		*at = 0;
		if (strchr(text, ':'))
			return err_set(e, RC_INPUT,
				       "a store's address must not hold a password: use RF_STORE_PASSWORD_FILE "
				       "or RF_STORE_PASSWORD");
		a->user = mem_strdup(text);
	}
	if (*host == '[' && (end = strchr(host, ']'))) {
		host++;
		*end++ = 0;
	} else {
		end = host + strcspn(host, ":");
	}
	const char *given = *end == ':' ? end + 1 : NULL;
	if (*end && !given)
		return err_set(e, RC_INPUT, "a store's address goes on strangely after its host: '%s'", end);
	*end = 0;
	if (!*host)
		return err_set(e, RC_INPUT, "a store's address names no host");
	a->host = mem_strdup(host);
	a->port = port;
	return given ? bounded("a port", given, 1, 65535, &a->port, e) : RC_OK;
}

/* "//AUTHORITY[/PATH][?PARAMETERS]": the path, without its slash, goes to *path. */
static enum rc take_url(struct address *a, char *text, unsigned port, char **path, struct err *e)
{
	enum rc rc = take_parameters(a, text, e);
	if (rc == RC_OK && strncmp(text, "//", 2) != 0)
		rc = err_set(e, RC_INPUT, "a store's address needs two slashes after its kind");
	if (rc != RC_OK)
		return rc;
	char *slash = strchr(text + 2, '/');
	*path = slash ? slash + 1 : text + strlen(text);
	if (slash)
		*slash = 0;
	return take_authority(a, text + 2, port, e);
}

enum rc address_redis(struct address *a, const char *rest, struct err *e)
{
	char *copy = mem_strdup(rest), *path;
	*a = (struct address){0};
	enum rc rc = take_url(a, copy, 6379, &path, e);
	if (rc == RC_OK && *path)
		rc = bounded("a database", path, 0, INT_MAX, &a->database, e);
	free(copy);
	return rc;
}

enum rc address_unix(struct address *a, const char *rest, struct err *e)
{
	char *copy = mem_strdup(rest);
	*a = (struct address){0};
	enum rc rc = take_parameters(a, copy, e);
	if (rc == RC_OK && !*copy)
		rc = err_set(e, RC_INPUT, "unix: needs the path of a socket");
	if (rc == RC_OK)
		a->path = mem_strdup(copy);
	free(copy);
	return rc;
}

enum rc address_http(struct address *a, const char *rest, struct err *e)
{
	char *copy = mem_strdup(rest), *path;
	*a = (struct address){0};
	/* port 0: that of the scheme */
	enum rc rc = take_url(a, copy, 0, &path, e);
	if (rc == RC_OK && a->user)
		rc = err_set(e, RC_INPUT,
			     "an HTTP store's user comes from ~/.netrc, or its token from RF_STORE_TOKEN_FILE");
	if (rc == RC_OK && a->database)
		rc = err_set(e, RC_INPUT, "an HTTP store has no db");
	size_t n = rc == RC_OK ? strlen(path) : 0;
	while (n && path[n - 1] == '/')
		n--;
	if (rc == RC_OK)
		a->path = mem_strndup(path, n);
	free(copy);
	return rc;
}

void address_release(struct address *a)
{
	free(a->user);
	free(a->host);
	free(a->path);
	*a = (struct address){0};
}

enum rc address_secret(struct buf *out, const char *name, struct err *e)
{
	const char *value = getenv(name);
	if (value) {
		buf_str_add(out, value);
		return RC_OK;
	}
	char *file_name = mem_printf("%s_FILE", name);
	const char *file = getenv(file_name);
	enum rc rc = file ? buf_read_file(out, file, LARGEST_SECRET, e) : RC_OK;
	free(file_name);
	if (rc == RC_OK && out->n) {
		out->n = strcspn(buf_str(out), "\r\n");
		out->at[out->n] = 0;
	}
	return rc;
}
