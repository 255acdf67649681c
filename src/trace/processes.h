/* SPDX-License-Identifier: MIT */
/* What the recorder leaves of a program and its children: a folder of streams (base/vgproto.h), one for each program in
 * each process. They are indexed, put in order, and handed out as blocks of keys. */
#ifndef TRACE_PROCESSES_H
#define TRACE_PROCESSES_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process {
	uint32_t pid, parent;
	char *program; /* its path */
	bool forked;   /* begins at a fork, in the middle of that program */
	bool complete; /* it ended by itself, or became another program */
	bool stopped;  /* by the tool */
	uint64_t start_ns, references, instructions;
};

struct processes;

enum rc processes_read(struct processes **out, const char *folder, struct err *e);
size_t processes_count(const struct processes *p);
/* In order of their start. */
const struct process *processes_at(const struct processes *p, size_t i);
/* All references in the order in which the streams were written, or those of one process (index; SIZE_MAX: of all). */
typedef enum rc (*process_keys_fn)(void *user, size_t process, const uint64_t *keys, size_t n, struct err *e);
enum rc processes_each(const struct processes *p, size_t only, process_keys_fn fn, void *user, struct err *e);
void processes_free(struct processes *p);

#endif
