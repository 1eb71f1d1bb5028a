/*
 * Opening: the descriptions of all chunks first (from /index, or by peeking into each frame of a
 * cut-off file), then each chunk but the logs is read into its table, kind by kind in their
 * sequence: HDF5 may put a chunk into a hole before those that were written earlier. Logs are
 * sorted by (thread, sequence), and repetitions, which name some of them, with them. In a cut-off
 * file each kind, and each thread's log, ends at the first chunk that is missing or damaged.
 */
#include "formats/trace/trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/input_form.h"
#include "formats/trace/chunk_order.h"
#include "formats/trace/container.h"
#include "formats/trace/log_parts.h"
#include "formats/trace/trace_parts.h"
#include "formats/trace/trace_tables.h"

/* Tables do not compress better than this; frames that do are made to fill the memory. */
#define TABLE_RATIO_MAX     128
#define TABLE_BYTES_ANYTIME (64U << 10)

struct ft_trace {
    char *path;
    struct ft_container *container;
    char hash[20];
    unsigned version; /* the highest of its tables' chunks */
    struct ft_chunk_description *chunks;
    size_t chunk_count, dropped_count;
    struct ft_log_part *parts; /* of logs, sorted by (thread, sequence) */
    size_t part_count;
    size_t *thread_parts; /* [thread]: its first part; thread_count + 1 entries */
    uint32_t thread_count;
    struct ft_trace_tables tables;
    struct ft_unit_table table; /* its units */
    struct ft_log_totals noted; /* in the summary of a cut-off file */
};

void ft_log_buffer_fini(struct ft_log_buffer *buffer)
{
    ft_bytes_fini(&buffer->frame);
    free(buffer->chunk);
    buffer->chunk = NULL;
}

void ft_trace_close(struct ft_trace *trace)
{
    if (!trace)
        return;
    ft_container_close(trace->container);
    ft_trace_tables_fini(&trace->tables);
    free(trace->chunks);
    free(trace->parts);
    free(trace->thread_parts);
    free(trace->path);
    free(trace);
}

/* Puts where it is before the message that says what is wrong. */
static int fail_at(const struct ft_trace *trace, const char *where, struct ft_diag *diag)
{
    return ft_fail_at(diag, diag ? diag->status : FT_ERROR_DATA, "%s: %s", trace->path, where);
}

static int fail_in_chunk(const struct ft_trace *trace, size_t index, struct ft_diag *diag)
{
    char where[96];
    snprintf(where, sizeof where, "chunk %zu (%s)", index,
             ft_chunk_kind_name(trace->chunks[index].kind));
    return fail_at(trace, where, diag);
}

int ft_trace_log_fail(const struct ft_trace *trace, uint32_t thread, size_t index,
                      struct ft_diag *diag)
{
    char where[96];
    snprintf(where, sizeof where, "thread %u, log chunk %zu", thread, index);
    return fail_at(trace, where, diag);
}

/* ---- opening ---- */

static int list_chunks(struct ft_trace *trace, struct ft_diag *diag)
{
    uint64_t count = ft_container_chunk_count(trace->container);
    const struct ft_chunk_description *index = ft_container_index(trace->container);
    struct ft_bytes frame = {0};
    int status = FT_OK;
    trace->chunks = calloc(count + 1, sizeof *trace->chunks);
    if (!trace->chunks)
        return ft_fail_memory(diag, "the chunks of a trace");
    if (index)
        memcpy(trace->chunks, index, count * sizeof *index);
    for (uint64_t i = 0; !index && status == FT_OK && i < count; i++) {
        status = ft_container_read(trace->container, i, &frame, diag);
        if (status == FT_OK)
            status = ft_chunk_peek(frame.data, frame.length, &trace->chunks[i], diag);
    }
    ft_bytes_fini(&frame);
    trace->chunk_count = count;
    return status;
}

static bool same_description(const struct ft_chunk_description *a,
                             const struct ft_chunk_description *b)
{
    return a->kind == b->kind && a->thread == b->thread && a->payload_bytes == b->payload_bytes &&
           a->sequence == b->sequence && a->checksum == b->checksum &&
           a->totals.records == b->totals.records &&
           a->totals.instructions == b->totals.instructions &&
           a->totals.accesses == b->totals.accesses && a->totals.prefetches == b->totals.prefetches;
}

int ft_trace_chunk_read(const struct ft_trace *trace, size_t index, struct ft_log_buffer *buffer,
                        struct ft_diag *diag)
{
    struct ft_chunk_description description;
    if (!buffer->chunk && !(buffer->chunk = malloc(FT_CHUNK_BYTES)))
        return ft_fail_memory(diag, "a chunk");
    buffer->held = NULL;
    FT_TRY(ft_container_read(trace->container, index, &buffer->frame, diag));
    int status = ft_chunk_decompress(buffer->frame.data, buffer->frame.length, buffer->chunk,
                                     &description, diag);
    if (status == FT_OK && !same_description(&description, &trace->chunks[index]))
        status = ft_fail(diag, FT_ERROR_DATA, "the index describes another chunk");
    if (status == FT_OK)
        buffer->held = &trace->chunks[index];
    return status ? fail_in_chunk(trace, index, diag) : FT_OK;
}

/* Makes a chunk of a cut-off file one that is not there. */
static void drop(struct ft_trace *trace, size_t chunk)
{
    trace->chunks[chunk].kind = FT_CHUNK_DROPPED;
    trace->dropped_count++;
}

static int fail_order(const struct ft_trace *trace, const struct ft_chunk_order *item, uint64_t due,
                      struct ft_diag *diag)
{
    const struct ft_chunk_description *chunk = &trace->chunks[item->chunk];
    return ft_fail(diag, FT_ERROR_DATA,
                   "%s: chunk %zu (%s) of thread %u has sequence %llu where %llu is due",
                   trace->path, item->chunk, ft_chunk_kind_name(chunk->kind), chunk->thread,
                   (unsigned long long)item->sequence, (unsigned long long)due);
}

static int read_table(struct ft_trace *trace, size_t index, struct ft_log_buffer *buffer,
                      struct ft_diag *diag)
{
    int status = ft_trace_chunk_read(trace, index, buffer, diag);
    if (status)
        return status;
    const struct ft_chunk_description *chunk = &trace->chunks[index];
    /* Source files may say the same a thousand times, and have a limit of their own. */
    if (chunk->kind != FT_CHUNK_SOURCES && chunk->payload_bytes > TABLE_BYTES_ANYTIME &&
        chunk->payload_bytes / TABLE_RATIO_MAX > buffer->frame.length)
        status = ft_fail(diag, FT_ERROR_DATA, "%zu bytes that hold %u: no capture makes these",
                         buffer->frame.length, chunk->payload_bytes);
    unsigned version = ft_chunk_version(buffer->chunk);
    trace->version = version > trace->version ? version : trace->version;
    if (status == FT_OK)
        status = ft_trace_tables_take(&trace->tables, chunk,
                                      buffer->chunk + FT_CHUNK_DESCRIPTION_BYTES, diag);
    return status ? fail_in_chunk(trace, index, diag) : FT_OK;
}

/* Reads every chunk but the logs. In a cut-off file a kind ends at what cannot be read. */
static int read_tables(struct ft_trace *trace, struct ft_diag *diag)
{
    bool is_complete = ft_container_is_complete(trace->container);
    struct ft_log_buffer buffer = {0};
    struct ft_chunk_order *order = NULL;
    size_t count = 0;
    int status = ft_chunks_sort(trace->chunks, trace->chunk_count, false, &order, &count, diag);
    if (status)
        return status;
    uint64_t due = 0;
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        const struct ft_chunk_order *item = &order[i];
        if (i == 0 || item->group != order[i - 1].group)
            due = 0;
        bool is_known = item->group < FT_CHUNK_KINDS && item->group != FT_CHUNK_DROPPED;
        if (is_known && item->sequence != due)
            status = fail_order(trace, item, due, diag);
        else if (is_known)
            status = read_table(trace, item->chunk, &buffer, diag);
        due += status == FT_OK;
        if (status == FT_ERROR_DATA && !is_complete) {
            drop(trace, item->chunk);
            status = FT_OK;
        }
    }
    free(order);
    ft_log_buffer_fini(&buffer);
    if (status == FT_OK && !trace->tables.has_metadata)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: no metadata", trace->path);
    if (status == FT_OK && !trace->tables.has_summary && is_complete)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: no summary", trace->path);
    return status;
}

/* Appends the next chunk of a thread's log to its parts. */
static int add_part(struct ft_trace *trace, const struct ft_chunk_order *item,
                    struct ft_log_part *parts, size_t *count, struct ft_log_buffer *buffer,
                    struct ft_diag *diag)
{
    if (item->sequence != *count)
        return fail_order(trace, item, *count, diag);
    if (trace->chunks[item->chunk].kind == FT_CHUNK_LOG) {
        ft_log_parts_add(parts, count, item->chunk);
        return FT_OK;
    }
    struct ft_repeated_chunks repeated;
    FT_TRY(ft_trace_chunk_read(trace, item->chunk, buffer, diag));
    struct ft_cursor cursor = {.data = buffer->chunk + FT_CHUNK_DESCRIPTION_BYTES,
                               .length = trace->chunks[item->chunk].payload_bytes};
    unsigned version = ft_chunk_version(buffer->chunk);
    trace->version = version > trace->version ? version : trace->version;
    int status = ft_repeated_chunks_read(&cursor, item->sequence, &repeated, diag);
    if (status == FT_OK)
        status = ft_log_parts_repeat(parts, count, item->chunk, &repeated, trace->chunks, diag);
    return status ? fail_in_chunk(trace, item->chunk, diag) : FT_OK;
}

/* The sorted logs of a thread. In a cut-off file they end at the first that is missing or damaged,
 * and what comes behind it is dropped. */
static int number_thread(struct ft_trace *trace, const struct ft_chunk_order *order, size_t count,
                         struct ft_log_buffer *buffer, struct ft_diag *diag)
{
    struct ft_log_part *parts = trace->parts + trace->part_count;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        int status = add_part(trace, &order[i], parts, &kept, buffer, diag);
        if (status != FT_OK &&
            (status != FT_ERROR_DATA || ft_container_is_complete(trace->container)))
            return status;
        if (status)
            drop(trace, order[i].chunk);
    }
    trace->part_count += kept;
    return FT_OK;
}

/* Finds each thread's part of the sorted logs. */
static int number_logs(struct ft_trace *trace, const struct ft_chunk_order *order, size_t count,
                       struct ft_diag *diag)
{
    uint32_t last = count ? order[count - 1].group : 0;
    if (last >= FT_TRACE_THREADS_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "%s: a log of thread %u", trace->path, last);
    trace->thread_count = count ? last + 1 : 0;
    trace->thread_parts = calloc((size_t)trace->thread_count + 2, sizeof *trace->thread_parts);
    trace->parts = calloc(count + 1, sizeof *trace->parts);
    if (!trace->thread_parts || !trace->parts)
        return ft_fail_memory(diag, "the logs of a trace");
    struct ft_log_buffer buffer = {0};
    int status = FT_OK;
    for (size_t thread = 0, at = 0; thread < trace->thread_count && status == FT_OK; thread++) {
        size_t end = at;
        while (end < count && order[end].group == thread)
            end++;
        status = number_thread(trace, order + at, end - at, &buffer, diag);
        trace->thread_parts[thread + 1] = trace->part_count;
        at = end;
    }
    ft_log_buffer_fini(&buffer);
    return status;
}

static int read_logs(struct ft_trace *trace, struct ft_diag *diag)
{
    struct ft_chunk_order *order = NULL;
    size_t count = 0;
    int status = ft_chunks_sort(trace->chunks, trace->chunk_count, true, &order, &count, diag);
    if (status == FT_OK)
        status = number_logs(trace, order, count, diag);
    free(order);
    return status;
}

/* What the whole trace holds: noted in the summary, or added up where the end is missing. */
static void add_up(struct ft_trace *trace)
{
    struct ft_metadata *metadata = &trace->tables.metadata;
    if (ft_container_is_complete(trace->container))
        return;
    trace->noted = (struct ft_log_totals){.instructions = metadata->instructions,
                                          .accesses = metadata->accesses,
                                          .prefetches = metadata->prefetches};
    metadata->instructions = metadata->accesses = metadata->prefetches = 0;
    for (size_t i = 0; i < trace->chunk_count; i++)
        if (trace->chunks[i].kind == FT_CHUNK_COUNTS)
            metadata->instructions += trace->chunks[i].totals.instructions;
    for (size_t i = 0; i < trace->part_count; i++) {
        const struct ft_log_totals *totals = &trace->chunks[trace->parts[i].chunk].totals;
        metadata->instructions += totals->instructions;
        metadata->accesses += totals->accesses;
        metadata->prefetches += totals->prefetches;
    }
}

static int check_hash(struct ft_trace *trace, struct ft_diag *diag)
{
    snprintf(trace->hash, sizeof trace->hash, "%016llx",
             (unsigned long long)ft_content_hash(trace->tables.definitions_sum, trace->chunks,
                                                 trace->chunk_count));
    const char *noted = ft_container_noted_hash(trace->container);
    if (ft_container_is_complete(trace->container) && strcmp(noted, trace->hash) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: content hash %s noted, %s found: damaged",
                       trace->path, noted, trace->hash);
    return FT_OK;
}

/* A capture reads modules on the side: one that was cut off may have units of a module that is not
 * there. They are units of none then. */
static int check_module(const struct ft_trace *trace, uint32_t unit, uint32_t *module,
                        struct ft_diag *diag)
{
    if (*module < trace->tables.module_count || *module == FT_NO_MODULE)
        return FT_OK;
    if (ft_container_is_complete(trace->container))
        return ft_fail(diag, FT_ERROR_DATA, "%s: unit %u is of module %u, which is not there",
                       trace->path, unit, *module);
    *module = FT_NO_MODULE;
    return FT_OK;
}

static int check_modules(struct ft_trace *trace, struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t id = 1; id < trace->tables.unit_count && status == FT_OK; id++) {
        struct ft_unit *unit = trace->tables.units[id];
        if (unit)
            status = check_module(trace, id, &unit->module, diag);
        for (unsigned p = 0; unit && p < unit->piece_count && status == FT_OK; p++)
            status = check_module(trace, id, &unit->pieces[p].module, diag);
    }
    return status;
}

static int read_all(struct ft_trace *trace, const struct ft_trace_options *options,
                    struct ft_diag *diag)
{
    int status = ft_container_open(trace->path, options && options->allow_incomplete,
                                   options && options->only_carve, &trace->container, diag);
    if (status == FT_OK)
        status = list_chunks(trace, diag);
    if (status == FT_OK)
        status = read_tables(trace, diag);
    if (status == FT_OK)
        status = check_modules(trace, diag);
    if (status == FT_OK)
        status = read_logs(trace, diag);
    if (status == FT_OK)
        status = check_hash(trace, diag);
    if (status)
        return status;
    add_up(trace);
    trace->table = (struct ft_unit_table){(const struct ft_unit *const *)trace->tables.units,
                                          trace->tables.unit_count};
    return FT_OK;
}

int ft_trace_open(const char *path, const struct ft_trace_options *options,
                  struct ft_trace **ret_trace, struct ft_diag *diag)
{
    struct ft_diag unwanted;
    FT_TRY(options && options->allow_incomplete ? ft_check_no_folder(path, diag)
                                                : ft_check_input_form(path, diag));
    struct ft_trace *trace = calloc(1, sizeof *trace);
    if (!trace || !(trace->path = strdup(path))) {
        ft_trace_close(trace);
        return ft_fail_memory(diag, path);
    }
    int status = read_all(trace, options, diag ? diag : &unwanted);
    if (status) {
        ft_trace_close(trace);
        return status;
    }
    *ret_trace = trace;
    return FT_OK;
}

/* ---- what was read ---- */

const char *ft_trace_path(const struct ft_trace *trace)
{
    return trace->path;
}

uint64_t ft_trace_file_bytes(const struct ft_trace *trace)
{
    return ft_container_file_bytes(trace->container);
}

unsigned ft_trace_version(const struct ft_trace *trace)
{
    return trace->version;
}

const char *ft_trace_content_hash(const struct ft_trace *trace)
{
    return trace->hash;
}

bool ft_trace_is_complete(const struct ft_trace *trace)
{
    return ft_container_is_complete(trace->container);
}

const struct ft_metadata *ft_trace_metadata(const struct ft_trace *trace)
{
    return &trace->tables.metadata;
}

const struct ft_source_files *ft_trace_sources(const struct ft_trace *trace)
{
    return &trace->tables.sources;
}

size_t ft_trace_module_count(const struct ft_trace *trace)
{
    return trace->tables.module_count;
}

const struct ft_module *ft_trace_module(const struct ft_trace *trace, size_t index)
{
    return index < trace->tables.module_count ? &trace->tables.modules[index] : NULL;
}

size_t ft_trace_unit_count(const struct ft_trace *trace)
{
    return trace->tables.unit_count ? trace->tables.unit_count - 1 : 0;
}

const struct ft_unit *ft_trace_unit(const struct ft_trace *trace, uint32_t id)
{
    return id < trace->tables.unit_count ? trace->tables.units[id] : NULL;
}

const struct ft_unit_table *ft_trace_units(const struct ft_trace *trace)
{
    return &trace->table;
}

size_t ft_trace_event_count(const struct ft_trace *trace)
{
    return trace->tables.event_count;
}

const struct ft_event *ft_trace_event(const struct ft_trace *trace, size_t index)
{
    return index < trace->tables.event_count ? &trace->tables.events[index] : NULL;
}

const struct ft_execution_counts *ft_trace_counts(const struct ft_trace *trace)
{
    return trace->tables.has_counts ? &trace->tables.counted.counts : NULL;
}

int ft_trace_require_addresses(const struct ft_trace *trace, struct ft_diag *diag)
{
    return ft_trace_counts(trace)
               ? ft_fail(diag, FT_ERROR_DATA,
                         "%s: captured with --counts, so there are no addresses in it: capture "
                         "the program without --counts for this; 'foretrace structure' shows what "
                         "was counted",
                         trace->path)
               : FT_OK;
}

uint32_t ft_trace_thread_count(const struct ft_trace *trace)
{
    return trace->thread_count;
}

bool ft_trace_locate(const struct ft_trace *trace, uint64_t pc, uint32_t *ret_module,
                     uint64_t *ret_offset)
{
    for (size_t i = trace->tables.module_count; i-- > 0;) { /* the last one mapped there counts */
        const struct ft_module *module = &trace->tables.modules[i];
        uint64_t offset = pc - module->load_bias;
        if (offset >= module->start && offset < module->end) {
            *ret_module = (uint32_t)i;
            *ret_offset = offset;
            return true;
        }
    }
    *ret_module = FT_NO_MODULE;
    *ret_offset = pc;
    return false;
}

bool ft_trace_is_whole(const struct ft_trace *trace)
{
    const struct ft_metadata *metadata = &trace->tables.metadata;
    return trace->tables.has_summary && trace->dropped_count == 0 &&
           (ft_container_is_complete(trace->container) ||
            (trace->noted.instructions == metadata->instructions &&
             trace->noted.accesses == metadata->accesses &&
             trace->noted.prefetches == metadata->prefetches));
}

size_t ft_trace_dropped_count(const struct ft_trace *trace)
{
    return trace->dropped_count;
}

size_t ft_trace_chunk_count(const struct ft_trace *trace)
{
    return trace->chunk_count;
}

const struct ft_chunk_description *ft_trace_chunk(const struct ft_trace *trace, size_t index)
{
    return &trace->chunks[index];
}

const struct ft_log_part *ft_trace_log_parts(const struct ft_trace *trace, uint32_t thread,
                                             size_t *ret_count)
{
    *ret_count = 0;
    if (thread >= trace->thread_count)
        return NULL;
    *ret_count = trace->thread_parts[thread + 1] - trace->thread_parts[thread];
    return trace->parts + trace->thread_parts[thread];
}

/* The chunk that a log stands in. */
static size_t log_chunk(const struct ft_trace *trace, uint32_t thread, size_t index)
{
    size_t count;
    const struct ft_log_part *parts = ft_trace_log_parts(trace, thread, &count);
    return ft_log_parts_chunk(parts, count, index);
}

size_t ft_trace_log_count(const struct ft_trace *trace, uint32_t thread)
{
    size_t count;
    const struct ft_log_part *parts = ft_trace_log_parts(trace, thread, &count);
    return ft_log_parts_logs(parts, count);
}

const struct ft_chunk_description *ft_trace_log(const struct ft_trace *trace, uint32_t thread,
                                                size_t index)
{
    return &trace->chunks[log_chunk(trace, thread, index)];
}

int ft_trace_log_read(const struct ft_trace *trace, uint32_t thread, size_t index,
                      struct ft_log_buffer *buffer, const uint8_t **ret_payload,
                      struct ft_diag *diag)
{
    size_t chunk = log_chunk(trace, thread, index);
    int status = buffer->held == &trace->chunks[chunk]
                     ? FT_OK
                     : ft_trace_chunk_read(trace, chunk, buffer, diag);
    if (status == FT_OK)
        *ret_payload = buffer->chunk + FT_CHUNK_DESCRIPTION_BYTES;
    return status;
}
