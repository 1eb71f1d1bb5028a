/*
 * A flow is decomposed: follow the edge with the most left of its count from block to block, take
 * the least of these counts off all of them, and begin again. A loop inside is one vertex, whose
 * exits are the edges that leave it.
 */
#include "engine/schedule/loop_paths.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define INSIDE_OUT UINT32_MAX

struct path_edge {
    uint32_t from, to; /* vertices; INSIDE_OUT: back to the header, or out */
    uint32_t to_block; /* entered */
    uint64_t left;
    bool returns;
};

/* A vertex is a block of the loop's own, or a loop directly inside, as count of blocks + loop. */
struct decomposition {
    const struct ft_flow_graph *graph;
    const struct ft_program_loops *loops;
    uint32_t loop;
    struct path_edge *edges; /* by `from` */
    size_t edge_count, edge_capacity;
    uint32_t *walk; /* edges of the path at hand */
    size_t walk_count, walk_capacity;
    struct ft_loop_paths *paths;
};

/* ---- vertices and edges ---- */

/* INSIDE_OUT where the block is not in the loop. */
static uint32_t vertex_of(const struct decomposition *work, uint32_t block)
{
    if (block == FT_NO_BLOCK)
        return INSIDE_OUT;
    uint32_t loop = work->loops->of_block[block], below = FT_NO_LOOP;
    while (loop != FT_NO_LOOP && loop != work->loop) {
        below = loop;
        loop = work->loops->items[loop].parent;
    }
    if (loop != work->loop)
        return INSIDE_OUT;
    return below == FT_NO_LOOP ? block : (uint32_t)work->graph->block_count + below;
}

static int add_exits(struct decomposition *work, const struct ft_block_exits *exits, uint32_t block,
                     struct ft_diag *diag)
{
    const uint32_t from = vertex_of(work, block), header = work->loops->items[work->loop].header;
    for (uint32_t e = exits->first[block]; e < exits->first[block + 1]; e++) {
        const struct ft_block_exit *exit = &exits->items[e];
        const bool returns = exit->to == header;
        const uint32_t to = returns ? INSIDE_OUT : vertex_of(work, exit->to);
        if (exit->count == 0 || (to == from && to != INSIDE_OUT))
            continue;
        if (!FT_RESERVE(work->edges, work->edge_capacity, work->edge_count + 1))
            return ft_fail_memory(diag, "the paths of a loop");
        work->edges[work->edge_count++] = (struct path_edge){
            .from = from, .to = to, .to_block = exit->to, .left = exit->count, .returns = returns};
    }
    return FT_OK;
}

static int compare_edges(const void *a, const void *b)
{
    const struct path_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to_block > y->to_block) - (x->to_block < y->to_block);
}

/* The edge of a vertex with the most left; the count of edges: none has anything left. */
static size_t heaviest_edge(const struct decomposition *work, uint32_t vertex)
{
    size_t low = 0, high = work->edge_count, best = work->edge_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (work->edges[middle].from < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t e = low; e < work->edge_count && work->edges[e].from == vertex; e++)
        if (work->edges[e].left > 0 &&
            (best == work->edge_count || work->edges[e].left > work->edges[best].left))
            best = e;
    return best;
}

/* ---- a path ---- */

static bool is_on_walk(const struct decomposition *work, uint32_t vertex)
{
    for (size_t i = 0; i < work->walk_count; i++)
        if (work->edges[work->walk[i]].from == vertex)
            return true;
    return false;
}

static int add_block(struct decomposition *work, struct ft_loop_path *path, uint32_t block,
                     struct ft_diag *diag)
{
    struct ft_loop_paths *paths = work->paths;
    size_t capacity = paths->block_capacity;
    if (!FT_RESERVE(paths->blocks, capacity, paths->block_count + 1U))
        return ft_fail_memory(diag, "the paths of a loop");
    paths->block_capacity = (uint32_t)capacity;
    paths->blocks[paths->block_count++] = block;
    path->block_count++;
    path->has_calls |= ft_flow_last_instruction(work->graph, block)->flow == FT_FLOW_CALL ||
                       ft_flow_last_instruction(work->graph, block)->flow == FT_FLOW_CALL_INDIRECT;
    return FT_OK;
}

/* Walks from the header; a count of 0: nothing is left. */
static int walk_path(struct decomposition *work, struct ft_loop_path *path, struct ft_diag *diag)
{
    uint32_t vertex = work->loops->items[work->loop].header;
    path->first_block = work->paths->block_count;
    path->count = UINT64_MAX;
    work->walk_count = 0;
    while (vertex != INSIDE_OUT && !is_on_walk(work, vertex)) {
        const size_t edge = heaviest_edge(work, vertex);
        if (vertex < work->graph->block_count)
            FT_TRY(add_block(work, path, vertex, diag));
        else
            path->has_loops = true;
        if (edge == work->edge_count)
            break;
        if (!FT_RESERVE(work->walk, work->walk_capacity, work->walk_count + 1))
            return ft_fail_memory(diag, "the paths of a loop");
        work->walk[work->walk_count++] = (uint32_t)edge;
        path->count = work->edges[edge].left < path->count ? work->edges[edge].left : path->count;
        path->returns = work->edges[edge].returns;
        vertex = work->edges[edge].to;
    }
    path->count = work->walk_count > 0 ? path->count : 0;
    for (size_t i = 0; i < work->walk_count; i++)
        work->edges[work->walk[i]].left -= path->count;
    return FT_OK;
}

/* Paths of the same blocks differ in edges of loops inside alone: one path. */
static bool add_to_equal(struct ft_loop_paths *paths, const struct ft_loop_path *path)
{
    for (uint32_t p = 0; p < paths->count; p++) {
        struct ft_loop_path *other = &paths->items[p];
        if (other->returns == path->returns && other->block_count == path->block_count &&
            memcmp(&paths->blocks[other->first_block], &paths->blocks[path->first_block],
                   path->block_count * sizeof *paths->blocks) == 0) {
            other->count += path->count;
            paths->block_count = path->first_block;
            return true;
        }
    }
    return false;
}

static int find_paths(struct decomposition *work, struct ft_diag *diag)
{
    struct ft_loop_paths *paths = work->paths;
    paths->items = calloc(FT_LOOP_PATHS_MAX, sizeof *paths->items);
    if (!paths->items)
        return ft_fail_memory(diag, "the paths of a loop");
    while (paths->count < FT_LOOP_PATHS_MAX) {
        struct ft_loop_path path = {0};
        FT_TRY(walk_path(work, &path, diag));
        if (path.count == 0)
            break;
        if (!add_to_equal(paths, &path))
            paths->items[paths->count++] = path;
    }
    return FT_OK;
}

/* ---- the module's functions ---- */

static void find_covered(struct decomposition *work)
{
    const struct ft_flow_graph *graph = work->graph;
    struct ft_loop_paths *paths = work->paths;
    double all = 0, on_paths = 0;
    for (uint32_t b = 0; b < graph->block_count; b++)
        if (work->loops->of_block[b] == work->loop)
            all += (double)graph->blocks[b].execution_count * graph->blocks[b].instruction_count;
    for (uint32_t p = 0; p < paths->count; p++)
        for (uint32_t i = 0; i < paths->items[p].block_count; i++)
            on_paths +=
                (double)paths->items[p].count *
                graph->blocks[paths->blocks[paths->items[p].first_block + i]].instruction_count;
    paths->covered = all > 0 ? on_paths / all : 1;
}

int ft_loop_paths_find(const struct ft_flow_graph *graph, const struct ft_program_loops *loops,
                       const struct ft_block_exits *exits, uint32_t loop,
                       struct ft_loop_paths *ret_paths, struct ft_diag *diag)
{
    struct ft_loop_paths paths = {0};
    struct decomposition work = {.graph = graph, .loops = loops, .loop = loop, .paths = &paths};
    int status = FT_OK;
    for (uint32_t b = 0; b < graph->block_count && status == FT_OK; b++)
        if (vertex_of(&work, b) != INSIDE_OUT)
            status = add_exits(&work, exits, b, diag);
    if (status == FT_OK) {
        if (work.edge_count > 0)
            qsort(work.edges, work.edge_count, sizeof *work.edges, compare_edges);
        status = find_paths(&work, diag);
    }
    find_covered(&work);
    free(work.edges);
    free(work.walk);
    if (status == FT_OK)
        *ret_paths = paths;
    else
        ft_loop_paths_fini(&paths);
    return status;
}

void ft_loop_paths_fini(struct ft_loop_paths *paths)
{
    free(paths->items);
    free(paths->blocks);
    *paths = (struct ft_loop_paths){0};
}
