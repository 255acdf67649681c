/* SPDX-License-Identifier: MIT */
/* Making the declaration graph from a base's trees: see units.h.
 *
 * One walk over the nodes in preorder finds the units: the children of a file, namespace or class. The names a
 * declaration makes are found by going down its declarators. Every other word of a unit's own text is a use; operators
 * are used by their signs. Names are numbered while they are declared; a word that nobody declares is no use. */
#include "reduce/model/units.h"

#include "reduce/model/names.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum class {
	OTHER,
	LIST,        /* its children are units */
	MEMBERS,     /* a list inside a SPECIFIER, else a block of statements */
	WRAP,        /* around a declaration */
	SPECIFIER,   /* class, struct, union, enum */
	NAMED,       /* its first identifier is its name */
	USING,       /* its last identifier is its name */
	IMPORT,      /* all its identifiers are names */
	ASSIGNING,   /* a statement: what its ASSIGNMENTs put something in are its names */
	ASSIGNMENT,  /* its first child is what gets the value: */
	PATTERN,     /* … all identifiers in it */
	MEMBER,      /* … the last identifier: `a.b = …` declares b */
	DECLARATION, /* a type and declarators */
	NAMESPACE,
	TYPE,
	IDENTIFIER,
	DECLARATOR,
	OPERATOR,
	DESTRUCTOR,
	QUALIFIED,
	PARAMETERS,
	BODY,
	INITIALISERS,
	PART,
	DEFAULTED, /* `= value` inside is a part */
	ENUMERATOR,
	LABEL,
	CONDITIONAL, /* #if: a list and a container */
	MACRO,
	EXPRESSION
};

/* A language's rules: what a node is, by the name its grammar gives it. */
struct node_class {
	enum class class;
	const char *names; /* separated by spaces */
};

static const struct node_class c_classes[] = {
	{LIST, "translation_unit declaration_list field_declaration_list"},
	{WRAP, "template_declaration linkage_specification friend_declaration"},
	{SPECIFIER, "class_specifier struct_specifier union_specifier enum_specifier"},
	{NAMED, "alias_declaration concept_definition namespace_alias_definition"},
	{USING, "using_declaration"},
	{DECLARATION, "declaration function_definition field_declaration type_definition"},
	{NAMESPACE, "namespace_definition"},
	{TYPE, "primitive_type sized_type_specifier placeholder_type_specifier dependent_type decltype"},
	{IDENTIFIER, "identifier field_identifier type_identifier namespace_identifier"},
	{DECLARATOR, "function_declarator pointer_declarator reference_declarator array_declarator init_declarator "
		     "parenthesized_declarator variadic_declarator attributed_declarator"},
	{OPERATOR, "operator_name operator_cast"},
	{DESTRUCTOR, "destructor_name"},
	{QUALIFIED, "qualified_identifier template_function template_method template_type"},
	{PARAMETERS, "template_parameter_list parameter_list template_argument_list"},
	{BODY, "compound_statement"},
	{INITIALISERS, "field_initializer_list"},
	{PART, "base_class_clause noexcept"},
	{DEFAULTED, "optional_parameter_declaration optional_type_parameter_declaration"},
	{ENUMERATOR, "enumerator"},
	{LABEL, "access_specifier preproc_include"},
	{CONDITIONAL, "preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef"},
	{MACRO, "preproc_def preproc_function_def"},
	{EXPRESSION, "binary_expression unary_expression assignment_expression update_expression pointer_expression "
		     "subscript_expression subscript_argument_list field_expression"},
};

static const struct node_class python_classes[] = {
	{LIST, "module"},
	{MEMBERS, "block"},
	{WRAP, "decorated_definition"},
	{SPECIFIER, "class_definition"},
	{NAMED, "function_definition"},
	{IMPORT, "import_statement import_from_statement"},
	{ASSIGNING, "expression_statement"},
	{ASSIGNMENT, "assignment"},
	{PATTERN, "pattern_list tuple_pattern list_pattern"},
	{MEMBER, "attribute"},
	{IDENTIFIER, "identifier"},
};

static const struct node_class js_classes[] = {
	{LIST, "program class_body"},
	{WRAP, "export_statement ambient_declaration"},
	{SPECIFIER, "class_declaration abstract_class_declaration"},
	{NAMED, "function_declaration generator_function_declaration method_definition field_definition "
		"public_field_definition method_signature abstract_method_signature interface_declaration "
		"type_alias_declaration enum_declaration function_signature internal_module"},
	{IMPORT, "import_statement"},
	{ASSIGNING, "expression_statement lexical_declaration variable_declaration"},
	{ASSIGNMENT, "assignment_expression variable_declarator"},
	{PATTERN, "array_pattern object_pattern"},
	{MEMBER, "member_expression"},
	{IDENTIFIER, "identifier property_identifier private_property_identifier type_identifier "
		     "shorthand_property_identifier_pattern"},
};

#define RULES(classes) classes, sizeof classes / sizeof *classes

/* scripted: what declares nothing is run, so it stays. filled: a class must have something in it. */
static const struct unit_rules {
	enum language_id language;
	const struct node_class *classes;
	size_t n;
	bool scripted, filled;
} unit_rules[] = {
	{LANG_C, RULES(c_classes), false, false},          {LANG_CPP, RULES(c_classes), false, false},
	{LANG_PYTHON, RULES(python_classes), true, true},  {LANG_JAVASCRIPT, RULES(js_classes), true, false},
	{LANG_TYPESCRIPT, RULES(js_classes), true, false}, {LANG_TSX, RULES(js_classes), true, false},
};

struct making {
	struct units *u;
	const struct model *m;
	uint8_t class_of[UINT16_MAX + 1]; /* of the current file's language */
	const struct unit_rules *rules;   /* and these are its */
	const struct syntax *x;
	uint32_t file, first; /* the file's number and its first base token */
};

static const struct unit_rules *rules_of(const struct language *lang)
{
	for (size_t i = 0; i < sizeof unit_rules / sizeof *unit_rules; i++)
		if (unit_rules[i].language == lang->id)
			return &unit_rules[i];
	return NULL;
}

static bool load_classes(struct making *k, const struct language *lang)
{
	const struct unit_rules *r = k->rules = rules_of(lang);
	memset(k->class_of, OTHER, sizeof k->class_of);
	for (size_t c = 0; r && c < r->n; c++)
		for (const char *s = r->classes[c].names; *s;) {
			size_t n = strcspn(s, " ");
			char name[64];
			memcpy(name, s, n);
			name[n] = '\0';
			uint16_t sym = syntax_symbol(lang, name, true);
			if (sym != SYNTAX_NO_SYMBOL)
				k->class_of[sym] = (uint8_t)r->classes[c].class;
			s += n + (s[n] == ' ');
		}
	return r;
}

static enum class class_at(const struct making *k, uint32_t node) {
	uint16_t sym = k->x->node[node].sym; return sym == SYNTAX_NO_SYMBOL ? OTHER : (enum class)k->class_of[sym];
}

/* ---- declared names */

static void declare_text(struct making *k, const char *text, size_t n)
{
	vec_push(&k->u->names, names_add(&k->u->text, text, n));
}

/* The tokens of a node, put together: `operator <<` is operator<<, `operator bool() const` operatorbool. */
static void declare_joined(struct making *k, uint32_t node)
{
	char text[80];
	size_t n = 0;
	const struct syn_node *x = &k->x->node[node];
	for (uint32_t t = x->tok; t < x->tok + x->n_tok; t++) {
		const struct syn_token *tok = &k->x->token[t];
		if (tok->len > sizeof text - n)
			return;
		if (n > 8 && k->x->text[tok->at] == '(')
			break;
		memcpy(text + n, k->x->text + tok->at, tok->len);
		n += tok->len;
	}
	declare_text(k, text, n);
}

static void declare_leaf(struct making *k, uint32_t node)
{
	const struct syn_node *x = &k->x->node[node];
	if (x->n_tok && model_has(k->m, k->first + x->tok))
		declare_text(k, k->x->text + k->x->token[x->tok].at, k->x->token[x->tok].len);
}

/* The last child of one of two classes; SYNTAX_NONE: none. */
static uint32_t last_of(const struct making *k, uint32_t node, enum class a, enum class b)
{
	uint32_t found = SYNTAX_NONE;
	for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c))
		if (class_at(k, c) == a || class_at(k, c) == b)
			found = c;
	return found;
}

/* Goes down a declarator to the name. Returns whether the name was qualified. */
static bool declare_declarator(struct making *k, uint32_t node)
{
	bool qualified = false;
	while (node != SYNTAX_NONE) {
		switch (class_at(k, node)) {
		case IDENTIFIER:
		case TYPE:
			declare_leaf(k, node);
			return qualified;
		case OPERATOR:
			declare_joined(k, node);
			return qualified;
		case DESTRUCTOR:
			node = last_of(k, node, IDENTIFIER, IDENTIFIER);
			break;
		case QUALIFIED: {
			uint32_t inner = SYNTAX_NONE;
			bool scope = false;
			for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE;
			     c = syntax_next_sibling(k->x, c)) {
				enum class is = class_at(k, c);
				if (is == IDENTIFIER || is == QUALIFIED || is == OPERATOR || is == DESTRUCTOR) {
					scope |= inner != SYNTAX_NONE;
					inner = c;
				}
			}
			qualified |= scope;
			node = inner;
			break;
		}
		case DECLARATOR: {
			uint32_t inner = SYNTAX_NONE;
			for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE && inner == SYNTAX_NONE;
			     c = syntax_next_sibling(k->x, c)) {
				enum class is = class_at(k, c);
				if (is == IDENTIFIER || is == DECLARATOR || is == QUALIFIED || is == OPERATOR ||
				    is == DESTRUCTOR || is == TYPE)
					inner = c;
			}
			node = inner;
			break;
		}
		default:
			return qualified;
		}
	}
	return qualified;
}

static void declare_specifier(struct making *k, uint32_t node)
{
	for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c)) {
		enum class is = class_at(k, c);
		if (is == IDENTIFIER || is == QUALIFIED) {
			declare_declarator(k, c);
			break;
		}
	}
	for (uint32_t c = node + 1; c < k->x->node[node].end; c++)
		if (class_at(k, c) == ENUMERATOR && syntax_first_child(k->x, c) != SYNTAX_NONE)
			declare_leaf(k, syntax_first_child(k->x, c));
}

/* A type, then declarators. */
static void declare_declaration(struct making *k, uint32_t node, struct unit *unit)
{
	bool type = false;
	for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c)) {
		enum class is = class_at(k, c);
		if (is == BODY || is == INITIALISERS) {
			if (unit->body == UNIT_NONE)
				unit->body = k->first + k->x->node[c].tok;
		} else if (is == SPECIFIER) {
			declare_specifier(k, c);
			type = true;
		} else if (!type && (is == TYPE || is == IDENTIFIER || is == QUALIFIED)) {
			type = true;
		} else if (is == DECLARATOR || is == OPERATOR || is == DESTRUCTOR || is == IDENTIFIER || is == TYPE ||
			   is == QUALIFIED) {
			unit->qualified |= declare_declarator(k, c);
		}
	}
}

static uint32_t inside_wrap(const struct making *k, uint32_t node)
{
	for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c)) {
		enum class is = class_at(k, c);
		if (is == WRAP || is == SPECIFIER || is == NAMED || is == USING || is == DECLARATION || is == ASSIGNING)
			return c;
	}
	return SYNTAX_NONE;
}

/* The identifiers in a node: all of them, or the last. */
static void declare_inside(struct making *k, uint32_t node, bool all)
{
	uint32_t last = SYNTAX_NONE;
	for (uint32_t c = node; c < k->x->node[node].end; c++)
		if (class_at(k, c) == IDENTIFIER) {
			last = c;
			if (all)
				declare_leaf(k, c);
		}
	if (!all && last != SYNTAX_NONE)
		declare_leaf(k, last);
}

static void declare_assigned(struct making *k, uint32_t node)
{
	for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c)) {
		uint32_t left = class_at(k, c) == ASSIGNMENT ? syntax_first_child(k->x, c) : SYNTAX_NONE;
		enum class is = left == SYNTAX_NONE ? OTHER : class_at(k, left);
		if (is == IDENTIFIER || is == PATTERN || is == MEMBER)
			declare_inside(k, left, is == PATTERN);
	}
}

static void declare(struct making *k, uint32_t node, struct unit *unit)
{
	while (node != SYNTAX_NONE && class_at(k, node) == WRAP)
		node = inside_wrap(k, node);
	if (node == SYNTAX_NONE)
		return;
	switch (class_at(k, node)) {
	case SPECIFIER:
		declare_specifier(k, node);
		break;
	case DECLARATION:
		declare_declaration(k, node, unit);
		break;
	case NAMED:
	case MACRO:
		for (uint32_t c = node + 1; c < k->x->node[node].end; c++)
			if (class_at(k, c) == IDENTIFIER) {
				declare_leaf(k, c);
				break;
			}
		break;
	case USING:
	case IMPORT:
		declare_inside(k, node, class_at(k, node) == IMPORT);
		break;
	case ASSIGNING:
		declare_assigned(k, node);
		break;
	default:
		break;
	}
}

/* ---- units */

static bool is_unit_list(const struct making *k, uint32_t node)
{
	enum class c = class_at(k, node);
	uint32_t up = k->x->node[node].parent;
	return c == LIST || c == CONDITIONAL || (c == MEMBERS && up != SYNTAX_NONE && class_at(k, up) == SPECIFIER);
}

static enum unit_kind kind_of(const struct making *k, uint32_t node)
{
	enum class c = class_at(k, node);
	if (c == LABEL)
		return UNIT_LABEL;
	if (c == NAMESPACE || c == CONDITIONAL)
		return UNIT_CONTAINER;
	return c == WRAP && last_of(k, node, LIST, LIST) != SYNTAX_NONE ? UNIT_CONTAINER : UNIT_ITEM;
}

/* One of these makes a namespace of that name inline wherever it is opened again, and may be empty itself. */
static bool is_inline_namespace(const struct making *k, uint32_t node)
{
	const struct syn_token *t = &k->x->token[k->x->node[node].tok];
	return class_at(k, node) == NAMESPACE && t->len == 6 && memcmp(k->x->text + t->at, "inline", 6) == 0 &&
	       last_of(k, node, IDENTIFIER, IDENTIFIER) != SYNTAX_NONE;
}

/* Statements that are run, and members that nobody calls by their name. */
static bool stays(const struct making *k, const struct unit *unit)
{
	if (!unit->n_names)
		return unit->parent == UNIT_NONE;
	const struct name *n = &k->u->text.at[k->u->names.at[unit->name]];
	return unit->parent != UNIT_NONE && ((n->len > 2 && memcmp(n->text, "__", 2) == 0) ||
					     (n->len == 11 && memcmp(n->text, "constructor", 11) == 0));
}

static uint32_t add_unit(struct making *k, uint32_t node, uint32_t parent, struct span span, enum unit_kind kind)
{
	struct unit unit = {
		.span = span, .node = node, .file = k->file, .parent = parent, .body = UNIT_NONE, .kind = kind};
	unit.name = (uint32_t)k->u->names.n;
	if (kind == UNIT_ITEM)
		declare(k, node, &unit);
	else if (is_inline_namespace(k, node))
		declare_leaf(k, last_of(k, node, IDENTIFIER, IDENTIFIER));
	unit.n_names = (uint32_t)k->u->names.n - unit.name;
	if (kind == UNIT_ITEM && k->rules->scripted && stays(k, &unit))
		unit.kind = UNIT_LABEL;
	vec_push(k->u, unit);
	return (uint32_t)k->u->n - 1;
}

static struct span node_span(const struct making *k, uint32_t node)
{
	const struct syn_node *x = &k->x->node[node];
	return (struct span){k->first + x->tok, k->first + x->tok + x->n_tok};
}

/* Whether a child of a list is a unit: not a brace, not a comment. */
static bool makes_unit(const struct making *k, uint32_t node)
{
	const struct syn_node *x = &k->x->node[node];
	if (!x->n_tok || x->flags & NODE_EXTRA || !model_count(k->m, k->first + x->tok, k->first + x->tok + x->n_tok))
		return false;
	return !(x->flags & NODE_LEAF) || class_at(k, node) == LABEL;
}

/* The unit each node's tokens belong to, and the units themselves, in preorder. */
static void find_units(struct making *k)
{
	const struct syntax *x = k->x;
	uint32_t *unit_of = mem_alloc(mem_mul(x->n_nodes, sizeof *unit_of));
	uint32_t pending = UNIT_NONE; /* the first token of unparsed text before a unit: it goes with it */
	for (uint32_t i = 0; i < x->n_nodes; i++) {
		uint32_t up = x->node[i].parent;
		unit_of[i] = up == SYNTAX_NONE ? UNIT_NONE : unit_of[up];
		if (up == SYNTAX_NONE)
			continue;
		struct span span = node_span(k, i);
		if (is_unit_list(k, up)) {
			const struct syn_node *n = &x->node[i];
			bool comment = n->n_tok && x->token[n->tok].flags & TOKEN_COMMENT;
			if (makes_unit(k, i)) {
				if (pending != UNIT_NONE && pending < span.from)
					span.from = pending;
				unit_of[i] = add_unit(k, i, unit_of[up], span, kind_of(k, i));
			}
			if (n->flags & NODE_EXTRA && !comment && n->n_tok)
				pending = pending == UNIT_NONE ? span.from : pending;
			else
				pending = UNIT_NONE;
		} else if (unit_of[up] != UNIT_NONE && span.from < span.to && class_at(k, i) == PART) {
			unit_of[i] = add_unit(k, i, unit_of[up], span, UNIT_PART);
		} else if (unit_of[up] != UNIT_NONE && class_at(k, up) == DEFAULTED && span.to == span.from + 1 &&
			   x->text[x->token[span.from - k->first].at] == '=') {
			span.to = node_span(k, up).to;
			unit_of[i] = add_unit(k, i, unit_of[up], span, UNIT_PART);
		}
	}
	free(unit_of);
}

/* Which units stand in the main source, by the markers a preprocessor leaves: # 12 "file.h". */
static void find_main_source(struct making *k, size_t first_unit)
{
	const char *t = k->x->text, *end = t + k->x->n_text, *main_name = NULL;
	size_t main_len = 0, unit = first_unit;
	bool in_main = false;
	for (const char *line = t; line < end;) {
		const char *nl = memchr(line, '\n', (size_t)(end - line)), *stop = nl ? nl : end;
		const char *quote = line[0] == '#' && stop - line > 4 && line[1] == ' '
					    ? memchr(line, '"', (size_t)(stop - line))
					    : NULL;
		const char *close = quote ? memchr(quote + 1, '"', (size_t)(stop - quote - 1)) : NULL;
		if (close) {
			for (; unit < k->u->n; unit++) {
				struct unit *at = &k->u->at[unit];
				if (t + k->x->token[at->span.from - k->first].at >= line)
					break;
				at->main_source = in_main;
			}
			size_t len = (size_t)(close - quote);
			if (!main_name)
				main_name = quote, main_len = len;
			in_main = len == main_len && memcmp(quote, main_name, len) == 0;
		}
		line = nl ? nl + 1 : end;
	}
	for (; unit < k->u->n; unit++)
		k->u->at[unit].main_source = in_main;
}

static void close_units(struct units *u)
{
	for (size_t i = u->n; i-- > 0;) {
		struct unit *a = &u->at[i];
		if (!a->end)
			a->end = (uint32_t)i + 1;
		if (a->parent != UNIT_NONE && u->at[a->parent].end < a->end)
			u->at[a->parent].end = a->end;
	}
}

/* ---- uses */

static void add_use(struct making *k, const char *text, size_t n, uint32_t owner, uint32_t *last_user)
{
	uint32_t name = names_find(&k->u->text, text, n);
	if (name == NAMES_NONE || last_user[name] == owner)
		return;
	last_user[name] = owner;
	vec_push(&k->u->uses, name);
}

static void use_operator(struct making *k, const char *sign, size_t n, uint32_t owner, uint32_t *last_user)
{
	char text[16] = "operator";
	if (n == 1 && sign[0] == '[')
		sign = "[]", n = 2;
	if (n > 4)
		return;
	memcpy(text + 8, sign, n);
	add_use(k, text, 8 + n, owner, last_user);
	if (n == 2 && sign[0] == '!' && sign[1] == '=')
		add_use(k, "operator==", 10, owner, last_user);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' || c & 0x80;
}

/* A token may be a whole macro body. */
static void use_token(struct making *k, uint32_t token, uint32_t owner, uint32_t *last_user)
{
	const struct syn_token *t = &k->x->token[token];
	const char *s = k->x->text + t->at;
	uint32_t up = k->x->node[t->node].parent;
	if (t->flags & TOKEN_COMMENT || (t->flags & TOKEN_LITERAL && (s[0] == '"' || s[0] == '\'')))
		return;
	if (!is_word(s[0]) && t->len <= 4) {
		if (up != SYNTAX_NONE && class_at(k, up) == EXPRESSION)
			use_operator(k, s, t->len, owner, last_user);
		return;
	}
	for (uint32_t i = 0; i < t->len;) {
		uint32_t from = i;
		while (i < t->len && is_word(s[i]))
			i++;
		if (i > from)
			add_use(k, s + from, i - from, owner, last_user);
		else
			i++;
	}
}

/* The uses of unit i: of its own tokens, not of those of units below. */
static void find_uses(struct making *k, size_t i, uint32_t *last_user)
{
	struct units *u = k->u;
	struct unit *unit = &u->at[i];
	size_t below = i + 1;
	unit->use = (uint32_t)u->uses.n;
	for (uint32_t t = unit->span.from; t < unit->span.to; t++) {
		for (; below < unit->end && u->at[below].span.from <= t; below = u->at[below].end)
			if (u->at[below].span.to > t)
				t = u->at[below].span.to;
		if (t >= unit->span.to)
			break;
		if (!model_has(k->m, t))
			continue;
		unit->tokens++;
		use_token(k, t - k->first, (uint32_t)i, last_user);
	}
	unit->n_uses = (uint32_t)u->uses.n - unit->use;
}

/* Where a class must have something in it its smallest member stays, unless another one does. */
static void keep_filled(struct making *k)
{
	for (uint32_t i = 0; i < k->u->n; i++) {
		struct unit *class = &k->u->at[i], *least = NULL;
		bool filled = class->end == i + 1;
		if (!rules_of(k->m->file[class->file].syntax->language)->filled)
			continue;
		for (uint32_t c = i + 1; c < class->end; c = k->u->at[c].end) {
			struct unit *member = &k->u->at[c];
			filled |= member->kind == UNIT_LABEL;
			if (!least || member->tokens < least->tokens)
				least = member;
		}
		if (!filled)
			least->kind = UNIT_LABEL;
	}
}

static bool open_file(struct making *k, uint32_t number)
{
	const struct base_file *f = &k->m->file[number];
	k->x = f->syntax;
	k->file = number;
	k->first = f->first;
	return f->syntax && f->tree && load_classes(k, f->syntax->language);
}

/* Lists per name: the units with it in names[] or uses[]. */
static void invert(const struct units *u, bool uses, struct name_list **lists, uint32_t **members)
{
	const uint32_t *all = uses ? u->uses.at : u->names.at;
	size_t n = uses ? u->uses.n : u->names.n;
	struct name_list *l = mem_zalloc(mem_mul(u->n_names + 1, sizeof *l));
	for (size_t i = 0; i < n; i++)
		l[all[i]].n++;
	uint32_t at = 0;
	for (uint32_t i = 0; i < u->n_names; i++) {
		l[i].first = at;
		at += l[i].n;
		l[i].n = 0;
	}
	uint32_t *m = mem_alloc(mem_mul(n + 1, sizeof *m));
	for (size_t i = 0; i < u->n; i++) {
		uint32_t from = uses ? u->at[i].use : u->at[i].name, count = uses ? u->at[i].n_uses : u->at[i].n_names;
		for (uint32_t k = from; k < from + count; k++)
			m[l[all[k]].first + l[all[k]].n++] = (uint32_t)i;
	}
	*lists = l;
	*members = m;
}

bool units_make(struct units *u, const struct model *m)
{
	struct making *k = mem_zalloc(sizeof *k);
	*u = (struct units){0};
	k->u = u;
	k->m = m;
	for (size_t i = 0; i < m->n_files; i++)
		if (open_file(k, (uint32_t)i)) {
			size_t first_unit = u->n;
			find_units(k);
			find_main_source(k, first_unit);
		}
	close_units(u);
	u->n_names = names_count(&k->u->text);
	uint32_t *last_user = mem_alloc(mem_mul(u->n_names + 1, sizeof *last_user));
	memset(last_user, 0xff, (u->n_names + 1) * sizeof *last_user);
	for (size_t i = 0; i < u->n; i++) {
		if (!i || k->file != u->at[i].file)
			open_file(k, u->at[i].file);
		find_uses(k, i, last_user);
	}
	free(last_user);
	keep_filled(k);
	invert(u, false, &u->declared_by, &u->declarers);
	invert(u, true, &u->used_by, &u->users);
	u->alive_count = mem_alloc(mem_mul(u->n_names + 1, sizeof *u->alive_count));
	for (uint32_t i = 0; i < u->n_names; i++)
		u->alive_count[i] = u->declared_by[i].n;
	free(k);
	return u->n > 1;
}

void units_release(struct units *u)
{
	vec_release(u);
	vec_release_all(&u->names, &u->uses);
	names_release(&u->text);
	free(u->declared_by);
	free(u->used_by);
	free(u->declarers);
	free(u->users);
	free(u->alive_count);
}
