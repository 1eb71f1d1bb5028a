/*
 * Pairs of a reference and an object become pairs of a group and an object, and equal ones one.
 */
#include "engine/data/data_of_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data/data_runs.h"

#define LEAST_SHARE 10U /* an object that has less than one in so many accesses is left out */

static int compare_objects(const void *left, const void *right)
{
    const struct ft_data_weight *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static int compare_weights(const void *left, const void *right)
{
    const struct ft_data_weight *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

/* Each group and object once, sorted by group, the heaviest first; gives how many there are. */
static size_t add_up(struct ft_data_weight *weights, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(weights, count, sizeof *weights, compare_objects);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_objects(&weights[kept - 1], &weights[i]) == 0)
            weights[kept - 1].accesses += weights[i].accesses;
        else
            weights[kept++] = weights[i];
    if (kept)
        qsort(weights, kept, sizeof *weights, compare_weights);
    return kept;
}

bool ft_data_of_groups_list(struct ft_data_of_groups *data, struct ft_data_weight *weights,
                            size_t count, uint32_t group_count)
{
    uint32_t kept = 0;
    size_t next = 0;
    count = add_up(weights, count);
    data->first = calloc(group_count + (size_t)1, sizeof *data->first);
    data->objects = calloc(count + 1, sizeof *data->objects);
    if (!data->first || !data->objects)
        return false;
    for (uint32_t group = 0; group < group_count; group++) {
        uint64_t all = 0;
        const size_t begin = next;
        for (; next < count && weights[next].group == group; next++)
            all += weights[next].accesses;
        for (size_t i = begin; i < next; i++)
            if (weights[i].object != FT_UNKNOWN_DATA && weights[i].accesses * LEAST_SHARE >= all)
                data->objects[kept++] = weights[i].object;
        data->first[group + 1] = kept;
    }
    return true;
}

/* The program's own module has another name in another build. */
static int copy_name(const struct ft_trace *trace, const struct ft_data_object *object,
                     char **ret_name)
{
    const char *kind = ft_data_kind_names[object->kind];
    const bool is_own = object->kind == FT_DATA_MODULE && object->module != FT_NO_MODULE &&
                        ft_trace_module(trace, object->module) == ft_trace_module(trace, 0);
    return asprintf(ret_name, "%s %s", kind, is_own ? "of the program" : object->name);
}

static bool copy_names(struct ft_data_of_groups *data, const struct ft_trace *trace,
                       const struct ft_data_objects *objects)
{
    const size_t count = ft_data_object_count(objects);
    data->names = calloc(count + 1, sizeof *data->names);
    for (uint32_t i = 0; data->names && i < count; i++, data->name_count++)
        if (copy_name(trace, ft_data_object(objects, i), &data->names[i]) < 0) {
            data->names[i] = NULL;
            return false;
        }
    return data->names != NULL;
}

/* Of the references that are in a group. */
static bool list_pairs(struct ft_data_of_groups *data, const struct ft_data_runs *runs,
                       const uint32_t *group_of, size_t reference_count, uint32_t group_count)
{
    const struct ft_data_objects *objects = ft_data_runs_objects(runs);
    size_t pair_count, count = 0;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(runs, &pair_count);
    struct ft_data_weight *weights = calloc(pair_count + 1, sizeof *weights);
    for (size_t p = 0; weights && p < pair_count; p++)
        if (pairs[p].accesses && pairs[p].reference < reference_count &&
            group_of[pairs[p].reference] != FT_NO_DATA_GROUP)
            weights[count++] = (struct ft_data_weight){
                group_of[pairs[p].reference],
                ft_data_object(objects, pairs[p].object)->kind == FT_DATA_UNKNOWN ? FT_UNKNOWN_DATA
                                                                                  : pairs[p].object,
                pairs[p].accesses};
    bool complete = weights && ft_data_of_groups_list(data, weights, count, group_count);
    free(weights);
    return complete;
}

int ft_data_of_groups_make(struct ft_trace *trace, const uint32_t *group_of, size_t reference_count,
                           uint32_t group_count, struct ft_progress *progress,
                           struct ft_data_of_groups *ret_data, struct ft_diag *diag)
{
    struct ft_data_of_groups data = {0};
    struct ft_data_runs *runs = NULL;
    int status =
        ft_data_runs_create(trace, FT_DATA_CALLERS, FT_RUN_ACCESSES, NULL, progress, &runs, diag);
    if (status)
        return status;
    bool complete = copy_names(&data, trace, ft_data_runs_objects(runs)) &&
                    list_pairs(&data, runs, group_of, reference_count, group_count);
    ft_data_runs_destroy(runs);
    if (!complete) {
        ft_data_of_groups_fini(&data);
        return ft_fail_memory(diag, "the data of groups");
    }
    *ret_data = data;
    return FT_OK;
}

void ft_data_of_groups_fini(struct ft_data_of_groups *data)
{
    for (size_t i = 0; data->names && i < data->name_count; i++)
        free(data->names[i]);
    free(data->names);
    free(data->first);
    free(data->objects);
    *data = (struct ft_data_of_groups){0};
}
