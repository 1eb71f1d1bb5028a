/*
 * A pass over a source: each run becomes touches of compact addresses, batches of touches go
 * through the kernel, all sizes in one loop and then each size's misses. Runs of three and more
 * iterations are walked from crossing to crossing (run_walk.c), others unrolled. Stretches that
 * come again and again are skipped (repetition.c).
 */
#include "engine/replay/replay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay/batch.h"
#include "engine/replay/rows.h"
#include "engine/replay/stack.h"
#include "formats/base/array.h"

/* Best first. */
static const struct ft_replay_kernel *const kernels[] = {
#ifdef FT_REPLAY_X86_64
    &ft_replay_kernel_avx512,
    &ft_replay_kernel_avx2,
#endif
    &ft_replay_kernel_c,
};
#define KERNEL_COUNT (sizeof kernels / sizeof *kernels)

const char *ft_replay_kernel_at(size_t index)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (kernels[i]->is_supported() && index-- == 0)
            return kernels[i]->name;
    return NULL;
}

static int choose_kernel(const char *name, const struct ft_replay_kernel **ret_kernel,
                         struct ft_diag *diag)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        if (name ? strcmp(kernels[i]->name, name) != 0 : !kernels[i]->is_supported())
            continue;
        if (!kernels[i]->is_supported())
            return ft_fail(diag, FT_ERROR_UNSUPPORTED, "this processor cannot run the kernel '%s'",
                           name);
        *ret_kernel = kernels[i];
        return FT_OK;
    }
    return ft_fail(diag, FT_ERROR_USAGE, "there is no kernel '%s': avx512, avx2 and c are there",
                   name);
}

static int check_sizes(const uint64_t *block_bytes, size_t size_count, struct ft_diag *diag)
{
    if (size_count == 0 || size_count > FT_REPLAY_SIZES_MAX)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "1 to %d block sizes can be replayed together, not %zu", FT_REPLAY_SIZES_MAX,
                       size_count);
    for (size_t s = 0; s < size_count; s++) {
        uint64_t bytes = block_bytes[s];
        if (bytes == 0 || (bytes & (bytes - 1)))
            return ft_fail(diag, FT_ERROR_USAGE, "a block size of %llu bytes is no power of two",
                           (unsigned long long)bytes);
        if (s && bytes <= block_bytes[s - 1])
            return ft_fail(diag, FT_ERROR_USAGE, "block sizes must ascend, each given once");
    }
    return FT_OK;
}

int ft_replay_create(const uint64_t *block_bytes, size_t size_count, const char *kernel,
                     struct ft_replay **ret_replay, struct ft_diag *diag)
{
    const struct ft_replay_kernel *chosen = NULL;
    int status = check_sizes(block_bytes, size_count, diag);
    if (!status)
        status = choose_kernel(kernel, &chosen, diag);
    if (status)
        return status;
    struct ft_replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return ft_fail_memory(diag, "replay");
    replay->kernel = chosen;
    replay->size_count = (unsigned)size_count;
    replay->region_shift = FT_REGION_SHIFT;
    replay->memory_most = UINT64_MAX;
    replay->first_step = UINT32_MAX;
    memcpy(replay->block_bytes, block_bytes, size_count * sizeof *block_bytes);
    for (size_t i = 0; i < FT_RECENT_REGIONS; i++)
        replay->recent[i].region = UINT64_MAX;
    for (unsigned n = 1; n <= 64; n++)
        for (size_t s = 0; s < size_count; s++)
            replay->sizes_crossed[n] += (UINT64_C(1) << (n - 1)) >= block_bytes[s];
    replay->weights = calloc((FT_TOUCH_BATCH + 1) * size_count, sizeof *replay->weights);
    if (!replay->weights) {
        ft_replay_destroy(replay);
        return ft_fail_memory(diag, "replay");
    }
    for (size_t s = 0; s < size_count; s++)
        replay->weights[s] = 1;
    replay->row_count = 1;
    replay->times = 1;
    ft_repetition_init(&replay->repetition);
    *ret_replay = replay;
    return FT_OK;
}

void ft_replay_destroy(struct ft_replay *replay)
{
    if (!replay)
        return;
    for (unsigned s = 0; s < replay->initialised; s++)
        ft_stack_fini(&replay->stacks[s]);
    for (unsigned s = 0; s < replay->size_count; s++)
        ft_dense_ids_fini(&replay->large_ids[s]);
    ft_dense_ids_fini(&replay->regions);
    ft_zero_array_fini(&replay->counts);
    ft_repetition_fini(&replay->repetition, replay->size_count);
    for (unsigned s = 0; replay->pairs && s < replay->size_count; s++)
        ft_pairs_fini(&replay->pairs[s]);
    free(replay->pairs);
    ft_scope_times_fini(&replay->scope_times);
    ft_scope_walk_fini(&replay->scopes);
    free(replay->references);
    free(replay->body);
    free(replay->weights);
    free(replay);
}

void ft_replay_limit(struct ft_replay *replay, unsigned region_shift, uint64_t memory_most)
{
    replay->region_shift = region_shift;
    replay->memory_most = memory_most;
}

enum ft_replay_wish ft_replay_wish(const struct ft_replay *replay)
{
    return replay->wish;
}

int ft_replay_want_pairs(struct ft_replay *replay, struct ft_diag *diag)
{
    replay->pairs = calloc(replay->size_count, sizeof *replay->pairs);
    return replay->pairs ? FT_OK : ft_fail_memory(diag, "pairs of references");
}

void ft_replay_follow_scopes(struct ft_replay *replay, const struct ft_scope_steps *steps)
{
    replay->scopes.steps = steps;
    replay->first_step = steps->first;
}

uint64_t ft_replay_bytes(const struct ft_replay *replay)
{
    uint64_t bytes = sizeof *replay + ft_dense_ids_bytes(&replay->regions) + replay->counts.bytes +
                     ft_scope_walk_bytes(&replay->scopes) +
                     replay->scope_times.capacity * sizeof *replay->scope_times.levels;
    for (unsigned s = 0; s < replay->initialised; s++)
        bytes += ft_stack_bytes(&replay->stacks[s]) + ft_dense_ids_bytes(&replay->large_ids[s]) +
                 (replay->pairs ? ft_pairs_bytes(&replay->pairs[s], &replay->stacks[s]) : 0);
    return bytes;
}

uint64_t ft_replay_accesses(const struct ft_replay *replay)
{
    return replay->access_count;
}

/* Memory is touched sparsely: of so many regions, each has few blocks of the smallest size. Looked
 * at whenever their number has doubled. Where pages are the regions, it stays at that. */
#define SPARSE_REGIONS 4096U
#define SPARSE_BLOCKS  4U /* of a region */

static int check_density(struct ft_replay *replay, struct ft_diag *diag)
{
    uint64_t count = replay->regions.count;
    if (count < SPARSE_REGIONS || (count & (count - 1)) ||
        replay->region_shift <= FT_PAGE_REGION_SHIFT ||
        replay->region_shift <= replay->stacks[0].shift ||
        ft_stack_blocks(&replay->stacks[0]) >= SPARSE_BLOCKS * count)
        return FT_OK;
    replay->wish = FT_WISH_SMALLER_REGIONS;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the program touches its memory sparsely");
}

int ft_replay_check_memory(struct ft_replay *replay, struct ft_diag *diag)
{
    uint64_t bytes = ft_replay_bytes(replay);
    if (bytes <= replay->memory_most)
        return FT_OK;
    replay->wish = FT_WISH_FEWER_SIZES;
    return ft_fail(diag, FT_ERROR_MEMORY, "replay needs %llu MiB after %llu accesses",
                   (unsigned long long)(bytes >> 20), (unsigned long long)replay->access_count);
}

#define MEMORY_CHECK_TOUCHES (UINT64_C(1) << 14)

static int touch_batch(struct ft_replay *replay, struct ft_diag *diag)
{
    if (!replay->pairs) {
        replay->kernel->touch(replay->stacks, replay->size_count, replay->touches,
                              replay->touch_count, replay->weights, replay->counts.items);
        return FT_OK;
    }
    int status = FT_OK;
    for (unsigned s = 0; !status && s < replay->size_count; s++)
        status = ft_pairs_reserve(&replay->pairs[s], &replay->stacks[s], replay->touch_count, diag);
    if (!status)
        status = ft_scope_times_reserve(&replay->scope_times, &replay->scopes, diag);
    if (status)
        return status;
    const struct ft_pair_notes notes = {replay->pairs, &replay->scope_times, &replay->scopes};
    replay->kernel->touch_pairs(replay->stacks, &notes, replay->size_count, replay->touches,
                                replay->touch_count, replay->weights);
    replay->scopes.operation_count = 0;
    return FT_OK;
}

int ft_replay_flush(struct ft_replay *replay, struct ft_diag *diag)
{
    int status = touch_batch(replay, diag);
    for (unsigned s = 0; !status && s < replay->size_count; s++) {
        status = ft_stack_reserve(&replay->stacks[s], diag);
        if (!status)
            replay->kernel->resolve(&replay->stacks[s]);
    }
    replay->memory_checked += replay->touch_count;
    if (!status && replay->memory_checked >= MEMORY_CHECK_TOUCHES) {
        replay->memory_checked = 0;
        status = ft_replay_check_memory(replay, diag);
    }
    replay->touch_count = 0;
    replay->row_count = 1;
    replay->unit_row = 0;
    return status;
}

int ft_replay_number_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                            struct ft_diag *diag)
{
    uint32_t known = replay->regions.count;
    uint32_t number;
    int status = ft_dense_ids_find(&replay->regions, region, &number, diag);
    for (unsigned s = 0; !status && number == known && s < replay->size_count; s++) {
        struct ft_stack *stack = &replay->stacks[s];
        uint32_t block = 0;
        if (stack->large)
            status =
                ft_dense_ids_find(&replay->large_ids[s],
                                  region >> (stack->shift - stack->region_shift), &block, diag);
        if (!status) {
            status = ft_stack_add_region(stack, number, block, diag);
            if (status == FT_ERROR_UNSUPPORTED)
                replay->wish = FT_WISH_SMALLER_REGIONS;
        }
    }
    if (!status)
        *ret_number = number;
    return status;
}

int ft_replay_find_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                          struct ft_diag *diag)
{
    uint32_t known = replay->regions.count;
    int status = ft_replay_number_region(replay, region, ret_number, diag);
    return !status && *ret_number == known ? check_density(replay, diag) : status;
}

int ft_replay_touch_rest(struct ft_replay *replay, uint64_t address, uint64_t blocks_after_first,
                         uint32_t reference, unsigned size_end, unsigned row, struct ft_diag *diag)
{
    const uint64_t block_bytes = replay->block_bytes[0];
    uint64_t boundary = address & ~(block_bytes - 1);
    int status = FT_OK;
    for (; !status && blocks_after_first; blocks_after_first--) {
        boundary += block_bytes;
        unsigned zeros = boundary ? (unsigned)__builtin_ctzll(boundary) : 63;
        unsigned end = replay->sizes_crossed[zeros + 1];
        status = ft_replay_touch(replay, boundary, reference, end < size_end ? end : size_end, row,
                                 diag);
    }
    return status;
}

/* One access, at every size. An access may cover more blocks than a batch has room for. One that
 * stays in the block of the smallest size that was touched last, as a quarter of them do in code
 * without loops, is at distance 0 at every size and changes nothing: it is only counted. */
static inline int take_access(struct ft_replay *replay, uint64_t address, uint32_t reference,
                              struct ft_diag *diag)
{
    const unsigned size_end = replay->size_count;
    struct ft_reference_state *state = &replay->references[reference];
    const unsigned shift = replay->stacks[0].shift;
    uint64_t rest = ft_replay_blocks_after_first(replay, address, state->extra_bytes);
    if (address >> shift == replay->last_block && rest == 0 && replay->has_last_block) {
        state->repeats += replay->times;
        return FT_OK;
    }
    replay->last_block = (address + state->extra_bytes) >> shift;
    replay->has_last_block = !replay->pairs; /* each touch has a source */
    if (__builtin_expect(rest > 0, 0))
        ft_spans_add_access(replay->spans, replay->block_bytes, size_end, address,
                            state->extra_bytes);
    if (__builtin_expect(replay->touch_count == FT_TOUCH_BATCH, 0)) {
        int status = ft_replay_flush(replay, diag);
        if (status)
            return status;
    }
    int status =
        ft_replay_touch(replay, address, reference, size_end, ft_replay_unit_row(replay), diag);
    while (!status && __builtin_expect(rest > 0, 0)) {
        uint64_t room = FT_TOUCH_BATCH - replay->touch_count;
        uint64_t now = rest < room ? rest : room;
        status = ft_replay_touch_rest(replay, address, now, reference, size_end,
                                      ft_replay_unit_row(replay), diag);
        address += now << shift;
        rest -= now;
        if (!status && rest)
            status = ft_replay_flush(replay, diag);
    }
    return status;
}

/* Whether all touches of an iteration fit into an empty batch, wherever its addresses lie. */
static bool iteration_fits(const struct ft_replay *replay, const uint32_t *references,
                           uint32_t count)
{
    uint64_t touches = 0;
    for (uint32_t j = 0; j < count; j++)
        touches += 2 + (replay->references[references[j]].extra_bytes >> replay->stacks[0].shift);
    return touches <= FT_TOUCH_BATCH;
}

#define WALK_ITERATIONS_MIN 3U
#define WALK_ITERATIONS_MAX (UINT64_C(1) << 31)

/* Addresses of iteration `iteration` go to `addresses`. */
static void body_addresses(const struct ft_run_batch *batch, const struct ft_run *run,
                           uint64_t iteration, uint64_t *addresses)
{
    for (uint32_t j = 0; j < run->reference_count; j++)
        addresses[j] =
            batch->addresses[run->first + j] + iteration * (uint64_t)batch->strides[run->first + j];
}

/* More changes of scopes than this wait for no touches. */
#define SCOPE_OPERATIONS_MAX (1U << 16)

/* An access, or a step of the program where scopes are followed. */
static inline int take_entry(struct ft_replay *replay, uint64_t address, uint32_t reference,
                             struct ft_diag *diag)
{
    if (__builtin_expect(reference < replay->first_step, 1))
        return take_access(replay, address, reference, diag);
    int status = replay->scopes.operation_count >= SCOPE_OPERATIONS_MAX
                     ? ft_replay_flush(replay, diag)
                     : FT_OK;
    return status ? status : ft_replay_step(replay, reference, diag);
}

static int take_loop(struct ft_replay *replay, const struct ft_run_batch *batch,
                     const struct ft_run *run, struct ft_diag *diag)
{
    const uint32_t *references = batch->references + run->first;
    const int64_t *strides = batch->strides + run->first;
    const uint32_t count = run->reference_count;
    if (!FT_RESERVE(replay->body, replay->body_capacity, count))
        return ft_fail_memory(diag, "the body of a run");
    for (uint32_t j = 0; j < count; j++)
        if (references[j] < replay->first_step)
            ft_stride_add(&replay->references[references[j]].stride, strides[j]);
    int status = FT_OK;
    if (run->iteration_count < WALK_ITERATIONS_MIN || !iteration_fits(replay, references, count)) {
        for (uint64_t i = 0; !status && i < run->iteration_count; i++) {
            body_addresses(batch, run, i, replay->body);
            for (uint32_t j = 0; !status && j < count; j++)
                status = take_entry(replay, replay->body[j], references[j], diag);
        }
        return status;
    }
    for (uint64_t done = 0; !status && done < run->iteration_count;) {
        uint64_t left = run->iteration_count - done;
        uint64_t now = left < WALK_ITERATIONS_MAX ? left : WALK_ITERATIONS_MAX;
        body_addresses(batch, run, done, replay->body);
        if (replay->scopes.operation_count >= SCOPE_OPERATIONS_MAX)
            status = ft_replay_flush(replay, diag);
        for (uint32_t j = 0; j < count; j++) {
            if (references[j] >= replay->first_step)
                continue;
            ft_spans_add_run(replay->spans, replay->block_bytes, replay->size_count,
                             replay->body[j], (uint64_t)strides[j],
                             replay->references[references[j]].extra_bytes, now);
        }
        if (!status)
            status = ft_replay_walk(replay, references, replay->body, strides, count, now, diag);
        done += now;
    }
    return status;
}

/* take_entries where scopes are followed: some entries are steps of the program. */
static int take_followed(struct ft_replay *replay, const struct ft_run_batch *batch,
                         const struct ft_run *run, struct ft_diag *diag)
{
    const uint32_t *references = batch->references + run->first;
    const uint64_t *addresses = batch->addresses + run->first;
    for (uint32_t j = 0; j < run->reference_count; j++)
        if (references[j] < replay->first_step) {
            replay->references[references[j]].accesses += run->iteration_count;
            replay->access_count += run->iteration_count;
        }
    if (run->iteration_count > 1)
        return take_loop(replay, batch, run, diag);
    int status = FT_OK;
    for (uint32_t j = 0; !status && j < run->reference_count * run->iteration_count; j++)
        status = take_entry(replay, addresses[j], references[j], diag);
    return status;
}

/* Takes entries of a run: any of a single iteration, all of a body that iterates. */
static int take_entries(struct ft_replay *replay, const struct ft_run_batch *batch,
                        const struct ft_run *run, uint32_t from, uint32_t count,
                        struct ft_diag *diag)
{
    const uint32_t *references = batch->references + run->first + from;
    const uint64_t *addresses = batch->addresses + run->first + from;
    if (replay->first_step != UINT32_MAX) /* nothing is skipped then: from is 0 */
        return take_followed(replay, batch, run, diag);
    for (uint32_t j = 0; j < count; j++)
        replay->references[references[j]].accesses += run->iteration_count * replay->times;
    replay->access_count += count * run->iteration_count * replay->times;
    if (run->iteration_count > 1)
        return take_loop(replay, batch, run, diag);
    int status = FT_OK;
    for (uint32_t j = 0; !status && j < count * run->iteration_count; j++)
        status = take_access(replay, addresses[j], references[j], diag);
    return status;
}

/* Takes the first items of the record, each body as a run. */
static int take_record(struct ft_replay *replay, size_t count, struct ft_diag *diag)
{
    const struct ft_repetition_item *items = replay->repetition.record;
    uint32_t *references = NULL;
    uint64_t *addresses = NULL;
    int64_t *strides = NULL;
    size_t capacities[3] = {0};
    int status = FT_OK;
    for (size_t i = 0; !status && i < count;) {
        uint32_t entries = items[i].rest + 1;
        if (!FT_RESERVE(references, capacities[0], entries) ||
            !FT_RESERVE(addresses, capacities[1], entries) ||
            !FT_RESERVE(strides, capacities[2], entries)) {
            status = ft_fail_memory(diag, "the body of a run");
            break;
        }
        assert(references && addresses && strides); /* entries is at least 1 */
        for (uint32_t j = 0; j < entries; j++) {
            references[j] = items[i + j].reference;
            addresses[j] = items[i + j].address;
            strides[j] = items[i + j].stride;
        }
        struct ft_run run = {0, entries, items[i].iterations};
        struct ft_run_batch batch = {&run, 1, references, addresses, strides, entries};
        status = take_entries(replay, &batch, &run, 0, entries, diag);
        i += entries;
    }
    free(references);
    free(addresses);
    free(strides);
    return status;
}

/* Takes a run, or a part of one that does not iterate, as far as it is not skipped. */
static int take_run(struct ft_replay *replay, const struct ft_run_batch *batch,
                    const struct ft_run *run, struct ft_diag *diag)
{
    for (uint32_t from = 0; from < run->reference_count;) {
        struct ft_repetition_step step = {.entries = run->reference_count - from};
        int status =
            replay->pairs ? FT_OK : ft_repetition_next(replay, batch, run, from, &step, diag);
        if (!status && step.retake)
            status = take_record(replay, step.retake, diag);
        if (!status && !step.skip)
            status = take_entries(replay, batch, run, from, step.entries, diag);
        if (status)
            return status;
        from += step.entries;
    }
    return FT_OK;
}

/* Takes the items of one row and moves on past it; gives their entries. */
static int take_row(struct ft_replay *replay, const struct ft_run_batch *batch,
                    struct ft_batch_place *place, size_t items, uint64_t *ret_entries,
                    struct ft_diag *diag)
{
    int status = FT_OK;
    *ret_entries = 0;
    for (; !status && items; items--) {
        const struct ft_run *run = &batch->runs[place->run];
        uint32_t entries = run->iteration_count == 1 ? 1 : run->reference_count;
        status = take_entries(replay, batch, run, place->entry, entries, diag);
        *ret_entries += entries;
        ft_batch_advance(batch, place);
    }
    return status;
}

/* The first row, then the second for all others. */
static int take_rows(struct ft_replay *replay, const struct ft_run_batch *batch,
                     struct ft_batch_place *place, struct ft_rows rows, struct ft_diag *diag)
{
    const uint64_t accesses = replay->access_count;
    uint64_t entries;
    int status = take_row(replay, batch, place, rows.items, &entries, diag);
    if (status)
        return status;
    uint64_t spans[FT_REPLAY_SIZES_MAX];
    memcpy(spans, replay->spans, sizeof spans);
    ft_replay_set_times(replay, (uint32_t)(rows.count - 1));
    status = take_row(replay, batch, place, rows.items, &entries, diag);
    for (unsigned s = 0; s < replay->size_count; s++)
        replay->spans[s] += (rows.count - 2) * (replay->spans[s] - spans[s]);
    ft_replay_set_times(replay, 1);
    for (uint64_t skipped = (rows.count - 2) * rows.items; skipped; skipped--)
        ft_batch_advance(batch, place);
    ft_repetition_pass(&replay->repetition, rows.count * entries, replay->access_count - accesses);
    return status;
}

int ft_replay_take(struct ft_replay *replay, const struct ft_run_batch *batch, struct ft_diag *diag)
{
    int status = FT_OK;
    for (struct ft_batch_place place = {0, 0}; !status && place.run < batch->run_count;) {
        const struct ft_run *run = &batch->runs[place.run];
        if (run->reference_count == 0) {
            place.run++;
            continue;
        }
        struct ft_run piece = {run->first + place.entry, run->reference_count - place.entry,
                               run->iteration_count};
        if (replay->first_step == UINT32_MAX && !ft_repetition_is_seen(&replay->repetition)) {
            struct ft_rows rows = ft_rows_find(replay, batch, place);
            if (rows.count) {
                status = take_rows(replay, batch, &place, rows, diag);
                continue;
            }
            piece.reference_count = ft_rows_none_before(batch, place);
        }
        status = take_run(replay, batch, &piece, diag);
        place.entry += piece.reference_count;
        if (place.entry == run->reference_count)
            place = (struct ft_batch_place){place.run + 1, 0};
    }
    return status;
}

int ft_replay_begin(struct ft_replay *replay, const struct ft_reference *references,
                    uint32_t reference_count, struct ft_diag *diag)
{
    if (replay->references)
        return ft_fail(diag, FT_ERROR_FAILURE, "a replay takes one source");
    const uint32_t count = reference_count;
    const struct ft_scope_steps *steps = replay->scopes.steps;
    size_t rows =
        steps && steps->first + steps->count > count ? steps->first + steps->count : count;
    replay->references = calloc(rows + 1, sizeof *replay->references);
    if (!replay->references)
        return ft_fail_memory(diag, "references");
    replay->reference_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size_bytes = references[i].size_bytes;
        replay->references[i].stride = FT_STRIDE_NONE;
        replay->references[i].extra_bytes = size_bytes ? size_bytes - 1 : 0;
    }
    int status = FT_OK;
    if (replay->pairs)
        status = ft_scope_times_init(&replay->scope_times, steps != NULL, count, diag);
    if (!status)
        status = ft_zero_array_reserve(
            &replay->counts, ft_front_counter(count, 0, 0, replay->size_count) * sizeof(uint64_t),
            diag);
    for (unsigned s = 0; !status && s < replay->size_count; s++) {
        replay->initialised = s + 1;
        status = ft_stack_init(&replay->stacks[s], replay->block_bytes[s], replay->region_shift,
                               count, diag);
        replay->stacks[s].keeps_first_touches = replay->keeps_first_touches;
    }
    return status;
}

int ft_replay_end(struct ft_replay *replay, struct ft_diag *diag)
{
    size_t retake = 0;
    int status = ft_repetition_end(replay, &retake, diag);
    if (!status)
        status = take_record(replay, retake, diag);
    return status ? status : ft_replay_flush(replay, diag);
}

int ft_replay_run(struct ft_replay *replay, struct ft_run_source *source, struct ft_diag *diag)
{
    int status = ft_replay_begin(replay, source->references, source->reference_count, diag);
    while (!status) {
        struct ft_run_batch batch;
        status = source->next(source, &batch, diag);
        if (status || batch.run_count == 0)
            break;
        status = ft_replay_take(replay, &batch, diag);
    }
    return status ? status : ft_replay_end(replay, diag);
}

/* The distances of one reference at one size, from the front's counts and the tally's bins. */
static int finish_histogram(const struct ft_replay *replay, uint32_t reference, unsigned size,
                            struct ft_histogram *ret_histogram, struct ft_diag *diag)
{
    const uint64_t *front = replay->counts.items;
    uint64_t counts[FT_FRONT_BLOCKS];
    for (uint32_t distance = 0; distance < FT_FRONT_BLOCKS; distance++)
        counts[distance] = front[ft_front_counter(reference, distance, size, replay->size_count)];
    counts[0] += replay->references[reference].repeats;
    return ft_tally_histogram(&replay->stacks[size].tally, reference, counts, FT_FRONT_BLOCKS,
                              ret_histogram, diag);
}

/* What the pairs of a size add up to. */
static int add_pairs(const struct ft_reuse_pairs *pairs, unsigned size,
                     struct ft_histograms *histograms, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < pairs->count; i++)
        status = ft_histogram_add(
            &histograms->histograms[pairs->pairs[i].sink * histograms->size_count + size],
            &pairs->histograms[i], diag);
    return status;
}

static int finish_pairs(const struct ft_replay *replay, struct ft_histograms *histograms,
                        struct ft_diag *diag)
{
    histograms->pairs = calloc(replay->size_count, sizeof *histograms->pairs);
    if (!histograms->pairs)
        return ft_fail_memory(diag, "pairs of references");
    int status = FT_OK;
    for (unsigned s = 0; !status && s < replay->size_count; s++) {
        status =
            ft_pairs_finish(&replay->pairs[s], &replay->stacks[s], &histograms->pairs[s], diag);
        if (!status)
            status = add_pairs(&histograms->pairs[s], s, histograms, diag);
    }
    return status;
}

static int finish_histograms(const struct ft_replay *replay, struct ft_histograms *histograms,
                             struct ft_diag *diag)
{
    const size_t sizes = replay->size_count;
    int status = FT_OK;
    for (uint32_t r = 0; !status && r < replay->reference_count; r++)
        for (unsigned s = 0; !status && s < sizes; s++)
            status = finish_histogram(replay, r, s, &histograms->histograms[r * sizes + s], diag);
    return status;
}

int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag)
{
    const size_t sizes = replay->size_count;
    const size_t references = replay->reference_count;
    int status = ft_histograms_init(histograms, replay->block_bytes, sizes, references, diag);
    if (status)
        return status;
    for (size_t s = 0; s < sizes; s++) {
        histograms->distinct_blocks[s] = ft_stack_blocks(&replay->stacks[s]);
        histograms->touches[s] = replay->access_count + replay->spans[s];
    }
    for (uint32_t r = 0; r < references; r++) {
        histograms->reference_accesses[r] = replay->references[r].accesses;
        histograms->reference_strides[r] = replay->references[r].stride;
    }
    return replay->pairs ? finish_pairs(replay, histograms, diag)
                         : finish_histograms(replay, histograms, diag);
}
