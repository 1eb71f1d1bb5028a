#include "engine/match/group_code.h"

#include <stdlib.h>

#include "engine/match/module_matching.h"

/* Of an access, the same on both sides. */
struct code_place {
    uint32_t number; /* of the module, or of the routine, on the first side */
    bool in_routine;
    uint64_t offset; /* in the module; in a routine: accesses before it */
    uint32_t access_index;
    uint32_t access; /* index into the places' accesses; no part of the place */
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

struct matcher {
    const struct ft_group_places *sides; /* [2] */
    uint32_t *const *modules;
    const struct ft_scope_matching *scopes;
    enum ft_group_match_kind kind;
};

/* The place of an access; false where its routine has not the same code on the other side. */
static bool find_place(const struct matcher *matcher, unsigned side, uint32_t access,
                       struct code_place *ret_place)
{
    const struct ft_scope_places *own = matcher->sides[side].scopes;
    const struct ft_scope_places *other = matcher->sides[!side].scopes;
    const struct ft_group_access *of = &matcher->sides[side].accesses[access];
    const uint32_t there =
        of->module == FT_NO_MODULE ? FT_NO_MODULE : matcher->modules[side][of->module];
    const struct ft_scope_match *match = &matcher->scopes->of[side][of->routine];
    if (there != FT_NO_MODULE &&
        ft_same_build(&own->scopes->modules[of->module], &other->scopes->modules[there])) {
        *ret_place = (struct code_place){side ? there : of->module, false, of->offset,
                                         of->access_index, access};
        return true;
    }
    *ret_place =
        (struct code_place){side ? match->scope : of->routine, true, of->number, 0, access};
    return match->kind == FT_MATCH_SHAPE ||
           (matcher->kind == FT_GROUP_SHAPE && match->kind != FT_MATCH_NONE &&
            own->items[of->routine].shape == other->items[match->scope].shape);
}

static bool list_places(const struct matcher *matcher, unsigned side,
                        struct code_places *ret_places)
{
    const struct ft_group_places *of = &matcher->sides[side];
    ret_places->items = calloc(of->access_count + 1, sizeof *ret_places->items);
    for (uint32_t a = 0; ret_places->items && a < of->access_count; a++)
        ret_places->count += find_place(matcher, side, a, &ret_places->items[ret_places->count]);
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
    const uint32_t count = from->count;
    uint64_t *most = calloc(count + (size_t)1, sizeof *most);
    uint32_t *best = malloc((count + (size_t)1) * sizeof *best);
    bool complete = most && best;
    for (uint32_t g = 0; complete && g < count; g++)
        best[g] = FT_NO_GROUP_MATCH;
    for (size_t i = 0; complete && i < lists[side].count; i++) {
        const struct code_place *place = &lists[side].items[i];
        const uint32_t group = from->accesses[place->access].group;
        const uint64_t accesses = from->accesses[place->access].accesses;
        const struct code_place *there =
            bsearch(place, lists[!side].items, lists[!side].count, sizeof *place, compare_places);
        if (!there || (best[group] != FT_NO_GROUP_MATCH && accesses <= most[group]))
            continue;
        most[group] = accesses;
        best[group] = to->accesses[there->access].group;
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
