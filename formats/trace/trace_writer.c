/*
 * Chunks are numbered for each (kind, thread) as they arrive, noted for the index, and flushed
 * about every second, so that a killed capture leaves a file whose chunks can be found. Tables that
 * this file makes itself (metadata, modules, units, events, summary) are split so that each chunk
 * holds whole entries; only a module, the lines of modules, and source files may go on over
 * several chunks.
 */
#include "formats/trace/trace_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/clock.h"
#include "formats/trace/container.h"
#include "formats/trace/counts_table.h"
#include "formats/trace/trace_parts.h"

#define TABLE_LEVEL     3
#define ENTRY_BYTES_MAX (1U << 16) /* room kept for one more unit or event in a chunk */
#define FLUSH_NS        UINT64_C(1000000000)
#define FLUSH_CHUNKS    64

struct ft_trace_writer {
    struct ft_container *container;
    struct ft_chunk_description *index;
    size_t index_count, index_capacity;
    uint64_t sequences[FT_CHUNK_KINDS]; /* of the kinds whose chunks are made here */
    uint32_t module_count;
    uint32_t thread_count;
    unsigned version;         /* the highest of its chunks */
    uint64_t definitions_sum; /* of what metadata and units add to the content hash */
    uint64_t chunk_bytes;     /* of all its frames */
    uint64_t flushed_ns;
    unsigned unflushed_chunks;
};

void ft_trace_writer_destroy(struct ft_trace_writer *writer)
{
    if (!writer)
        return;
    ft_container_close(writer->container);
    free(writer->index);
    free(writer);
}

int ft_trace_writer_append(struct ft_trace_writer *writer, const struct ft_chunk *chunk,
                           const struct ft_bytes *frame, struct ft_diag *diag)
{
    struct ft_chunk_description description;
    FT_TRY(ft_chunk_peek(frame->data, frame->length, &description, diag));
    if (!FT_RESERVE(writer->index, writer->index_capacity, writer->index_count + 1))
        return ft_fail_memory(diag, "the trace's index");
    int status = ft_container_append(writer->container, frame->data, frame->length, diag);
    if (status)
        return status;
    writer->index[writer->index_count++] = description;
    writer->chunk_bytes += frame->length;
    if (description.version > writer->version) {
        writer->version = description.version;
        status = ft_container_put_number(writer->container, "version", writer->version, diag);
        if (status)
            return status;
    }
    if (chunk->kind == FT_CHUNK_LOG && chunk->thread >= writer->thread_count)
        writer->thread_count = chunk->thread + 1;
    uint64_t now = ft_clock_ns();
    if (++writer->unflushed_chunks >= FLUSH_CHUNKS || now - writer->flushed_ns > FLUSH_NS) {
        writer->unflushed_chunks = 0;
        writer->flushed_ns = now;
        status = ft_container_flush(writer->container, diag);
    }
    return status;
}

uint64_t ft_trace_writer_bytes(const struct ft_trace_writer *writer)
{
    return writer->chunk_bytes;
}

/* Compresses and appends a table's payload, which ends here. instructions: that it counts. */
static int append_counted(struct ft_trace_writer *writer, enum ft_chunk_kind kind,
                          struct ft_bytes *payload, unsigned version, uint64_t instructions,
                          struct ft_diag *diag)
{
    struct ft_chunk chunk = {.kind = kind,
                             .version = version,
                             .totals = {.instructions = instructions},
                             .sequence = writer->sequences[kind],
                             .payload = payload->data,
                             .payload_bytes = payload->length};
    struct ft_bytes frame = {0};
    int status = payload->failed ? ft_fail_memory(diag, "a table of the trace") : FT_OK;
    if (status == FT_OK)
        status = ft_chunk_compress(&chunk, TABLE_LEVEL, &frame, diag);
    if (status == FT_OK)
        status = ft_trace_writer_append(writer, &chunk, &frame, diag);
    if (status == FT_OK)
        writer->sequences[kind]++;
    ft_bytes_fini(&frame);
    ft_bytes_fini(payload);
    return status;
}

static int append_table(struct ft_trace_writer *writer, enum ft_chunk_kind kind,
                        struct ft_bytes *payload, unsigned version, struct ft_diag *diag)
{
    return append_counted(writer, kind, payload, version, 0, diag);
}

static int put_metadata_attributes(struct ft_container *container,
                                   const struct ft_metadata *metadata, struct ft_diag *diag)
{
    char *command = ft_metadata_command(metadata);
    struct ft_bytes parameters = {0};
    for (size_t i = 0; i < metadata->parameter_count; i++) {
        char number[40];
        int length = snprintf(number, sizeof number, "=%.17g", metadata->parameters[i].value);
        ft_put(&parameters, " ", i > 0);
        ft_put(&parameters, metadata->parameters[i].name, strlen(metadata->parameters[i].name));
        ft_put(&parameters, number, (size_t)length);
    }
    ft_put_u8(&parameters, 0);
    if (!command || parameters.failed) {
        free(command);
        ft_bytes_fini(&parameters);
        return ft_fail_memory(diag, "the trace's attributes");
    }
    const struct {
        const char *name, *text;
    } rows[] = {
        {"tool_version", metadata->tool_version},
        {"program", metadata->program},
        {"command_line", command},
        {"parameters", (char *)parameters.data},
        {"directory", metadata->directory},
        {"host", metadata->host},
        {"cpu", metadata->cpu},
        {"kernel", metadata->kernel},
        {"started", metadata->started},
    };
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < sizeof rows / sizeof *rows; i++)
        status = ft_container_put_text(container, rows[i].name, rows[i].text, diag);
    free(command);
    ft_bytes_fini(&parameters);
    return status;
}

static int writer_open(struct ft_trace_writer *writer, const char *path,
                       const struct ft_metadata *metadata, struct ft_diag *diag)
{
    int status = ft_container_create(path, &writer->container, diag);
    if (status == FT_OK)
        status = put_metadata_attributes(writer->container, metadata, diag);
    if (status)
        return status;
    struct ft_bytes payload = {0};
    ft_metadata_write(metadata, &payload);
    if (!payload.failed)
        writer->definitions_sum = ft_metadata_hash(payload.data, payload.length);
    return append_table(writer, FT_CHUNK_METADATA, &payload, 1, diag);
}

int ft_trace_writer_create(const char *path, const struct ft_metadata *metadata,
                           struct ft_trace_writer **ret_writer, struct ft_diag *diag)
{
    struct ft_trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return ft_fail_memory(diag, path);
    writer->flushed_ns = ft_clock_ns();
    writer->version = 1; /* what the container says at first */
    int status = writer_open(writer, path, metadata, diag);
    if (status) {
        ft_trace_writer_destroy(writer);
        return status;
    }
    *ret_writer = writer;
    return FT_OK;
}

/* Wraps entries[0 .. count) that stand in `entries` as a table: their number, then they. */
static int append_entries(struct ft_trace_writer *writer, enum ft_chunk_kind kind, size_t count,
                          struct ft_bytes *entries, unsigned version, struct ft_diag *diag)
{
    struct ft_bytes payload = {0};
    ft_put_varint(&payload, count);
    ft_put(&payload, entries->data, entries->length);
    payload.failed |= entries->failed;
    entries->length = 0;
    return append_table(writer, kind, &payload, version, diag);
}

int ft_trace_writer_units(struct ft_trace_writer *writer, const struct ft_unit *const *units,
                          size_t count, struct ft_diag *diag)
{
    struct ft_bytes entries = {0};
    size_t gathered = 0;
    unsigned version = 1;
    int status = FT_OK;
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        size_t start = entries.length;
        ft_unit_write(units[i], &entries);
        if (!entries.failed)
            writer->definitions_sum +=
                ft_definition_hash(entries.data + start, entries.length - start);
        unsigned needed = units[i]->has_granules                 ? FT_TRACE_VERSION_GRANULES
                          : units[i]->kind == FT_UNIT_REFERENCES ? FT_TRACE_VERSION_REFERENCES
                          : units[i]->kind == FT_UNIT_PATH       ? FT_TRACE_VERSION_PATHS
                          : units[i]->kind == FT_UNIT_LOOP_PATH  ? FT_TRACE_VERSION_LOOP_PATHS
                                                                 : 1;
        version = needed > version ? needed : version;
        gathered++;
        if (i + 1 == count || entries.length > FT_CHUNK_PAYLOAD_BYTES_MAX - ENTRY_BYTES_MAX) {
            status = append_entries(writer, FT_CHUNK_CODE, gathered, &entries, version, diag);
            gathered = 0;
        }
    }
    ft_bytes_fini(&entries);
    return status;
}

int ft_trace_writer_events(struct ft_trace_writer *writer, const struct ft_event *events,
                           size_t count, struct ft_diag *diag)
{
    struct ft_bytes entries = {0};
    size_t gathered = 0;
    int status = FT_OK;
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        ft_event_write(&events[i], &entries);
        gathered++;
        if (i + 1 == count || entries.length > FT_CHUNK_PAYLOAD_BYTES_MAX - ENTRY_BYTES_MAX) {
            status = append_entries(writer, FT_CHUNK_EVENTS, gathered, &entries, 1, diag);
            gathered = 0;
        }
    }
    ft_bytes_fini(&entries);
    return status;
}

int ft_trace_writer_counts(struct ft_trace_writer *writer, const struct ft_execution_counts *counts,
                           const struct ft_unit_table *units, uint64_t *instructions,
                           struct ft_diag *diag)
{
    struct ft_counts_walk walk = {0};
    int status = FT_OK;
    do {
        struct ft_bytes payload = {0};
        uint64_t counted = ft_counts_write(counts, units, &walk, &payload);
        status = append_counted(writer, FT_CHUNK_COUNTS, &payload, FT_TRACE_VERSION_COUNTS, counted,
                                diag);
        *instructions += counted;
    } while (status == FT_OK && !walk.is_done);
    return status;
}

/* Bytes that may go on over several chunks: in each `head`, u8 whether the next one goes on, and a
 * part of them. */
static int append_parts(struct ft_trace_writer *writer, enum ft_chunk_kind kind,
                        const struct ft_bytes *head, const struct ft_bytes *whole, unsigned version,
                        struct ft_diag *diag)
{
    const size_t part_bytes_max = FT_CHUNK_PAYLOAD_BYTES_MAX - head->length - 1;
    int status = head->failed || whole->failed ? ft_fail_memory(diag, "a chunk") : FT_OK;
    for (size_t at = 0; status == FT_OK && at < whole->length;) {
        size_t left = whole->length - at;
        size_t bytes = left < part_bytes_max ? left : part_bytes_max;
        struct ft_bytes payload = {0};
        ft_put(&payload, head->data, head->length);
        ft_put_u8(&payload, bytes < left);
        ft_put(&payload, whole->data + at, bytes);
        at += bytes;
        status = append_table(writer, kind, &payload, version, diag);
    }
    return status;
}

int ft_trace_writer_module(struct ft_trace_writer *writer, const struct ft_module *module,
                           struct ft_diag *diag)
{
    struct ft_bytes number = {0}, whole = {0};
    ft_put_u32(&number, writer->module_count);
    ft_module_write(module, &whole);
    int status = append_parts(writer, FT_CHUNK_MODULE, &number, &whole, 1, diag);
    ft_bytes_fini(&number);
    ft_bytes_fini(&whole);
    writer->module_count += status == FT_OK;
    return status;
}

int ft_trace_writer_lines(struct ft_trace_writer *writer, const struct ft_bytes *lines,
                          struct ft_diag *diag)
{
    static const struct ft_bytes no_head;
    return append_parts(writer, FT_CHUNK_LINES, &no_head, lines, FT_TRACE_VERSION_LINES, diag);
}

int ft_trace_writer_sources(struct ft_trace_writer *writer, const struct ft_source_files *files,
                            struct ft_diag *diag)
{
    static const struct ft_bytes no_head;
    struct ft_bytes whole = {0};
    ft_source_files_write(files, &whole);
    int status =
        append_parts(writer, FT_CHUNK_SOURCES, &no_head, &whole, FT_TRACE_VERSION_SOURCES, diag);
    ft_bytes_fini(&whole);
    return status;
}

static int put_totals(struct ft_trace_writer *writer, const struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)ft_content_hash(writer->definitions_sum, writer->index,
                                                 writer->index_count));
    const struct {
        const char *name;
        uint64_t number;
    } rows[] = {
        {"instructions", metadata->instructions},
        {"accesses", metadata->accesses},
        {"prefetches", metadata->prefetches},
        {"threads", writer->thread_count},
    };
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < sizeof rows / sizeof *rows; i++)
        status = ft_container_put_number(writer->container, rows[i].name, rows[i].number, diag);
    if (status == FT_OK)
        status = ft_container_put_text(writer->container, "end_reason", metadata->end_reason, diag);
    if (status == FT_OK)
        status = ft_container_put_text(writer->container, "content_hash", hash, diag);
    return status;
}

int ft_trace_writer_finish(struct ft_trace_writer *writer, const struct ft_metadata *metadata,
                           struct ft_diag *diag)
{
    struct ft_bytes payload = {0};
    ft_summary_write(metadata, &payload);
    int status = append_table(writer, FT_CHUNK_SUMMARY, &payload, 1, diag);
    if (status == FT_OK)
        status =
            ft_container_put_index(writer->container, writer->index, writer->index_count, diag);
    if (status == FT_OK)
        status = put_totals(writer, metadata, diag);
    return status ? status : ft_container_finish(writer->container, diag);
}
