#include "engine/match/group_code.h"

#include <stdlib.h>

#include "engine/match/modules.h"

/* Of an access, the same on both sides. */
struct code_location {
    uint32_t number; /* of the module, or of the routine, on the first side */
    bool in_routine;
    uint64_t offset; /* in the module; in a routine: accesses before it */
    uint32_t access_index;
    uint32_t access; /* index into the locations' accesses; no part of the location */
};

struct code_locations {
    struct code_location *items; /* sorted */
    size_t count;
};

static int compare_locations(const void *left, const void *right)
{
    const struct code_location *a = left, *b = right;
    if (a->in_routine != b->in_routine)
        return a->in_routine ? 1 : -1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->access_index > b->access_index) - (a->access_index < b->access_index);
}

static int compare_locations_and_accesses(const void *left, const void *right)
{
    const struct code_location *a = left, *b = right;
    int order = compare_locations(a, b);
    return order ? order : (a->access > b->access) - (a->access < b->access);
}

struct matcher {
    const struct ft_group_locations *sides; /* [2] */
    uint32_t *const *modules;
    const struct ft_matching *scopes;
    enum ft_match_kind kind;
};

/* The location of an access; false where its routine has not the same code on the other side. */
static bool find_location(const struct matcher *matcher, unsigned side, uint32_t access,
                          struct code_location *ret_location)
{
    const struct ft_scope_locations *here = matcher->sides[side].scopes;
    const struct ft_scope_locations *other = matcher->sides[!side].scopes;
    const struct ft_group_access *of = &matcher->sides[side].accesses[access];
    const uint32_t there =
        of->module == FT_NO_MODULE ? FT_NO_MODULE : matcher->modules[side][of->module];
    const struct ft_match *match = &matcher->scopes->of[side][of->routine];
    if (there != FT_NO_MODULE &&
        ft_same_build(&here->scopes->modules[of->module], &other->scopes->modules[there])) {
        *ret_location = (struct code_location){side ? there : of->module, false, of->offset,
                                               of->access_index, access};
        return true;
    }
    *ret_location =
        (struct code_location){side ? match->item : of->routine, true, of->number, 0, access};
    return match->kind == FT_MATCH_SHAPE ||
           (matcher->kind == FT_MATCH_SHAPE && match->kind != FT_MATCH_NONE &&
            here->items[of->routine].shape == other->items[match->item].shape);
}

static bool list_locations(const struct matcher *matcher, unsigned side,
                           struct code_locations *ret_locations)
{
    const struct ft_group_locations *of = &matcher->sides[side];
    ret_locations->items = calloc(of->access_count + 1, sizeof *ret_locations->items);
    for (uint32_t a = 0; ret_locations->items && a < of->access_count; a++)
        ret_locations->count +=
            find_location(matcher, side, a, &ret_locations->items[ret_locations->count]);
    if (ret_locations->items && ret_locations->count)
        qsort(ret_locations->items, ret_locations->count, sizeof *ret_locations->items,
              compare_locations_and_accesses);
    return ret_locations->items != NULL;
}

/* Each group of a side that is left gets that of its heaviest access which the other side has. */
static bool match_side(const struct matcher *matcher, unsigned side,
                       const struct code_locations lists[2], struct ft_matching *matching)
{
    const struct ft_group_locations *from = &matcher->sides[side], *to = &matcher->sides[!side];
    const uint32_t count = from->count;
    uint64_t *max = calloc(count + (size_t)1, sizeof *max);
    uint32_t *best = malloc((count + (size_t)1) * sizeof *best);
    bool complete = max && best;
    for (uint32_t g = 0; complete && g < count; g++)
        best[g] = FT_NO_MATCH;
    for (size_t i = 0; complete && i < lists[side].count; i++) {
        const struct code_location *location = &lists[side].items[i];
        const uint32_t group = from->accesses[location->access].group;
        const uint64_t accesses = from->accesses[location->access].accesses;
        const struct code_location *there = bsearch(
            location, lists[!side].items, lists[!side].count, sizeof *location, compare_locations);
        if (!there || (best[group] != FT_NO_MATCH && accesses <= max[group]))
            continue;
        max[group] = accesses;
        best[group] = to->accesses[there->access].group;
    }
    for (uint32_t g = 0; complete && g < count; g++)
        if (best[g] != FT_NO_MATCH && matching->of[side][g].kind == FT_MATCH_NONE)
            matching->of[side][g] = (struct ft_match){best[g], (uint8_t)matcher->kind};
    free(max);
    free(best);
    return complete;
}

int ft_groups_match_code(const struct ft_group_locations sides[2], uint32_t *const modules[2],
                         const struct ft_matching *scopes, enum ft_match_kind kind,
                         struct ft_matching *matching, struct ft_diag *diag)
{
    const struct matcher matcher = {sides, modules, scopes, kind};
    struct code_locations lists[2] = {0};
    bool complete =
        list_locations(&matcher, 0, &lists[0]) && list_locations(&matcher, 1, &lists[1]) &&
        match_side(&matcher, 0, lists, matching) && match_side(&matcher, 1, lists, matching);
    free(lists[0].items);
    free(lists[1].items);
    return complete ? FT_OK : ft_fail_memory(diag, "the groups of two builds");
}
