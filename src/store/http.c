/* SPDX-License-Identifier: MIT */
/* A store on an HTTP server that keeps what is PUT (WebDAV, bazel-remote, Artifactory): see backend.h and
 * docs/protocol.md.
 *
 * A record stands at PREFIX/ac/NAME (record.h). Such servers list nothing, so the names of an identity are a record
 * themselves, read by each() and brought up to date now and then and when the store is closed. Two writers may
 * overwrite each other's list: then each() gives fewer records, and a get still finds them all. Redirections are
 * not followed: they could take the token elsewhere. */
#include "store/curl.h"

#include "base/bits.h"
#include "data/table.h"
#include "store/address.h"
#include "store/backend.h"
#include "store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NAMES = 100000, NEW_NAMES = 64, LARGEST_BODY = 64 << 20 };

struct http_store {
	const struct curl *curl;
	CURL *easy;
	struct curl_slist *headers;
	char *base; /* "http://HOST:PORT/PREFIX/ac/" */
	char *engine, *list_engine;
	struct store_id id, list_id;
	unsigned flags;
	struct address address;
	struct buf body;
	struct buf fresh; /* names that are not in the server's list yet */
};

/* ---- one request */

static size_t take_body(char *at, size_t size, size_t n, void *user)
{
	struct http_store *s = user;
	if (size * n > LARGEST_BODY - s->body.n)
		return 0; /* ends the transfer */
	buf_add(&s->body, at, size * n);
	return size * n;
}

struct sending {
	const char *at;
	size_t left;
};

static size_t give_body(char *to, size_t size, size_t n, void *user)
{
	struct sending *s = user;
	size_t take = size * n < s->left ? size * n : s->left;
	memcpy(to, s->at, take);
	s->at += take;
	s->left -= take;
	return take;
}

#define SET(option, value) s->curl->curl_easy_setopt(s->easy, option, value)

enum method { METHOD_GET, METHOD_HEAD, METHOD_PUT };

/* The server's status in *status, the answer's body in s->body. RC_ENV when there is no answer. */
static enum rc request(struct http_store *s, enum method method, const char *name, const struct buf *body, long *status,
		       struct err *e)
{
	char *url = mem_printf("%s%s", s->base, name), problem[CURL_ERROR_SIZE] = "";
	struct sending sending = {body ? body->at : NULL, body ? body->n : 0};
	buf_clear(&s->body);
	SET(CURLOPT_URL, url);
	SET(CURLOPT_ERRORBUFFER, problem);
	SET(CURLOPT_HTTPGET, 1L);
	SET(CURLOPT_NOBODY, method == METHOD_HEAD ? 1L : 0L);
	SET(CURLOPT_UPLOAD, method == METHOD_PUT ? 1L : 0L);
	SET(CURLOPT_READDATA, &sending);
	SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)sending.left);
	CURLcode done = s->curl->curl_easy_perform(s->easy);
	SET(CURLOPT_ERRORBUFFER, NULL);
	SET(CURLOPT_READDATA, NULL);
	enum rc rc = RC_OK;
	if (done != CURLE_OK)
		rc = err_set(e, RC_ENV, "the store at %s: %s", s->base, problem[0] ? problem : "no answer");
	else
		s->curl->curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, status);
	free(url);
	return rc;
}

static enum rc refused(const struct http_store *s, long status, const char *what, struct err *e)
{
	return err_set(e, RC_ENV, "the store at %s answers a %s with status %ld%s", s->base, what, status,
		       status == 403 || status == 405 ? " (is it read-only? then add ?mode=read)" : "");
}

/* The bytes under a name in s->body, or RC_NO. */
static enum rc fetch(struct http_store *s, const struct record_name *name, struct err *e)
{
	long status = 0;
	enum rc rc = request(s, METHOD_GET, name->hex, NULL, &status, e);
	if (rc != RC_OK)
		return rc;
	if (status == 404 || status == 410 || status == 204)
		return RC_NO;
	return status == 200 ? RC_OK : refused(s, status, "GET", e);
}

static enum rc send_record(struct http_store *s, const struct store_id *id, const void *key, size_t key_len,
			   const void *value, size_t value_len, struct err *e)
{
	struct buf record = {0};
	struct record_name name = record_name(id, key, key_len);
	long status = 0;
	record_write(&record, id, (int64_t)time(NULL), key, key_len, value, value_len);
	enum rc rc = record.n > LARGEST_BODY ? RC_NO : request(s, METHOD_PUT, name.hex, &record, &status, e);
	if (rc == RC_OK && (status == 413 || status == 507))
		rc = RC_NO; /* too large for it: a later miss */
	else if (rc == RC_OK && (status < 200 || status > 299))
		rc = refused(s, status, "PUT", e);
	buf_release(&record);
	return rc;
}

/* ---- the list of names */

static const char list_key[] = "names";

/* The names that the server lists, 64 digits each; none when there is no list, or none that can be read. */
static enum rc read_list(struct http_store *s, struct buf *out, struct err *e)
{
	struct record_name name = record_name(&s->list_id, list_key, strlen(list_key));
	uint64_t ignored = 0;
	enum rc rc = fetch(s, &name, e);
	if (rc == RC_OK)
		rc = record_value(s->body.at, s->body.n, &s->list_id, list_key, strlen(list_key), out, &ignored);
	return rc == RC_NO ? RC_OK : rc;
}

/* Appends the names of more that out does not have. */
static void merge(struct buf *out, const struct buf *more)
{
	struct table seen = {0};
	struct buf all = {0};
	const struct buf *from[] = {out, more};
	for (size_t f = 0; f < ARRAY_LEN(from); f++)
		for (size_t i = 0; i + RECORD_NAME <= from[f]->n && all.n < (size_t)MOST_NAMES * RECORD_NAME;
		     i += RECORD_NAME) {
			uint32_t r;
			const char *name = from[f]->at + i;
			uint64_t hash = hash64(name, RECORD_NAME);
			struct table_probe p = table_probe(&seen, hash);
			while ((r = table_next(&seen, &p)) != TABLE_NONE)
				if (memcmp(all.at + (size_t)r * RECORD_NAME, name, RECORD_NAME) == 0)
					break;
			if (r != TABLE_NONE)
				continue;
			table_insert(&seen, hash, (uint32_t)(all.n / RECORD_NAME));
			buf_add(&all, name, RECORD_NAME);
		}
	buf_clear(out);
	buf_add(out, all.at, all.n);
	buf_release(&all);
	table_release(&seen);
}

static enum rc write_list(struct http_store *s, struct err *e)
{
	struct buf names = {0};
	enum rc rc = read_list(s, &names, e);
	if (rc == RC_OK) {
		merge(&names, &s->fresh);
		rc = send_record(s, &s->list_id, list_key, strlen(list_key), names.at, names.n, e);
	}
	if (rc == RC_OK || rc == RC_NO)
		buf_clear(&s->fresh);
	buf_release(&names);
	return rc;
}

/* ---- the backend */

static void close_store(void *state)
{
	struct http_store *s = state;
	if (s->fresh.n && s->easy)
		write_list(s, NULL);
	if (s->easy)
		s->curl->curl_easy_cleanup(s->easy);
	if (s->headers)
		s->curl->curl_slist_free_all(s->headers);
	address_release(&s->address);
	buf_release(&s->body);
	buf_release(&s->fresh);
	free(s->base);
	free(s->engine);
	free(s->list_engine);
	free(s);
}

static enum rc add_token(struct http_store *s, struct err *e)
{
	struct buf token = {0};
	enum rc rc = address_secret(&token, "RF_STORE_TOKEN", e);
	if (rc == RC_OK && token.n) {
		char *line = mem_printf("Authorization: Bearer %s", buf_str(&token));
		s->headers = s->curl->curl_slist_append(s->headers, line);
		explicit_bzero(line, strlen(line));
		explicit_bzero(token.at, token.n);
		free(line);
	}
	buf_release(&token);
	/* servers that store whatever comes need not ask for more */
	s->headers = s->curl->curl_slist_append(s->headers, "Expect:");
	s->headers = s->curl->curl_slist_append(s->headers, "Content-Type: application/octet-stream");
	return rc;
}

static enum rc prepare(struct http_store *s, const char *scheme, struct err *e)
{
	const struct address *a = &s->address;
	bool six = strchr(a->host, ':') != NULL;
	char port[16] = "";
	if (a->port)
		snprintf(port, sizeof port, ":%u", a->port);
	for (const char *p = a->path; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == '#' || *p == '%')
			return err_set(e, RC_INPUT,
				       "the path of an HTTP store may hold letters, digits and plain punctuation");
	s->base = mem_printf("%s://%s%s%s%s/%s%sac/", scheme, six ? "[" : "", a->host, six ? "]" : "", port, a->path,
			     *a->path ? "/" : "");
	s->easy = s->curl->curl_easy_init();
	if (!s->easy)
		return err_set(e, RC_ENV, "libcurl gives no handle");
	enum rc rc = add_token(s, e);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	SET(CURLOPT_HTTPHEADER, s->headers);
	SET(CURLOPT_TIMEOUT_MS, (long)a->timeout_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)a->timeout_ms);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, s);
	SET(CURLOPT_READFUNCTION, give_body);
	return rc;
}

/* One question that needs no answer: whether the server is there and lets us in. */
static enum rc knock(struct http_store *s, struct err *e)
{
	struct record_name name = record_name(&s->list_id, list_key, strlen(list_key));
	long status = 0;
	enum rc rc = request(s, METHOD_HEAD, name.hex, NULL, &status, e);
	if (rc == RC_OK && (status == 401 || status == 403))
		return err_set(e, RC_INPUT,
			       "the store at %s lets nobody in without a token or password (status %ld): see "
			       "RF_STORE_TOKEN_FILE, ~/.netrc",
			       s->base, status);
	return rc == RC_OK && status >= 500 ? refused(s, status, "HEAD", e) : rc;
}

static enum rc open_scheme(const char *scheme, void **state, const char *place, const struct store_id *id,
			   unsigned *flags, struct err *e)
{
	struct http_store *s = mem_zalloc(sizeof *s);
	enum rc rc = address_http(&s->address, place, e);
	s->engine = mem_strdup(id->engine);
	s->list_engine = mem_printf("%s/names", id->engine);
	s->id = s->list_id = *id;
	s->id.engine = s->engine;
	s->list_id.engine = s->list_engine;
	if (rc == RC_OK && !(s->curl = curl_load(e)))
		rc = RC_ENV;
	if (rc == RC_OK)
		rc = prepare(s, scheme, e);
	if (rc == RC_OK) {
		*flags |= s->address.flags;
		rc = knock(s, e);
		if (rc == RC_OK || rc == RC_ENV) {
			*state = s;
			return rc;
		}
	}
	close_store(s);
	*state = NULL;
	return rc;
}

static enum rc open_http(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	return open_scheme("http", state, place, id, flags, e);
}

static enum rc open_https(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	return open_scheme("https", state, place, id, flags, e);
}

static enum rc get(void *state, const void *key, size_t key_len, struct buf *out, uint64_t *damaged, struct err *e)
{
	struct http_store *s = state;
	struct record_name name = record_name(&s->id, key, key_len);
	enum rc rc = fetch(s, &name, e);
	return rc == RC_OK ? record_value(s->body.at, s->body.n, &s->id, key, key_len, out, damaged) : rc;
}

static enum rc put(void *state, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	struct http_store *s = state;
	enum rc rc = send_record(s, &s->id, key, key_len, value, value_len, e);
	if (rc != RC_OK)
		return rc;
	struct record_name name = record_name(&s->id, key, key_len);
	buf_add(&s->fresh, name.hex, RECORD_NAME);
	return s->fresh.n < (size_t)NEW_NAMES * RECORD_NAME ? RC_OK : write_list(s, e);
}

static enum rc each(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e)
{
	struct http_store *s = state;
	struct buf names = {0}, copy = {0};
	bool more = true;
	enum rc rc = read_list(s, &names, e);
	merge(&names, &s->fresh);
	for (size_t i = 0; rc == RC_OK && more && i < names.n; i += RECORD_NAME) {
		struct record_name name = {{0}};
		struct store_record r;
		char engine[RECORD_ENGINE];
		memcpy(name.hex, names.at + i, RECORD_NAME);
		if (strspn(name.hex, "0123456789abcdef") != RECORD_NAME)
			continue;
		rc = fetch(s, &name, e);
		if (rc != RC_OK) {
			rc = rc == RC_NO ? RC_OK : rc;
			continue;
		}
		/* fn may get and put */
		buf_clear(&copy);
		buf_add(&copy, s->body.at, s->body.n);
		if (record_read(copy.at, copy.n, &r, engine) && record_is_of(&r, &s->id))
			more = fn(user, r.key, r.key_len, r.value, r.value_len);
		else
			++*damaged;
	}
	buf_release(&names);
	buf_release(&copy);
	return rc;
}

#define HTTP_STORE(name, what, function)                                                                               \
	{                                                                                                              \
		.scheme = name, .summary = what, .remote = true, .open = function, STORE_OPERATIONS                    \
	}

const struct store_backend store_http =
	HTTP_STORE("http", "an HTTP server that keeps what is PUT: http://HOST[:PORT]/PREFIX", open_http);
const struct store_backend store_https = HTTP_STORE("https", "the same over TLS", open_https);
