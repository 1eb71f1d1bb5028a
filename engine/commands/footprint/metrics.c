#include "engine/commands/footprint/metrics.h"

unsigned ft_footprint_windows(const struct ft_footprint *footprint)
{
    return footprint->accesses ? 64U - (unsigned)__builtin_clzll(footprint->accesses) : 0;
}

double ft_footprint_window_mean(const struct ft_footprint *footprint, size_t size,
                                unsigned log2_accesses)
{
    return ft_gaps_window_mean(&footprint->gaps[size], footprint->distinct_blocks[size],
                               footprint->accesses, log2_accesses);
}

double ft_footprint_phase_blocks(const struct ft_footprint *footprint, size_t phase, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < footprint->interval_count; i++)
        if (footprint->intervals[i].phase == phase)
            sum += (double)footprint->interval_blocks[i * footprint->size_count + size];
    return sum / (double)footprint->phases.phases[phase].interval_count;
}

uint64_t ft_phase_misses(const struct ft_footprint *footprint,
                         const struct ft_interval_misses *misses, size_t phase, size_t level)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < footprint->interval_count; i++)
        if (footprint->intervals[i].phase == phase)
            sum += misses->set_associative[i * misses->level_count + level];
    return sum;
}

static uint64_t accesses_in(const struct ft_scopes *scopes, const struct ft_phase *phase,
                            uint32_t scope)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < phase->entry_count; i++)
        if (scopes->blocks[phase->entries[i].block].scope == scope)
            accesses += phase->entries[i].accesses;
    return accesses;
}

uint32_t ft_phase_scope(const struct ft_scopes *scopes, const struct ft_phase *phase,
                        double *ret_share)
{
    uint32_t best = 0;
    uint64_t max = 0;
    for (size_t i = 0; i < phase->entry_count; i++) {
        uint32_t scope = scopes->blocks[phase->entries[i].block].scope;
        uint64_t accesses = accesses_in(scopes, phase, scope);
        if (accesses > max) {
            max = accesses;
            best = scope;
        }
    }
    *ret_share = (double)max / (double)phase->entry_accesses;
    return best;
}
