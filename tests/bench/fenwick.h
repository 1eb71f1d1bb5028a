/*
 * The reference of replay: reuse distances by a plain Fenwick tree over time slots, one for each
 * touch, and an open-addressing map from block to last slot (Bennett & Kruskal 1975; Almasi,
 * Cascaval & Padua 2002). One block size, the same log-linear histogram for each reference.
 */
#ifndef FT_TESTS_BENCH_FENWICK_H
#define FT_TESTS_BENCH_FENWICK_H

#include "formats/expand/runs.h"
#include "formats/histograms/histograms.h"

struct fenwick_result {
    uint64_t accesses;
    uint64_t touches;
    uint64_t cold;
    uint64_t distance_sum;
    uint64_t counts[FT_BIN_COUNT]; /* of all references together */
};

/* Takes the source to its end. touches_max: at least as many as it makes. */
int fenwick_run(uint64_t block_bytes, uint64_t touches_max, struct ft_run_source *source,
                struct fenwick_result *ret_result, struct ft_diag *diag);

#endif
