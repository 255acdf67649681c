/* SPDX-License-Identifier: MIT */
/* `refrain doctor`: what works here, what to install for the rest. */
#include "cmd/commands.h"

#include "cmd/doctor_probes.h"
#include "data/json/json.h"
#include "data/text.h"

#include <stdio.h>
#include <string.h>

/* Of several missing things that one package brings, the first names it. */
static bool names_package(const struct doctor_findings *f, size_t i)
{
	if (f->at[i].works || !f->at[i].package)
		return false;
	for (size_t k = 0; k < i; k++)
		if (!f->at[k].works && f->at[k].package && strcmp(f->at[k].package, f->at[i].package) == 0)
			return false;
	return true;
}

/* Cuts a list of words so that its line fits a screen; --json has all of it. */
static void shorten(char *detail, size_t before)
{
	enum { COLUMNS = 118 };
	size_t room = COLUMNS - before;
	if (strlen(detail) <= room)
		return;
	while (room > 0 && detail[room] != ' ')
		room--;
	snprintf(detail + room, sizeof " …", " …");
}

static void print_findings(const struct doctor_findings *f, bool core_works)
{
	const char *group = "";
	bool some = false;
	for (size_t i = 0; i < f->n; i++) {
		const struct doctor_finding *x = &f->at[i];
		char detail[300];
		text_escape(buf_str(&x->detail), x->detail.n, detail, sizeof detail);
		shorten(detail, 27 + strlen(x->use));
		if (strcmp(group, x->group) != 0)
			printf("%s%s\n", i ? "\n" : "", x->group);
		group = x->group;
		printf("  %-4s %-17s %s%s%s\n",
		       x->works  ? "ok"
		       : x->core ? "BAD"
				 : "--",
		       x->name, x->use, *detail ? ": " : "", detail);
		some |= names_package(f, i);
	}
	if (some) {
		printf("\nFor what is missing:\n  apt install");
		for (size_t i = 0; i < f->n; i++)
			if (names_package(f, i))
				printf(" %s", f->at[i].package);
		printf("\n");
	}
	printf("\n%s\n", core_works ? "The core works." : "The core does not work here.");
}

static enum rc print_json(const struct invocation *inv, const struct doctor_findings *f, bool core_works, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.doctor/1");
	json_kv_string(w, "version", RF_VERSION);
	json_kv_bool(w, "core", core_works);
	json_key(w, "checks");
	json_array(w);
	for (size_t i = 0; i < f->n; i++) {
		const struct doctor_finding *x = &f->at[i];
		json_object(w);
		json_kv_string(w, "group", x->group);
		json_kv_string(w, "name", x->name);
		json_kv_bool(w, "works", x->works);
		json_kv_string(w, "detail", buf_str(&x->detail));
		json_kv_string(w, "use", x->use);
		json_key(w, "package");
		if (x->package)
			json_string(w, x->package);
		else
			json_null(w);
		json_object_end(w);
	}
	json_array_end(w);
	return cmd_json_end(inv, &doc, e);
}

static int run_doctor(struct invocation *inv)
{
	struct doctor_findings f = {0};
	struct err e = ERR_INIT;
	enum rc rc = RC_OK;
	if (inv->args.n) {
		err_set(&e, RC_INPUT, "doctor takes no operands: '%s'", inv->args.at[0]);
		return cmd_fail(&e);
	}
	bool core_works = doctor_examine(&f);
	if (inv->common.json)
		rc = print_json(inv, &f, core_works, &e);
	else
		print_findings(&f, core_works);
	doctor_release(&f);
	if (rc != RC_OK)
		return cmd_fail(&e);
	return core_works ? 0 : 1;
}

const struct command cmd_doctor = {
	COMMAND("doctor", "", "say what works here and what to install for the rest",
		"Everything is tried, not just looked for. The exit code is 0 when the core works and 1 when it "
		"does not."),
	RUN(run_doctor, 0),
};
