#include "engine/program/values/group_sizes.h"

#include <stdlib.h>

const char *const ft_grouping_names[FT_GROUPING_COUNT] = {
    [FT_UNGROUPED] = "ungrouped",
    [FT_GROUPED_IN_LOOPS] = "machine_loops",
    [FT_GROUPED_ACROSS_LOOPS] = "source_loops",
};

static void add_group(struct ft_group_sizes *sizes, enum ft_grouping grouping, uint64_t references)
{
    unsigned bin = 0;
    while (bin + 1 < FT_GROUP_SIZE_BINS && references >> (bin + 1))
        bin++;
    sizes->groups[grouping]++;
    sizes->bins[grouping][bin]++;
    if (sizes->largest[grouping] < references)
        sizes->largest[grouping] = references;
}

static uint32_t loop_of(const struct ft_formulas *formulas, uint32_t access)
{
    const struct ft_access_formula *formula = &formulas->accesses[access];
    return formula->level_count == 0 ? FT_NO_LOOP : formulas->strides[formula->first_stride].loop;
}

static int compare_loops(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Classes of one machine loop are joined only with those of other loops: what a group has in a
 * loop was a group there. scratch: room for the group's members. */
static void add_members(struct ft_group_sizes *sizes, const struct ft_reference_groups *groups,
                        const struct ft_formulas *formulas, const struct ft_reference_group *group,
                        uint32_t *scratch)
{
    const uint32_t count = group->member_count;
    for (uint32_t m = 0; m < count; m++) {
        scratch[m] = loop_of(formulas, groups->members[group->first_member + m]);
        add_group(sizes, FT_UNGROUPED, 1);
    }
    qsort(scratch, count, sizeof *scratch, compare_loops);
    for (uint32_t m = 0, first = 0; m < count; m++) {
        if (m + 1 < count && scratch[m + 1] == scratch[first])
            continue;
        add_group(sizes, FT_GROUPED_IN_LOOPS, m + 1 - first);
        first = m + 1;
    }
    add_group(sizes, FT_GROUPED_ACROSS_LOOPS, count);
    sizes->references += count;
}

int ft_group_sizes_find(const struct ft_reference_groups *groups,
                        const struct ft_formulas *formulas, const struct ft_routines *routines,
                        uint32_t module, struct ft_group_sizes *ret_sizes, struct ft_diag *diag)
{
    struct ft_group_sizes sizes = {0};
    uint32_t *scratch = malloc((formulas->access_count + 1) * sizeof *scratch);
    if (!scratch)
        return ft_fail_memory(diag, "sizes of groups");
    for (uint32_t g = 0; g < groups->count; g++) {
        const struct ft_reference_group *group = &groups->items[g];
        if (group->storage != FT_STORAGE_SPILL && routines->items[group->routine].module == module)
            add_members(&sizes, groups, formulas, group, scratch);
    }
    free(scratch);
    *ret_sizes = sizes;
    return FT_OK;
}
