/* SPDX-License-Identifier: MIT */
/* Annotations and C text: parser, resolver, generator, transformer. The first byte chooses the way in. */
#include "check/contracts.h"
#include "check/gen/gen.h"

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	if (!size)
		return 0;
	if (data[0] & 1) {
		struct buf text = {0}, out = {0};
		bool changed;
		buf_add(&text, data + 1, size - 1);
		contracts_transform(&(struct transform_input){&text, "fuzz.c", NULL, NULL}, &out, &changed, &e);
		buf_release(&text);
		buf_release(&out);
		return 0;
	}
	struct annot_set set;
	struct gen g;
	annot_init(&set);
	gen_init(&g, &set, &e);
	struct place at = {"fuzz", 1, 1};
	if (annot_parse(&set, (const char *)data + 1, size - 1, at, &e) == RC_OK &&
	    annot_resolve(&set, NULL, &e) == RC_OK) {
		struct buf types = {0};
		for (struct pred *p = set.preds; p; p = p->next) {
			struct cparam *params = arena_array(&set.arena, struct cparam, p->n_args + 1);
			for (size_t i = 0; i < p->n_args; i++)
				params[i] = (struct cparam){"int", "", ""};
			struct cfunction f = {.head = "void", .params = params, .n_params = p->n_args, .is_void = true};
			if (gen_wrapper(&g, p->function, &f, "real", "wrap") != RC_OK)
				break;
		}
		gen_types(&g, &types);
		buf_release(&types);
	}
	gen_release(&g);
	annot_release(&set);
	return 0;
}
