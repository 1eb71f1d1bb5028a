/*
 * Takes a source of runs through the hierarchies of several machines at once, to its end: of a
 * trace, or of accesses that were made (fit/skeletons/synthesis.h). Thread t runs on core t.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_RUN_H
#define FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_RUN_H

#include "engine/simulate/hierarchy/hierarchy.h"
#include "formats/base/progress.h"

struct ft_hierarchy_run {
    uint32_t thread_count;
    size_t reference_count; /* fetches are references too, where the source has them */
    uint8_t *kinds;         /* [reference]: enum ft_access_kind */
    uint64_t *accesses;     /* [reference] */
    struct ft_hierarchy **hierarchies;
    size_t hierarchy_count;
};

/* Whoever takes the same runs in the same pass. */
struct ft_run_taker {
    int (*begin)(void *context, const struct ft_run_source *source, uint32_t thread_count,
                 struct ft_diag *diag);
    int (*take)(void *context, const struct ft_run_source *source, const struct ft_run_batch *batch,
                struct ft_diag *diag);
    void *context;
};

struct ft_hierarchy_task {
    const struct ft_machine *machines; /* one hierarchy each; they must outlive the result */
    size_t machine_count;
    uint64_t seed; /* of random replacement */
    bool causes;   /* of misses are counted, too */
    uint32_t thread_count;
    const uint32_t *instructions;     /* as for ft_hierarchy_join_references; or NULL */
    const struct ft_run_taker *taker; /* or NULL */
};

/* progress may be NULL; ret_run is to be given to ft_hierarchy_run_fini after success. */
int ft_hierarchy_run(const struct ft_hierarchy_task *task, struct ft_run_source *source,
                     struct ft_progress *progress, struct ft_hierarchy_run *ret_run,
                     struct ft_diag *diag);
void ft_hierarchy_run_fini(struct ft_hierarchy_run *run);

#endif
