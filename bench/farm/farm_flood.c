/* SPDX-License-Identifier: MIT */
/* How many tests a second go through one Redis server: the real sender, and workers that check signatures, make the
 * text of each test and answer it, but start no process. A test costs nothing, or sleeps; with sleep a worker does one
 * at a time, else 32. Usage: farm_flood unix:PATH [TESTS [WORKERS [MILLISECONDS]]] */
#include "data/clock.h"
#include "farm/sender.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1024 };

static unsigned at_once = 32, sleep_ms;

static _Noreturn void fail(const char *what, const struct err *e)
{
	fprintf(stderr, "farm_flood: %s: %s\n", what, e->text);
	exit(3);
}

static void push(struct redis_link *out, const struct farm *f, const struct answer_message *a)
{
	struct buf b = {0};
	answer_sign(&b, a, &f->key, f->run);
	const struct redis_word words[] = {WORD("RPUSH"), WORD(f->verdicts), {b.at, b.n}};
	redis_send(out, words, 3);
	buf_release(&b);
}

/* Answers the entries of a reply. */
static size_t answer_all(struct redis_link *out, const struct farm *f, struct answer_message *a, const redisReply *list)
{
	struct texts texts;
	struct err e = ERR_INIT;
	texts_init(&texts, 1);
	for (size_t i = 0; i < list->elements; i++) {
		const redisReply *x = list->element[i], *body = x->element[1]->element[1];
		struct task t;
		a->number = strtoull(x->element[0]->str, NULL, 10);
		if (task_check(&t, body->str, body->len, f->record.born, &f->key, f->run, a->number,
			       (int64_t)time(NULL), &e) != RC_OK ||
		    delta_read(&texts, &f->base, t.delta, t.delta_len, 1 << 20, &e) != RC_OK)
			fail("a test", &e);
		a->result.code = texts.text[0].n % 2;
		usleep(sleep_ms * 1000);
		push(out, f, a);
	}
	texts_release(&texts);
	return list->elements;
}

static _Noreturn void work(const struct farm *f)
{
	struct err e = ERR_INIT;
	struct redis_link *link;
	struct answer_message a = {.kind = ANSWER_HELLO, .slots = at_once, .time = (int64_t)time(NULL)};
	char count[8];
	snprintf(count, sizeof count, "%u", at_once);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	random_name(a.worker, WORKER_NAME);
	if (redis_link_open(&link, &f->address, &e) != RC_OK)
		fail("connecting", &e);
	push(link, f, &a);
	a.kind = ANSWER_VERDICT;
	a.result = (struct run_result){.end = RUN_EXITED};
	for (size_t owed = 1;;) {
		redisReply *reply;
		redis_send_text(link, "XREADGROUP", "GROUP", GROUP, a.worker, "COUNT", count, "BLOCK", "900", "STREAMS",
				f->tasks, ">", NULL);
		for (; owed; owed--) {
			if (redis_receive(link, 5, &reply, &e) != RC_OK)
				fail("answering", &e);
			freeReplyObject(reply);
		}
		if (redis_receive(link, 5, &reply, &e) != RC_OK || reply->type == REDIS_REPLY_ERROR)
			_exit(0);
		if (reply->type == REDIS_REPLY_ARRAY)
			owed = answer_all(link, f, &a, reply->element[0]->element[1]);
		freeReplyObject(reply);
	}
}

int main(int argc, char **argv)
{
	static const char *const name[] = {"a"};
	static const unsigned mode[] = {0644};
	const struct fill fill = {.names = name, .modes = mode, .n_files = 1};
	struct farm_spec spec = {argc > 1 ? argv[1] : "", NULL, NULL, "true", &fill, SLOTS};
	struct farm *f;
	struct err e = ERR_INIT;
	unsigned long todo = argc > 2 ? strtoul(argv[2], NULL, 10) : 50000,
		      workers = argc > 3 ? strtoul(argv[3], NULL, 10) : 8;
	if (argc > 4) {
		sleep_ms = (unsigned)strtoul(argv[4], NULL, 10);
		at_once = 1;
	}
	static struct buf text[SLOTS];
	struct buf base = {0};
	for (int i = 0; i < 1000; i++)
		buf_printf(&base, "int f%d(int a) { return a + %d; }\n", i, i);
	if (farm_open(&f, &spec, &e) != RC_OK)
		fail("opening", &e);
	farm_begin(f, &base, NULL, 10);
	unsigned slot;
	struct run_result r;
	farm_poll(f, &slot, &r);
	for (unsigned long i = 0; i < workers; i++)
		if (fork() == 0)
			work(f);
	while (farm_room(f) < workers * at_once)
		farm_poll(f, &slot, &r);
	unsigned long sent = 0, done = 0;
	double start = clock_seconds(), cpu = clock_cpu_seconds();
	for (unsigned i = 0; i < SLOTS; i++)
		buf_add(&text[i], base.at, base.n);
	VEC(unsigned) idle = {0};
	for (unsigned i = 0; i < workers * at_once && i < SLOTS; i++)
		vec_push(&idle, i);
	while (done < todo) {
		while (sent < todo && idle.n) {
			unsigned at = vec_last(&idle);
			text[at].n = base.n - sent % 1000;
			if (!farm_start(f, at, &text[at], NULL))
				break;
			sent++;
			idle.n--;
		}
		struct pollfd wake = {.fd = farm_fd(f), .events = POLLIN};
		enum farm_event ev = farm_poll(f, &slot, &r);
		if (ev == FARM_NOTHING)
			poll(&wake, 1, 20);
		if (ev == FARM_VERDICT) {
			if ((unsigned)r.code != text[slot].n % 2) {
				fprintf(stderr, "farm_flood: a wrong verdict\n");
				return 1;
			}
			vec_push(&idle, slot);
			done++;
		}
	}
	double took = clock_seconds() - start;
	printf("%lu tests by %lu workers in %.2f s: %.1f a second, sender %.1f us of CPU a test", done, workers, took,
	       (double)done / took, (clock_cpu_seconds() - cpu) / (double)done * 1e6);
	if (sleep_ms)
		printf(", %.1f ms a test beside its sleep", took / (double)done * (double)workers * 1000 - sleep_ms);
	printf("\n");
	farm_close(f);
	vec_release(&idle);
	while (wait(NULL) > 0)
		;
	return 0;
}
