/* SPDX-License-Identifier: MIT */
/* Growable arrays. `struct tokens { VEC_FIELDS(struct token); };` or a local `VEC(int) v = {0};`.
 * All bits zero is an empty vector; elements are at v.at[0 … v.n−1]; growing may move them. */
#ifndef DATA_VEC_H
#define DATA_VEC_H

#include "data/mem.h"

#include <stdlib.h>

#define VEC_FIELDS(T)                                                                                                  \
	T *at;                                                                                                         \
	size_t n, cap
#define VEC(T)                                                                                                         \
	struct {                                                                                                       \
		VEC_FIELDS(T);                                                                                         \
	}

/* Makes room for `more` elements after the n there are; returns the block. */
static inline void *vec_grow(void *at, size_t *cap, size_t n, size_t more, size_t size)
{
	size_t need = mem_add(n, more);
	if (need <= *cap)
		return at;
	size_t want = *cap + *cap / 2 + 8;
	if (want < need)
		want = need;
	at = mem_realloc(at, mem_mul(want, size));
	*cap = want;
	return at;
}

#define vec_reserve(v, more) ((v)->at = vec_grow((v)->at, &(v)->cap, (v)->n, (more), sizeof *(v)->at))
#define vec_push(v, x) (vec_reserve((v), 1), (void)((v)->at[(v)->n++] = (x)))
/* Appends an uninitialised element and points to it. */
#define vec_add(v) (vec_reserve((v), 1), &(v)->at[(v)->n++])
#define vec_pop(v) ((v)->at[--(v)->n])
#define vec_last(v) ((v)->at[(v)->n - 1])
/* Where element i is, or would be; of a vector that never held anything nowhere, for nothing is added to NULL. */
#define vec_from(v, i) ((v)->at ? (v)->at + (i) : NULL)
/* Removes element i, or the first that equals x if there is one; the last takes its place. */
#define vec_remove(v, i) ((v)->at[i] = vec_last(v), (void)(v)->n--)
#define vec_drop(v, x)                                                                                                 \
	do {                                                                                                           \
		size_t vec_i_ = 0;                                                                                     \
		while (vec_i_ < (v)->n && (v)->at[vec_i_] != (x))                                                      \
			vec_i_++;                                                                                      \
		if (vec_i_ < (v)->n)                                                                                   \
			vec_remove((v), vec_i_);                                                                       \
	} while (0)
#define vec_clear(v) ((void)((v)->n = 0))
#define vec_release(v) (free((v)->at), (v)->at = NULL, (void)((v)->n = (v)->cap = 0))
/* Up to twelve vectors at once: vec_release_all(&a, &b, &c). */
#define VEC_EACH_1(f, v) f(v)
#define VEC_EACH_2(f, v, ...) (f(v), VEC_EACH_1(f, __VA_ARGS__))
#define VEC_EACH_3(f, v, ...) (f(v), VEC_EACH_2(f, __VA_ARGS__))
#define VEC_EACH_4(f, v, ...) (f(v), VEC_EACH_3(f, __VA_ARGS__))
#define VEC_EACH_5(f, v, ...) (f(v), VEC_EACH_4(f, __VA_ARGS__))
#define VEC_EACH_6(f, v, ...) (f(v), VEC_EACH_5(f, __VA_ARGS__))
#define VEC_EACH_7(f, v, ...) (f(v), VEC_EACH_6(f, __VA_ARGS__))
#define VEC_EACH_8(f, v, ...) (f(v), VEC_EACH_7(f, __VA_ARGS__))
#define VEC_EACH_9(f, v, ...) (f(v), VEC_EACH_8(f, __VA_ARGS__))
#define VEC_EACH_10(f, v, ...) (f(v), VEC_EACH_9(f, __VA_ARGS__))
#define VEC_EACH_11(f, v, ...) (f(v), VEC_EACH_10(f, __VA_ARGS__))
#define VEC_EACH_12(f, v, ...) (f(v), VEC_EACH_11(f, __VA_ARGS__))
#define VEC_COUNTED(v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, name, ...) name
#define VEC_EACH(f, ...)                                                                                               \
	VEC_COUNTED(__VA_ARGS__, VEC_EACH_12, VEC_EACH_11, VEC_EACH_10, VEC_EACH_9, VEC_EACH_8, VEC_EACH_7,            \
		    VEC_EACH_6, VEC_EACH_5, VEC_EACH_4, VEC_EACH_3, VEC_EACH_2, VEC_EACH_1, 0)                         \
	(f, __VA_ARGS__)
#define vec_release_all(...) VEC_EACH(vec_release, __VA_ARGS__)
#define vec_clear_all(...) VEC_EACH(vec_clear, __VA_ARGS__)

#endif
