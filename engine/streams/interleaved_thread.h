/*
 * Where a thread is in an interleaving (interleaving.h): how far it got, and copies of the runs
 * that were read but not handed out yet. An interrupted replay keeps this. Plain data, owned.
 */
#ifndef FT_ENGINE_STREAMS_INTERLEAVED_THREAD_H
#define FT_ENGINE_STREAMS_INTERLEAVED_THREAD_H

#include <stdbool.h>

#include "formats/base/sealed_file.h"
#include "formats/expand/runs.h"

struct ft_interleaved_thread {
    uint64_t segment;   /* timestamps passed */
    uint64_t taken;     /* accesses since the last of them */
    uint64_t iteration; /* the next of the first run */
    uint32_t entry;     /* the next of that iteration */
    bool has_read;      /* the interleaving that was left had read from its source */
    struct ft_run *runs;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_count, entry_count;
    size_t run_capacity, reference_capacity, address_capacity, stride_capacity;
};

/* Appends the runs of a batch, starting at first_run. */
int ft_interleaved_thread_add(struct ft_interleaved_thread *thread,
                              const struct ft_run_batch *batch, size_t first_run,
                              struct ft_diag *diag);
/* Its runs; valid until runs are added or it ends. */
struct ft_run_batch ft_interleaved_thread_batch(const struct ft_interleaved_thread *thread);
void ft_interleaved_thread_fini(struct ft_interleaved_thread *thread);

void ft_interleaved_thread_put(struct ft_sealed_output *output,
                               const struct ft_interleaved_thread *thread);
/* FT_ERROR_DATA if its numbers are inconsistent. References are not checked. */
int ft_interleaved_thread_get(struct ft_sealed_input *input, struct ft_interleaved_thread *thread,
                              struct ft_diag *diag);

#endif
