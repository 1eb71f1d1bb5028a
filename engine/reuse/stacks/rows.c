/*
 * Rows are looked for where a loop long enough begins, or a few single entries before it. The next
 * item of the same shape says how long a row is; items are compared with those a row before for as
 * long as they touch the same blocks.
 *
 * A body's reference is at addresses that differ by multiples of its stride, so by multiples of the
 * largest power of two in the stride and the block size. Cut into pieces of that size, memory shows
 * each of its accesses at the same place of a piece. Starts in one piece stay in one piece, and in
 * one block.
 */
#include "engine/reuse/stacks/rows.h"

#include "engine/reuse/stacks/replay_state.h"

#define ROW_ITEMS_MAX     16U
#define ROW_ACCESSES_MIN  32U /* of its loops; less is not worth looking for */
#define ENTRIES_BEFORE    8U  /* of the run before a loop, that rows may begin with */
#define ENTRIES_AN_ACCESS 4U  /* where steps of the program stand among the accesses */
#define ITERATIONS_MAX    (UINT64_C(1) << 31)

static bool is_loop(const struct ft_run *run)
{
    return run->iteration_count > 1 &&
           run->iteration_count * run->reference_count >= ROW_ACCESSES_MIN &&
           run->iteration_count < ITERATIONS_MAX;
}

static bool is_before_loop(const struct ft_run_batch *batch, struct ft_batch_place place)
{
    return batch->runs[place.run].iteration_count == 1 && place.run + 1 < batch->run_count &&
           is_loop(&batch->runs[place.run + 1]);
}

static uint32_t entries_an_access(const struct ft_replay *replay)
{
    return replay->scopes.steps ? ENTRIES_AN_ACCESS : 1;
}

uint32_t ft_rows_none_before(const struct ft_replay *replay, const struct ft_run_batch *batch,
                             struct ft_batch_place place)
{
    const uint32_t before = ENTRIES_BEFORE * entries_an_access(replay);
    uint32_t left = batch->runs[place.run].reference_count - place.entry;
    if (!is_before_loop(batch, place))
        return left;
    return left > before ? left - before : 1;
}

static bool same_shape(const struct ft_run_batch *batch, struct ft_batch_place a,
                       struct ft_batch_place b)
{
    const struct ft_run *x = &batch->runs[a.run], *y = &batch->runs[b.run];
    return x->iteration_count == y->iteration_count && x->reference_count && y->reference_count &&
           (x->iteration_count == 1 || x->reference_count == y->reference_count) &&
           batch->references[x->first + a.entry] == batch->references[y->first + b.entry];
}

/* Whether two entries of one reference stay in the same blocks. */
static bool same_blocks(const struct ft_replay *replay, const struct ft_run_batch *batch,
                        size_t first, size_t second, uint64_t stride)
{
    uint64_t both = stride | replay->block_bytes[0];
    uint64_t pieces = -(both & -both);
    uint64_t extra = replay->references[batch->references[first]].extra_bytes;
    uint64_t x = batch->addresses[first], y = batch->addresses[second];
    return (((x ^ y) | ((x + extra) ^ (y + extra))) & pieces) == 0;
}

static bool same_item(const struct ft_replay *replay, const struct ft_run_batch *batch,
                      struct ft_batch_place a, struct ft_batch_place b)
{
    if (!same_shape(batch, a, b))
        return false;
    const struct ft_run *x = &batch->runs[a.run], *y = &batch->runs[b.run];
    if (x->iteration_count == 1)
        return same_blocks(replay, batch, x->first + a.entry, y->first + b.entry, 0);
    for (uint32_t j = 0; j < x->reference_count; j++)
        if (batch->references[x->first + j] != batch->references[y->first + j] ||
            batch->strides[x->first + j] != batch->strides[y->first + j] ||
            !same_blocks(replay, batch, x->first + j, y->first + j,
                         (uint64_t)batch->strides[x->first + j]))
            return false;
    return true;
}

/* The next item of the same shape as the one at `place`, with a loop on the way; gives the items
 * from one to the other and the most iterations of a body, or false. */
static bool find_next(const struct ft_replay *replay, const struct ft_run_batch *batch,
                      struct ft_batch_place place, struct ft_batch_place *ret_next,
                      size_t *ret_items, uint64_t *ret_iterations)
{
    const size_t most = ROW_ITEMS_MAX * entries_an_access(replay);
    struct ft_batch_place next = place;
    uint64_t iterations = 1;
    for (size_t items = 1; items <= most; items++) {
        const struct ft_run *run = &batch->runs[next.run];
        if (run->iteration_count == 0 || run->iteration_count >= ITERATIONS_MAX)
            return false;
        if (run->iteration_count > iterations)
            iterations = run->iteration_count;
        ft_batch_advance(batch, &next);
        if (next.run == batch->run_count)
            return false;
        if (iterations > 1 && same_shape(batch, place, next)) {
            *ret_next = next;
            *ret_items = items;
            *ret_iterations = iterations;
            return true;
        }
    }
    return false;
}

struct ft_rows ft_rows_find(const struct ft_replay *replay, const struct ft_run_batch *batch,
                            struct ft_batch_place place)
{
    const struct ft_rows none = {0, 0};
    const struct ft_run *run = &batch->runs[place.run];
    struct ft_batch_place next;
    size_t items;
    uint64_t iterations;
    if (!is_loop(run) &&
        !(is_before_loop(batch, place) &&
          run->reference_count - place.entry <= ENTRIES_BEFORE * entries_an_access(replay)))
        return none;
    if (!find_next(replay, batch, place, &next, &items, &iterations))
        return none;
    const uint64_t most = (ITERATIONS_MAX / iterations - 1) * items; /* items to compare */
    uint64_t same = 0;
    for (; same < most && next.run < batch->run_count && same_item(replay, batch, place, next);
         same++) {
        ft_batch_advance(batch, &place);
        ft_batch_advance(batch, &next);
    }
    const uint64_t count = 1 + same / items;
    return count < 3 ? none : (struct ft_rows){items, count};
}
