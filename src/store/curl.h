/* SPDX-License-Identifier: MIT */
/* libcurl, loaded when the first HTTP store is opened: with the thirty libraries behind it, it would make every
 * start of the program slower, also where nobody has such a store. */
#ifndef STORE_CURL_H
#define STORE_CURL_H

#include "data/err.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* The functions used, under their names in libcurl. */
#define CURL_FUNCTIONS(X)                                                                                              \
	X(curl_global_init)                                                                                            \
	X(curl_easy_init)                                                                                              \
	X(curl_easy_setopt)                                                                                            \
	X(curl_easy_perform)                                                                                           \
	X(curl_easy_getinfo)                                                                                           \
	X(curl_easy_cleanup)                                                                                           \
	X(curl_slist_append)                                                                                           \
	X(curl_slist_free_all)

#undef curl_easy_setopt
#undef curl_easy_getinfo

struct curl {
#define MEMBER(name) __typeof__(name) *name;
	CURL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* NULL with RC_ENV when the library is not there. */
const struct curl *curl_load(struct err *e);

#endif
