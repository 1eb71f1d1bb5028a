/*
 * Stored sources made to be awkward for replay: spanning accesses, wraps around 2^64, zero,
 * negative and huge strides, bodies wider than the front, addresses all over 64 bits, repetitions,
 * rows in the same blocks.
 */
#ifndef FT_TESTS_SUPPORT_AWKWARD_RUNS_H
#define FT_TESTS_SUPPORT_AWKWARD_RUNS_H

#include "tests/support/synthetic_runs.h"

#define AWKWARD_SOURCES 12U

/* source: below AWKWARD_SOURCES. Ended by synthetic_fini. */
void awkward_runs_init(struct synthetic_runs *runs, size_t source);
const char *awkward_source_name(size_t source);

#endif
