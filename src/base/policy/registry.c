/* SPDX-License-Identifier: MIT */
/* The table of policies. */
#include "base/policy/parts/drivers.h"

const struct policy *const policies[] = {
#define X(name) &policy_##name,
	POLICIES(X)
#undef X
		NULL,
};

const char *policy_name(size_t i)
{
	return policies[i] ? policies[i]->name : (const char *)0;
}

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
