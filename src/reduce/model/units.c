/* SPDX-License-Identifier: MIT */
/* Making the declaration graph from a base's trees: see units.h.
 *
 * One walk over the nodes in preorder finds the units: the children of a file, namespace or class. The names a
 * declaration makes are found by going down its declarators. Every other word of a unit's own text is a use; operators
 * are used by their signs. Names are numbered while they are declared; a word that nobody declares is no use. */
#include "reduce/model/units.h"

#include "reduce/model/names.h"
#include "reduce/model/unit_rules.h"

#include <string.h>

struct making {
	struct units *u;
	const struct model *m;
	uint8_t class_of[UINT16_MAX + 1]; /* of the current file's language */
	const struct unit_rules *rules;   /* and these are its */
	const struct syntax *x;
	uint32_t file, first; /* the file's number and its first base token */
};

static bool load_classes(struct making *k, const struct language *lang)
{
	const struct unit_rules *r = k->rules = unit_rules_of(lang->id);
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
		switch (class_at(k, c)) {
		case WRAP:
		case SPECIFIER:
		case NAMED:
		case METHOD:
		case USING:
		case PATH_IMPORT:
		case DECLARATION:
		case ASSIGNING:
		case ASSIGNMENT:
			return c;
		default:
			break;
		}
	}
	return SYNTAX_NONE;
}

static bool is_text(const struct making *k, uint32_t token, const char *text)
{
	const struct syn_token *t = &k->x->token[token];
	return t->len == strlen(text) && memcmp(k->x->text + t->at, text, t->len) == 0;
}

/* `a` in `a::b`. */
static bool is_on_the_way(const struct making *k, uint32_t node)
{
	uint32_t next = k->x->node[node].tok + k->x->node[node].n_tok;
	return next < k->x->n_tokens && is_text(k, next, "::");
}

/* The identifiers in a node: all of them that are not just on the way to another, or the last. */
static void declare_inside(struct making *k, uint32_t node, bool all)
{
	uint32_t last = SYNTAX_NONE;
	for (uint32_t c = node; c < k->x->node[node].end; c++)
		if (class_at(k, c) == IDENTIFIER) {
			last = c;
			if (all && !is_on_the_way(k, c))
				declare_leaf(k, c);
		}
	if (!all && last != SYNTAX_NONE)
		declare_leaf(k, last);
}

static bool is_leaf_text(const struct making *k, uint32_t node, const char *text)
{
	const struct syn_node *x = &k->x->node[node];
	return x->n_tok == 1 && is_text(k, x->tok, text);
}

static void declare_assignment(struct making *k, uint32_t node)
{
	uint32_t left = syntax_first_child(k->x, node);
	enum class is = left == SYNTAX_NONE ? OTHER : class_at(k, left);
	if (is == IDENTIFIER || is == PATTERN || is == MEMBER)
		declare_inside(k, left, is == PATTERN);
	while (is == IDENTIFIER) {
		uint32_t comma = syntax_next_sibling(k->x, left);
		if (comma == SYNTAX_NONE || !is_leaf_text(k, comma, ","))
			break;
		left = syntax_next_sibling(k->x, comma);
		is = left == SYNTAX_NONE ? OTHER : class_at(k, left);
		if (is == IDENTIFIER)
			declare_leaf(k, left);
	}
}

/* The names of what is imported from "path/to/name". */
static void declare_path(struct making *k, uint32_t node)
{
	const struct syn_node *x = &k->x->node[node];
	declare_inside(k, node, true);
	for (uint32_t t = x->tok; t < x->tok + x->n_tok; t++) {
		const char *s = k->x->text + k->x->token[t].at;
		size_t n = k->x->token[t].len, from = 0;
		if (n < 3 || (s[0] != '"' && s[0] != '`'))
			continue;
		for (size_t i = 0; i + 1 < n; i++)
			from = s[i] == '/' || !i ? i + 1 : from;
		declare_text(k, s + from, n - 1 - from);
	}
}

static uint32_t first_of(const struct making *k, uint32_t node, enum class a)
{
	uint32_t c = syntax_first_child(k->x, node);
	while (c != SYNTAX_NONE && class_at(k, c) != a)
		c = syntax_next_sibling(k->x, c);
	return c;
}

static void declare_named(struct making *k, uint32_t node)
{
	for (uint32_t c = node + 1; c < k->x->node[node].end; c++)
		if (class_at(k, c) == IDENTIFIER) {
			declare_leaf(k, c);
			break;
		}
}

/* A function, or something else with its name among its children. */
static void declare_child(struct making *k, uint32_t name)
{
	if (name != SYNTAX_NONE)
		declare_leaf(k, name);
}

static void declare(struct making *k, uint32_t node, struct unit *unit)
{
	uint32_t body = last_of(k, node, BODY, BODY);
	while (node != SYNTAX_NONE && class_at(k, node) == WRAP) {
		node = inside_wrap(k, node);
		if (node != SYNTAX_NONE && body == SYNTAX_NONE)
			body = last_of(k, node, BODY, BODY);
	}
	if (body != SYNTAX_NONE)
		unit->body = k->first + k->x->node[body].tok;
	if (node == SYNTAX_NONE)
		return;
	switch (class_at(k, node)) {
	case SPECIFIER:
		declare_specifier(k, node);
		break;
	case DECLARATION:
		unit->body = UNIT_NONE;
		declare_declaration(k, node, unit);
		break;
	case NAMED:
	case MACRO:
		declare_named(k, node);
		break;
	case METHOD:
		declare_child(k, first_of(k, node, IDENTIFIER));
		break;
	case TYPED:
		declare_child(k, last_of(k, node, IDENTIFIER, IDENTIFIER));
		break;
	case EXTENSION:
		unit->borrows = BORROWS_EXTENSION;
		declare_declarator(k, last_of(k, node, IDENTIFIER, QUALIFIED));
		break;
	case USING:
	case IMPORT:
		unit->borrows = BORROWS_IMPORT;
		declare_inside(k, node, class_at(k, node) == IMPORT);
		break;
	case PATH_IMPORT:
		unit->borrows = BORROWS_IMPORT;
		declare_path(k, node);
		break;
	case ASSIGNING:
		for (uint32_t c = syntax_first_child(k->x, node); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c))
			if (class_at(k, c) == ASSIGNMENT)
				declare_assignment(k, c);
		break;
	case ASSIGNMENT:
		declare_assignment(k, node);
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

/* `import x.*`: which names it brings is not said. `* as y` is one. */
static bool imports_all(const struct making *k, uint32_t node)
{
	const struct syn_node *x = &k->x->node[node];
	for (uint32_t t = x->tok; t < x->tok + x->n_tok; t++)
		if (is_text(k, t, "*") && !(t + 1 < x->tok + x->n_tok && is_text(k, t + 1, "as")))
			return true;
	return false;
}

static enum unit_kind kind_of(const struct making *k, uint32_t node)
{
	enum class c = class_at(k, node);
	if (c == LABEL)
		return UNIT_LABEL;
	if (c == NAMESPACE || c == MODULE || c == CONDITIONAL)
		return UNIT_CONTAINER;
	if ((c == IMPORT || c == USING) && imports_all(k, node))
		return UNIT_LABEL;
	return c == WRAP && last_of(k, node, LIST, LIST) != SYNTAX_NONE ? UNIT_CONTAINER : UNIT_ITEM;
}

/* One of these makes a namespace of that name inline wherever it is opened again, and may be empty itself. So may a
 * module, which paths lead through. */
static bool is_named_container(const struct making *k, uint32_t node)
{
	return (class_at(k, node) == MODULE ||
		(class_at(k, node) == NAMESPACE && is_text(k, k->x->node[node].tok, "inline"))) &&
	       last_of(k, node, IDENTIFIER, IDENTIFIER) != SYNTAX_NONE;
}

/* Members that something outside of the program may ask for: they take the place of what a class inherits. */
static bool overrides(const struct making *k, const struct unit *unit)
{
	const struct syn_node *x = &k->x->node[unit->node];
	uint32_t up = unit->parent == UNIT_NONE ? SYNTAX_NONE : k->u->at[unit->parent].node;
	if (up == SYNTAX_NONE || k->u->at[unit->parent].kind == UNIT_CONTAINER)
		return false;
	for (uint32_t c = syntax_first_child(k->x, up); c != SYNTAX_NONE; c = syntax_next_sibling(k->x, c))
		if (class_at(k, up) == EXTENSION && is_leaf_text(k, c, "for"))
			return true;
	for (uint32_t t = x->tok; t < x->tok + x->n_tok && !is_text(k, t, "(") && !is_text(k, t, "{"); t++)
		if (is_text(k, t, "Override") || is_text(k, t, "override"))
			return true;
	return false;
}

/* Statements that are run, and members that nobody calls by their name. */
static bool stays(const struct making *k, const struct unit *unit)
{
	if (!k->rules->scripted)
		return k->rules->body && k->rules->body[0] != ';' && overrides(k, unit);
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
	else if (is_named_container(k, node))
		declare_leaf(k, last_of(k, node, IDENTIFIER, IDENTIFIER));
	unit.n_names = (uint32_t)k->u->names.n - unit.name;
	if (kind == UNIT_ITEM && stays(k, &unit))
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
	if (class_at(k, node) == PREFIX)
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
			if ((n->flags & NODE_EXTRA && !comment && n->n_tok) || class_at(k, i) == PREFIX)
				pending = pending == UNIT_NONE ? span.from : pending;
			else if (!comment)
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
	if (!is_word(s[0]) && class_at(k, t->node) == IDENTIFIER) {
		/* a sign that says of what kind the name is: `@f` */
		add_use(k, s, t->len, owner, last_user);
		return;
	}
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

/* The uses of unit i: of its own tokens, not of those of units below. `package x` has none: it needs no x. */
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
		if (class_at(k, unit->node) != LABEL)
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
		if (!unit_rules_of(k->m->file[class->file].syntax->language->id)->filled)
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

/* An import is the declaration of what nothing else declares. */
static void count_declarers(struct units *u)
{
	u->alive_count = mem_zalloc(mem_mul(u->n_names + 1, sizeof *u->alive_count));
	u->imported = mem_zalloc(u->n_names + 1);
	for (unsigned borrows = BORROWS_NOTHING; borrows <= BORROWS_IMPORT; borrows++)
		for (uint32_t i = 0; i < u->n_names; i++) {
			struct name_list l = u->declared_by[i];
			if (borrows == BORROWS_IMPORT)
				u->imported[i] = !u->alive_count[i];
			for (uint32_t k = l.first; k < l.first + l.n; k++)
				u->alive_count[i] += units_declares(u, u->declarers[k], i) &&
						     u->at[u->declarers[k]].borrows == borrows;
		}
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
	count_declarers(u);
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
	free(u->imported);
}
