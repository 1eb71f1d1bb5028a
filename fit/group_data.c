/*
 * Accesses of references to objects become those of groups (data_of_groups.h); objects that no
 * group touches often are left out of the model.
 */
#include "fit/group_data.h"

#include <stdlib.h>
#include <string.h>

#include "engine/data/data_of_groups.h"

static bool is_known(const struct ft_data_item *item)
{
    return strcmp(item->kind, ft_data_kind_names[FT_DATA_UNKNOWN]) != 0;
}

static bool list_objects(const struct ft_data_histograms *from, const uint32_t *group_of,
                         size_t group_count, struct ft_data_of_groups *of_groups)
{
    size_t count = 0;
    struct ft_data_weight *weights = calloc(from->part_count + 1, sizeof *weights);
    for (size_t p = 0; weights && p < from->part_count; p++) {
        const struct ft_data_part *part = &from->parts[p];
        const uint32_t object =
            is_known(&from->items[part->object]) ? part->object : FT_UNKNOWN_DATA;
        if (group_of[part->reference] != FT_NO_GROUP && part->accesses > 0)
            weights[count++] =
                (struct ft_data_weight){group_of[part->reference], object, part->accesses};
    }
    const bool complete =
        weights && ft_data_of_groups_list(of_groups, weights, count, (uint32_t)group_count);
    free(weights);
    return complete;
}

static bool add_object(struct ft_group_data *data, const struct ft_data_item *item)
{
    struct ft_named_data *object = &data->objects[data->object_count++];
    *object = (struct ft_named_data){strdup(item->kind), strdup(item->name)};
    return object->kind && object->name;
}

/* Numbered by their first group. */
static bool take_objects(const struct ft_data_histograms *from, size_t group_count,
                         const struct ft_data_of_groups *of_groups, struct ft_group_data *data)
{
    uint32_t *numbers = malloc((from->item_count + 1) * sizeof *numbers);
    data->objects = calloc(from->item_count + 1, sizeof *data->objects);
    data->touched = calloc(of_groups->first[group_count] + (size_t)1, sizeof *data->touched);
    bool complete = numbers && data->objects && data->touched;
    for (size_t i = 0; complete && i < from->item_count; i++)
        numbers[i] = UINT32_MAX;
    for (uint32_t group = 0; group < group_count; group++)
        for (uint32_t i = of_groups->first[group]; complete && i < of_groups->first[group + 1];
             i++) {
            const uint32_t item = of_groups->objects[i];
            if (numbers[item] == UINT32_MAX) {
                numbers[item] = (uint32_t)data->object_count;
                complete = add_object(data, &from->items[item]);
            }
            data->touched[data->touched_count++] = (struct ft_touched_data){group, numbers[item]};
        }
    free(numbers);
    return complete;
}

int ft_group_data_find(const struct ft_fit_work *work, struct ft_group_data *ret_data,
                       struct ft_diag *diag)
{
    const size_t last = work->count - 1;
    const struct ft_data_histograms *from = work->entries[last]->data;
    struct ft_data_of_groups of_groups = {0};
    if (!from)
        return FT_OK;
    const bool complete =
        list_objects(from, work->match.group_of[last], work->match.group_count, &of_groups) &&
        take_objects(from, work->match.group_count, &of_groups, ret_data);
    ft_data_of_groups_fini(&of_groups);
    return complete ? FT_OK : ft_fail_memory(diag, "the data of groups");
}
