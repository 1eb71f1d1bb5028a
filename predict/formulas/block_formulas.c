#include "predict/formulas/block_formulas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/scopes/block_index.h"
#include "formats/x86/unit.h"
#include "predict/formulas/heaviest.h"

void ft_block_address_text(char text[FT_BLOCK_ADDRESS_TEXT], const struct ft_scopes *scopes,
                           const struct ft_block *block)
{
    const char *module = block->module == FT_NO_MODULE ? "" : scopes->modules[block->module].name;
    snprintf(text, FT_BLOCK_ADDRESS_TEXT, "%.*s+0x%llx", FT_BLOCK_ADDRESS_TEXT - 20, module,
             (unsigned long long)block->offset);
}

static int add(struct ft_model_formulas *formulas, const struct ft_model *model,
               const struct ft_block *block, const struct ft_block_edge *edge, uint32_t function,
               struct ft_diag *diag)
{
    char from[FT_BLOCK_ADDRESS_TEXT], to[FT_BLOCK_ADDRESS_TEXT];
    struct ft_model_formula formula = {.group = FT_NO_GROUP_SHOWN,
                                       .block = block,
                                       .edge = edge,
                                       .function = model->executions.functions[function],
                                       .ahead = NAN};
    formula.error = formula.function.rms_relative_error;
    ft_block_address_text(from, &model->scopes, block);
    if (edge) {
        ft_block_address_text(to, &model->scopes, &model->scopes.blocks[edge->to]);
        snprintf(formula.what, sizeof formula.what, "executions of %s to %s", from, to);
    } else {
        snprintf(formula.what, sizeof formula.what, "executions of %s", from);
    }
    return ft_model_formulas_append(formulas, &formula, diag);
}

static int add_block(struct ft_model_formulas *formulas, const struct ft_model *model,
                     const struct ft_block_edges *edges, uint32_t index, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    const struct ft_block *block = &scopes->blocks[index];
    int status = add(formulas, model, block, NULL, model->executions.blocks[index], diag);
    for (size_t i = ft_block_edges_find(edges, index, 0); status == FT_OK && i < scopes->edge_count;
         i++) {
        const uint32_t edge = edges->order[i];
        if (scopes->edges[edge].from != index)
            break;
        status =
            add(formulas, model, block, &scopes->edges[edge], model->executions.edges[edge], diag);
    }
    return status;
}

/* By the instructions that they execute at the largest training size; NULL where memory runs out.
 */
static uint32_t *heaviest_first(const struct ft_scopes *scopes)
{
    double *instructions = calloc(scopes->block_count + 1, sizeof *instructions);
    for (size_t i = 0; instructions && i < scopes->block_count; i++)
        instructions[i] =
            (double)scopes->blocks[i].execution_count * scopes->blocks[i].instruction_count;
    uint32_t *order = instructions ? ft_heaviest_first(instructions, scopes->block_count) : NULL;
    free(instructions);
    return order;
}

int ft_block_formulas_add(struct ft_model_formulas *formulas, const struct ft_model *model,
                          size_t limit, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    struct ft_block_edges edges;
    if (limit == 0 || model->executions.count == 0)
        return FT_OK;
    uint32_t *order = heaviest_first(scopes);
    int status = FT_OK;
    if (!ft_block_edges_init(&edges, scopes) || !order)
        status = ft_fail_memory(diag, "formulas");
    for (size_t i = 0; status == FT_OK && i < limit && i < scopes->block_count; i++)
        status = add_block(formulas, model, &edges, order[i], diag);
    ft_block_edges_fini(&edges);
    free(order);
    return status;
}
