/*
 * A source of random runs for simulators: strides on both sides of the block sizes, negative ones,
 * bodies larger than a set, single accesses, and accesses that span blocks, within 2^17 bytes.
 * Equal seeds give equal runs.
 */
#ifndef FT_TESTS_SUPPORT_RANDOM_RUNS_H
#define FT_TESTS_SUPPORT_RANDOM_RUNS_H

#include <stdbool.h>

#include "formats/expand/runs.h"

#define RANDOM_REFERENCES 12
#define RANDOM_ENTRIES    400
#define RANDOM_RUNS       60

struct random_runs {
    struct ft_run_source source; /* first, so that a source is cast to its whole */
    struct ft_reference references[RANDOM_REFERENCES];
    unsigned batches_left;
    uint32_t thread_count;
    uint64_t seed, state;
    struct ft_run runs[RANDOM_RUNS];
    uint32_t entry_references[RANDOM_ENTRIES];
    uint64_t addresses[RANDOM_ENTRIES];
    int64_t strides[RANDOM_ENTRIES];
};

/* Five batches. Every third reference or so stores. */
void random_runs_init(struct random_runs *random, uint64_t seed);
/* From the start again: a ft_source_opener (engine/simulate/simulate.h), of a struct random_runs
 * whose seed is set; mixed where its threads are, too. */
int random_runs_open(void *random, struct ft_run_source **ret_source, struct ft_diag *diag);
/* The same, with fetches among the references, which have the same address every time and lie on
 * the memory that others touch; and batches are of so many threads alternating at random. */
void random_runs_init_mixed(struct random_runs *random, uint64_t seed, uint32_t thread_count);

#endif
