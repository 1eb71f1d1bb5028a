/*
 * From runs to requests: each access goes to the first TLB and the first cache of its core, for
 * data or for instructions (level_requests.h).
 *
 * Runs are walked in epochs (epochs.h) of the smallest block. What a hit changes, recency and the
 * dirty flag, the same hits in the same order leave unchanged the next time, whatever the
 * replacement. So if nothing but hits happened in one iteration, nothing else will in the rest of
 * the epoch, which is counted and skipped. Misses and first uses of prefetched blocks are all else
 * that can happen, unless stores are written through.
 */
#include "engine/simulate/hierarchy/hierarchy.h"

#include <stdlib.h>

#include "engine/simulate/hierarchy/level_graph.h"
#include "engine/simulate/hierarchy/level_requests.h"
#include "engine/streams/epochs.h"

struct ft_hierarchy {
    struct ft_level_graph graph;
    struct ft_epochs epochs;
    size_t cache_count; /* of data */
    bool may_skip;
};

#define FT_TOUCHED_LEVELS_MAX 16

/* A batch of one core. */
struct feeding {
    struct ft_hierarchy *hierarchy;
    const struct ft_core *core;
    const struct ft_run_source *source;
    const struct ft_run_batch *batch;
};

int ft_hierarchy_create(const struct ft_machine *machine, uint32_t core_count, uint64_t seed,
                        uint32_t reference_count, struct ft_hierarchy **ret_hierarchy,
                        struct ft_diag *diag)
{
    struct ft_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (!hierarchy)
        return ft_fail_memory(diag, "a hierarchy");
    struct ft_level_graph *graph = &hierarchy->graph;
    int status = ft_level_graph_init(graph, machine, core_count, seed, reference_count, diag);
    if (status != FT_OK) {
        free(hierarchy);
        return status;
    }
    hierarchy->cache_count = machine->cache_count;
    hierarchy->may_skip = true;
    hierarchy->epochs.block_shift = 63;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ft_level_node *node = &graph->nodes[i];
        if (node->shift < hierarchy->epochs.block_shift)
            hierarchy->epochs.block_shift = node->shift;
        if (node->result->level->behaviour.write == FT_WRITE_THROUGH)
            hierarchy->may_skip = false;
    }
    *ret_hierarchy = hierarchy;
    return FT_OK;
}

void ft_hierarchy_join_references(struct ft_hierarchy *hierarchy, const uint32_t *instructions)
{
    hierarchy->graph.instructions = instructions;
}

int ft_hierarchy_count_causes(struct ft_hierarchy *hierarchy, uint32_t reference_count,
                              struct ft_diag *diag)
{
    return ft_level_graph_count_causes(&hierarchy->graph, reference_count, diag);
}

void ft_hierarchy_destroy(struct ft_hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    ft_level_graph_fini(&hierarchy->graph);
    ft_epochs_fini(&hierarchy->epochs);
    free(hierarchy);
}

/* ---- accesses ---- */

static bool is_store(uint8_t kind)
{
    return kind == FT_STORE || kind == FT_STORE_NONTEMPORAL;
}

/* Visits the blocks that an access covers at the first node of a chain. */
static void visit_chain(struct ft_level_graph *graph, uint32_t index, bool stores, uint64_t address,
                        const struct ft_epoch_entry *entry)
{
    if (index == FT_NO_NODE)
        return;
    unsigned shift = graph->nodes[index].shift;
    struct ft_demand demand = {.address = address, .reference = entry->reference};
    for (uint64_t i = ft_blocks_covered(shift, address, entry->size_bytes); i > 0; i--) {
        if (stores)
            ft_level_store_to(graph, index, &demand);
        else
            ft_level_request(graph, index, &demand);
        demand.address = ((demand.address >> shift) + 1) << shift;
    }
}

static void take_iteration(const struct feeding *feeding, const struct ft_run *run,
                           uint64_t iteration)
{
    struct ft_level_graph *graph = &feeding->hierarchy->graph;
    const struct ft_core *core = feeding->core;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry =
            ft_epoch_entry(feeding->source, feeding->batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        uint8_t kind = feeding->source->references[entry.reference].kind;
        bool fetch = kind == FT_FETCH;
        visit_chain(graph, fetch ? core->instruction_tlb : core->tlb, false, address, &entry);
        visit_chain(graph, fetch ? core->instruction_cache : core->cache, is_store(kind), address,
                    &entry);
    }
}

static void count_hits(struct ft_level_graph *graph, uint32_t index, uint64_t address,
                       const struct ft_epoch_entry *entry, uint64_t times)
{
    if (index == FT_NO_NODE)
        return;
    const struct ft_level_node *node = &graph->nodes[index];
    node->result->accesses[entry->reference] +=
        times * ft_blocks_covered(node->shift, address, entry->size_bytes);
}

/* Counts iterations that hit at the first levels of all chains. */
static void skip_iterations(const struct feeding *feeding, const struct ft_run *run,
                            uint64_t iteration, uint64_t times)
{
    struct ft_level_graph *graph = &feeding->hierarchy->graph;
    const struct ft_core *core = feeding->core;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry =
            ft_epoch_entry(feeding->source, feeding->batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        bool fetch = feeding->source->references[entry.reference].kind == FT_FETCH;
        count_hits(graph, fetch ? core->instruction_tlb : core->tlb, address, &entry, times);
        count_hits(graph, fetch ? core->instruction_cache : core->cache, address, &entry, times);
    }
}

static int feed_run(const struct feeding *feeding, const struct ft_run *run, struct ft_diag *diag)
{
    struct ft_hierarchy *hierarchy = feeding->hierarchy;
    if (run->iteration_count == 1) { /* strides mean nothing */
        take_iteration(feeding, run, 0);
        return FT_OK;
    }
    if (!ft_epochs_start(&hierarchy->epochs, run))
        return ft_fail_memory(diag, "the simulation");
    for (uint64_t iteration = 0; iteration < run->iteration_count;) {
        uint64_t blocks, events;
        uint64_t end = ft_epochs_end(&hierarchy->epochs, feeding->source, feeding->batch, run,
                                     iteration, &blocks);
        do {
            events = hierarchy->graph.events;
            take_iteration(feeding, run, iteration++);
        } while (iteration < end && (hierarchy->graph.events != events || !hierarchy->may_skip));
        if (iteration < end)
            skip_iterations(feeding, run, iteration, end - iteration);
        iteration = end;
    }
    return FT_OK;
}

int ft_hierarchy_feed(struct ft_hierarchy *hierarchy, uint32_t core,
                      const struct ft_run_source *source, const struct ft_run_batch *batch,
                      struct ft_diag *diag)
{
    const struct feeding feeding = {hierarchy, &hierarchy->graph.cores[core], source, batch};
    int status = FT_OK;
    for (size_t r = 0; status == FT_OK && r < batch->run_count; r++)
        status = feed_run(&feeding, &batch->runs[r], diag);
    return status == FT_OK ? ft_level_graph_check(&hierarchy->graph, diag) : status;
}

/* ---- single accesses ---- */

/* Asks the first node of a chain for one block, and sees which levels of the chain miss it: bit per
 * level. */
static uint64_t touch_block(struct ft_level_graph *graph, uint32_t first, bool stores,
                            const struct ft_demand *demand)
{
    const uint64_t *misses[FT_TOUCHED_LEVELS_MAX];
    uint64_t before[FT_TOUCHED_LEVELS_MAX], missed = 0;
    unsigned count = 0;
    for (uint32_t n = first; n != FT_NO_NODE && count < FT_TOUCHED_LEVELS_MAX;
         n = graph->nodes[n].next, count++) {
        misses[count] = &graph->nodes[n].result->misses[demand->reference];
        before[count] = *misses[count];
    }
    if (stores)
        ft_level_store_to(graph, first, demand);
    else
        ft_level_request(graph, first, demand);
    for (unsigned level = 0; level < count; level++)
        missed |= (uint64_t)(*misses[level] != before[level]) << level;
    return missed;
}

/* Visits the blocks of an access; the levels that missed one, and the address of a block that came
 * from the farthest. */
static uint64_t touch_chain(struct ft_level_graph *graph, uint32_t first,
                            const struct ft_hierarchy_demand *demand, uint64_t *ret_address)
{
    uint64_t all = 0, most = 0;
    *ret_address = demand->address;
    if (first == FT_NO_NODE)
        return 0;
    const unsigned shift = graph->nodes[first].shift;
    const uint32_t bytes = demand->size_bytes ? demand->size_bytes : 1;
    struct ft_demand block = {.address = demand->address, .reference = demand->reference};
    for (uint64_t i = ft_blocks_covered(shift, demand->address, bytes); i > 0; i--) {
        const uint64_t missed = touch_block(graph, first, demand->stores, &block);
        all |= missed;
        if (missed > most) {
            most = missed;
            *ret_address = block.address;
        }
        block.address = ((block.address >> shift) + 1) << shift;
    }
    return all;
}

void ft_hierarchy_touch(struct ft_hierarchy *hierarchy, uint32_t core,
                        const struct ft_hierarchy_demand *demand,
                        struct ft_hierarchy_answer *ret_answer)
{
    struct ft_level_graph *graph = &hierarchy->graph;
    const struct ft_core *own = &graph->cores[core];
    const uint32_t first = demand->fetches ? own->instruction_cache : own->cache;
    uint64_t address;
    ret_answer->tlb_misses =
        touch_chain(graph, demand->fetches ? own->instruction_tlb : own->tlb, demand, &address);
    graph->notes_prefetches = true;
    graph->prefetch_count = 0;
    uint64_t missed = touch_chain(graph, first, demand, &ret_answer->address);
    graph->notes_prefetches = false;
    ret_answer->prefetches = graph->prefetches;
    ret_answer->prefetch_count = graph->prefetch_count;
    /* A level that missed passed the request on: the source is the one behind all that did. */
    uint32_t node = first;
    ret_answer->source = 0;
    while (node != FT_NO_NODE && missed) {
        missed >>= 1;
        node = graph->nodes[node].next;
        const struct ft_level_node *at = node == FT_NO_NODE ? NULL : &graph->nodes[node];
        ret_answer->source = at ? (size_t)(at->result - graph->results) : hierarchy->cache_count;
        if (at && at->result->instruction)
            ret_answer->source = 0;
    }
}

/* ---- results ---- */

size_t ft_hierarchy_level_count(const struct ft_hierarchy *hierarchy)
{
    return hierarchy->graph.level_count;
}

const struct ft_hierarchy_level *ft_hierarchy_level(const struct ft_hierarchy *hierarchy,
                                                    size_t index)
{
    return &hierarchy->graph.results[index];
}

uint64_t ft_hierarchy_memory_reads(const struct ft_hierarchy *hierarchy)
{
    return hierarchy->graph.memory_reads;
}

uint64_t ft_hierarchy_memory_writes(const struct ft_hierarchy *hierarchy)
{
    return hierarchy->graph.memory_writes;
}
