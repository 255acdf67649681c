/* SPDX-License-Identifier: MIT */
/* The session's store: cores as SMT-LIB scripts, models as definitions, whole queries as digests, readable by any run
 * and process.
 *
 * A core from a store is a hypothesis: it is read back through the same reader as scripts, and proved by the solver
 * before its first use. A damaged or foreign entry is passed over. What other processes learn meanwhile comes as news.
 * With a key (trust_key) a core that was proved here is signed, its text and the scope; who has the key takes it as
 * proved. */
#include "smt/session/internal.h"

#include "data/clock.h"
#include "store/store.h"

#include <string.h>

enum { STORE_SCHEMA = 1 };

/* How often news are looked for. */
#define NEWS_S 0.05

/* ---- signatures */

static const char sign_line[] = "; signed ";
enum { SIGN_HEX = 2 * SIGNATURE, SIGN_LINE = sizeof sign_line - 1 + SIGN_HEX + 1 };

/* A line that says that the core with this text has been proved. */
static void add_signature(const struct learnt *l, const char *text, size_t n, struct buf *out)
{
	struct buf b = {0};
	char hex[SIGN_HEX + 1];
	buf_add(&b, l->scope.byte, sizeof l->scope.byte);
	buf_add(&b, text, n);
	sign(&b, &l->key, SIGN_CORE, "smt core", 0);
	digest_hex((const unsigned char *)b.at + b.n - SIGNATURE, SIGNATURE, hex);
	buf_printf(out, "%s%s\n", sign_line, hex);
	buf_release(&b);
}

/* Takes the signature off the end of a core's text; whether it is ours. */
static bool take_signature(const struct learnt *l, const char *text, size_t *n)
{
	if (*n < SIGN_LINE || memcmp(text + *n - SIGN_LINE, sign_line, sizeof sign_line - 1) != 0)
		return false;
	*n -= SIGN_LINE;
	if (!l->key.bytes.n)
		return false;
	struct buf want = {0};
	add_signature(l, text, *n, &want);
	bool ours = sign_same(want.at, text + *n, SIGN_LINE);
	buf_release(&want);
	return ours;
}

/* ---- reading */

struct loader {
	struct learnt *to;
	bool trusting; /* cores are whole queries, and the user trusts the store with them */
	struct reader reader;
	bool reading; /* there was a core, the reader is in use */
};

static struct loader loader_of(struct smt_session *s)
{
	return (struct loader){.to = &s->learnt, .trusting = s->o.trust_store && (s->o.mode->flags & MODE_WHOLE)};
}

static void loader_release(struct loader *l)
{
	if (l->reading)
		reader_release(&l->reader);
}

/* Whether a core is in the store as far as we know, as proved if it is; from now on it is. */
static bool core_known(struct learnt *l, const struct digest256 *d, bool proved)
{
	struct wholes *set = proved ? &l->proved : &l->shared;
	if (wholes_has(&l->proved, d) || wholes_has(set, d))
		return true;
	wholes_add(set, d);
	return false;
}

/* A comment line with the origin, then the script, and perhaps a signature. What is known already is passed over,
 * unless it is known as proved only now. */
static void load_core(struct loader *l, const char *text, size_t n)
{
	const char *nl = memchr(text, '\n', n);
	if (!nl || text[0] != ';')
		return;
	const char *script = nl + 1;
	size_t len = n - (size_t)(script - text);
	bool proved = take_signature(l->to, script, &len) || l->trusting;
	struct digest256 d = digest_sha256(script, len);
	if (core_known(l->to, &d, proved))
		return;
	if (!l->reading)
		reader_init(&l->reader);
	l->reading = true;
	if (reader_text(&l->reader, text, len + (size_t)(script - text)) != RC_OK || !l->reader.assertion.n)
		return;
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < l->reader.query.conj.n; i++)
		vec_push(&all, i);
	char *origin = mem_strndup(text + 2 > nl ? nl : text + 2, text + 2 > nl ? 0 : (size_t)(nl - text) - 2);
	cache_add(l->to->cache, &l->reader.query, all.at, all.n, proved, origin);
	free(origin);
	vec_release(&all);
}

static bool load_entry(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct loader *l = user;
	if (key_len && *(const char *)key == 'c')
		load_core(l, value, value_len);
	else if (key_len && *(const char *)key == 'm' && l->to->models)
		models_add_text(l->to->models, value, value_len);
	return true;
}

/* A store that fails warns once and is left alone, the answers go on. */
static void warn_once(struct smt_session *s)
{
	const char *warning = store_warning(s->learnt.store);
	if (warning && !s->learnt.store_warned)
		buf_printf(&s->messages, "store: %s\n", warning);
	s->learnt.store_warned = warning != NULL;
}

enum rc stored_open(struct smt_session *s, struct err *e)
{
	struct digest_parts *d = digest_parts_new();
	digest_parts_str(d, "refrain smt");
	/* cores of one form are of no use to a mode that matches another */
	digest_parts_str(d, s->o.mode->name);
	/* nor are answers of a solver whose arguments may give operators another meaning */
	if (s->mirror.solver->meaning_options)
		digest_parts_str(d, s->mirror.solver->command);
	struct store_id id = {"smt", STORE_SCHEMA, digest_parts_end(d)};
	s->learnt.scope = id.scope;
	enum rc rc = sign_key_read(&s->learnt.key, s->o.trust_key, e);
	if (rc == RC_OK)
		rc = store_open(&s->learnt.store, s->o.store, &id, STORE_NEWS | (s->o.frozen ? STORE_READONLY : 0), e);
	if (rc != RC_OK)
		return rc;
	struct loader l = loader_of(s);
	rc = store_each(s->learnt.store, load_entry, &l, e);
	loader_release(&l);
	warn_once(s);
	return rc;
}

void stored_news(struct smt_session *s)
{
	double now = clock_seconds();
	if (!s->learnt.store || now < s->learnt.news_at)
		return;
	struct loader l = loader_of(s);
	s->learnt.news_at = now + NEWS_S;
	store_news(s->learnt.store, load_entry, &l);
	loader_release(&l);
	warn_once(s);
}

/* ---- writing */

static bool writing(const struct smt_session *s)
{
	return s->learnt.store && !s->o.frozen;
}

static void put(struct smt_session *s, const char *key, size_t key_len, const struct buf *value)
{
	store_put(s->learnt.store, key, key_len, value->at, value->n, NULL);
	warn_once(s);
}

/* A letter for the kind of entry and a digest in hexadecimal. */
enum { KEY_LEN = 1 + 2 * sizeof(struct digest256) };
struct key {
	char text[KEY_LEN + 1];
};

static struct key key_of(char kind, const struct digest256 *d)
{
	struct key k = {.text = {kind}};
	digest_hex(d->byte, sizeof d->byte, k.text + 1);
	return k;
}

bool stored_has(struct smt_session *s, char kind, const struct digest256 *d)
{
	struct err e = ERR_INIT;
	struct buf value = {0};
	struct key key = key_of(kind, d);
	if (!s->learnt.store)
		return false;
	bool has = store_get(s->learnt.store, key.text, KEY_LEN, &value, &e) == RC_OK && value.n == 5 &&
		   !memcmp(value.at, "unsat", 5);
	buf_release(&value);
	return has;
}

void stored_add(struct smt_session *s, char kind, const struct digest256 *d)
{
	struct buf value = {0};
	struct key key = key_of(kind, d);
	/* only who trusts the store reads it: on a server, whose every put costs all others, only these write it */
	if (!writing(s) || (store_remote(s->o.store) && !s->o.trust_store))
		return;
	buf_str_add(&value, "unsat");
	put(s, key.text, KEY_LEN, &value);
	buf_release(&value);
}

void stored_add_core(struct smt_session *s, const struct core *c)
{
	if (!writing(s))
		return;
	struct buf text = {0}, value = {0};
	if (core_print(c, &s->printer, &text, false) == RC_OK) {
		struct digest256 d = digest_sha256(text.at, text.n);
		struct key key = key_of('c', &d);
		bool proved = c->proved && s->learnt.key.bytes.n && session_standard(s);
		bool there = core_known(&s->learnt, &d, proved);
		/* the origin must not end the comment */
		buf_str_add(&value, "; ");
		for (const char *p = c->origin; *p; p++)
			buf_char(&value, *p == '\n' || *p == '\r' ? ' ' : *p);
		buf_char(&value, '\n');
		buf_add(&value, text.at, text.n);
		if (proved)
			add_signature(&s->learnt, text.at, text.n, &value);
		if (!there)
			put(s, key.text, KEY_LEN, &value);
	}
	buf_release(&text);
	buf_release(&value);
}

void stored_proved(struct smt_session *s, const struct core *c)
{
	if (s->learnt.key.bytes.n)
		stored_add_core(s, c);
}

void stored_add_model(struct smt_session *s)
{
	if (!writing(s))
		return;
	struct buf key = {0}, value = {0};
	models_newest_text(s->learnt.models, &key, &value);
	put(s, key.at, key.n, &value);
	buf_release(&key);
	buf_release(&value);
}

const char *smt_session_store_warning(const struct smt_session *s)
{
	return s->learnt.store ? store_warning(s->learnt.store) : NULL;
}

bool smt_session_store_failed(const struct smt_session *s)
{
	return s->learnt.store && store_failed(s->learnt.store);
}
