/* SPDX-License-Identifier: MIT */
/* What a worker reads: bundles, bases, differences and messages. The first byte chooses. What is accepted is
 * written again and must read as the same; messages are signed here first, so that what is behind the signature
 * is reached. */
#include "farm/bundle.h"
#include "farm/delta.h"
#include "farm/message.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

static const char run[] = "fuzzfuzz";

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Whether a name leads out of the folder: "..." does not. */
static bool leads_out(const char *name)
{
	for (const char *at = name; (at = strstr(at, "..")); at++)
		if ((at == name || at[-1] == '/') && (at[2] == '/' || !at[2]))
			return true;
	return name[0] == '/';
}

static void try_bundle(const uint8_t *data, size_t n)
{
	struct bundle b, again;
	if (bundle_read(&b, data, n, NULL) == RC_OK) {
		struct buf bytes = {0};
		for (size_t i = 0; i < b.fill.n_files; i++)
			check(!leads_out(b.fill.names[i]));
		for (size_t i = 0; i < b.fill.n_copies; i++)
			check(!leads_out(b.fill.copy[i].name));
		bundle_write(&bytes, b.command, &b.program, &b.fill);
		check(bundle_read(&again, bytes.at, bytes.n, NULL) == RC_OK && again.fill.n_files == b.fill.n_files &&
		      again.fill.n_copies == b.fill.n_copies);
		bundle_release(&again);
		buf_release(&bytes);
	}
	bundle_release(&b);
}

static void try_texts(const uint8_t *data, size_t n)
{
	struct texts base, t, again;
	struct buf delta = {0};
	size_t half = n / 2;
	texts_init(&base, 2);
	texts_init(&t, 2);
	texts_init(&again, 2);
	buf_add(&base.text[0], data, half);
	base.absent[1] = true;
	texts_read(&t, data, n, MOST, NULL);
	if (delta_read(&t, &base, data + half, n - half, MOST, NULL) == RC_OK) {
		check(t.text[0].n + t.text[1].n <= MOST);
		delta_write(&delta, &base, t.text, t.absent);
		check(delta_read(&again, &base, buf_str(&delta), delta.n, MOST, NULL) == RC_OK);
		for (size_t i = 0; i < 2; i++)
			check(t.absent[i] == again.absent[i] && t.text[i].n == again.text[i].n &&
			      !memcmp(buf_str(&t.text[i]), buf_str(&again.text[i]), t.text[i].n));
	}
	texts_release(&base);
	texts_release(&t);
	texts_release(&again);
	buf_release(&delta);
}

static void try_messages(const uint8_t *data, size_t n)
{
	static const struct sign_key key;
	struct run_record r;
	struct task t;
	struct answer_message a;
	struct notice x;
	struct digest256 d = {{0}};
	for (int kind = SIGN_RUN; kind <= SIGN_NOTICE; kind++) {
		struct buf b = {0};
		buf_add(&b, data, n);
		sign(&b, &key, (enum sign_kind)kind, run, kind == SIGN_TASK ? 7 : 0);
		record_check(&r, b.at, b.n, &key, run, 1000, NULL);
		task_check(&t, b.at, b.n, 1000, &key, run, 7, 1000, NULL);
		answer_check(&a, b.at, b.n, &key, run, 1000, NULL);
		if (notice_check(&x, b.at, b.n, &key, run, NULL) == RC_OK && x.kind == NOTICE_BASE)
			check(x.delta_len <= n);
		vec_release(&x.numbers);
		buf_release(&b);
	}
	struct buf out = {0};
	check(blob_unpack(&out, data, n, &d, NULL) != RC_OK);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (!n)
		return 0;
	if (data[0] % 3 == 0)
		try_bundle(data + 1, n - 1);
	else if (data[0] % 3 == 1)
		try_texts(data + 1, n - 1);
	else
		try_messages(data + 1, n - 1);
	return 0;
}
