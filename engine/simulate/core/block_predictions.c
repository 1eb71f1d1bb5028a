/*
 * A thread's records are cut into equal parts, with a window at a random place in each. Its first
 * records teach the predictor, which keeps what it has learned from window to window. Chunks
 * without a window are not read.
 */
#include "engine/simulate/core/block_predictions.h"

#include <stdlib.h>

#include "engine/simulate/core/branch_walk.h"
#include "formats/base/splitmix.h"
#include "formats/scopes/block_index.h"
#include "formats/trace/trace_reader.h"

#define WINDOWS         32U /* of all threads together; one of each at least */
#define WARM_RECORDS    (UINT64_C(1) << 13)
#define COUNTED_RECORDS (UINT64_C(1) << 13)
#define WINDOW_RECORDS  (WARM_RECORDS + COUNTED_RECORDS)
#define BATCH           1024

/* The records of a thread that are walked next, in windows of the same length. */
struct window {
    uint64_t first, counted, end; /* records of the thread; counted: the first that counts */
};

struct sampling {
    const struct ft_trace *trace;
    struct ft_branch_walk *walk;
    struct ft_log_decoder *decoder;
    struct ft_log_buffer buffer;
    struct ft_record records[BATCH];
    /* of the thread at hand */
    uint32_t thread;
    bool is_whole;               /* one window has all of it */
    uint64_t record_count, part; /* part: records of one */
    uint64_t part_count, next;   /* next: part of the window that is next */
    uint64_t random;
    struct window window;
};

/* ---- windows ---- */

static void place_window(struct sampling *sampling)
{
    struct window *window = &sampling->window;
    const uint64_t start = sampling->next * sampling->part;
    if (sampling->next++ >= sampling->part_count) {
        *window = (struct window){UINT64_MAX, UINT64_MAX, UINT64_MAX};
        return;
    }
    if (sampling->is_whole) {
        *window = (struct window){0, 0, UINT64_MAX};
        return;
    }
    window->first = start + ft_splitmix(&sampling->random) % (sampling->part - WINDOW_RECORDS + 1);
    window->counted = window->first + WARM_RECORDS;
    window->end = window->first + WINDOW_RECORDS;
}

static void plan_thread(struct sampling *sampling, uint32_t thread)
{
    const uint32_t threads = ft_trace_thread_count(sampling->trace);
    const uint64_t windows = threads < WINDOWS ? WINDOWS / threads : 1;
    sampling->thread = thread;
    sampling->record_count = 0;
    for (size_t i = 0; i < ft_trace_log_count(sampling->trace, thread); i++)
        sampling->record_count += ft_trace_log(sampling->trace, thread, i)->totals.records;
    sampling->is_whole = sampling->record_count <= windows * WINDOW_RECORDS;
    sampling->part_count = sampling->is_whole ? 1 : windows;
    sampling->part = sampling->record_count / sampling->part_count;
    sampling->next = 0;
    sampling->random = thread;
    place_window(sampling);
}

/* ---- records ---- */

/* Records of a chunk that begins with the thread's record `first`; those in windows are walked. */
static int walk_records(struct sampling *sampling, uint64_t first, size_t count,
                        struct ft_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i;
        if (at >= sampling->window.end) {
            place_window(sampling);
            ft_branch_walk_interrupt(sampling->walk);
        }
        if (at >= sampling->window.first)
            FT_TRY(ft_branch_walk_record(sampling->walk, &sampling->records[i],
                                         at >= sampling->window.counted, diag));
    }
    return FT_OK;
}

/* Up to the end of the last window in it. */
static int walk_chunk(struct sampling *sampling, size_t index, uint64_t first, struct ft_diag *diag)
{
    const struct ft_chunk_description *chunk =
        ft_trace_log(sampling->trace, sampling->thread, index);
    const uint64_t end = first + chunk->totals.records;
    const uint8_t *payload;
    struct ft_log_state state;
    FT_TRY(ft_trace_log_read(sampling->trace, sampling->thread, index, &sampling->buffer, &payload,
                             diag));
    int status = ft_log_decoder_start(sampling->decoder, payload, chunk->payload_bytes,
                                      chunk->totals.instructions, &state, diag);
    for (size_t count = 1; count > 0 && status == FT_OK && sampling->window.first < end;) {
        status = ft_log_decoder_next(sampling->decoder, sampling->records, BATCH, &count, diag);
        if (status == FT_OK)
            status = walk_records(sampling, first, count, diag);
        first += count;
    }
    return status < 0 ? ft_trace_log_fail(sampling->trace, sampling->thread, index, diag) : status;
}

static int walk_thread(struct sampling *sampling, struct ft_diag *diag)
{
    uint64_t first = 0;
    ft_branch_walk_interrupt(sampling->walk);
    for (size_t i = 0; i < ft_trace_log_count(sampling->trace, sampling->thread); i++) {
        const uint64_t end =
            first + ft_trace_log(sampling->trace, sampling->thread, i)->totals.records;
        if (sampling->window.first < end)
            FT_TRY(walk_chunk(sampling, i, first, diag));
        first = end;
    }
    return FT_OK;
}

/* ---- blocks ---- */

static int add_to_blocks(const struct sampling *sampling, struct ft_scopes *scopes,
                         struct ft_diag *diag)
{
    const struct ft_walked_branch *branches;
    const size_t count = ft_branch_walk_branches(sampling->walk, &branches);
    struct ft_block_index index = {0};
    scopes->predictions = calloc(scopes->block_count + 1, sizeof *scopes->predictions);
    if (!scopes->predictions || !ft_block_index_init(&index, scopes))
        return ft_fail_memory(diag, "the branches of a program");
    for (size_t i = 0; i < count; i++) {
        uint32_t module;
        uint64_t offset;
        ft_trace_locate(sampling->trace, branches[i].unit->instructions[branches[i].instruction].pc,
                        &module, &offset);
        const struct ft_block *block = ft_block_index_find(&index, module, offset);
        if (!block)
            continue;
        struct ft_block_prediction *into = &scopes->predictions[block - scopes->blocks];
        into->branches += branches[i].executions;
        into->mispredictions += branches[i].mispredictions;
    }
    ft_block_index_fini(&index);
    return FT_OK;
}

int ft_block_predictions_add(const struct ft_trace *trace, struct ft_scopes *scopes,
                             struct ft_diag *diag)
{
    if (!scopes->code)
        return FT_OK;
    struct sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling)
        return ft_fail_memory(diag, "the branches of a program");
    sampling->trace = trace;
    int status = ft_branch_walk_create(ft_trace_units(trace), &sampling->walk, diag);
    if (status == FT_OK)
        status = ft_log_decoder_create(ft_trace_units(trace), &sampling->decoder, diag);
    for (uint32_t t = 0; status == FT_OK && t < ft_trace_thread_count(trace); t++) {
        plan_thread(sampling, t);
        status = walk_thread(sampling, diag);
    }
    if (status == FT_OK)
        status = add_to_blocks(sampling, scopes, diag);
    ft_log_decoder_destroy(sampling->decoder);
    ft_log_buffer_fini(&sampling->buffer);
    ft_branch_walk_destroy(sampling->walk);
    free(sampling);
    return status;
}
