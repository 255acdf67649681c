/* SPDX-License-Identifier: MIT */
/* What the definition of a struct in the text says about its members: enough to tell a field from a constant of the
 * same shape, and to know bit-fields and flexible array members, for which C has neither sizeof nor offsetof. A
 * name in the body counts as a member if what follows it can end a declarator, at any depth (members of anonymous
 * structs belong to the outer one). Too many names are found rather than too few: the C compiler refuses a name
 * that is not a member, but it would accept a constant where a field was meant. */
#include "check/source/csource.h"

#include <string.h>

static size_t skip_attributes(const struct csource *cs, size_t i)
{
	while (csource_is(cs, i, "__attribute__") || csource_is(cs, i, "__attribute"))
		i = csource_after_group(cs, i + 1);
	return i;
}

static bool is_word(const struct csource *cs, size_t i)
{
	return i < cs->toks.n && cs->toks.at[i].kind == CTOK_NAME;
}

/* i is at struct, union or enum: the '{' of its body, 0 if it has none. */
static size_t body_of(const struct csource *cs, size_t i)
{
	i = skip_attributes(cs, i + 1);
	if (is_word(cs, i))
		i = skip_attributes(cs, i + 1);
	return csource_is(cs, i, "{") ? i : 0;
}

static bool is_struct(const struct csource *cs, size_t i)
{
	return csource_is(cs, i, "struct") || csource_is(cs, i, "union");
}

static size_t find_tag(const struct csource *cs, const char *kind, const char *tag)
{
	for (size_t i = 0; i < cs->toks.n; i++)
		if (csource_is(cs, i, kind) && csource_is(cs, skip_attributes(cs, i + 1), tag) && body_of(cs, i))
			return body_of(cs, i);
	return 0;
}

/* The body that a typedef's name stands for. */
static size_t find_typedef(const struct csource *cs, const char *name, unsigned depth)
{
	for (size_t i = 0; i < cs->toks.n; i++) {
		if (!csource_is(cs, i, "typedef"))
			continue;
		size_t end = i + 1, open = 0;
		bool named = false;
		while (end < cs->toks.n && !csource_is(cs, end, ";")) {
			if (csource_is(cs, end, "{")) {
				open = open ? open : end;
				end = csource_after_group(cs, end);
				continue;
			}
			named |= csource_is(cs, end, name);
			end++;
		}
		if (!named)
			continue;
		size_t at = skip_attributes(cs, i + 1);
		if (open && is_struct(cs, at))
			return open;
		struct ctoken t = cs->toks.at[skip_attributes(cs, at + is_struct(cs, at))];
		char tag[200];
		if (depth > 8 || t.kind != CTOK_NAME || t.len >= sizeof tag)
			return 0;
		memcpy(tag, cs->text + t.off, t.len);
		tag[t.len] = '\0';
		if (is_struct(cs, at))
			return find_tag(cs, csource_is(cs, at, "union") ? "union" : "struct", tag);
		return strcmp(tag, name) == 0 ? 0 : find_typedef(cs, tag, depth + 1);
	}
	return 0;
}

static enum cmember member_in(const struct csource *cs, size_t open, const char *name)
{
	size_t close = csource_after_group(cs, open) - 1;
	for (size_t i = open + 1; i < close; i++) {
		if (csource_is(cs, i, "enum") && body_of(cs, i)) { /* enumerators are constants */
			i = csource_after_group(cs, body_of(cs, i)) - 1;
			continue;
		}
		if (!csource_is(cs, i, name))
			continue;
		if (csource_is(cs, i + 1, ":"))
			return MEMBER_BITS;
		if (csource_is(cs, i + 1, "[") && csource_is(cs, i + 2, "]"))
			return MEMBER_FLEXIBLE;
		if (csource_is(cs, i + 1, ";") || csource_is(cs, i + 1, ",") || csource_is(cs, i + 1, "[") ||
		    csource_is(cs, i + 1, ")") || skip_attributes(cs, i + 1) != i + 1)
			return MEMBER_PLAIN;
	}
	return MEMBER_NONE;
}

enum cmember csource_member(const struct csource *cs, const char *ctype, const char *name)
{
	size_t open;
	if (strncmp(ctype, "struct ", 7) == 0)
		open = find_tag(cs, "struct", ctype + 7);
	else if (strncmp(ctype, "union ", 6) == 0)
		open = find_tag(cs, "union", ctype + 6);
	else
		open = find_typedef(cs, ctype, 0);
	return open ? member_in(cs, open, name) : MEMBER_UNKNOWN;
}

bool csource_has_bits(const struct csource *cs, const char *name)
{
	for (size_t i = 0; i < cs->toks.n; i++)
		if (is_struct(cs, i) && body_of(cs, i) && member_in(cs, body_of(cs, i), name) == MEMBER_BITS)
			return true;
	return false;
}
