/* SPDX-License-Identifier: MIT */
/* A sandbox for tests: a guardian enters user, mount, network and IPC namespaces of its own before it runs
 * anything. There is no network, and no file system can be written but the private folder with all scratch
 * folders. Programs below it can have no capability, so none of that can be undone. The spawner stays outside:
 * it must remove the private folder. */
#include "process/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's <sys/mount.h> does not go with <linux/mount.h>. */
enum { BIND = 4096, RECURSIVE = 16384, PRIVATE = 1 << 18, WHOLE_TREE = 0x8000 };

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return fine;
}

static bool map_ids(unsigned uid, unsigned gid)
{
	char map[64];
	if (!put("/proc/self/setgroups", "deny"))
		return false;
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	if (!put("/proc/self/uid_map", map))
		return false;
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	return put("/proc/self/gid_map", map);
}

static bool set_mounts(const char *root)
{
	struct mount_attr ro = {.attr_set = MOUNT_ATTR_RDONLY}, rw = {.attr_clr = MOUNT_ATTR_RDONLY};
	return syscall(SYS_mount, "none", "/", NULL, RECURSIVE | PRIVATE, NULL) == 0 &&
	       syscall(SYS_mount, root, root, NULL, BIND, NULL) == 0 &&
	       syscall(SYS_mount_setattr, AT_FDCWD, "/", WHOLE_TREE, &ro, sizeof ro) == 0 &&
	       syscall(SYS_mount_setattr, AT_FDCWD, root, 0, &rw, sizeof rw) == 0;
}

int sandbox_enter(const char *root)
{
	unsigned uid = geteuid(), gid = getegid();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) != 0 || !map_ids(uid, gid) ||
	    !set_mounts(root))
		return errno ? errno : EPERM;
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EINVAL)
			return errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

enum rc runner_sandbox(struct runner *r, struct err *e)
{
	struct wire_head h = {.type = WIRE_SANDBOX};
	int rc = wire_send(r->sock, &h, NULL, NULL, 0);
	if (rc == 0)
		rc = wire_recv_head(r->sock, &h, NULL, NULL);
	if (rc == 0 && h.type != WIRE_SANDBOX)
		rc = EPROTO;
	if (rc != 0)
		return err_sys(e, RC_ENV, rc, "the process spawner does not answer");
	return h.value ? err_sys(e, RC_ENV, (int)h.value, "this system allows no sandbox (user and mount namespaces)")
		       : RC_OK;
}
