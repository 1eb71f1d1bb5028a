/*
 * Paths through a scope's blocks: loops with two ways through them, with a way out, with a call;
 * and of random flow, that no block or edge is used up more often than it ran.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/time/scope_paths.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { LOOP = 1, CALLEE = 2, BLOCKS_MAX = 12, EDGES_MAX = 40 };

struct flow {
    struct ft_scope scopes[3];
    struct ft_block blocks[BLOCKS_MAX];
    struct ft_block_edge edges[EDGES_MAX];
    struct ft_scopes tree;
};

static void start(struct flow *flow, uint32_t block_count)
{
    memset(flow, 0, sizeof *flow);
    for (uint32_t i = 0; i < block_count; i++)
        flow->blocks[i] = (struct ft_block){.scope = LOOP, .instruction_count = 5};
    flow->tree = (struct ft_scopes){.scopes = flow->scopes,
                                    .scope_count = 3,
                                    .blocks = flow->blocks,
                                    .block_count = block_count,
                                    .edges = flow->edges};
}

static void edge(struct flow *flow, uint32_t from, uint32_t to, uint64_t count)
{
    flow->edges[flow->tree.edge_count++] = (struct ft_block_edge){from, to, count};
    flow->blocks[to].execution_count += count;
}

static bool find(const struct flow *flow, struct ft_scope_flow *ret_flow,
                 struct ft_scope_paths *paths)
{
    if (ft_scope_flow_make(&flow->tree, ret_flow, NULL) != FT_OK)
        return false;
    for (size_t i = 0; i < flow->tree.block_count; i++)
        ret_flow->block_counts[i] = (double)flow->blocks[i].execution_count;
    for (size_t i = 0; i < flow->tree.edge_count; i++)
        ret_flow->edge_counts[i] = (double)flow->edges[i].count;
    return ft_scope_paths_find(ret_flow, LOOP, paths, NULL) == FT_OK;
}

/* "0 1 x90 again": the blocks of a path, how often, and whether it repeats. */
static void is_path(const struct ft_scope_paths *paths, uint32_t index, const char *expected)
{
    char text[200] = "";
    size_t length = 0;
    if (index < paths->count) {
        const struct ft_scope_path *path = &paths->items[index];
        for (uint32_t i = 0; i < path->block_count; i++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%u ",
                                       paths->blocks[path->first + i]);
        snprintf(text + length, sizeof text - length, "x%g%s", path->count,
                 path->repeats ? " again" : "");
    }
    tap_ok(strcmp(text, expected) == 0, "path %u: %s, expected %s", index, text, expected);
}

static void check_two_ways(void)
{
    struct flow flow;
    struct ft_scope_flow made;
    struct ft_scope_paths paths = {0};
    start(&flow, 3);
    edge(&flow, 0, 1, 90);
    edge(&flow, 0, 2, 10);
    edge(&flow, 1, 0, 90);
    edge(&flow, 2, 0, 10);
    tap_ok(find(&flow, &made, &paths) && paths.count == 2, "two ways through a loop");
    is_path(&paths, 0, "0 1 x90 again");
    is_path(&paths, 1, "0 2 x10 again");
    ft_scope_flow_fini(&made);
    ft_scope_paths_fini(&paths);
}

/* What comes before the loop is a path of its own, which leads nowhere any more. */
static void check_before_a_loop(void)
{
    struct flow flow;
    struct ft_scope_flow made;
    struct ft_scope_paths paths = {0};
    start(&flow, 2);
    flow.blocks[0].execution_count = 20;
    edge(&flow, 0, 1, 20);
    edge(&flow, 1, 1, 80);
    find(&flow, &made, &paths);
    is_path(&paths, 0, "1 x80 again");
    is_path(&paths, 1, "0 1 x20");
    ft_scope_flow_fini(&made);
    ft_scope_paths_fini(&paths);
}

/* A call leads into another scope. */
static void check_call(void)
{
    struct flow flow;
    struct ft_scope_flow made;
    struct ft_scope_paths paths = {0};
    start(&flow, 3);
    flow.blocks[2].scope = CALLEE;
    edge(&flow, 0, 2, 50);
    edge(&flow, 2, 1, 50);
    edge(&flow, 1, 0, 50);
    find(&flow, &made, &paths);
    tap_ok(paths.count == 2, "around a call: two pieces");
    is_path(&paths, 0, "0 x50");
    is_path(&paths, 1, "1 x50");
    ft_scope_flow_fini(&made);
    ft_scope_paths_fini(&paths);
}

/* A walk through random blocks: the paths, with what is left, are what ran. */
static void check_random(uint64_t seed)
{
    struct flow flow;
    struct ft_scope_flow made;
    struct ft_scope_paths paths = {0};
    uint64_t random = seed;
    double used[BLOCKS_MAX] = {0}, all = 0, left = 0;
    bool holds = true;
    start(&flow, BLOCKS_MAX);
    for (uint32_t i = 0; i < EDGES_MAX; i++)
        edge(&flow, (uint32_t)random_below(&random, BLOCKS_MAX),
             (uint32_t)random_below(&random, BLOCKS_MAX), 1 + random_below(&random, 1000));
    find(&flow, &made, &paths);
    for (uint32_t p = 0; p < paths.count; p++) {
        const struct ft_scope_path *path = &paths.items[p];
        holds = holds && path->count >= 0 && path->block_count > 0;
        for (uint32_t i = 0; i < path->block_count; i++)
            used[paths.blocks[path->first + i]] += path->count;
    }
    for (uint32_t b = 0; b < BLOCKS_MAX; b++) {
        const double ran = (double)flow.blocks[b].execution_count;
        holds =
            holds && fabs(used[b] + made.block_counts[b] - ran) < 1e-6 && made.block_counts[b] >= 0;
        all += ran;
        left += made.block_counts[b];
    }
    for (uint32_t e = 0; e < EDGES_MAX; e++)
        holds = holds && made.edge_counts[e] >= 0;
    tap_ok(holds && (left <= 0.01 * all || paths.count == FT_SCOPE_PATHS_MAX),
           "seed %llu: %u paths, %g of %g left", (unsigned long long)seed, paths.count, left, all);
    ft_scope_flow_fini(&made);
    ft_scope_paths_fini(&paths);
}

int main(void)
{
    check_two_ways();
    check_before_a_loop();
    check_call();
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_random(seed);
    return tap_plan_done();
}
