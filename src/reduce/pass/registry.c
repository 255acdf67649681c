/* SPDX-License-Identifier: MIT */
/* The tables of passes and algorithms: see pass.h. */
#include "reduce/pass/pass.h"

#include <string.h>

const struct pass *const pass_rows[] = {
	&pass_perses,  &pass_tokens,   &pass_lines,  &pass_brackets, &pass_chars,    &pass_stubs,
	&pass_windows, &pass_hdd,      &pass_ddmin,  &pass_wash,     &pass_bodies,   &pass_sweep,
	&pass_coupled, &pass_simpler,  &pass_names,  &pass_result,   &pass_together, &pass_inline,
	&pass_params,  &pass_merge,    &pass_rename, &pass_blanks,   &pass_structs,  &pass_pieces,
	&pass_alike,   &pass_opposite, &pass_unite,  &pass_numbers,  &pass_values,   NULL,
};

static const char *const full_passes[] = {"wash",    "numbers", "bodies",   "sweep",   "coupled",  "stubs",  "values",
					  "perses",  "blanks",  "together", "params",  "inline",   "result", "merge",
					  "structs", "tokens",  "brackets", "simpler", "rename",   "names",  "unite",
					  "lines",   "chars",   "windows",  "alike",   "opposite", NULL};
static const char *const hdd_passes[] = {"hdd", NULL};
static const char *const perses_passes[] = {"perses", NULL};
static const char *const ddmin_passes[] = {"ddmin", NULL};

static const char *const by_chars[] = {"pieces", NULL};
static const char *const last_passes[] = {"perses", "tokens", "brackets", NULL};

static const struct algorithm algorithm_full = {
	"full", "all passes, until nothing changes", full_passes, true, by_chars, last_passes};
static const struct algorithm algorithm_hdd = {
	"hdd", "hierarchical delta debugging, level by level", hdd_passes, false, NULL, NULL};
static const struct algorithm algorithm_perses = {"perses", "syntax-guided reduction", perses_passes, false, NULL,
						  NULL};
static const struct algorithm algorithm_ddmin = {"ddmin", "delta debugging over tokens", ddmin_passes, false, NULL,
						 NULL};

const struct algorithm *const algorithms[] = {
	&algorithm_full, &algorithm_perses, &algorithm_hdd, &algorithm_ddmin, NULL,
};

const char *pass_name(size_t i)
{
	return pass_rows[i] ? pass_rows[i]->name : NULL;
}

const char *algorithm_name(size_t i)
{
	return algorithms[i] ? algorithms[i]->name : NULL;
}

const struct pass *pass_find(const char *name)
{
	for (const struct pass *const *p = pass_rows; *p; p++)
		if (strcmp((*p)->name, name) == 0)
			return *p;
	return NULL;
}

const struct algorithm *algorithm_find(const char *name)
{
	for (const struct algorithm *const *a = algorithms; *a; a++)
		if (strcmp((*a)->name, name) == 0)
			return *a;
	return NULL;
}
