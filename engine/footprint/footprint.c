/*
 * Each block has the time of its last touch. A touch is the first of its interval if that time lies
 * before the interval, and the first of all if there is none; the difference is a gap.
 *
 * Runs are cut where intervals end, and walked at each size in epochs (epochs.h), in which each
 * iteration touches the same blocks in the same order: the first one is taken, and the second one
 * stands for all that follow, since their gaps are the same; then its touches are moved to the time
 * of the last one.
 */
#include "engine/footprint/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "engine/footprint/block_times.h"
#include "engine/footprint/scope_sets.h"
#include "engine/streams/epochs.h"
#include "engine/streams/run_batch.h"
#include "formats/base/array.h"

struct size_state {
    unsigned shift;
    struct ft_epochs epochs;
    struct ft_block_times times;
    struct ft_gaps gaps;
    uint64_t distinct, interval_distinct, interval_new;
};

struct ft_footprinter {
    const struct ft_scopes *scopes;
    struct size_state *sizes;
    size_t size_count;
    uint64_t interval_accesses, interval_start, interval_end;
    uint64_t accesses; /* taken */
    struct ft_scope_sets sets;
    struct ft_footprint result;
};

/* A piece of a run: entries of its body, in iterations of which each is a whole body's. */
struct piece {
    const struct ft_run_source *source;
    const struct ft_run_batch *batch;
    const struct ft_run *run;
    uint32_t first_entry, entry_count;
};

static int allocate(struct ft_footprinter *footprinter, struct ft_diag *diag)
{
    struct ft_footprint *result = &footprinter->result;
    const size_t sizes = footprinter->size_count, scopes = footprinter->scopes->scope_count;
    footprinter->sizes = calloc(sizes + 1, sizeof *footprinter->sizes);
    result->size_count = sizes;
    result->block_bytes = calloc(sizes + 1, sizeof *result->block_bytes);
    result->distinct_blocks = calloc(sizes + 1, sizeof *result->distinct_blocks);
    result->gaps = calloc(sizes + 1, sizeof *result->gaps);
    result->scope_accesses = calloc(scopes + 1, sizeof *result->scope_accesses);
    result->scope_blocks = calloc(scopes * sizes + 1, sizeof *result->scope_blocks);
    if (!footprinter->sizes || !result->block_bytes || !result->distinct_blocks || !result->gaps ||
        !result->scope_accesses || !result->scope_blocks)
        return ft_fail_memory(diag, "a footprint");
    int status = ft_scope_sets_init(&footprinter->sets, scopes, diag);
    return status ? status
                  : ft_phases_init(&result->phases, footprinter->scopes->block_count, diag);
}

int ft_footprint_create(const uint64_t *block_bytes, size_t size_count, uint64_t interval_accesses,
                        const struct ft_scopes *scopes, struct ft_footprinter **ret_footprinter,
                        struct ft_diag *diag)
{
    struct ft_footprinter *footprinter = calloc(1, sizeof *footprinter);
    if (!footprinter)
        return ft_fail_memory(diag, "a footprint");
    footprinter->scopes = scopes;
    footprinter->size_count = size_count;
    footprinter->interval_accesses = footprinter->interval_end = interval_accesses;
    int status = allocate(footprinter, diag);
    if (status) {
        ft_footprint_destroy(footprinter);
        return status;
    }
    memcpy(footprinter->result.block_bytes, block_bytes, size_count * sizeof *block_bytes);
    for (size_t s = 0; s < size_count; s++) {
        struct size_state *size = &footprinter->sizes[s];
        size->shift = size->epochs.block_shift = (unsigned)__builtin_ctzll(block_bytes[s]);
        ft_block_times_init(&size->times);
    }
    *ret_footprinter = footprinter;
    return FT_OK;
}

void ft_footprint_destroy(struct ft_footprinter *footprinter)
{
    if (!footprinter)
        return;
    for (size_t s = 0; footprinter->sizes && s < footprinter->size_count; s++) {
        ft_epochs_fini(&footprinter->sizes[s].epochs);
        ft_block_times_fini(&footprinter->sizes[s].times);
    }
    free(footprinter->sizes);
    ft_scope_sets_fini(&footprinter->sets);
    ft_footprint_fini(&footprinter->result);
    free(footprinter);
}

void ft_footprint_fini(struct ft_footprint *footprint)
{
    free(footprint->block_bytes);
    free(footprint->distinct_blocks);
    free(footprint->gaps);
    free(footprint->scope_accesses);
    free(footprint->scope_blocks);
    free(footprint->intervals);
    free(footprint->interval_blocks);
    free(footprint->interval_new);
    ft_phases_fini(&footprint->phases);
    *footprint = (struct ft_footprint){0};
}

uint64_t ft_footprint_accesses(const struct ft_footprinter *footprinter)
{
    return footprinter->accesses;
}

/* ---- touches ---- */

/* A touch at `time` that stands for `weight` of its kind. */
static void touch(const struct ft_footprinter *footprinter, struct size_state *size, uint64_t *last,
                  uint64_t time, uint64_t weight)
{
    if (*last <= footprinter->interval_start) {
        size->interval_distinct++;
        size->interval_new += *last == 0;
    }
    ft_gaps_add(&size->gaps, time - *last, weight);
    *last = time;
}

/* The touches of one iteration, the first at time + 1. */
static int touch_body(struct ft_footprinter *footprinter, struct size_state *size,
                      const struct piece *piece, uint64_t iteration, uint64_t time, uint64_t weight,
                      struct ft_diag *diag)
{
    const bool in_sets = size == footprinter->sizes && weight == 1;
    for (uint32_t j = 0; j < piece->entry_count; j++) {
        struct ft_epoch_entry entry =
            ft_epoch_entry(piece->source, piece->batch, piece->run->first + piece->first_entry + j);
        uint64_t address = entry.address;
        if (iteration)
            address += iteration * (uint64_t)entry.stride;
        uint64_t blocks = ft_blocks_covered(size->shift, address, entry.size_bytes);
        for (; blocks > 0; blocks--, address += UINT64_C(1) << size->shift) {
            uint64_t number;
            int status = ft_block_times_find(&size->times, address >> size->shift, &number, diag);
            if (!status && in_sets)
                status = ft_scope_sets_add(&footprinter->sets,
                                           footprinter->scopes->references[entry.reference].scope,
                                           number, diag);
            if (status)
                return status;
            touch(footprinter, size, ft_block_times_at(&size->times, number), time + j + 1, weight);
        }
    }
    return FT_OK;
}

/* Touches of an iteration, whose blocks are known, are said to have been at another time. */
static int move_body(struct size_state *size, const struct piece *piece, uint64_t iteration,
                     uint64_t time, struct ft_diag *diag)
{
    for (uint32_t j = 0; j < piece->entry_count; j++) {
        struct ft_epoch_entry entry =
            ft_epoch_entry(piece->source, piece->batch, piece->run->first + piece->first_entry + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        uint64_t blocks = ft_blocks_covered(size->shift, address, entry.size_bytes);
        for (; blocks > 0; blocks--, address += UINT64_C(1) << size->shift) {
            uint64_t number;
            int status = ft_block_times_find(&size->times, address >> size->shift, &number, diag);
            if (status)
                return status;
            *ft_block_times_at(&size->times, number) = time + j + 1;
        }
    }
    return FT_OK;
}

static int walk(struct ft_footprinter *footprinter, struct size_state *size,
                const struct piece *piece, uint64_t first, uint64_t count, struct ft_diag *diag)
{
    const uint64_t body = piece->entry_count;
    const uint64_t stop = first + count;
    uint64_t time = footprinter->accesses;
    if (!ft_epochs_start(&size->epochs, piece->run))
        return ft_fail_memory(diag, "a footprint");
    for (uint64_t iteration = first; iteration < stop;) {
        uint64_t blocks;
        uint64_t end = ft_epochs_end(&size->epochs, piece->source, piece->batch, piece->run,
                                     iteration, &blocks);
        if (end > stop)
            end = stop;
        int status = touch_body(footprinter, size, piece, iteration, time, 1, diag);
        uint64_t others = end - iteration - 1;
        if (!status && others > 0)
            status = touch_body(footprinter, size, piece, iteration + 1, time + body, others, diag);
        if (!status && others > 1)
            status = move_body(size, piece, iteration + 1, time + others * body, diag);
        if (status)
            return status;
        time += (end - iteration) * body;
        iteration = end;
    }
    return FT_OK;
}

/* ---- runs and intervals ---- */

static int end_interval(struct ft_footprinter *footprinter, struct ft_diag *diag)
{
    struct ft_footprint *result = &footprinter->result;
    const size_t sizes = footprinter->size_count, index = result->interval_count;
    struct ft_footprint_interval interval = {.accesses = footprinter->accesses -
                                                         footprinter->interval_start};
    if (!FT_RESERVE(result->intervals, result->interval_capacity, index + 1) ||
        !FT_RESERVE(result->interval_blocks, result->interval_blocks_capacity,
                    (index + 1) * sizes) ||
        !FT_RESERVE(result->interval_new, result->interval_new_capacity, (index + 1) * sizes))
        return ft_fail_memory(diag, "a footprint");
    int status = ft_phases_end_interval(&result->phases, &interval.phase, diag);
    if (status)
        return status;
    for (size_t s = 0; s < sizes; s++) {
        struct size_state *size = &footprinter->sizes[s];
        result->interval_blocks[index * sizes + s] = size->interval_distinct;
        result->interval_new[index * sizes + s] = size->interval_new;
        size->distinct += size->interval_new;
        size->interval_distinct = size->interval_new = 0;
    }
    result->intervals[index] = interval;
    result->interval_count++;
    footprinter->interval_start = footprinter->accesses;
    footprinter->interval_end = footprinter->accesses + footprinter->interval_accesses;
    return FT_OK;
}

/* Iterations of a piece, all inside the interval. */
static int take_piece(struct ft_footprinter *footprinter, const struct piece *piece, uint64_t first,
                      uint64_t count, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t s = 0; !status && s < footprinter->size_count; s++)
        status = count == 1 ? touch_body(footprinter, &footprinter->sizes[s], piece, first,
                                         footprinter->accesses, 1, diag)
                            : walk(footprinter, &footprinter->sizes[s], piece, first, count, diag);
    const uint32_t *references = piece->batch->references + piece->run->first + piece->first_entry;
    for (uint32_t j = 0; j < piece->entry_count; j++) {
        const struct ft_scoped_reference *reference =
            &footprinter->scopes->references[references[j]];
        footprinter->result.scope_accesses[reference->scope] += count;
        ft_phases_count(&footprinter->result.phases, reference->block, count);
    }
    footprinter->accesses += piece->entry_count * count;
    if (!status && footprinter->accesses == footprinter->interval_end)
        status = end_interval(footprinter, diag);
    return status;
}

static int take_run(struct ft_footprinter *footprinter, const struct ft_run_source *source,
                    const struct ft_run_batch *batch, const struct ft_run *run,
                    struct ft_diag *diag)
{
    const uint32_t body = run->reference_count;
    int status = FT_OK;
    for (uint64_t iteration = 0; !status && body > 0 && iteration < run->iteration_count;) {
        struct piece piece = {source, batch, run, 0, body};
        uint64_t whole = (footprinter->interval_end - footprinter->accesses) / body;
        if (whole > run->iteration_count - iteration)
            whole = run->iteration_count - iteration;
        if (whole > 0)
            status = take_piece(footprinter, &piece, iteration, whole, diag);
        /* Else an interval ends inside of the iteration, or several do. */
        for (uint32_t entry = 0; !status && whole == 0 && entry < body;) {
            uint64_t room = footprinter->interval_end - footprinter->accesses;
            piece.first_entry = entry;
            piece.entry_count = room < body - entry ? (uint32_t)room : body - entry;
            status = take_piece(footprinter, &piece, iteration, 1, diag);
            entry += piece.entry_count;
        }
        iteration += whole > 0 ? whole : 1;
    }
    return status;
}

int ft_footprint_take(struct ft_footprinter *footprinter, const struct ft_run_source *source,
                      const struct ft_run_batch *batch, struct ft_diag *diag)
{
    int status = ft_run_batch_check(source, batch, diag);
    for (size_t r = 0; !status && r < batch->run_count; r++)
        status = take_run(footprinter, source, batch, &batch->runs[r], diag);
    return status;
}

/* ---- the end ---- */

static void end_gaps(struct ft_footprinter *footprinter, size_t s)
{
    struct size_state *size = &footprinter->sizes[s];
    for (uint64_t number = 0; number < ft_block_times_end(&size->times); number++) {
        uint64_t last = *ft_block_times_at(&size->times, number);
        if (last)
            ft_gaps_add(&size->gaps, footprinter->accesses + 1 - last, 1);
    }
    footprinter->result.gaps[s] = size->gaps;
    footprinter->result.distinct_blocks[s] = size->distinct;
}

int ft_footprint_finish(struct ft_footprinter *footprinter, struct ft_footprint *ret_footprint,
                        struct ft_diag *diag)
{
    struct ft_footprint *result = &footprinter->result;
    int status = FT_OK;
    if (footprinter->accesses > footprinter->interval_start)
        status = end_interval(footprinter, diag);
    for (size_t s = 0; !status && s < footprinter->size_count; s++)
        end_gaps(footprinter, s);
    if (!status)
        status = ft_scope_sets_count(&footprinter->sets, footprinter->scopes,
                                     &footprinter->sizes[0].times.groups, result->block_bytes,
                                     footprinter->size_count, result->scope_blocks, diag);
    if (status)
        return status;
    result->accesses = footprinter->accesses;
    result->memory_bytes = ft_scope_sets_bytes(&footprinter->sets);
    for (size_t s = 0; s < footprinter->size_count; s++)
        result->memory_bytes += ft_block_times_bytes(&footprinter->sizes[s].times);
    *ret_footprint = *result;
    *result = (struct ft_footprint){0};
    return FT_OK;
}

/* ---- the working-set curve ---- */

ft_wide ft_gaps_window_sum(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses)
{
    const uint64_t window = UINT64_C(1) << log2_accesses;
    ft_wide sum = (ft_wide)blocks * (accesses - window + 1);
    for (unsigned bin = log2_accesses + 1; bin < FT_GAP_BINS; bin++)
        sum -= gaps->sums[bin] - (ft_wide)gaps->counts[bin] * window;
    return sum;
}

double ft_gaps_window_mean(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses)
{
    uint64_t windows = accesses - (UINT64_C(1) << log2_accesses) + 1;
    return (double)ft_gaps_window_sum(gaps, blocks, accesses, log2_accesses) / (double)windows;
}
