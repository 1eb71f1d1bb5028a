/*
 * Levels first, then their nodes, then links: the next level is the same for all nodes of a level,
 * and the node of it is that of the node's cores, which must be one for all of them.
 */
#include "engine/simulate/hierarchy/level_graph.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_LEVEL SIZE_MAX

/* What making a graph needs to know of each level. */
struct plan {
    bool unified;
    size_t next;         /* level, NO_LEVEL */
    uint32_t first_node; /* that of core 0 */
};

struct making {
    struct ft_level_graph *graph;
    const struct ft_machine *machine;
    struct plan *plans; /* [level] */
};

static bool is_instruction_level(const struct making *making, size_t index)
{
    return index >= making->machine->level_count;
}

static const struct ft_level *level_at(const struct making *making, size_t index)
{
    const struct ft_machine *machine = making->machine;
    return is_instruction_level(making, index)
               ? &machine->instruction_levels[index - machine->level_count]
               : &machine->levels[index];
}

static uint32_t nodes_of(const struct making *making, size_t index)
{
    uint32_t cores = making->graph->core_count, shared_by = level_at(making, index)->shared_by;
    return cores / shared_by + (cores % shared_by > 0);
}

static uint32_t node_of(const struct making *making, size_t index, uint32_t core)
{
    if (index == NO_LEVEL)
        return FT_NO_NODE;
    return making->plans[index].first_node + core / level_at(making, index)->shared_by;
}

/* ---- levels ---- */

static size_t find_unified(const struct ft_machine *machine, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (machine->levels[i].behaviour.unified)
            return i;
    return NO_LEVEL;
}

/* Links levels first .. end, and the last of them to `beyond`. */
static void link_chain(struct making *making, size_t first, size_t end, size_t beyond)
{
    for (size_t i = first; i < end; i++)
        making->plans[i].next = i + 1 < end ? i + 1 : beyond;
}

static void plan_levels(struct making *making)
{
    const struct ft_machine *machine = making->machine;
    size_t caches = machine->cache_count, data = machine->level_count;
    size_t instruction_tlbs = data + machine->instruction_cache_count;
    size_t unified_cache = find_unified(machine, 0, caches);
    size_t unified_tlb = find_unified(machine, caches, data);
    uint32_t nodes = 0;
    for (size_t i = 0; i < making->graph->level_count; i++) {
        making->plans[i] = (struct plan){
            .unified = i < caches ? i >= unified_cache : i < data && i >= unified_tlb,
            .first_node = nodes,
        };
        nodes += nodes_of(making, i);
    }
    making->graph->node_count = nodes;
    link_chain(making, 0, caches, NO_LEVEL);
    link_chain(making, caches, data, NO_LEVEL);
    link_chain(making, data, instruction_tlbs, unified_cache);
    link_chain(making, instruction_tlbs, making->graph->level_count, unified_tlb);
}

/* What a level cannot be before the next one. */
static int check_next(const struct making *making, size_t index, struct ft_diag *diag)
{
    if (making->plans[index].next == NO_LEVEL)
        return FT_OK;
    const struct ft_level *level = level_at(making, index);
    const struct ft_level *next = level_at(making, making->plans[index].next);
    if (level->kind == FT_LEVEL_CACHE && next->block_bytes < level->block_bytes)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "machine %s: lines of %s are longer than those of %s behind it; a "
                       "hierarchy needs lines that do not become shorter",
                       making->machine->name, level->name, next->name);
    if (making->graph->core_count > next->shared_by && next->shared_by % level->shared_by != 0)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "machine %s: %s is shared by %" PRIu32 " cores and %s behind it by %" PRIu32
                       "; a hierarchy of several cores needs a multiple there",
                       making->machine->name, level->name, level->shared_by, next->name,
                       next->shared_by);
    return FT_OK;
}

/* ---- nodes ---- */

static int make_result(const struct making *making, size_t index, size_t references,
                       struct ft_diag *diag)
{
    struct ft_hierarchy_level *result = &making->graph->results[index];
    *result = (struct ft_hierarchy_level){.level = level_at(making, index),
                                          .instruction = is_instruction_level(making, index),
                                          .unified = making->plans[index].unified,
                                          .accesses = calloc(references, sizeof(uint64_t)),
                                          .misses = calloc(references, sizeof(uint64_t)),
                                          .write_backs = calloc(references, sizeof(uint64_t))};
    return result->accesses && result->misses && result->write_backs
               ? FT_OK
               : ft_fail_memory(diag, "a level");
}

static int make_node(struct ft_level_node *node, struct ft_hierarchy_level *result, uint64_t seed,
                     size_t references, struct ft_diag *diag)
{
    const struct ft_level *level = result->level;
    node->result = result;
    node->shift = (unsigned)__builtin_ctzll(level->block_bytes);
    if (level->behaviour.prefetch == FT_PREFETCH_STRIDE &&
        !(node->strides = calloc(references, sizeof *node->strides)))
        return ft_fail_memory(diag, "a level");
    return ft_level_store_init(&node->store, level, seed, diag);
}

static int make_level(struct making *making, size_t index, uint64_t seed, size_t references,
                      struct ft_diag *diag)
{
    struct ft_level_graph *graph = making->graph;
    const struct plan *plan = &making->plans[index];
    int status = check_next(making, index, diag);
    if (status == FT_OK)
        status = make_result(making, index, references, diag);
    for (uint32_t i = 0; status == FT_OK && i < nodes_of(making, index); i++) {
        struct ft_level_node *node = &graph->nodes[plan->first_node + i];
        uint64_t own_seed = seed + index + ((uint64_t)i << 32);
        status = make_node(node, &graph->results[index], own_seed, references, diag);
        node->next = node_of(making, plan->next, i * level_at(making, index)->shared_by);
    }
    return status;
}

/* ---- links ---- */

/* First counts, then places, then the nodes themselves. */
static void list_before(struct ft_level_graph *graph)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].next != FT_NO_NODE)
            graph->nodes[graph->nodes[i].next].before_count++;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i].before_first = first;
        first += graph->nodes[i].before_count;
        graph->nodes[i].before_count = 0;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].next != FT_NO_NODE) {
            struct ft_level_node *next = &graph->nodes[graph->nodes[i].next];
            graph->before[next->before_first + next->before_count++] = i;
        }
}

static void find_chains(const struct making *making)
{
    const struct ft_machine *machine = making->machine;
    size_t caches = machine->cache_count, data = machine->level_count;
    size_t instruction_tlbs = data + machine->instruction_cache_count;
    size_t all = making->graph->level_count;
    for (uint32_t c = 0; c < making->graph->core_count; c++)
        making->graph->cores[c] = (struct ft_core){
            .cache = node_of(making, caches > 0 ? 0 : NO_LEVEL, c),
            .tlb = node_of(making, data > caches ? caches : NO_LEVEL, c),
            .instruction_cache = node_of(making, instruction_tlbs > data ? data : NO_LEVEL, c),
            .instruction_tlb =
                node_of(making, all > instruction_tlbs ? instruction_tlbs : NO_LEVEL, c),
        };
}

static int make(struct making *making, uint64_t seed, size_t references, struct ft_diag *diag)
{
    struct ft_level_graph *graph = making->graph;
    plan_levels(making);
    graph->results = calloc(graph->level_count + 1, sizeof *graph->results);
    graph->nodes = calloc(graph->node_count + (size_t)1, sizeof *graph->nodes);
    graph->before = calloc(graph->node_count + (size_t)1, sizeof *graph->before);
    graph->cores = calloc(graph->core_count + (size_t)1, sizeof *graph->cores);
    int status = graph->results && graph->nodes && graph->before && graph->cores
                     ? FT_OK
                     : ft_fail_memory(diag, "a hierarchy");
    for (size_t i = 0; status == FT_OK && i < graph->level_count; i++)
        status = make_level(making, i, seed, references, diag);
    if (status == FT_OK) {
        list_before(graph);
        find_chains(making);
    }
    return status;
}

int ft_level_graph_init(struct ft_level_graph *graph, const struct ft_machine *machine,
                        uint32_t core_count, uint64_t seed, uint32_t reference_count,
                        struct ft_diag *diag)
{
    *graph = (struct ft_level_graph){.level_count =
                                         machine->level_count + machine->instruction_level_count,
                                     .core_count = core_count};
    struct making making = {.graph = graph, .machine = machine};
    making.plans = calloc(graph->level_count + 1, sizeof *making.plans);
    int status = making.plans ? make(&making, seed, reference_count + (size_t)1, diag)
                              : ft_fail_memory(diag, "a hierarchy");
    free(making.plans);
    if (status != FT_OK)
        ft_level_graph_fini(graph);
    return status;
}

int ft_level_graph_count_causes(struct ft_level_graph *graph, uint32_t reference_count,
                                struct ft_diag *diag)
{
    const size_t counts = (reference_count + (size_t)1) * FT_MISS_CAUSES;
    for (size_t i = 0; i < graph->level_count; i++)
        if (!(graph->results[i].causes = calloc(counts, sizeof(uint64_t))))
            return ft_fail_memory(diag, "a level");
    for (uint32_t i = 0; i < graph->node_count; i++)
        ft_miss_shadow_init(&graph->nodes[i].shadow, graph->nodes[i].result->level->blocks);
    return FT_OK;
}

int ft_level_graph_check(const struct ft_level_graph *graph, struct ft_diag *diag)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].shadow.has_failed)
            return ft_fail_memory(diag, "the causes of misses");
    return FT_OK;
}

void ft_level_graph_fini(struct ft_level_graph *graph)
{
    for (uint32_t i = 0; graph->nodes && i < graph->node_count; i++) {
        ft_level_store_fini(&graph->nodes[i].store);
        free(graph->nodes[i].strides);
        ft_miss_shadow_fini(&graph->nodes[i].shadow);
    }
    for (size_t i = 0; graph->results && i < graph->level_count; i++) {
        free(graph->results[i].accesses);
        free(graph->results[i].misses);
        free(graph->results[i].write_backs);
        free(graph->results[i].causes);
    }
    free(graph->results);
    free(graph->nodes);
    free(graph->before);
    free(graph->cores);
    *graph = (struct ft_level_graph){0};
}
