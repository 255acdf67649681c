/* SPDX-License-Identifier: MIT */
/* `refrain store info|verify|prune|export URI`: what stores hold, and their upkeep. */
#include "cmd/commands.h"

#include "base/bits.h"
#include "data/json/json.h"
#include "data/text.h"
#include "store/admin.h"
#include "stream/outfile.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct store_options {
	const char *engine, *scope, *output;
	double days;        /* < 0: any age */
	uint64_t max_bytes; /* UINT64_MAX: not given */
	bool damaged;
};

static const char json_schema[] = "refrain.store/1";

static const struct store_options defaults = {.days = -1, .max_bytes = UINT64_MAX};

#define VALUES struct store_options
static const struct opt select_opts[] = {
	{TEXT(0, "engine", "NAME", engine, "take only entries of this engine")},
	{TEXT(0, "scope", "HEX", scope, "take only entries whose scope begins with HEX")},
	{0},
};

static const struct opt prune_opts[] = {
	{SECONDS(0, "older-than", "DAYS", days, "remove only entries that were last put more than DAYS days ago")},
	{SIZE(0, "max-bytes", "SIZE", max_bytes, "keep the newest of the chosen entries, up to SIZE")},
	{FLAG(0, "damaged", damaged, "remove only damaged entries")},
	{0},
};

static const struct opt export_opts[] = {
	{TEXT('o', "output", "FILE", output, "write to FILE (default: standard output)")},
	{0},
};

/* One line of `info`: all entries of an identity. */
struct group {
	char *engine;
	unsigned schema;
	char scope[65];
	uint64_t entries, bytes, damaged;
	int64_t oldest, newest;
};

struct survey {
	const struct store_options *o;
	VEC(struct group) groups;
	struct group all;
};

static bool chosen(const struct store_options *o, const struct store_record *r, char *scope)
{
	digest_hex(r->id.scope.byte, sizeof r->id.scope.byte, scope);
	return (!o->engine || strcmp(o->engine, r->id.engine) == 0) &&
	       (!o->scope || strncmp(o->scope, scope, strlen(o->scope)) == 0);
}

static void count(struct group *g, const struct store_record *r)
{
	if (!g->entries || r->time < g->oldest)
		g->oldest = r->time;
	if (!g->entries || r->time > g->newest)
		g->newest = r->time;
	g->entries++;
	g->bytes += r->key_len + r->value_len;
	g->damaged += r->damaged;
}

static bool survey_record(void *user, const struct store_record *r)
{
	struct survey *s = user;
	char scope[65];
	if (!chosen(s->o, r, scope))
		return true;
	size_t i = s->groups.n;
	/* records of one identity mostly stand together */
	while (i-- > 0) {
		const struct group *g = &s->groups.at[i];
		if (g->schema == r->id.schema && strcmp(g->engine, r->id.engine) == 0 && strcmp(g->scope, scope) == 0)
			break;
	}
	if (i == SIZE_MAX) {
		i = s->groups.n;
		vec_push(&s->groups, ((struct group){.engine = mem_strdup(r->id.engine), .schema = r->id.schema}));
		memcpy(s->groups.at[i].scope, scope, sizeof scope);
	}
	count(&s->groups.at[i], r);
	count(&s->all, r);
	return true;
}

static enum rc open_store(const struct invocation *inv, bool write, struct store_admin **a, struct err *e)
{
	const struct store_options *o = inv->values;
	if (inv->args.n != 1)
		return err_set(e, RC_INPUT, "one URI is needed (see 'refrain %s --help')", inv->cmd->name);
	if (o->scope && (!*o->scope || strlen(o->scope) > 64 || o->scope[strspn(o->scope, "0123456789abcdef")]))
		return err_set(e, RC_INPUT, "--scope: invalid scope '%s' (digits 0-9 and a-f)", o->scope);
	return store_admin_open(a, inv->args.at[0], write, e);
}

static void date_text(int64_t t, char *out, size_t size)
{
	time_t when = (time_t)t;
	struct tm tm;
	if (!gmtime_r(&when, &tm) || strftime(out, size, "%Y-%m-%d %H:%M", &tm) == 0)
		snprintf(out, size, "?");
}

static void json_group(struct json_writer *w, const struct group *g)
{
	json_kv_uint(w, "entries", g->entries);
	json_kv_uint(w, "bytes", g->bytes);
	json_kv_uint(w, "damaged", g->damaged);
	if (g->entries) {
		json_kv_int(w, "oldest", g->oldest);
		json_kv_int(w, "newest", g->newest);
	}
}

static enum rc survey_json(const struct invocation *inv, const struct survey *s, const struct buf *problems,
			   struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, json_schema);
	json_kv_string(w, "uri", inv->args.at[0]);
	json_group(w, &s->all);
	json_key(w, "identities");
	json_array(w);
	for (size_t i = 0; i < s->groups.n; i++) {
		json_object(w);
		json_kv_string(w, "engine", s->groups.at[i].engine);
		json_kv_uint(w, "schema", s->groups.at[i].schema);
		json_kv_string(w, "scope", s->groups.at[i].scope);
		json_group(w, &s->groups.at[i]);
		json_object_end(w);
	}
	json_array_end(w);
	if (problems)
		json_kv_bool(w, "sound", problems->n == 0 && s->all.damaged == 0);
	return cmd_json_end(inv, &doc, e);
}

static void survey_print(const struct survey *s)
{
	printf("%-14s %6s  %-16s %10s %14s %8s  %s\n", "ENGINE", "SCHEMA", "SCOPE", "ENTRIES", "BYTES", "DAMAGED",
	       "NEWEST (UTC)");
	for (size_t i = 0; i < s->groups.n; i++) {
		const struct group *g = &s->groups.at[i];
		char engine[64], newest[32];
		text_escape(g->engine, strlen(g->engine), engine, sizeof engine);
		date_text(g->newest, newest, sizeof newest);
		printf("%-14s %6u  %.16s %10llu %14llu %8llu  %s\n", *engine ? engine : "?", g->schema, g->scope,
		       (unsigned long long)g->entries, (unsigned long long)g->bytes, (unsigned long long)g->damaged,
		       newest);
	}
	printf("%-14s %6s  %-16s %10llu %14llu %8llu\n", "all", "", "", (unsigned long long)s->all.entries,
	       (unsigned long long)s->all.bytes, (unsigned long long)s->all.damaged);
}

static void survey_release(struct survey *s)
{
	for (size_t i = 0; i < s->groups.n; i++)
		free(s->groups.at[i].engine);
	vec_release(&s->groups);
}

static int run_info(struct invocation *inv)
{
	struct err e = ERR_INIT;
	struct store_admin *a = NULL;
	struct survey s = {.o = inv->values};
	enum rc rc = open_store(inv, false, &a, &e);
	if (rc == RC_OK)
		rc = store_admin_each(a, survey_record, &s, &e);
	if (rc == RC_OK && inv->common.json)
		rc = survey_json(inv, &s, NULL, &e);
	else if (rc == RC_OK)
		survey_print(&s);
	store_admin_close(a);
	survey_release(&s);
	return rc == RC_OK ? 0 : cmd_fail(&e);
}

/* Damage in the structure ends the reading early; verify says so instead of failing. */
static enum rc examine(struct store_admin *a, struct survey *s, struct buf *problems, struct err *e)
{
	struct err damage = ERR_INIT;
	enum rc rc = store_admin_check(a, problems, e);
	if (rc != RC_OK && rc != RC_NO)
		return rc;
	rc = store_admin_each(a, survey_record, s, &damage);
	if (rc == RC_INPUT)
		buf_str_add(problems, "some entries cannot be reached\n");
	else if (rc != RC_OK)
		return err_set(e, rc, "%s", damage.text);
	return RC_OK;
}

static int run_verify(struct invocation *inv)
{
	struct err e = ERR_INIT;
	struct store_admin *a = NULL;
	struct survey s = {.o = inv->values};
	struct buf problems = {0};
	enum rc rc = open_store(inv, false, &a, &e);
	if (rc == RC_OK)
		rc = examine(a, &s, &problems, &e);
	bool sound = problems.n == 0 && s.all.damaged == 0;
	if (rc == RC_OK && inv->common.json)
		rc = survey_json(inv, &s, &problems, &e);
	else if (rc == RC_OK)
		printf("%llu entries, %llu damaged\n", (unsigned long long)s.all.entries,
		       (unsigned long long)s.all.damaged);
	if (rc == RC_OK && problems.n && !inv->common.quiet)
		fprintf(stderr, "refrain: the structure of the store is damaged:\n%s", buf_str(&problems));
	if (rc == RC_OK && !sound && !inv->common.quiet)
		fprintf(stderr, "refrain: damaged entries are never used; 'refrain store prune --damaged' removes "
				"them\n");
	store_admin_close(a);
	survey_release(&s);
	buf_release(&problems);
	return rc != RC_OK ? cmd_fail(&e) : sound ? 0 : 1;
}

static enum rc prune_json(const struct invocation *inv, const struct store_pruned *p, struct err *e)
{
	const struct json_count counts[] = {
		{"removed_entries", p->entries},
		{"removed_bytes", p->bytes},
		{"file_bytes_before", p->file_before},
		{"file_bytes_after", p->file_after},
	};
	return cmd_json_counts(inv, json_schema, "uri", inv->args.at[0], counts, ARRAY_LEN(counts), e);
}

static int run_prune(struct invocation *inv)
{
	const struct store_options *o = inv->values;
	struct err e = ERR_INIT;
	struct store_admin *a = NULL;
	struct store_pruned p = {0};
	struct store_prune what = {.before = INT64_MAX, .engine = o->engine, .scope = o->scope, .damaged = o->damaged};
	enum rc rc = RC_OK;
	if (!o->engine && !o->scope && o->days < 0 && o->max_bytes == UINT64_MAX && !o->damaged)
		rc = err_set(
			&e, RC_INPUT,
			"nothing to remove was named: give --older-than, --engine, --scope, --max-bytes or --damaged");
	if (o->days >= 0)
		what.before = (int64_t)time(NULL) - (int64_t)(o->days * 86400 < 1e15 ? o->days * 86400 : 1e15);
	if (o->max_bytes != UINT64_MAX)
		what.keep_bytes = o->max_bytes;
	if (rc == RC_OK)
		rc = open_store(inv, true, &a, &e);
	if (rc == RC_OK)
		rc = store_admin_prune(a, &what, &p, &e);
	if (rc == RC_OK && inv->common.json)
		rc = prune_json(inv, &p, &e);
	else if (rc == RC_OK && !inv->common.quiet)
		printf("removed %llu entries (%llu bytes); the %s went from %llu to %llu bytes\n",
		       (unsigned long long)p.entries, (unsigned long long)p.bytes,
		       store_remote(inv->args.at[0]) ? "server's memory" : "file", (unsigned long long)p.file_before,
		       (unsigned long long)p.file_after);
	store_admin_close(a);
	return rc == RC_OK ? 0 : cmd_fail(&e);
}

struct export
{
	const struct store_options *o;
	struct outfile *to;
	struct buf line;
	uint64_t written, damaged;
};

/* As text when it is text, else NAME_base64. */
static void json_bytes(struct json_writer *w, const char *name, const char *name64, const void *p, size_t n)
{
	size_t i = 0;
	for (unsigned len; i < n && (len = text_utf8_len((const char *)p + i, n - i)) > 0; i += len)
		;
	if (i == n) {
		json_key(w, name);
		json_string_n(w, n ? p : "", n);
		return;
	}
	struct buf text = {0};
	buf_base64(&text, p, n);
	json_kv_string(w, name64, buf_str(&text));
	buf_release(&text);
}

static bool export_record(void *user, const struct store_record *r)
{
	struct export *x = user;
	struct json_writer w;
	char scope[65];
	if (!chosen(x->o, r, scope))
		return true;
	if (r->damaged) {
		x->damaged++;
		return true;
	}
	buf_clear(&x->line);
	json_writer_init(&w, &x->line, false);
	json_object(&w);
	json_kv_string(&w, "engine", r->id.engine);
	json_kv_uint(&w, "schema", r->id.schema);
	json_kv_string(&w, "scope", scope);
	json_kv_int(&w, "time", r->time);
	json_bytes(&w, "key", "key_base64", r->key, r->key_len);
	json_bytes(&w, "value", "value_base64", r->value, r->value_len);
	json_object_end(&w);
	buf_char(&x->line, '\n');
	x->written++;
	return outfile_write(x->to, x->line.at, x->line.n);
}

static enum rc export_json(const struct invocation *inv, const struct export *x, struct err *e)
{
	const struct json_count counts[] = {{"exported_entries", x->written}, {"damaged", x->damaged}};
	return cmd_json_counts(inv, json_schema, "uri", inv->args.at[0], counts, ARRAY_LEN(counts), e);
}

static int run_export(struct invocation *inv)
{
	const struct store_options *o = inv->values;
	struct err e = ERR_INIT;
	struct store_admin *a = NULL;
	struct export x = {.o = o};
	const char *to = o->output ? o->output : "-";
	enum rc rc = open_store(inv, false, &a, &e);
	if (rc == RC_OK && cmd_json_stdout(inv) && strcmp(to, "-") == 0)
		rc = err_set(&e, RC_INPUT, "both the entries and --json want standard output: give one of them a file");
	if (rc == RC_OK)
		rc = outfile_create(&x.to, to, &e);
	if (rc == RC_OK) {
		rc = store_admin_each(a, export_record, &x, &e);
		if (rc == RC_OK)
			rc = outfile_close(x.to, &e);
		else
			outfile_abandon(x.to);
	}
	if (rc == RC_OK)
		rc = export_json(inv, &x, &e);
	if (rc == RC_OK && x.damaged && !inv->common.quiet)
		fprintf(stderr, "refrain: %llu damaged entries were left out\n", (unsigned long long)x.damaged);
	store_admin_close(a);
	buf_release(&x.line);
	return rc == RC_OK ? 0 : cmd_fail(&e);
}

#define STORE_COMMAND(word, line, more, table, function)                                                               \
	{                                                                                                              \
		COMMAND("store " word, "URI", line, more), OPTIONS(table, &defaults), .shared = select_opts,           \
										      RUN(function, 0)                 \
	}

static const struct command store_info = STORE_COMMAND("info", "list what a store holds", NULL, NULL, run_info);
static const struct command store_verify =
	STORE_COMMAND("verify", "read and check every entry; exit 1 if some are damaged", NULL, NULL, run_verify);
static const struct command store_prune =
	STORE_COMMAND("prune", "remove entries and give their space back",
		      "Entries that meet all of the given conditions are removed. Other processes may use the store "
		      "meanwhile.",
		      prune_opts, run_prune);
static const struct command store_export =
	STORE_COMMAND("export", "print entries as JSON lines",
		      "Keys and values are strings where they are text, else base64 under the names key_base64 and "
		      "value_base64.",
		      export_opts, run_export);

static const struct command *const subs[] = {&store_info, &store_verify, &store_prune, &store_export, NULL};

const struct command cmd_store = {
	.name = "store",
	.operands = "info|verify|prune|export URI",
	.summary = "look into stores of results, check and prune them",
	.details = "URI is sqlite:PATH or just PATH, or that of a Redis server (redis://HOST, unix:PATH).",
	.subs = subs,
};
