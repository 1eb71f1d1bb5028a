/*
 * How often the basic blocks of a model's code, and the edges between them, are executed (Marin &
 * Mellor-Crummey 2004, section 2.2). Those that are executed equally often at all training sizes
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
    uint32_t *blocks; /* [block_count of the model's scopes]: indices of the functions */
    uint32_t *edges;  /* [edge_count], likewise */
    struct ft_function *functions; /* [count]; a replica has its own, and shares the rest */
    size_t count;                  /* 0: nothing is known of blocks and edges */
};

/* Of a model; a replica frees its functions alone. */
void ft_executions_fini(struct ft_model_executions *executions);

/* The index of the function of each: the datasets `block_executions` and `edge_executions` of a
 * model, absent if nothing is known. The functions are in the table of the model
 * (model_functions.h); reading makes room for them. */
int ft_executions_write(hid_t model, const struct ft_model_executions *executions,
                        size_t block_count, size_t edge_count, struct ft_diag *diag);
int ft_executions_read(hid_t model, struct ft_model_executions *ret_executions, size_t block_count,
                       size_t edge_count, struct ft_diag *diag);

#endif
