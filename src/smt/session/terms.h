/* SPDX-License-Identifier: MIT */
/* A session whose script is not text: terms are made one by one, asserted and asked about. They live until the session
 * begins again, whatever is popped. There is text only when the solver has to be asked: each question is then put as
 * one independent query.
 *
 * Terms and sorts are numbers from 1 on; 0 is no term, and what is made of it is none either. Only terms are made of
 * which it is certain that every solver takes them (term/exact.h). */
#ifndef SMT_SESSION_TERMS_H
#define SMT_SESSION_TERMS_H

#include "smt/session/session.h"

/* Starts with an empty stack. logic may be NULL. RC_INPUT: it is not one whose theories are known. */
enum rc terms_begin(struct smt_session *s, const char *logic, struct err *e);
/* Is it such a session? smt_session_begin ends that. */
bool terms_begun(const struct smt_session *s);

uint32_t terms_sort(struct smt_session *s, const char *name); /* "Bool", "Int", "Real" */
uint32_t terms_sort_bits(struct smt_session *s, uint32_t width);
uint32_t terms_sort_array(struct smt_session *s, uint32_t index, uint32_t elem);

/* The constant of this name, declared when new. */
uint32_t terms_constant(struct smt_session *s, const char *name, uint32_t sort);
/* Declares a function. False: it cannot be. */
bool terms_function(struct smt_session *s, const char *name, const uint32_t *args, size_t n, uint32_t result);
uint32_t terms_number(struct smt_session *s, uint64_t value, uint32_t width);
uint32_t terms_text(struct smt_session *s, const char *text);
uint32_t terms_apply(struct smt_session *s, const char *op, const uint32_t *args, size_t n);

void terms_push(struct smt_session *s);
enum rc terms_pop(struct smt_session *s, size_t levels, struct err *e);
enum rc terms_assert(struct smt_session *s, uint32_t term, struct err *e);
/* Of everything asserted and the assumptions. */
enum rc terms_check(struct smt_session *s, const uint32_t *assumption, size_t n, enum verdict *out, struct err *e);
/* The term's value in the model of the last check, as SMT-LIB writes it; valid until the next call. RC_NO: that was not
 * sat, something was asserted or popped since, or there is no value. All values are of one model. */
enum rc terms_value(struct smt_session *s, uint32_t term, const char **out, struct err *e);
/* Assertions and assumptions of the last check that are unsat together; valid until the next call. RC_NO: that was not
 * unsat, or something was asserted or popped since. */
enum rc terms_core(struct smt_session *s, const uint32_t **out, size_t *n, struct err *e);

#endif
