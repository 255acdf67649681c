/* The table of policies. */
#include "base/policy_run.h"

const struct policy *const policies[] = {
	&policy_single, &policy_direct, &policy_lru, &policy_fifo, &policy_clock, &policy_opt, NULL,
};

const struct policy *policy_find(const char *name)
{
	for (size_t i = 0; policies[i]; i++) {
		const char *a = policies[i]->name, *b = name;
		while (*a && *a == *b)
			a++, b++;
		if (*a == *b)
			return policies[i];
	}
	return NULL;
}
