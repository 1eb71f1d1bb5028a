#include "engine/reuse/mpi/rank_parts.h"

#include <stdlib.h>

#include "engine/reuse/work/log_cuts.h"
#include "formats/trace/trace.h"

#define KIND    "replay parts"
#define VERSION 3U

/* ---- who does what ---- */

void ft_rank_parts_share(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count)
{
    uint64_t sum = 0, first = 0;
    for (size_t i = 0; i < count; i++)
        sum += parts[i].work.end;
    const struct ft_work_range range = {
        ft_work_share(sum, ranks->number, ranks->count),
        ft_work_share(sum, ranks->number + (uint64_t)1, ranks->count),
    };
    for (size_t i = 0; i < count; i++) {
        const uint64_t here = parts[i].work.end;
        parts[i].work = ft_work_inside(range, first, here);
        first += here;
    }
}

/* ---- to rank 0 ---- */

static int send_parts(const struct ft_ranks *ranks, const struct ft_rank_part *parts, size_t count,
                      struct ft_checkpoint_pieces *kept, struct ft_diag *diag)
{
    struct ft_sealed_output *output = NULL;
    char *bytes = NULL;
    size_t size = 0;
    int status = ft_sealed_output_create_memory(KIND, VERSION, &bytes, &size, &output, diag);
    if (!status) {
        ft_sealed_put(output, parts, count * sizeof *parts);
        ft_checkpoint_pieces_write(kept, output);
        status = ft_sealed_output_finish(output, diag);
    }
    ft_sealed_output_destroy(output);
    ft_checkpoint_pieces_fini(kept);
    status = ft_mpi_allreduce_status(ranks, status, diag);
    if (!status)
        ft_ranks_send(ranks, 0, bytes, size);
    free(bytes);
    return status;
}

/* Adds what one rank has sent. */
static int take_parts(const char *bytes, size_t size, struct ft_rank_part *parts, size_t count,
                      const struct ft_block_sizes *sizes, struct ft_checkpoint_pieces *kept,
                      struct ft_diag *diag)
{
    struct ft_sealed_input *input = NULL;
    int status = ft_sealed_input_open_memory(bytes, size, "what a rank has sent", KIND, VERSION,
                                             &input, diag);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++) {
        struct ft_rank_part part;
        ft_sealed_get(input, &part, sizeof part);
        parts[i].seconds += part.seconds;
        if (part.memory_bytes > parts[i].memory_bytes)
            parts[i].memory_bytes = part.memory_bytes;
    }
    status = ft_checkpoint_pieces_read(kept, sizes, input, diag);
    ft_sealed_input_close(input);
    return status;
}

int ft_rank_parts_gather(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count,
                         const struct ft_block_sizes *sizes, struct ft_checkpoint_pieces *kept,
                         struct ft_diag *diag)
{
    if (ranks->number > 0)
        return send_parts(ranks, parts, count, kept, diag);
    int status = ft_mpi_allreduce_status(ranks, FT_OK, diag);
    if (status)
        return status;
    for (unsigned r = 1; r < ranks->count; r++) {
        char *bytes = NULL;
        size_t size = 0;
        if (status) {
            ft_ranks_refuse(ranks, r);
            continue;
        }
        status = ft_ranks_receive(ranks, r, &bytes, &size, diag);
        if (!status)
            status = take_parts(bytes, size, parts, count, sizes, kept, diag);
        free(bytes);
    }
    return status;
}
