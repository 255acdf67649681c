/* SPDX-License-Identifier: MIT */
/* A pool of threads: see pool.h. One lock guards everything; the test runs without it. */
#include "reduce/run/pool.h"

#include "base/invariant.h"
#include "data/mem.h"

#include <pthread.h>

enum state { STATE_FREE, STATE_QUEUED, STATE_RUNNING, STATE_DONE };

struct job {
	enum state state;
	uint64_t order; /* of the questions */
	const struct buf *text;
	int answer;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct job *job;
	unsigned slots, threads;
	pthread_t *thread;
	uint64_t order;
	bool over;
	pool_test test;
	void *user;
};

/* The oldest job in that state, or `slots`. */
static unsigned oldest(const struct pool *p, enum state state)
{
	unsigned at = p->slots;
	for (unsigned i = 0; i < p->slots; i++)
		if (p->job[i].state == state && (at == p->slots || p->job[i].order < p->job[at].order))
			at = i;
	return at;
}

static void *work(void *arg)
{
	struct pool *p = arg;
	pthread_mutex_lock(&p->lock);
	while (!p->over) {
		unsigned at = oldest(p, STATE_QUEUED);
		if (at == p->slots) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		struct job *j = &p->job[at];
		j->state = STATE_RUNNING;
		pthread_mutex_unlock(&p->lock);
		int answer = p->test(p->user, j->text);
		pthread_mutex_lock(&p->lock);
		j->answer = answer;
		j->state = STATE_DONE;
		pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

enum rc pool_new(struct pool **out, unsigned threads, unsigned slots, pool_test test, void *user, struct err *e)
{
	struct pool *p = mem_zalloc(sizeof *p);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->slots = slots;
	p->job = mem_zalloc(mem_mul(slots, sizeof *p->job));
	p->thread = mem_zalloc(mem_mul(threads, sizeof *p->thread));
	p->test = test;
	p->user = user;
	while (p->threads < threads) {
		int failed = pthread_create(&p->thread[p->threads], NULL, work, p);
		if (failed) {
			pool_free(p);
			return err_sys(e, RC_ENV, failed, "cannot start a thread");
		}
		p->threads++;
	}
	*out = p;
	return RC_OK;
}

void pool_start(struct pool *p, unsigned slot, const struct buf *text)
{
	pthread_mutex_lock(&p->lock);
	INVARIANT(p->job[slot].state == STATE_FREE);
	p->job[slot] = (struct job){.state = STATE_QUEUED, .order = p->order++, .text = text};
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

bool pool_wait(struct pool *p, bool block, unsigned *slot, int *answer)
{
	pthread_mutex_lock(&p->lock);
	unsigned at = oldest(p, STATE_DONE);
	while (block && at == p->slots) {
		pthread_cond_wait(&p->done, &p->lock);
		at = oldest(p, STATE_DONE);
	}
	if (at != p->slots) {
		*slot = at;
		*answer = p->job[at].answer;
		p->job[at].state = STATE_FREE;
	}
	pthread_mutex_unlock(&p->lock);
	return at != p->slots;
}

void pool_cancel(struct pool *p, unsigned slot)
{
	pthread_mutex_lock(&p->lock);
	while (p->job[slot].state == STATE_RUNNING)
		pthread_cond_wait(&p->done, &p->lock);
	p->job[slot].state = STATE_FREE;
	pthread_mutex_unlock(&p->lock);
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->over = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p->job);
	free(p->thread);
	free(p);
}
