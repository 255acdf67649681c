/* SPDX-License-Identifier: MIT */
/* Verdicts on disk: see ledger.h. */
#include "reduce/run/ledger.h"

#include "store/store.h"

#include <string.h>
#include <unistd.h>

enum { LEDGER_SCHEMA = 1 };

struct ledger {
	struct store *verdicts, *notes;
	char *path; /* of a private file */
	char *run;
	bool shared, resumed;
	bool own; /* no server: what is in it, this user's runs have tested */
};

struct digest256 ledger_key(const struct buf *texts, size_t n)
{
	if (n == 1)
		return digest_sha256(buf_str(texts), texts->n);
	struct digest_parts *d = digest_parts_new();
	for (size_t i = 0; i < n; i++)
		digest_parts_add(d, buf_str(&texts[i]), texts[i].n);
	return digest_parts_end(d);
}

/* SQLite keeps two files beside a database. */
void ledger_remove(const char *path)
{
	static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		char *p = mem_printf("%s%s", path, suffix[i]);
		unlink(p);
		free(p);
	}
}

/* A file beside a server holds that server's answers too: a run with the file alone must not see them. */
static enum rc open_stores(struct ledger *l, const struct ledger_spec *spec, struct err *e)
{
	struct store_id notes = {.engine = "reduce-run", .schema = LEDGER_SCHEMA};
	struct store_id verdicts = {
		.engine = l->own ? "reduce" : "reduce-shared", .schema = LEDGER_SCHEMA, .scope = spec->scope};
	enum rc rc = store_open(&l->notes, spec->uri, &notes, 0, e);
	return rc == RC_OK ? store_open(&l->verdicts, spec->uri, &verdicts, 0, e) : rc;
}

/* Whether a run of that name is there to be resumed; RC_INPUT when it was made with another test. */
static enum rc check_resumable(struct ledger *l, const struct ledger_spec *spec, struct err *e)
{
	struct buf old = {0};
	enum rc rc = RC_OK;
	l->resumed = ledger_note_get(l, "scope", &old);
	if (l->resumed && (old.n != sizeof spec->scope || memcmp(old.at, &spec->scope, sizeof spec->scope) != 0))
		rc = err_set(e, RC_INPUT,
			     "cannot resume: the run in '%s' was made with another test or other file names; "
			     "start without --resume",
			     spec->uri);
	buf_release(&old);
	return rc;
}

enum rc ledger_open(struct ledger **out, const struct ledger_spec *spec, struct err *e)
{
	*out = NULL;
	struct ledger *l = mem_zalloc(sizeof *l);
	l->run = mem_strdup(spec->run);
	l->own = !store_remote(spec->uri);
	l->shared = spec->resume || !spec->private;
	/* opening says whether an existing file is ours to remove */
	enum rc rc = open_stores(l, spec, e);
	if (rc == RC_OK && spec->private && !spec->resume) {
		store_close(l->verdicts);
		store_close(l->notes);
		l->verdicts = l->notes = NULL;
		ledger_remove(spec->uri);
		rc = open_stores(l, spec, e);
	}
	if (rc == RC_OK && spec->resume)
		rc = check_resumable(l, spec, e);
	if (rc != RC_OK) {
		ledger_close(l, NULL);
		return rc;
	}
	if (spec->private)
		l->path = mem_strdup(spec->uri);
	ledger_note(l, "scope", &spec->scope, sizeof spec->scope);
	*out = l;
	return RC_OK;
}

bool ledger_shared(const struct ledger *l)
{
	return l->shared;
}

bool ledger_own(const struct ledger *l)
{
	return l->own;
}

bool ledger_resumed(const struct ledger *l)
{
	return l->resumed;
}

bool ledger_get(struct ledger *l, const struct digest256 *key, bool *interesting)
{
	struct buf value = {0};
	bool known = store_get(l->verdicts, key, sizeof *key, &value, NULL) == RC_OK && value.n == 1;
	if (known)
		*interesting = value.at[0] == '1';
	buf_release(&value);
	return known;
}

void ledger_put(struct ledger *l, const struct digest256 *key, bool interesting)
{
	store_put(l->verdicts, key, sizeof *key, interesting ? "1" : "0", 1, NULL);
}

static bool count_one(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	uint64_t *n = user;
	(void)key, (void)key_len, (void)value, (void)value_len;
	++*n;
	return true;
}

uint64_t ledger_count(struct ledger *l)
{
	uint64_t n = 0;
	store_each(l->verdicts, count_one, &n, NULL);
	return n;
}

static char *note_key(const struct ledger *l, const char *name, size_t *n)
{
	char *key = mem_printf("%s:%s", name, l->run);
	*n = strlen(key);
	return key;
}

void ledger_note(struct ledger *l, const char *name, const void *value, size_t n)
{
	size_t n_key;
	char *key = note_key(l, name, &n_key);
	store_put(l->notes, key, n_key, value, n, NULL);
	free(key);
}

bool ledger_note_get(struct ledger *l, const char *name, struct buf *out)
{
	size_t n_key;
	char *key = note_key(l, name, &n_key);
	bool found = store_get(l->notes, key, n_key, out, NULL) == RC_OK;
	free(key);
	return found;
}

const char *ledger_warning(const struct ledger *l)
{
	const char *w = store_warning(l->verdicts);
	return w ? w : store_warning(l->notes);
}

bool ledger_failed(const struct ledger *l)
{
	return store_failed(l->verdicts) || store_failed(l->notes);
}

void ledger_close(struct ledger *l, char **over)
{
	if (over)
		*over = NULL;
	if (!l)
		return;
	store_close(l->verdicts);
	store_close(l->notes);
	if (over)
		*over = l->path;
	else
		free(l->path);
	free(l->run);
	free(l);
}
