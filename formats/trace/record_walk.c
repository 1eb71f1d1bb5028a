/*
 * Records are decoded in batches and counted one by one, so that none is visited that exceeds what
 * its chunk counts.
 */
#include "formats/trace/record_walk.h"

#include <stdlib.h>

#include "formats/expand/log_counter.h"
#include "formats/trace/trace_reader.h"

#define BATCH 1024

struct ft_record_walk {
    const struct ft_trace *trace;
    struct ft_log_counter *counter;
    struct ft_log_decoder *decoder;
    struct ft_log_buffer buffer;
    struct ft_record records[BATCH];
};

int ft_record_walk_create(const struct ft_trace *trace, struct ft_record_walk **ret_walk,
                          struct ft_diag *diag)
{
    struct ft_record_walk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return ft_fail_memory(diag, "records");
    walk->trace = trace;
    int status = ft_log_counter_create(ft_trace_units(trace), &walk->counter, diag);
    if (status == FT_OK)
        status = ft_log_decoder_create(ft_trace_units(trace), &walk->decoder, diag);
    if (status < 0) {
        ft_record_walk_destroy(walk);
        return status;
    }
    *ret_walk = walk;
    return FT_OK;
}

void ft_record_walk_destroy(struct ft_record_walk *walk)
{
    if (!walk)
        return;
    ft_log_counter_destroy(walk->counter);
    ft_log_decoder_destroy(walk->decoder);
    ft_log_buffer_fini(&walk->buffer);
    free(walk);
}

/* Counts one record and shows it; totals are of its chunk so far. */
static int walk_record(struct ft_record_walk *walk, const struct ft_record *record,
                       const struct ft_log_totals *max, struct ft_log_state *state,
                       struct ft_log_totals *totals, ft_record_visitor *visit, void *context,
                       struct ft_diag *diag)
{
    struct ft_log_state before = *state;
    uint64_t accesses = totals->accesses, instructions = totals->instructions;
    FT_TRY(ft_log_counter_add(walk->counter, record, max, state, totals, diag));
    struct ft_walked_record walked = {
        .record = record,
        .unit = ft_record_unit(ft_trace_units(walk->trace), record),
        .before = &before,
        .after = state,
        .accesses = totals->accesses - accesses,
        .instructions = totals->instructions - instructions,
    };
    return visit(context, &walked, diag);
}

int ft_record_walk_chunk(struct ft_record_walk *walk, uint32_t thread, size_t index,
                         ft_record_visitor *visit, void *context, struct ft_diag *diag)
{
    const uint8_t *payload;
    struct ft_log_state state;
    FT_TRY(ft_trace_log_read(walk->trace, thread, index, &walk->buffer, &payload, diag));
    const struct ft_chunk_description *chunk = ft_trace_log(walk->trace, thread, index);
    struct ft_log_totals totals = {0};
    int status = ft_log_decoder_start(walk->decoder, payload, chunk->payload_bytes,
                                      chunk->totals.instructions, &state, diag);
    for (size_t count = 1; count && status == FT_OK;) {
        status = ft_log_decoder_next(walk->decoder, walk->records, BATCH, &count, diag);
        for (size_t i = 0; i < count && status == FT_OK; i++)
            status = walk_record(walk, &walk->records[i], &chunk->totals, &state, &totals, visit,
                                 context, diag);
    }
    return status < 0 ? ft_trace_log_fail(walk->trace, thread, index, diag) : status;
}

struct ft_instruction_walk ft_instruction_walk_of(const struct ft_walked_record *walked)
{
    const struct ft_record *record = walked->record;
    return (struct ft_instruction_walk){
        .unit = walked->unit,
        .executed_count =
            record->unit ? walked->unit->instruction_count : (unsigned)record->values[1],
    };
}

const struct ft_instruction *ft_instruction_walk_up_to(struct ft_instruction_walk *walk,
                                                       uint64_t iteration, unsigned index)
{
    if (walk->next_iteration > iteration ||
        (walk->next_iteration == iteration && walk->next > index))
        return NULL;
    const struct ft_instruction *instruction = &walk->unit->instructions[walk->next];
    if (++walk->next >= walk->executed_count) {
        walk->next = 0;
        walk->next_iteration++;
    }
    return instruction;
}

const struct ft_instruction *ft_instruction_walk_on(struct ft_instruction_walk *walk,
                                                    const struct ft_record *record)
{
    bool left_early = record->unit && walk->unit->last_iteration_instructions;
    uint64_t iterations = record->iteration_count + left_early;
    unsigned last_count =
        left_early ? walk->unit->last_iteration_instructions : walk->executed_count;
    if (iterations == 0 || last_count == 0)
        return NULL;
    return ft_instruction_walk_up_to(walk, iterations - 1, last_count - 1);
}
