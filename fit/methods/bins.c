#include "fit/methods/bins.h"

#include "formats/base/array.h"

static bool same_values(const struct ft_function *a, const struct ft_function *b)
{
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (a->coefficients[term] != b->coefficients[term])
            return false;
    return true;
}

struct ft_bins ft_bins_of(const struct ft_fit_task *task, struct ft_fit_member *members)
{
    return (struct ft_bins){.members = members,
                            .left_out = ft_leave_out_count(task->leave_out),
                            .likely = task->bins_likely};
}

int ft_bins_append(struct ft_bins *bins, struct ft_functions tail,
                   struct ft_functions distance_blocks, struct ft_diag *diag)
{
    const size_t at = bins->members->bin_count;
    if (at > 0 && same_values(&bins->members->bins[at - 1].distance_blocks, distance_blocks.all))
        return FT_OK; /* its tail is part of that one's */
    size_t capacity = bins->capacity;
    for (size_t i = 0; i <= bins->left_out; i++) {
        struct ft_fit_member *member = &bins->members[i];
        capacity = bins->capacity;
        if (!FT_RESERVE(member->bins, capacity, at < bins->likely ? bins->likely : at + 1))
            return ft_fail_memory(diag, "a modelled histogram");
        member->bins[at] = (struct ft_model_bin){
            .tail = i > 0 ? tail.without[i - 1] : *tail.all,
            .distance_blocks = i > 0 ? distance_blocks.without[i - 1] : *distance_blocks.all};
        member->bin_count = at + 1;
    }
    bins->capacity = capacity;
    return FT_OK;
}
