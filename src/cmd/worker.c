/* SPDX-License-Identifier: MIT */
/* `refrain worker`: options and messages. The work is in src/farm. */
#include "cmd/commands.h"

#include "base/bits.h"
#include "data/text.h"
#include "farm/worker.h"
#include "process/runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct worker_values {
	uint64_t jobs;
	const char *key;
	bool sandbox;
};

static const char details[] =
	"URL is the Redis server where 'refrain reduce --workers=URL' sends its tests: "
	"redis://[USER@]HOST[:PORT][/DATABASE] or "
	"unix:PATH. A worker may come and go at any time; it ends on INT or TERM and gives its tests back.\n"
	"A worker runs programs that it is sent. Unless only this machine reaches the server, it needs a key that "
	"'refrain reduce' has too: 'head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE'. What is not signed with "
	"it, has "
	"expired or came before is refused.\n"
	"A test finds its files and what --with named, and the programs of this machine. It is tried first on the text "
	"that "
	"the run starts from: a worker where that is not interesting does not serve the run.";

#define VALUES struct worker_values
static const struct opt opts[] = {
	{COUNT('j', "jobs", "N", jobs, 1, 1024, "run N tests at the same time (default: one per core)")},
	{TEXT(0, "key", "FILE", key, "serve only runs that are signed with the key in FILE")},
	{FLAG(0, "sandbox", sandbox, "run tests without network, with all but their scratch folders read-only")},
	{0},
};

static void say(void *user, const char *text)
{
	const struct invocation *inv = user;
	char line[2048];
	if (inv->common.quiet)
		return;
	text_escape(text, strlen(text), line, sizeof line);
	fprintf(stderr, "refrain: %s\n", line);
}

static enum rc write_json(const struct invocation *inv, const struct worker_counts *c, struct err *e)
{
	const struct json_count counts[] = {
		{"runs", c->runs}, {"tests", c->tests}, {"cancelled", c->cancelled}, {"refused", c->refused}};
	return cmd_json_counts(inv, "refrain.worker/1", "url", inv->args.at[0], counts, ARRAY_LEN(counts), e);
}

static int run_worker(struct invocation *inv)
{
	const struct worker_values *v = inv->values;
	struct err e = ERR_INIT;
	struct worker_counts counts;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (inv->args.n != 1) {
		err_set(&e, RC_INPUT, inv->args.n ? "one URL only" : "URL is missing: refrain worker URL");
		return cmd_fail(&e);
	}
	struct worker_spec spec = {
		.runner = inv->runner,
		.uri = inv->args.at[0],
		.key_file = v->key,
		.slots = v->jobs    ? (unsigned)v->jobs
			 : cpus > 0 ? (unsigned)cpus
				    : 1,
		.say = say,
		.user = inv,
	};
	runner_catch_signals(inv->runner);
	if (v->sandbox && runner_sandbox(inv->runner, &e) != RC_OK)
		return cmd_fail(&e);
	if (worker_serve(&spec, &counts, &e) != RC_OK)
		return cmd_fail(&e);
	if (inv->common.json)
		return write_json(inv, &counts, &e) == RC_OK ? 0 : cmd_fail(&e);
	if (!inv->common.quiet)
		printf("%llu runs, %llu tests, %llu cancelled, %llu messages refused\n",
		       (unsigned long long)counts.runs, (unsigned long long)counts.tests,
		       (unsigned long long)counts.cancelled, (unsigned long long)counts.refused);
	return 0;
}

const struct command cmd_worker = {
	COMMAND("worker", "URL", "run tests for reductions on other machines", details),
	OPTIONS(opts, NULL),
	RUN(run_worker, COMMAND_RUNNER),
};
