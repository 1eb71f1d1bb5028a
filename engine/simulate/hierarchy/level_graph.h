/*
 * The levels of a hierarchy, as often as cores have them, and which asks which. A level that is
 * shared by c cores exists once for every c cores that follow each other. Data caches form a chain,
 * data TLBs another; chains of instruction levels end in the first unified level of the chain of
 * data of their kind (docs/simulate.md, "Hierarchies").
 *
 * Figures are kept by the machine's level, over all cores. Numbers of levels are those of the
 * machine, instruction levels behind the others.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_GRAPH_H
#define FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_GRAPH_H

#include "engine/simulate/hierarchy/level_results.h"
#include "engine/simulate/hierarchy/level_store.h"

#define FT_NO_NODE UINT32_MAX

struct ft_stride_history { /* what a stride prefetcher knows of a reference */
    uint64_t address;
    uint64_t stride;
    unsigned seen; /* 1: an address, 2: a stride too */
};

/* A level of some cores. */
struct ft_level_node {
    struct ft_hierarchy_level *result;
    struct ft_level_store store;
    unsigned shift;                    /* log2 of the bytes of a block */
    uint32_t next;                     /* the node that it asks; FT_NO_NODE: memory */
    uint32_t before_first;             /* nodes that ask it: in `before` from here on */
    uint32_t before_count;             /* so many */
    struct ft_stride_history *strides; /* [reference]; NULL without a stride prefetcher */
    struct ft_miss_shadow shadow;      /* where causes are counted */
};

/* Where the chains of a core begin; FT_NO_NODE: there is none. */
struct ft_core {
    uint32_t cache, tlb, instruction_cache, instruction_tlb;
};

struct ft_level_graph {
    struct ft_hierarchy_level *results; /* [level] */
    size_t level_count;
    struct ft_level_node *nodes; /* level by level, in the order of cores */
    uint32_t node_count;
    uint32_t *before;
    struct ft_core *cores;
    uint32_t core_count;
    const uint32_t *instructions; /* [reference]: as in hierarchy.h; the caller's */

    uint64_t events; /* misses and first uses of prefetched blocks: all that changes what comes */
    uint64_t memory_reads, memory_writes;

    bool notes_prefetches; /* of the access at hand, by whoever makes it */
    struct ft_hierarchy_prefetch prefetches[FT_PREFETCH_BLOCKS_MAX];
    size_t prefetch_count; /* further ones are not noted */
};

/* seed: of random replacement. instructions is the caller's to set. */
int ft_level_graph_init(struct ft_level_graph *graph, const struct ft_machine *machine,
                        uint32_t core_count, uint64_t seed, uint32_t reference_count,
                        struct ft_diag *diag);
/* Before anything is asked for: why levels miss is counted. */
int ft_level_graph_count_causes(struct ft_level_graph *graph, uint32_t reference_count,
                                struct ft_diag *diag);
/* Fails where memory for that ran out. */
int ft_level_graph_check(const struct ft_level_graph *graph, struct ft_diag *diag);
void ft_level_graph_fini(struct ft_level_graph *graph);

#endif
