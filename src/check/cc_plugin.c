/* SPDX-License-Identifier: MIT */
/* See cc_plugin.h. The plugin is named for the compiler and its major version and lies where the runtime does. */
#include "check/cc_plugin.h"

#include "process/libexec.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool cc_ask(const char *compiler, const char *option, char *out, size_t size, struct err *e)
{
	int ends[2], status = 0;
	pid_t pid;
	if (pipe(ends) != 0) {
		err_sys(e, RC_ENV, errno, "cannot make a pipe");
		return false;
	}
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	const char *argv[] = {compiler, option, NULL};
	int r = posix_spawnp(&pid, compiler, &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	size_t n = 0;
	char rest[512];
	ssize_t k = 1;
	while (r == 0 && k > 0) {
		k = n + 1 < size ? read(ends[0], out + n, size - n - 1) : read(ends[0], rest, sizeof rest);
		n += n + 1 < size && k > 0 ? (size_t)k : 0;
	}
	out[n] = '\0';
	close(ends[0]);
	while (r == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r != 0)
		err_sys(e, RC_ENV, r, "cannot run '%s'", compiler);
	return r == 0;
}

enum rc cc_plugin_find(struct cc_plugin *p, const char *compiler, struct err *e)
{
	char text[512], file[80], folder[PATH_MAX];
#ifndef __x86_64__
	return err_set(e, RC_ENV, "the write barrier is made for x86-64 machines only");
#endif
	if (!cc_ask(compiler, "--version", text, sizeof text, e))
		return RC_ENV;
	p->clang = strstr(text, "clang") != NULL;
	if (!p->clang && !strstr(text, "Free Software Foundation"))
		return err_set(e, RC_ENV, "'%s' is neither gcc nor clang: there is no write barrier for it", compiler);
	if (!cc_ask(compiler, "-dumpversion", text, sizeof text, e))
		return RC_ENV;
	int version = atoi(text);
	snprintf(file, sizeof file, "refrain-barrier-%s-%d.so", p->clang ? "clang" : "gcc", version);
	if (!libexec_find(file, folder, sizeof folder))
		return err_set(e, RC_ENV,
			       "no write barrier for '%s' (%s %d): cannot find %s beside the program or in '%s'; "
			       "install %s%d%s "
			       "and build refrain again",
			       compiler, p->clang ? "clang" : "gcc", version, file, libexec_installed(),
			       p->clang ? "llvm-" : "gcc-", version, p->clang ? "-dev" : "-plugin-dev");
	snprintf(p->option, sizeof p->option, "-f%splugin=%s/%s", p->clang ? "pass-" : "", folder, file);
	return RC_OK;
}
