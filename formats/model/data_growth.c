#include "formats/model/data_growth.h"

#include <stdlib.h>
#include <string.h>

bool ft_data_growth_add(struct ft_data_growth *growth, const char *name, double least,
                        double largest)
{
    const size_t at = growth->basis.parameter_count;
    if (!(growth->names[at] = strdup(name)))
        return false;
    growth->least[at] = least;
    growth->largest[at] = largest;
    growth->basis = ft_basis_of((const char *const *)growth->names, at + 1);
    return true;
}

void ft_data_growth_fini(struct ft_data_growth *growth)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        free(growth->names[i]);
    free(growth->bytes);
    *growth = (struct ft_data_growth){0};
}
