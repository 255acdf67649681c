/* SPDX-License-Identifier: MIT */
/* Where refrain's own files are: the Valgrind tools, the runtime's archives. */
#ifndef PROCESS_LIBEXEC_H
#define PROCESS_LIBEXEC_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the folder that holds the readable file of this name: beside the program (in a build), in ../lib/refrain of it
 * (installed, wherever that was moved to), else where `make install` put it. False when it is in none of them or
 * the path does not fit. */
bool libexec_find(const char *file, char *folder, size_t size);
/* The last of these, for messages. */
const char *libexec_installed(void);

#endif
