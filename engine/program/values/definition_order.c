/*
 * Per routine, a depth-first search from its entry, then from blocks that are entered from
 * elsewhere, then from what is left; reversed postorder is a topological order of forward edges.
 * The blocks are then taken in this order into the list of their innermost loop, and each loop into
 * the list of the one around it when its first block comes; the nested lists, flattened, are the
 * order. A reducible loop is entered through its header alone, which comes first, so that no
 * forward edge is reversed.
 *
 * In this order: search, nested lists, reducibility, dominators.
 */
#include "engine/program/values/definition_order.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct maker {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_program_loops *loops;
    struct ft_definition_order order;
    uint32_t *reversed; /* of the routine at hand: blocks in reversed postorder */
    uint32_t *stack, *next_edge;
    bool *visited;
    /* Lists of items: block b is item b, loop l is item block_count + l. */
    uint32_t *next_item;
    uint32_t *first_item, *last_item; /* per loop, and one more for what is in no loop */
    bool *placed;                     /* per loop */
};

bool ft_loop_holds(const struct ft_program_loops *loops, uint32_t loop, uint32_t inner)
{
    if (loop == FT_NO_LOOP)
        return true;
    while (inner != FT_NO_LOOP && inner != loop)
        inner = loops->items[inner].parent;
    return inner == loop;
}

static bool allocate(struct maker *maker)
{
    size_t blocks = maker->graph->block_count + 1, loops = maker->loops->count + 1;
    size_t edges = maker->graph->block_count
                       ? maker->graph->first_successor[maker->graph->block_count] + 1U
                       : 1;
    struct ft_definition_order *order = &maker->order;
    order->blocks = calloc(blocks, sizeof(uint32_t));
    order->position = calloc(blocks, sizeof(uint32_t));
    order->first_predecessor = calloc(blocks + 1, sizeof(uint32_t));
    order->predecessors = calloc(edges, sizeof(uint32_t));
    order->entered = calloc(blocks, sizeof(bool));
    order->meets_all = calloc(blocks, sizeof(bool));
    order->dominator = calloc(blocks, sizeof(uint32_t));
    order->depth = calloc(loops, sizeof(uint32_t));
    order->reducible = calloc(loops, sizeof(bool));
    order->last_blocks = calloc(loops, sizeof(uint32_t));
    maker->reversed = calloc(blocks, sizeof(uint32_t));
    maker->stack = calloc(blocks, sizeof(uint32_t));
    maker->next_edge = calloc(blocks, sizeof(uint32_t));
    maker->visited = calloc(blocks, sizeof(bool));
    maker->next_item = calloc(blocks + loops, sizeof(uint32_t));
    maker->first_item = calloc(loops, sizeof(uint32_t));
    maker->last_item = calloc(loops, sizeof(uint32_t));
    maker->placed = calloc(loops, sizeof(bool));
    return order->blocks && order->position && order->first_predecessor && order->predecessors &&
           order->entered && order->meets_all && order->dominator && order->depth &&
           order->reducible && order->last_blocks && maker->reversed && maker->stack &&
           maker->next_edge && maker->visited && maker->next_item && maker->first_item &&
           maker->last_item && maker->placed;
}

/* The next successor of a block in its own routine that an index walks to, or NONE. */
static uint32_t next_successor(const struct maker *maker, uint32_t block, uint32_t *index)
{
    const struct ft_flow_graph *graph = maker->graph;
    while (*index < graph->first_successor[block + 1]) {
        uint32_t to = graph->successors[(*index)++];
        if (maker->routines->of_block[to] == maker->routines->of_block[block])
            return to;
    }
    return NONE;
}

static void find_predecessors(struct maker *maker)
{
    struct ft_definition_order *order = &maker->order;
    uint32_t count = (uint32_t)maker->graph->block_count;
    uint32_t to, *first = order->first_predecessor;
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = maker->graph->first_successor[b];
             (to = next_successor(maker, b, &i)) != NONE;)
            first[to + 2]++;
    for (uint32_t b = 0; b <= count; b++)
        first[b + 1] += first[b];
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = maker->graph->first_successor[b];
             (to = next_successor(maker, b, &i)) != NONE;)
            order->predecessors[first[to + 1]++] = b;
}

/* Edges that leave a routine enter their target: calls, jumps from other routines, and returns to
 * where no call is known. */
static void find_entered(struct maker *maker)
{
    const struct ft_flow_graph *graph = maker->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct ft_block_edge *edge = &graph->edges[i];
        uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
        bool calls = flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
        if (ft_edge_comes_back(graph, maker->routines, edge))
            continue;
        if (calls || flow == FT_FLOW_RETURN || flow == FT_FLOW_UNKNOWN ||
            maker->routines->of_block[edge->from] != maker->routines->of_block[edge->to])
            maker->order.entered[edge->to] = true;
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const struct ft_routine *routine = &maker->routines->items[maker->routines->of_block[b]];
        if (graph->blocks[b].offset == routine->start ||
            maker->order.first_predecessor[b] == maker->order.first_predecessor[b + 1])
            maker->order.entered[b] = true;
    }
}

/* Appends what is reached from a block, in postorder, from the end of `reversed` towards its start.
 */
static uint32_t search_from(struct maker *maker, uint32_t root, uint32_t left)
{
    uint32_t depth = 0;
    if (maker->visited[root])
        return left;
    maker->visited[root] = true;
    maker->next_edge[root] = maker->graph->first_successor[root];
    maker->stack[depth++] = root;
    while (depth) {
        uint32_t block = maker->stack[depth - 1];
        uint32_t to = next_successor(maker, block, &maker->next_edge[block]);
        if (to == NONE) {
            maker->reversed[--left] = block;
            depth--;
        } else if (!maker->visited[to]) {
            maker->visited[to] = true;
            maker->next_edge[to] = maker->graph->first_successor[to];
            maker->stack[depth++] = to;
        }
    }
    return left;
}

static void append_item(struct maker *maker, uint32_t list, uint32_t item)
{
    maker->next_item[item] = NONE;
    if (maker->first_item[list] == NONE)
        maker->first_item[list] = item;
    else
        maker->next_item[maker->last_item[list]] = item;
    maker->last_item[list] = item;
}

static uint32_t list_of(const struct maker *maker, uint32_t loop)
{
    return loop == FT_NO_LOOP ? (uint32_t)maker->loops->count : loop;
}

static void place_loop(struct maker *maker, uint32_t loop)
{
    if (loop == FT_NO_LOOP || maker->placed[loop])
        return;
    uint32_t parent = maker->loops->items[loop].parent;
    place_loop(maker, parent);
    maker->placed[loop] = true;
    maker->first_item[loop] = NONE;
    append_item(maker, list_of(maker, parent), (uint32_t)maker->graph->block_count + loop);
}

/* Writes a list to the order from `position` on; lists inside it as they come. */
static uint32_t write_list(struct maker *maker, uint32_t list, uint32_t position)
{
    uint32_t block_count = (uint32_t)maker->graph->block_count;
    for (uint32_t item = maker->first_item[list]; item != NONE; item = maker->next_item[item]) {
        if (item < block_count) {
            maker->order.position[item] = position;
            maker->order.blocks[position++] = item;
        } else {
            position = write_list(maker, item - block_count, position);
        }
    }
    if (list < maker->loops->count)
        maker->order.last_blocks[list] = position - 1;
    return position;
}

static void order_routine(struct maker *maker, const struct ft_routine *routine)
{
    const uint32_t *blocks = maker->routines->blocks + routine->first_block;
    uint32_t left = routine->block_count;
    for (uint32_t i = 0; i < routine->block_count; i++)
        if (maker->graph->blocks[blocks[i]].offset == routine->start &&
            maker->graph->blocks[blocks[i]].execution_count)
            left = search_from(maker, blocks[i], left);
    for (uint32_t i = 0; i < routine->block_count; i++)
        if (maker->order.entered[blocks[i]])
            left = search_from(maker, blocks[i], left);
    for (uint32_t i = 0; i < routine->block_count; i++)
        left = search_from(maker, blocks[i], left);
    maker->first_item[maker->loops->count] = NONE;
    for (uint32_t i = 0; i < routine->block_count; i++) {
        uint32_t block = maker->reversed[i], loop = maker->loops->of_block[block];
        place_loop(maker, loop);
        append_item(maker, list_of(maker, loop), block);
    }
    write_list(maker, (uint32_t)maker->loops->count, routine->first_block);
}

/* Loops that are entered past their header are not reducible. */
static void find_reducible(struct maker *maker)
{
    const struct ft_program_loops *loops = maker->loops;
    struct ft_definition_order *order = &maker->order;
    for (size_t l = 0; l < loops->count; l++) {
        uint32_t parent = loops->items[l].parent;
        order->reducible[l] = true;
        order->depth[l] = parent == FT_NO_LOOP ? 1 : order->depth[parent] + 1;
    }
    for (uint32_t b = 0; b < maker->graph->block_count; b++)
        for (uint32_t l = loops->of_block[b]; l != FT_NO_LOOP; l = loops->items[l].parent) {
            if (loops->items[l].header == b)
                continue;
            order->reducible[l] &= !order->entered[b];
            for (uint32_t p = order->first_predecessor[b]; p < order->first_predecessor[b + 1]; p++)
                order->reducible[l] &=
                    ft_loop_holds(loops, l, loops->of_block[order->predecessors[p]]);
        }
}

static void find_meetings(struct maker *maker)
{
    const struct ft_program_loops *loops = maker->loops;
    struct ft_definition_order *order = &maker->order;
    for (uint32_t b = 0; b < maker->graph->block_count; b++) {
        uint32_t loop = loops->of_block[b];
        bool heads = loop != FT_NO_LOOP && loops->items[loop].header == b && order->reducible[loop];
        for (uint32_t p = order->first_predecessor[b]; p < order->first_predecessor[b + 1]; p++) {
            uint32_t from = order->predecessors[p];
            if (order->entered[b] ||
                (order->position[from] >= order->position[b] &&
                 !(heads && ft_loop_holds(loops, loop, loops->of_block[from]))))
                order->meets_all[b] = true;
        }
    }
}

/* The nearest common dominator, given the dominators of the blocks before. */
static uint32_t common_dominator(const struct ft_definition_order *order, uint32_t a, uint32_t b)
{
    while (a != b && a != FT_NO_BLOCK && b != FT_NO_BLOCK)
        if (order->position[a] > order->position[b])
            a = order->dominator[a];
        else
            b = order->dominator[b];
    return a == b ? a : FT_NO_BLOCK;
}

/* As Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001); one pass in this
 * order is enough. */
static void find_dominators(struct maker *maker)
{
    struct ft_definition_order *order = &maker->order;
    for (uint32_t i = 0; i < maker->graph->block_count; i++) {
        uint32_t block = order->blocks[i], dominator = FT_NO_BLOCK;
        bool first = true;
        for (uint32_t p = order->first_predecessor[block];
             !order->entered[block] && !order->meets_all[block] &&
             p < order->first_predecessor[block + 1];
             p++) {
            uint32_t from = order->predecessors[p];
            if (order->position[from] >= i)
                continue;
            dominator = first ? from : common_dominator(order, dominator, from);
            first = false;
        }
        order->dominator[block] = dominator;
    }
}

int ft_definition_order_make(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                             const struct ft_program_loops *loops,
                             struct ft_definition_order *ret_order, struct ft_diag *diag)
{
    struct maker maker = {.graph = graph, .routines = routines, .loops = loops};
    bool complete = allocate(&maker);
    if (complete) {
        find_predecessors(&maker);
        find_entered(&maker);
        for (size_t r = 0; r < routines->count; r++)
            order_routine(&maker, &routines->items[r]);
        find_reducible(&maker);
        find_meetings(&maker);
        find_dominators(&maker);
    }
    free(maker.reversed);
    free(maker.stack);
    free(maker.next_edge);
    free(maker.visited);
    free(maker.next_item);
    free(maker.first_item);
    free(maker.last_item);
    free(maker.placed);
    if (!complete) {
        ft_definition_order_fini(&maker.order);
        return ft_fail_memory(diag, "the order of definitions");
    }
    *ret_order = maker.order;
    return 0;
}

void ft_definition_order_fini(struct ft_definition_order *order)
{
    free(order->blocks);
    free(order->position);
    free(order->first_predecessor);
    free(order->predecessors);
    free(order->entered);
    free(order->meets_all);
    free(order->dominator);
    free(order->depth);
    free(order->reducible);
    free(order->last_blocks);
    *order = (struct ft_definition_order){0};
}
