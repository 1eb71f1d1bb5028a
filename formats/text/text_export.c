/*
 * Records are stepped through instruction by instruction. What one loads and then stores at the
 * same address by the same operand (add to memory) is one item where the format has a word for it:
 * the load is held back until it is known what follows.
 */
#include "formats/text/text_export.h"

#include "formats/expand/expand.h"
#include "formats/expand/known_effects.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"

#define STOPPED 1 /* what a visitor returns where the stream takes no more */

struct exporter {
    const struct ft_text_format *format;
    bool with_instructions;
    FILE *stream;
    void *writer; /* of formats that have one */
    struct ft_known_effects effects;
    const struct ft_unit *unit;      /* of the record at hand */
    struct ft_instruction_walk walk; /* what is written of it */
    struct ft_written_item load;     /* held back */
    bool holds_load;
    int status; /* of the writer: the first failure */
    struct ft_diag *diag;
};

static void write_item(struct exporter *exporter, const struct ft_written_item *written)
{
    char text[FT_TEXT_ITEM_BYTES];
    if (exporter->writer) {
        if (!exporter->status)
            exporter->status =
                exporter->format->writer->add(exporter->writer, written, exporter->diag);
        return;
    }
    char *end = exporter->format->write(&written->item, text);
    (void)fwrite(text, 1, (size_t)(end - text), exporter->stream); /* the stream keeps its error */
}

static bool has_stopped(const struct exporter *exporter)
{
    return exporter->status || ferror(exporter->stream);
}

static void release_load(struct exporter *exporter)
{
    if (exporter->holds_load)
        write_item(exporter, &exporter->load);
    exporter->holds_load = false;
}

/* Writes an instruction that was executed; what was held back stood before it. */
static void write_instruction(struct exporter *exporter, const struct ft_instruction *instruction)
{
    release_load(exporter);
    const struct ft_written_item written = {
        .item = {.pc = instruction->pc,
                 .address = instruction->pc,
                 .size_bytes = instruction->length,
                 .kind = FT_TEXT_INSTRUCTION},
        .unit = exporter->unit,
        .instruction = (unsigned)(instruction - exporter->unit->instructions),
    };
    if (exporter->with_instructions && !instruction->accesses_only)
        write_item(exporter, &written);
}

static bool same_operand(const struct ft_access *a, const struct ft_access *b)
{
    return a->mode == b->mode && a->mode != FT_ACCESS_STRING && a->base == b->base &&
           a->index == b->index && a->scale == b->scale && a->fs == b->fs && a->gs == b->gs &&
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
    const struct ft_instruction *instruction;
    while ((instruction =
                ft_instruction_walk_up_to(&exporter->walk, access->iteration, access->instruction)))
        write_instruction(exporter, instruction);
    struct ft_written_item item = {
        .item = {.pc = access->pc,
                 .address = access->address,
                 .size_bytes = access->size_bytes,
                 .kind = access->kind},
        .unit = exporter->unit,
        .instruction = access->instruction,
    };
    if (exporter->holds_load && access->kind == FT_STORE &&
        exporter->load.item.address == access->address &&
        exporter->load.item.size_bytes == access->size_bytes) {
        item.item.kind = FT_TEXT_MODIFY;
        exporter->holds_load = false;
    }
    release_load(exporter);
    if (access->kind == FT_LOAD && modifies(&exporter->unit->instructions[access->instruction])) {
        exporter->load = item;
        exporter->holds_load = true;
    } else {
        write_item(exporter, &item);
    }
    return has_stopped(exporter) ? STOPPED : 0;
}

static int export_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct exporter *exporter = context;
    struct ft_log_state state = *walked->before;
    const struct ft_instruction *instruction;
    if (!walked->unit)
        return FT_OK;
    exporter->unit = walked->unit;
    exporter->walk = ft_instruction_walk_of(walked);
    const struct ft_effect *effects;
    FT_TRY(ft_known_effects_of(&exporter->effects, walked->unit, &effects, diag));
    int status =
        ft_unit_step_known(walked->unit, effects, walked->record, &state, visit, exporter, diag);
    while (!status && (instruction = ft_instruction_walk_on(&exporter->walk, walked->record)))
        write_instruction(exporter, instruction);
    release_load(exporter);
    return status == FT_OK && has_stopped(exporter) ? STOPPED : status;
}

static int export_records(struct exporter *exporter, const struct ft_trace *trace, uint32_t thread,
                          struct ft_diag *diag)
{
    struct ft_record_walk *walk;
    int status = ft_record_walk_create(trace, &walk, diag);
    if (status < 0)
        return status;
    for (size_t i = 0; !status && i < ft_trace_log_count(trace, thread); i++)
        status = ft_record_walk_chunk(walk, thread, i, export_record, exporter, diag);
    ft_record_walk_destroy(walk);
    return status == STOPPED ? exporter->status : status;
}

int ft_text_export(const struct ft_trace *trace, uint32_t thread,
                   const struct ft_text_format *format, const struct ft_text_options *options,
                   bool with_instructions, FILE *stream, struct ft_diag *diag)
{
    static const struct ft_text_options none;
    const struct ft_text_writer *writer = format->writer;
    struct exporter exporter = {
        .format = format, .with_instructions = with_instructions, .stream = stream, .diag = diag};
    if (writer)
        FT_TRY(writer->create(stream, options ? options : &none, &exporter.writer, diag));
    if (format->header)
        fputs(format->header, stream);
    int status = export_records(&exporter, trace, thread, diag);
    if (!status && writer)
        status = writer->finish(exporter.writer, diag);
    if (!status && format->footer)
        fputs(format->footer, stream);
    if (writer)
        writer->destroy(exporter.writer);
    ft_known_effects_fini(&exporter.effects);
    return status;
}
