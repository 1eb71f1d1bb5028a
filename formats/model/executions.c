#include "formats/model/executions.h"

#include <stdlib.h>

#include "formats/base/records.h"

#define BLOCKS "block_executions"
#define EDGES  "edge_executions"

static const struct ft_field index_fields[] = {{"function", 0, FT_FIELD_U32, 0}};
static const struct ft_record_type index_type = {sizeof(uint32_t), index_fields, 1};

void ft_executions_fini(struct ft_model_executions *executions)
{
    free(executions->blocks);
    free(executions->edges);
    free(executions->functions);
    *executions = (struct ft_model_executions){0};
}

int ft_executions_write(hid_t model, const struct ft_model_executions *executions,
                        size_t block_count, size_t edge_count, struct ft_diag *diag)
{
    const struct ft_records tables[] = {{BLOCKS, &index_type, executions->blocks, block_count},
                                        {EDGES, &index_type, executions->edges, edge_count}};
    if (executions->count == 0)
        return FT_OK;
    return ft_records_write_all(model, tables, sizeof tables / sizeof *tables, diag);
}

/* One function more than the last one that is named. */
static size_t count_functions(const uint32_t *indices, size_t count, size_t before)
{
    for (size_t i = 0; i < count; i++)
        before = indices[i] >= before ? (size_t)indices[i] + 1 : before;
    return before;
}

int ft_executions_read(hid_t model, struct ft_model_executions *ret_executions, size_t block_count,
                       size_t edge_count, struct ft_diag *diag)
{
    struct ft_model_executions executions = {0};
    *ret_executions = executions;
    if (H5Lexists(model, BLOCKS, H5P_DEFAULT) <= 0)
        return FT_OK;
    int status = ft_records_read_exactly(model, BLOCKS, &index_type, block_count,
                                         (void **)&executions.blocks, diag);
    if (!status)
        status = ft_records_read_exactly(model, EDGES, &index_type, edge_count,
                                         (void **)&executions.edges, diag);
    if (!status) {
        executions.count = count_functions(executions.blocks, block_count, 0);
        executions.count = count_functions(executions.edges, edge_count, executions.count);
        if (executions.count > block_count + edge_count)
            status = ft_fail(diag, FT_ERROR_DATA, "block executions: no such function");
    }
    if (!status) {
        executions.functions = calloc(executions.count + 1, sizeof *executions.functions);
        status = executions.functions ? FT_OK : ft_fail_memory(diag, "the executions of blocks");
    }
    if (status)
        ft_executions_fini(&executions);
    *ret_executions = executions;
    return status;
}
