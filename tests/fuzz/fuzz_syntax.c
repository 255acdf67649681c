/* SPDX-License-Identifier: MIT */
/* Bytes × language → parse, look at every shape, print a subset: no crash, nothing lost. The first byte picks the
 * language, the second which tokens stay and, if it is odd, that some of them get another text. */
#include "reduce/syntax/syntax.h"

#include "reduce/syntax/grammar.h"
#include "tests/unit/kept.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* the SQL grammar's scanner loses a few bytes when it is rewound inside a dollar-quoted string */
const char *__lsan_default_suppressions(void)
{
	return "leak:tree_sitter_sql_external_scanner_deserialize\n";
}

static void look_at_shapes(const struct syntax *s)
{
	uint16_t *sym = mem_alloc(mem_mul(s->n_nodes, sizeof *sym));
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		uint32_t n = 0;
		for (uint32_t c = syntax_first_child(s, i); c != SYNTAX_NONE; c = syntax_next_sibling(s, c))
			if (!(s->node[c].flags & NODE_EXTRA))
				sym[n++] = s->node[c].letter;
		const struct shape *h = shape_get(s->language, s->node[i].rule, sym, n);
		if (n && h->matched && !shape_accepts(h, n - 1, &sym[n - 1], 1))
			abort();
		shape_drop(h);
	}
	free(sym);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > 4096)
		return 0;
	struct syntax *s;
	struct err e = ERR_INIT;
	if (syntax_parse(&s, &languages[data[0] % N_LANGUAGES], (const char *)data + 2, size - 2, &e) != RC_OK)
		abort();
	look_at_shapes(s);
	uint32_t *kept = mem_alloc(mem_mul(s->n_tokens, sizeof *kept));
	size_t n = 0;
	for (uint32_t i = 0; i < s->n_tokens; i++)
		if (data[1] == 0 || (i * 2654435761u >> 24) % 256 > data[1])
			kept[n++] = i;
	VEC(struct syn_rewrite) rewrite = {0};
	for (size_t i = 0; data[1] % 2 && i < n; i += 1 + data[1] / 16)
		vec_push(&rewrite, ((struct syn_rewrite){kept[i], 1 + i % 2, "x1"}));
	struct buf out = {0};
	print_kept(s, kept, n, rewrite.at, rewrite.n, &out);
	if (n && n == s->n_tokens && !rewrite.n && (out.n != size - 2 || memcmp(out.at, data + 2, out.n)))
		abort();
	vec_release(&rewrite);
	buf_release(&out);
	free(kept);
	syntax_free(s);
	return 0;
}
