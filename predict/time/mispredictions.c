#include "predict/time/mispredictions.h"

#include <math.h>
#include <stdlib.h>

/* Iterations that predictors remember: the end of a shorter loop is foreseen. */
#define REMEMBERED 24.0

/* Sampled executions from which on a rate is taken from them. */
#define SAMPLED_MIN 64U

/* Loops whose lengths differ by less are as long as each other. */
#define SAME_LENGTH 1.1

/* Where a block is left to. */
struct exits {
    double all, most; /* executions of its edges, and of the most frequent */
    uint32_t count;
    bool follows_size; /* all of them are exact functions of the size */
};

/* Of a block: at a point, and in the largest run that was recorded. */
struct decision {
    struct exits at, recorded;
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

static void add_exit(struct exits *exits, double count, bool follows_size)
{
    exits->follows_size = (exits->count == 0 || exits->follows_size) && follows_size;
    exits->count++;
    exits->all += count;
    exits->most = fmax(exits->most, count);
}

static void add_edges(const struct ft_model *model, const struct ft_point *at,
                      struct decision *decisions)
{
    for (size_t e = 0; e < model->scopes.edge_count; e++) {
        const struct ft_block_edge *edge = &model->scopes.edges[e];
        const struct ft_function *function =
            &model->executions.functions[model->executions.edges[e]];
        add_exit(&decisions[edge->from].at, ft_function_at(function, at), function->exact);
        add_exit(&decisions[edge->from].recorded, (double)edge->count, true);
    }
}

/* Of the executions, those that do not go where most do. */
static double minority(const struct exits *exits)
{
    return exits->all > 0 ? 1 - exits->most / exits->all : 0;
}

/* Without sampled outcomes. */
static double mispredictions_by_counts(const struct exits *exits)
{
    const double others = exits->all - exits->most;
    if (exits->follows_size)
        return exits->all > REMEMBERED * others ? others : 0;
    return others;
}

/* The sampled rate, which rises and falls with the share of the outcomes that are less frequent. */
static double mispredictions_by_rate(const struct decision *decision,
                                     const struct ft_block_prediction *sampled)
{
    const double rate = (double)sampled->mispredictions / (double)sampled->branches;
    const double before = minority(&decision->recorded), now = minority(&decision->at);
    const double factor = before > 0 ? now / before : 1;
    return decision->at.all * fmin(rate * factor, 1);
}

/* A loop that was short enough to be remembered may have become too long. */
static bool has_other_length(const struct decision *decision)
{
    const double before = minority(&decision->recorded), now = minority(&decision->at);
    return decision->at.follows_size && fmax(before, now) > SAME_LENGTH * fmin(before, now);
}

static double mispredictions_of(const struct decision *decision,
                                const struct ft_block_prediction *sampled)
{
    return !sampled || sampled->branches < SAMPLED_MIN || has_other_length(decision)
               ? mispredictions_by_counts(&decision->at)
               : mispredictions_by_rate(decision, sampled);
}

int ft_mispredictions_find(const struct ft_model *model, const struct ft_point *at,
                           double *ret_counts, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &model->scopes;
    struct decision *decisions = calloc(scopes->block_count + 1, sizeof *decisions);
    if (!decisions)
        return ft_fail_memory(diag, "the branches of a program");
    add_edges(model, at, decisions);
    const uint8_t *code = scopes->code;
    for (size_t b = 0; b < scopes->block_count; b++) {
        const struct ft_block *block = &scopes->blocks[b];
        const bool is_decided = decisions[b].at.count > 1 && ends_in_decision(block, code);
        ret_counts[b] =
            is_decided ? mispredictions_of(&decisions[b],
                                           scopes->predictions ? &scopes->predictions[b] : NULL)
                       : 0;
        code += block->code_bytes;
    }
    free(decisions);
    return FT_OK;
}
