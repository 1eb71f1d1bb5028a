#include "fit/method.h"

#include <string.h>

#include "fit/modes.h"
#include "fit/patterns.h"
#include "fit/split_bins.h"
#include "formats/base/array.h"

const struct ft_fit_method *const ft_fit_methods[] = {&ft_modes_method, &ft_split_bins_method,
                                                      &ft_patterns_method, NULL};

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

int ft_bins_append(struct ft_model_member *member, size_t *capacity, const struct ft_function *tail,
                   const struct ft_function *distance_blocks, struct ft_diag *diag)
{
    if (member->bin_count > 0 &&
        same_values(&member->bins[member->bin_count - 1].distance_blocks, distance_blocks))
        return FT_OK; /* its tail is part of that one's */
    if (!FT_RESERVE(member->bins, *capacity, member->bin_count + 1))
        return ft_fail_memory(diag, "a modelled histogram");
    member->bins[member->bin_count++] =
        (struct ft_model_bin){.tail = *tail, .distance_blocks = *distance_blocks};
    return FT_OK;
}
