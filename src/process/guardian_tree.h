/* SPDX-License-Identifier: MIT */
/* The processes below us. We are a sub-reaper, so whoever loses its parent becomes our child: wait4 saying ECHILD is
 * the proof that nothing is left.
 *
 * No signal can reach an unrelated process with a recycled pid: the pid of a direct child is ours until we reap it,
 * and deeper ones are signalled through a pidfd that was opened before their parent was checked. */
#ifndef PROCESS_GUARDIAN_TREE_H
#define PROCESS_GUARDIAN_TREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The signal a guardian gets from the kernel when its parent dies (PR_SET_PDEATHSIG). */
#define PARENT_DIED SIGUSR1

/* Blocks every signal but what must end a wait (a child's end, the parent's death), which go to handler; wait_mask gets
 * the mask for ppoll. A tree's signals are not meant for whoever watches it. */
void tree_signals(void (*handler)(int), sigset_t *wait_mask);

/* Called for every child reaped. */
typedef void (*tree_reaped_fn)(void *user, pid_t pid, int status, const struct rusage *ru);

/* Reaps what is dead. True while there are children left (alive). */
bool tree_reap(tree_reaped_fn reaped, void *user);

/* Kills everything below us, reaping, until nothing is left but the n_spare direct children in spare (and what is
 * below these). SIGCHLD must be blocked. False if something may not be killed (a set-uid program). */
bool tree_kill(const pid_t *spare, size_t n_spare, tree_reaped_fn reaped, void *user);

/* Sends a signal to each direct child. */
void tree_signal(int sig);

struct tree_usage {
	double cpu_s; /* of the living and of those they have waited for */
	uint64_t rss;
};
struct tree_usage tree_measure(void);

/* Tests only: as on a kernel without children files. */
void tree_scan_always(bool on);

#endif
