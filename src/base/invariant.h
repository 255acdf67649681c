/* SPDX-License-Identifier: MIT */
/* INVARIANT(cond): what must hold here if our own code is right. Bad input is never one.
 *
 * On (RF_INVARIANTS) in the objects that unit tests and corpus replays link, and in asan and fuzz builds; in a
 * release the condition is compiled but not evaluated. Larger structures have walkers, NAME_check(), that are
 * defined only where invariants are on. Freestanding: a violation traps, and the debugger or the sanitizer's stack
 * names the line. */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#ifdef RF_INVARIANTS
#define INVARIANT(cond) ((cond) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

#endif
