/*
 * Walks a run from crossing to crossing.
 *
 * An iteration crosses at a size if one of its references touches other blocks of that size than in
 * the iteration before. Where iterations i-1 and i touch the same blocks, each touch of i finds its
 * block where the touches since then in i-1 and i left it; this holds for i+1, i+2, ... too, until
 * one crosses. So at each size the crossing iterations are taken once; an iteration that does not
 * cross but follows one that does is taken once for all up to the next crossing, with their number
 * as weight; these others are skipped. LRU order after it is as after all of them.
 *
 * Whether blocks of 2^k bytes are the same depends on the address bits from k up, so the sizes that
 * an iteration crosses are the first few; so are those that it has to take.
 *
 * If scopes are followed (scope_walk.h), the sources of consecutive iterations lie in the same
 * scopes once an iteration has ended in the activations that it started in. Until then each
 * iteration is taken in full, as are those of a body that calls ever deeper. After that, an
 * iteration taken at some sizes only advances time for all sizes, and what it would have touched at
 * the others appears to have been touched earlier: before the current iteration of the loop. That
 * is true if the body starts with the loop's header. A body that starts in the middle of the loop
 * takes an iteration at all sizes or at none.
 *
 * A weight is known only at the next crossing: until then its entry in the batch's rows stays open.
 * Before a batch is flushed all entries are closed, and the next iteration opens new ones.
 */
#include "engine/reuse/stacks/batch.h"

#include <string.h>

struct walk {
    struct ft_replay *replay;
    const uint32_t *references;
    uint64_t *addresses;
    const int64_t *strides;
    uint32_t count;
    uint64_t iteration;
    size_t head_depth; /* behind the header of a loop that the body begins with; 0: with none */
    uint32_t *open[FT_BLOCK_SIZES_MAX]; /* the place of a size's weight, NULL if none is open */
    uint64_t opened_at[FT_BLOCK_SIZES_MAX];
};

static void close_weights(struct walk *walk, unsigned size_end)
{
    for (unsigned s = 0; s < size_end; s++)
        if (walk->open[s]) {
            *walk->open[s] = (uint32_t)(walk->iteration - walk->opened_at[s]) * walk->replay->times;
            walk->open[s] = NULL;
        }
}

/* A row of full weights for the sizes that cross and open ones for the rest. */
static unsigned new_row(struct walk *walk, unsigned crossed, unsigned size_end)
{
    struct ft_replay *replay = walk->replay;
    if (crossed >= size_end)
        return ft_replay_unit_row(replay);
    unsigned row = (unsigned)replay->row_count++;
    uint32_t *weights = replay->weights + (size_t)row * replay->size_count;
    for (unsigned s = 0; s < crossed; s++)
        weights[s] = replay->times;
    for (unsigned s = crossed; s < size_end; s++) {
        walk->open[s] = &weights[s];
        walk->opened_at[s] = walk->iteration;
    }
    return row;
}

static int take_iteration(struct walk *walk, unsigned size_end, unsigned row, struct ft_diag *diag)
{
    struct ft_replay *replay = walk->replay;
    for (uint32_t j = 0; j < walk->count; j++) {
        uint32_t reference = walk->references[j];
        uint64_t address = walk->addresses[j];
        if (__builtin_expect(reference >= replay->first_step, 0)) {
            int status = ft_replay_step(replay, reference, diag);
            if (status)
                return status;
            if (j == 0 && replay->scopes.previous->heads_loop)
                walk->head_depth = replay->scopes.depth;
            continue;
        }
        int status = ft_replay_touch(replay, address, reference, size_end, row, diag);
        uint64_t rest = ft_replay_blocks_after_first(replay, address,
                                                     replay->references[reference].extra_bytes);
        if (!status && __builtin_expect(rest > 0, 0))
            status = ft_replay_touch_rest(replay, address, rest, reference, size_end, row, diag);
        if (status)
            return status;
    }
    return FT_OK;
}

/* Moves all addresses to the next iteration and gives how many sizes it crosses. */
static unsigned step(struct walk *walk)
{
    const struct ft_replay *replay = walk->replay;
    uint64_t changed = 0;
    for (uint32_t j = 0; j < walk->count; j++) {
        uint64_t extra = replay->references[walk->references[j]].extra_bytes;
        uint64_t before = walk->addresses[j];
        uint64_t after = before + (uint64_t)walk->strides[j];
        changed |= (before ^ after) | ((before + extra) ^ (after + extra));
        walk->addresses[j] = after;
    }
    walk->iteration++;
    return replay->sizes_crossed[changed ? 64 - __builtin_clzll(changed) : 0];
}

/* Iterations from here on, at most `most`, that cross at no size. */
static uint64_t quiet_iterations(const struct walk *walk, uint64_t max)
{
    const struct ft_replay *replay = walk->replay;
    const uint64_t mask = replay->block_bytes[0] - 1;
    for (uint32_t j = 0; j < walk->count && max; j++) {
        uint64_t stride = (uint64_t)walk->strides[j];
        uint64_t low = walk->addresses[j] & mask;
        uint64_t high =
            (walk->addresses[j] + replay->references[walk->references[j]].extra_bytes) & mask;
        if (stride == 0)
            continue;
        bool down = walk->strides[j] < 0;
        uint64_t room = down ? (low < high ? low : high) : mask - (low > high ? low : high);
        uint64_t quiet = room / (down ? -stride : stride);
        if (quiet < max)
            max = quiet;
    }
    return max;
}

static void skip(struct walk *walk, uint64_t iterations)
{
    for (uint32_t j = 0; j < walk->count; j++)
        walk->addresses[j] += iterations * (uint64_t)walk->strides[j];
    walk->iteration += iterations;
}

int ft_replay_walk(struct ft_replay *replay, const uint32_t *references, uint64_t *addresses,
                   const int64_t *strides, uint32_t count, uint64_t iteration_count,
                   struct ft_diag *diag)
{
    struct walk walk = {.replay = replay,
                        .references = references,
                        .addresses = addresses,
                        .strides = strides,
                        .count = count};
    const unsigned sizes = replay->size_count;
    uint64_t touches_max = 0;
    for (uint32_t j = 0; j < count; j++)
        touches_max +=
            2 + (replay->references[references[j]].extra_bytes >> replay->stacks[0].shift);

    unsigned crossed = sizes;
    unsigned crossed_before = 0;
    struct ft_scope_snapshot snapshot;
    bool steady = replay->first_step == UINT32_MAX;
    bool together = false; /* all sizes */
    for (;;) {
        unsigned size_end = crossed > crossed_before ? crossed : crossed_before;
        if (size_end) {
            close_weights(&walk, crossed);
            if (replay->touch_count + touches_max > FT_TOUCH_BATCH) {
                close_weights(&walk, sizes);
                int status = ft_replay_flush(replay, diag);
                if (status)
                    return status;
                size_end = sizes;
            }
            unsigned row = new_row(&walk, crossed, size_end);
            int status = take_iteration(&walk, size_end, row, diag);
            if (status)
                return status;
            if (!steady) {
                steady = walk.iteration > 0 &&
                         ft_scope_walk_is_back(&replay->scopes, FT_WATCH_ITERATIONS, &snapshot);
                together = walk.head_depth == 0 ||
                           replay->scopes.depth_min[FT_WATCH_ITERATIONS] < walk.head_depth;
                ft_scope_walk_remember(&replay->scopes, FT_WATCH_ITERATIONS, &snapshot);
            }
        } else {
            skip(&walk, quiet_iterations(&walk, iteration_count - 1 - walk.iteration));
        }
        if (walk.iteration + 1 == iteration_count)
            break;
        crossed_before = crossed;
        crossed = step(&walk);
        if (!steady || (together && crossed))
            crossed = sizes;
    }
    walk.iteration = iteration_count;
    close_weights(&walk, sizes);
    uint64_t last_byte =
        addresses[count - 1] + replay->references[references[count - 1]].extra_bytes;
    replay->last_block = last_byte >> replay->stacks[0].shift;
    replay->has_last_block = !replay->pairs; /* as in take_access */
    return FT_OK;
}
