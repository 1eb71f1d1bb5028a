#include "tests/support/repeated_trace.h"

#include "formats/trace/trace_reader.h"
#include "tests/support/small_trace.h"

static int append(struct ft_trace_writer *writer, struct ft_chunk *chunk,
                  struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_bytes frame = {0};
    int status = ft_chunk_compress(chunk, 1, &frame, diag);
    if (status == FT_OK)
        status = ft_trace_writer_append(writer, chunk, &frame, diag);
    metadata->instructions += chunk->totals.instructions;
    metadata->accesses += chunk->totals.accesses;
    metadata->prefetches += chunk->totals.prefetches;
    chunk->sequence++;
    ft_bytes_fini(&frame);
    return status;
}

/* Appends a log of the small trace. */
static int append_log(const struct ft_trace *small, size_t log, struct ft_trace_writer *writer,
                      struct ft_chunk *chunk, struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    const struct ft_chunk_description *description = ft_trace_log(small, 0, log);
    chunk->kind = FT_CHUNK_LOG;
    chunk->version = 0;
    chunk->totals = description->totals;
    chunk->payload_bytes = description->payload_bytes;
    int status = ft_trace_log_read(small, 0, log, &buffer, &chunk->payload, diag);
    if (status == FT_OK)
        status = append(writer, chunk, metadata, diag);
    ft_log_buffer_fini(&buffer);
    return status;
}

static int append_repetition(const struct ft_trace *small, const struct repeated_trace *wanted,
                             struct ft_trace_writer *writer, struct ft_chunk *chunk,
                             struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_bytes payload = {0};
    ft_repeated_chunks_write(&wanted->repeated, &payload);
    if (wanted->has_rest)
        ft_put_u8(&payload, 0);
    chunk->kind = FT_CHUNK_REPETITION;
    chunk->version = FT_TRACE_VERSION_REPETITIONS;
    chunk->totals = ft_log_totals_times(&ft_trace_log(small, 0, 1)->totals, wanted->times);
    chunk->totals.accesses += wanted->added_accesses;
    chunk->payload = payload.data;
    chunk->payload_bytes = payload.length;
    int status = append(writer, chunk, metadata, diag);
    ft_bytes_fini(&payload);
    return status;
}

static int write_logs(const struct ft_trace *small, const struct repeated_trace *wanted,
                      struct ft_trace_writer *writer, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    struct ft_chunk chunk = {0};
    int status = append_log(small, 0, writer, &chunk, metadata, diag);
    if (status == FT_OK)
        status = append_log(small, 1, writer, &chunk, metadata, diag);
    for (unsigned i = 0; i < wanted->times && wanted->tail == WRITTEN_OUT && status == FT_OK; i++)
        status = append_log(small, 1, writer, &chunk, metadata, diag);
    for (unsigned i = 0; i < (unsigned)wanted->tail && status == FT_OK; i++)
        status = append_repetition(small, wanted, writer, &chunk, metadata, diag);
    if (status == FT_OK)
        status = append_log(small, 0, writer, &chunk, metadata, diag);
    return status;
}

int repeated_trace_write(const struct ft_trace *small, const char *path,
                         const struct repeated_trace *wanted, struct ft_diag *diag)
{
    struct ft_metadata metadata = *ft_trace_metadata(small);
    const struct ft_unit *units[SMALL_UNITS];
    struct ft_trace_writer *writer = NULL;
    for (uint32_t id = 1; id < SMALL_UNITS; id++)
        units[id - 1] = ft_trace_unit(small, id);
    metadata.instructions = metadata.accesses = metadata.prefetches = 0;
    int status = ft_trace_writer_create(path, &metadata, &writer, diag);
    if (status == FT_OK)
        status = ft_trace_writer_module(writer, ft_trace_module(small, 0), diag);
    if (status == FT_OK)
        status = ft_trace_writer_units(writer, units, SMALL_UNITS - 1, diag);
    if (status == FT_OK)
        status = write_logs(small, wanted, writer, &metadata, diag);
    if (status == FT_OK && !wanted->is_cut_off)
        status = ft_trace_writer_finish(writer, &metadata, diag);
    ft_trace_writer_destroy(writer);
    return status;
}
