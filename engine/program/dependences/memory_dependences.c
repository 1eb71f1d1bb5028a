/*
 * For each pair of accesses of which one may write, in both directions: the smallest certain
 * distance, and in the pessimistic graph the smallest possible one, if that is smaller. A flow
 * whose value is certainly overwritten before it is read still orders the two, and is marked.
 */
#include "engine/program/dependences/access_distances.h"
#include "engine/program/dependences/overwrites.h"

struct pair {
    const struct ft_loop_access *from, *to;
    int64_t first; /* the least distance that there is between them */
};

static uint8_t kind_of(const struct ft_loop_access *from, const struct ft_loop_access *to)
{
    if (from->writes && to->reads)
        return FT_DEPENDENCE_FLOW;
    return from->writes ? FT_DEPENDENCE_OUTPUT : FT_DEPENDENCE_ANTI;
}

static bool add_edge(struct ft_dependence_loop *made, const struct pair *pair, int64_t distance,
                     uint8_t flags)
{
    const struct ft_routine_code *code = &made->values->code;
    struct ft_dependence edge = {
        .from = ft_dependence_node(made, pair->from->instruction),
        .to = ft_dependence_node(made, pair->to->instruction),
        .from_instruction = code->graph_instruction[pair->from->instruction],
        .to_instruction = code->graph_instruction[pair->to->instruction],
        .distance = (uint32_t)distance,
        .kind = kind_of(pair->from, pair->to),
        .flags = flags,
        .place = FT_NO_PLACE,
        .from_access = pair->from->index,
        .to_access = pair->to->index,
    };
    return ft_dependence_add(made, &edge);
}

/* The edges from one access of a pair to the other. */
static bool add_direction(struct ft_dependence_loop *made, const struct ft_overwrites *overwrites,
                          const struct pair *pair, const struct ft_access_distances *distances,
                          bool pessimistic)
{
    int64_t certain = distances->min > pair->first ? distances->min : pair->first;
    int64_t possible = pair->first == 0 && distances->not_at_zero ? 1 : pair->first;
    bool meets = distances->meets && certain <= distances->max;
    bool is_overwritten = meets && kind_of(pair->from, pair->to) == FT_DEPENDENCE_FLOW &&
                          ft_is_overwritten(overwrites, pair->from, pair->to, certain);
    if (meets && !add_edge(made, pair, certain, is_overwritten ? FT_DEPENDENCE_OVERWRITTEN : 0))
        return false;
    return !pessimistic || !distances->may_meet || (meets && certain <= possible) ||
           add_edge(made, pair, possible, FT_DEPENDENCE_ASSUMED);
}

static bool add_pair(struct ft_dependence_loop *made, const struct ft_overwrites *overwrites,
                     const struct ft_loop_access *a, const struct ft_loop_access *b,
                     bool pessimistic)
{
    struct ft_access_distances there = ft_access_distances(&made->values->exprs, a, b);
    if (!there.meets && !(there.may_meet && pessimistic))
        return true;
    struct ft_access_distances back = there;
    back.min = -there.max;
    back.max = -there.min;
    struct pair forward = {a, b, !ft_dependence_comes_behind(made, a->instruction, b->instruction)};
    struct pair backward = {b, a,
                            !ft_dependence_comes_behind(made, b->instruction, a->instruction)};
    return add_direction(made, overwrites, &forward, &there, pessimistic) &&
           (a == b || add_direction(made, overwrites, &backward, &back, pessimistic));
}

bool ft_memory_dependences_add(struct ft_dependence_loop *made, bool pessimistic)
{
    struct ft_loop_accesses accesses = {0};
    struct ft_overwrites overwrites = {0};
    bool complete =
        ft_loop_accesses_make(&accesses, made) && ft_overwrites_make(&overwrites, made, &accesses);
    for (size_t i = 0; complete && i < accesses.count; i++)
        for (size_t j = i; complete && j < accesses.count; j++)
            if (accesses.items[i].writes || accesses.items[j].writes)
                complete = add_pair(made, &overwrites, &accesses.items[i], &accesses.items[j],
                                    pessimistic);
    ft_overwrites_fini(&overwrites);
    ft_loop_accesses_fini(&accesses);
    return complete;
}
