#include "predict/time/scope_paths.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"

/* Paths are looked for until so small a share of the scope's instructions is left. */
#define LEFT_SHARE 0.01
#define NO_PLACE   UINT32_MAX

/* ---- flow ---- */

/* Items in order of their keys: ret_first[key] is where those of a key begin. */
static void sort_by_key(const uint32_t *keys, size_t count, size_t key_count, uint32_t *ret_items,
                        uint32_t *ret_first)
{
    for (size_t i = 0; i < count; i++)
        ret_first[keys[i] + 1]++;
    for (size_t k = 0; k < key_count; k++)
        ret_first[k + 1] += ret_first[k];
    for (size_t i = count; i-- > 0;) /* from the end, so that equal keys keep their order */
        ret_items[--ret_first[keys[i] + 1]] = (uint32_t)i;
    for (size_t k = 0; k < key_count; k++)
        ret_first[k] = ret_first[k + 1];
    ret_first[key_count] = (uint32_t)count;
}

int ft_scope_flow_make(const struct ft_scopes *scopes, struct ft_scope_flow *ret_flow,
                       struct ft_diag *diag)
{
    const size_t blocks = scopes->block_count, edges = scopes->edge_count;
    struct ft_scope_flow flow = {
        .scopes = scopes,
        .blocks = calloc(blocks + 1, sizeof *flow.blocks),
        .first_block = calloc(scopes->scope_count + 2, sizeof *flow.first_block),
        .edges = calloc(edges + 1, sizeof *flow.edges),
        .first_edge = calloc(blocks + 2, sizeof *flow.first_edge),
        .block_counts = calloc(blocks + 1, sizeof *flow.block_counts),
        .edge_counts = calloc(edges + 1, sizeof *flow.edge_counts),
        .place = calloc(blocks + 1, sizeof *flow.place),
    };
    uint32_t *keys = calloc(blocks + edges + 1, sizeof *keys);
    const bool done = keys && flow.blocks && flow.first_block && flow.edges && flow.first_edge &&
                      flow.block_counts && flow.edge_counts && flow.place;
    if (done) {
        for (size_t i = 0; i < blocks; i++) {
            keys[i] = scopes->blocks[i].scope;
            flow.place[i] = NO_PLACE;
        }
        sort_by_key(keys, blocks, scopes->scope_count, flow.blocks, flow.first_block);
        for (size_t i = 0; i < edges; i++)
            keys[i] = scopes->edges[i].from;
        sort_by_key(keys, edges, blocks, flow.edges, flow.first_edge);
        *ret_flow = flow;
    } else {
        ft_scope_flow_fini(&flow);
    }
    free(keys);
    return done ? FT_OK : ft_fail_memory(diag, "the paths of a program");
}

void ft_scope_flow_fini(struct ft_scope_flow *flow)
{
    free(flow->blocks);
    free(flow->first_block);
    free(flow->edges);
    free(flow->first_edge);
    free(flow->block_counts);
    free(flow->edge_counts);
    free(flow->place);
    *flow = (struct ft_scope_flow){0};
}

/* ---- paths ---- */

static double weight_of(const struct ft_scope_flow *flow, uint32_t block)
{
    return flow->block_counts[block] * flow->scopes->blocks[block].instruction_count;
}

static double weight_left(const struct ft_scope_flow *flow, uint32_t scope)
{
    double weight = 0;
    for (uint32_t i = flow->first_block[scope]; i < flow->first_block[scope + 1]; i++)
        weight += weight_of(flow, flow->blocks[i]);
    return weight;
}

static uint32_t heaviest(const struct ft_scope_flow *flow, uint32_t scope)
{
    uint32_t best = flow->blocks[flow->first_block[scope]];
    for (uint32_t i = flow->first_block[scope]; i < flow->first_block[scope + 1]; i++)
        if (weight_of(flow, flow->blocks[i]) > weight_of(flow, best))
            best = flow->blocks[i];
    return best;
}

/* The edge that a block is most often left by; NO_PLACE where that leads out of its scope, or there
 * is none. */
static uint32_t main_edge(const struct ft_scope_flow *flow, uint32_t block)
{
    const struct ft_scopes *scopes = flow->scopes;
    uint32_t best = NO_PLACE;
    double inside = 0, outside = 0;
    for (uint32_t i = flow->first_edge[block]; i < flow->first_edge[block + 1]; i++) {
        const uint32_t edge = flow->edges[i], to = scopes->edges[edge].to;
        if (!(flow->block_counts[to] > 0))
            continue;
        if (scopes->blocks[to].scope != scopes->blocks[block].scope) {
            outside += flow->edge_counts[edge];
        } else if (flow->edge_counts[edge] > inside) {
            inside = flow->edge_counts[edge];
            best = edge;
        }
    }
    return inside >= outside ? best : NO_PLACE;
}

static int append(struct ft_scope_flow *flow, struct ft_scope_paths *paths, uint32_t block,
                  uint32_t place, struct ft_diag *diag)
{
    if (!FT_RESERVE(paths->blocks, paths->block_capacity, paths->block_count + 1))
        return ft_fail_memory(diag, "the paths of a program");
    paths->blocks[paths->block_count++] = block;
    flow->place[block] = place;
    return FT_OK;
}

/* From a block along the main edges to where they leave the scope or meet the path; what came
 * before a cycle is not part of it. */
static int follow(struct ft_scope_flow *flow, struct ft_scope_paths *paths, uint32_t block,
                  struct ft_scope_path *path, struct ft_diag *diag)
{
    *path = (struct ft_scope_path){.first = (uint32_t)paths->block_count};
    for (uint32_t edge = 0; edge != NO_PLACE && !path->repeats;) {
        FT_TRY(append(flow, paths, block, path->block_count++, diag));
        edge = main_edge(flow, block);
        if (edge != NO_PLACE)
            block = flow->scopes->edges[edge].to;
        path->repeats = edge != NO_PLACE && flow->place[block] != NO_PLACE;
    }
    const uint32_t before = path->repeats ? flow->place[block] : 0;
    for (uint32_t i = 0; i < path->block_count; i++)
        flow->place[paths->blocks[path->first + i]] = NO_PLACE;
    path->first += before;
    path->block_count -= before;
    return FT_OK;
}

/* Takes the path's executions from its blocks and edges. */
static void use_up(struct ft_scope_flow *flow, const uint32_t *blocks, struct ft_scope_path *path)
{
    const uint32_t edges = path->block_count - (path->repeats ? 0 : 1);
    path->count = INFINITY;
    for (uint32_t i = 0; i < path->block_count; i++)
        path->count = fmin(path->count, flow->block_counts[blocks[i]]);
    for (uint32_t i = 0; i < edges; i++)
        path->count = fmin(path->count, flow->edge_counts[main_edge(flow, blocks[i])]);
    for (uint32_t i = 0; i < path->block_count; i++) {
        const uint32_t edge = i < edges ? main_edge(flow, blocks[i]) : NO_PLACE;
        flow->block_counts[blocks[i]] -= path->count;
        if (edge != NO_PLACE)
            flow->edge_counts[edge] -= path->count;
    }
}

int ft_scope_paths_find(struct ft_scope_flow *flow, uint32_t scope, struct ft_scope_paths *paths,
                        struct ft_diag *diag)
{
    const double all = weight_left(flow, scope);
    paths->count = 0;
    paths->block_count = 0;
    while (paths->count < FT_SCOPE_PATHS_MAX && weight_left(flow, scope) > LEFT_SHARE * all) {
        struct ft_scope_path *path = &paths->items[paths->count++];
        FT_TRY(follow(flow, paths, heaviest(flow, scope), path, diag));
        use_up(flow, paths->blocks + path->first, path);
    }
    return FT_OK;
}

void ft_scope_paths_fini(struct ft_scope_paths *paths)
{
    free(paths->blocks);
    *paths = (struct ft_scope_paths){0};
}
