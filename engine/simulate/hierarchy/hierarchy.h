/*
 * A machine's caches and TLBs as they are described (docs/machines.md, "Behaviour"): each level
 * sees what misses in the one before, with its replacement, inclusion, write policy and prefetcher.
 * The rules are in docs/simulate.md, "Hierarchies".
 *
 * Levels are those of the machine, instruction levels behind the others; figures are sums over all
 * cores. Batches of runs, with fetches if instruction levels are to see them, are given in program
 * order. One thread at a time; different hierarchies are independent.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_H
#define FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_H

#include "engine/simulate/hierarchy/level_results.h"
#include "formats/expand/runs.h"

struct ft_hierarchy;
/* The machine must outlive it; core_count at least 1. seed: of random replacement.
 * reference_count: of the source. */
int ft_hierarchy_create(const struct ft_machine *machine, uint32_t core_count, uint64_t seed,
                        uint32_t reference_count, struct ft_hierarchy **ret_hierarchy,
                        struct ft_diag *diag);
/* Before anything is fed: several references are one instruction's, of which prefetchers see all
 * accesses. instructions: [reference], below reference_count; must outlive the hierarchy. */
void ft_hierarchy_join_references(struct ft_hierarchy *hierarchy, const uint32_t *instructions);
/* Likewise: why levels miss is to be counted (miss_causes.h). It takes about twice as long. */
int ft_hierarchy_count_causes(struct ft_hierarchy *hierarchy, uint32_t reference_count,
                              struct ft_diag *diag);
void ft_hierarchy_destroy(struct ft_hierarchy *hierarchy);

/* What one core executes next: a batch that ft_run_batch_check has passed. */
int ft_hierarchy_feed(struct ft_hierarchy *hierarchy, uint32_t core,
                      const struct ft_run_source *source, const struct ft_run_batch *batch,
                      struct ft_diag *diag);

/* A single access, or a fetch. */
struct ft_hierarchy_demand {
    uint64_t address;
    uint32_t size_bytes, reference;
    bool stores, fetches;
};
/* What came of it. Of several blocks that of the first cache which came from the farthest counts.
 */
struct ft_hierarchy_answer {
    size_t source; /* number of the machine's data cache that had it (0 for a fetch, too, where the
                      first instruction cache had it); their count: memory */
    uint64_t address;    /* in that block */
    uint64_t tlb_misses; /* bit per (instruction) TLB that missed, from the machine's first on */
    const struct ft_hierarchy_prefetch *prefetches; /* that it woke; valid until the next call */
    size_t prefetch_count;
};
void ft_hierarchy_touch(struct ft_hierarchy *hierarchy, uint32_t core,
                        const struct ft_hierarchy_demand *demand,
                        struct ft_hierarchy_answer *ret_answer);

size_t ft_hierarchy_level_count(const struct ft_hierarchy *hierarchy);
const struct ft_hierarchy_level *ft_hierarchy_level(const struct ft_hierarchy *hierarchy,
                                                    size_t index);
/* Blocks that the farthest caches read from memory, prefetches among them, and wrote to it. */
uint64_t ft_hierarchy_memory_reads(const struct ft_hierarchy *hierarchy);
uint64_t ft_hierarchy_memory_writes(const struct ft_hierarchy *hierarchy);

#endif
