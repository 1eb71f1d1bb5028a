/*
 * 1. From the innermost loop outwards, the first whose stride changes sides. Loops inside it must
 *    stay above the block size on both sides, or be invariant: where they sweep blocks, a new one
 *    is entered by their strides, not by this one's.
 * 2. Touches that enter a block have distances beyond an iteration of that loop. Their number and
 *    their distances, which are the blocks that the loop walks over, shrink by the same share. What
 *    no longer enters a block is found again within an iteration. A law that grows beyond all
 *    touches loses the share before it is clamped to these.
 * 3. Of those that do enter one, the next loop outside finds a block again unless it has left it
 *    itself: a share s'/B, for its stride s'. That goes on to loops farther outside, at distances
 *    that cover arrays, not walks, and these stay as they are.
 */
#include "fit/evaluate/stride_regimes.h"

#include <math.h>
#include <stdlib.h>

static double references_of_scope(const struct ft_model *model, uint32_t scope)
{
    double count = 0;
    for (size_t i = 0; i < model->group_count; i++)
        if (model->groups[i].scope == scope)
            count += model->groups[i].reference_count;
    return count;
}

/* What the law learned says of the share that enters a block, against what is so. */
static double entering_share(const struct ft_stride_law *law, double block_bytes)
{
    const bool is_above = law->bytes >= block_bytes;
    if (law->largest <= block_bytes && is_above)
        return block_bytes / law->bytes;
    return law->smallest >= block_bytes && !is_above ? law->bytes / block_bytes : 1;
}

struct ft_stride_regime ft_stride_regime_of(const struct ft_model *model, size_t group,
                                            double block_bytes, const struct ft_point *at)
{
    struct ft_stride_regime regime = {.share = 1, .tail_share = 1, .carried_on = NAN};
    double iterations = 1;
    for (size_t loop = 0; loop < FT_STRIDE_LOOPS_MAX; loop++) {
        const struct ft_stride_law law = ft_stride_law_of(model, group, loop, at);
        if (!law.is_known)
            return regime;
        if (law.largest == 0)
            continue;
        regime.share = entering_share(&law, block_bytes);
        if (regime.share < 1) {
            const struct ft_stride_law next = ft_stride_law_of(model, group, loop + 1, at);
            regime.differs = regime.share > 0;
            if (regime.differs && law.bytes >= block_bytes)
                regime.tail_share = regime.share;
            regime.window = iterations * references_of_scope(model, model->groups[group].scope);
            if (next.is_known)
                regime.carried_on = fmin(next.bytes / block_bytes, 1);
            return regime;
        }
        if (law.smallest < block_bytes || law.bytes < block_bytes)
            return regime;
        iterations *= ft_stride_trip_count(model, group, loop, at);
        if (isnan(iterations))
            return regime;
    }
    return regime;
}

static int compare_bins(const void *a, const void *b)
{
    const double left = ((const struct ft_forecast_bin *)a)->distance_blocks;
    const double right = ((const struct ft_forecast_bin *)b)->distance_blocks;
    return left < right ? -1 : left > right;
}

void ft_stride_regime_correct(const struct ft_stride_regime *regime, struct ft_forecast *forecast)
{
    struct ft_forecast_bin *bins = forecast->bins;
    const size_t count = forecast->bin_count;
    const double share = regime->share / regime->tail_share;
    size_t near = 0, kept = count;
    double surplus = 0;
    while (near < count && bins[near].distance_blocks <= regime->window)
        near++;
    if (!regime->differs || near == count)
        return;
    for (size_t i = near; i < count; i++) {
        const double entering = share * bins[i].touches;
        const double distance = regime->share * bins[i].distance_blocks;
        surplus += bins[i].touches - entering;
        bins[i].touches = entering;
        if (regime->carried_on < 1) { /* not where it is unknown */
            bins[kept++] =
                (struct ft_forecast_bin){bins[i].distance_blocks, entering * regime->carried_on};
            bins[i].touches -= bins[kept - 1].touches;
            bins[i].distance_blocks = fmax(distance, regime->window);
            kept -= bins[kept - 1].touches <= 0;
        }
    }
    if (near > 0)
        bins[near - 1].touches += surplus;
    else if (surplus > 0)
        bins[kept++] =
            (struct ft_forecast_bin){fmin(regime->window / 2, bins[0].distance_blocks), surplus};
    forecast->bin_count = kept;
    qsort(bins, kept, sizeof *bins, compare_bins);
}
