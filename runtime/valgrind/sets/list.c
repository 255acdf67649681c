/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions refrain asks about: a text file, one line each,
 *	ID ENTRY LIMIT MOST LAST ARGUMENTS RESULTS DUMPS OBJECT
 * ENTRY in hexadecimal as in the object file; with more than MOST different inputs, or after LAST calls, the
 * function is not followed any more (0: it is); ARGUMENTS and RESULTS are "-" or slots joined by commas:
 * rN:SIZE[p][o][=LEAF[TYPE]] with DWARF's register number (xmm0 is 17), p for a pointer and o for one that may be
 * the object the
 * call is about, LEAF what flatten.c makes of it; rN+8:SIZE is a vector register's upper half; DUMPS is "-" or
 * numbers of calls. Lines that begin with T are types. Written by refrain,
 * so a bad line is our own mistake and ends the tool. */
#include "sets.h"

#include "children.h"

enum { LIST_BYTES = 1 << 22, MAX_CHOSEN = 8192 };
static struct chosen *chosen_fn[MAX_CHOSEN];
static UInt n_chosen;

static const UShort int_offset[16] = {
	GUEST(RAX), GUEST(RDX), GUEST(RCX), GUEST(RBX), GUEST(RSI), GUEST(RDI), GUEST(RBP), GUEST(RSP),
	GUEST(R8),  GUEST(R9),  GUEST(R10), GUEST(R11), GUEST(R12), GUEST(R13), GUEST(R14), GUEST(R15),
};

static void bad(const HChar *what)
{
	VG_(umsg)("refrain: bad function list: %s\n", what);
	VG_(exit)(3);
}

static const HChar *parse_slots(const HChar *p, struct slot *slot, UInt *n)
{
	*n = 0;
	if (*p == '-')
		return p + 1;
	for (;;) {
		HChar *end;
		if (*p++ != 'r' || *n == MAX_SLOTS)
			bad("slot");
		ULong reg = (ULong)VG_(strtoll10)(p, &end);
		UInt high = 0;
		if (*end == '+')
			high = (UInt)VG_(strtoll10)(end + 1, &end);
		if (*end != ':' || (reg > 15 && (reg < 17 || reg > 24)) || high > 8)
			bad("register");
		ULong size = (ULong)VG_(strtoll10)(end + 1, &end);
		Bool pointer = *end == 'p';
		if (pointer)
			end++;
		Bool object = *end == 'o';
		if (object)
			end++;
		HChar leaf = 'n';
		UInt type = 0;
		if (*end == '=') {
			leaf = end[1];
			type = (UInt)VG_(strtoull10)(end + 2, &end);
		}
		if (size < 1 || size > 8)
			bad("size");
		UInt offset = reg < 16 ? int_offset[reg] : (UInt)GUEST(YMM0) + 32 * (UInt)(reg - 17) + high;
		slot[(*n)++] = (struct slot){(UShort)offset, (UChar)size, (UChar)reg, pointer, object, leaf, type};
		p = end;
		if (*p != ',')
			return p;
		p++;
	}
}

/* A number and the blank behind it. */
static ULong parse_number(const HChar **p, UInt base, const HChar *what)
{
	HChar *end;
	ULong n = base == 16 ? VG_(strtoull16)(*p, &end) : VG_(strtoull10)(*p, &end);
	if (*end != ' ')
		bad(what);
	*p = end + 1;
	return n;
}

static void parse_line(const HChar *p)
{
	HChar *end;
	struct chosen *c = VG_(calloc)("rf.chosen", 1, sizeof *c);
	c->id = (UInt)parse_number(&p, 10, "id");
	c->entry = (Addr)parse_number(&p, 16, "entry");
	c->limit = (UInt)parse_number(&p, 10, "limit");
	c->most = parse_number(&p, 10, "most");
	c->last = parse_number(&p, 10, "last");
	p = parse_slots(p, c->arg, &c->n_args);
	if (*p++ != ' ')
		bad("arguments");
	p = parse_slots(p, c->result, &c->n_results);
	if (*p++ != ' ')
		bad("results");
	if (*p == '-') {
		p++;
	} else {
		for (p--; p[0] == (c->n_dumps ? ',' : ' ');) {
			if (c->n_dumps == MAX_DUMPS)
				bad("dumps");
			c->dump[c->n_dumps++] = (ULong)VG_(strtoll10)(p + 1, &end);
			p = end;
		}
	}
	if (*p++ != ' ' || n_chosen == MAX_CHOSEN)
		bad("object");
	c->object = VG_(strdup)("rf.object", p);
	chosen_fn[n_chosen++] = c;
}

/* PATH.NUMBER is the list of a program; one that has none is not looked at. */
void list_read(const HChar *path)
{
	HChar *own = VG_(malloc)("rf.list", VG_(strlen)(path) + 32);
	VG_(sprintf)(own, "%s.%llx", path, children_program());
	Int fd = VG_(fd_open)(own, VKI_O_RDONLY, 0);
	VG_(free)(own);
	if (fd < 0 && !children_first())
		return;
	if (fd < 0)
		bad("cannot open it");
	HChar *text = VG_(malloc)("rf.list", LIST_BYTES + 1);
	Int n, used = 0;
	while (used < LIST_BYTES && (n = VG_(read)(fd, text + used, LIST_BYTES - used)) > 0)
		used += n;
	text[used] = 0;
	VG_(close)(fd);
	for (HChar *p = text; *p;) {
		HChar *nl = VG_(strchr)(p, '\n');
		if (!nl)
			bad("truncated");
		*nl = 0;
		if (*p == 'T')
			flatten_type(p + 2);
		else
			parse_line(p);
		p = nl + 1;
	}
	VG_(free)(text);
}

void *list_find(const HChar *name, const HChar *object, Addr entry)
{
	for (UInt i = 0; i < n_chosen; i++)
		if (chosen_fn[i]->entry == entry && VG_STREQ(chosen_fn[i]->object, object))
			return chosen_fn[i];
	if (list_all_arguments_only())
		return NULL;
	struct chosen *c = heap_function(name);
	return c || flatten_depth ? c : text_function(name, object);
}

struct chosen *list_at(UInt i)
{
	return i < n_chosen ? chosen_fn[i] : NULL;
}

Bool list_all_arguments_only(void)
{
	for (UInt i = 0; i < n_chosen; i++)
		if (chosen_fn[i]->limit)
			return False;
	return True;
}

void list_restart(void)
{
	for (UInt i = 0; i < n_chosen; i++) {
		struct chosen *c = chosen_fn[i];
		c->calls = c->max_locations = 0;
		VG_(memset)(c->global, 0, sizeof c->global);
		c->n_files = c->n_peers = 0;
		seen_clear(&c->inputs);
		shape_clear(c);
	}
	sets_forget_calls();
}

Bool list_all_over(void)
{
	for (UInt i = 0; i < n_chosen; i++)
		if (!chosen_fn[i]->hook && !chosen_fn[i]->over)
			return False;
	return True;
}
