/*
 * A made-up program of nested loops, calls, recursion, tail calls, a signal handler and jumps out
 * of routines, as the runs of its fetches and accesses. It says itself to a carriers where it is.
 */
#ifndef FT_TESTS_SUPPORT_SCOPE_PROGRAM_H
#define FT_TESTS_SUPPORT_SCOPE_PROGRAM_H

#include "tests/support/reference_carriers.h"
#include "tests/support/synthetic_runs.h"

#define SCOPE_PROGRAM_SAME_TURNS 300 /* in the end, of which a replay may skip some */

extern const struct ft_scope_steps scope_program;

/* Appends the program's runs. carriers: of scope_program, empty. */
void scope_program_run(struct synthetic_runs *runs, struct reference_carriers *carriers,
                       uint64_t seed);
/* Nothing but what comes again in deeper activations, which must not be skipped. */
void scope_program_run_deeper(struct synthetic_runs *runs, struct reference_carriers *carriers,
                              uint64_t seed);

#endif
