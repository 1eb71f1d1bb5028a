/*
 * The queue of the drain, in blocks of raw log, and what workers make of it: jobs, each of blocks
 * of one thread that may stand in a chunk together.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_LOG_JOBS_H
#define FT_TRACE_CAPTURE_TRACER_LOG_JOBS_H

#include "formats/trace/chunk.h"
#include "formats/trace/repeated_chunks.h"

#define FT_JOB_BLOCKS 32U /* enough for a good chunk */

struct ft_log_block {
    uint32_t thread;
    uint32_t unit_count; /* units that existed when it was submitted */
    uint8_t *data;       /* FT_DRAIN_BLOCK_BYTES */
    size_t bytes;
    struct ft_log_state state;
    uint32_t period; /* 0: none */
    uint64_t times;  /* that the period comes again, in the place of records; else 0 */
};

/* The chunks of one thread. */
struct ft_log_stream {
    uint64_t next_chunk;
    uint64_t tickets, tickets_numbered; /* of jobs */
    uint32_t period;                    /* the last one whose chunks are numbered: */
    struct ft_repeated_chunks repeated;
    struct ft_log_totals period_totals;
};

/* What a worker took, in order of the tickets, and what it made of it: usually one chunk. */
struct ft_log_job {
    /* Of one period, or of none; or a single one that repeats a period. */
    struct ft_log_block blocks[FT_JOB_BLOCKS];
    unsigned count;
    uint32_t thread;
    uint32_t unit_count;
    uint64_t ticket;
    struct ft_bytes payloads[FT_JOB_BLOCKS];
    struct ft_log_totals totals[FT_JOB_BLOCKS];
    unsigned chunk_count;
    struct ft_repeated_chunks repeated; /* of a job that repeats a period */
};

/* Whether the thread has enough blocks in the queue for a chunk, or one that no other goes with. */
bool ft_log_jobs_ready(const struct ft_log_block *queue, unsigned length, uint32_t thread);
/* Moves the oldest blocks of job->thread that may stand together into the job. */
void ft_log_job_take(struct ft_log_job *job, struct ft_log_block *queue, unsigned *length);
/* Makes its chunks; units: at least as many as there were when the last of its blocks came. */
int ft_log_job_encode(struct ft_log_job *job, struct ft_log_encoder *encoder,
                      const struct ft_unit_table *units, struct ft_diag *diag);
/* Gives the job's chunks their numbers, of which it returns the first. They are those of a period
 * that is noted, or of one that comes again: of the period that was noted last. All earlier jobs of
 * the thread have been numbered. */
uint64_t ft_log_job_number(struct ft_log_job *job, struct ft_log_stream *stream);
/* Sets kind and payload of the i-th chunk of a job that is numbered. */
int ft_log_job_payload(struct ft_log_job *job, unsigned i, struct ft_chunk *chunk,
                       struct ft_diag *diag);

#endif
