/* SPDX-License-Identifier: MIT */
/* What all parts of librefrain share: see data/library.h and refrain/refrain.h. */
#include "data/library.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert((int)RF_OK == (int)RC_OK && (int)RF_NO == (int)RC_NO && (int)RF_INPUT == (int)RC_INPUT &&
		       (int)RF_ENV == (int)RC_ENV && (int)RF_STOPPED == (int)RC_STOPPED && (int)RF_BUG == (int)RC_BUG,
	       "an rf_status is an enum rc");

const char *rf_version(void)
{
	return RF_VERSION;
}

void rf_free(void *p)
{
	free(p);
}

rf_status library_status(enum rc rc, const struct err *e, rf_error *out)
{
	if (out) {
		*out = (rf_error){.status = (rf_status)rc};
		if (rc != RC_OK && rc != RC_NO) {
			out->sys = e->sys;
			out->line = e->line;
			out->col = e->col;
			snprintf(out->text, sizeof out->text, "%s", e->text);
		}
	}
	return (rf_status)rc;
}
