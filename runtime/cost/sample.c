/* SPDX-License-Identifier: MIT */
/* Where a program spends its time when no tool slows it down: rfsample FILE PROGRAM ARG… runs it once and
 * appends to FILE
 *     R                      a run begins
 *     O NUMBER PATH          an object file that was mapped, numbered from 0 in each run
 *     S OBJECT:OFFSET OBJECT:OFFSET[:TARGET] …
 *                            a sample: where it was, in the object's file, then the places in call
 *                            instructions (of what is at the offset TARGET) that words on the stack lead to,
 *                            innermost first
 * The kernel interrupts the program by its CPU clock; nothing is loaded into it. Only its first thread is looked
 * at. Some words on the stack are left from earlier calls: whoever reads the file knows which functions call
 * which.
 *
 * Ends with the program's status; 125 when the kernel does not let us, and then the program has not run. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PERIOD_NS = 100000,
	MOST_PAGES = 512, /* of the buffer */
	LEAST_PAGES = 64, /* what a user may lock without asking */
	STACK = 4096,
	MAX_OBJECTS = 256,
	MAX_DEPTH = 100, /* places of one sample */
	MAX_RECORD = 8192,
	NOT_ALLOWED = 125,
};

struct object {
	uint64_t from, to, offset;
	char path[1024];
	const unsigned char *text; /* of the file; NULL: not readable */
	size_t size;
};

static struct object objects[MAX_OBJECTS];
static unsigned n_objects;
static FILE *out;

static void read_object(struct object *o)
{
	struct stat st;
	int fd = open(o->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			o->text = at;
			o->size = (size_t)st.st_size;
		}
	}
	close(fd);
}

/* PERF_RECORD_MMAP: pid, tid, address, length, offset in the file, its name */
static void on_mapping(const unsigned char *p, size_t n)
{
	uint64_t word[3];
	if (n <= 8 + sizeof word || n_objects == MAX_OBJECTS)
		return;
	memcpy(word, p + 8, sizeof word);
	struct object *o = &objects[n_objects++];
	o->from = word[0];
	o->to = word[0] + word[1];
	o->offset = word[2];
	snprintf(o->path, sizeof o->path, "%.*s", (int)(n - 8 - sizeof word), (const char *)p + 8 + sizeof word);
	/* a name with a line's end in it would be two lines */
	o->path[strcspn(o->path, "\n")] = 0;
	read_object(o);
	fprintf(out, "O %u %s\n", n_objects - 1, o->path);
}

/* The newest mapping at the address. */
static struct object *object_at(uint64_t address)
{
	for (unsigned i = n_objects; i-- > 0;)
		if (address >= objects[i].from && address < objects[i].to)
			return &objects[i];
	return NULL;
}

/* Is there a call instruction in front of it? E8 and four bytes (*to: where to), or FF with /2 in two to seven
 * bytes (0). */
static bool is_behind_call(const struct object *o, uint64_t address, uint64_t *to)
{
	*to = 0;
	uint64_t at = address - o->from + o->offset;
	if (!o->text || at < 8 || at > o->size)
		return false;
	const unsigned char *p = o->text + at;
	if (p[-5] == 0xe8) {
		int32_t distance;
		memcpy(&distance, p - 4, sizeof distance);
		*to = address + (uint64_t)(int64_t)distance;
		/* else these bytes are the end of another one */
		if (object_at(*to))
			return true;
		*to = 0;
	}
	for (int n = 2; n <= 7; n++)
		if (p[-n] == 0xff && (p[-n + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

static void write_place(const struct object *o, uint64_t address)
{
	fprintf(out, " %u:%llu", (unsigned)(o - objects), (unsigned long long)(address - o->from + o->offset));
}

/* PERF_RECORD_SAMPLE: address, size of the stack's copy, the copy, how much of it is valid */
static void on_sample(const unsigned char *p, size_t n)
{
	uint64_t address, size, valid = 0, word, to;
	if (n < 16)
		return;
	memcpy(&address, p, 8);
	memcpy(&size, p + 8, 8);
	const struct object *o = object_at(address);
	if (!o)
		return;
	if (n >= 24 && size && size <= n - 24)
		memcpy(&valid, p + 16 + size, 8);
	fputc('S', out);
	write_place(o, address);
	for (uint64_t i = 0, depth = 0; i + 8 <= size && i + 8 <= valid && depth < MAX_DEPTH; i += 8) {
		memcpy(&word, p + 16 + i, 8);
		const struct object *caller = object_at(word);
		if (!caller || !is_behind_call(caller, word, &to))
			continue;
		write_place(caller, word - 1);
		if (to >= caller->from && to < caller->to)
			fprintf(out, ":%llu", (unsigned long long)(to - caller->from + caller->offset));
		depth++;
	}
	fputc('\n', out);
}

/* A piece of the ring. */
static void copy_out(const unsigned char *ring, size_t size, uint64_t from, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)to)[i] = ring[(from + i) % size];
}

static void drain(struct perf_event_mmap_page *page, size_t size)
{
	static unsigned char record[MAX_RECORD];
	const unsigned char *ring = (const unsigned char *)page + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	while (tail + sizeof(struct perf_event_header) <= head) {
		struct perf_event_header h;
		copy_out(ring, size, tail, &h, sizeof h);
		if (h.size < sizeof h)
			break;
		if (h.size <= sizeof record) {
			size_t n = h.size - sizeof h;
			copy_out(ring, size, tail + sizeof h, record, n);
			if (h.type == PERF_RECORD_MMAP)
				on_mapping(record, n);
			else if (h.type == PERF_RECORD_SAMPLE)
				on_sample(record, n);
		}
		tail += h.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

/* The event of a process that waits to become another program; -1: not allowed. */
static int open_event(pid_t pid)
{
	struct perf_event_attr a;
	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_TASK_CLOCK;
	a.sample_period = PERIOD_NS;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = STACK;
	a.disabled = a.enable_on_exec = a.mmap = 1;
	a.exclude_kernel = a.exclude_hv = 1;
	a.watermark = 1;
	a.wakeup_watermark = LEAST_PAGES / 2 * (uint32_t)sysconf(_SC_PAGESIZE);
	return (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The program: it waits for a byte, and gives up when there is none. */
static void be_program(int wait_fd, char **argv)
{
	char c;
	if (read(wait_fd, &c, 1) != 1)
		_exit(NOT_ALLOWED);
	close(wait_fd);
	execvp(argv[0], argv);
	_exit(127);
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs the program that waits behind `go`, and writes what is seen of it. */
static int watch(pid_t pid, int go, int fd, struct perf_event_mmap_page *page, size_t size)
{
	int status = 0;
	signal(SIGPIPE, SIG_IGN);
	bool started = write(go, "", 1) == 1;
	close(go);
	/* the event says when the program has ended: its descriptor hangs up */
	for (struct pollfd p = {.fd = fd, .events = POLLIN}; started && !(p.revents & (POLLHUP | POLLERR));) {
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			break;
		drain(page, size);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	drain(page, size);
	return fclose(out) == 0 ? status_of(status) : NOT_ALLOWED;
}

int main(int argc, char **argv)
{
	int go[2];
	if (argc < 3 || pipe2(go, O_CLOEXEC) != 0 || !(out = fopen(argv[1], "ae")))
		return NOT_ALLOWED;
	fputs("R\n", out);
	fflush(out); /* the child has a copy of what is not yet written */
	pid_t pid = fork();
	if (pid < 0)
		return NOT_ALLOWED;
	if (pid == 0) {
		close(go[1]);
		be_program(go[0], argv + 2);
	}
	close(go[0]);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = MOST_PAGES;
	int fd = open_event(pid);
	void *at = MAP_FAILED;
	for (; fd >= 0 && at == MAP_FAILED && pages >= LEAST_PAGES; pages /= 2)
		at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(go[1]);
		waitpid(pid, NULL, 0);
		return NOT_ALLOWED;
	}
	return watch(pid, go[1], fd, at, 2 * pages * page);
}
