#include "engine/structure/matching/group_code.h"

#include <stdlib.h>

#include "engine/structure/matching/module_matching.h"

/* Of an access, the same on both sides. */
struct code_place {
    uint32_t number; /* of the module, or of the routine, on the first side */
    bool in_routine;
    uint64_t offset; /* in the module; in a routine: instructions before it */
    uint32_t access_index;
    uint32_t access; /* of the formulas; no part of the place */
};

struct code_places {
    struct code_place *items; /* sorted */
    size_t count;
};

static int compare_places(const void *left, const void *right)
{
    const struct code_place *a = left, *b = right;
    if (a->in_routine != b->in_routine)
        return a->in_routine ? 1 : -1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->access_index > b->access_index) - (a->access_index < b->access_index);
}

static int compare_places_and_accesses(const void *left, const void *right)
{
    const struct code_place *a = left, *b = right;
    int order = compare_places(a, b);
    return order ? order : (a->access > b->access) - (a->access < b->access);
}

static void add_instruction(const struct ft_group_places *places, uint32_t instruction,
                            struct code_place place, struct code_places *into)
{
    const struct ft_flow_graph *graph = &places->scopes->structure->graph;
    for (unsigned a = 0; a < graph->instructions[instruction]->access_count; a++) {
        place.access_index = a;
        place.access = places->formulas->first_access[instruction] + a;
        if (!place.in_routine)
            place.offset = ft_group_access_offset(places, place.access);
        into->items[into->count++] = place;
    }
}

struct matcher {
    const struct ft_group_places *sides; /* [2] */
    uint32_t *const *modules;
    const struct ft_scope_matching *scopes;
    enum ft_group_match_kind kind;
};

/* Whether a routine has the same code on the other side, and the place of its instructions. */
static bool starts_place(const struct matcher *matcher, unsigned side, uint32_t routine,
                         struct code_place *ret_place)
{
    const struct ft_scope_places *own = matcher->sides[side].scopes;
    const struct ft_scope_places *other = matcher->sides[!side].scopes;
    const struct ft_structure *from = own->structure, *to = other->structure;
    const uint32_t scope = from->scope_of_routine[routine];
    const uint32_t module = from->routines.items[routine].module;
    const uint32_t there = module == FT_NO_MODULE ? FT_NO_MODULE : matcher->modules[side][module];
    const struct ft_scope_match *match = &matcher->scopes->of[side][scope];
    *ret_place = (struct code_place){.number = side ? there : module};
    if (there != FT_NO_MODULE &&
        ft_same_build(&from->scopes.modules[module], &to->scopes.modules[there]))
        return true;
    *ret_place = (struct code_place){.number = side ? match->scope : scope, .in_routine = true};
    return match->kind == FT_MATCH_SHAPE ||
           (matcher->kind == FT_GROUP_SHAPE && match->kind != FT_MATCH_NONE &&
            own->items[scope].shape == other->items[match->scope].shape);
}

static bool list_places(const struct matcher *matcher, unsigned side,
                        struct code_places *ret_places)
{
    const struct ft_group_places *of = &matcher->sides[side];
    const struct ft_structure *structure = of->scopes->structure;
    ret_places->items = calloc(of->formulas->access_count + 1, sizeof *ret_places->items);
    for (uint32_t r = 0; ret_places->items && r < structure->routines.count; r++) {
        const struct ft_routine *routine = &structure->routines.items[r];
        struct code_place place;
        if (!starts_place(matcher, side, r, &place))
            continue;
        for (uint32_t b = 0; b < routine->block_count; b++) {
            const struct ft_flow_block *block =
                &structure->graph.blocks[structure->routines.blocks[routine->first_block + b]];
            for (uint32_t i = 0; i < block->instruction_count; i++, place.offset++)
                add_instruction(of, block->first_instruction + i, place, ret_places);
        }
    }
    if (ret_places->items && ret_places->count)
        qsort(ret_places->items, ret_places->count, sizeof *ret_places->items,
              compare_places_and_accesses);
    return ret_places->items != NULL;
}

/* Each group of a side that is left gets that of its heaviest access which the other side has. */
static bool match_side(const struct matcher *matcher, unsigned side,
                       const struct code_places lists[2], struct ft_group_matching *matching)
{
    const struct ft_group_places *from = &matcher->sides[side], *to = &matcher->sides[!side];
    const uint32_t count = from->groups->count;
    uint64_t *most = calloc(count + (size_t)1, sizeof *most);
    uint32_t *best = malloc((count + (size_t)1) * sizeof *best);
    bool complete = most && best;
    for (uint32_t g = 0; complete && g < count; g++)
        best[g] = FT_NO_GROUP_MATCH;
    for (size_t i = 0; complete && i < lists[side].count; i++) {
        const struct code_place *place = &lists[side].items[i];
        const uint32_t group = from->groups->of_access[place->access];
        const uint64_t accesses = from->access_counts[place->access];
        const struct code_place *there =
            bsearch(place, lists[!side].items, lists[!side].count, sizeof *place, compare_places);
        if (!there || (best[group] != FT_NO_GROUP_MATCH && accesses <= most[group]))
            continue;
        most[group] = accesses;
        best[group] = to->groups->of_access[there->access];
    }
    for (uint32_t g = 0; complete && g < count; g++)
        if (best[g] != FT_NO_GROUP_MATCH && matching->of[side][g].kind == FT_GROUP_UNMATCHED)
            matching->of[side][g] = (struct ft_group_match){best[g], (uint8_t)matcher->kind};
    free(most);
    free(best);
    return complete;
}

int ft_groups_match_code(const struct ft_group_places sides[2], uint32_t *const modules[2],
                         const struct ft_scope_matching *scopes, enum ft_group_match_kind kind,
                         struct ft_group_matching *matching, struct ft_diag *diag)
{
    const struct matcher matcher = {sides, modules, scopes, kind};
    struct code_places lists[2] = {0};
    bool complete = list_places(&matcher, 0, &lists[0]) && list_places(&matcher, 1, &lists[1]) &&
                    match_side(&matcher, 0, lists, matching) &&
                    match_side(&matcher, 1, lists, matching);
    free(lists[0].items);
    free(lists[1].items);
    return complete ? FT_OK : ft_fail_memory(diag, "the groups of two builds");
}
