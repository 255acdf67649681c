/* SPDX-License-Identifier: MIT */
/* The generated grammar tables, one row a grammar. To add a language: its npm package in deps/package.json and
 * deps/dist-files.txt, a word in GRAMMARS (deps/module.mk) and a row in each of the two tables of language.c.
 *
 * Parse tables are kept compressed (deps/pack-grammar): sixty megabytes would otherwise be in each program and
 * library. A language is unpacked once, when it is first asked for, into the zeroed memory that its TSLanguage points
 * to. */
#include "reduce/syntax/grammar.h"

#include "base/bits.h"
#include "data/mem.h"

#include <parser.h> /* tree-sitter's own: struct TSLanguage */
#include <pthread.h>
#include <zstd.h>

/* rules_NAME.h of each, and GRAMMARS(X): made by deps/module.mk */
#include "grammars.h"

static void unpack(const uint16_t *table, const char *packed, const char *end)
{
	size_t n = (size_t)(end - packed);
	unsigned long long size = ZSTD_getFrameContentSize(packed, n);
	/* what is unpacked was packed with this program: only memory can be missing */
	if (size > 0 && ZSTD_isError(ZSTD_decompress((void *)(uintptr_t)table, size, packed, n)))
		mem_oom(size);
}

#define PACKED __attribute__((visibility("hidden")))
#define X(name)                                                                                                        \
	const TSLanguage *tree_sitter_##name(void);                                                                    \
	extern PACKED const char rf_packed_parse_table_##name[], rf_packed_parse_table_##name##_end[];                 \
	extern PACKED const char rf_packed_small_parse_table_##name[], rf_packed_small_parse_table_##name##_end[];     \
	static void unpack_##name(void)                                                                                \
	{                                                                                                              \
		const TSLanguage *l = tree_sitter_##name();                                                            \
		unpack(l->parse_table, rf_packed_parse_table_##name, rf_packed_parse_table_##name##_end);              \
		unpack(l->small_parse_table, rf_packed_small_parse_table_##name,                                       \
		       rf_packed_small_parse_table_##name##_end);                                                      \
	}                                                                                                              \
	static const TSLanguage *language_##name(void)                                                                 \
	{                                                                                                              \
		static pthread_once_t once = PTHREAD_ONCE_INIT;                                                        \
		pthread_once(&once, unpack_##name);                                                                    \
		return tree_sitter_##name();                                                                           \
	}                                                                                                              \
	static const struct grammar_table table_##name = {                                                             \
		#name,        language_##name,         name##_names,  ARRAY_LEN(name##_names), name##_code,            \
		name##_rules, ARRAY_LEN(name##_rules), name##_aliases};
GRAMMARS(X)
#undef X

const struct grammar_table *const grammar_tables[] = {
#define X(name) &table_##name,
	GRAMMARS(X)
#undef X
		NULL,
};
