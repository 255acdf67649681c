/* SPDX-License-Identifier: MIT */
/* The write barrier for gcc: a pass over GIMPLE, the last before code is generated, also at link time (LTO). C++
 * because GCC's own headers are.
 *
 * Immediately before each store to memory that a contract may have verified stands one asm statement: it tests the
 * watch map's byte of the granule and, if that is set and the value differs from what is there, calls a stub that
 * keeps all registers. Nothing can run between the test and the store. A call whose result goes to memory gets a
 * temporary, so that the store comes after the call. Before calls to code that is not instrumented, what it may
 * write to is un-verified (runtime/check/inside/calls.h). Not instrumented: variables whose address never leaves the
 * function, static and thread-local variables (the runtime does not trust those). */
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "ssa.h"
#include "stringpool.h"
#include "attribs.h"
#include "gimple-iterator.h"
#include "tree-ssa-alias.h"
#include "tree-cfg.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "cgraph.h"
#include "builtins.h"
#include "internal-fn.h"
#include "diagnostic-core.h"
#include "context.h"
#include "tree-eh.h"
#include "output.h"
#include "target.h"
#include "varasm.h"
#include "function.h"

#include "runtime/check/inside/asm_text.h"
#include "runtime/check/inside/calls.h"
#include "runtime/check/inside/store_test.h"
#include "runtime/check/inside/watch_map.h"

int plugin_is_GPL_compatible;

/* ---- functions of the runtime */

enum helper {
	RF_RANGE,
	RF_COPY,
	RF_IOVEC,
	RF_EVERYTHING,
	RF_MIXED,
	RF_BLOCK,
	RF_DEEP,
	RF_MESSAGE,
	RF_KEPT,
	RF_AIO,
	RF_STACK,
	RF_CONTEXT,
	RF_PATH,
	RF_FORMAT,
	RF_CALLED,
	RF_HANDLER,
	RF_ACTION,
	RF_EVENT,
	RF_STREAM,
	RF_SYSCALL,
	RF_PROCESS,
	RF_PATH_AT,
	RF_OPTIONS,
	RF_WROTE,
	RF_WROTE_ANY,
	RF_WROTE_LOCK,
	RF_GLOB,
	RF_CAUGHT,
	RF_TEXT,
	RF_TEXT_END,
	RF_BUFFER,
	N_HELPERS
};
static const struct {
	const char *name;
	int n_args;
} helpers[N_HELPERS] = {{"rf_range", 2},     {"rf_copy", 3},       {"rf_iovec", 2},   {"rf_everything", 0},
			{"rf_mixed", 0},     {"rf_block", 1},      {"rf_deep", 1},    {"rf_message", 1},
			{"rf_kept", 1},      {"rf_aio", 1},        {"rf_stack", 1},   {"rf_context", 1},
			{"rf_path", 1},      {"rf_format", 1},     {"rf_called", 1},  {"rf_handler", 1},
			{"rf_action", 1},    {"rf_event", 1},      {"rf_stream", 1},  {"rf_syscall", 1},
			{"rf_process", 1},   {"rf_path_at", 1},    {"rf_options", 1}, {"rf_wrote", 1},
			{"rf_wrote_any", 0}, {"rf_wrote_lock", 1}, {"rf_glob", 1},    {"rf_caught", 0},
			{"rf_unbounded", 1},      {"rf_unbounded_end", 0},   {"rf_buffer", 1}};
static tree helper_decl[N_HELPERS];

static tree helper(enum helper h)
{
	if (!helper_decl[h]) {
		tree t = ptr_type_node, s = size_type_node, type;
		if (h == RF_RANGE || h == RF_IOVEC)
			type = build_function_type_list(void_type_node, t, s, NULL_TREE);
		else if (h == RF_COPY)
			type = build_function_type_list(void_type_node, t, t, s, NULL_TREE);
		else if (!helpers[h].n_args)
			type = build_function_type_list(void_type_node, NULL_TREE);
		else
			type = build_function_type_list(void_type_node, t, NULL_TREE);
		tree d = build_fn_decl(helpers[h].name, type);
		TREE_NOTHROW(d) = 1;
		/* it calls nothing in this unit: no abnormal edges in functions that call setjmp */
		DECL_ATTRIBUTES(d) = tree_cons(get_identifier("leaf"), NULL_TREE, DECL_ATTRIBUTES(d));
		helper_decl[h] = d;
	}
	return helper_decl[h];
}

static tree in_register(gimple_stmt_iterator *at, tree e, tree type)
{
	return force_gimple_operand_gsi(at, fold_convert(type, unshare_expr(e)), true, NULL_TREE, true, GSI_SAME_STMT);
}

static void call(gimple_stmt_iterator *at, enum helper h, tree a = NULL_TREE, tree b = NULL_TREE, tree c = NULL_TREE)
{
	gcall *g;
	location_t where = gimple_location(gsi_stmt(*at));
	if (helpers[h].n_args >= 1)
		a = in_register(at, a, ptr_type_node);
	if (helpers[h].n_args >= 2)
		b = in_register(at, b, h == RF_COPY ? ptr_type_node : size_type_node);
	if (helpers[h].n_args == 3)
		g = gimple_build_call(helper(h), 3, a, b, in_register(at, c, size_type_node));
	else if (helpers[h].n_args == 2)
		g = gimple_build_call(helper(h), 2, a, b);
	else if (helpers[h].n_args == 1)
		g = gimple_build_call(helper(h), 1, a);
	else
		g = gimple_build_call(helper(h), 0);
	gimple_set_location(g, where);
	gsi_insert_before(at, g, GSI_SAME_STMT);
	update_stmt(g);
}

/* ---- asm statements */

static const char *assembler_name(tree d)
{
	const char *s = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(d));
	return *s == '*' ? s + 1 : s;
}

/* Only whole words of assembler are put into a name. */
static bool plain_name(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == strlen(s);
}

static tree operand(const char *constraint, tree v)
{
	return build_tree_list(build_tree_list(NULL_TREE, build_string(strlen(constraint) + 1, constraint)), v);
}

/* place_only: of the program's memory it concerns nothing but its operand, so that values may stay in registers. */
static gasm *new_asm(const char *text, vec<tree, va_gc> *in, bool place_only = false)
{
	static const char *const clobbers[] = {"r11", "cc", "memory"};
	vec<tree, va_gc> *clobber = NULL;
	for (const char *c : clobbers)
		if (!place_only || strcmp(c, "memory") != 0)
			vec_safe_push(clobber, build_tree_list(NULL_TREE, build_string(strlen(c) + 1, c)));
	gasm *a = gimple_build_asm_vec(ggc_strdup(text), in, NULL, clobber, NULL);
	gimple_asm_set_volatile(a, true);
	return a;
}

static void insert_before(gimple_stmt_iterator *at, gimple *g)
{
	gimple_set_location(g, gimple_location(gsi_stmt(*at)));
	gsi_insert_before(at, g, GSI_SAME_STMT);
	update_stmt(g);
}

/* Behind a call, on the way on which it returns. */
static void insert_behind(gimple *c, gimple *g)
{
	gimple_set_location(g, gimple_location(c));
	gimple_set_plf(g, GF_PLF_1, true); /* ours, not to be visited */
	if (!stmt_ends_bb_p(c)) {
		gimple_stmt_iterator at = gsi_for_stmt(c);
		gsi_insert_after(&at, g, GSI_SAME_STMT);
	} else if (edge e = find_fallthru_edge(gimple_bb(c)->succs)) {
		gsi_insert_on_edge_immediate(e, g);
	} else {
		return;
	}
	update_stmt(g);
}

/* mem: an operand in memory; or NULL, and its address in a register. val: what is stored, if it can be compared. */
static void store_asm(gimple_stmt_iterator *at, tree mem, tree addr, HOST_WIDE_INT n, tree val)
{
	char text[1100], compare[80] = "", site[600] = "";
	const char *place = mem ? "%0" : "(%0)", *load = mem ? "leaq" : "movq";
	if (val) {
		char reg[4] = {'%', store_register(n), '1'};
		snprintf(compare, sizeof compare, "cmp%c\t%s, %s\n\tje\t2b\n\t", store_suffix(n),
			 CONSTANT_CLASS_P(val) ? "%1" : reg, place);
	}
	const char *name = assembler_name(cfun->decl);
	if (plain_name(name) && strlen(name) <= 400) /* goes and stays with the function */
		snprintf(site, sizeof site,
			 "\n\t.pushsection rf_sites,\"ao?\",@progbits,%s\n\t.long\t3b-.\n\t.byte\t2b-3b\n\t.popsection",
			 name);
	snprintf(text, sizeof text,
		 "3:\n\t%s\t%%%s0, %%%%r11%s\n\tshrl\t$3, %%%%r11d\n\t%s\t$0, "
		 "%#x(%%%%r11)\n\tjne\t1f\n2:\n\t.subsection "
		 "1\n1:\n\t%s%s\t%%0, "
		 "%%%%r11\n\tcall\t__rf_store_%u\n\tjmp\t2b\n\t.previous%s",
		 mem ? "leal" : "movl", mem ? "" : "k", "d", store_test(n), WATCH_BASE, compare, load, store_stub(n),
		 site);
	vec<tree, va_gc> *in = NULL;
	vec_safe_push(in, operand(mem ? "m" : "r", mem ? unshare_expr(mem) : addr));
	if (val)
		vec_safe_push(in, operand(n == 1 ? "qi" : "re", val));
	/* A store that is moved behind the test of another is to a node that its own test has un-verified, or to no
	 * verified node; none can be moved before its own test, whose operand is what it writes to. */
	insert_before(at, new_asm(text, in, mem != NULL_TREE));
}

/* ---- what need not be watched */

/* p points only to memory that never leaves this function. */
static bool points_inside(tree p)
{
	return optimize && TREE_CODE(p) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(p)) && SSA_NAME_PTR_INFO(p) &&
	       !ptr_deref_may_alias_global_p(p, true);
}

static bool unwatched(tree ref)
{
	tree base = get_base_address(ref);
	if (base && (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF)) {
		tree p = TREE_OPERAND(base, 0);
		if (TREE_CODE(p) != ADDR_EXPR)
			return points_inside(p);
		base = get_base_address(TREE_OPERAND(p, 0));
	}
	if (!base || !DECL_P(base))
		return false;
	/* where the caller says: another compiler's code may say a node */
	if (TREE_CODE(base) == RESULT_DECL)
		return !DECL_BY_REFERENCE(base) && !aggregate_value_p(base, cfun->decl);
	/* in a shared library thread-local memory may come from malloc */
	if (VAR_P(base) && DECL_THREAD_LOCAL_P(base) && flag_shlib)
		return false;
	if (is_global_var(base) || !TREE_ADDRESSABLE(base))
		return true;
	return optimize && !pt_solution_includes(&cfun->gimple_df->escaped, base);
}

static bool unwatched_pointer(tree p)
{
	STRIP_NOPS(p);
	if (TREE_CODE(p) == ADDR_EXPR)
		return TREE_CODE(TREE_OPERAND(p, 0)) == STRING_CST || unwatched(TREE_OPERAND(p, 0));
	return integer_zerop(p) || points_inside(p);
}

/* ---- stores */

static void range(gimple_stmt_iterator *at, tree addr, tree n)
{
	if (!tree_fits_uhwi_p(n) || tree_to_uhwi(n) > WATCH_INLINE) {
		call(at, RF_RANGE, addr, n);
		return;
	}
	if (integer_zerop(n))
		return;
	addr = in_register(at, addr, ptr_type_node);
	if (TREE_CODE(addr) != SSA_NAME) {
		tree t = make_ssa_name(ptr_type_node);
		insert_before(at, gimple_build_assign(t, addr));
		addr = t;
	}
	store_asm(at, NULL_TREE, addr, tree_to_uhwi(n), NULL_TREE);
}

/* A bit-field, or another part of a byte: the bytes it lies in. False: it is none. */
static bool store_bits(gimple_stmt_iterator *at, tree ref)
{
	poly_int64 bitsize, bitpos;
	tree offset;
	machine_mode mode;
	int is_unsigned, reversed, is_volatile;
	HOST_WIDE_INT size, pos;
	tree base = get_inner_reference(ref, &bitsize, &bitpos, &offset, &mode, &is_unsigned, &reversed, &is_volatile);
	if (!bitsize.is_constant(&size) || !bitpos.is_constant(&pos))
		return false;
	bool field = TREE_CODE(ref) == BIT_FIELD_REF ||
		     (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(ref, 1)));
	if (!field && !(pos & 7) && !(size > 0 && (size & 7)))
		return false;
	tree addr = fold_convert(ptr_type_node, build_fold_addr_expr(unshare_expr(base)));
	if (offset)
		addr = fold_build_pointer_plus(addr, unshare_expr(offset));
	addr = fold_build_pointer_plus_hwi(addr, pos >> 3);
	range(at, addr, size_int(((pos & 7) + size + 7) >> 3));
	return true;
}

/* The statement at `at` stores to ref; val: the value, if it is known. */
static void store(gimple_stmt_iterator *at, tree ref, tree val)
{
	if (unwatched(ref) || store_bits(at, ref))
		return;
	tree type = TREE_TYPE(ref), size = TYPE_SIZE_UNIT(type);
	if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(type)))
		error_at(gimple_location(gsi_stmt(*at)), "refrain: a store to a named address space cannot be watched");
	if (!size)
		return;
	if (!tree_fits_uhwi_p(size) || tree_to_uhwi(size) > WATCH_INLINE) {
		range(at, build_fold_addr_expr(unshare_expr(ref)), unshare_expr(size));
		return;
	}
	HOST_WIDE_INT n = tree_to_uhwi(size);
	if (!n)
		return;
	bool number = (INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) && (n == 1 || n == 2 || n == 4 || n == 8);
	bool swapped = handled_component_p(ref) && reverse_storage_order_for_component_p(ref);
	if (!number || swapped || !val || (TREE_CODE(val) != SSA_NAME && TREE_CODE(val) != INTEGER_CST))
		val = NULL_TREE;
	tree base = get_base_address(ref);
	if (base && TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = get_base_address(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
	if (base && VAR_P(base) && DECL_THREAD_LOCAL_P(base)) { /* lea gives an offset there, not an address */
		range(at, build_fold_addr_expr(unshare_expr(ref)), size);
		return;
	}
	store_asm(at, ref, NULL_TREE, n, val);
}

/* ---- calls */

/* Calls the stub unless the function that will be called was instrumented: then its unit defines __rf_has_NAME, at the
 * same address. At another: a definition without the barrier has taken the place of one that has it (a weak one, one of
 * an inline function, of a library). */
static gasm *unless_instrumented(tree d, const char *stub)
{
	char text[2200];
	const char *name = assembler_name(d);
	if (!plain_name(name) || strlen(name) > 400)
		snprintf(text, sizeof text, "call\t%s", stub);
	else
		snprintf(text, sizeof text,
			 "movq\t__rf_has_%s@GOTPCREL(%%%%rip), %%%%r11\n\tcmpq\t%s@GOTPCREL(%%%%rip), "
			 "%%%%r11\n\tjne\t1f\n2:\n\t"
			 ".subsection 1\n1:\n\tcall\t%s\n\tjmp\t2b\n\t.previous\n\t.weak\t__rf_has_%s",
			 name, name, stub, name);
	return new_asm(text, NULL);
}

/* Its code is chosen when the program starts, and may be any. */
static bool is_chosen(tree d)
{
	return lookup_attribute("ifunc", DECL_ATTRIBUTES(d)) != NULL_TREE;
}

/* A function of this program that no other definition can take the place of. */
static bool surely_ours(tree d)
{
	cgraph_node *n = cgraph_node::get(d);
	if (n && n->weakref) /* another name for what may be anywhere */
		return false;
	if (n && n->in_other_partition)
		return true;
	if (DECL_EXTERNAL(d) || !n || !n->definition || lookup_attribute("naked", DECL_ATTRIBUTES(d)) || is_chosen(d))
		return false;
	/* the compiler takes a weak definition for the one in use: calls are the same either way */
	bool another = DECL_WEAK(d) && n->resolution != LDPR_PREVAILING_DEF_IRONLY &&
		       n->resolution != LDPR_PREVAILING_DEF_IRONLY_EXP && n->resolution != LDPR_PREVAILING_DEF;
	return !TREE_PUBLIC(d) || (!another && targetm.binds_local_p(d));
}

static const char *library_name(tree d)
{
	static const char *const prefixes[] = {"__builtin_", "__isoc99_", "__isoc23_"};
	const char *s = assembler_name(d);
	for (const char *p : prefixes)
		if (strncmp(s, p, strlen(p)) == 0)
			s += strlen(p);
	return s;
}

static bool mentions_n(tree format)
{
	STRIP_NOPS(format);
	const char *s = c_getstr(format);
	for (; s && *s; s++)
		if (*s == '%') {
			s += 1 + strspn(s + 1, "0123456789 #+-'.*$hlLqjztI");
			if (*s == 'n')
				return true;
			if (!*s)
				break;
		}
	return !s;
}

/* The argument as a value: a union of pointers (sockets' addresses) is its first member. */
static tree argument_value(gcall *c, unsigned i)
{
	tree a = gimple_call_arg(c, i), type = TREE_TYPE(a);
	if (TREE_CODE(type) != UNION_TYPE || !TYPE_FIELDS(type))
		return a;
	tree f = TYPE_FIELDS(type);
	return POINTER_TYPE_P(TREE_TYPE(f)) ? build3(COMPONENT_REF, TREE_TYPE(f), unshare_expr(a), f, NULL_TREE) : a;
}

static void one_argument(gimple_stmt_iterator *at, gcall *c, unsigned i, char how)
{
	unsigned n = gimple_call_num_args(c);
	tree a = argument_value(c, i);
	auto arg = [&](unsigned k) { return k < n ? gimple_call_arg(c, k) : size_zero_node; };
	auto product = [&](tree x, tree y) {
		return fold_build2(MULT_EXPR, size_type_node, fold_convert(size_type_node, x),
				   fold_convert(size_type_node, y));
	};
	if (how == '.' || (!known_always(how) && unwatched_pointer(a)))
		return;
	bool pointer = POINTER_TYPE_P(TREE_TYPE(a)) || (TREE_CODE(a) == SSA_NAME && TYPE_PRECISION(TREE_TYPE(a)) == 64);
	const char *name = known_helper(how);
	if (name && (pointer || known_always(how)) && (how != 'f' || mentions_n(a)))
		for (int h = 0; h < N_HELPERS; h++)
			if (strcmp(helpers[h].name, name) == 0)
				call(at, (enum helper)h, a);
	switch (how) {
	case 'n':
		range(at, a, arg(i + 1));
		break;
	case 'N':
		range(at, a, product(arg(n - 3), arg(n - 2)));
		break;
	case 'S':
		range(at, a, arg(2));
		break;
	case 'C':
		call(at, RF_COPY, a, arg(1), arg(2));
		break;
	case 'i':
		call(at, RF_IOVEC, a, arg(i + 1));
		break;
	case 'F':
		call(at, RF_MIXED);
		break;
	default:
		if (known_bytes(how))
			range(at, a, size_int(known_bytes(how)));
	}
}

/* Says after the call, too, that argument i may have been written to: another thread may have checked meanwhile. */
static void wrote(gimple_stmt_iterator *at, gcall *c, unsigned i, char how)
{
	tree a = argument_value(c, i);
	bool pointer = POINTER_TYPE_P(TREE_TYPE(a)) || (TREE_CODE(a) == SSA_NAME && TYPE_PRECISION(TREE_TYPE(a)) == 64);
	if (!known_after(how) || (!pointer && how != 'y') || (!known_always(how) && unwatched_pointer(a)))
		return;
	if (known_after(how) == 2)
		insert_behind(c, gimple_build_call(helper(RF_WROTE_ANY), 0));
	else
		insert_behind(c, gimple_build_call(helper(known_after(how) == 1 ? RF_WROTE : RF_WROTE_LOCK), 1,
						   in_register(at, a, ptr_type_node)));
}

/* Checks made before the call returns walk their value in full: it may write after them. */
static void around(gimple_stmt_iterator *at, gcall *c, tree d, const char *how)
{
	gimple_call_set_tail(c, false);
	char last = '.';
	for (unsigned i = 0; i < gimple_call_num_args(c); i++) {
		last = *how ? *how++ : last == '*' ? '*' : '.';
		wrote(at, c, i, last);
	}
	insert_before(at, unless_instrumented(d, "__rf_callback"));
	insert_behind(c, unless_instrumented(d, "__rf_back"));
}

/* A function of the table: its arguments, then those that are called back. */
static bool known(gimple_stmt_iterator *at, gcall *c, tree d, const char *how)
{
	unsigned n = gimple_call_num_args(c);
	char last = '.';
	bool waits = *how == '!', text = false;
	how += waits;
	const char *letters = how;
	if (*how == 'E')
		call(at, RF_CAUGHT);
	for (unsigned i = 0; i < n; i++) {
		last = *how ? *how++ : last == '*' ? '*' : '.';
		one_argument(at, c, i, last);
		text |= last == 't' || last == '*';
		waits |= last == 'c' || (last == 'f' && mentions_n(gimple_call_arg(c, i)));
	}
	if (text) {
		gimple_call_set_tail(c, false);
		insert_behind(c, gimple_build_call(helper(RF_TEXT_END), 0));
	}
	if (waits)
		around(at, c, d, letters);
	return true;
}

static void atomic(gimple_stmt_iterator *at, gcall *c, const char *name)
{
	unsigned n = gimple_call_num_args(c);
	if (!n || strstr(name, "_load_") || strstr(name, "lock_free") || strstr(name, "fence") ||
	    strstr(name, "synchronize"))
		return;
	if (!POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(c, 0)))) { /* (size, pointers …) */
		for (unsigned i = 1; i < n; i++)
			if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(c, i))) &&
			    !unwatched_pointer(gimple_call_arg(c, i)))
				range(at, gimple_call_arg(c, i), gimple_call_arg(c, 0));
		return;
	}
	const char *digits = strrchr(name, '_');
	int size = digits && ISDIGIT(digits[1]) ? atoi(digits + 1) : 16;
	for (unsigned i = 0; i < n; i++) /* the place, and what a compare-exchange expects */
		if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(c, i))) && i < 2 &&
		    !unwatched_pointer(gimple_call_arg(c, i)))
			range(at, gimple_call_arg(c, i), size_int(size));
}

/* More than 64 bytes, or bytes before the address. */
static bool writes_more(const char *instruction)
{
	return strstr(instruction, "save") || strstr(instruction, "clzero") || strstr(instruction, "wide");
}

/* An instruction of the machine: the memory at its pointers. */
static void machine(gimple_stmt_iterator *at, gcall *c, tree d)
{
	const char *name = IDENTIFIER_POINTER(DECL_NAME(d));
	if (gimple_call_flags(c) & (ECF_CONST | ECF_PURE))
		return;
	if (strstr(name, "scatter")) {
		call(at, RF_EVERYTHING);
		return;
	}
	for (unsigned i = 0; i < gimple_call_num_args(c); i++) {
		tree a = gimple_call_arg(c, i);
		if (!POINTER_TYPE_P(TREE_TYPE(a)) || unwatched_pointer(a))
			continue;
		if (writes_more(name))
			call(at, RF_BLOCK, a);
		else
			call(at, RF_RANGE, a, size_int(64));
	}
}

/* Builtins that are expanded in place, and those that are library functions by another name. */
static bool builtin(gimple_stmt_iterator *at, gcall *c, tree d)
{
	if (DECL_BUILT_IN_CLASS(d) == BUILT_IN_MD) {
		machine(at, c, d);
		return true;
	}
	if (DECL_BUILT_IN_CLASS(d) != BUILT_IN_NORMAL)
		return false;
	const char *name = IDENTIFIER_POINTER(DECL_NAME(d));
	if (strncmp(name, "__atomic_", 9) == 0 || strncmp(name, "__sync_", 7) == 0) {
		atomic(at, c, name);
		return true;
	}
	if (known_call(library_name(d)) || strncmp(name, "__builtin_", 10) != 0)
		return false;
	switch (DECL_FUNCTION_CODE(d)) {
	case BUILT_IN_VA_START:
	case BUILT_IN_VA_COPY:
		if (!unwatched_pointer(gimple_call_arg(c, 0)))
			range(at, gimple_call_arg(c, 0), size_int(24));
		return true;
	case BUILT_IN_APPLY:
		insert_before(at, new_asm("call\t__rf_out", NULL));
		insert_behind(c, new_asm("call\t__rf_back", NULL));
		return true;
	case BUILT_IN_VA_END:
	case BUILT_IN_PREFETCH:
	case BUILT_IN_STACK_RESTORE:
	case BUILT_IN_STACK_SAVE:
	case BUILT_IN_ALLOCA:
	case BUILT_IN_ALLOCA_WITH_ALIGN:
	case BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX:
	case BUILT_IN_EH_POINTER:
	case BUILT_IN_EH_FILTER:
	case BUILT_IN_EH_COPY_VALUES:
	case BUILT_IN_UNWIND_RESUME:
	case BUILT_IN_CXA_END_CLEANUP:
	case BUILT_IN_EXPECT:
	case BUILT_IN_UNREACHABLE:
	case BUILT_IN_TRAP:
	case BUILT_IN_FRAME_ADDRESS:
	case BUILT_IN_RETURN_ADDRESS:
	case BUILT_IN_ASSUME_ALIGNED:
		return true;
	default:
		break;
	}
	if (strncmp(assembler_name(d), "__builtin_", 10) != 0) /* a library's function by another name */
		return false;
	for (unsigned i = 0; i < gimple_call_num_args(c); i++)
		if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(c, i))) && !unwatched_pointer(gimple_call_arg(c, i)))
			call(at, RF_BLOCK, gimple_call_arg(c, i));
	return true;
}

static void internal(gimple_stmt_iterator *at, gcall *c)
{
	switch (gimple_call_internal_fn(c)) {
	case IFN_MASK_STORE:
	case IFN_LEN_STORE:
		call(at, RF_RANGE, gimple_call_arg(c, 0), TYPE_SIZE_UNIT(TREE_TYPE(gimple_call_arg(c, 3))));
		break;
	case IFN_SCATTER_STORE:
	case IFN_MASK_SCATTER_STORE:
	case IFN_MASK_STORE_LANES:
	case IFN_STORE_LANES:
		call(at, RF_EVERYTHING);
		break;
	case IFN_ATOMIC_BIT_TEST_AND_SET:
	case IFN_ATOMIC_BIT_TEST_AND_COMPLEMENT:
	case IFN_ATOMIC_BIT_TEST_AND_RESET:
	case IFN_ATOMIC_COMPARE_EXCHANGE:
	case IFN_ATOMIC_ADD_FETCH_CMP_0:
	case IFN_ATOMIC_SUB_FETCH_CMP_0:
	case IFN_ATOMIC_AND_FETCH_CMP_0:
	case IFN_ATOMIC_OR_FETCH_CMP_0:
	case IFN_ATOMIC_XOR_FETCH_CMP_0:
		for (unsigned i = 0; i < gimple_call_num_args(c); i++)
			if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(c, i)))) { /* a later one is the builtin */
				range(at, gimple_call_arg(c, i), size_int(16));
				break;
			}
		break;
	default:
		break;
	}
}

static void indirect(gimple_stmt_iterator *at, gcall *c)
{
	vec<tree, va_gc> *in = NULL;
	vec_safe_push(in, operand("r", in_register(at, gimple_call_fn(c), ptr_type_node)));
	insert_before(at, new_asm("movq\t%0, %%r11\n\tcall\t__rf_indirect", in));
	if (!gimple_call_tail_p(c))
		insert_behind(
			c, new_asm("movq\trf_outsiders@GOTPCREL(%%rip), %%r11\n\tcmpl\t$0, (%%r11)\n\tjne\t1f\n2:\n\t"
				   ".subsection 1\n1:\n\tcall\t__rf_back\n\tjmp\t2b\n\t.previous",
				   NULL));
}

/* A call to code that may not be instrumented. */
static void call_out(gimple_stmt_iterator *at, gcall *c)
{
	tree d = gimple_call_fndecl(c);
	if (!d || is_chosen(d)) {
		indirect(at, c);
		return;
	}
	if (gimple_call_flags(c) & (ECF_CONST | ECF_PURE | ECF_NOVOPS))
		return;
	if (DECL_BUILT_IN_CLASS(d) != NOT_BUILT_IN && builtin(at, c, d))
		return;
	if (surely_ours(d))
		return;
	const char *how = known_call(library_name(d));
	if (how && DECL_EXTERNAL(d) && known(at, c, d, how))
		return;
	insert_before(at, unless_instrumented(d, "__rf_out"));
	if (!gimple_call_tail_p(c))
		insert_behind(c, unless_instrumented(d, "__rf_back"));
}

/* lhs = f(): the store comes after the call. */
static void result_store(gimple_stmt_iterator *at, gcall *c)
{
	tree lhs = gimple_call_lhs(c), type = TREE_TYPE(lhs);
	if (gimple_call_internal_p(c) || TREE_ADDRESSABLE(type) || !tree_fits_uhwi_p(TYPE_SIZE_UNIT(type))) {
		/* constructed in place: the callee's stores are instrumented themselves */
		store(at, lhs, NULL_TREE);
		return;
	}
	tree tmp = create_tmp_var(type, "rf_result");
	gimple_call_set_lhs(c, tmp);
	gimple_call_set_return_slot_opt(c, false);
	gimple_call_set_tail(c, false);
	update_stmt(c);
	gimple *copy = gimple_build_assign(unshare_expr(lhs), tmp);
	insert_behind(c, copy);
	if (!gimple_bb(copy))
		return;
	gimple_stmt_iterator g = gsi_for_stmt(copy);
	store(&g, lhs, NULL_TREE);
}

static void visit_call(gimple_stmt_iterator *at)
{
	gcall *c = as_a<gcall *>(gsi_stmt(*at));
	if (gimple_call_internal_p(c))
		internal(at, c);
	tree lhs = gimple_call_lhs(c);
	if (lhs && TREE_CODE(lhs) != SSA_NAME && gimple_store_p(c) && !unwatched(lhs))
		result_store(at, c);
	if (!gimple_call_internal_p(c))
		call_out(at, c);
}

/* ---- inline assembler */

/* A system call made by hand: the value of rax, which says which, or -1 if no operand has it. */
static tree call_number(gasm *a)
{
	auto constraint = [](tree t) { return TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(t))); };
	for (unsigned i = 0; i < gimple_asm_ninputs(a); i++) {
		tree in = gimple_asm_input_op(a, i);
		const char *s = constraint(in);
		unsigned k = ISDIGIT(*s) ? (unsigned)atoi(s) : gimple_asm_noutputs(a);
		bool in_rax = k < gimple_asm_noutputs(a) ? strchr(constraint(gimple_asm_output_op(a, k)), 'a') != NULL
							 : strchr(s, 'a') != NULL;
		tree v = TREE_VALUE(in);
		if (VAR_P(v) && DECL_HARD_REGISTER(v) && strcmp(assembler_name(v), "rax") == 0)
			return v;
		if (in_rax && is_gimple_val(v))
			return v;
	}
	return build_int_cst(long_integer_type_node, -1);
}

/* A helper that is called before the program's assembler keeps all registers: some are operands by the program's own
 * choice (`register long x asm("r10")`) and set already. */
static void before_asm(gimple_stmt_iterator *at, const char *stub, tree value = NULL_TREE)
{
	char text[80];
	vec<tree, va_gc> *in = NULL;
	if (value)
		vec_safe_push(in, operand("r", in_register(at, value, ptr_type_node)));
	snprintf(text, sizeof text, "%scall\t%s", value ? "movq\t%0, %%r11\n\t" : "", stub);
	insert_before(at, new_asm(text, in));
}

/* An operand that it is given to read, but may write through or to: many do not say what they write. */
static void asm_input(gimple_stmt_iterator *at, tree v, bool numbers)
{
	tree type = TREE_TYPE(v);
	bool integer = TREE_CODE(v) == SSA_NAME && INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) == 64;
	if (is_gimple_val(v) || (VAR_P(v) && DECL_HARD_REGISTER(v))) {
		integer |= VAR_P(v) && INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) == 64;
		if ((POINTER_TYPE_P(type) || (numbers && integer)) && !unwatched_pointer(v))
			before_asm(at, "__rf_asm_block", v);
	} else if (!unwatched(v)) {
		before_asm(at, "__rf_asm_block", build_fold_addr_expr(unshare_expr(v)));
	}
}

/* Its outputs in memory. */
static void asm_outputs(gimple_stmt_iterator *at, gasm *a)
{
	for (unsigned i = 0; i < gimple_asm_noutputs(a); i++) {
		tree v = TREE_VALUE(gimple_asm_output_op(a, i)), size = TYPE_SIZE_UNIT(TREE_TYPE(v));
		if (TREE_CODE(v) == SSA_NAME || (VAR_P(v) && DECL_HARD_REGISTER(v)) || unwatched(v))
			continue;
		if (size && !integer_zerop(size) && tree_fits_uhwi_p(size) && tree_to_uhwi(size) <= WATCH_INLINE)
			store(at, v, NULL_TREE);
		else /* or an array whose length is not said */
			before_asm(at, "__rf_asm_block", build_fold_addr_expr(unshare_expr(v)));
	}
}

static void visit_asm(gimple_stmt_iterator *at)
{
	gasm *a = as_a<gasm *>(gsi_stmt(*at));
	const char *text = gimple_asm_string(a);
	if (strstr(text, "__rf_")) /* ours */
		return;
	asm_outputs(at, a);
	const asm_text t = asm_read(text, '%');
	bool system = known_system_call(text), any = gimple_asm_input_p(a) || asm_goes_on(&t);
	if (t.silent)
		return;
	for (unsigned i = 0; i < gimple_asm_nclobbers(a); i++)
		any |= strcmp(TREE_STRING_POINTER(TREE_VALUE(gimple_asm_clobber_op(a, i))), "memory") == 0;
	if (t.calls) { /* code without the barrier */
		insert_before(at, new_asm("call\t__rf_out", NULL));
		insert_behind(a, new_asm("call\t__rf_back", NULL));
	}
	if (system)
		before_asm(at, "__rf_asm_syscall", call_number(a));
	else if (any)
		before_asm(at, "__rf_asm_anything");
	for (unsigned i = 0; !any && !system && i < gimple_asm_ninputs(a); i++)
		asm_input(at, TREE_VALUE(gimple_asm_input_op(a, i)), gimple_asm_volatile_p(a) || t.brackets);
	if (system || t.jumps) /* another thread may check before it writes */
		insert_behind(a, new_asm("call\t__rf_asm_wrote", NULL));
}

/* ---- the pass */

/* A name of the function, its own or an alias, under which other units may call it. */
static void declare_name(tree d, const char *function)
{
	const char *name = assembler_name(d);
	if (TREE_PUBLIC(d) && plain_name(name) && !is_chosen(d))
		fprintf(asm_out_file, "\t.weak\t__rf_has_%s\n\t.set\t__rf_has_%s,%s\n", name, name, function);
}

/* Says that this function is instrumented: by name for calls to it, by address for calls through pointers. */
static void declare_instrumented(function *f)
{
	const char *name = assembler_name(f->decl);
	if (!plain_name(name))
		return;
	declare_name(f->decl, name);
	ipa_ref *alias = NULL;
	FOR_EACH_ALIAS(cgraph_node::get(f->decl), alias)
	declare_name(alias->referring->decl, name);
	char text[1200];
	snprintf(text, sizeof text,
		 ".pushsection rf_text,\"awo?\",@progbits,%.400s\n\t.quad\t%.400s\n\t.popsection # __rf_", name, name);
	gasm *a = new_asm(text, NULL);
	gsi_insert_on_edge_immediate(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(f)), a);
	update_stmt(a);
}

/* rf_scan0, rf_explain12, rf_after3, and what the optimiser made of them: rf_scan0.part.0. */
static bool is_generated(const char *name)
{
	for (const char *prefix : {"rf_scan", "rf_explain", "rf_after"})
		if (strncmp(name, prefix, strlen(prefix)) == 0 && ISDIGIT(name[strlen(prefix)]))
			return true;
	return false;
}

static const pass_data barrier_data = {
	GIMPLE_PASS, "rf_barrier", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa_only_virtuals};

struct barrier_pass : gimple_opt_pass {
	barrier_pass(gcc::context *c) : gimple_opt_pass(barrier_data, c)
	{
	}
	opt_pass *clone() final override
	{
		return new barrier_pass(m_ctxt);
	}
	unsigned execute(function *f) final override
	{
		const char *name =
			IDENTIFIER_POINTER(DECL_NAME(f->decl) ? DECL_NAME(f->decl) : DECL_ASSEMBLER_NAME(f->decl));
		/* generated checkers write to the runtime's arrays only */
		if (lookup_attribute("naked", DECL_ATTRIBUTES(f->decl)) || is_generated(name))
			return 0;
		auto_vec<basic_block> blocks;
		basic_block bb;
		FOR_EACH_BB_FN(bb, f)
		{
			for (gimple_stmt_iterator g = gsi_start_bb(bb); !gsi_end_p(g); gsi_next(&g))
				gimple_set_plf(gsi_stmt(g), GF_PLF_1, false);
			blocks.safe_push(bb);
		}
		for (basic_block b : blocks)
			for (gimple_stmt_iterator g = gsi_start_bb(b); !gsi_end_p(g); gsi_next(&g))
				visit(&g);
		declare_instrumented(f);
		return 0;
	}
	static void visit(gimple_stmt_iterator *g)
	{
		gimple *s = gsi_stmt(*g);
		if (gimple_plf(s, GF_PLF_1) || is_gimple_debug(s))
			return;
		gimple_set_plf(s, GF_PLF_1, true);
		if (is_gimple_call(s))
			visit_call(g);
		else if (gimple_code(s) == GIMPLE_ASM)
			visit_asm(g);
		else if (is_gimple_assign(s) && gimple_store_p(s) && !gimple_clobber_p(s))
			store(g, gimple_assign_lhs(s), gimple_assign_single_p(s) ? gimple_assign_rhs1(s) : NULL_TREE);
	}
};

static void refuse_register(void *d, void *)
{
	tree t = (tree)d;
	if (t && VAR_P(t) && DECL_HARD_REGISTER(t) && strcmp(assembler_name(t), "r11") == 0)
		error_at(DECL_SOURCE_LOCATION(t), "refrain: the write barrier uses the register r11");
}

/* refrain-cc looks for this section at the link. */
static void mark_object(void *, void *)
{
	if (asm_out_file)
		fputs("\t.section\t.refrain,\"\",@progbits\n\t.byte\t1\n\t.text\n", asm_out_file);
}

int plugin_init(plugin_name_args *info, plugin_gcc_version *v)
{
	if (!plugin_default_version_check(v, &gcc_version)) {
		error("refrain: the write barrier was built for gcc %s", gcc_version.basever);
		return 1;
	}
	register_pass_info pass = {new barrier_pass(g), "optimized", 1, PASS_POS_INSERT_BEFORE};
	register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
	static const ggc_root_tab roots[] = {
		{&helper_decl, N_HELPERS, sizeof(tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};
	register_callback(info->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
	register_callback(info->base_name, PLUGIN_FINISH_UNIT, mark_object, NULL);
	register_callback(info->base_name, PLUGIN_FINISH_DECL, refuse_register, NULL);
	return 0;
}
