/* SPDX-License-Identifier: MIT */
/* Loading libcurl: see curl.h. It stays loaded until the process ends. */
#include "store/curl.h"

#include <dlfcn.h>
#include <string.h>

/* dlsym gives a pointer to data, which C does not convert to one to a function. */
static int find(void *library, const char *name, void *function)
{
	void *at = dlsym(library, name);
	memcpy(function, &at, sizeof at);
	return at != NULL;
}

const struct curl *curl_load(struct err *e)
{
	static struct curl curl;
	static int loaded;
	if (loaded)
		return &curl;
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		err_set(e, RC_ENV, "an HTTP store needs libcurl: %s", dlerror());
		return NULL;
	}
	int all = 1;
#define FIND(name) all &= find(library, #name, &curl.name);
	CURL_FUNCTIONS(FIND)
#undef FIND
	if (!all || curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		err_set(e, RC_ENV, "this libcurl cannot be used");
		dlclose(library);
		return NULL;
	}
	loaded = 1;
	return &curl;
}
