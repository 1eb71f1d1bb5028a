/*
 * `foretrace dump`: the contents of a trace as text. Accesses are numbered from 0 over the chosen
 * threads; a start in the middle is found by the counts in the descriptions of log chunks, then by
 * those of records, and only the record that it falls into is stepped through.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/commands.h"
#include "formats/commands/call_report.h"
#include "formats/commands/mpi_report.h"
#include "formats/commands/trace_operand.h"
#include "formats/expand/expand.h"
#include "formats/expand/known_effects.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"
#include "formats/x86/disassembly.h"

#define ENOUGH      1 /* what a visitor returns to stop */
#define OUTPUT_SIZE (1U << 18)

enum mode { INSTRUCTIONS, ACCESSES, RECORDS, CALLS };

struct dumper {
    struct ft_trace *trace;
    enum mode mode;
    bool everything;    /* neither --from nor --count: records without accesses count as well */
    uint64_t from, end; /* access numbers */
    uint64_t at;        /* number of the next access */
    uint32_t thread;
    struct ft_library_tracker *tracker; /* CALLS */
    struct ft_disassembler *disassembler;
    struct ft_known_effects effects;
    const struct ft_unit *unit;      /* of the record at hand */
    struct ft_instruction_walk walk; /* what is printed of it */
};

static bool is_wanted(const struct dumper *dumper)
{
    return dumper->at >= dumper->from && dumper->at < dumper->end;
}

static void print_location(const struct ft_trace *trace, uint64_t pc)
{
    uint32_t number;
    uint64_t offset;
    if (!ft_trace_locate(trace, pc, &number, &offset))
        return;
    const struct ft_module *module = ft_trace_module(trace, number);
    const struct ft_symbol *symbol = ft_module_symbol(module, offset);
    const struct ft_line *line = ft_module_line(module, offset);
    if (symbol && module->strings[symbol->name])
        printf("%s+0x%" PRIx64, module->strings + symbol->name, offset - symbol->start);
    else
        printf("%s+0x%" PRIx64, module->path ? ft_file_name(module->path) : "", offset);
    if (line)
        printf(" %s:%u", ft_file_name(module->strings + line->file), line->line);
}

static void print_instruction(struct dumper *dumper, const struct ft_unit *unit,
                              const struct ft_instruction *instruction)
{
    const uint8_t *code = ft_unit_code(unit, instruction);
    char text[128];
    if (unit->kind == FT_UNIT_REFERENCES)
        snprintf(text, sizeof text, "%s",
                 instruction->accesses_only ? "(reference without code)" : "(unknown instruction)");
    else
        ft_disassemble(dumper->disassembler, code, instruction->length, instruction->pc, text,
                       sizeof text);
    printf("0x%012" PRIx64 "  %-48s  ", instruction->pc, text);
    print_location(dumper->trace, instruction->pc);
    putchar('\n');
}

static int visit(void *context, const struct ft_expanded_access *access)
{
    struct dumper *dumper = context;
    const struct ft_instruction *instruction;
    while (dumper->mode == INSTRUCTIONS &&
           (instruction =
                ft_instruction_walk_up_to(&dumper->walk, access->iteration, access->instruction)))
        if (is_wanted(dumper))
            print_instruction(dumper, dumper->unit, instruction);
    if (is_wanted(dumper)) {
        if (dumper->mode == ACCESSES)
            printf("0x%" PRIx64 " 0x%" PRIx64 " %u %s\n", access->pc, access->address,
                   access->size_bytes, ft_access_kind_names[access->kind]);
        else
            printf("    %-8s 0x%012" PRIx64 " %u\n", ft_access_kind_names[access->kind],
                   access->address, access->size_bytes);
    }
    dumper->at += access->kind != FT_PREFETCH;
    return dumper->at >= dumper->end || !ft_stdout_is_open() ? ENOUGH : 0;
}

static const char *escape_name(unsigned escape)
{
    static const char *const names[] = {"",        "stack",     "partial", "event", "stamp",
                                        "fs_base", "direction", "kernel",  "call",  "return"};
    return names[escape < sizeof names / sizeof *names ? escape : 0];
}

static void print_record(const struct ft_record *record)
{
    if (record->unit)
        printf("unit %" PRIu32 " x %" PRIu64, record->unit, record->iteration_count);
    else
        printf("%s", escape_name(record->escape));
    for (size_t i = 0; i < record->value_count; i++)
        printf(" 0x%" PRIx64, record->values[i]);
    putchar('\n');
}

static bool has_accesses(const struct ft_unit *unit)
{
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (unit->instructions[i].access_count)
            return true;
    return false;
}

/* Prints the instructions of a record behind its last access; complete iterations of a loop without
 * accesses once. */
static void print_rest(struct dumper *dumper, const struct ft_walked_record *walked)
{
    uint64_t iterations = walked->record->iteration_count;
    bool is_silent_loop = !has_accesses(walked->unit) && iterations > 1;
    const struct ft_instruction *instruction;
    while ((instruction = ft_instruction_walk_on(&dumper->walk, walked->record))) {
        if (is_wanted(dumper))
            print_instruction(dumper, walked->unit, instruction);
        if (is_silent_loop && dumper->walk.next_iteration == 1) {
            printf("    (%" PRIu64 " iterations)\n", iterations);
            dumper->walk.next_iteration = iterations;
        }
    }
}

/* Steps through a record and prints it. */
static int show_record(struct dumper *dumper, const struct ft_walked_record *walked,
                       struct ft_diag *diag)
{
    if (walked->unit) {
        struct ft_log_state state = *walked->before;
        dumper->unit = walked->unit;
        dumper->walk = ft_instruction_walk_of(walked);
        const struct ft_effect *effects;
        FT_TRY(ft_known_effects_of(&dumper->effects, walked->unit, &effects, diag));
        int status =
            ft_unit_step_known(walked->unit, effects, walked->record, &state, visit, dumper, diag);
        if (status == FT_OK && dumper->mode == INSTRUCTIONS)
            print_rest(dumper, walked);
        return status;
    }
    if (dumper->mode == INSTRUCTIONS && is_wanted(dumper)) {
        if (walked->record->escape == FT_ESCAPE_KERNEL) {
            printf("kernel ");
            ft_kernel_call_print(walked->record, stdout);
        } else {
            print_record(walked->record);
        }
    }
    return FT_OK;
}

static void print_kernel_call(const struct dumper *dumper, const struct ft_record *record)
{
    printf("%" PRIu64 " thread %" PRIu32 " kernel ", dumper->at, dumper->thread);
    ft_kernel_call_print(record, stdout);
}

static void print_library_call(void *context, const struct ft_library_call *call)
{
    const struct dumper *dumper = context;
    if (call->begin < dumper->from)
        return;
    printf("%" PRIu64 " thread %" PRIu32 " library ", call->begin, dumper->thread);
    ft_library_call_print(call, stdout);
}

/* Prints what is wanted of a record; ENOUGH at the end. */
static int dump_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct dumper *dumper = context;
    const struct ft_record *record = walked->record;
    uint64_t accesses = walked->accesses;
    int status = FT_OK;
    if (dumper->mode == CALLS)
        status = ft_library_tracker_add(dumper->tracker, record, walked->after->rsp,
                                        dumper->at + (record->unit ? accesses : 0), diag);
    if (status)
        return status;
    bool is_at_start = accesses == 0 && dumper->at == dumper->from;
    if (dumper->at + accesses <= dumper->from && !is_at_start) {
        dumper->at += accesses;
        return FT_OK;
    }
    if (dumper->mode == RECORDS || dumper->mode == CALLS) {
        if (dumper->mode == RECORDS)
            print_record(record);
        else if (record->unit == 0 && record->escape == FT_ESCAPE_KERNEL)
            print_kernel_call(dumper, record);
        dumper->at += accesses;
    } else {
        status = show_record(dumper, walked, diag);
    }
    if (status == FT_OK && (dumper->at >= dumper->end || !ft_stdout_is_open()))
        status = ENOUGH;
    return status;
}

static int dump_thread(struct dumper *dumper, struct ft_record_walk *walk, uint32_t thread,
                       struct ft_diag *diag)
{
    int status = FT_OK;
    dumper->thread = thread;
    for (size_t i = 0; status == FT_OK && i < ft_trace_log_count(dumper->trace, thread); i++) {
        uint64_t accesses = ft_trace_log(dumper->trace, thread, i)->totals.accesses;
        if (accesses && dumper->at + accesses <= dumper->from)
            dumper->at += accesses;
        else
            status = ft_record_walk_chunk(walk, thread, i, dump_record, dumper, diag);
    }
    if (dumper->mode == CALLS)
        ft_library_tracker_end(dumper->tracker, dumper->at);
    return status;
}

/* ---- tables ---- */

static const char *event_name(unsigned kind)
{
    static const char *const names[] = {
        "unknown",         "module_mapped",  "unmapped",      "code_changed",  "signal",
        "signal_return",   "thread_started", "thread_ended",  "stamp",         "allocated",
        "freed",           "kernel_buffer",  "window_opened", "window_closed", "ended",
        "process_started", "unrecorded",     "function",      "imported"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

static void dump_events(const struct ft_trace *trace)
{
    for (size_t i = 0; i < ft_trace_event_count(trace) && ft_stdout_is_open(); i++) {
        const struct ft_event *event = ft_trace_event(trace, i);
        printf("%" PRIu64 " thread %" PRIu32 " %s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "%s%s\n",
               event->sequence, event->thread, event_name(event->kind), event->a, event->b,
               event->c, event->text ? " " : "", event->text ? event->text : "");
    }
}

static void print_slots(const struct ft_unit *unit)
{
    static const char kinds[] = "rvkfa"; /* register, vector, mask, flags, address */
    for (unsigned i = 0; i < unit->slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        printf("%s%c%u:%u@%u",
               i == 0                        ? " logs "
               : i == unit->entry_slot_count ? "; each "
                                             : " ",
               slot->kind < sizeof kinds - 1 ? kinds[slot->kind] : '?', slot->source,
               slot->size_bytes, slot->instruction);
    }
}

static void dump_units(struct dumper *dumper)
{
    for (size_t id = 1; id <= ft_trace_unit_count(dumper->trace) && ft_stdout_is_open(); id++) {
        const struct ft_unit *unit = ft_trace_unit(dumper->trace, (uint32_t)id);
        if (!unit)
            continue;
        printf("unit %zu%s", id,
               unit->kind == FT_UNIT_LOOP         ? " loop"
               : unit->kind == FT_UNIT_REFERENCES ? " without code"
               : unit->kind == FT_UNIT_PATH       ? " path"
               : unit->kind == FT_UNIT_LOOP_PATH  ? " loop path"
                                                  : "");
        if (unit->last_iteration_instructions)
            printf(" left after %u instructions of an iteration",
                   unit->last_iteration_instructions);
        print_slots(unit);
        putchar('\n');
        for (unsigned i = 0; i < unit->instruction_count; i++)
            print_instruction(dumper, unit, &unit->instructions[i]);
    }
}

static int dump(struct dumper *dumper, const struct ft_arguments *arguments, struct ft_diag *diag)
{
    if (ft_option_count(arguments, "events")) {
        dump_events(dumper->trace);
        return FT_OK;
    }
    FT_TRY(ft_disassembler_create(&dumper->disassembler, diag));
    if (ft_option_count(arguments, "units")) {
        dump_units(dumper);
        return FT_OK;
    }
    uint32_t threads = ft_trace_thread_count(dumper->trace);
    uint64_t only = 0;
    int status = ft_option_u64(arguments, "thread", 0, 0, threads ? threads - 1 : 0, &only, diag);
    bool all = ft_option_count(arguments, "thread") == 0;
    struct ft_record_walk *walk = NULL;
    if (status == FT_OK && (dumper->mode == INSTRUCTIONS || dumper->mode == ACCESSES))
        status = ft_trace_require_addresses(dumper->trace, diag);
    if (status == FT_OK)
        status = ft_record_walk_create(dumper->trace, &walk, diag);
    if (status == FT_OK && dumper->mode == CALLS)
        status = ft_library_tracker_create(dumper->trace, print_library_call, dumper,
                                           &dumper->tracker, diag);
    for (uint32_t thread = 0; status == FT_OK && thread < threads; thread++)
        if (all || thread == only)
            status = dump_thread(dumper, walk, thread, diag);
    ft_record_walk_destroy(walk);
    return status == ENOUGH ? FT_OK : status;
}

static int run(const struct ft_arguments *arguments)
{
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "expected one trace");
    struct ft_diag diag;
    struct dumper dumper = {0};
    uint64_t count = UINT64_MAX;
    int status = ft_option_u64(arguments, "from", 0, 0, UINT64_MAX - 1, &dumper.from, &diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "count", UINT64_MAX, 1, UINT64_MAX, &count, &diag);
    dumper.end = count < UINT64_MAX - dumper.from ? dumper.from + count : UINT64_MAX;
    dumper.mode = ft_option_count(arguments, "accesses")  ? ACCESSES
                  : ft_option_count(arguments, "records") ? RECORDS
                  : ft_option_count(arguments, "calls")   ? CALLS
                                                          : INSTRUCTIONS;
    if (status == FT_OK)
        status = ft_trace_open_operand(arguments, &dumper.trace, &diag);
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
    if (status == FT_OK && ft_option_count(arguments, "mpi"))
        status =
            ft_mpi_calls_print(dumper.trace, ft_option_count(arguments, "json") > 0, stdout, &diag);
    else if (status == FT_OK)
        status = dump(&dumper, arguments, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    ft_known_effects_fini(&dumper.effects);
    ft_disassembler_destroy(dumper.disassembler);
    ft_library_tracker_destroy(dumper.tracker);
    ft_trace_close(dumper.trace);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"accesses", 0, NULL, "one line per access: pc address size kind"},
    {"records", 0, NULL, "one line per log record: unit, iterations, values"},
    {"calls", 0, NULL,
     "one line per system call with a buffer or logged library call, with the number of "
     "the next access"},
    {"mpi", 0, NULL, "one line per MPI call: what its arguments and results say",
     .excludes = "accesses records calls units events thread from count"},
    {"json", 0, NULL, "with --mpi: an object per line (docs/json.md)", .needs = "mpi"},
    {"units", 0, NULL, "the units of code and what each logs"},
    {"events", 0, NULL, "the event stream"},
    {"thread", 0, "N", "this thread only (default: all, in order)"},
    {"from", 0, "NUMBER", "start at this access, counted from 0 (default 0)"},
    {"count", 0, "NUMBER", "stop after NUMBER accesses (default: at the end)"},
    FT_PARTIAL_OPTION,
};

const struct ft_command ft_dump_command = {
    .name = "dump",
    .synopsis = "dump [options] TRACE",
    .summary = "print a trace as text: instructions, accesses, records, units, events",
    .details = "Without options: the executed instructions, each with its accesses.\n"
               "Kinds of accesses: load, store, store_nt (non-temporal), prefetch (not counted).\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
