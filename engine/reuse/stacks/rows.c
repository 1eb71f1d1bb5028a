/*
 * Rows are searched for at the start of a sufficiently long loop, or a few single entries before
 * it. The next item of the same shape determines the length of a row; items are compared with those
 * one row earlier for as long as they touch the same blocks.
 *
 * The addresses of a body's reference differ by multiples of its stride, hence by multiples of the
 * largest power of two that divides both stride and block size. In memory cut into pieces of that
 * size, all its accesses have the same offset within their piece. So two starts within one piece
 * stay within common pieces, and common blocks.
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

static bool is_before_loop(const struct ft_run_batch *batch, struct ft_batch_position position)
{
    return batch->runs[position.run].iteration_count == 1 && position.run + 1 < batch->run_count &&
           is_loop(&batch->runs[position.run + 1]);
}

static uint32_t entries_an_access(const struct ft_replay *replay)
{
    return replay->scopes.steps ? ENTRIES_AN_ACCESS : 1;
}

uint32_t ft_rows_none_before(const struct ft_replay *replay, const struct ft_run_batch *batch,
                             struct ft_batch_position position)
{
    const uint32_t before = ENTRIES_BEFORE * entries_an_access(replay);
    uint32_t left = batch->runs[position.run].reference_count - position.entry;
    if (!is_before_loop(batch, position))
        return left;
    return left > before ? left - before : 1;
}

static bool same_shape(const struct ft_run_batch *batch, struct ft_batch_position a,
                       struct ft_batch_position b)
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
                      struct ft_batch_position a, struct ft_batch_position b)
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
                      struct ft_batch_position position, struct ft_batch_position *ret_next,
                      size_t *ret_items, uint64_t *ret_iterations)
{
    const size_t max = ROW_ITEMS_MAX * entries_an_access(replay);
    struct ft_batch_position next = position;
    uint64_t iterations = 1;
    for (size_t items = 1; items <= max; items++) {
        const struct ft_run *run = &batch->runs[next.run];
        if (run->iteration_count == 0 || run->iteration_count >= ITERATIONS_MAX)
            return false;
        if (run->iteration_count > iterations)
            iterations = run->iteration_count;
        ft_batch_advance(batch, &next);
        if (next.run == batch->run_count)
            return false;
        if (iterations > 1 && same_shape(batch, position, next)) {
            *ret_next = next;
            *ret_items = items;
            *ret_iterations = iterations;
            return true;
        }
    }
    return false;
}

struct ft_rows ft_rows_find(const struct ft_replay *replay, const struct ft_run_batch *batch,
                            struct ft_batch_position position)
{
    const struct ft_rows none = {0, 0};
    const struct ft_run *run = &batch->runs[position.run];
    struct ft_batch_position next;
    size_t items;
    uint64_t iterations;
    if (!is_loop(run) &&
        !(is_before_loop(batch, position) &&
          run->reference_count - position.entry <= ENTRIES_BEFORE * entries_an_access(replay)))
        return none;
    if (!find_next(replay, batch, position, &next, &items, &iterations))
        return none;
    const uint64_t max = (ITERATIONS_MAX / iterations - 1) * items; /* items to compare */
    uint64_t same = 0;
    for (; same < max && next.run < batch->run_count && same_item(replay, batch, position, next);
         same++) {
        ft_batch_advance(batch, &position);
        ft_batch_advance(batch, &next);
    }
    const uint64_t count = 1 + same / items;
    return count < 3 ? none : (struct ft_rows){items, count};
}
