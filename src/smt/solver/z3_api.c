/* SPDX-License-Identifier: MIT */
/* Loading libz3: by the name that Debian gives it, then by the plain one. */
#include "smt/solver/z3_api.h"

#include <dlfcn.h>
#include <stddef.h>

struct z3_api z3;

static void *open_library(void)
{
	void *lib = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
	return lib ? lib : dlopen("libz3.so", RTLD_NOW | RTLD_LOCAL);
}

bool z3_api_load(void)
{
	void *lib = open_library();
	if (!lib)
		return false;
#define X(f)                                                                                                           \
	if (!(*(void **)&z3.f = dlsym(lib, "Z3_" #f)))                                                                 \
		return false;
	Z3_FUNCTIONS(X)
#undef X
	return true;
}
