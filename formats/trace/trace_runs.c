/*
 * A thread's log chunks, one after the other: decompress, decode a batch of records, expand each
 * into the run buffer until that is full. Units are compiled when they are first met. All memory is
 * kept from batch to batch.
 *
 * A batch ends with its chunk, and when it has many entries or stands for many accesses: so batches
 * follow from their chunk alone, wherever a source began. One that begins inside a chunk takes the
 * batches before its place without giving or counting them.
 */
#include "formats/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/expand/log_counter.h"
#include "formats/expand/simple.h"
#include "formats/trace/execution_counts.h"
#include "formats/trace/log_parts.h"
#include "formats/trace/reference_table.h"
#include "formats/trace/trace.h"
#include "formats/trace/trace_reader.h"

#define RECORDS_MAX    1024
#define BATCH_ACCESSES (UINT64_C(1) << 20)

struct unit_program {
    struct ft_unit_program *program; /* NULL until first met */
    const uint32_t *references;      /* of its entries */
    uint32_t *kept_references;       /* the same, where some are skipped, else NULL */
};

struct trace_source {
    struct ft_run_source base;
    const struct ft_trace *trace;
    uint32_t thread;
    unsigned content; /* enum ft_run_content */
    const struct ft_unit_table *units;
    struct unit_program *programs;              /* by unit id; [0] stays empty */
    struct ft_simple_program **simple_programs; /* the same, NULL where they are not simple */
    struct ft_reference_table table;
    uint32_t first_fetch; /* with `passed`: the number of the first one */
    const bool *passed;   /* fetches that are left out, or NULL */
    struct ft_log_buffer buffer;
    struct ft_log_decoder *decoder;
    struct ft_log_state state;
    struct ft_record records[RECORDS_MAX];
    size_t record, record_count;  /* next of records; how many there are */
    size_t marked_chunk;          /* ft_trace_runs_mark */
    struct ft_log_place from, to; /* from.accesses is 0 once they are skipped */
    size_t chunk_end, chunk;      /* where to end, and the next one to be started */
    uint64_t accesses_given;      /* of the chunk that was started last */
    uint64_t accesses_left;       /* that it counts and runs have not stood for yet */
    bool is_started;              /* any chunk */
    bool is_behind_chunk;         /* the last batch ended with its chunk */
    bool place_is_new;            /* the last batch has accesses, and ends with a record */
    bool is_skipping, is_stopped;
    struct ft_run_buffer runs;
    struct ft_execution_counter *counter; /* NULL where counts are not wanted */
    struct ft_execution_counts *counts;
};

/* What runs have to stand for. */
static uint64_t count_accesses(const struct trace_source *source, size_t chunk)
{
    const struct ft_log_totals *totals =
        &ft_trace_log(source->trace, source->thread, chunk)->totals;
    return (source->content & FT_RUN_ACCESSES ? totals->accesses : 0) +
           (source->content & FT_RUN_FETCHES ? totals->instructions : 0);
}

static int start_chunk(struct trace_source *source, struct ft_diag *diag)
{
    const uint8_t *payload;
    size_t chunk = source->chunk++;
    int status =
        ft_trace_log_read(source->trace, source->thread, chunk, &source->buffer, &payload, diag);
    if (status)
        return status;
    const struct ft_chunk_description *log = ft_trace_log(source->trace, source->thread, chunk);
    source->accesses_left = count_accesses(source, chunk);
    source->accesses_given = 0;
    source->is_started = true;
    source->runs.entry_limit = source->accesses_left;
    status = ft_log_decoder_start(source->decoder, payload, log->payload_bytes,
                                  log->totals.instructions, &source->state, diag);
    return status ? ft_trace_log_fail(source->trace, source->thread, chunk, diag) : FT_OK;
}

/* Fills records; record_count 0 at the end of the source, and where a chunk ends behind runs. */
static int decode(struct trace_source *source, struct ft_diag *diag)
{
    source->record = source->record_count = 0;
    for (;;) {
        int status = source->is_started
                         ? ft_log_decoder_next(source->decoder, source->records, RECORDS_MAX,
                                               &source->record_count, diag)
                         : FT_OK;
        if (status)
            return ft_trace_log_fail(source->trace, source->thread, source->chunk - 1, diag);
        source->is_behind_chunk = source->record_count == 0;
        if (source->record_count || source->runs.run_count || source->chunk == source->chunk_end)
            return FT_OK;
        status = start_chunk(source, diag);
        if (status)
            return status;
    }
}

static int compile_unit(struct trace_source *source, const struct ft_unit *unit,
                        struct ft_diag *diag)
{
    struct unit_program *kept = &source->programs[unit->id];
    kept->references = source->table.numbers + source->table.first[unit->id];
    int status = ft_unit_program_create_for(unit, source->content, &kept->program, diag);
    if (!status && source->passed)
        status = ft_unit_program_skip_fetches(kept->program, kept->references, source->first_fetch,
                                              source->passed, &kept->kept_references, diag);
    if (!status && source->passed)
        kept->references = kept->kept_references;
    return status ? status
                  : ft_simple_program_create(kept->program, kept->references,
                                             &source->simple_programs[unit->id], diag);
}

/* An escape or the first record of a unit; the program that it needs is compiled. */
static int prepare(struct trace_source *source, const struct ft_record *record,
                   const struct unit_program **ret_program, struct ft_diag *diag)
{
    const struct ft_unit *unit = ft_record_unit(source->units, record);
    if (!unit && record->unit)
        return ft_fail(diag, FT_ERROR_DATA, "unit %u is not defined", record->unit);
    *ret_program = &source->programs[unit ? unit->id : 0];
    return unit && !(*ret_program)->program ? compile_unit(source, unit, diag) : FT_OK;
}

/* Expands one record, or as much of it as fits. */
static inline int expand(struct trace_source *source, const struct ft_record *record,
                         struct ft_diag *diag)
{
    const struct unit_program *program = &source->programs[record->unit];
    bool goes_on = source->runs.iterations_done != 0;
    if (!program->program) {
        int status = prepare(source, record, &program, diag);
        if (status)
            return status;
    }
    const uint32_t *references = program->references;
    if (record->unit == 0 && program->program) /* partial: nothing is left out */
        references =
            source->table.numbers + source->table.first[ft_record_unit(source->units, record)->id];
    int status = ft_unit_program_expand(program->program, record, references, &source->state,
                                        &source->runs, diag);
    if (!status && source->counter && !source->is_skipping && !goes_on)
        status = ft_execution_counter_add(source->counter, ft_record_unit(source->units, record),
                                          record, diag);
    return status;
}

/* A string instruction may say that it ran 2^60 times: more accesses than the chunks count make no
 * sense, and are not given away. */
static int take_accesses(struct trace_source *source, struct ft_diag *diag)
{
    for (size_t i = 0; i < source->runs.run_count; i++) {
        const struct ft_run *run = &source->runs.runs[i];
        uint64_t accesses;
        if (__builtin_mul_overflow(run->iteration_count, run->reference_count, &accesses) ||
            accesses > source->accesses_left) {
            ft_fail(diag, FT_ERROR_DATA, "more accesses than the chunk counts");
            return ft_trace_log_fail(source->trace, source->thread, source->chunk - 1, diag);
        }
        source->accesses_left -= accesses;
        source->accesses_given += accesses;
    }
    source->runs.entry_limit = source->accesses_left;
    return FT_OK;
}

/* Expands the simple records that come next, as many as fit. */
static int expand_simple(struct trace_source *source, struct ft_diag *diag)
{
    const struct ft_record *records = source->records + source->record;
    size_t done;
    int status = ft_simple_programs_expand(
        (const struct ft_simple_program *const *)source->simple_programs, records,
        source->record_count - source->record, &source->state, &source->runs, &done, diag);
    bool counts = source->counter && !source->is_skipping;
    for (size_t i = 0; i < done && !status && counts; i++)
        status = ft_execution_counter_add(source->counter, source->units->units[records[i].unit],
                                          &records[i], diag);
    source->record += done;
    return status;
}

/* Accesses of the runs from `from` on, or BATCH_ACCESSES if they are more. */
static uint64_t batch_accesses(const struct ft_run_buffer *runs, size_t from)
{
    uint64_t count = 0;
    for (size_t i = from; i < runs->run_count && count < BATCH_ACCESSES; i++) {
        const struct ft_run *run = &runs->runs[i];
        uint64_t more;
        if (__builtin_mul_overflow(run->iteration_count, run->reference_count, &more) ||
            more > BATCH_ACCESSES)
            more = BATCH_ACCESSES;
        count += more;
    }
    return count < BATCH_ACCESSES ? count : BATCH_ACCESSES;
}

/* Expands records up to the end of a batch. */
static int fill_batch(struct trace_source *source, struct ft_diag *diag)
{
    struct ft_run_buffer *runs = &source->runs;
    uint64_t accesses = 0; /* of other than simple records */
    ft_run_buffer_clear(runs);
    source->is_behind_chunk = false;
    while (runs->entry_count < FT_RUN_BUFFER_ENTRIES && accesses < BATCH_ACCESSES) {
        if (source->record == source->record_count) {
            int status = decode(source, diag);
            if (status)
                return status;
            if (source->record_count == 0)
                break;
        }
        int status = runs->iterations_done ? FT_OK : expand_simple(source, diag);
        if (status == FT_OK &&
            (source->record == source->record_count || runs->entry_count >= FT_RUN_BUFFER_ENTRIES))
            continue;
        size_t known = runs->run_count;
        if (status == FT_OK)
            status = expand(source, &source->records[source->record], diag);
        if (status)
            return ft_trace_log_fail(source->trace, source->thread, source->chunk - 1, diag);
        if (runs->iterations_done)
            break;
        source->record++;
        accesses += batch_accesses(runs, known);
    }
    uint64_t given = source->accesses_given;
    int status = take_accesses(source, diag);
    source->place_is_new = source->accesses_given != given && runs->iterations_done == 0;
    return status;
}

/* Whether the last batch is the one that a place inside a chunk stands behind. */
static bool is_at(const struct trace_source *source, struct ft_log_place place)
{
    return place.accesses && source->is_started && source->chunk == place.chunk + 1 &&
           source->place_is_new && source->accesses_given >= place.accesses;
}

/* Passes over what lies before the first place. */
static int skip(struct trace_source *source, struct ft_diag *diag)
{
    int status = FT_OK;
    source->is_skipping = true;
    while (!status && !is_at(source, source->from)) {
        status = fill_batch(source, diag);
        if (!status && source->runs.run_count == 0)
            status = ft_fail(diag, FT_ERROR_DATA, "thread %u, log chunk %zu has no access %" PRIu64,
                             source->thread, source->from.chunk, source->from.accesses);
    }
    source->is_skipping = false;
    source->from.accesses = 0;
    return status;
}

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct trace_source *source = (struct trace_source *)base;
    struct ft_run_buffer *runs = &source->runs;
    int status = source->from.accesses ? skip(source, diag) : FT_OK;
    if (status)
        return status;
    source->is_stopped = source->is_stopped || is_at(source, source->to);
    if (source->is_stopped)
        ft_run_buffer_clear(runs);
    else
        status = fill_batch(source, diag);
    if (status)
        return status;
    if (runs->run_count == 0 && source->counter) {
        ft_execution_counter_finish(source->counter, source->counts);
        ft_execution_counter_destroy(source->counter);
        source->counter = NULL;
    }
    *ret_batch = ft_run_buffer_batch(runs);
    return FT_OK;
}

bool ft_trace_runs_place(const struct ft_run_source *base, struct ft_log_place *ret_place)
{
    const struct trace_source *source = (const struct trace_source *)base;
    if (!source->place_is_new)
        return false;
    *ret_place = (struct ft_log_place){source->chunk - 1, source->accesses_given};
    return true;
}

/* Logs that come again, in order: by repetitions of the same ones, one behind the other. */
struct passes {
    size_t first, end; /* logs */
    size_t log_count;  /* of a pass */
};

static bool repeat_the_same(const struct ft_log_part *one, const struct ft_log_part *other)
{
    return one->base_count && one->base == other->base && one->base_count == other->base_count;
}

/* Those of which the source has just ended one. */
static bool ended_pass(const struct trace_source *source, struct passes *ret_passes)
{
    size_t count;
    const struct ft_log_part *parts = ft_trace_log_parts(source->trace, source->thread, &count);
    if (!source->is_behind_chunk || source->chunk == 0 || source->is_stopped)
        return false;
    const struct ft_log_part *part = ft_log_parts_find(parts, count, source->chunk - 1);
    if (!part->base_count || (source->chunk - part->first) % part->base_count != 0)
        return false;
    const struct ft_log_part *first = part, *last = part;
    while (first > parts && repeat_the_same(first - 1, part))
        first--;
    while (last + 1 < parts + count && repeat_the_same(last + 1, part))
        last++;
    *ret_passes = (struct passes){first->first, last->first + last->log_count, part->base_count};
    return true;
}

uint64_t ft_trace_runs_passes(const struct ft_run_source *base)
{
    const struct trace_source *source = (const struct trace_source *)base;
    struct passes passes;
    if (!ended_pass(source, &passes))
        return 0;
    const size_t end = passes.end < source->to.chunk ? passes.end : source->to.chunk;
    return end > source->chunk ? (end - source->chunk) / passes.log_count : 0;
}

int ft_trace_runs_mark(struct ft_run_source *base, struct ft_diag *diag)
{
    struct trace_source *source = (struct trace_source *)base;
    source->marked_chunk = source->chunk;
    return source->counter ? ft_execution_counter_mark(source->counter, diag) : FT_OK;
}

bool ft_trace_runs_pass(struct ft_run_source *base, uint64_t passes)
{
    struct trace_source *source = (struct trace_source *)base;
    struct passes ended;
    if (!ended_pass(source, &ended) || source->chunk - source->marked_chunk != ended.log_count ||
        source->marked_chunk <= ended.first || passes > ft_trace_runs_passes(base) ||
        (source->counter && !ft_execution_counter_times(source->counter, passes)))
        return false;
    source->chunk += (size_t)passes * ended.log_count;
    return true;
}

void ft_trace_runs_skip(struct ft_run_source *base, uint32_t first, const bool *passed)
{
    struct trace_source *source = (struct trace_source *)base;
    source->first_fetch = first;
    source->passed = passed;
}

void ft_trace_runs_stop(struct ft_run_source *base)
{
    ((struct trace_source *)base)->is_stopped = true;
}

static void set_end(struct trace_source *source, struct ft_log_place to)
{
    source->to = to;
    source->chunk_end = to.chunk + (to.accesses > 0);
}

void ft_trace_runs_extend(struct ft_run_source *base, struct ft_log_place to)
{
    set_end((struct trace_source *)base, to);
}

static void destroy(struct ft_run_source *base)
{
    struct trace_source *source = (struct trace_source *)base;
    for (size_t id = 0; source->programs && id < source->units->count; id++) {
        ft_unit_program_destroy(source->programs[id].program);
        free(source->programs[id].kept_references);
    }
    for (size_t id = 0; source->simple_programs && id < source->units->count; id++)
        free(source->simple_programs[id]);
    free(source->programs);
    free(source->simple_programs);
    ft_reference_table_fini(&source->table);
    ft_log_buffer_fini(&source->buffer);
    ft_log_decoder_destroy(source->decoder);
    ft_run_buffer_fini(&source->runs);
    ft_execution_counter_destroy(source->counter);
    free(source);
}

/* About as many: batches do not end exactly there. */
static uint64_t count_between(const struct trace_source *source, struct ft_log_place from)
{
    uint64_t count = source->to.accesses;
    for (size_t i = from.chunk; i < source->to.chunk; i++)
        count += count_accesses(source, i);
    return count > from.accesses ? count - from.accesses : 0;
}

uint64_t ft_trace_runs_left(const struct ft_run_source *base)
{
    const struct trace_source *source = (const struct trace_source *)base;
    if (!source->is_started)
        return count_between(source, source->from);
    return count_between(source, (struct ft_log_place){source->chunk - 1, source->accesses_given});
}

int ft_trace_runs(struct ft_trace *trace, uint32_t thread, struct ft_execution_counts *counts,
                  struct ft_run_source **ret_source, struct ft_diag *diag)
{
    return ft_trace_runs_of(trace, thread, FT_RUN_ACCESSES, counts, ret_source, diag);
}

int ft_trace_runs_of(struct ft_trace *trace, uint32_t thread, unsigned content,
                     struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                     struct ft_diag *diag)
{
    const struct ft_log_place start = {0}, end = {ft_trace_log_count(trace, thread), 0};
    return ft_trace_runs_between(trace, thread, content, start, end, counts, ret_source, diag);
}

int ft_trace_runs_between(struct ft_trace *trace, uint32_t thread, unsigned content,
                          struct ft_log_place from, struct ft_log_place to,
                          struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                          struct ft_diag *diag)
{
    struct trace_source *source;
    FT_TRY(ft_trace_require_addresses(trace, diag));
    source = calloc(1, sizeof *source);
    if (!source)
        return ft_fail_memory(diag, "a source of runs");
    source->trace = trace;
    source->thread = thread;
    source->content = content;
    source->units = ft_trace_units(trace);
    source->from = from;
    source->chunk = from.chunk;
    set_end(source, to);
    source->counts = counts;
    source->programs = calloc(source->units->count + 1, sizeof *source->programs);
    source->simple_programs = calloc(source->units->count + 1, sizeof *source->simple_programs);
    int status = source->programs && source->simple_programs
                     ? FT_OK
                     : ft_fail_memory(diag, "the programs of units");
    if (!status)
        status = ft_reference_table_init(&source->table, trace, content, diag);
    if (!status)
        status = ft_log_decoder_create(source->units, &source->decoder, diag);
    if (!status && counts)
        status = ft_execution_counter_create(ft_trace_unit_count(trace),
                                             from.chunk == 0 && from.accesses == 0,
                                             &source->counter, diag);
    if (status) {
        destroy(&source->base);
        return status;
    }
    source->base = (struct ft_run_source){.references = source->table.references,
                                          .reference_count = source->table.reference_count,
                                          .access_count = count_between(source, from),
                                          .next = next,
                                          .destroy = destroy};
    *ret_source = &source->base;
    return FT_OK;
}
