#include "engine/schedule/body_building.h"

#include <stdlib.h>

bool ft_body_add_edge(struct ft_body_builder *builder, const struct ft_operation_edge *edge)
{
    struct ft_body *body = builder->body;
    if (edge->from == FT_NO_OPERATION || edge->to == FT_NO_OPERATION)
        return true;
    if (body->edge_count == builder->edge_capacity) {
        const size_t capacity = builder->edge_capacity ? 2 * builder->edge_capacity : 64;
        struct ft_operation_edge *edges = realloc(body->edges, capacity * sizeof *edges);
        if (!edges)
            return false;
        body->edges = edges;
        builder->edge_capacity = capacity;
    }
    body->edges[body->edge_count++] = *edge;
    return true;
}

/* An instruction that adds a register to memory was measured not to be. */
bool ft_body_is_direct(const struct ft_body_instruction *instruction)
{
    const uint64_t registers = (UINT64_C(1) << FT_REGISTER_COUNT) - 1;
    if (instruction->has_vectors ||
        (instruction->loads && instruction->stores && (instruction->data_read & registers)))
        return false;
    for (unsigned a = 0; a < instruction->instruction.access_count; a++) {
        const struct ft_access *access = &instruction->instruction.accesses[a];
        if (access->base >= FT_REGISTER_COUNT || access->index < FT_REGISTER_COUNT)
            return false;
    }
    return true;
}

double ft_body_forward_cycles(const struct ft_core *core, const struct ft_body_instruction *load)
{
    return load->has_vectors ? core->vector_forward_cycles : core->forward_cycles;
}

/* What waits for the load's result also waits for what the store forwards; the load itself doesn't
 * wait: processors foretell which loads meet which stores. */
bool ft_body_add_flow(struct ft_body_builder *builder, const struct ft_body_flow *flow)
{
    const struct ft_body *body = builder->body;
    const uint32_t from = builder->instructions[flow->store].store;
    const uint32_t load = builder->instructions[flow->load].load;
    const bool is_renamed = body->core->renames_memory &&
                            ft_body_is_direct(&builder->instructions[flow->store]) &&
                            ft_body_is_direct(&builder->instructions[flow->load]);
    const double cycles =
        is_renamed ? 0 : ft_body_forward_cycles(body->core, &builder->instructions[flow->load]);
    const size_t count = body->edge_count;
    for (size_t e = 0; load != FT_NO_OPERATION && e < count; e++) {
        const struct ft_operation_edge through = body->edges[e];
        if (through.from == load &&
            !ft_body_add_edge(
                builder, &(struct ft_operation_edge){.from = from,
                                                     .to = through.to,
                                                     .distance = flow->distance + through.distance,
                                                     .cycles = cycles,
                                                     .place = FT_NO_PLACE}))
            return false;
    }
    return true;
}

bool ft_body_is_fused(const struct ft_body_builder *builder, uint32_t i)
{
    if (i + 1 >= builder->path->count)
        return false;
    const struct ft_body_instruction *instruction = &builder->instructions[i];
    return instruction->fuses && !instruction->stores &&
           builder->instructions[i + 1].instruction.flow == FT_FLOW_BRANCH &&
           !builder->instructions[i + 1].flow.effect.is_counted_branch;
}
