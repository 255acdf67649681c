/* SPDX-License-Identifier: MIT */
/* The session's store: cores as SMT-LIB scripts, models as definitions, both readable by any run and process.
 *
 * A core from a store is a hypothesis: it is read back through the same reader as scripts, and proved by the solver
 * before its first use. A damaged or foreign entry is passed over. */
#include "smt/session/internal.h"

#include "store/store.h"

#include <string.h>

enum { STORE_SCHEMA = 1 };

/* ---- reading */

struct loader {
	struct smt_session *s;
	struct dag dag;
	struct scope scope;
	struct builder builder;
	struct sexpr x;
	struct query query;
	VEC(uint32_t) assertion;
};

static bool load_command(struct loader *l)
{
	uint32_t t;
	const struct sexpr *x = &l->x;
	if (x->n < 3 || x->at[0].kind != SEXPR_LIST)
		return false;
	if (sexpr_is_symbol(x, 1, "assert")) {
		if (builder_term(&l->builder, x, 2, &t) != RC_OK)
			return false;
		vec_push(&l->assertion, t);
		return true;
	}
	if (sexpr_is_symbol(x, 1, "declare-fun"))
		return scope_declare_fun(&l->scope, x) == RC_OK;
	if (sexpr_is_symbol(x, 1, "define-sort"))
		return scope_define_sort(&l->scope, x) == RC_OK;
	scope_note(&l->scope, x);
	return true;
}

/* A comment line with the origin, then the script. */
static void load_core(struct loader *l, const char *text, size_t n)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	const char *nl = memchr(text, '\n', n);
	if (!nl || text[0] != ';')
		return;
	scope_clear(&l->scope);
	vec_clear(&l->assertion);
	while (sexpr_split_next(&sp, text, n, true) == SEXPR_FOUND)
		if (sexpr_parse(&l->x, text + sp.start, sp.at - sp.start, NULL, 1, 1, NULL) != RC_OK ||
		    !load_command(l))
			return;
	if (!l->assertion.n || l->scope.odd)
		return;
	query_set(&l->query, &l->dag, l->assertion.at, l->assertion.n, buf_str(&l->scope.context), l->scope.context.n);
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < l->query.conj.n; i++)
		vec_push(&all, i);
	char *origin = mem_strndup(text + 2 > nl ? nl : text + 2, text + 2 > nl ? 0 : (size_t)(nl - text) - 2);
	cache_add(l->s->cache, &l->query, all.at, all.n, false, origin);
	free(origin);
	vec_release(&all);
}

static bool load_entry(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct loader *l = user;
	if (key_len && *(const char *)key == 'c')
		load_core(l, value, value_len);
	else if (key_len && *(const char *)key == 'm' && l->s->models)
		models_add_text(l->s->models, value, value_len);
	return true;
}

enum rc smt_session_store_open(struct smt_session *s, struct err *e)
{
	struct digest_parts *d = digest_parts_new();
	digest_parts_str(d, "refrain smt");
	/* cores of one form are of no use to a mode that matches another */
	digest_parts_str(d, s->o.mode->name);
	struct store_id id = {"smt", STORE_SCHEMA, digest_parts_end(d)};
	enum rc rc = store_open(&s->store, s->o.store, &id, s->o.frozen ? STORE_READONLY : 0, e);
	if (rc != RC_OK)
		return rc;
	struct loader l = {.s = s};
	dag_init(&l.dag);
	scope_init(&l.scope, &l.dag);
	builder_init(&l.builder, &l.scope);
	rc = store_each(s->store, load_entry, &l, e);
	builder_release(&l.builder);
	scope_release(&l.scope);
	dag_release(&l.dag);
	sexpr_release(&l.x);
	query_release(&l.query);
	vec_release(&l.assertion);
	return rc;
}

/* ---- writing: a store that fails warns once and is left alone, the answers go on */

static void put(struct smt_session *s, const char *key, size_t key_len, const struct buf *value)
{
	struct err e = ERR_INIT;
	const char *before = store_warning(s->store);
	if (store_put(s->store, key, key_len, value->at, value->n, &e) != RC_OK && e.text[0] && !before)
		buf_printf(&s->messages, "store: %s\n", e.text);
	else if (!before && store_warning(s->store))
		buf_printf(&s->messages, "store: %s\n", store_warning(s->store));
}

static void whole_key(const struct digest256 *d, char key[66])
{
	key[0] = 'w';
	digest_hex(d->byte, sizeof d->byte, key + 1);
}

bool smt_session_store_has_whole(struct smt_session *s, const struct digest256 *d)
{
	struct err e = ERR_INIT;
	struct buf value = {0};
	char key[66];
	if (!s->store)
		return false;
	whole_key(d, key);
	bool has = store_get(s->store, key, 65, &value, &e) == RC_OK && value.n == 5 && !memcmp(value.at, "unsat", 5);
	buf_release(&value);
	return has;
}

void smt_session_store_whole(struct smt_session *s, const struct digest256 *d)
{
	char key[66];
	struct buf value = {0};
	if (!s->store || s->o.frozen)
		return;
	whole_key(d, key);
	buf_str_add(&value, "unsat");
	put(s, key, 65, &value);
	buf_release(&value);
}

void smt_session_store_core(struct smt_session *s, const struct core *c)
{
	if (!s->store || s->o.frozen)
		return;
	struct buf text = {0}, value = {0};
	if (core_print(c, &s->printer, &text, false) == RC_OK) {
		char key[1 + 64 + 1] = "c";
		struct digest256 d = digest_sha256(text.at, text.n);
		digest_hex(d.byte, sizeof d.byte, key + 1);
		/* the origin must not end the comment */
		buf_str_add(&value, "; ");
		for (const char *p = c->origin; *p; p++)
			buf_char(&value, *p == '\n' || *p == '\r' ? ' ' : *p);
		buf_char(&value, '\n');
		buf_add(&value, text.at, text.n);
		put(s, key, 65, &value);
	}
	buf_release(&text);
	buf_release(&value);
}

void smt_session_store_model(struct smt_session *s)
{
	if (!s->store || s->o.frozen)
		return;
	struct buf key = {0}, value = {0};
	models_newest_text(s->models, &key, &value);
	put(s, key.at, key.n, &value);
	buf_release(&key);
	buf_release(&value);
}

const char *smt_session_store_warning(const struct smt_session *s)
{
	return s->store ? store_warning(s->store) : NULL;
}

void smt_session_store_close(struct smt_session *s)
{
	if (s->store)
		store_close(s->store);
	s->store = NULL;
}
