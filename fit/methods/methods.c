#include "fit/methods/methods.h"

#include <string.h>

#include "fit/methods/modes.h"
#include "fit/methods/patterns.h"
#include "fit/methods/split_bins.h"
#include "fit/methods/split_counts.h"

static const struct ft_fit_method ensemble_method = {
    .name = "ensemble",
    .summary = "all of these that suit the model, weighted by how well they predict held-out "
               "sizes",
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
