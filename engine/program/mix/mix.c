/*
 * Mixes of instructions, summed by block, and of blocks, summed by scope.
 */
#include "engine/program/mix/mix.h"

#include <stdlib.h>

#include "engine/program/mix/masked_lanes.h"

const char *const ft_mix_access_width_names[FT_MIX_ACCESS_WIDTHS] = {
    "1", "2", "4", "8", "16", "32", "64", "other",
};

void ft_mix_add_instruction(struct ft_mix *mix, const struct ft_instruction *instruction,
                            uint64_t times)
{
    mix->instructions += times;
    mix->classes[instruction ? instruction->mix_class : FT_MIX_OTHER] += times;
    if (!instruction || instruction->number_type == FT_NO_NUMBER)
        return;
    const uint64_t operations = times * instruction->operations;
    mix->operations[instruction->number_type][instruction->operation_width] += operations;
    if (instruction->number_type <= FT_X87) {
        mix->flops += operations;
        mix->masked_flops += instruction->masked ? operations : 0;
    } else {
        mix->integer_operations += operations;
        mix->masked_integer_operations += instruction->masked ? operations : 0;
    }
}

void ft_mix_leave_out(struct ft_mix *mix, const struct ft_instruction *instruction, uint64_t times,
                      uint64_t lanes)
{
    const unsigned all = ft_masked_operation_lanes(instruction);
    if (all == 0 || lanes > times * all)
        return;
    const uint64_t counted = times * instruction->operations;
    const uint64_t left_out = counted - lanes * (instruction->operations / all);
    mix->operations[instruction->number_type][instruction->operation_width] -= left_out;
    if (instruction->number_type <= FT_X87) {
        mix->flops -= left_out;
        mix->masked_flops -= counted;
    } else {
        mix->integer_operations -= left_out;
        mix->masked_integer_operations -= counted;
    }
}

static unsigned width_of(uint32_t size_bytes)
{
    bool is_power = size_bytes && !(size_bytes & (size_bytes - 1)) && size_bytes <= 64;
    return is_power ? (unsigned)__builtin_ctz(size_bytes) : FT_MIX_ACCESS_WIDTHS - 1;
}

void ft_mix_add_accesses(struct ft_mix *mix, enum ft_access_kind kind, uint32_t size_bytes,
                         uint64_t times)
{
    if (kind == FT_PREFETCH || kind == FT_FETCH)
        return;
    struct ft_mix_accesses *accesses = kind == FT_LOAD ? &mix->loads : &mix->stores;
    mix->classes[kind == FT_LOAD ? FT_MIX_LOAD : FT_MIX_STORE] += times;
    accesses->count += times;
    accesses->bytes += times * size_bytes;
    accesses->count_by_width[width_of(size_bytes)] += times;
    accesses->bytes_by_width[width_of(size_bytes)] += times * size_bytes;
}

void ft_mix_add(struct ft_mix *sum, const struct ft_mix *mix)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)mix;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

void ft_mix_of_code(const struct ft_flow_graph *graph, uint32_t block, struct ft_mix *ret_mix)
{
    const struct ft_flow_block *from = &graph->blocks[block];
    *ret_mix = (struct ft_mix){0};
    for (uint32_t i = 0; i < from->instruction_count; i++) {
        const struct ft_instruction *instruction = graph->instructions[from->first_instruction + i];
        if (!instruction->accesses_only)
            ft_mix_add_instruction(ret_mix, instruction, 1);
        for (unsigned a = 0; a < instruction->access_count; a++)
            ft_mix_add_accesses(ret_mix, instruction->accesses[a].kind,
                                instruction->accesses[a].size_bytes,
                                instruction->accesses[a].elements);
    }
}

int ft_mix_of_scopes(const struct ft_scopes *scopes, const struct ft_mix *block_mixes,
                     struct ft_mix **ret_mixes, struct ft_diag *diag)
{
    struct ft_mix *mixes = calloc(scopes->scope_count + 1, sizeof *mixes);
    if (!mixes)
        return ft_fail_memory(diag, "the instruction mix");
    for (size_t b = 0; b < scopes->block_count; b++)
        ft_mix_add(&mixes[scopes->blocks[b].scope], &block_mixes[b]);
    for (size_t i = scopes->scope_count; i-- > 1;) /* parents come before children */
        ft_mix_add(&mixes[scopes->scopes[i].parent], &mixes[i]);
    *ret_mixes = mixes;
    return FT_OK;
}
