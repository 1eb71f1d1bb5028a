#include "fit/shared_caches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_BYTES 32

/* Threads are numbered from 0; an entry of one thread may have no stacks. */
uint32_t ft_thread_count_of(const struct ft_histograms *entry)
{
    uint32_t threads = 0;
    bool found = true;
    while (found) {
        found = false;
        for (size_t i = 0; i < entry->stack_count && !found; i++)
            found = ft_histogram_stack_has(&entry->stacks[i], threads);
        threads += found;
    }
    return threads > 0 ? threads : 1;
}

uint32_t ft_thread_count_max(const struct ft_histograms *const *entries, size_t count)
{
    uint32_t most = 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t threads = ft_thread_count_of(entries[i]);
        most = threads > most ? threads : most;
    }
    return most;
}

const struct ft_histogram_stack *ft_shared_stack(const struct ft_histograms *entry, uint32_t first,
                                                 uint32_t last)
{
    char range[RANGE_BYTES];
    int length = snprintf(range, sizeof range, "%" PRIu32, first);
    if (last > first)
        snprintf(range + length, sizeof range - (size_t)length, "-%" PRIu32, last);
    for (size_t i = 0; i < entry->stack_count; i++) {
        const struct ft_histogram_stack *stack = &entry->stacks[i];
        const bool takes_accesses =
            strcmp(stack->kind, FT_STACK_PRIVATE) == 0 || strcmp(stack->kind, FT_STACK_SHARED) == 0;
        if (takes_accesses && strcmp(stack->threads, range) == 0)
            return stack;
    }
    return NULL;
}

/* The stack of the threads from `first` on that share a cache. */
static const struct ft_histogram_stack *group_of(const struct ft_histograms *entry, uint32_t first,
                                                 uint32_t cores, uint32_t threads)
{
    const uint32_t last = cores < threads - first ? first + cores - 1 : threads - 1;
    return ft_shared_stack(entry, first, last);
}

/* Whether an entry has all stacks of groups of so many; in_sum: that its own histograms sum up. */
static bool has_groups(const struct ft_histograms *entry, uint32_t cores, bool in_sum)
{
    const uint32_t threads = ft_thread_count_of(entry);
    for (uint32_t first = 0; threads > 1 && first < threads; first += cores) {
        const struct ft_histogram_stack *stack = group_of(entry, first, cores, threads);
        if (!stack || (in_sum && !stack->in_sum))
            return false;
    }
    return true;
}

bool ft_shared_are_replayed(const struct ft_histograms *const *entries, size_t count,
                            uint32_t cores)
{
    for (size_t i = 0; i < count; i++)
        if (!has_groups(entries[i], cores, false))
            return false;
    return true;
}

uint32_t ft_shared_own_cores(const struct ft_histograms *const *entries, size_t count)
{
    const uint32_t most = ft_thread_count_max(entries, count);
    for (uint32_t cores = 1; cores <= most; cores++) {
        bool all = true;
        for (size_t i = 0; i < count && all; i++)
            all = has_groups(entries[i], cores, true);
        if (all)
            return cores;
    }
    return 0;
}

static int add_groups(const struct ft_histograms *entry, uint32_t cores,
                      struct ft_histograms *shared, struct ft_diag *diag)
{
    const uint32_t threads = ft_thread_count_of(entry);
    int status = FT_OK;
    for (uint32_t first = 0; !status && first < threads; first += cores)
        status = ft_histograms_add_stack(shared, group_of(entry, first, cores, threads), diag);
    return status;
}

/* All that a trace of one thread has is private and shared alike. */
static int copy_own(const struct ft_histograms *entry, struct ft_histograms *shared,
                    struct ft_diag *diag)
{
    const size_t sizes = entry->size_count;
    int status = FT_OK;
    memcpy(shared->distinct_blocks, entry->distinct_blocks, sizes * sizeof(uint64_t));
    for (size_t i = 0; !status && i < entry->reference_count * sizes; i++)
        status = ft_histogram_add(&shared->histograms[i], &entry->histograms[i], diag);
    return status;
}

int ft_shared_entry_make(const struct ft_histograms *entry, uint32_t cores,
                         struct ft_histograms *ret_shared, struct ft_diag *diag)
{
    const size_t sizes = entry->size_count, references = entry->reference_count;
    struct ft_histograms shared = *entry;
    uint64_t *accesses = shared.reference_accesses = calloc(references + 1, sizeof *accesses);
    shared.distinct_blocks = calloc(sizes + 1, sizeof *shared.distinct_blocks);
    shared.touches = calloc(sizes + 1, sizeof *shared.touches);
    shared.histograms = calloc(references * sizes + 1, sizeof *shared.histograms);
    shared.stacks = NULL;
    shared.stack_count = 0;
    shared.pairs = NULL;
    shared.data = NULL;
    shared.skeleton = NULL;
    shared.set_distances = NULL;
    int status = FT_OK;
    if (!accesses || !shared.distinct_blocks || !shared.touches || !shared.histograms)
        status = ft_fail_memory(diag, "the distances in shared caches");
    else if (ft_thread_count_of(entry) > 1)
        status = add_groups(entry, cores, &shared, diag);
    else
        status = copy_own(entry, &shared, diag);
    shared.reference_accesses = entry->reference_accesses; /* those of fetches, too */
    free(accesses);
    *ret_shared = shared;
    return status;
}

void ft_shared_entry_fini(struct ft_histograms *shared)
{
    ft_histogram_array_free(shared->histograms, shared->reference_count * shared->size_count);
    free(shared->distinct_blocks);
    free(shared->touches);
    *shared = (struct ft_histograms){0};
}
