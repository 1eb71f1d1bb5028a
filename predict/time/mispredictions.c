#include "predict/time/mispredictions.h"

#include <math.h>
#include <stdlib.h>

/* Iterations that predictors remember: the end of a shorter loop is foreseen. */
#define REMEMBERED 24.0

/* Where a block is left to. */
struct exits {
    double all, most; /* executions of its edges, and of the most frequent */
    uint32_t count;
    bool follows_size; /* all of them are exact functions of the size */
};

static bool is_decision(uint8_t flow)
{
    return flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP_INDIRECT || flow == FT_FLOW_CALL_INDIRECT;
}

/* Whether a block ends where the core has to foresee which way it goes on. */
static bool ends_in_decision(const struct ft_block *block, const uint8_t *code)
{
    struct ft_instruction instruction = {0};
    for (uint32_t at = 0; at < block->code_bytes; at += instruction.length)
        if (ft_instruction_decode(code + at, block->code_bytes - at, block->offset + at,
                                  &instruction, NULL) != FT_OK)
            return false;
    return is_decision(instruction.flow);
}

static void add_edges(const struct ft_model *model, const struct ft_point *at, struct exits *exits)
{
    for (size_t e = 0; e < model->scopes.edge_count; e++) {
        const struct ft_function *function =
            &model->executions.functions[model->executions.edges[e]];
        struct exits *from = &exits[model->scopes.edges[e].from];
        const double count = ft_function_at(function, at);
        from->follows_size = (from->count == 0 || from->follows_size) && function->exact;
        from->count++;
        from->all += count;
        from->most = fmax(from->most, count);
    }
}

static double mispredictions_of(const struct exits *exits)
{
    const double others = exits->all - exits->most;
    if (exits->follows_size)
        return exits->all > REMEMBERED * others ? others : 0;
    return others;
}

int ft_mispredictions_add(const struct ft_model *model, const struct ft_point *at,
                          double *ret_counts, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    struct exits *exits = calloc(scopes->block_count + 1, sizeof *exits);
    if (!exits)
        return ft_fail_memory(diag, "the branches of a program");
    add_edges(model, at, exits);
    const uint8_t *code = scopes->code;
    for (size_t b = 0; b < scopes->block_count; b++) {
        if (exits[b].count > 1 && ends_in_decision(&scopes->blocks[b], code))
            ret_counts[scopes->blocks[b].scope] += mispredictions_of(&exits[b]);
        code += scopes->blocks[b].code_bytes;
    }
    free(exits);
    return FT_OK;
}
