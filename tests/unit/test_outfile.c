/* SPDX-License-Identifier: MIT */
/* Output files: nothing appears before the commit, a failure leaves what was there, and is reported by name. */
#include "stream/outfile.h"

#include "data/buf.h"
#include "data/newfile.h"
#include "testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[200], path[220];

static int make_folder(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(dir, sizeof dir, "%s/outfile.XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/out", dir);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path); /* not every test makes it */
	return rmdir(dir);
}

static unsigned files(void)
{
	unsigned n = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *x; (x = readdir(d));)
		n += x->d_name[0] != '.';
	closedir(d);
	return n;
}

static void assert_content(const char *want)
{
	struct buf b = {0};
	struct err e = ERR_INIT;
	assert_int_equal(buf_read_file(&b, path, 1 << 20, &e), RC_OK);
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

static void put(const char *text)
{
	struct outfile *o;
	struct err e = ERR_INIT;
	assert_int_equal(outfile_create(&o, path, &e), RC_OK);
	assert_true(outfile_write(o, text, strlen(text)));
	assert_int_equal(outfile_close(o, &e), RC_OK);
}

/* What is killed in the middle leaves no file: while it is written there is none. */
static void has_no_name_until_it_is_complete(void **state)
{
	(void)state;
	struct newfile f;
	struct err e = ERR_INIT;
	int fd = open(dir, O_TMPFILE | O_WRONLY, 0600);
	if (fd < 0)
		skip();
	close(fd);
	assert_int_equal(newfile_create(&f, path, 0644, &e), RC_OK);
	assert_true(write_all(f.fd, "x", 1));
	assert_int_equal(files(), 0);
	newfile_abandon(&f);
	assert_int_equal(files(), 0);
}

static void replaces_what_is_there(void **state)
{
	(void)state;
	struct stat st;
	put("old");
	assert_int_equal(chmod(path, 0640), 0);
	put("new");
	assert_content("new");
	assert_int_equal(files(), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/* More than the limit on a file's size: the error comes in the middle, as on a full disk. */
static void keeps_what_was_there_when_writing_fails(void **state)
{
	(void)state;
	struct rlimit before, small;
	static char much[1 << 20];
	put("old");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &small);
	struct outfile *o;
	struct err e = ERR_INIT, whole = ERR_INIT;
	assert_int_equal(outfile_create(&o, path, &e), RC_OK);
	bool written = outfile_write(o, much, sizeof much);
	enum rc rc = outfile_close(o, &e);
	struct buf b = {0};
	buf_add(&b, much, sizeof much);
	enum rc whole_rc = buf_write_file(&b, path, 0600, &whole);
	buf_release(&b);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(written);
	assert_int_equal(rc, RC_ENV);
	assert_non_null(strstr(e.text, path));
	assert_int_equal(whole_rc, RC_ENV);
	assert_non_null(strstr(whole.text, path));
	assert_content("old");
	assert_int_equal(files(), 1);
}

static void names_a_full_device(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	struct outfile *o;
	struct err e = ERR_INIT;
	assert_int_equal(outfile_create(&o, "/dev/full", &e), RC_OK);
	outfile_write(o, "x", 1);
	assert_int_equal(outfile_close(o, &e), RC_ENV);
	assert_non_null(strstr(e.text, "'/dev/full'"));
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(has_no_name_until_it_is_complete, make_folder, remove_folder),
	   cmocka_unit_test_setup_teardown(replaces_what_is_there, make_folder, remove_folder),
	   cmocka_unit_test_setup_teardown(keeps_what_was_there_when_writing_fails, make_folder, remove_folder),
	   cmocka_unit_test(names_a_full_device))
