/*
 * A model does not say which references a group has, but their number, the line of the first one
 * and how many accesses they had at the largest training size, whose references the model has, in
 * groups of that size. Of the same scope, a group of these with the same number and line, whose
 * blocks were executed as often, is taken for it; where the figures leave a choice, groups are in
 * the order of their first references on both sides. What has no match stays unknown.
 */
#include "predict/commands/report/group_references.h"

#include <stdlib.h>

/* References of the largest training size that move alike there. */
struct alike {
    uint32_t scope, line, count;
    uint64_t executions; /* of the instructions that make the accesses */
    size_t first;        /* reference */
    uint32_t group;      /* of the scopes */
};

static int compare(const void *left, const void *right)
{
    const struct alike *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* [group of the scopes], by scope and first reference. NULL: out of memory. */
static struct alike *list_alike(const struct ft_scopes *scopes)
{
    struct alike *list = calloc((size_t)scopes->group_count + 1, sizeof *list);
    for (size_t r = 0; list && r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        struct alike *into = &list[reference->group];
        if (reference->kind == FT_FETCH)
            continue;
        if (into->count++ == 0)
            *into = (struct alike){reference->scope, reference->line, 1, 0, r, reference->group};
        into->executions += scopes->blocks[reference->block].execution_count;
    }
    if (list)
        qsort(list, scopes->group_count, sizeof *list, compare);
    return list;
}

static bool is_of(const struct alike *alike, const struct ft_model_group *group)
{
    return alike->scope == group->scope && alike->line == group->line &&
           alike->count == group->reference_count &&
           alike->executions == group->accesses_at_largest;
}

/* The group of the model that each group of the scopes became: [group of the scopes], SIZE_MAX
 * where it is not known. */
static void match(const struct ft_model *model, const struct alike *list, size_t *ret_groups)
{
    const size_t count = model->scopes.group_count;
    size_t first = 0;
    for (size_t i = 0; i < count; i++)
        ret_groups[i] = SIZE_MAX;
    for (size_t g = 0; g < model->group_count; g++) {
        const struct ft_model_group *group = &model->groups[g];
        while (first < count && list[first].scope < group->scope)
            first++;
        for (size_t i = first; !group->rest && i < count && list[i].scope == group->scope; i++)
            if (ret_groups[list[i].group] == SIZE_MAX && is_of(&list[i], group)) {
                ret_groups[list[i].group] = g;
                break;
            }
    }
}

int ft_page_group_references(const struct ft_model *model, size_t **ret_groups,
                             struct ft_diag *diag)
{
    struct alike *list = list_alike(&model->scopes);
    size_t *groups = calloc((size_t)model->scopes.group_count + 1, sizeof *groups);
    const int status = list && groups ? FT_OK : ft_fail_memory(diag, "a report");
    if (status == FT_OK) {
        match(model, list, groups);
        *ret_groups = groups;
    } else {
        free(groups);
    }
    free(list);
    return status;
}
