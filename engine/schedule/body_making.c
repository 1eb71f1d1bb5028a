/*
 * Registers are renamed: an operation waits for the last one before it that writes a place it
 * reads, in this iteration or, for what is read before it is written, in the one before.
 */
#include "engine/schedule/body_making.h"

#include <stdlib.h>

#include "engine/schedule/body_building.h"

/* ---- operations ---- */

static void add_operations(struct ft_body_builder *builder)
{
    struct ft_body *body = builder->body;
    for (uint32_t i = 0; i < builder->path->count; i++) {
        const bool fused = ft_body_is_fused(builder, i);
        struct ft_body_instruction *instruction = &builder->instructions[i];
        ft_body_add_operations(builder, i, fused ? instruction + 1 : NULL);
        if (fused) {
            instruction[1].compute = instruction->compute;
            i++;
        }
        if (builder->path->code[i].taken)
            body->operations[body->operation_count - 1].taken = true;
    }
}

/* ---- edges through registers ---- */

/* Operation that gives the result of an instruction. */
static uint32_t result_of(const struct ft_body_instruction *instruction)
{
    return instruction->compute != FT_NO_OPERATION ? instruction->compute : instruction->load;
}

struct writers {
    uint32_t operation[FT_PLACE_REGISTERS]; /* FT_NO_OPERATION: none yet */
    uint32_t distance[FT_PLACE_REGISTERS];
};

/* Cycles from the start of an operation to that of one that waits for its result. */
static double latency_between(const struct ft_operation *from, const struct ft_operation *to)
{
    return from->chained_cycles > 0 && to->chained_cycles > 0 ? from->chained_cycles
                                                              : from->latency_cycles;
}

static bool add_reads(struct ft_body_builder *builder, const struct writers *writers,
                      uint64_t places, uint32_t to)
{
    const struct ft_body *body = builder->body;
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++) {
        const uint32_t from = writers->operation[place];
        if (!(places & UINT64_C(1) << place) || from == FT_NO_OPERATION || to == FT_NO_OPERATION)
            continue;
        const struct ft_operation_edge edge = {
            .from = from,
            .to = to,
            .distance = writers->distance[place],
            .cycles = latency_between(&body->operations[from], &body->operations[to]),
            .place = (uint8_t)place};
        if (!ft_body_add_edge(builder, &edge))
            return false;
    }
    return true;
}

static void note_writes(struct writers *writers, const struct ft_body_instruction *instruction)
{
    const uint32_t result = result_of(instruction);
    for (unsigned place = 0; result != FT_NO_OPERATION && place < FT_PLACE_REGISTERS; place++)
        if (instruction->written & UINT64_C(1) << place) {
            writers->operation[place] = result;
            writers->distance[place] = 0;
        }
}

/* From load to compute to store of one instruction. */
static bool add_inner_edges(struct ft_body_builder *builder,
                            const struct ft_body_instruction *instruction)
{
    const struct ft_operation *operations = builder->body->operations;
    const uint32_t steps[3] = {instruction->load, instruction->compute, instruction->store};
    uint32_t last = FT_NO_OPERATION;
    for (int i = 0; i < 3; i++) {
        if (steps[i] == FT_NO_OPERATION)
            continue;
        if (last != FT_NO_OPERATION &&
            !ft_body_add_edge(builder,
                              &(struct ft_operation_edge){.from = last,
                                                          .to = steps[i],
                                                          .cycles = operations[last].latency_cycles,
                                                          .place = FT_NO_PLACE}))
            return false;
        last = steps[i];
    }
    return true;
}

static bool add_register_edges(struct ft_body_builder *builder)
{
    struct writers writers;
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++)
        writers.operation[place] = FT_NO_OPERATION;
    for (uint32_t i = 0; builder->path->repeats && i < builder->path->count; i++)
        note_writes(&writers, &builder->instructions[i]);
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++)
        writers.distance[place] = 1;
    for (uint32_t i = 0; i < builder->path->count; i++) {
        const struct ft_body_instruction *instruction = &builder->instructions[i];
        const uint32_t data =
            instruction->compute != FT_NO_OPERATION ? instruction->compute : instruction->store;
        const bool is_pair_end = i > 0 && instruction->compute != FT_NO_OPERATION &&
                                 instruction->compute == builder->instructions[i - 1].compute;
        if (is_pair_end)
            continue;
        if (!add_reads(builder, &writers, instruction->address_read, instruction->load) ||
            !add_reads(builder, &writers, instruction->address_read, instruction->store) ||
            !add_reads(builder, &writers, instruction->data_read, data) ||
            !add_inner_edges(builder, instruction))
            return false;
        note_writes(&writers, instruction);
    }
    return true;
}

/* ---- the module's functions ---- */

static int build(struct ft_body_builder *builder, struct ft_diag *diag)
{
    struct ft_body *body = builder->body;
    const uint32_t count = builder->path->count;
    builder->instructions = calloc(count + 1U, sizeof *builder->instructions);
    body->operations = calloc(3 * (size_t)count + 1, sizeof *body->operations);
    if (!builder->instructions || !body->operations)
        return ft_fail_memory(diag, "a schedule");
    for (uint32_t i = 0; i < count; i++)
        FT_TRY(ft_body_instruction_read(body->core, &builder->path->code[i],
                                        &builder->instructions[i], diag));
    add_operations(builder);
    return ft_body_find_fetch_cycles(builder) && add_register_edges(builder) &&
                   ft_body_add_memory(builder)
               ? FT_OK
               : ft_fail_memory(diag, "a schedule");
}

int ft_body_make(const struct ft_core *core, const struct ft_body_path *path,
                 struct ft_body *ret_body, struct ft_diag *diag)
{
    struct ft_body body = {.core = core, .instruction_count = path->count};
    struct ft_body_builder builder = {.body = &body, .path = path};
    int status = build(&builder, diag);
    free(builder.instructions);
    if (status == FT_OK)
        *ret_body = body;
    else
        ft_body_fini(&body);
    return status;
}
