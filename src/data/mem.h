/* SPDX-License-Identifier: MIT */
/* Heap memory: checked sizes, one out-of-memory hook, and optional accounting.
 *
 * mem_* never return NULL: when memory is out they call the hook, which must not return (the default prints one
 * line and exits 3). Budgets on hostile input are not this file's business: readers check sizes first and
 * return RC_INPUT. A struct mem_counter counts the bytes an owner holds; callers pass sizes back when freeing, so
 * nothing is stored beside the blocks. */
#ifndef DATA_MEM_H
#define DATA_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_counter {
	size_t now, peak; /* bytes held, and the most ever held */
	size_t blocks;    /* blocks held */
};

typedef void (*mem_oom_fn)(size_t wanted);
void mem_set_oom(mem_oom_fn fn);
_Noreturn void mem_oom(size_t wanted);

/* Uncounted, released by free(). A size of 0 is served as 1. */
void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);
void *mem_realloc(void *p, size_t n);
void *mem_dup(const void *p, size_t n);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Frees what the list names: free_all(a, b, c). */
void mem_free_each(void *const *at, size_t n);
#define free_all(...) mem_free_each((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

/* n*size and a+b; out of memory on overflow, for sizes that come from ourselves. */
size_t mem_mul(size_t n, size_t size);
size_t mem_add(size_t a, size_t b);

/* Counted; c may be NULL. old is the size the block was asked for with (0 and p NULL: a new block). */
void *mem_resize(struct mem_counter *c, void *p, size_t old, size_t n);
void mem_release(struct mem_counter *c, void *p, size_t n);

/* Accounts for bytes that are not kept (a cache that is only measured). */
void mem_count(struct mem_counter *c, long long delta);

#endif
