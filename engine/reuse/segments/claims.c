/*
 * A segment has to be joined, and must detect repetitions again before it can skip them: so each
 * starts as far as possible after the previous one, which continues towards it.
 */
#include "engine/reuse/segments/claims.h"

#define WORTH_PIECES 3U /* less is left to who goes on towards it */

/* Pieces [first, first + count) that nobody has. */
struct gap {
    size_t first, count;
};

static struct gap gap_from(const struct ft_segment_work *work, size_t first)
{
    struct gap gap = {first, 0};
    while (first + gap.count < work->round_end && !work->pieces[first + gap.count].is_taken)
        gap.count++;
    return gap;
}

static struct gap longest_gap(const struct ft_segment_work *work)
{
    struct gap longest = {work->round_begin, 0};
    for (size_t i = work->round_begin; i < work->round_end;) {
        struct gap gap = gap_from(work, i);
        if (gap.count > longest.count)
            longest = gap;
        i += gap.count + 1;
    }
    return longest;
}

static bool is_gone_towards(const struct ft_segment_work *work, struct gap gap)
{
    return gap.first > work->round_begin && work->pieces[gap.first - 1].goes_on;
}

/* A gap is shared with the one that goes on towards it, and with those who have not begun yet. */
static bool start_in(const struct ft_segment_work *work, struct gap gap, size_t *ret_index)
{
    const size_t at_once = work->log->pass->segments_at_once;
    const size_t others = work->begun < at_once ? at_once - work->begun : 1;
    *ret_index = gap.first;
    if (gap.count == 0 || !is_gone_towards(work, gap))
        return gap.count > 0;
    *ret_index += gap.count / (others + 1);
    return gap.count >= WORTH_PIECES;
}

static void take(struct ft_segment_work *work, size_t index)
{
    work->pieces[index].is_taken = true;
    work->pieces[index].goes_on = work->segments_go_on;
}

bool ft_segment_claim_start(struct ft_segment_work *work, size_t *ret_index)
{
    bool done = false;
#pragma omp critical(ft_segment_claims)
    if (work->begun < work->window) {
        const struct gap first = gap_from(work, work->round_begin);
        done = start_in(work, first.count ? first : longest_gap(work), ret_index);
        if (done) {
            take(work, *ret_index);
            work->begun++;
        }
    }
    return done;
}

void ft_segment_claim_end(struct ft_segment_work *work, size_t last)
{
#pragma omp critical(ft_segment_claims)
    work->pieces[last].goes_on = false;
}

bool ft_segment_claim_next(struct ft_segment_work *work, size_t first, size_t last)
{
    bool goes_on = work->segments_go_on && last + 1 < work->round_end;
#pragma omp critical(ft_segment_claims)
    {
        goes_on = goes_on && !work->pieces[last + 1].is_taken;
        if (goes_on) {
            take(work, last + 1);
            work->pieces[last + 1].is_inside = true;
            work->pieces[first].to = work->pieces[last + 1].to;
        } else {
            work->pieces[last].goes_on = false;
        }
    }
    return goes_on;
}
