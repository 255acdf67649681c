/* SPDX-License-Identifier: MIT */
/* Texts by fingerprint: see asked.h. */
#include "reduce/fold/asked.h"

static struct asked_text *find(const struct asked_texts *a, uint64_t text)
{
	uint32_t i;
	for (struct table_probe p = table_probe(&a->index, text); (i = table_next(&a->index, &p)) != TABLE_NONE;)
		if (a->at[i].text == text)
			return &a->at[i];
	return NULL;
}

enum asked asked_find(const struct asked_texts *a, uint64_t text)
{
	const struct asked_text *t = find(a, text);
	return t ? t->what : ASKED_NEVER;
}

void asked_set(struct asked_texts *a, uint64_t text, enum asked what)
{
	if (a->forget && what != ASKED_RUNNING)
		what = ASKED_NEVER;
	struct asked_text *t = find(a, text);
	if (t) {
		t->what = what;
		return;
	}
	vec_push(a, ((struct asked_text){text, what}));
	table_insert(&a->index, text, (uint32_t)(a->n - 1));
}

void asked_release(struct asked_texts *a)
{
	vec_release(a);
	table_release(&a->index);
}
