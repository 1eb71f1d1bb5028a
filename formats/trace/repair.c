/*
 * All tables are written before the logs, so that each definition precedes its first use. Totals do
 * not count what is missing at the end of a log.
 */
#include "formats/trace/repair.h"

#include <stdlib.h>
#include <string.h>

#include "formats/trace/trace_reader.h"
#include "formats/trace/trace_writer.h"

/* Chunks as they are: lines stay in theirs, and the content hash what it is. */
static int copy_modules(const struct ft_trace *trace, struct ft_trace_writer *writer,
                        struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < ft_trace_chunk_count(trace); i++) {
        const struct ft_chunk_description *description = ft_trace_chunk(trace, i);
        const struct ft_chunk chunk = {.kind = description->kind};
        if (chunk.kind != FT_CHUNK_MODULE && chunk.kind != FT_CHUNK_LINES)
            continue;
        status = ft_trace_chunk_read(trace, i, &buffer, diag);
        if (status == FT_OK)
            status = ft_trace_writer_append(writer, &chunk, &buffer.frame, diag);
    }
    ft_log_buffer_fini(&buffer);
    return status;
}

/* What could be read of them. */
static int write_modules(const struct ft_trace *trace, struct ft_trace_writer *writer,
                         struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_trace_module_count(trace); i++)
        FT_TRY(ft_trace_writer_module(writer, ft_trace_module(trace, i), diag));
    return FT_OK;
}

static int write_tables(const struct ft_trace *trace, bool is_whole, struct ft_trace_writer *writer,
                        struct ft_diag *diag)
{
    int status = is_whole ? copy_modules(trace, writer, diag) : write_modules(trace, writer, diag);
    size_t count = 0;
    const struct ft_unit **units = calloc(ft_trace_unit_count(trace) + 1, sizeof *units);
    if (!units)
        return ft_fail_memory(diag, "the units of a trace");
    for (size_t id = 1; id <= ft_trace_unit_count(trace); id++)
        if (ft_trace_unit(trace, (uint32_t)id))
            units[count++] = ft_trace_unit(trace, (uint32_t)id);
    if (status == FT_OK)
        status = ft_trace_writer_units(writer, units, count, diag);
    free(units);
    if (status == FT_OK && ft_trace_event_count(trace))
        status = ft_trace_writer_events(writer, ft_trace_event(trace, 0),
                                        ft_trace_event_count(trace), diag);
    return status;
}

static void add(struct ft_metadata *metadata, const struct ft_log_totals *totals)
{
    metadata->instructions += totals->instructions;
    metadata->accesses += totals->accesses;
    metadata->prefetches += totals->prefetches;
}

/* Copies the logs and counts what they hold. */
static int write_logs(const struct ft_trace *trace, const size_t *log_counts,
                      struct ft_trace_writer *writer, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    int status = FT_OK;
    for (uint32_t thread = 0; thread < ft_trace_thread_count(trace); thread++)
        for (size_t i = 0; status == FT_OK && i < log_counts[thread]; i++) {
            const struct ft_chunk_description *log = ft_trace_log(trace, thread, i);
            const uint8_t *payload;
            status = ft_trace_log_read(trace, thread, i, &buffer, &payload, diag);
            if (status)
                break;
            struct ft_chunk chunk = {.kind = FT_CHUNK_LOG,
                                     .thread = thread,
                                     .sequence = i,
                                     .totals = log->totals,
                                     .payload = payload,
                                     .payload_bytes = log->payload_bytes};
            status = ft_trace_writer_append(writer, &chunk, &buffer.frame, diag);
            add(metadata, &log->totals);
        }
    ft_log_buffer_fini(&buffer);
    return status;
}

static int end_metadata(struct ft_metadata *metadata, bool is_whole, struct ft_diag *diag)
{
    metadata->instructions = metadata->accesses = metadata->prefetches = 0;
    if (is_whole && metadata->end_reason)
        return FT_OK;
    metadata->has_kernel_totals = false;
    free(metadata->end_reason);
    metadata->end_reason = strdup("not known: the trace was cut off, and repaired");
    return metadata->end_reason ? FT_OK : ft_fail_memory(diag, "the metadata");
}

int ft_trace_repair(const struct ft_trace *trace, const size_t *log_counts, bool is_whole,
                    const char *path, struct ft_diag *diag)
{
    struct ft_metadata metadata = {0};
    struct ft_trace_writer *writer = NULL;
    int status;
    FT_TRY_TO(end, status, ft_metadata_copy(ft_trace_metadata(trace), &metadata, diag));
    FT_TRY_TO(end, status, end_metadata(&metadata, is_whole, diag));
    FT_TRY_TO(end, status, ft_trace_writer_create(path, &metadata, &writer, diag));
    FT_TRY_TO(end, status, write_tables(trace, is_whole, writer, diag));
    FT_TRY_TO(end, status, write_logs(trace, log_counts, writer, &metadata, diag));
    if (ft_trace_counts(trace))
        FT_TRY_TO(end, status,
                  ft_trace_writer_counts(writer, ft_trace_counts(trace), ft_trace_units(trace),
                                         &metadata.instructions, diag));
    status = ft_trace_writer_finish(writer, &metadata, diag);
end:
    ft_trace_writer_destroy(writer);
    ft_metadata_fini(&metadata);
    return status;
}
