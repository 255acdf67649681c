/* SPDX-License-Identifier: MIT */
/* Finding refrain's own files. The only source that knows the installation's prefix: another PREFIX recompiles this
 * file and nothing else. */
#include "process/libexec.h"

#include "base/bits.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *libexec_installed(void)
{
	return RF_LIBEXECDIR;
}

/* The file is there and the folder's name fits. */
static bool holds(const char *folder, const char *file)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", folder, file);
	return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

bool libexec_find(const char *file, char *folder, size_t size)
{
	static const char *const beside[] = {".", "libexec", "../lib/refrain", "../libexec"};
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(exe, '/');
	if (slash) {
		*slash = '\0';
		for (size_t i = 0; i < ARRAY_LEN(beside); i++)
			if ((size_t)snprintf(folder, size, "%s/%s", exe, beside[i]) < size && holds(folder, file))
				return true;
	}
	return (size_t)snprintf(folder, size, "%s", libexec_installed()) < size && holds(folder, file);
}
