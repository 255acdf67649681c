/* SPDX-License-Identifier: MIT */
/* Where the watch map lies: one byte per 8-byte granule of the program's memory, a bit per plane, set while a node that
 * is verified there reads the granule. Instrumented code tests it before each store, so its address is a constant
 * that fits an instruction's displacement. It is indexed by the low 32 bits of an address: addresses 4 GB apart share a
 * byte, and the runtime, which is asked when it is set, knows which of them is meant. */
#ifndef RT_CHECK_WATCH_MAP_H
#define RT_CHECK_WATCH_MAP_H

#define WATCH_BASE 0x60000000
#define WATCH_SIZE (1u << 29)
/* A store of up to so many bytes is tested in place: its granules, wherever it starts, are eight at most. */
#define WATCH_INLINE 57

#endif
