/*
 * Run sources without a trace: stored ones for tests, generated ones for benchmarks, and a wrapper
 * that gives any source's accesses one by one. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_SYNTHETIC_RUNS_H
#define FT_TESTS_SUPPORT_SYNTHETIC_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/expand/runs.h"
#include "tests/support/random.h"

struct synthetic_runs {
    struct ft_run_source source; /* first, so that a source is cast to its whole */
    struct ft_reference *references;
    size_t reference_capacity;
    struct ft_run *runs;
    size_t run_count, run_capacity;
    uint32_t *entry_references;
    uint64_t *addresses;
    int64_t *strides;
    size_t entry_count, reference_entry_capacity, address_capacity, stride_capacity;
    size_t given;        /* runs already given */
    size_t runs_a_batch; /* at most; 0: all */
    /* Generated sources: appends more runs and gives true, or false at the end. What was given
     * before is forgotten first. */
    bool (*generate)(struct synthetic_runs *runs);
    uint64_t state[8]; /* the generator's own */
};

void synthetic_init(struct synthetic_runs *runs);
void synthetic_fini(struct synthetic_runs *runs);
uint32_t synthetic_reference(struct synthetic_runs *runs, uint32_t size_bytes);
/* Starts a run; its entries follow. */
void synthetic_run(struct synthetic_runs *runs, uint64_t iteration_count);
void synthetic_entry(struct synthetic_runs *runs, uint32_t reference, uint64_t address,
                     int64_t stride);
/* A run of one access. */
void synthetic_access(struct synthetic_runs *runs, uint32_t reference, uint64_t address);
/* From the start again (stored sources). */
void synthetic_rewind(struct synthetic_runs *runs);

/* The accesses of `inner`, each iteration a run of its own; inner stays the caller's. */
struct unrolled_runs {
    struct synthetic_runs own;
    struct ft_run_source *inner;
    struct ft_run_batch batch;
    size_t run;
    uint64_t iteration;
};
void unrolled_init(struct unrolled_runs *unrolled, struct ft_run_source *inner);
void unrolled_fini(struct unrolled_runs *unrolled);

#endif
