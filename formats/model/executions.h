/*
 * How often the basic blocks of a model's code, and the edges between them, are executed (Marin &
 * Mellor-Crummey 2004, section 2.2). Many are executed equally often at all training sizes: these
 * share a function.
 */
#ifndef FT_FORMATS_MODEL_EXECUTIONS_H
#define FT_FORMATS_MODEL_EXECUTIONS_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/model/basis.h"

struct ft_model_executions {
    uint32_t *blocks; /* [block_count of the model's scopes]: places among the functions */
    uint32_t *edges;  /* [edge_count], likewise */
    struct ft_function *functions; /* [count]; a replica has its own, and shares the rest */
    size_t count;                  /* 0: nothing is known of blocks and edges */
};

/* Of a model; a replica frees its functions alone. */
void ft_executions_fini(struct ft_model_executions *executions);

/* Which function is whose: the datasets `block_executions` and `edge_executions` of a model, which
 * there are none of where nothing is known. Functions stand with those of the model
 * (model_functions.h): reading makes room for them. */
int ft_executions_write(hid_t model, const struct ft_model_executions *executions,
                        size_t block_count, size_t edge_count, struct ft_diag *diag);
int ft_executions_read(hid_t model, struct ft_model_executions *ret_executions, size_t block_count,
                       size_t edge_count, struct ft_diag *diag);

#endif
