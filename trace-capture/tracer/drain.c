/*
 * Records are copied into blocks, which queue up in order. A worker takes the blocks of one thread
 * of the target once there are enough for a good chunk (or no block is free, or no more will come),
 * encodes them, takes the thread's next chunk numbers when it is their turn, and compresses;
 * writing is serial. Every block knows the state it starts from, so chunks do not wait for each
 * other. Free blocks are reused last in, first out, to stay warm in the caches.
 *
 * While the target has one thread, its log is searched for periods (log_periods.h); several have
 * timestamps, which never repeat. A period has chunks of its own. That it comes again is a block
 * without records, and becomes a chunk that names those.
 *
 * In order: failures; jobs, from the queue to the numbers of their chunks; writing events, units
 * and chunks; the workers; modules and lines; what the tracer adds; the end.
 */
#include "trace-capture/tracer/drain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/trace/private_parts.h"
#include "formats/trace/trace_writer.h"
#include "trace-capture/modules/module_reader.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/log_jobs.h"
#include "trace-capture/tracer/log_periods.h"

#define WORKERS_MAX 16U
#define BLOCKS      96U
#define UNITS_MAX   (1U << 24)
#define ZSTD_LEVEL  1

struct ft_drain {
    struct ft_trace_writer *writer;
    pthread_mutex_t lock; /* queue, totals, failure */
    pthread_cond_t changed;
    pthread_mutex_t writing;           /* the writer, what is written of units, log_bytes */
    struct ft_log_block queue[BLOCKS]; /* in order of submission */
    unsigned queue_length;
    uint8_t *free_blocks[BLOCKS];
    unsigned free_count;
    uint8_t *memory;               /* of all blocks */
    struct ft_log_stream *streams; /* by thread */
    size_t stream_count, stream_capacity;
    struct ft_log_periods *periods; /* of the thread `searched`; the tracing thread's */
    uint32_t searched;
    bool has_threads; /* several: nothing is searched any more */
    struct ft_log_totals totals;
    uint64_t log_bytes;     /* of the chunks of logs in the file */
    struct ft_diag failure; /* the first one, where has_failed says so */
    atomic_bool has_failed; /* set with the lock */
    uint64_t bytes_max;
    atomic_bool is_full; /* set with the lock */
    bool closing;
    struct ft_unit **units; /* [id]; room for UNITS_MAX is reserved, so that it never moves */
    uint32_t unit_count;
    bool *is_written; /* by id; as much room */
    struct ft_event *events;
    size_t event_count, event_capacity, events_written;
    struct ft_execution_counts counts; /* units is NULL: there are none */
    struct ft_module_reader *module_reader;
    struct ft_source_outcome *sources; /* NULL: they are not kept */
    pthread_t workers[WORKERS_MAX];
    unsigned worker_count;
    double cpu_seconds_before; /* of foretrace */
};

static void note_failure(void *context, const struct ft_diag *diag)
{
    struct ft_drain *drain = context;
    pthread_mutex_lock(&drain->lock);
    if (!drain->has_failed)
        drain->failure = *diag;
    drain->has_failed = true;
    pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
}

const struct ft_diag *ft_drain_failure(const struct ft_drain *drain)
{
    return atomic_load_explicit(&drain->has_failed, memory_order_acquire) ? &drain->failure : NULL;
}

/* Whether there is work, and of which thread: one with enough blocks for a chunk; else, if waiting
 * would not bring more, the one with the oldest block. */
static bool find_work(const struct ft_drain *drain, uint32_t *ret_thread)
{
    for (unsigned i = 0; i < drain->queue_length; i++) {
        *ret_thread = drain->queue[i].thread;
        if (ft_log_jobs_ready(drain->queue, drain->queue_length, *ret_thread))
            return true;
    }
    if (drain->queue_length > 0)
        *ret_thread = drain->queue[0].thread;
    return drain->queue_length > 0 && (drain->closing || drain->free_count == 0);
}

/* Waits for work; false when there will be no more. */
static bool take_job(struct ft_drain *drain, struct ft_log_job *job)
{
    pthread_mutex_lock(&drain->lock);
    bool found;
    while (!(found = find_work(drain, &job->thread)) && !drain->closing)
        pthread_cond_wait(&drain->changed, &drain->lock);
    if (found) {
        ft_log_job_take(job, drain->queue, &drain->queue_length);
        job->ticket = drain->streams[job->thread].tickets++;
    }
    pthread_mutex_unlock(&drain->lock);
    return found;
}

static void return_blocks(struct ft_drain *drain, const struct ft_log_job *job)
{
    pthread_mutex_lock(&drain->lock);
    for (unsigned i = 0; i < job->count; i++)
        drain->free_blocks[drain->free_count++] = job->blocks[i].data;
    pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
}

/* Waits until all earlier jobs of the thread know how many chunks they are; returns the number of
 * the first. */
static uint64_t number_chunks(struct ft_drain *drain, struct ft_log_job *job)
{
    pthread_mutex_lock(&drain->lock);
    while (drain->streams[job->thread].tickets_numbered != job->ticket)
        pthread_cond_wait(&drain->changed, &drain->lock);
    struct ft_log_stream *stream = &drain->streams[job->thread]; /* the array may have moved */
    if (ft_drain_is_full(drain)) /* left out, as all later ones are */
        job->chunk_count = 0;
    uint64_t first = ft_log_job_number(job, stream);
    for (unsigned i = 0; i < job->chunk_count; i++)
        ft_log_totals_add(&drain->totals, &job->totals[i]);
    pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
    return first;
}

/* Writes the events that were added since the last time, so that a killed capture keeps them. The
 * caller has locked `writing`. */
static int write_events(struct ft_drain *drain, struct ft_diag *diag)
{
    struct ft_event *events = NULL;
    pthread_mutex_lock(&drain->lock);
    size_t count = drain->event_count - drain->events_written;
    if (count > 0 && (events = malloc(count * sizeof *events))) /* a copy: the array may move */
        memcpy(events, drain->events + drain->events_written, count * sizeof *events);
    pthread_mutex_unlock(&drain->lock);
    if (count == 0)
        return FT_OK;
    if (!events)
        return ft_fail_memory(diag, "events");
    drain->events_written += count;
    int status = ft_trace_writer_events(drain->writer, events, count, diag);
    free(events);
    return status;
}

static void set_full(struct ft_drain *drain)
{
    pthread_mutex_lock(&drain->lock);
    atomic_store(&drain->is_full, true);
    pthread_mutex_unlock(&drain->lock);
}

static int compare_units(const void *a, const void *b)
{
    const struct ft_unit *const *left = a, *const *right = b;
    return (*left)->id < (*right)->id ? -1 : (*left)->id > (*right)->id;
}

/* Writes those of the units that are not written yet, by number; what was translated and never ran
 * stays out of the trace. The caller has locked `writing`. */
static int write_units(struct ft_drain *drain, const uint32_t *ids, size_t count,
                       struct ft_diag *diag)
{
    size_t fresh = 0;
    const struct ft_unit **units = malloc((count + 1) * sizeof *units);
    if (!units)
        return ft_fail_memory(diag, "units");
    for (size_t i = 0; i < count; i++) {
        if (drain->is_written[ids[i]])
            continue;
        drain->is_written[ids[i]] = true;
        units[fresh++] = drain->units[ids[i]];
    }
    qsort(units, fresh, sizeof *units, compare_units);
    int status = ft_trace_writer_units(drain->writer, units, fresh, diag);
    free(units);
    return status;
}

/* Appends a chunk of log to the file, after the units and events that it may name: those that were
 * met since the last one. */
static int write_chunk(struct ft_drain *drain, const struct ft_chunk *chunk,
                       struct ft_log_encoder *encoder, struct ft_diag *diag)
{
    struct ft_bytes frame = {0};
    int status = ft_chunk_compress(chunk, ZSTD_LEVEL, &frame, diag);
    if (status == FT_OK) {
        const uint32_t *met;
        size_t met_count = ft_log_encoder_met(encoder, &met);
        pthread_mutex_lock(&drain->writing);
        status = write_units(drain, met, met_count, diag);
        if (status == FT_OK)
            status = write_events(drain, diag);
        if (status == FT_OK)
            status = ft_trace_writer_append(drain->writer, chunk, &frame, diag);
        if (status == FT_OK)
            drain->log_bytes += frame.length;
        bool is_full = drain->bytes_max && ft_trace_writer_bytes(drain->writer) >= drain->bytes_max;
        pthread_mutex_unlock(&drain->writing);
        if (is_full)
            set_full(drain);
    }
    ft_bytes_fini(&frame);
    return status;
}

static void *work(void *context)
{
    struct ft_drain *drain = context;
    struct ft_diag diag = {0};
    struct ft_log_encoder *encoder = NULL;
    struct ft_log_job job = {0};
    if (ft_log_encoder_create(&encoder, &diag) < 0)
        note_failure(drain, &diag);
    while (take_job(drain, &job)) {
        job.chunk_count = 0;
        /* After a failure blocks are only given back: the program is not held up. */
        int status = !encoder || drain->has_failed ? FT_ERROR_FAILURE : FT_OK;
        const struct ft_unit_table units = {(const struct ft_unit *const *)drain->units,
                                            (size_t)job.unit_count + 1};
        if (status == FT_OK && (status = ft_log_job_encode(&job, encoder, &units, &diag)) < 0)
            note_failure(drain, &diag);
        return_blocks(drain, &job);
        uint64_t first = number_chunks(drain, &job);
        for (unsigned i = 0; i < job.chunk_count && status == FT_OK; i++) {
            struct ft_chunk chunk = {.kind = FT_CHUNK_LOG,
                                     .thread = job.thread,
                                     .sequence = first + i,
                                     .totals = job.totals[i]};
            status = ft_log_job_payload(&job, i, &chunk, &diag);
            if (status == FT_OK)
                status = write_chunk(drain, &chunk, encoder, &diag);
            if (status < 0)
                note_failure(drain, &diag);
        }
    }
    for (unsigned i = 0; i < FT_JOB_BLOCKS; i++)
        ft_bytes_fini(&job.payloads[i]);
    ft_log_encoder_destroy(encoder);
    return NULL;
}

static int write_module(void *context, const struct ft_module *module, struct ft_diag *diag)
{
    struct ft_drain *drain = context;
    pthread_mutex_lock(&drain->writing);
    /* Pending events follow the modules, so that a killed capture keeps them. */
    int status =
        module ? ft_trace_writer_module(drain->writer, module, diag) : write_events(drain, diag);
    pthread_mutex_unlock(&drain->writing);
    return status;
}

/* Of the code whose units are in the trace. All threads have ended. */
static int write_lines(struct ft_drain *drain, struct ft_diag *diag)
{
    struct ft_executed_code code;
    int status =
        ft_executed_code_make(drain->units, drain->is_written, drain->unit_count, &code, diag);
    if (status == FT_OK)
        status = ft_module_reader_write_lines(drain->module_reader, &code, drain->sources,
                                              drain->writer, diag);
    ft_executed_code_fini(&code);
    return status;
}

void ft_drain_keep_sources(struct ft_drain *drain, struct ft_source_outcome *outcome)
{
    drain->sources = outcome;
    ft_module_reader_keep_lines(drain->module_reader);
}

bool ft_drain_is_full(struct ft_drain *drain)
{
    return atomic_load_explicit(&drain->is_full, memory_order_relaxed);
}

int ft_drain_create(const char *path, const struct ft_metadata *metadata, uint64_t bytes_max,
                    struct ft_drain **ret_drain, struct ft_diag *diag)
{
    struct ft_drain *drain = calloc(1, sizeof *drain);
    if (!drain)
        return ft_fail_memory(diag, "the drain");
    drain->bytes_max = bytes_max;
    drain->cpu_seconds_before = ft_host_cpu_seconds();
    pthread_mutex_init(&drain->lock, NULL);
    pthread_mutex_init(&drain->writing, NULL);
    pthread_cond_init(&drain->changed, NULL);
    drain->memory = malloc((size_t)BLOCKS * FT_DRAIN_BLOCK_BYTES);
    drain->units = calloc(UNITS_MAX, sizeof *drain->units); /* pages come as they are touched */
    drain->is_written = calloc(UNITS_MAX, sizeof *drain->is_written);
    int status = !drain->memory || !drain->units || !drain->is_written
                     ? ft_fail_memory(diag, "the drain")
                     : ft_trace_writer_create(path, metadata, &drain->writer, diag);
    if (status < 0) {
        ft_drain_destroy(drain);
        return status;
    }
    while (drain->free_count < BLOCKS) {
        drain->free_blocks[drain->free_count] =
            drain->memory + (size_t)drain->free_count * FT_DRAIN_BLOCK_BYTES;
        drain->free_count++;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned wanted = processors < 2 ? 1 : processors / 2 < 4 ? (unsigned)processors / 2 : 4;
    for (unsigned i = 0; i < wanted; i++) {
        if (pthread_create(&drain->workers[i], NULL, work, drain) != 0)
            break;
        drain->worker_count++;
    }
    status = drain->worker_count == 0
                 ? ft_fail(diag, FT_ERROR_FAILURE, "no thread could be started to write the trace")
                 : ft_module_reader_create(write_module, note_failure, drain,
                                           ft_metadata_is_private(metadata), &drain->module_reader,
                                           diag);
    if (status < 0) {
        ft_drain_destroy(drain);
        return status;
    }
    *ret_drain = drain;
    return FT_OK;
}

/* Gives on what was held back, and searches no more. */
static void end_periods(struct ft_drain *drain)
{
    if (drain->periods)
        ft_log_periods_flush(drain->periods);
    ft_log_periods_destroy(drain->periods);
    drain->periods = NULL;
}

/* Puts a block into the queue, with a copy of its records if there are any. */
static void queue_block(struct ft_drain *drain, struct ft_log_block block, const uint8_t *records)
{
    const uint32_t thread = block.thread;
    pthread_mutex_lock(&drain->lock);
    while (drain->free_count == 0)
        pthread_cond_wait(&drain->changed, &drain->lock);
    block.data = drain->free_blocks[--drain->free_count];
    bool room = FT_RESERVE(drain->streams, drain->stream_capacity, (size_t)thread + 1);
    for (; room && drain->stream_count <= thread; drain->stream_count++)
        drain->streams[drain->stream_count] = (struct ft_log_stream){0};
    pthread_mutex_unlock(&drain->lock);
    if (block.bytes)
        memcpy(block.data, records, block.bytes);
    pthread_mutex_lock(&drain->lock);
    block.unit_count = drain->unit_count;
    if (room)
        drain->queue[drain->queue_length++] = block;
    else
        drain->free_blocks[drain->free_count++] = block.data;
    if (drain->free_count == 0 || ft_log_jobs_ready(drain->queue, drain->queue_length, thread))
        pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
    if (!room) {
        struct ft_diag diag;
        ft_fail_memory(&diag, "a thread's log");
        note_failure(drain, &diag);
    }
}

static void take_records(void *context, uint32_t period, const uint8_t *records, size_t bytes,
                         const struct ft_log_state *state)
{
    struct ft_drain *drain = context;
    queue_block(drain,
                (struct ft_log_block){
                    .thread = drain->searched, .bytes = bytes, .state = *state, .period = period},
                records);
}

static void take_repeats(void *context, uint32_t period, uint64_t times)
{
    struct ft_drain *drain = context;
    queue_block(drain,
                (struct ft_log_block){.thread = drain->searched, .period = period, .times = times},
                NULL);
}

static bool follow(void *context, const uint8_t *records, size_t bytes, struct ft_log_state *state)
{
    struct ft_diag diag;
    return ft_drain_follow(context, records, bytes, state, &diag) == FT_OK;
}

void ft_drain_submit(struct ft_drain *drain, uint32_t thread, const uint8_t *records, size_t bytes,
                     const struct ft_log_state *state)
{
    if (bytes == 0)
        return;
    if (!drain->periods && !drain->has_threads) {
        drain->searched = thread;
        drain->periods = ft_log_periods_create(
            &(struct ft_log_receiver){drain, take_records, take_repeats, follow});
    }
    if (thread == drain->searched && drain->periods) {
        ft_log_periods_take(drain->periods, records, bytes, state);
        return;
    }
    end_periods(drain);
    drain->has_threads = true;
    queue_block(drain, (struct ft_log_block){.thread = thread, .bytes = bytes, .state = *state},
                records);
}

int ft_drain_follow(const struct ft_drain *drain, const uint8_t *records, size_t bytes,
                    struct ft_log_state *state, struct ft_diag *diag)
{
    struct ft_unit_table units = {(const struct ft_unit *const *)drain->units,
                                  (size_t)drain->unit_count + 1};
    struct ft_log_encoder *encoder;
    struct ft_bytes payload = {0};
    struct ft_log_totals totals;
    FT_TRY(ft_log_encoder_create(&encoder, diag));
    ft_log_encoder_start(encoder, state);
    int status = ft_log_encoder_append(encoder, &units, records, bytes, diag);
    if (status == FT_OK && ft_log_encoder_finish(encoder, &payload, &totals, state) < 0)
        status = ft_fail_memory(diag, "encoding the log");
    ft_bytes_fini(&payload);
    ft_log_encoder_destroy(encoder);
    return status;
}

int ft_drain_add_unit(struct ft_drain *drain, struct ft_unit *unit, struct ft_diag *diag)
{
    if (drain->unit_count + 1 >= UNITS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the program has more than %u pieces of code",
                       UNITS_MAX);
    struct ft_unit *copy = malloc(sizeof *copy);
    if (!copy)
        return ft_fail_memory(diag, "a unit");
    unit->id = drain->unit_count + 1;
    *copy = *unit;
    drain->units[unit->id] = copy;
    pthread_mutex_lock(&drain->lock);
    drain->unit_count++;
    pthread_mutex_unlock(&drain->lock);
    return FT_OK;
}

void ft_drain_written(struct ft_drain *drain, struct ft_log_totals *ret_totals,
                      uint64_t *ret_log_bytes)
{
    pthread_mutex_lock(&drain->lock);
    *ret_totals = drain->totals;
    pthread_mutex_unlock(&drain->lock);
    pthread_mutex_lock(&drain->writing);
    *ret_log_bytes = drain->log_bytes;
    pthread_mutex_unlock(&drain->writing);
}

const struct ft_unit *ft_drain_unit(const struct ft_drain *drain, uint32_t id)
{
    return drain->units[id];
}

uint32_t ft_drain_unit_count(const struct ft_drain *drain)
{
    return drain->unit_count;
}

int ft_drain_add_module(struct ft_drain *drain, const char *path, uint64_t load_bias,
                        uint64_t start, uint64_t end, uint8_t *image, size_t image_bytes,
                        struct ft_diag *diag)
{
    return ft_module_reader_add(drain->module_reader, path, load_bias, start, end, image,
                                image_bytes, diag);
}

uint64_t ft_drain_add_event(struct ft_drain *drain, const struct ft_event *event)
{
    char *text = event->text ? strdup(event->text) : NULL;
    uint64_t sequence = 0;
    pthread_mutex_lock(&drain->lock);
    if ((text || !event->text) &&
        FT_RESERVE(drain->events, drain->event_capacity, drain->event_count + 1)) {
        struct ft_event *added = &drain->events[drain->event_count++];
        *added = *event;
        added->sequence = sequence = drain->event_count;
        added->text = text;
    }
    pthread_mutex_unlock(&drain->lock);
    if (sequence == 0) {
        struct ft_diag diag;
        ft_fail_memory(&diag, "an event");
        note_failure(drain, &diag);
        free(text);
    }
    return sequence;
}

void ft_drain_set_counts(struct ft_drain *drain, struct ft_execution_counts *counts)
{
    drain->counts = *counts;
    *counts = (struct ft_execution_counts){0};
}

/* The units that ran, wholly or in part, then the counts. */
static int write_counts(struct ft_drain *drain, struct ft_diag *diag)
{
    size_t count = 0;
    uint32_t *ids = malloc(((size_t)drain->unit_count + 1) * sizeof *ids);
    if (!ids)
        return ft_fail_memory(diag, "units");
    for (uint32_t id = 1; id <= drain->unit_count; id++)
        if (drain->counts.units[id])
            ids[count++] = id;
    for (size_t i = 0; i < drain->counts.part_count; i++)
        if (!drain->counts.units[drain->counts.parts[i].unit] &&
            (i == 0 || drain->counts.parts[i - 1].unit != drain->counts.parts[i].unit))
            ids[count++] = drain->counts.parts[i].unit;
    int status = write_units(drain, ids, count, diag);
    free(ids);
    struct ft_unit_table units = {(const struct ft_unit *const *)drain->units,
                                  (size_t)drain->unit_count + 1};
    return status < 0 ? status
                      : ft_trace_writer_counts(drain->writer, &drain->counts, &units,
                                               &drain->totals.instructions, diag);
}

static void join_threads(struct ft_drain *drain)
{
    pthread_mutex_lock(&drain->lock);
    drain->closing = true;
    pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
    for (unsigned i = 0; i < drain->worker_count; i++)
        pthread_join(drain->workers[i], NULL);
    drain->worker_count = 0;
    ft_module_reader_finish(drain->module_reader);
}

int ft_drain_finish(struct ft_drain *drain, struct ft_metadata *metadata, struct ft_diag *diag)
{
    end_periods(drain);
    join_threads(drain);
    if (drain->has_failed) {
        *diag = drain->failure;
        return diag->status;
    }
    FT_TRY(write_events(drain, diag));
    if (drain->counts.units)
        FT_TRY(write_counts(drain, diag));
    FT_TRY(write_lines(drain, diag));
    metadata->host_cpu_seconds = ft_host_cpu_seconds() - drain->cpu_seconds_before;
    metadata->instructions = drain->totals.instructions;
    metadata->accesses = drain->totals.accesses;
    metadata->prefetches = drain->totals.prefetches;
    metadata->has_kernel_totals = true;
    metadata->kernel_calls = drain->totals.kernel_calls;
    metadata->kernel_reads_bytes = drain->totals.kernel_reads_bytes;
    metadata->kernel_writes_bytes = drain->totals.kernel_writes_bytes;
    metadata->library_calls = drain->totals.library_calls;
    return ft_trace_writer_finish(drain->writer, metadata, diag);
}

void ft_drain_destroy(struct ft_drain *drain)
{
    if (!drain)
        return;
    ft_log_periods_destroy(drain->periods);
    join_threads(drain);
    ft_module_reader_destroy(drain->module_reader);
    ft_trace_writer_destroy(drain->writer);
    for (uint32_t id = 1; id <= drain->unit_count; id++) {
        ft_unit_fini(drain->units[id]);
        free(drain->units[id]);
    }
    for (size_t i = 0; i < drain->event_count; i++)
        free(drain->events[i].text);
    ft_execution_counts_fini(&drain->counts);
    free(drain->units);
    free(drain->is_written);
    free(drain->streams);
    free(drain->events);
    free(drain->memory);
    pthread_mutex_destroy(&drain->lock);
    pthread_mutex_destroy(&drain->writing);
    pthread_cond_destroy(&drain->changed);
    free(drain);
}
