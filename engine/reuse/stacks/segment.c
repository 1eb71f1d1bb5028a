/*
 * A replay that ends, or that a segment is joined to, moves the blocks of its fronts into slots, so
 * that slots alone hold the LRU order.
 *
 * Joining: the i-th first touch of the segment looks up its block in the stack so far. The blocks
 * touched since then are those in later slots, plus the i blocks that the segment itself touched
 * before, which have been removed from the slots. So the distance is i plus the number of later
 * slots; it is counted for the reference, and the block is removed too. If the block is not in the
 * stack, the touch is cold, or a first touch of both together if the part so far does not start the
 * stream. Finally the blocks of the segment get slots in LRU order.
 */

#include "engine/reuse/stacks/segment.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/replay_limits.h"
#include "engine/reuse/stacks/stack.h"
#include "formats/base/clock.h"

/* How far ahead first touches are prefetched: their entry of last[], then the slot. */
#define LAST_AHEAD 40U
#define SLOT_AHEAD 14U

void ft_replay_keep_first_touches(struct ft_replay *replay)
{
    replay->keeps_first_touches = true;
}

/* ---- from a replay ---- */

/* Puts the blocks of the front into the slots. */
static int settle(struct ft_stack *stack, struct ft_diag *diag)
{
    uint32_t *last = stack->last.items;
    int status = ft_stack_make_room(stack, FT_FRONT_BLOCKS, diag);
    for (unsigned i = FT_FRONT_BLOCKS; !status && i-- > 0;)
        if (stack->front[i] != FT_NO_BLOCK) {
            last[stack->front[i]] = ft_slots_push(&stack->slots);
            stack->front[i] = FT_NO_BLOCK;
        }
    return status;
}

static int settle_all(struct ft_replay *replay, struct ft_diag *diag)
{
    int status = FT_OK;
    for (unsigned s = 0; !status && s < replay->size_count; s++)
        status = settle(&replay->stacks[s], diag);
    return status;
}

static int list_order(const struct ft_stack *stack, struct ft_segment_stack *ret_stack,
                      struct ft_diag *diag)
{
    const uint32_t *last = stack->last.items;
    const unsigned levels = ft_slots_levels(&stack->slots);
    ret_stack->order = malloc((stack->slots.live + 1) * sizeof *ret_stack->order);
    if (!ret_stack->order)
        return ft_fail_memory(diag, "the blocks of a segment");
    for (uint64_t block = 0; block < stack->block_count; block++)
        if (last[block])
            ret_stack->order[ft_slots_rank(&stack->slots, last[block], levels)] = (uint32_t)block;
    return FT_OK;
}

static int list_keys(const struct ft_dense_ids *ids, uint64_t **ret_keys, uint32_t *ret_count,
                     struct ft_diag *diag)
{
    *ret_keys = malloc(((size_t)ids->count + 1) * sizeof **ret_keys);
    if (!*ret_keys)
        return ft_fail_memory(diag, "the regions of a segment");
    ft_dense_ids_list(ids, *ret_keys);
    *ret_count = ids->count;
    return FT_OK;
}

/* The stack's tables are given up as soon as they are listed. */
static int take_stack(struct ft_replay *replay, unsigned size, bool has_ended,
                      struct ft_segment_stack *ret_stack, struct ft_diag *diag)
{
    struct ft_stack *stack = &replay->stacks[size];
    int status = has_ended ? FT_OK : list_order(stack, ret_stack, diag);
    ret_stack->block_count = ft_stack_blocks(stack);
    if (!status && !has_ended && stack->large)
        status =
            list_keys(&replay->large_ids[size], &ret_stack->large, &ret_stack->large_count, diag);
    ret_stack->spans = replay->spans[size];
    ret_stack->tally = stack->tally;
    ret_stack->first_touches = stack->first_touches;
    ret_stack->first_touch_count = stack->first_touch_count;
    stack->tally = (struct ft_tally){0};
    stack->first_touches = (struct ft_zero_array){0};
    ft_stack_fini(stack);
    return status;
}

static int take(struct ft_replay *replay, bool has_ended, struct ft_segment *ret_segment,
                struct ft_diag *diag)
{
    struct ft_segment segment = {
        .is_beginning = !replay->keeps_first_touches,
        .has_ended = has_ended,
        .size_count = replay->size_count,
        .region_shift = replay->region_shift,
        .reference_count = replay->reference_count,
        .access_count = replay->access_count,
    };
    int status = settle_all(replay, diag);
    if (!status && !has_ended)
        status = list_keys(&replay->regions, &segment.regions, &segment.region_count, diag);
    for (unsigned s = 0; !status && s < replay->size_count; s++)
        status = take_stack(replay, s, has_ended, &segment.stacks[s], diag);
    if (status) {
        ft_segment_fini(&segment);
        return status;
    }
    segment.references = replay->references;
    segment.counts = replay->counts;
    replay->references = NULL;
    replay->counts = (struct ft_zero_array){0};
    *ret_segment = segment;
    return FT_OK;
}

int ft_segment_take(struct ft_replay *replay, struct ft_segment *ret_segment, struct ft_diag *diag)
{
    return take(replay, false, ret_segment, diag);
}

int ft_segment_take_whole(struct ft_replay *replay, struct ft_segment *ret_segment,
                          struct ft_diag *diag)
{
    return take(replay, true, ret_segment, diag);
}

/* The blocks of the latest slots make the front again. */
static void unsettle(struct ft_stack *stack)
{
    struct ft_slots *slots = &stack->slots;
    const unsigned levels = ft_slots_levels(slots);
    const uint64_t live = slots->live, max = live < FT_FRONT_BLOCKS ? live : FT_FRONT_BLOCKS;
    uint32_t *last = stack->last.items;
    uint64_t found = 0;
    for (uint64_t block = 0; block < stack->block_count && found < max; block++) {
        if (last[block] == 0)
            continue;
        uint64_t after = live - 1 - ft_slots_rank(slots, last[block], levels);
        if (after < max) {
            stack->front[after] = (uint32_t)block;
            found++;
        }
    }
    for (uint64_t i = 0; i < found; i++) {
        ft_slots_remove(slots, last[stack->front[i]], levels);
        last[stack->front[i]] = 0;
    }
}

int ft_replay_go_on(struct ft_replay *replay, struct ft_diag *diag)
{
    int status = settle_all(replay, diag);
    for (unsigned s = 0; !status && s < replay->size_count; s++)
        unsettle(&replay->stacks[s]);
    replay->has_last_block = false;
    return status;
}

uint64_t ft_segment_bytes(const struct ft_segment *segment)
{
    uint64_t bytes =
        sizeof *segment + segment->region_count * sizeof *segment->regions +
        segment->reference_count * sizeof *segment->references +
        ft_front_counter(segment->reference_count, 0, 0, segment->size_count) * sizeof(uint64_t);
    for (unsigned s = 0; s < segment->size_count; s++) {
        const struct ft_segment_stack *stack = &segment->stacks[s];
        bytes += stack->first_touch_count * sizeof(struct ft_first_touch) +
                 (segment->has_ended ? 0 : stack->block_count * sizeof *stack->order) +
                 ft_tally_bytes(&stack->tally) + ft_tally_table_bytes(&stack->tally) +
                 stack->large_count * sizeof *stack->large;
    }
    return bytes;
}

void ft_segment_fini(struct ft_segment *segment)
{
    for (unsigned s = 0; s < segment->size_count; s++) {
        ft_tally_fini(&segment->stacks[s].tally);
        ft_zero_array_fini(&segment->stacks[s].first_touches);
        free(segment->stacks[s].order);
        free(segment->stacks[s].large);
    }
    ft_zero_array_fini(&segment->counts);
    free(segment->regions);
    free(segment->references);
    *segment = (struct ft_segment){0};
}

/* ---- joining ---- */

/* From the segment's numbers of blocks to those of the replay: those that share their upper bits
 * in one do so in the other. */
struct renumbering {
    const uint32_t *numbers; /* [block >> shift] */
    unsigned shift;
};

static inline uint32_t renumber(const struct renumbering *renumbering, uint32_t block)
{
    uint32_t low = block & (uint32_t)((UINT64_C(1) << renumbering->shift) - 1);
    return (uint32_t)((uint64_t)renumbering->numbers[block >> renumbering->shift]
                      << renumbering->shift) |
           low;
}

static int number_regions(struct ft_replay *replay, const struct ft_segment *segment,
                          uint32_t *numbers, struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t i = 0; !status && i < segment->region_count; i++)
        status = ft_replay_number_region(replay, segment->regions[i], &numbers[i], diag);
    return status;
}

static int number_large(struct ft_dense_ids *ids, const struct ft_segment_stack *stack,
                        uint32_t *numbers, struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t i = 0; !status && i < stack->large_count; i++)
        status = ft_dense_ids_find(ids, stack->large[i], &numbers[i], diag);
    return status;
}

static void count_distance(struct ft_replay *replay, unsigned size, uint32_t reference,
                           uint32_t distance)
{
    uint64_t *front = replay->counts.items;
    if (distance < FT_FRONT_BLOCKS)
        front[ft_front_counter(reference, distance, size, replay->size_count)]++;
    else
        ft_tally_add(&replay->stacks[size].tally, reference, distance, 1);
}

/* First touches from..end - 1, for which there is room. */
static void join_first_touches(struct ft_replay *replay, unsigned size,
                               const struct ft_segment_stack *more, uint64_t from, uint64_t end,
                               const struct renumbering *renumbering)
{
    struct ft_stack *stack = &replay->stacks[size];
    struct ft_slots *slots = &stack->slots;
    const unsigned levels = ft_slots_levels(slots);
    const struct ft_first_touch *touches = more->first_touches.items;
    struct ft_first_touch *kept = stack->first_touches.items;
    uint32_t *last = stack->last.items;
    uint64_t *cold = stack->tally.cold.items;
    for (uint64_t i = from; i < end; i++) {
        if (i + LAST_AHEAD < end)
            __builtin_prefetch(last + renumber(renumbering, touches[i + LAST_AHEAD].block), 1);
        if (i + SLOT_AHEAD < end) {
            uint32_t ahead = last[renumber(renumbering, touches[i + SLOT_AHEAD].block)];
            __builtin_prefetch(slots->bits + ahead / 64, 1);
            __builtin_prefetch(slots->per_64 + (ahead >> 11 << 5), 1);
        }
        uint32_t block = renumber(renumbering, touches[i].block);
        uint32_t reference = touches[i].reference;
        uint32_t t = last[block];
        if (t) {
            uint32_t after = (uint32_t)slots->live - ft_slots_rank(slots, t, levels) - 1;
            ft_slots_remove(slots, t, levels);
            last[block] = 0;
            count_distance(replay, size, reference, (uint32_t)i + after);
        } else {
            cold[reference]++;
            if (stack->keeps_first_touches)
                kept[stack->first_touch_count++] = (struct ft_first_touch){block, reference};
        }
    }
}

static int join_stack(struct ft_replay *replay, unsigned size, const struct ft_segment_stack *more,
                      const struct renumbering *renumbering, struct ft_diag *diag)
{
    struct ft_stack *stack = &replay->stacks[size];
    int status = FT_OK;
    for (uint64_t done = 0, now; !status && done < more->first_touch_count; done += now) {
        uint64_t left = more->first_touch_count - done;
        now = left < FT_TOUCH_BATCH ? left : FT_TOUCH_BATCH;
        status = ft_stack_make_room(stack, (uint32_t)now, diag);
        if (!status)
            join_first_touches(replay, size, more, done, done + now, renumbering);
    }
    if (!more->order)
        stack->ended_blocks += more->block_count;
    for (uint64_t done = 0, now; !status && more->order && done < more->block_count; done += now) {
        uint64_t left = more->block_count - done;
        now = left < FT_TOUCH_BATCH ? left : FT_TOUCH_BATCH;
        status = ft_stack_make_room(stack, (uint32_t)now, diag);
        uint32_t *last = stack->last.items;
        for (uint64_t i = done; !status && i < done + now; i++)
            last[renumber(renumbering, more->order[i])] = ft_slots_push(&stack->slots);
    }
    replay->spans[size] += more->spans;
    return status ? status
                  : ft_tally_join(&stack->tally, &more->tally, replay->reference_count, diag);
}

static void add_counts(struct ft_replay *replay, const struct ft_segment *segment)
{
    const uint64_t *more = segment->counts.items;
    uint64_t *front = replay->counts.items;
    size_t count = ft_front_counter(replay->reference_count, 0, 0, replay->size_count);
    for (size_t i = 0; i < count; i++)
        front[i] += more[i];
    for (uint32_t r = 0; r < replay->reference_count; r++) {
        struct ft_reference_state *state = &replay->references[r];
        state->accesses += segment->references[r].accesses;
        state->repeats += segment->references[r].repeats;
        if (segment->references[r].stride != FT_STRIDE_NONE)
            ft_stride_add(&state->stride, segment->references[r].stride);
    }
    replay->access_count += segment->access_count;
}

/* What is cold in a beginning stays so. */
static void add_cold(struct ft_replay *replay, const struct ft_segment *segment)
{
    for (unsigned s = 0; s < replay->size_count; s++) {
        const uint64_t *more = segment->stacks[s].tally.cold.items;
        uint64_t *cold = replay->stacks[s].tally.cold.items;
        for (uint32_t r = 0; r < replay->reference_count; r++)
            cold[r] += more[r];
    }
}

/* numbers: of the regions. */
static int join_size(struct ft_replay *replay, unsigned size, const struct ft_segment *segment,
                     const uint32_t *numbers, struct ft_diag *diag)
{
    const struct ft_stack *stack = &replay->stacks[size];
    const struct ft_segment_stack *more = &segment->stacks[size];
    if (!stack->large) {
        struct renumbering by_region = {numbers, stack->region_shift - stack->shift};
        return join_stack(replay, size, more, &by_region, diag);
    }
    uint32_t *large = malloc(((size_t)more->large_count + 1) * sizeof *large);
    struct renumbering by_block = {large, 0};
    int status = large ? number_large(&replay->large_ids[size], more, large, diag)
                       : ft_fail_memory(diag, "the blocks of a segment");
    if (!status)
        status = join_stack(replay, size, more, &by_block, diag);
    free(large);
    return status;
}

/* Sizes have nothing in common but the numbers of regions. The failure of the first counts. */
static int join_stacks(struct ft_replay *replay, const struct ft_segment *segment,
                       const uint32_t *numbers, struct ft_helper_time *helper_time,
                       struct ft_diag *diag)
{
    const unsigned count = replay->size_count;
    const int caller = omp_get_thread_num();
    int statuses[FT_BLOCK_SIZES_MAX];
    struct ft_diag *diags = calloc(count, sizeof *diags);
    if (!diags)
        return ft_fail_memory(diag, "block sizes");
#pragma omp taskloop grainsize(1) shared(statuses)
    for (unsigned s = 0; s < count; s++) {
        const uint64_t start_ns = ft_thread_cpu_ns();
        statuses[s] = join_size(replay, s, segment, numbers, &diags[s]);
        if (helper_time && omp_get_thread_num() != caller)
            ft_helper_time_add(helper_time, start_ns);
    }
    int status = FT_OK;
    for (unsigned s = 0; !status && s < count; s++)
        if (statuses[s]) {
            status = statuses[s];
            *diag = diags[s];
        }
    free(diags);
    return status;
}

int ft_segment_join(struct ft_replay *replay, const struct ft_segment *segment,
                    struct ft_helper_time *helper_time, struct ft_diag *diag)
{
    assert(replay->size_count == segment->size_count &&
           replay->region_shift == segment->region_shift &&
           replay->reference_count == segment->reference_count);
    assert(!segment->is_beginning || replay->access_count == 0);
    uint32_t *numbers = malloc(((size_t)segment->region_count + 1) * sizeof *numbers);
    int status =
        numbers ? settle_all(replay, diag) : ft_fail_memory(diag, "the regions of a segment");
    if (!status)
        status = number_regions(replay, segment, numbers, diag);
    if (!status)
        status = join_stacks(replay, segment, numbers, helper_time, diag);
    free(numbers);
    if (status)
        return status;
    add_counts(replay, segment);
    if (segment->is_beginning)
        add_cold(replay, segment);
    return ft_replay_check_memory(replay, 0, diag);
}
