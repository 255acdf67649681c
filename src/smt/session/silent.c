/* SPDX-License-Identifier: MIT */
/* Scripts about which the solver had nothing to say, by the SHA-256 of their commands. A verifier's goal has
 * commands of which it is not certain that every solver accepts them without output (certain.c); when the same goal
 * comes again, the solver need not be started to find out. As with whole.c, a store is believed only when the user
 * says so. Only scripts without levels count: the commands of others would be read again at each question. */
#include "smt/session/internal.h"

static bool digest_script(const struct smt_session *s, struct digest256 *out)
{
	const struct script *p = &s->script;
	if (p->pushed)
		return false;
	struct digest_parts *d = digest_parts_new();
	digest_parts_str(d, s->mirror.solver->command ? s->mirror.solver->command : "");
	for (size_t i = 0; i < p->item.n; i++)
		digest_parts_add(d, p->log.at + p->item.at[i].off, p->item.at[i].n);
	*out = digest_parts_end(d);
	return true;
}

bool silent_known(struct smt_session *s)
{
	struct digest256 d;
	if (!digest_script(s, &d))
		return false;
	return wholes_has(&s->learnt.silent, &d) || (s->o.trust_store && stored_has(s, 's', &d));
}

void silent_learn(struct smt_session *s)
{
	struct digest256 d;
	if (s->mirror.spoke || !s->o.mode->flags || !digest_script(s, &d) || wholes_has(&s->learnt.silent, &d))
		return;
	wholes_add(&s->learnt.silent, &d);
	stored_add(s, 's', &d);
}
