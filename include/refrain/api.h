/* SPDX-License-Identifier: MIT */
/* Included first by every public header. */
#ifndef REFRAIN_API_H
#define REFRAIN_API_H

#if defined(__GNUC__)
#define RF_API __attribute__((visibility("default")))
#else
#define RF_API
#endif

#endif
