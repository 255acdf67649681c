/* SPDX-License-Identifier: MIT */
/* libz3 in a child process of ours: a crash or running out of memory there costs one answer and nothing else. */
#ifndef SMT_SOLVER_Z3_CHILD_H
#define SMT_SOLVER_Z3_CHILD_H

#include <stddef.h>
#include <stdint.h>

enum { Z3_QUERY = 'q', Z3_EVAL = 'e' };
/* The exit code of a child that cannot load the library. */
enum { Z3_NO_LIBRARY = 3 };

struct z3_request {
	uint8_t op, want;
	uint32_t timeout_ms; /* 0: none */
	uint32_t logic_len;
	uint64_t text_len; /* the logic follows, then the text */
};

struct z3_reply {
	uint8_t verdict; /* enum verdict */
	uint8_t failed;  /* the text was not understood as a whole */
	uint8_t checks;  /* questions that z3 was asked */
	double cpu_s;    /* seconds of CPU that it took … */
	double model_s;  /* … and of these for the model */
	uint32_t core_n; /* numbers that follow text and model */
	uint64_t conjuncts;
	uint64_t text_len, model_len;
};

/* Serves requests from in to out until in ends; does not return. memory_mb 0: no limit. */
_Noreturn void z3_child_run(int in, int out, uint32_t memory_mb);

#endif
