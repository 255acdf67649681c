/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pipe to refrain: records are collected in one buffer and written whole. When the reader is gone (EPIPE) the tool
 * goes quiet: the program under it must not suffer. */
#include "tool.h"

extern Int VG_(safe_fd)(Int oldfd); /* moves a descriptor out of the program's reach, close-on-exec */
extern SysRes VG_(dup2)(Int oldfd, Int newfd);

enum { OUT_BYTES = 1 << 18 };
static Char *out_buffer;
static SizeT out_used;
static Int out_fd = -1;

static void say_hello(void)
{
	struct vg_hello h = {VG_PROTO_VERSION, (UInt)VG_(getpid)()};
	out_record(VG_HELLO, &h, sizeof h);
}

void out_open(Int fd)
{
	out_buffer = VG_(malloc)("rf.out", OUT_BYTES);
	if (fd >= 0)
		out_fd = VG_(safe_fd)(fd);
	say_hello();
}

void out_file(const HChar *folder)
{
	HChar *name = VG_(malloc)("rf.name", VG_(strlen)(folder) + 32);
	Int fd = -1;
	for (UInt i = 0; i < 10000 && fd < 0; i++) {
		VG_(sprintf)(name, "%s/%d.%u", folder, VG_(getpid)(), i);
		fd = VG_(fd_open)(name, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600);
	}
	VG_(free)(name);
	out_fd = fd >= 0 ? VG_(safe_fd)(fd) : -1;
	out_used = 0;
	say_hello();
}

static void write_all(const Char *p, SizeT n)
{
	while (out_fd >= 0 && n) {
		Int r = VG_(write)(out_fd, p, (Int)(n > OUT_BYTES ? OUT_BYTES : n));
		if (r == -VKI_EINTR)
			continue;
		if (r <= 0) {
			out_fd = -1;
			return;
		}
		p += r;
		n -= (SizeT)r;
	}
}

void out_flush(void)
{
	write_all(out_buffer, out_used);
	out_used = 0;
}

void out_hide_program(void)
{
	Int fd = VG_(fd_open)("/dev/null", VKI_O_WRONLY, 0);
	if (fd < 0)
		return;
	VG_(dup2)(fd, 1);
	VG_(dup2)(fd, 2);
	if (fd > 2)
		VG_(close)(fd);
}

void out_silence(void)
{
	if (out_fd >= 0)
		VG_(close)(out_fd);
	out_fd = -1;
	out_used = 0;
}

Bool out_silent(void)
{
	return out_fd < 0;
}

UChar *out_begin(SizeT most)
{
	if (sizeof(struct vg_record) + most > OUT_BYTES - out_used)
		out_flush();
	return (UChar *)out_buffer + out_used + sizeof(struct vg_record);
}

void out_end(enum vg_kind kind, SizeT n)
{
	struct vg_record r = {kind, (UInt)n};
	if (out_fd < 0)
		return;
	VG_(memcpy)(out_buffer + out_used, &r, sizeof r);
	out_used += sizeof r + n;
}

static void put(const void *p, SizeT n)
{
	if (n > OUT_BYTES - out_used)
		out_flush();
	if (n > OUT_BYTES) {
		write_all(p, n);
		return;
	}
	VG_(memcpy)(out_buffer + out_used, p, n);
	out_used += n;
}

void out_parts(enum vg_kind kind, const struct out_part *part, UInt n)
{
	struct vg_record r = {kind, 0};
	if (out_fd < 0)
		return;
	for (UInt i = 0; i < n; i++)
		r.length += (UInt)part[i].n;
	put(&r, sizeof r);
	for (UInt i = 0; i < n; i++)
		put(part[i].p, part[i].n);
}

void out_record(enum vg_kind kind, const void *p, SizeT n)
{
	struct out_part part = {p, n};
	out_parts(kind, &part, 1);
}
