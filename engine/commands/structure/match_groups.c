#include "engine/commands/structure/match_groups.h"

#include <stdlib.h>

static int find_data(const struct ft_structure_report *side, struct ft_progress *progress,
                     struct ft_data_of_groups *ret_data, struct ft_diag *diag)
{
    const size_t count = side->structure.scopes.reference_count;
    uint32_t *group_of = malloc((count + 1) * sizeof *group_of);
    if (!group_of)
        return ft_fail_memory(diag, "the groups of references");
    for (size_t r = 0; r < count; r++) {
        const uint32_t access = ft_structure_access_of(side, r);
        group_of[r] =
            access == FT_NO_ACCESS ? FT_NO_DATA_GROUP : side->groups->groups.of_access[access];
    }
    int status = ft_data_of_groups_make(side->trace, group_of, count, side->groups->groups.count,
                                        progress, ret_data, diag);
    free(group_of);
    return status;
}

struct order {
    const uint64_t *accesses;
    const struct ft_match *matches;
};

static int compare_groups(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const bool one = order->matches[a].kind != FT_MATCH_NONE;
    const bool other = order->matches[b].kind != FT_MATCH_NONE;
    if (one != other)
        return one ? -1 : 1;
    if (order->accesses[a] != order->accesses[b])
        return order->accesses[a] > order->accesses[b] ? -1 : 1;
    return (a > b) - (a < b);
}

static void add(struct ft_group_sum *sum, uint64_t accesses)
{
    sum->groups++;
    sum->accesses += accesses;
}

static bool add_up(struct ft_match_groups *groups, unsigned side)
{
    const struct ft_structure_groups *from = groups->sides[side].groups;
    struct order order = {from->accesses, groups->matching.of[side]};
    uint32_t *list = calloc(from->groups.count + (size_t)1, sizeof *list);
    groups->list[side] = list;
    for (uint32_t g = 0; list && g < from->groups.count; g++) {
        if (!from->accesses[g])
            continue;
        list[groups->count[side]++] = g;
        add(&groups->all[side], from->accesses[g]);
        if (order.matches[g].kind == FT_MATCH_NONE)
            continue;
        add(&groups->matched[side], from->accesses[g]);
        groups->matched_count[side]++;
    }
    if (list && groups->count[side])
        qsort_r(list, groups->count[side], sizeof *list, compare_groups, &order);
    return list != NULL;
}

int ft_match_groups_init(struct ft_match_groups *groups, const struct ft_structure_report sides[2],
                         const struct ft_module *const *const modules[2],
                         const struct ft_scope_locations scope_locations[2],
                         const struct ft_matching *scopes, struct ft_progress *progress,
                         struct ft_diag *diag)
{
    *groups = (struct ft_match_groups){.sides = sides};
    int status = FT_OK;
    for (unsigned side = 0; !status && side < 2; side++) {
        const struct ft_structure_groups *from = sides[side].groups;
        status = find_data(&sides[side], progress, &groups->data[side], diag);
        if (!status)
            status = ft_group_locations_make(
                &scope_locations[side],
                &(struct ft_group_code){&sides[side].structure, modules[side], &from->formulas,
                                        &from->groups, from->access_counts},
                &groups->data[side], &groups->locations[side], diag);
    }
    if (!status)
        status = ft_groups_match(groups->locations, scopes, &groups->matching, diag);
    for (unsigned side = 0; !status && side < 2; side++) {
        groups->locations[side].scopes = NULL; /* they go now */
        if (!add_up(groups, side))
            status = ft_fail_memory(diag, "a report");
    }
    return status;
}

void ft_match_groups_fini(struct ft_match_groups *groups)
{
    ft_matching_fini(&groups->matching);
    for (unsigned side = 0; side < 2; side++) {
        ft_group_locations_fini(&groups->locations[side]);
        ft_data_of_groups_fini(&groups->data[side]);
        free(groups->list[side]);
    }
    *groups = (struct ft_match_groups){0};
}
