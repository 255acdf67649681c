/* SPDX-License-Identifier: MIT */
/* Any text as what a test printed. What is read is bounded, its words are words, and each place that is found is a
 * token of the program. The first half of the input is the program, the rest the output. */
#include "reduce/model/complaints.h"
#include "reduce/model/load.h"
#include "reduce/syntax/syntax.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *text = (const char *)data;
	size_t half = n / 2;
	struct model m = {0};
	struct err e = ERR_INIT;
	struct source src = {"a.c", text, half, language_find("c")};
	if (model_load(&m, &src, 1, &e) == RC_OK) {
		struct complaints *c = complaints_read(text + half, n - half);
		struct edit edit = {0};
		struct step step = {0};
		edit_remove(&edit, m.n_tokens / 3, m.n_tokens / 2);
		if (c && m.n_tokens && step_make(&step, &m, &edit))
			complaints_place(c, &m, &step);
		for (size_t i = 0; c && i < c->n; i++) {
			if (c->n > 1000 || c->at[i].n_words > 1000)
				abort();
			if (c->at[i].token != COMPLAINT_NOWHERE && c->at[i].token >= m.n_tokens)
				abort();
		}
		complaints_free(c);
		edit_release(&edit);
		step_release(&step);
	}
	model_unload(&m);
	return 0;
}
