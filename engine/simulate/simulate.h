/*
 * Simulates every level of a machine on a source of runs: misses of each reference, set-associative
 * and fully associative, exact LRU (docs/simulate.md, "Exact simulation").
 *
 * Each level sees all accesses, as the models do: L2 is not shielded by L1. An access that spans
 * blocks touches each of them and may miss in each. Caches start empty; loads and stores are
 * treated alike. Levels are simulated in parallel (OpenMP); the result does not depend on that.
 */
#ifndef FT_ENGINE_SIMULATE_SIMULATE_H
#define FT_ENGINE_SIMULATE_SIMULATE_H

#include "formats/base/progress.h"
#include "formats/expand/runs.h"
#include "machines/machine.h"

struct ft_simulation {
    size_t level_count; /* those of the machine, in its order */
    uint32_t reference_count;
    uint64_t *accesses;                 /* [reference] */
    uint64_t *set_associative_misses;   /* [level * reference_count + reference] */
    uint64_t *fully_associative_misses; /* likewise */
};

/* Gives a source at its beginning, which stays the opener's; what it gave before is not used any
 * more. */
typedef int ft_source_opener(void *context, struct ft_run_source **ret_source,
                             struct ft_diag *diag);

/* Takes the source, of so many threads, to its end: thread t runs on core t, and a level that c
 * cores share is one for c threads that follow each other. The source is opened again where the
 * first attempt found memory touched sparsely. progress may be NULL. */
int ft_simulate(const struct ft_machine *machine, uint32_t thread_count, ft_source_opener *open,
                void *context, struct ft_progress *progress, struct ft_simulation *ret_simulation,
                struct ft_diag *diag);
/* Of nothing yet: zeros. */
int ft_simulation_init(struct ft_simulation *simulation, size_t level_count,
                       uint32_t reference_count, struct ft_diag *diag);
void ft_simulation_fini(struct ft_simulation *simulation);

#endif
