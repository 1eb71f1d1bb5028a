#include "engine/program/dependences/overwrites.h"

#include <stdlib.h>

static int compare_places(const struct ft_loop_access *a, const struct ft_loop_access *b)
{
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    return a->constant < b->constant ? -1 : a->constant > b->constant;
}

static int compare_stores(const void *a, const void *b)
{
    const struct ft_loop_access *left = *(const struct ft_loop_access *const *)a,
                                *right = *(const struct ft_loop_access *const *)b;
    const int order = compare_places(left, right);
    return order != 0 ? order : left < right ? -1 : left > right;
}

/* In the loop itself, all bytes, at an address that others can be compared with. */
static bool always_stores(const struct ft_dependence_loop *made,
                          const struct ft_loop_access *access)
{
    if (!access->writes || access->index == FT_ANY_ACCESS || access->family == FT_NO_FAMILY ||
        access->innermost != made->loop)
        return false;
    const struct ft_instruction *instruction =
        ft_code_instruction(&made->values->code, access->instruction);
    return instruction->accesses[access->index].mode == FT_ACCESS_PLAIN;
}

bool ft_overwrites_make(struct ft_overwrites *overwrites, const struct ft_dependence_loop *made,
                        const struct ft_loop_accesses *accesses)
{
    *overwrites = (struct ft_overwrites){
        .made = made,
        .stores =
            (const struct ft_loop_access **)calloc(accesses->count + 1, sizeof *overwrites->stores),
    };
    if (!overwrites->stores)
        return false;
    /* Into a loop that can be entered past its header there are ways around what comes first. */
    if (!made->values->code.order->reducible[made->loop])
        return true;
    for (size_t i = 0; i < accesses->count; i++)
        if (always_stores(made, &accesses->items[i]))
            overwrites->stores[overwrites->count++] = &accesses->items[i];
    qsort((void *)overwrites->stores, overwrites->count, sizeof *overwrites->stores,
          compare_stores);
    return true;
}

void ft_overwrites_fini(struct ft_overwrites *overwrites)
{
    free((void *)overwrites->stores);
    *overwrites = (struct ft_overwrites){0};
}

/* Whether an iteration that comes to an instruction has executed the other one. */
static bool is_behind_always(const struct ft_routine_code *code, uint32_t instruction,
                             uint32_t other)
{
    const uint32_t from = code->block_of[other];
    uint32_t block = code->block_of[instruction];
    if (block == from)
        return other < instruction;
    const uint32_t wanted = ft_code_graph_block(code, from);
    uint32_t graph_block = ft_code_graph_block(code, block);
    while (graph_block != FT_NO_BLOCK && graph_block != wanted)
        graph_block = code->order->dominator[graph_block];
    return graph_block == wanted;
}

static bool hides(const struct ft_overwrites *overwrites, const struct ft_loop_access *store,
                  const struct ft_loop_access *from, const struct ft_loop_access *to,
                  int64_t distance)
{
    return store->size_bytes >= to->size_bytes && store != from &&
           (distance > 0 ||
            ft_dependence_comes_behind(overwrites->made, from->instruction, store->instruction)) &&
           is_behind_always(&overwrites->made->values->code, to->instruction, store->instruction);
}

/* The first store to the place that `to` reads. */
static size_t first_store(const struct ft_overwrites *overwrites, const struct ft_loop_access *to)
{
    size_t low = 0, high = overwrites->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_places(overwrites->stores[middle], to) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ft_is_overwritten(const struct ft_overwrites *overwrites, const struct ft_loop_access *from,
                       const struct ft_loop_access *to, int64_t distance)
{
    if (to->family == FT_NO_FAMILY || to->innermost != overwrites->made->loop)
        return false;
    for (size_t i = first_store(overwrites, to);
         i < overwrites->count && compare_places(overwrites->stores[i], to) == 0; i++)
        if (hides(overwrites, overwrites->stores[i], from, to, distance))
            return true;
    return false;
}
