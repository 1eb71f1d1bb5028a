#include "fit/methods/method.h"

#include <string.h>

#include "fit/methods/modes.h"
#include "fit/methods/patterns.h"
#include "fit/methods/split_bins.h"
#include "fit/methods/split_counts.h"
#include "formats/base/array.h"

static const struct ft_fit_method ensemble_method = {
    .name = "ensemble",
    .summary = "all of these that suit the model, weighed by how well they predict sizes left out",
};

const struct ft_fit_method *const ft_fit_methods[] = {
    &ensemble_method,        &ft_modes_method,    &ft_split_bins_method,
    &ft_split_counts_method, &ft_patterns_method, NULL};

void ft_fit_methods_of(const struct ft_fit_method *method,
                       const struct ft_fit_method *ret_methods[FT_METHODS_MAX])
{
    size_t count = 0;
    if (method->fit)
        ret_methods[count++] = method;
    for (size_t i = 0; !method->fit && ft_fit_methods[i] && count + 1 < FT_METHODS_MAX; i++)
        if (ft_fit_methods[i]->fit && !ft_fit_methods[i]->alone)
            ret_methods[count++] = ft_fit_methods[i];
    ret_methods[count] = NULL;
}

const struct ft_fit_method *ft_fit_method_find(const char *name)
{
    for (size_t i = 0; ft_fit_methods[i]; i++)
        if (strcmp(ft_fit_methods[i]->name, name) == 0)
            return ft_fit_methods[i];
    return NULL;
}

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
