/*
 * The data size as a function of the parameters that the traces recorded, in a model over the data
 * size, so that the model can be evaluated at values of the parameters too.
 */
#ifndef FT_FORMATS_MODEL_DATA_GROWTH_H
#define FT_FORMATS_MODEL_DATA_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/model/basis.h"

/* Owns its names and functions. */
struct ft_data_growth {
    char *names[FT_PARAMETERS_MAX];
    double least[FT_PARAMETERS_MAX], largest[FT_PARAMETERS_MAX]; /* training values */
    struct ft_basis basis;     /* of no parameters where nothing is known */
    struct ft_function *bytes; /* [1 + replica_count]: of all traces, then without one each */
    size_t replica_count;      /* the model's, or 0 */
};

/* Names one more parameter, which all terms are then of: the basis is the constant afterwards.
 * False where memory runs out. */
bool ft_data_growth_add(struct ft_data_growth *growth, const char *name, double least,
                        double largest);
void ft_data_growth_fini(struct ft_data_growth *growth);

#endif
