/* SPDX-License-Identifier: MIT */
/* The version as a public symbol, so that a program can tell which librefrain it runs with. */
#include "refrain/refrain.h"

const char *rf_version(void)
{
	return RF_VERSION;
}
