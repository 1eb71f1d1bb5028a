/*
 * Per block that has masked operations: mask registers get a new number when they are written. Two
 * instructions are under the same mask if they use the same register with the same number.
 */
#include "engine/program/mix/masked_lanes.h"

#include <string.h>

#include "formats/x86/value_flow.h"

#define MASKS 8

bool ft_access_reveals_lanes(const struct ft_instruction *instruction, unsigned access_index)
{
    const struct ft_access *access = &instruction->accesses[access_index];
    const bool by_lane = access->mode == FT_ACCESS_MASKED || access->mode == FT_ACCESS_PACKED ||
                         access->mode == FT_ACCESS_GATHER;
    return by_lane && access->mask_is_k && access->elements == access->lanes;
}

unsigned ft_masked_operation_lanes(const struct ft_instruction *instruction)
{
    static const uint8_t bits[FT_NUMBER_TYPES] = {
        [FT_F16] = 16, [FT_F32] = 32, [FT_F64] = 64, [FT_I8] = 8,
        [FT_I16] = 16, [FT_I32] = 32, [FT_I64] = 64,
    };
    static const unsigned widths[FT_OPERATION_WIDTHS] = {
        [FT_WIDTH_128] = 128, [FT_WIDTH_256] = 256, [FT_WIDTH_512] = 512};
    if (!instruction->masked || instruction->number_type == FT_NO_NUMBER ||
        !bits[instruction->number_type])
        return 0;
    const unsigned lanes =
        instruction->operation_width == FT_WIDTH_SCALAR
            ? 1
            : widths[instruction->operation_width] / bits[instruction->number_type];
    const bool is_fused = instruction->mix_class == FT_MIX_FP_FMA;
    return instruction->operations == (is_fused ? 2 * lanes : lanes) ? lanes : 0;
}

/* What a block's instructions say of one mask: a value of a register. */
struct mask {
    unsigned lanes;    /* of the vectors; 0: none said yet */
    uint64_t accessed; /* lanes that it leaves */
};

struct walk {
    const struct ft_flow_graph *graph;
    const uint64_t *accessed;
    uint64_t *lanes; /* [instruction], the caller's */
    struct mask masks[MASKS];
    uint32_t since[MASKS]; /* the instruction behind which a register has its value */
};

/* The only mask register that an instruction reads, or MASKS. */
static unsigned mask_of(const struct ft_value_flow *flow)
{
    const uint64_t read = flow->read >> FT_PLACE_MASKS & ((1U << MASKS) - 1);
    return read && !(read & (read - 1)) ? (unsigned)__builtin_ctzll(read) : MASKS;
}

/* Instructions since the mask was written are under it too, those before the access among them. */
static int reveal(struct walk *walk, uint32_t first, uint32_t end, unsigned mask,
                  const struct mask *revealed, struct ft_diag *diag)
{
    for (uint32_t i = first; i < end; i++) {
        struct ft_value_flow flow;
        const struct ft_instruction *instruction = walk->graph->instructions[i];
        if (ft_masked_operation_lanes(instruction) != revealed->lanes)
            continue;
        int status = ft_value_flow_decode(ft_unit_code(walk->graph->units[i], instruction),
                                          instruction->length, instruction->pc, &flow, diag);
        if (status)
            return status;
        if (mask_of(&flow) == mask)
            walk->lanes[i] = revealed->accessed;
    }
    return FT_OK;
}

/* The lanes that the accesses of an instruction under a mask tell. */
static struct mask revealed_by(const struct walk *walk, uint32_t i)
{
    const struct ft_instruction *instruction = walk->graph->instructions[i];
    for (unsigned a = 0; a < instruction->access_count; a++)
        if (ft_access_reveals_lanes(instruction, a) && walk->accessed[i] != FT_LANES_UNKNOWN)
            return (struct mask){instruction->accesses[a].lanes, walk->accessed[i]};
    return (struct mask){0};
}

static int walk_block(struct walk *walk, const struct ft_flow_block *block, struct ft_diag *diag)
{
    const uint32_t end = block->first_instruction + block->instruction_count;
    int status = FT_OK;
    memset(walk->masks, 0, sizeof walk->masks);
    for (unsigned k = 0; k < MASKS; k++)
        walk->since[k] = block->first_instruction;
    for (uint32_t i = block->first_instruction; !status && i < end; i++) {
        const struct ft_instruction *instruction = walk->graph->instructions[i];
        struct ft_value_flow flow;
        status = ft_value_flow_decode(ft_unit_code(walk->graph->units[i], instruction),
                                      instruction->length, instruction->pc, &flow, diag);
        if (status)
            return status;
        const unsigned mask = mask_of(&flow);
        const struct mask revealed = revealed_by(walk, i);
        if (mask < MASKS && revealed.lanes) {
            walk->masks[mask] = revealed;
            status = reveal(walk, walk->since[mask], i, mask, &revealed, diag);
        }
        if (mask < MASKS && walk->masks[mask].lanes &&
            ft_masked_operation_lanes(instruction) == walk->masks[mask].lanes)
            walk->lanes[i] = walk->masks[mask].accessed;
        for (unsigned k = 0; k < MASKS; k++)
            if (flow.written >> (FT_PLACE_MASKS + k) & 1) {
                walk->masks[k] = (struct mask){0};
                walk->since[k] = i + 1;
            }
    }
    return status;
}

/* Whether a block has operations under a mask, and accesses that may tell of it. */
static bool is_worth_it(const struct walk *walk, const struct ft_flow_block *block)
{
    bool operates = false, is_informative = false;
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        const uint32_t index = block->first_instruction + i;
        operates = operates || ft_masked_operation_lanes(walk->graph->instructions[index]);
        is_informative = is_informative || revealed_by(walk, index).lanes;
    }
    return operates && is_informative;
}

int ft_masked_lanes_find(const struct ft_flow_graph *graph, const uint64_t *accessed,
                         uint64_t *ret_lanes, struct ft_diag *diag)
{
    struct walk walk = {.graph = graph, .accessed = accessed, .lanes = ret_lanes};
    int status = FT_OK;
    for (size_t i = 0; i < graph->instruction_count; i++)
        ret_lanes[i] = FT_LANES_UNKNOWN;
    for (size_t b = 0; !status && b < graph->block_count; b++)
        if (is_worth_it(&walk, &graph->blocks[b]))
            status = walk_block(&walk, &graph->blocks[b], diag);
    return status;
}
