/*
 * What warping simulates, and how: plain data, the caller's.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_WARPED_PROGRAM_H
#define FT_ENGINE_SIMULATE_WARPING_WARPED_PROGRAM_H

#include "engine/skeleton/placing.h"
#include "formats/base/progress.h"
#include "formats/expand/runs.h"
#include "formats/skeleton/drawn.h"
#include "formats/skeleton/nest_executions.h"

/* What is simulated: a nest whose addresses are places. All stay the caller's. */
struct ft_warped_program {
    const struct ft_nest *nest;
    const struct ft_places *places;
    const struct ft_reference *references; /* [reference] */
    uint32_t reference_count;
    const struct ft_nest_executions *executions; /* of the nest */
    const struct ft_drawn_loop *drawn;           /* irregular loops (drawing.h) */
    size_t drawn_count;
    uint64_t seed;
    double accesses_max; /* more are an error, FT_ERROR_UNSUPPORTED */
};

/* How a cache is simulated. */
struct ft_warp_task {
    const bool *left_out;   /* [token of the nest]: accesses that are not made; NULL: none */
    double simulated_share; /* of the accesses: when more are simulated with little skipped, and no
                               loop makes it likely that this changes, it is given up */
    double simulated_max;   /* accesses; when more are simulated, it is given up as well */
    struct ft_progress *progress;
};

#endif
