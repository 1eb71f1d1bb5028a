/*
 * Number the nodes in depth-first order and note the last descendant of each, so that "w is an
 * ancestor of v" is two comparisons. Then take the headers from the last to the first: the body of
 * w is what reaches w's back edges backwards without leaving w's descendants; inner loops are
 * already collapsed into their headers by union-find. A predecessor outside the descendants is
 * another entry: the region is irreducible, and the edge is left to an outer loop.
 */
#include "engine/program/graph/loops.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define NONE UINT32_MAX

struct edge_list {
    uint32_t *items;
    size_t count, capacity;
};

/* Everything below is by depth-first number, apart from `number`. */
struct search {
    uint32_t node_count;
    const uint32_t *first_successor, *successors;
    uint32_t *node;       /* the graph's node */
    uint32_t *number;     /* per graph node: its depth-first number, NONE before */
    uint32_t *last;       /* the last descendant */
    uint32_t *set;        /* union-find: towards the header that collapsed it */
    uint32_t *header;     /* the innermost loop around it, as the number of its header */
    uint32_t *mark;       /* the header for which it was last put on the work list */
    uint32_t *outer_mark; /* the header to which it was last added as an outer predecessor */
    bool *is_header;
    bool *irreducible;
    uint32_t *first_predecessor, *predecessors;
    struct edge_list *outer; /* predecessors that irreducible inner loops passed on */
    uint32_t *work;          /* a stack, node_count */
    uint32_t *cursor;        /* next successor to visit */
};

static bool is_ancestor(const struct search *search, uint32_t ancestor, uint32_t of)
{
    return ancestor <= of && of <= search->last[ancestor];
}

static uint32_t find_set(struct search *search, uint32_t v)
{
    uint32_t root = v;
    while (search->set[root] != root)
        root = search->set[root];
    while (search->set[v] != root) {
        uint32_t next = search->set[v];
        search->set[v] = root;
        v = next;
    }
    return root;
}

/* Numbers all that is reachable from start and has no number yet. */
static uint32_t visit_from(struct search *search, uint32_t start, uint32_t next_number)
{
    if (search->number[start] != NONE)
        return next_number;
    size_t depth = 0;
    search->number[start] = next_number;
    search->node[next_number++] = start;
    search->cursor[start] = search->first_successor[start];
    search->work[depth++] = start;
    while (depth > 0) {
        uint32_t node = search->work[depth - 1];
        if (search->cursor[node] == search->first_successor[node + 1]) {
            search->last[search->number[node]] = next_number - 1;
            depth--;
            continue;
        }
        uint32_t successor = search->successors[search->cursor[node]++];
        if (search->number[successor] != NONE)
            continue;
        search->number[successor] = next_number;
        search->node[next_number++] = successor;
        search->cursor[successor] = search->first_successor[successor];
        search->work[depth++] = successor;
    }
    return next_number;
}

/* Turns the successor lists into predecessor lists by depth-first number. */
static void turn_edges(struct search *search)
{
    uint32_t *first = search->first_predecessor;
    for (uint32_t v = 0; v < search->node_count; v++)
        for (uint32_t e = search->first_successor[v]; e < search->first_successor[v + 1]; e++)
            first[search->number[search->successors[e]] + 1]++;
    for (uint32_t v = 0; v < search->node_count; v++)
        first[v + 1] += first[v];
    for (uint32_t v = 0; v < search->node_count; v++)
        search->cursor[v] = first[v];
    for (uint32_t v = 0; v < search->node_count; v++)
        for (uint32_t e = search->first_successor[v]; e < search->first_successor[v + 1]; e++) {
            uint32_t to = search->number[search->successors[e]];
            search->predecessors[search->cursor[to]++] = search->number[v];
        }
}

/* Looks at the edge from y into the body of w. False when out of memory. */
static bool take_predecessor(struct search *search, uint32_t w, uint32_t y, size_t *body_count)
{
    y = find_set(search, y);
    if (!is_ancestor(search, w, y)) {
        search->irreducible[w] = true;
        if (search->outer_mark[y] == w)
            return true;
        search->outer_mark[y] = w;
        struct edge_list *outer = &search->outer[w];
        if (!FT_RESERVE(outer->items, outer->capacity, outer->count + 1))
            return false;
        outer->items[outer->count++] = y;
    } else if (y != w && search->mark[y] != w) {
        search->mark[y] = w;
        search->work[(*body_count)++] = y;
    }
    return true;
}

/* Collects the body of the loop with header w, if there is one, and collapses it into w. */
static bool close_loop(struct search *search, uint32_t w)
{
    size_t body_count = 0;
    for (uint32_t e = search->first_predecessor[w]; e < search->first_predecessor[w + 1]; e++) {
        uint32_t from = search->predecessors[e];
        if (!is_ancestor(search, w, from))
            continue;
        search->is_header[w] = true;
        if (from != w && !take_predecessor(search, w, from, &body_count))
            return false;
    }
    for (size_t i = 0; i < body_count; i++) {
        uint32_t x = search->work[i];
        for (uint32_t e = search->first_predecessor[x]; e < search->first_predecessor[x + 1]; e++)
            if (!is_ancestor(search, x, search->predecessors[e]) &&
                !take_predecessor(search, w, search->predecessors[e], &body_count))
                return false;
        for (size_t j = 0; j < search->outer[x].count; j++)
            if (!take_predecessor(search, w, search->outer[x].items[j], &body_count))
                return false;
    }
    for (size_t i = 0; i < body_count; i++) {
        search->header[search->work[i]] = w;
        search->set[search->work[i]] = w;
    }
    return true;
}

static void *new_array(size_t count, size_t bytes, int fill, bool *complete)
{
    void *array = malloc((count + 1) * bytes);
    if (array)
        memset(array, fill, (count + 1) * bytes);
    *complete &= array != NULL;
    return array;
}

static bool search_init(struct search *search, uint32_t node_count, const uint32_t *first_successor,
                        const uint32_t *successors)
{
    bool complete = true;
    size_t edge_count = first_successor[node_count];
    *search = (struct search){
        .node_count = node_count,
        .first_successor = first_successor,
        .successors = successors,
        .node = new_array(node_count, sizeof(uint32_t), 0, &complete),
        .number = new_array(node_count, sizeof(uint32_t), 0xff, &complete),
        .last = new_array(node_count, sizeof(uint32_t), 0, &complete),
        .set = new_array(node_count, sizeof(uint32_t), 0, &complete),
        .header = new_array(node_count, sizeof(uint32_t), 0xff, &complete),
        .mark = new_array(node_count, sizeof(uint32_t), 0xff, &complete),
        .outer_mark = new_array(node_count, sizeof(uint32_t), 0xff, &complete),
        .is_header = new_array(node_count, sizeof(bool), 0, &complete),
        .irreducible = new_array(node_count, sizeof(bool), 0, &complete),
        .first_predecessor = new_array(node_count, sizeof(uint32_t), 0, &complete),
        .predecessors = new_array(edge_count, sizeof(uint32_t), 0, &complete),
        .outer = new_array(node_count, sizeof(struct edge_list), 0, &complete),
        .work = new_array(node_count, sizeof(uint32_t), 0, &complete),
        .cursor = new_array(node_count, sizeof(uint32_t), 0, &complete),
    };
    for (uint32_t v = 0; complete && v < node_count; v++)
        search->set[v] = v;
    return complete;
}

static void search_fini(struct search *search)
{
    for (uint32_t v = 0; search->outer && v < search->node_count; v++)
        free(search->outer[v].items);
    free(search->node);
    free(search->number);
    free(search->last);
    free(search->set);
    free(search->header);
    free(search->mark);
    free(search->outer_mark);
    free(search->is_header);
    free(search->irreducible);
    free(search->first_predecessor);
    free(search->predecessors);
    free(search->outer);
    free(search->work);
    free(search->cursor);
}

/* Headers in depth-first order: an outer loop's comes before the inner ones'. */
static bool list_loops(struct search *search, struct ft_loop_forest *forest)
{
    size_t count = 0;
    for (uint32_t v = 0; v < search->node_count; v++)
        count += search->is_header[v];
    forest->loops = calloc(count + 1, sizeof *forest->loops);
    forest->loop_of_node = malloc((search->node_count + 1) * sizeof *forest->loop_of_node);
    if (!forest->loops || !forest->loop_of_node)
        return false;
    uint32_t *index = search->work; /* of the loop with this header */
    for (uint32_t v = 0; v < search->node_count; v++) {
        uint32_t around = search->header[v] == NONE ? FT_NO_LOOP : index[search->header[v]];
        uint32_t innermost = around;
        if (search->is_header[v]) {
            innermost = (uint32_t)forest->loop_count++;
            index[v] = innermost;
            forest->loops[innermost] = (struct ft_loop){
                .header = search->node[v],
                .parent = around,
                .depth = around == FT_NO_LOOP ? 1 : forest->loops[around].depth + 1,
                .irreducible = search->irreducible[v],
            };
        }
        forest->loop_of_node[search->node[v]] = innermost;
    }
    return true;
}

int ft_loops_find(uint32_t node_count, const uint32_t *first_successor, const uint32_t *successors,
                  uint32_t entry, struct ft_loop_forest *ret_forest, struct ft_diag *diag)
{
    struct search search;
    struct ft_loop_forest forest = {0};
    bool complete = search_init(&search, node_count, first_successor, successors);
    if (complete) {
        uint32_t next_number = node_count ? visit_from(&search, entry, 0) : 0;
        for (uint32_t v = 0; v < node_count; v++)
            next_number = visit_from(&search, v, next_number);
        turn_edges(&search);
        for (uint32_t w = node_count; complete && w-- > 0;)
            complete = close_loop(&search, w);
        complete = complete && list_loops(&search, &forest);
    }
    search_fini(&search);
    if (!complete) {
        ft_loop_forest_fini(&forest);
        return ft_fail_memory(diag, "the loops of a routine");
    }
    *ret_forest = forest;
    return 0;
}

void ft_loop_forest_fini(struct ft_loop_forest *forest)
{
    free(forest->loops);
    free(forest->loop_of_node);
    *forest = (struct ft_loop_forest){0};
}
