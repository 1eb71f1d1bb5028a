/*
 * Where a thread stands in an order (interleaving.h): how far it came, and what was read of it and
 * not given yet, as runs of its own. What an interrupted replay keeps. Plain data, owned.
 */
#ifndef FT_ENGINE_STREAMS_INTERLEAVED_THREAD_H
#define FT_ENGINE_STREAMS_INTERLEAVED_THREAD_H

#include <stdbool.h>

#include "formats/base/sealed_file.h"
#include "formats/expand/runs.h"

struct ft_interleaved_thread {
    uint64_t segment;   /* timestamps that lie behind */
    uint64_t taken;     /* accesses since the last of them */
    uint64_t iteration; /* the next of the first run */
    uint32_t entry;     /* the next of that iteration */
    bool has_read;      /* its source was asked, by the interleaving that was left */
    struct ft_run *runs;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_count, entry_count;
    size_t run_capacity, reference_capacity, address_capacity, stride_capacity;
};

/* Appends the runs of a batch from one on. */
int ft_interleaved_thread_add(struct ft_interleaved_thread *thread,
                              const struct ft_run_batch *batch, size_t first_run,
                              struct ft_diag *diag);
/* Its runs, as long as it lives and nothing is added. */
struct ft_run_batch ft_interleaved_thread_batch(const struct ft_interleaved_thread *thread);
void ft_interleaved_thread_fini(struct ft_interleaved_thread *thread);

void ft_interleaved_thread_put(struct ft_sealed_output *output,
                               const struct ft_interleaved_thread *thread);
/* FT_ERROR_DATA where its numbers contradict each other. References are not checked. */
int ft_interleaved_thread_get(struct ft_sealed_input *input, struct ft_interleaved_thread *thread,
                              struct ft_diag *diag);

#endif
