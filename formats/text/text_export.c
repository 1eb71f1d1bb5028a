/*
 * Records are counted, so that none goes beyond what its chunk counts, and stepped through
 * instruction by instruction. What one loads and then stores at the
 * same address by the same operand (add to memory) is one item where the format has a word for it:
 * the load is held back until it is known what follows.
 */
#include "formats/text/text_export.h"

#include <stdlib.h>

#include "formats/code/expand.h"
#include "formats/trace/log_counter.h"
#include "formats/trace/trace_reader.h"

#define BATCH   1024
#define STOPPED 1 /* what a visitor returns where the stream takes no more */

struct exporter {
    const struct ft_trace *trace;
    const struct ft_text_format *format;
    bool with_instructions;
    FILE *stream;
    struct ft_log_counter *counter;
    struct ft_log_decoder *decoder;
    struct ft_log_buffer buffer;
    struct ft_record records[BATCH];
    struct ft_log_totals totals, most; /* of the chunk at hand: so far, and as it says */
    /* The record at hand: */
    const struct ft_unit *unit;
    unsigned instruction_limit; /* how many of the unit's ran */
    unsigned next_instruction;  /* the first that is not written yet */
    uint64_t next_iteration;
    struct ft_text_item load; /* held back */
    bool holds_load;
};

static void write_item(struct exporter *exporter, const struct ft_text_item *item)
{
    char text[FT_TEXT_ITEM_BYTES];
    char *end = exporter->format->write(item, text);
    (void)fwrite(text, 1, (size_t)(end - text), exporter->stream); /* the stream keeps its error */
}

static void release_load(struct exporter *exporter)
{
    if (exporter->holds_load)
        write_item(exporter, &exporter->load);
    exporter->holds_load = false;
}

/* Writes the instructions that were executed up to one, that one included. */
static void write_up_to(struct exporter *exporter, uint64_t iteration, unsigned index)
{
    while (exporter->next_iteration < iteration ||
           (exporter->next_iteration == iteration && exporter->next_instruction <= index)) {
        const struct ft_instruction *instruction =
            &exporter->unit->instructions[exporter->next_instruction];
        release_load(exporter);
        struct ft_text_item item = {.pc = instruction->pc,
                                    .address = instruction->pc,
                                    .size_bytes = instruction->length,
                                    .kind = FT_TEXT_INSTRUCTION};
        if (exporter->with_instructions && !instruction->accesses_only)
            write_item(exporter, &item);
        if (++exporter->next_instruction >= exporter->instruction_limit) {
            exporter->next_instruction = 0;
            exporter->next_iteration++;
        }
    }
}

static bool same_operand(const struct ft_access *a, const struct ft_access *b)
{
    return a->mode == b->mode && a->mode != FT_ACCESS_STRING && a->base == b->base &&
           a->index == b->index && a->scale == b->scale && a->fs == b->fs &&
           a->address_is_32_bit == b->address_is_32_bit && a->displacement == b->displacement &&
           a->slot == b->slot && a->size_bytes == b->size_bytes;
}

/* Whether an instruction stores where it has just loaded. */
static bool modifies(const struct ft_instruction *instruction)
{
    for (unsigned a = 1; a < instruction->access_count; a++)
        if (instruction->accesses[a - 1].kind == FT_LOAD &&
            instruction->accesses[a].kind == FT_STORE &&
            same_operand(&instruction->accesses[a - 1], &instruction->accesses[a]))
            return true;
    return false;
}

static int visit(void *context, const struct ft_expanded_access *access)
{
    struct exporter *exporter = context;
    write_up_to(exporter, access->iteration, access->instruction);
    struct ft_text_item item = {.pc = access->pc,
                                .address = access->address,
                                .size_bytes = access->size_bytes,
                                .kind = access->kind};
    if (exporter->holds_load && access->kind == FT_STORE &&
        exporter->load.address == access->address &&
        exporter->load.size_bytes == access->size_bytes) {
        item.kind = FT_TEXT_MODIFY;
        exporter->holds_load = false;
    }
    release_load(exporter);
    if (access->kind == FT_LOAD && modifies(&exporter->unit->instructions[access->instruction])) {
        exporter->load = item;
        exporter->holds_load = true;
    } else {
        write_item(exporter, &item);
    }
    return ferror(exporter->stream) ? STOPPED : 0;
}

static int export_record(struct exporter *exporter, const struct ft_record *record,
                         struct ft_log_state *state, struct ft_diag *diag)
{
    struct ft_log_state before = *state;
    int status = ft_log_counter_add(exporter->counter, record, &exporter->most, state,
                                    &exporter->totals, diag);
    exporter->unit = ft_record_unit(ft_trace_units(exporter->trace), record);
    exporter->next_instruction = 0;
    exporter->next_iteration = 0;
    if (status || !exporter->unit)
        return status;
    exporter->instruction_limit =
        record->unit ? exporter->unit->instruction_count : (unsigned)record->values[1];
    status = ft_unit_step(exporter->unit, record, &before, visit, exporter, diag);
    if (!status && record->iteration_count && exporter->instruction_limit)
        write_up_to(exporter, record->iteration_count - 1, exporter->instruction_limit - 1);
    release_load(exporter);
    return status;
}

static int export_chunk(struct exporter *exporter, uint32_t thread, size_t index,
                        struct ft_diag *diag)
{
    const uint8_t *payload;
    struct ft_log_state state;
    int status =
        ft_trace_log_read(exporter->trace, thread, index, &exporter->buffer, &payload, diag);
    if (status)
        return status;
    const struct ft_chunk_description *chunk = ft_trace_log(exporter->trace, thread, index);
    exporter->most = chunk->totals;
    exporter->totals = (struct ft_log_totals){0};
    status = ft_log_decoder_start(exporter->decoder, payload, chunk->payload_bytes,
                                  chunk->totals.instructions, &state, diag);
    for (size_t count = 1; count && !status;) {
        status = ft_log_decoder_next(exporter->decoder, exporter->records, BATCH, &count, diag);
        for (size_t i = 0; i < count && !status; i++)
            status = export_record(exporter, &exporter->records[i], &state, diag);
        if (!status && ferror(exporter->stream))
            status = STOPPED;
    }
    return status < 0 ? ft_trace_log_fail(exporter->trace, thread, index, diag) : status;
}

int ft_text_export(const struct ft_trace *trace, uint32_t thread,
                   const struct ft_text_format *format, bool with_instructions, FILE *stream,
                   struct ft_diag *diag)
{
    struct exporter *exporter = calloc(1, sizeof *exporter);
    if (!exporter)
        return ft_fail_memory(diag, "export");
    exporter->trace = trace;
    exporter->format = format;
    exporter->with_instructions = with_instructions;
    exporter->stream = stream;
    int status = ft_log_decoder_create(ft_trace_units(trace), &exporter->decoder, diag);
    if (!status)
        status = ft_log_counter_create(ft_trace_units(trace), &exporter->counter, diag);
    if (!status && format->header)
        fputs(format->header, stream);
    for (size_t i = 0; !status && i < ft_trace_log_count(trace, thread); i++)
        status = export_chunk(exporter, thread, i, diag);
    ft_log_counter_destroy(exporter->counter);
    ft_log_decoder_destroy(exporter->decoder);
    ft_log_buffer_fini(&exporter->buffer);
    free(exporter);
    return status == STOPPED ? FT_OK : status;
}
