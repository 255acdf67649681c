/* SPDX-License-Identifier: MIT */
/* The debug information of an object file, in it or beside it: .gnu_debuglink (next to the file, in .debug, below
 * /usr/lib/debug), the build id (Debian's -dbgsym packages, the layout that debuginfod's client keeps), and units split
 * off with -gsplit-dwarf, which elfutils opens by itself. */
#ifndef PROFILE_DEBUGFILE_H
#define PROFILE_DEBUGFILE_H

#include <elfutils/libdw.h>

/* NULL when there is none. fd is closed by debugfile_close. */
Dwarf *debugfile_open(const char *path, int *fd);
void debugfile_close(Dwarf *dw, int fd);

#endif
