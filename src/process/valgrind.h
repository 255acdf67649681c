/* SPDX-License-Identifier: MIT */
/* Running a program under one of our Valgrind tools (runtime/valgrind) and reading what it says (base/vgproto.h).
 *
 * The tool is started directly, with VALGRIND_LIB at a private folder: no installed Valgrind is needed to run, no
 * option file or environment of the user's reaches it. Symbols are bound early, so that the dynamic linker is not
 * seen at work in the middle of functions. Valgrind's own messages go to a log that is shown only when it could not
 * start. */
#ifndef PROCESS_VALGRIND_H
#define PROCESS_VALGRIND_H

#include "base/vgproto.h"
#include "data/buf.h"
#include "process/runner.h"

struct valgrind_run {
	const char *tool;           /* "rfcount" or "rfsets" */
	const char *const *options; /* of the tool, NULL-ended */
	const char *const *program; /* NULL-ended; program[0] as the user wrote it */
	double wall_s;              /* the tool ends the program after so long and reports what it has; 0: never */
	bool stdout_to_stderr;
	bool children; /* programs it executes run under the tool too; where they write is the tool's option */
	/* Called for each record except VG_HELLO and VG_DONE. An error ends the run. */
	enum rc (*on_record)(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e);
	void *user;
};

struct valgrind_result {
	struct run_result run;
	bool done; /* the tool wrote its last record; end is filled */
	struct vg_done end;
};

/* Finds the program as execvp would and checks that Valgrind can run it: RC_ENV when it is not found, RC_INPUT for
 * a script (naming its interpreter) or a file that is not a 64-bit x86 program. */
enum rc valgrind_program(const char *name, char *out, size_t size, struct err *e);
/* RC_OK also when the program crashed or was stopped: see the result. */
enum rc valgrind_run(struct runner *r, const struct valgrind_run *v, struct valgrind_result *out, struct err *e);
/* What a tool left in a file, of a process that the program started; of v, on_record and user count. The result is not
 * done when that process was killed. */
enum rc valgrind_stream(const char *path, const struct valgrind_run *v, struct valgrind_result *out, struct err *e);

#endif
