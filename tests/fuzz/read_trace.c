/*
 * Everything a command would ask of a trace is asked once, so that the sanitizers see each pointer
 * and index used: the tables; each thread's records, decoded and counted; its runs, accesses alone
 * and with fetches; and what `dump` prints. Totals must agree wherever the trace claims to be
 * complete.
 */
#include "tests/fuzz/read_trace.h"

#include <stdlib.h>
#include <string.h>

#include "formats/commands/call_report.h"
#include "formats/commands/host_report.h"
#include "formats/expand/expand.h"
#include "formats/expand/log_counter.h"
#include "formats/text/simgrid_text.h"
#include "formats/trace/counts_table.h"
#include "formats/trace/library_calls.h"
#include "formats/trace/mpi_job.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/recorded_windows.h"
#include "formats/trace/trace_reader.h"
#include "tests/fuzz/fuzz.h"

/* Chunks that count more than this are left alone: a test that takes long is none that fails. */
#define INSTRUCTIONS_MAX (1U << 18)

static volatile size_t sink;

/* What commands print goes there. */
static FILE *nowhere(void)
{
    static FILE *stream;
    if (!stream)
        stream = fopen("/dev/null", "w");
    FUZZ_EXPECT(stream);
    return stream;
}

/* Uses every pointer and index of the tables once. */
static void use_tables(const struct ft_trace *trace)
{
    size_t used = 0;
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    for (size_t i = 0; i < metadata->argument_count; i++)
        used += strlen(metadata->arguments[i]);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        used += strlen(metadata->parameters[i].name);
    for (size_t i = 0; i < ft_trace_module_count(trace); i++) {
        const struct ft_module *module = ft_trace_module(trace, i);
        const struct ft_inline *chain[8];
        for (size_t k = 0; k < module->symbol_count; k++)
            used += strlen(module->strings + module->symbols[k].name) +
                    strlen(module->strings + module->symbols[k].file);
        for (size_t k = 0; k < module->line_count; k++)
            used += strlen(module->strings + module->lines[k].file);
        for (uint64_t offset = module->start; offset < module->start + 0x20; offset++) {
            used += ft_module_symbol(module, offset) != NULL;
            used += ft_module_line(module, offset) != NULL;
            used += ft_module_inline_chain(module, offset, chain, 8);
        }
    }
    for (size_t i = 0; i < ft_trace_event_count(trace); i++)
        used += ft_trace_event(trace, i)->text ? strlen(ft_trace_event(trace, i)->text) : 1;
    used += ft_recorded_windows(trace).count;
    ft_host_print(&metadata->capture_host, nowhere());
    sink = used;
}

static int count_access(void *context, const struct ft_expanded_access *access)
{
    struct ft_log_totals *totals = context;
    *(access->kind == FT_PREFETCH ? &totals->prefetches : &totals->accesses) += 1;
    return 0;
}

/* What a reader of records needs. */
struct readers {
    struct ft_log_decoder *decoder;
    struct ft_log_counter *counter;
    struct ft_log_buffer buffer;
};

/* Counts a chunk's records, and steps through each of them with ft_unit_step(); FT_OK where nothing
 * is wrong. */
static int read_chunk(const struct ft_trace *trace, uint32_t thread, size_t index,
                      struct readers *readers, struct ft_log_totals *totals)
{
    const struct ft_chunk_description *log = ft_trace_log(trace, thread, index);
    const struct ft_unit_table *units = ft_trace_units(trace);
    struct ft_log_totals stepped = {0};
    struct ft_log_state state, other;
    struct ft_record records[64];
    const uint8_t *payload;
    *totals = stepped;
    int status = ft_trace_log_read(trace, thread, index, &readers->buffer, &payload, NULL);
    if (status == FT_OK)
        status = ft_log_decoder_start(readers->decoder, payload, log->payload_bytes,
                                      log->totals.instructions, &state, NULL);
    if (status)
        return status;
    other = state;
    for (size_t count = 1; status == FT_OK && count;) {
        status = ft_log_decoder_next(readers->decoder, records, 64, &count, NULL);
        for (size_t i = 0; status == FT_OK && i < count; i++) {
            status = ft_log_counter_add(readers->counter, &records[i], &log->totals, &state, totals,
                                        NULL);
            const struct ft_unit *unit = ft_record_unit(units, &records[i]);
            if (status)
                return status;
            if (unit && !fuzz_is_narrow(unit, &records[i]))
                return FT_ERROR_DATA;
            FUZZ_EXPECT(ft_unit_step(unit, &records[i], &other, count_access, &stepped, NULL) ==
                        FT_OK);
            FUZZ_EXPECT(stepped.accesses == totals->accesses);
            FUZZ_EXPECT(stepped.prefetches == totals->prefetches);
            FUZZ_EXPECT(state.rsp == other.rsp && state.fs_base == other.fs_base &&
                        state.direction_down == other.direction_down);
        }
    }
    return status;
}

/* What all records of a thread count; false where something is wrong with them. */
static bool read_records(const struct ft_trace *trace, uint32_t thread, struct readers *readers,
                         struct ft_log_totals *ret_totals)
{
    *ret_totals = (struct ft_log_totals){0};
    for (size_t i = 0; i < ft_trace_log_count(trace, thread); i++) {
        struct ft_log_totals totals;
        if (read_chunk(trace, thread, i, readers, &totals))
            return false;
        ret_totals->accesses += totals.accesses;
        ret_totals->instructions += totals.instructions;
    }
    return true;
}

static void print_call(void *context, const struct ft_library_call *call)
{
    (void)context;
    FUZZ_EXPECT(call->begin <= call->end);
    ft_library_call_print(call, nowhere());
}

/* A thread's calls, and its instructions, as dump gives them. */
struct dumped {
    struct ft_library_tracker *tracker;
    uint64_t place;
};

static int dump_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct dumped *dumped = context;
    const struct ft_record *record = walked->record;
    dumped->place += walked->accesses;
    if (!walked->unit && record->escape == FT_ESCAPE_KERNEL)
        ft_kernel_call_print(record, nowhere());
    if (walked->unit) {
        struct ft_instruction_walk walk = ft_instruction_walk_of(walked);
        size_t bytes = 0;
        for (const struct ft_instruction *instruction;
             (instruction = ft_instruction_walk_on(&walk, record));)
            bytes += instruction->length;
        sink = bytes;
    }
    return ft_library_tracker_add(dumped->tracker, record, walked->after->rsp, dumped->place, diag);
}

static void dump_thread(const struct ft_trace *trace, uint32_t thread)
{
    struct ft_record_walk *walk = NULL;
    struct dumped dumped = {0};
    if (ft_record_walk_create(trace, &walk, NULL) == FT_OK &&
        ft_library_tracker_create(trace, print_call, NULL, &dumped.tracker, NULL) == FT_OK) {
        int status = FT_OK;
        for (size_t i = 0; i < ft_trace_log_count(trace, thread) && status == FT_OK; i++)
            status = ft_record_walk_chunk(walk, thread, i, dump_record, &dumped, NULL);
        ft_library_tracker_end(dumped.tracker, dumped.place);
    }
    ft_library_tracker_destroy(dumped.tracker);
    ft_record_walk_destroy(walk);
}

static void sum_message(void *context, const struct ft_mpi_message *message)
{
    *(uint64_t *)context += message->bytes + message->peer;
}

/* The MPI calls of a trace, as info and export go through them: as if it were all ranks of a job.
 */
static void read_mpi(struct ft_trace *trace)
{
    struct ft_mpi_job job = {0};
    struct ft_diag diag;
    uint64_t sum = 0;
    if (ft_mpi_job_add(&job, trace, &diag) == FT_OK && ft_mpi_job_resolve(&job, &diag) == FT_OK) {
        ft_mpi_timeline_messages(&job.ranks[0].timeline, sum_message, &sum, &diag);
        job.size = 1;
        ft_simgrid_write(&job, nowhere(), &diag);
    }
    sink = sum;
    ft_mpi_job_fini(&job);
}

/* The accesses and fetches that a thread's runs stand for; UINT64_MAX where they end in an error.
 */
static uint64_t read_runs(struct ft_trace *trace, uint32_t thread, unsigned content)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source;
    struct ft_run_batch batch = {.run_count = 1};
    uint64_t accesses = 0, sum = 0;
    if (ft_trace_runs_of(trace, thread, content, &counts, &source, NULL))
        return UINT64_MAX;
    while (batch.run_count && accesses != UINT64_MAX) {
        if (source->next(source, &batch, NULL)) {
            accesses = UINT64_MAX;
            break;
        }
        for (size_t i = 0; i < batch.run_count; i++)
            accesses += batch.runs[i].reference_count * batch.runs[i].iteration_count;
        for (size_t i = 0; i < batch.entry_count; i++) {
            FUZZ_EXPECT(batch.references[i] < source->reference_count);
            sum += batch.addresses[i];
        }
    }
    sink = sum;
    source->destroy(source);
    ft_execution_counts_fini(&counts);
    return accesses;
}

/* Counts that were read are written, and read, as they are. */
static void copy_counts(const struct ft_trace *trace)
{
    const struct ft_execution_counts *counts = ft_trace_counts(trace);
    const struct ft_unit_table *units = ft_trace_units(trace);
    struct ft_counts_reading copy = {0};
    struct ft_counts_walk walk = {0};
    copy.counts.units = calloc(units->count + 1, sizeof *copy.counts.units);
    copy.counts.loop_entries = calloc(units->count + 1, sizeof *copy.counts.loop_entries);
    FUZZ_EXPECT(copy.counts.units && copy.counts.loop_entries);
    while (!walk.is_done) {
        struct ft_bytes payload = {0};
        uint64_t instructions = ft_counts_write(counts, units, &walk, &payload);
        struct ft_cursor cursor = {payload.data, payload.length, 0, false};
        FUZZ_EXPECT(ft_counts_read(&cursor, units, instructions, &copy, NULL) == FT_OK);
        ft_bytes_fini(&payload);
    }
    FUZZ_EXPECT(copy.counts.edge_count == counts->edge_count);
    FUZZ_EXPECT(copy.counts.part_count == counts->part_count);
    for (size_t i = 0; i < units->count; i++)
        FUZZ_EXPECT(copy.counts.units[i] == counts->units[i] &&
                    copy.counts.loop_entries[i] == counts->loop_entries[i]);
    ft_execution_counts_fini(&copy.counts);
}

static bool is_short(const struct ft_trace *trace)
{
    for (size_t i = 0; i < ft_trace_chunk_count(trace); i++) {
        const struct ft_log_totals *totals = &ft_trace_chunk(trace, i)->totals;
        if (totals->instructions > INSTRUCTIONS_MAX || totals->accesses > INSTRUCTIONS_MAX ||
            totals->prefetches > INSTRUCTIONS_MAX)
            return false;
    }
    return true;
}

void fuzz_read_trace(const char *path)
{
    static const struct ft_trace_options options = {.allow_incomplete = true, .only_carve = true};
    struct ft_trace *trace;
    struct readers readers = {0};
    if (ft_trace_open(path, &options, &trace, NULL))
        return;
    use_tables(trace);
    if (ft_trace_counts(trace))
        copy_counts(trace);
    if (is_short(trace) &&
        ft_log_decoder_create(ft_trace_units(trace), &readers.decoder, NULL) == FT_OK &&
        ft_log_counter_create(ft_trace_units(trace), &readers.counter, NULL) == FT_OK)
        for (uint32_t thread = 0; thread < ft_trace_thread_count(trace); thread++) {
            struct ft_log_totals totals;
            bool whole = read_records(trace, thread, &readers, &totals);
            uint64_t accesses = read_runs(trace, thread, FT_RUN_ACCESSES);
            uint64_t all = read_runs(trace, thread, FT_RUN_ACCESSES | FT_RUN_FETCHES);
            if (ft_trace_counts(trace)) {
                FUZZ_EXPECT(accesses == UINT64_MAX && all == UINT64_MAX); /* there are no runs */
                continue;
            }
            FUZZ_EXPECT(!whole || accesses == totals.accesses);
            FUZZ_EXPECT(!whole || all == totals.accesses + totals.instructions);
            dump_thread(trace, thread);
        }
    read_mpi(trace);
    ft_log_decoder_destroy(readers.decoder);
    ft_log_counter_destroy(readers.counter);
    ft_log_buffer_fini(&readers.buffer);
    ft_trace_close(trace);
}
