/*
 * Resolves the addresses of runs to data, and hands the runs on in pieces in which each reference
 * touches a single object. The last object of a reference is tried first. One thread at a time;
 * batches in the order of all_threads.h.
 */
#ifndef FT_ENGINE_DATA_DATA_WALK_H
#define FT_ENGINE_DATA_DATA_WALK_H

#include "engine/data/address_space.h"
#include "engine/data/pair_table.h"

/* Iterations [iteration, iteration + count) of the entries from first_entry on of a batch. */
struct ft_data_piece {
    size_t first_entry;
    uint32_t entry_count;
    uint64_t iteration, count;
    bool strides;          /* the run has more than one iteration */
    const uint32_t *pairs; /* [entry - first_entry] */
};
typedef int ft_data_visitor(void *context, const struct ft_run_batch *batch,
                            const struct ft_data_piece *piece, struct ft_diag *diag);

struct ft_found_data { /* the last one of a reference */
    uint64_t start, end, version;
    uint32_t pair;
    uint32_t frame_pair; /* pair + 1 of the routine's frame, or of the module's code for fetches; 0:
                            not known yet */
};

struct ft_data_walk {
    struct ft_address_space space;
    struct ft_stack_roles roles;
    struct ft_found_data *found; /* [reference] */
    uint32_t *pairs;             /* of the piece at hand */
    size_t pair_capacity;
    struct ft_pair_table *table; /* the caller's */
};

int ft_data_walk_init(struct ft_data_walk *walk, const struct ft_trace *trace,
                      const struct ft_memory_events *events, struct ft_data_objects *objects,
                      const struct ft_run_source *source, struct ft_pair_table *table,
                      struct ft_diag *diag);
void ft_data_walk_fini(struct ft_data_walk *walk);

/* Takes the source's next batch, which has been checked (run_batch.h). */
int ft_data_walk_take(struct ft_data_walk *walk, const struct ft_run_source *source,
                      const struct ft_run_batch *batch, ft_data_visitor *visit, void *context,
                      struct ft_diag *diag);

#endif
