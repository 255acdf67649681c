/* SPDX-License-Identifier: MIT */
/* Starting one program from a guardian. */
#ifndef PROCESS_GUARDIAN_EXEC_H
#define PROCESS_GUARDIAN_EXEC_H

#include "process/wire.h"

struct launch {
	char **argv;     /* argv[-1] is a spare slot (for /bin/sh before a script without #!) */
	char **env;      /* the whole environment */
	const char *dir; /* NULL: stay */
	int fds[3];      /* to become 0, 1, 2 */
	const int *extra_from;
	const int32_t *extra_to;
	size_t n_extra;
	const struct run_limits *limits;
	bool foreground;
	pid_t pgid;       /* foreground: group to join */
	uint32_t ignored; /* foreground: signals to ignore */
	/* out, when launch_program fails */
	int error;
	enum start_stage stage;
};

/* Returns the pid of the running program (its exec has succeeded), or −1 with error and stage set. A program that is
 * not in the foreground leads a session of its own. All other descriptors must be close-on-exec. */
pid_t launch_program(struct launch *l);

#endif
