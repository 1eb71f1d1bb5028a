#include "predict/formulas/block_formulas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/code/unit.h"

#define NAME_BYTES 36 /* of a module */

struct heavy_block {
    double instructions; /* at the largest training size */
    uint32_t block;
};

static int compare(const void *left, const void *right)
{
    const struct heavy_block *a = left, *b = right;
    if (a->instructions != b->instructions)
        return a->instructions < b->instructions ? 1 : -1;
    return a->block < b->block ? -1 : 1;
}

/* "matmul+0x11a0"; code that is of no module has its address alone. */
static void block_text(char *text, size_t bytes, const struct ft_scopes *scopes,
                       const struct ft_block *block)
{
    const char *module = block->module == FT_NO_MODULE ? "" : scopes->modules[block->module].name;
    snprintf(text, bytes, "%.*s+0x%llx", NAME_BYTES - 20, module,
             (unsigned long long)block->offset);
}

static int add(struct ft_model_formulas *formulas, const struct ft_model *model,
               const struct ft_block *block, const struct ft_block_edge *edge, uint32_t function,
               struct ft_diag *diag)
{
    char from[NAME_BYTES], to[NAME_BYTES];
    struct ft_model_formula formula = {.group = FT_NO_GROUP_SHOWN,
                                       .block = block,
                                       .edge = edge,
                                       .function = model->executions.functions[function],
                                       .ahead = NAN};
    formula.error = formula.function.rms_relative_error;
    block_text(from, sizeof from, &model->scopes, block);
    if (edge) {
        block_text(to, sizeof to, &model->scopes, &model->scopes.blocks[edge->to]);
        snprintf(formula.what, sizeof formula.what, "executions of %s to %s", from, to);
    } else {
        snprintf(formula.what, sizeof formula.what, "executions of %s", from);
    }
    return ft_model_formulas_append(formulas, &formula, diag);
}

static int add_block(struct ft_model_formulas *formulas, const struct ft_model *model,
                     uint32_t index, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    const struct ft_block *block = &scopes->blocks[index];
    int status = add(formulas, model, block, NULL, model->executions.blocks[index], diag);
    for (size_t i = 0; status == FT_OK && i < scopes->edge_count; i++)
        if (scopes->edges[i].from == index)
            status =
                add(formulas, model, block, &scopes->edges[i], model->executions.edges[i], diag);
    return status;
}

int ft_block_formulas_add(struct ft_model_formulas *formulas, const struct ft_model *model,
                          size_t limit, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    if (limit == 0 || model->executions.count == 0)
        return FT_OK;
    struct heavy_block *blocks = calloc(scopes->block_count + 1, sizeof *blocks);
    if (!blocks)
        return ft_fail_memory(diag, "formulas");
    for (uint32_t i = 0; i < scopes->block_count; i++)
        blocks[i] = (struct heavy_block){
            (double)scopes->blocks[i].execution_count * scopes->blocks[i].instruction_count, i};
    qsort(blocks, scopes->block_count, sizeof *blocks, compare);
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < limit && i < scopes->block_count; i++)
        status = add_block(formulas, model, blocks[i].block, diag);
    free(blocks);
    return status;
}
