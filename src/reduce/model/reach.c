/* SPDX-License-Identifier: MIT */
/* What a program needs when some of its units must stay or must go: reachability by name, and its reverse. See units.h.
 *
 * Marking is the usual work list. Killing counts, for each name, the units that still declare it; when the last one
 * goes every user of the name goes too (and-or propagation). Both cost what they touch. */
#include "data/mem.h"
#include "reduce/model/complaints.h"
#include "reduce/model/units.h"

#include <string.h>

struct marking {
	const struct units *u;
	const bool *killed;
	bool *alive, *reached; /* per unit, per name */
	struct unit_list todo; /* names */
	struct unit_list open; /* units to make alive */
};

static void reach_name(struct marking *k, uint32_t name)
{
	if (!k->reached[name]) {
		k->reached[name] = true;
		vec_push(&k->todo, name);
	}
}

static bool has_reached_name(const struct marking *k, const struct unit *unit)
{
	for (uint32_t i = unit->name; i < unit->name + unit->n_names; i++)
		if (k->reached[k->u->names.at[i]])
			return true;
	return false;
}

/* Unit i lives: so do what contains it, its parts and labels, and those of its members whose name was reached
 * before. */
static void make_alive(struct marking *k, uint32_t i)
{
	k->open.n = 0;
	vec_push(&k->open, i);
	while (k->open.n) {
		uint32_t x = vec_pop(&k->open);
		if (k->alive[x] || (k->killed && k->killed[x]))
			continue;
		const struct unit *unit = &k->u->at[x];
		k->alive[x] = true;
		if (unit->parent != UNIT_NONE)
			vec_push(&k->open, unit->parent);
		for (uint32_t n = unit->use; n < unit->use + unit->n_uses; n++)
			reach_name(k, k->u->uses.at[n]);
		for (uint32_t c = x + 1; c < unit->end; c = k->u->at[c].end) {
			const struct unit *below = &k->u->at[c];
			if (below->kind == UNIT_PART || below->kind == UNIT_LABEL ||
			    (unit->kind != UNIT_CONTAINER && has_reached_name(k, below)))
				vec_push(&k->open, c);
		}
	}
}

/* A member's name counts once its class is alive. */
static bool is_open(const struct marking *k, const struct unit *unit)
{
	for (uint32_t p = unit->parent; p != UNIT_NONE; p = k->u->at[p].parent)
		if (k->alive[p])
			return true;
		else if (k->u->at[p].kind != UNIT_CONTAINER)
			return false;
	return true;
}

static void follow_names(struct marking *k)
{
	while (k->todo.n) {
		struct name_list l = k->u->declared_by[vec_pop(&k->todo)];
		for (uint32_t i = l.first; i < l.first + l.n; i++)
			if (is_open(k, &k->u->at[k->u->declarers[i]]))
				make_alive(k, k->u->declarers[i]);
	}
}

void units_mark(const struct units *u, const bool *root, const bool *killed, bool *alive)
{
	struct marking k = {.u = u, .killed = killed, .alive = alive, .reached = mem_zalloc(u->n_names + 1)};
	memset(alive, 0, u->n);
	for (uint32_t i = 0; i < u->n; i++)
		if (root[i])
			make_alive(&k, i);
	/* labels and #include lines outside of any unit */
	for (uint32_t i = 0; i < u->n; i++)
		if (u->at[i].kind == UNIT_LABEL && u->at[i].parent == UNIT_NONE)
			make_alive(&k, i);
	follow_names(&k);
	free(k.reached);
	vec_release_all(&k.todo, &k.open);
}

void units_stays(const struct units *u, const bool *root, bool *stay)
{
	bool *alive = mem_alloc(u->n + 1);
	struct marking k = {.u = u, .alive = alive, .reached = mem_zalloc(u->n_names + 1)};
	units_mark(u, root, NULL, alive);
	for (uint32_t i = 0; i < u->n; i++)
		for (uint32_t n = u->at[i].use; alive[i] && n < u->at[i].use + u->at[i].n_uses; n++)
			k.reached[u->uses.at[n]] = true;
	for (uint32_t i = (uint32_t)u->n; i-- > 0;) {
		stay[i] = root[i] || !alive[i];
		make_alive(&k, i);
		follow_names(&k);
	}
	free(alive);
	free(k.reached);
	vec_release_all(&k.todo, &k.open);
}

/* Takes back list[from …]; the names of those below `counted` were taken off. */
static void take_back(struct units *u, bool *killed, struct unit_list *list, size_t from, size_t counted)
{
	for (size_t k = from; k < list->n; k++) {
		const struct unit *unit = &u->at[list->at[k]];
		for (uint32_t n = unit->name; k < counted && n < unit->name + unit->n_names; n++)
			u->alive_count[u->names.at[n]] += units_declares(u, list->at[k], u->names.at[n]);
		killed[list->at[k]] = false;
	}
	list->n = from;
}

void units_revive(struct units *u, bool *killed, struct unit_list *list, size_t from)
{
	take_back(u, killed, list, from, list->n);
}

/* An operator may be the language's own: its users can do without ours. */
static bool is_operator(const struct name *n)
{
	return n->len > 8 && memcmp(n->text, "operator", 8) == 0;
}

bool units_kill(struct units *u, uint32_t i, const bool *keep, bool *killed, struct unit_list *list)
{
	size_t before = list->n, next = before;
	bool fine = true;
	if (killed[i])
		return true;
	vec_push(list, i);
	killed[i] = true;
	for (; next < list->n && fine; next++) {
		uint32_t x = list->at[next];
		fine = !keep[x];
		const struct unit *unit = &u->at[x];
		for (uint32_t c = x + 1; c < unit->end; c++)
			if (!killed[c]) {
				killed[c] = true;
				vec_push(list, c);
			}
		for (uint32_t n = unit->name; n < unit->name + unit->n_names; n++) {
			uint32_t name = u->names.at[n];
			if (!units_declares(u, x, name) || --u->alive_count[name] || is_operator(&u->text.at[name]))
				continue;
			struct name_list l = u->used_by[name];
			for (uint32_t v = l.first; v < l.first + l.n; v++)
				if (!killed[u->users[v]] && u->at[u->users[v]].kind != UNIT_CONTAINER) {
					killed[u->users[v]] = true;
					vec_push(list, u->users[v]);
				}
		}
	}
	if (!fine)
		take_back(u, killed, list, before, next);
	return fine;
}

uint32_t units_at(const struct units *u, uint32_t token)
{
	uint32_t lo = 0, hi = (uint32_t)u->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (u->at[mid].span.from <= token)
			lo = mid + 1;
		else
			hi = mid;
	}
	uint32_t i = lo ? lo - 1 : UNIT_NONE;
	while (i != UNIT_NONE && (token >= u->at[i].span.to || u->at[i].kind == UNIT_PART))
		i = u->at[i].parent;
	return i == UNIT_NONE || u->at[i].kind == UNIT_CONTAINER ? UNIT_NONE : i;
}

static void add_once(struct unit_list *out, size_t from, uint32_t i)
{
	for (size_t k = from; k < out->n; k++)
		if (out->at[k] == i)
			return;
	vec_push(out, i);
}

void units_named(const struct units *u, const struct complaints *c, struct unit_list *out)
{
	bool *seen = mem_zalloc(u->n_names + 1);
	size_t before = out->n;
	for (size_t i = 0; i < c->n; i++)
		for (uint32_t w = c->at[i].word; w < c->at[i].word + c->at[i].n_words; w++) {
			uint32_t name = names_find(&u->text, c->words.at[w].text, c->words.at[w].len);
			if (name == NAMES_NONE || seen[name])
				continue;
			seen[name] = true;
			struct name_list l = u->declared_by[name];
			for (uint32_t k = l.first; k < l.first + l.n; k++)
				add_once(out, before, u->declarers[k]);
		}
	free(seen);
}

void units_blamed(const struct units *u, const struct complaints *c, struct unit_list *out)
{
	size_t before = out->n;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t x = c->at[i].token == COMPLAINT_NOWHERE ? UNIT_NONE : units_at(u, c->at[i].token);
		if (x != UNIT_NONE)
			add_once(out, before, x);
	}
}

static bool declares(const struct unit *unit, const struct model *m, const char *word)
{
	size_t n;
	for (uint32_t t = unit->span.from; unit->n_names && t < unit->span.to && t < unit->span.from + 16; t++) {
		const char *text = model_text(m, t, &n);
		if (n == strlen(word) && memcmp(text, word, n) == 0)
			return true;
	}
	return false;
}

static bool has_name(const struct units *u, const struct unit *unit, const char *word)
{
	for (uint32_t n = unit->name; n < unit->name + unit->n_names; n++) {
		const struct name *name = &u->text.at[u->names.at[n]];
		if (name->len == strlen(word) && memcmp(name->text, word, name->len) == 0)
			return true;
	}
	return false;
}

bool *units_roots(const struct units *u, const struct model *m)
{
	bool *root = mem_zalloc(u->n + 1), some = false, all = true;
	for (size_t i = 0; i < u->n; i++) {
		root[i] = u->at[i].main_source && u->at[i].n_names;
		some |= root[i];
		all &= root[i] || !u->at[i].n_names;
	}
	if (some && !all)
		return root;
	for (size_t i = 0; i < u->n; i++)
		root[i] = (u->at[i].parent == UNIT_NONE && declares(&u->at[i], m, "main")) ||
			  (u->at[i].kind == UNIT_ITEM &&
			   (has_name(u, &u->at[i], "main") || has_name(u, &u->at[i], "@main") ||
			    has_name(u, &u->at[i], "Main")));
	return root;
}
