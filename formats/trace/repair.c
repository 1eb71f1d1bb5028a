/*
 * All tables are written before the logs, so that each definition precedes its first use. Totals do
 * not count what is missing at the end of a log.
 */
#include "formats/trace/repair.h"

#include <stdlib.h>
#include <string.h>

#include "formats/trace/log_parts.h"
#include "formats/trace/private_parts.h"
#include "formats/trace/trace_reader.h"
#include "formats/trace/trace_writer.h"

/* Chunks as they are: lines and source files stay in theirs, and the content hash what it is. */
static int copy_modules(const struct ft_trace *trace, struct ft_trace_writer *writer,
                        struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < ft_trace_chunk_count(trace); i++) {
        const struct ft_chunk_description *description = ft_trace_chunk(trace, i);
        const struct ft_chunk chunk = {.kind = description->kind};
        if (chunk.kind != FT_CHUNK_MODULE && chunk.kind != FT_CHUNK_LINES &&
            chunk.kind != FT_CHUNK_SOURCES)
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
    return ft_trace_writer_sources(writer, ft_trace_sources(trace), diag);
}

/* ---- without what tells of person and place ---- */

static int write_private_modules(const struct ft_trace *trace, struct ft_trace_writer *writer,
                                 struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_trace_module_count(trace); i++) {
        struct ft_module view;
        FT_TRY(ft_module_private_view(ft_trace_module(trace, i), &view, diag));
        const int status = ft_trace_writer_module(writer, &view, diag);
        free(view.path);
        free(view.strings);
        if (status)
            return status;
    }
    return FT_OK;
}

static int write_private_sources(const struct ft_trace *trace, struct ft_trace_writer *writer,
                                 struct ft_diag *diag)
{
    struct ft_source_files files = {0};
    int status = ft_source_files_copy_private(ft_trace_sources(trace), &files, diag);
    if (status == FT_OK)
        status = ft_trace_writer_sources(writer, &files, diag);
    ft_source_files_fini(&files);
    return status;
}

static void free_events(struct ft_event *events, size_t count)
{
    for (size_t i = 0; events && i < count; i++)
        free(events[i].text);
    free(events);
}

static int write_private_events(const struct ft_trace *trace, struct ft_trace_writer *writer,
                                struct ft_diag *diag)
{
    const size_t count = ft_trace_event_count(trace);
    struct ft_event *events = calloc(count + 1, sizeof *events);
    bool copied = events != NULL;
    for (size_t i = 0; copied && i < count; i++) {
        const char *text = ft_trace_event(trace, i)->text;
        events[i] = *ft_trace_event(trace, i);
        events[i].text = text ? strdup(text) : NULL;
        copied = !text || events[i].text;
        if (events[i].text)
            ft_text_make_private(events[i].text);
    }
    int status = copied ? FT_OK : ft_fail_memory(diag, "the events of a trace");
    if (status == FT_OK && count > 0)
        status = ft_trace_writer_events(writer, events, count, diag);
    free_events(events, count);
    return status;
}

/* ---- all ---- */

static int write_events(const struct ft_trace *trace, struct ft_trace_writer *writer,
                        struct ft_diag *diag)
{
    const size_t count = ft_trace_event_count(trace);
    return count == 0 ? FT_OK
                      : ft_trace_writer_events(writer, ft_trace_event(trace, 0), count, diag);
}

/* How a copy is made. */
struct copying {
    bool is_whole; /* nothing is missing */
    bool is_private;
    bool with_sources; /* of a private copy */
};

static int write_tables(const struct ft_trace *trace, const struct copying *copying,
                        struct ft_trace_writer *writer, struct ft_diag *diag)
{
    const bool is_private = copying->is_private;
    int status = is_private          ? write_private_modules(trace, writer, diag)
                 : copying->is_whole ? copy_modules(trace, writer, diag)
                                     : write_modules(trace, writer, diag);
    if (status == FT_OK && is_private && copying->with_sources)
        status = write_private_sources(trace, writer, diag);
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
    if (status == FT_OK)
        status = is_private ? write_private_events(trace, writer, diag)
                            : write_events(trace, writer, diag);
    return status;
}

static void add(struct ft_metadata *metadata, const struct ft_log_totals *totals)
{
    metadata->instructions += totals->instructions;
    metadata->accesses += totals->accesses;
    metadata->prefetches += totals->prefetches;
}

/* Copies the logs, as they stand in chunks, and counts what they hold. */
static int write_logs(const struct ft_trace *trace, const size_t *log_counts,
                      struct ft_trace_writer *writer, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    int status = FT_OK;
    for (uint32_t thread = 0; thread < ft_trace_thread_count(trace); thread++) {
        size_t part_count;
        const struct ft_log_part *parts = ft_trace_log_parts(trace, thread, &part_count);
        for (size_t i = 0; status == FT_OK && i < part_count &&
                           parts[i].first + parts[i].log_count <= log_counts[thread];
             i++) {
            const struct ft_chunk_description *log = ft_trace_chunk(trace, parts[i].chunk);
            status = ft_trace_chunk_read(trace, parts[i].chunk, &buffer, diag);
            if (status)
                break;
            struct ft_chunk chunk = {.kind = log->kind, .thread = thread};
            status = ft_trace_writer_append(writer, &chunk, &buffer.frame, diag);
            add(metadata, &log->totals);
        }
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

static int copy(const struct ft_trace *trace, const size_t *log_counts,
                const struct copying *copying, const char *path, struct ft_diag *diag)
{
    struct ft_metadata metadata = {0};
    struct ft_trace_writer *writer = NULL;
    int status;
    FT_TRY_TO(end, status, ft_metadata_copy(ft_trace_metadata(trace), &metadata, diag));
    FT_TRY_TO(end, status, end_metadata(&metadata, copying->is_whole, diag));
    if (copying->is_private)
        FT_TRY_TO(end, status, ft_metadata_make_private(&metadata, diag));
    FT_TRY_TO(end, status, ft_trace_writer_create(path, &metadata, &writer, diag));
    FT_TRY_TO(end, status, write_tables(trace, copying, writer, diag));
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

int ft_trace_repair(const struct ft_trace *trace, const size_t *log_counts, bool is_whole,
                    const char *path, struct ft_diag *diag)
{
    const struct copying copying = {.is_whole = is_whole};
    return copy(trace, log_counts, &copying, path, diag);
}

int ft_trace_copy_private(const char *from, const char *path, bool with_sources,
                          struct ft_diag *diag)
{
    const struct copying copying = {
        .is_whole = true, .is_private = true, .with_sources = with_sources};
    const struct ft_trace_options options = {.allow_incomplete = false};
    struct ft_trace *trace;
    FT_TRY(ft_trace_open(from, &options, &trace, diag));
    const uint32_t thread_count = ft_trace_thread_count(trace);
    size_t *log_counts = calloc(thread_count + 1U, sizeof *log_counts);
    for (uint32_t thread = 0; log_counts && thread < thread_count; thread++)
        log_counts[thread] = ft_trace_log_count(trace, thread);
    const int status = log_counts ? copy(trace, log_counts, &copying, path, diag)
                                  : ft_fail_memory(diag, "the logs of a trace");
    free(log_counts);
    ft_trace_close(trace);
    return status;
}
