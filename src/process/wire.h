/* SPDX-License-Identifier: MIT */
/* What refrain, its spawner and its guardians say to each other, and the parts of the runner that are used on both
 * sides. Private to this folder.
 *
 * A message is a wire_head, `len` bytes of body, and descriptors that travel with the head. Both ends are the same
 * binary, so structs go over as they are. */
#ifndef PROCESS_WIRE_H
#define PROCESS_WIRE_H

#include "process/runner.h"

#define WIRE_MAX_FDS 64

enum wire_type {
	WIRE_ROOT = 1, /* spawner → refrain: the private folder is made (body: its path), or value is an errno */
	WIRE_FORK,     /* refrain → spawner: make a guardian that listens on the descriptor sent along */
	WIRE_FORKED,   /* spawner → refrain: value is its pid, or −errno */
	WIRE_GONE,     /* spawner → refrain: guardian `value` is dead and so is all it left behind */
	WIRE_START,    /* refrain → guardian: a wire_start; descriptors as its flags say */
	WIRE_CANCEL,   /* refrain → guardian: end the tree of job seq */
	WIRE_SIGNAL,   /* refrain → guardian: send signal `value` to the program of job seq */
	WIRE_STARTED,  /* guardian → refrain, if asked for: value is the program's pid, 0 when it did not start */
	WIRE_RESULT,   /* guardian → refrain: a wire_result, then the kept output */
	WIRE_SANDBOX, /* refrain → spawner: guardians made from now on are in a sandbox; answered with an errno or 0 */
};

struct wire_head {
	uint32_t type, seq;
	int64_t value;
	uint64_t len;
};

enum {
	START_IN = 1, /* descriptors sent along, in this order; without START_IN input is empty */
	START_OUT = 2,
	START_ERR = 4,
	START_COLLECT_OUT = 8, /* standard output goes to the guardian, which counts and keeps it */
	START_COLLECT_ERR = 16,
	START_KEEP = 32,        /* send back what was collected */
	START_TELL = 64,        /* send WIRE_STARTED */
	START_FOREGROUND = 128, /* join process group pgid, TERM before KILL, signals ignored at our start stay so */
	START_DIR = 256,        /* the first string is the working folder */
};

/* Followed by n_extra target numbers (int32_t), then NUL-ended strings: the folder if START_DIR, argc arguments,
 * envc settings. */
struct wire_start {
	struct run_limits limits;
	uint32_t flags, argc, envc, n_extra;
	int32_t pgid;
	uint32_t ignored; /* bit n: signal n is to be ignored by the program */
};

enum start_stage { STAGE_NONE, STAGE_FORK, STAGE_DIR, STAGE_FILES, STAGE_LIMITS, STAGE_EXEC };

struct wire_result {
	int32_t end, code, stage;
	int32_t last; /* this guardian takes no other program */
	double wall_s, user_s, sys_s;
	uint64_t peak_rss, output_len;
};

/* Each returns 0 or an errno; EPIPE when the other side is gone. */
int wire_send(int fd, const struct wire_head *h, const void *body, const int *fds, size_t n_fds);
int wire_recv_head(int fd, struct wire_head *h, int *fds, size_t *n_fds); /* n_fds: room in, got out; may be NULL */
int wire_recv(int fd, void *out, size_t n);

/* Removes the tree `name` below folder at (AT_FDCWD or a descriptor): folders that may not be read or written are
 * made so, a symbolic link goes and its target stays. Nobody may write there meanwhile. False if something stays. */
bool remove_tree(int at, const char *name);

/* Enters a sandbox in which only folder root can be written; 0 or an errno. */
int sandbox_enter(const char *root);

/* Body of the spawner; sock is the only descriptor besides 0–2 it keeps. */
_Noreturn void spawner_main(int sock, pid_t parent);
/* Body of a guardian, run in a child of the spawner. */
_Noreturn void guardian_main(int sock, pid_t spawner);

#endif
