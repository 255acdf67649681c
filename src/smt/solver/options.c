/* SPDX-License-Identifier: MIT */
/* What options do to answers. An option that is in neither list may change the meaning of operators (as z3's
 * rewriter.hi_div0 does), so what is learnt under it is used under it only. Names are compared as z3 does: without
 * regard to case, '-' the same as '_'. */
#include "smt/solver/options.h"

#include <string.h>

/* Each name with blanks around it. Where a name ends in a dot, all that start so are meant. */
static const char plain[] =
	" produce_models produce_unsat_cores produce_assignments produce_proofs produce_assertions interactive_mode "
	"produce_unsat_assumptions model unsat_core proof print_success ";
static const char harmless[] =
	" random_seed seed smt.random_seed sat.random_seed nlsat.seed nlsat.randomize fp.spacer.random_seed "
	"timeout rlimit tlimit tlimit_per reproducible_resource_limit memory_max_size memory_high_watermark memory t "
	"verbosity verbose v warning stats diagnostic_output_channel auto_config type_check well_sorted_check pp. "
	"model. model_evaluator.completion model_validate smt.mbqi smt.ematching smt.relevancy smt.case_split "
	"smt.phase_selection smt.restart_strategy smt.restart_factor smt.delay_units smt.qi. smt.mbqi. smt.core. "
	"smt.arith.solver smt.arith.random_initial_value smt.macro_finder smt.pull_nested_quantifiers smt.quasi_macros "
	"smt.auto_config smt.timeout smt.rlimit smt.threads sat.threads parallel.enable parallel.threads.max "
	"global_declarations global_decls incremental lang produce_abducts full_saturate_quant nw smt2 in ";

static const char of_command[] =
	" print_success print_warning expand_definitions interactive_mode produce_proofs produce_unsat_cores "
	"produce_unsat_assumptions produce_models produce_assignments produce_assertions regular_output_channel "
	"diagnostic_output_channel random_seed verbosity global_decls global_declarations numeral_as_real "
	"error_behavior "
	"int_real_coercions reproducible_resource_limit ";
static const char channel[] = " regular_output_channel ";
static const char compliant[] = " smtlib2_compliant ";

/* The option as z3 spells it, in out. */
static size_t spelled(const char *name, size_t n, char *out, size_t size)
{
	size_t k = 0;
	while (n && (*name == ':' || *name == '-'))
		name++, n--;
	for (size_t i = 0; i < n && k + 1 < size; i++)
		out[k++] = (char)(name[i] == '-' ? '_' : name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 32 : name[i]);
	out[k] = 0;
	return k;
}

static bool in_list(const char *list, const char *name, size_t n)
{
	for (const char *p = list + 1; *p;) {
		size_t len = strcspn(p, " ");
		bool family = p[len - 1] == '.' && n > len;
		if ((n == len || family) && !memcmp(p, name, len))
			return true;
		p += len + 1;
	}
	return false;
}

/* The same of a name however it is spelled. */
static bool is_in(const char *list, const char *name, size_t n)
{
	char text[64];
	return n < sizeof text && in_list(list, text, spelled(name, n, text, sizeof text));
}

enum option_kind option_kind(const char *name, size_t n)
{
	return is_in(plain, name, n) ? OPTION_PLAIN : is_in(harmless, name, n) ? OPTION_HARMLESS : OPTION_MEANING;
}

bool option_channel(const char *name, size_t n)
{
	return is_in(channel, name, n);
}

bool option_compliant(const char *name, size_t n)
{
	return is_in(compliant, name, n);
}

bool option_word_compliant(const char *word, size_t n)
{
	const char *equals = memchr(word, '=', n);
	return equals && option_compliant(word, (size_t)(equals - word)) && word + n == equals + 5 &&
	       !memcmp(equals, "=true", 5);
}

bool option_parameter(const char *name, size_t n)
{
	return !is_in(of_command, name, n);
}

enum option_kind option_word(const char *word, size_t n)
{
	const char *equals = memchr(word, '=', n), *colon = memchr(word, ':', n);
	if (n < 2 || (word[0] != '-' && !equals))
		return OPTION_NONE;
	size_t len = equals ? (size_t)(equals - word) : n;
	if (word[0] == '-' && colon && (size_t)(colon - word) < len)
		len = (size_t)(colon - word);
	return option_kind(word, len);
}
