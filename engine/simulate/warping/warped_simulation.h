/*
 * All levels of a machine on a program, each a set-associative and a fully associative LRU cache
 * that is simulated by itself and by warping (warping.h): equal to what ft_simulate gives for its
 * accesses. Caches are simulated in parallel (OpenMP); the result does not depend on that.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_WARPED_SIMULATION_H
#define FT_ENGINE_SIMULATE_WARPING_WARPED_SIMULATION_H

#include "engine/simulate/simulate.h"
#include "engine/simulate/warping/warping.h"

struct ft_warped_simulation_task {
    struct ft_warped_program program; /* without executions */
    ft_source_opener *open;           /* its accesses, for caches that warping does little for */
    void *context;
    double simulated_max; /* accesses; where more were to be simulated of a cache, it fails with
                             FT_ERROR_UNSUPPORTED */
    struct ft_progress *progress; /* may be NULL */
};
int ft_warped_simulate(const struct ft_warped_simulation_task *task,
                       const struct ft_machine *machine, struct ft_simulation *ret_simulation,
                       struct ft_diag *diag);

#endif
