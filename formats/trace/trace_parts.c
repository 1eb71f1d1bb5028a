/*
 * Metadata have three parts: what results may depend on (parameters, command, sizes of xsave
 * areas), provenance (host, date), and details of the host, which early traces lack. The content
 * hash covers the first part, units, module and log chunks, but not events, which carry thread ids
 * and timestamps.
 */
#include "formats/trace/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

void ft_metadata_write(const struct ft_metadata *metadata, struct ft_bytes *bytes)
{
    struct ft_bytes content = {0};
    ft_put_varint(&content, metadata->parameter_count);
    for (size_t i = 0; i < metadata->parameter_count; i++) {
        ft_put_string(&content, metadata->parameters[i].name);
        ft_put(&content, &metadata->parameters[i].value, sizeof(double));
    }
    ft_put_varint(&content, metadata->argument_count);
    for (size_t i = 0; i < metadata->argument_count; i++)
        ft_put_string(&content, metadata->arguments[i]);
    ft_put_string(&content, metadata->program);
    ft_put_u32(&content, metadata->xsave_standard_bytes);
    ft_put_u32(&content, metadata->xsave_compact_bytes);
    ft_put_u32(bytes, (uint32_t)content.length);
    ft_put(bytes, content.data, content.length);
    bytes->failed |= content.failed;
    ft_bytes_fini(&content);
    ft_put_string(bytes, metadata->directory);
    ft_put_string(bytes, metadata->host);
    ft_put_string(bytes, metadata->kernel);
    ft_put_string(bytes, metadata->cpu);
    ft_put_string(bytes, metadata->tool_version);
    ft_put_string(bytes, metadata->started);
    ft_capture_host_write(&metadata->capture_host, bytes);
}

uint64_t ft_metadata_hash(const uint8_t *payload, size_t bytes)
{
    struct ft_cursor cursor = {.data = payload, .length = bytes};
    uint32_t length = ft_get_u32(&cursor);
    const uint8_t *content = ft_get(&cursor, length);
    return content ? XXH3_64bits(content, length) : 0;
}

/* A count of entries that take at least entry_bytes each. */
static size_t get_count(struct ft_cursor *cursor, size_t entry_bytes)
{
    uint64_t count = ft_get_varint(cursor);
    if (cursor->failed || count > (cursor->length - cursor->position) / entry_bytes) {
        cursor->failed = true;
        return 0;
    }
    return count;
}

static void get_parameters(struct ft_cursor *cursor, struct ft_metadata *metadata)
{
    size_t count = get_count(cursor, 1 + sizeof(double));
    metadata->parameters = calloc(count + 1, sizeof *metadata->parameters);
    if (!metadata->parameters)
        cursor->failed = true;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        metadata->parameters[i].name = ft_get_string(cursor);
        const uint8_t *value = ft_get(cursor, sizeof(double));
        if (value)
            memcpy(&metadata->parameters[i].value, value, sizeof(double));
        metadata->parameter_count = i + 1;
    }
}

static void get_arguments(struct ft_cursor *cursor, struct ft_metadata *metadata)
{
    size_t count = get_count(cursor, 1);
    metadata->arguments = calloc(count + 1, sizeof *metadata->arguments);
    if (!metadata->arguments)
        cursor->failed = true;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        metadata->arguments[i] = ft_get_string(cursor);
        metadata->argument_count = i + 1;
    }
}

int ft_metadata_read(struct ft_cursor *cursor, struct ft_metadata *ret_metadata,
                     struct ft_diag *diag)
{
    struct ft_metadata metadata = {0};
    (void)ft_get_u32(cursor); /* length of the first part, for the hash */
    get_parameters(cursor, &metadata);
    get_arguments(cursor, &metadata);
    metadata.program = ft_get_string(cursor);
    metadata.xsave_standard_bytes = ft_get_u32(cursor);
    metadata.xsave_compact_bytes = ft_get_u32(cursor);
    metadata.directory = ft_get_string(cursor);
    metadata.host = ft_get_string(cursor);
    metadata.kernel = ft_get_string(cursor);
    metadata.cpu = ft_get_string(cursor);
    metadata.tool_version = ft_get_string(cursor);
    metadata.started = ft_get_string(cursor);
    ft_capture_host_read(cursor, &metadata.capture_host);
    if (cursor->failed) {
        ft_metadata_fini(&metadata);
        return ft_fail(diag, FT_ERROR_DATA, "the metadata is truncated or inconsistent");
    }
    *ret_metadata = metadata;
    return FT_OK;
}

void ft_event_write(const struct ft_event *event, struct ft_bytes *bytes)
{
    ft_put_varint(bytes, event->sequence);
    ft_put_varint(bytes, event->kind);
    ft_put_varint(bytes, event->thread);
    ft_put_varint(bytes, event->a);
    ft_put_varint(bytes, event->b);
    ft_put_varint(bytes, event->c);
    ft_put_u8(bytes, event->text != NULL);
    if (event->text)
        ft_put_string(bytes, event->text);
}

bool ft_event_read(struct ft_cursor *cursor, struct ft_event *ret_event)
{
    struct ft_event event = {.sequence = ft_get_varint(cursor)};
    uint64_t kind = ft_get_varint(cursor);
    uint64_t thread = ft_get_varint(cursor);
    event.a = ft_get_varint(cursor);
    event.b = ft_get_varint(cursor);
    event.c = ft_get_varint(cursor);
    if (kind > UINT32_MAX || thread > UINT32_MAX)
        cursor->failed = true;
    event.kind = (uint32_t)kind;
    event.thread = (uint32_t)thread;
    if (ft_get_u8(cursor))
        event.text = ft_get_string(cursor);
    if (cursor->failed) {
        free(event.text);
        return false;
    }
    *ret_event = event;
    return true;
}

void ft_summary_write(const struct ft_metadata *metadata, struct ft_bytes *bytes)
{
    ft_put_u64(bytes, metadata->instructions);
    ft_put_u64(bytes, metadata->accesses);
    ft_put_u64(bytes, metadata->prefetches);
    ft_put(bytes, &metadata->target_cpu_seconds, sizeof(double));
    ft_put(bytes, &metadata->host_cpu_seconds, sizeof(double));
    ft_put_string(bytes, metadata->end_reason);
    if (!metadata->has_kernel_totals)
        return;
    ft_put_varint(bytes, metadata->kernel_calls);
    ft_put_varint(bytes, metadata->kernel_reads_bytes);
    ft_put_varint(bytes, metadata->kernel_writes_bytes);
    ft_put_varint(bytes, metadata->library_calls);
}

int ft_summary_read(struct ft_cursor *cursor, struct ft_metadata *metadata, struct ft_diag *diag)
{
    uint64_t instructions = ft_get_u64(cursor);
    uint64_t accesses = ft_get_u64(cursor);
    uint64_t prefetches = ft_get_u64(cursor);
    double seconds[2];
    const uint8_t *cpu_seconds = ft_get(cursor, sizeof seconds);
    char *end_reason = ft_get_string(cursor);
    bool has_kernel_totals = cursor->position < cursor->length;
    uint64_t kernel[4] = {0};
    for (unsigned i = 0; i < 4 && cursor->position < cursor->length; i++)
        kernel[i] = ft_get_varint(cursor);
    if (cursor->failed) {
        free(end_reason);
        return ft_fail(diag, FT_ERROR_DATA, "the summary is cut off");
    }
    metadata->instructions = instructions;
    metadata->accesses = accesses;
    metadata->prefetches = prefetches;
    memcpy(seconds, cpu_seconds, sizeof seconds);
    metadata->target_cpu_seconds = seconds[0];
    metadata->host_cpu_seconds = seconds[1];
    metadata->has_kernel_totals = has_kernel_totals;
    metadata->kernel_calls = kernel[0];
    metadata->kernel_reads_bytes = kernel[1];
    metadata->kernel_writes_bytes = kernel[2];
    metadata->library_calls = kernel[3];
    free(metadata->end_reason);
    metadata->end_reason = end_reason;
    return FT_OK;
}

uint64_t ft_definition_hash(const uint8_t *definition, size_t bytes)
{
    return XXH3_64bits(definition, bytes);
}

/* A sum of hashes, mixed once more: each term says which place it is for, so that the order of the
 * terms does not matter. */
uint64_t ft_content_hash(uint64_t definitions_sum, const struct ft_chunk_description *chunks,
                         size_t count)
{
    uint64_t sum = definitions_sum;
    for (size_t i = 0; i < count; i++) {
        const struct ft_chunk_description *chunk = &chunks[i];
        if (chunk->kind != FT_CHUNK_MODULE && chunk->kind != FT_CHUNK_LOG &&
            chunk->kind != FT_CHUNK_COUNTS && chunk->kind != FT_CHUNK_LINES &&
            chunk->kind != FT_CHUNK_REPETITION)
            continue;
        uint64_t term[3] = {(uint64_t)chunk->kind << 32 | chunk->thread, chunk->sequence,
                            chunk->checksum};
        sum += XXH3_64bits(term, sizeof term);
    }
    return XXH3_64bits(&sum, sizeof sum);
}
