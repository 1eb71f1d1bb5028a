#include "engine/reuse/checkpoint/counts.h"

void ft_checkpoint_counts_put(struct ft_sealed_output *output,
                              const struct ft_execution_counts *counts, uint64_t unit_count)
{
    const bool any = counts->units != NULL;
    ft_sealed_put_u64(output, counts->first);
    ft_sealed_put_u64(output, counts->last);
    ft_sealed_put_u64(output, counts->first_is_loop);
    ft_sealed_put_u64(output, counts->last_is_known);
    ft_sealed_put_u64(output, unit_count);
    ft_sealed_put_u64(output, any);
    if (any) {
        ft_sealed_put(output, counts->units, (unit_count + 1) * sizeof *counts->units);
        ft_sealed_put(output, counts->loop_entries,
                      (unit_count + 1) * sizeof *counts->loop_entries);
    }
    ft_sealed_put_u64(output, counts->edge_count);
    ft_sealed_put(output, counts->edges, counts->edge_count * sizeof *counts->edges);
    ft_sealed_put_u64(output, counts->part_count);
    ft_sealed_put(output, counts->parts, counts->part_count * sizeof *counts->parts);
}

int ft_checkpoint_counts_get(struct ft_sealed_input *input, struct ft_execution_counts *counts,
                             uint64_t *ret_unit_count, struct ft_diag *diag)
{
    uint64_t first = ft_sealed_get_u64(input), last = ft_sealed_get_u64(input);
    counts->first_is_loop = ft_sealed_get_u64(input) != 0;
    counts->last_is_known = ft_sealed_get_u64(input) != 0;
    const uint64_t unit_count = ft_sealed_get_u64(input);
    bool any = ft_sealed_get_u64(input) != 0, good = first <= unit_count;
    if (any && unit_count < UINT32_MAX) {
        counts->units = ft_sealed_get_array(input, unit_count + 1, sizeof *counts->units);
        counts->loop_entries =
            ft_sealed_get_array(input, unit_count + 1, sizeof *counts->loop_entries);
    }
    counts->edge_count = ft_sealed_get_u64(input);
    counts->edges = ft_sealed_get_array(input, counts->edge_count, sizeof *counts->edges);
    counts->part_count = ft_sealed_get_u64(input);
    counts->parts = ft_sealed_get_array(input, counts->part_count, sizeof *counts->parts);
    counts->first = (uint32_t)first;
    counts->last = (uint32_t)last;
    good = good && last <= unit_count && counts->edges && counts->parts &&
           (!any || (counts->units && counts->loop_entries));
    for (size_t i = 0; good && i < counts->edge_count; i++)
        good = counts->edges[i].from <= unit_count && counts->edges[i].to <= unit_count;
    for (size_t i = 0; good && i < counts->part_count; i++)
        good = counts->parts[i].unit <= unit_count;
    *ret_unit_count = unit_count;
    return good ? FT_OK : ft_fail(diag, FT_ERROR_DATA, "the execution counts are inconsistent");
}
