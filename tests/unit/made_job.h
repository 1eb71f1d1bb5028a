/*
 * Jobs of MPI whose calls are written down in a test, in the place of traces.
 */
#ifndef FT_TESTS_UNIT_MADE_JOB_H
#define FT_TESTS_UNIT_MADE_JOB_H

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/trace/mpi_job.h"

static inline void out_of_memory(void)
{
    abort();
}

/* A call that has returned, after so many instructions of its rank; `details` ends with a key of
 * 0. */
static inline void add_call_at(struct ft_mpi_rank *rank, uint64_t instructions, const char *name,
                               const uint64_t *details)
{
    struct ft_mpi_timeline *timeline = &rank->timeline;
    size_t count = 0;
    while (details[count])
        count += 2;
    if (!FT_RESERVE(timeline->calls, timeline->capacity, timeline->count + 1) ||
        !FT_RESERVE(timeline->details, timeline->detail_capacity, timeline->detail_count + count))
        out_of_memory();
    timeline->calls[timeline->count++] =
        (struct ft_mpi_call){.name = name,
                             .function = ft_mpi_function_find(name),
                             .has_returned = true,
                             .instructions = instructions,
                             .first_detail = timeline->detail_count,
                             .detail_count = count};
    for (size_t i = 0; i < count; i++)
        timeline->details[timeline->detail_count++] = details[i];
    timeline->instructions = instructions;
}
#define ADD_CALL(rank, name, ...) add_call_at(rank, 0, name, (uint64_t[]){__VA_ARGS__, 0})

/* Ranks from `first` on, of `size`, without calls. */
static inline struct ft_mpi_job make_job_of(uint32_t first, uint32_t size)
{
    struct ft_mpi_job job = {.size = size};
    if (!FT_RESERVE(job.ranks, job.rank_capacity, size))
        out_of_memory();
    memset(job.ranks, 0, size * sizeof *job.ranks);
    for (uint32_t r = first; r < size; r++) {
        job.ranks[job.rank_count].path = "trace";
        job.ranks[job.rank_count].is_whole = true;
        job.ranks[job.rank_count++].rank = r;
    }
    return job;
}

#endif
