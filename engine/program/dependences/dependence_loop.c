/*
 * Vertices in definition order; then, depth first from the header and without back edges, what can
 * follow each vertex: its successors and what can follow them.
 */
#include "engine/program/dependences/dependence_building.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* The loop right inside `around` that holds a loop; FT_NO_LOOP where that is `around` itself. */
static uint32_t loop_right_inside(const struct ft_program_loops *loops, uint32_t around,
                                  uint32_t loop)
{
    uint32_t inside = FT_NO_LOOP;
    for (; loop != around; loop = loops->items[loop].parent)
        inside = loop;
    return inside;
}

static bool add_node(struct ft_dependence_loop *made, uint32_t instruction, uint32_t loop)
{
    struct ft_loop_dependences *result = made->result;
    if (!FT_RESERVE(result->nodes, made->node_capacity, (size_t)result->node_count + 1))
        return false;
    result->nodes[result->node_count++] =
        (struct ft_dependence_node){.instruction = instruction, .loop = loop};
    return true;
}

static bool add_vertex(struct ft_dependence_loop *made, uint32_t block, uint32_t inner)
{
    const struct ft_routine_code *code = &made->values->code;
    if (!FT_RESERVE(made->first_node, made->first_node_capacity, (size_t)made->vertex_count + 2) ||
        !FT_RESERVE(made->is_inner, made->inner_capacity, (size_t)made->vertex_count + 1))
        return false;
    made->first_node[made->vertex_count] = made->result->node_count;
    made->is_inner[made->vertex_count++] = inner != FT_NO_LOOP;
    if (inner != FT_NO_LOOP)
        return add_node(made, FT_NO_BLOCK, inner);
    for (uint32_t i = code->first_instruction[block]; i < code->first_instruction[block + 1]; i++)
        if (!add_node(made, code->graph_instruction[i], FT_NO_LOOP))
            return false;
    return true;
}

/* The vertex of an inner loop that has one already. */
static uint32_t vertex_of_loop(const struct ft_dependence_loop *made, uint32_t inner)
{
    for (uint32_t v = made->vertex_count; v-- > 0;)
        if (made->is_inner[v] && made->result->nodes[made->first_node[v]].loop == inner)
            return v;
    return FT_NO_VALUE;
}

static bool find_vertices(struct ft_dependence_loop *made)
{
    const struct ft_routine_code *code = &made->values->code;
    made->block_count = made->vertex_count = 0;
    if (!FT_RESERVE(made->blocks, made->block_capacity, code->block_count) ||
        !FT_RESERVE(made->vertex_of_block, made->vertex_of_block_capacity, code->block_count) ||
        !FT_RESERVE(made->first_node, made->first_node_capacity, 1))
        return false;
    for (uint32_t b = 0; b < code->block_count; b++) {
        uint32_t loop = ft_code_loop(code, b);
        made->vertex_of_block[b] = FT_NO_VALUE;
        if (loop == FT_NO_LOOP || !ft_loop_holds(code->loops, made->loop, loop))
            continue;
        uint32_t inner = loop_right_inside(code->loops, made->loop, loop);
        uint32_t vertex = inner == FT_NO_LOOP ? FT_NO_VALUE : vertex_of_loop(made, inner);
        made->blocks[made->block_count++] = b;
        made->vertex_of_block[b] = vertex == FT_NO_VALUE ? made->vertex_count : vertex;
        if (vertex == FT_NO_VALUE && !add_vertex(made, b, inner))
            return false;
    }
    made->first_node[made->vertex_count] = made->result->node_count;
    return true;
}

/* ---- what comes behind what ---- */

static uint64_t *behind(const struct ft_dependence_loop *made, uint32_t vertex)
{
    return made->after + vertex * made->after_words;
}

/* The ways between vertices, without those back to the header, and a search through them. */
struct search {
    struct ft_dependence_loop *made;
    uint32_t *first, *to;  /* ways of vertex v: to[first[v] .. first[v + 1]) */
    uint32_t *path, *next; /* the way to the vertex at hand, and the next one of each on it */
    uint8_t *state;        /* per vertex */
};
enum { NOT_SEEN, ON_THE_PATH, DONE };

/* Counts ways in first[from + 1], or where they are counted lists them. */
static void take_ways(struct search *search, bool list)
{
    const struct ft_dependence_loop *made = search->made;
    const struct ft_routine_code *code = &made->values->code;
    const struct ft_flow_graph *graph = code->graph;
    for (uint32_t i = 0; i < made->block_count; i++) {
        uint32_t block = ft_code_graph_block(code, made->blocks[i]);
        uint32_t vertex = made->vertex_of_block[made->blocks[i]];
        for (uint32_t s = graph->first_successor[block]; s < graph->first_successor[block + 1];
             s++) {
            uint32_t to = ft_code_local_block(code, graph->successors[s]);
            if (to >= code->block_count || to == made->header ||
                made->vertex_of_block[to] == FT_NO_VALUE || made->vertex_of_block[to] == vertex)
                continue;
            if (list)
                search->to[search->next[vertex]++] = made->vertex_of_block[to];
            else
                search->first[vertex + 1]++;
        }
    }
}

static bool list_ways(struct search *search)
{
    uint32_t count = search->made->vertex_count;
    search->first = calloc((size_t)count + 1, sizeof *search->first);
    search->path = malloc(((size_t)count + 1) * sizeof *search->path);
    search->next = malloc(((size_t)count + 1) * sizeof *search->next);
    search->state = calloc((size_t)count + 1, sizeof *search->state);
    if (!search->first || !search->path || !search->next || !search->state)
        return false;
    take_ways(search, false);
    for (uint32_t v = 0; v < count; v++)
        search->first[v + 1] += search->first[v];
    search->to = malloc(((size_t)search->first[count] + 1) * sizeof *search->to);
    if (!search->to)
        return false;
    memcpy(search->next, search->first, count * sizeof *search->next);
    take_ways(search, true);
    memcpy(search->next, search->first, count * sizeof *search->next);
    return true;
}

/* What follows a vertex follows what it is reached from. A vertex that is met again on the way to
 * itself is taken for the next iteration. */
static void search_from(struct search *search, uint32_t start)
{
    struct ft_dependence_loop *made = search->made;
    size_t depth = 0;
    search->path[depth++] = start;
    search->state[start] = ON_THE_PATH;
    while (depth > 0) {
        uint32_t at = search->path[depth - 1];
        if (search->next[at] == search->first[at + 1]) {
            search->state[at] = DONE;
            depth--;
            continue;
        }
        uint32_t to = search->to[search->next[at]];
        if (search->state[to] == NOT_SEEN) {
            search->state[to] = ON_THE_PATH;
            search->path[depth++] = to;
            continue;
        }
        search->next[at]++;
        if (search->state[to] == ON_THE_PATH)
            continue;
        behind(made, at)[to / 64] |= UINT64_C(1) << to % 64;
        for (size_t w = 0; w < made->after_words; w++)
            behind(made, at)[w] |= behind(made, to)[w];
    }
}

static bool find_order(struct ft_dependence_loop *made)
{
    struct search search = {.made = made};
    made->after_words = ((size_t)made->vertex_count + 63) / 64;
    size_t need = made->after_words * made->vertex_count;
    bool complete = FT_RESERVE(made->after, made->after_capacity, need) && list_ways(&search);
    if (complete)
        memset(made->after, 0, need * sizeof *made->after);
    for (uint32_t v = 0; complete && v < made->vertex_count; v++)
        if (search.state[v] == NOT_SEEN)
            search_from(&search, v);
    free(search.first);
    free(search.to);
    free(search.path);
    free(search.next);
    free(search.state);
    return complete;
}

bool ft_dependence_comes_behind(const struct ft_dependence_loop *made, uint32_t instruction,
                                uint32_t other)
{
    const uint32_t *block_of = made->values->code.block_of;
    uint32_t from = made->vertex_of_block[block_of[instruction]];
    uint32_t to = made->vertex_of_block[block_of[other]];
    if (from == to)
        return !made->is_inner[from] && instruction < other;
    return behind(made, from)[to / 64] >> to % 64 & 1;
}

/* ---- the loop ---- */

int ft_dependence_loop_make(struct ft_dependence_loop *made, struct ft_routine_values *values,
                            uint32_t loop, struct ft_loop_dependences *result, struct ft_diag *diag)
{
    made->values = values;
    made->loop = loop;
    made->header = ft_code_local_block(&values->code, values->code.loops->items[loop].header);
    made->result = result;
    made->node_capacity = made->edge_capacity = 0;
    return find_vertices(made) && find_order(made)
               ? FT_OK
               : ft_fail_memory(diag, "the dependences of a loop");
}

bool ft_dependence_add(struct ft_dependence_loop *made, const struct ft_dependence *edge)
{
    struct ft_loop_dependences *result = made->result;
    if (!FT_RESERVE(result->edges, made->edge_capacity, result->edge_count + 1))
        return false;
    result->edges[result->edge_count] = *edge;
    if (edge->distance == 0 && edge->from >= edge->to)
        result->edges[result->edge_count].distance = 1;
    result->edge_count++;
    return true;
}

void ft_dependence_loop_fini(struct ft_dependence_loop *made)
{
    free(made->blocks);
    free(made->vertex_of_block);
    free(made->first_node);
    free(made->is_inner);
    free(made->after);
    *made = (struct ft_dependence_loop){0};
}
