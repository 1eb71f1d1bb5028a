#include "trace-capture/tracer/log_jobs.h"

/* Whether a block may stand in a job behind one that is in it already. */
static bool goes_with(const struct ft_log_block *block, const struct ft_log_block *before)
{
    return block->period == before->period && !block->times && !before->times;
}

bool ft_log_jobs_ready(const struct ft_log_block *queue, unsigned length, uint32_t thread)
{
    unsigned count = 0;
    const struct ft_log_block *last = NULL;
    for (unsigned i = 0; i < length && count < FT_JOB_BLOCKS; i++) {
        const struct ft_log_block *block = &queue[i];
        if (block->thread != thread)
            continue;
        if (block->times || (last && !goes_with(block, last)))
            return true;
        last = block;
        count++;
    }
    return count == FT_JOB_BLOCKS;
}

void ft_log_job_take(struct ft_log_job *job, struct ft_log_block *queue, unsigned *length)
{
    unsigned kept = 0;
    bool is_full = false;
    job->count = 0;
    for (unsigned i = 0; i < *length; i++) {
        const struct ft_log_block block = queue[i];
        is_full = is_full || job->count == FT_JOB_BLOCKS ||
                  (block.thread == job->thread && job->count &&
                   !goes_with(&block, &job->blocks[job->count - 1]));
        if (block.thread == job->thread && !is_full) {
            job->blocks[job->count++] = block;
            job->unit_count = block.unit_count;
        } else {
            queue[kept++] = block;
        }
    }
    *length = kept;
}

static int finish_chunk(struct ft_log_encoder *encoder, struct ft_log_job *job,
                        struct ft_diag *diag)
{
    struct ft_log_state next;
    unsigned chunk = job->chunk_count++;
    job->payloads[chunk].length = 0;
    if (ft_log_encoder_finish(encoder, &job->payloads[chunk], &job->totals[chunk], &next) < 0)
        return ft_fail_memory(diag, "encoding the log");
    return FT_OK;
}

int ft_log_job_encode(struct ft_log_job *job, struct ft_log_encoder *encoder,
                      const struct ft_unit_table *units, struct ft_diag *diag)
{
    int status = FT_OK;
    if (job->blocks[0].times) {
        job->chunk_count = 1;
        return FT_OK;
    }
    ft_log_encoder_start(encoder, &job->blocks[0].state);
    for (unsigned i = 0; i < job->count && status == FT_OK; i++) {
        const struct ft_log_block *block = &job->blocks[i];
        if (i && !ft_log_encoder_fits(encoder, block->bytes)) {
            status = finish_chunk(encoder, job, diag);
            ft_log_encoder_start(encoder, &block->state);
        }
        if (status == FT_OK)
            status = ft_log_encoder_append(encoder, units, block->data, block->bytes, diag);
    }
    return status == FT_OK ? finish_chunk(encoder, job, diag) : status;
}

/* Notes the chunks of a period, or makes of a repetition what it stands for: all earlier jobs of
 * the thread have been numbered. */
static void number_period(struct ft_log_job *job, struct ft_log_stream *stream)
{
    const struct ft_log_block *block = &job->blocks[0];
    if (block->times) {
        job->repeated = stream->repeated;
        job->repeated.times = block->times;
        job->totals[0] = ft_log_totals_times(&stream->period_totals, block->times);
        job->chunk_count = job->chunk_count && stream->repeated.count ? 1 : 0;
    } else if (block->period) {
        if (block->period != stream->period) {
            stream->period = block->period;
            stream->repeated = (struct ft_repeated_chunks){.first = stream->next_chunk};
            stream->period_totals = (struct ft_log_totals){0};
        }
        stream->repeated.count += job->chunk_count;
        for (unsigned i = 0; i < job->chunk_count; i++)
            ft_log_totals_add(&stream->period_totals, &job->totals[i]);
    }
}

uint64_t ft_log_job_number(struct ft_log_job *job, struct ft_log_stream *stream)
{
    number_period(job, stream);
    uint64_t first = stream->next_chunk;
    stream->next_chunk += job->chunk_count;
    stream->tickets_numbered++;
    return first;
}

int ft_log_job_payload(struct ft_log_job *job, unsigned i, struct ft_chunk *chunk,
                       struct ft_diag *diag)
{
    if (job->blocks[0].times) {
        chunk->kind = FT_CHUNK_REPETITION;
        chunk->version = FT_TRACE_VERSION_REPETITIONS;
        job->payloads[i].length = 0;
        ft_repeated_chunks_write(&job->repeated, &job->payloads[i]);
        if (job->payloads[i].failed)
            return ft_fail_memory(diag, "a repetition");
    }
    chunk->payload = job->payloads[i].data;
    chunk->payload_bytes = job->payloads[i].length;
    return FT_OK;
}
