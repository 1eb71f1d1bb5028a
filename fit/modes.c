/*
 * In a piece between two cuts:
 * 1. At each size list its gaps: stretches of distance with (nearly) no touches, the widest in
 *    ratio of their ends, each with the touches beyond it (tail) and its ends (lower, upper). A
 *    cliff, where a mode rises from a thin spread of other touches, counts as a narrow gap.
 * 2. Match them over the sizes. A gap of the largest size and one of a middle size give three
 *    growth exponents (of tail, lower and upper end); with these the gap is traced to the other
 *    sizes, taking the nearest gap there. A trace that breaks off at small sizes, where modes still
 *    overlap, is good enough where three sizes are left: the cut's ranks are then forecast
 *    backwards.
 * 3. The tails of a trace are fitted. The widest gap whose tail fits well and stays between those
 *    of the cuts around it becomes a cut, and both sides are searched again. Where no gap is left,
 *    the piece is one mode.
 */
#include "fit/modes.h"

#include <math.h>

#include "fit/split_bins.h"

#define GAPS_MAX     16   /* gaps of one size that are considered */
#define GAP_LEAST    0.14 /* natural logarithm of the ratio of a gap's ends */
#define CLIFF_LEAST  3.0  /* natural logarithm of the ratio of touches in neighbouring bins */
#define CLIFF_SHARE  0.1  /* of a piece's touches: what the bin on top must have */
#define CLIFF_WIDTH  0.03 /* what a cliff counts as a gap, times that logarithm */
#define STRAY_SHARE  1e-3 /* of a piece's touches: fewer inside a gap do not fill it */
#define MODE_SHARE   1e-4 /* of all touches: what a cut must leave on both sides */
#define TRACE_ERROR  0.35 /* natural logarithm: how far a traced gap may lie from its forecast */
#define TAIL_ERROR   0.15 /* relative, times the width (at most 1): how badly a tail may fit */
#define TAIL_SCALE   0.02 /* relative: an error that costs a cut most of its rank */
#define GROWTH_RATIO 0.75 /* of the sizes from which growth is told */
#define SIZES_LEAST  3    /* at which a gap must be seen */
#define DEPTH_MAX    16

struct gap {
    double width;              /* log(upper / lower) */
    double rank;               /* of the first touch beyond */
    double tail, lower, upper; /* logarithms of touches beyond, and of the ends + 1 */
};

struct gaps {
    size_t count;
    struct gap items[GAPS_MAX]; /* the widest first */
};

/* Distances are compared as d + 1: the capacity that just holds them. */
static double log_distance(const struct ft_profile *profile, size_t atom)
{
    return log1p(profile->distances_blocks[atom]);
}

static void gaps_insert(struct gaps *gaps, const struct gap *gap)
{
    size_t at = gaps->count < GAPS_MAX ? gaps->count++ : GAPS_MAX;
    while (at > 0 && gaps->items[at - 1].width < gap->width) {
        if (at < GAPS_MAX)
            gaps->items[at] = gaps->items[at - 1];
        at--;
    }
    if (at < GAPS_MAX)
        gaps->items[at] = *gap;
}

static void consider(const struct ft_profile *profile, double begin, double end,
                     double touches_beyond, struct gap *gap, struct gaps *gaps)
{
    double least = MODE_SHARE * profile->touches;
    if (gap->rank - begin < least || end - gap->rank < least)
        return;
    gap->tail = log(end - gap->rank + touches_beyond);
    gaps_insert(gaps, gap);
}

/* The cliff between atom i and the next, if there is one. */
static bool cliff_at(const struct ft_profile *profile, size_t i, double piece, struct gap *ret_gap)
{
    double touches = profile->ranks[i + 1] - profile->ranks[i];
    double next = profile->ranks[i + 2] - profile->ranks[i + 1];
    double height = fabs(log(touches / next));
    *ret_gap = (struct gap){.width = CLIFF_WIDTH * height,
                            .rank = profile->ranks[i + 1],
                            .lower = log_distance(profile, i),
                            .upper = log_distance(profile, i + 1)};
    return height > CLIFF_LEAST && fmax(touches, next) >= CLIFF_SHARE * piece;
}

/* The gaps of one size between two ranks. From each atom the gap reaches as far as strays allow;
 * the cut lies before the atom after the widest empty stretch in it. */
static void list_gaps(const struct ft_profile *profile, double begin, double end,
                      double touches_beyond, struct gaps *ret_gaps)
{
    *ret_gaps = (struct gaps){0};
    if (end - begin < 2)
        return;
    size_t first = ft_profile_atom(profile, begin), last = ft_profile_atom(profile, end);
    if (last > 0 && profile->ranks[last] >= end)
        last--;
    double strays_most = STRAY_SHARE * (end - begin);
    size_t reach = first;
    for (size_t i = first; i < last; i++) {
        struct gap gap;
        if (cliff_at(profile, i, end - begin, &gap))
            consider(profile, begin, end, touches_beyond, &gap, ret_gaps);
        reach = reach > i + 1 ? reach : i + 1;
        size_t before = reach;
        while (reach < last && profile->ranks[reach + 1] - profile->ranks[i + 1] <= strays_most)
            reach++;
        if (reach == before && i > first && reach > i + 1)
            continue; /* part of the gap that began one atom before */
        gap =
            (struct gap){.lower = log_distance(profile, i), .upper = log_distance(profile, reach)};
        gap.width = gap.upper - gap.lower;
        double widest = 0;
        for (size_t j = i; j < reach; j++) {
            double step = log_distance(profile, j + 1) - log_distance(profile, j);
            if (step > widest) {
                widest = step;
                gap.rank = profile->ranks[j + 1];
            }
        }
        if (gap.width >= GAP_LEAST)
            consider(profile, begin, end, touches_beyond, &gap, ret_gaps);
    }
}

/* How far a gap is from a forecast of it. */
static double mismatch(const struct gap *gap, const struct gap *forecast)
{
    double ends = fmax(fabs(gap->lower - forecast->lower), fabs(gap->upper - forecast->upper));
    return fmax(ends, fabs(gap->tail - forecast->tail));
}

static const struct gap *nearest_gap(const struct gaps *gaps, const struct gap *forecast)
{
    const struct gap *nearest = NULL;
    double least = TRACE_ERROR;
    for (size_t i = 0; i < gaps->count; i++) {
        double distance = mismatch(&gaps->items[i], forecast);
        if (distance < least) {
            least = distance;
            nearest = &gaps->items[i];
        }
    }
    return nearest;
}

/* The size with which the largest one gives the growth of a gap: far enough below it that rounding
 * does not matter, near enough that the gap is there. */
static size_t middle_size(const struct ft_axis *axis)
{
    size_t middle = axis->count - SIZES_LEAST;
    while (middle > 0 && axis->n[middle] > GROWTH_RATIO * axis->n[axis->count - 1])
        middle--;
    return middle;
}

/* Traces the gap that is `top` at the largest and `next` at the middle size. Gives the first size
 * that it reaches (the count where it is lost above the middle), and the least width. */
static size_t trace(const struct ft_axis *axis, const struct gaps *gaps, const struct gap *top,
                    const struct gap *next, double *ranks, double *ret_width)
{
    size_t last = axis->count - 1, middle = middle_size(axis), first = last;
    double base = log(axis->n[last]) - log(axis->n[middle]);
    ranks[last] = top->rank;
    *ret_width = top->width;
    while (first > 0) {
        double ratio = (log(axis->n[last]) - log(axis->n[first - 1])) / base;
        struct gap forecast = {.tail = top->tail + (next->tail - top->tail) * ratio,
                               .lower = top->lower + (next->lower - top->lower) * ratio,
                               .upper = top->upper + (next->upper - top->upper) * ratio};
        const struct gap *found =
            first - 1 == middle ? next : nearest_gap(&gaps[first - 1], &forecast);
        if (!found)
            break;
        ranks[--first] = found->rank;
        *ret_width = fmin(*ret_width, found->width);
    }
    return first > middle ? axis->count : first;
}

/* Ends and tail of a gap do not shrink with the size, nor grow faster than n^4, roundings apart. */
static bool plausible(const struct ft_axis *axis, const struct gap *top, const struct gap *next)
{
    double base = log(axis->n[axis->count - 1]) - log(axis->n[middle_size(axis)]);
    double slack = 0.05 + 0.1 * base;
    return top->tail - next->tail > -slack && top->tail - next->tail < 4 * base + slack &&
           top->lower - next->lower > -slack && top->lower - next->lower < 4 * base + slack &&
           top->upper - next->upper > -slack && top->upper - next->upper < 4 * base + slack;
}

/* Ranks at the sizes that a trace does not reach: from its tail, forecast backwards. */
static void complete_ranks(const struct ft_splitter *splitter, struct ft_cut *cut)
{
    const struct ft_axis *axis = ft_fitter_axis(splitter->fitter);
    for (size_t k = 0; k < cut->first; k++)
        cut->ranks[k] =
            splitter->profiles[k].touches - ft_function_at(&cut->tail, &axis->points[k]);
}

/* Whether a tail lies between those of the cuts around it, from the smallest size to far beyond the
 * largest. Those were wider gaps: where they disagree, they are right. Beyond the largest size it
 * may outgrow the one below, which then holds it down (fit/evaluate.h): of touches that come to the
 * next row, a share that grows with the row goes to another page, until all of them do. */
static bool is_between(const struct ft_axis *axis, const struct ft_cut *low,
                       const struct ft_cut *cut, const struct ft_cut *high)
{
    const double largest = axis->n[axis->count - 1];
    double step = pow(FT_GRID_REACH * largest / axis->n[cut->first], 1.0 / (FT_GRID_COUNT - 1));
    double n = axis->n[cut->first];
    for (size_t i = 0; i < FT_GRID_COUNT; i++, n *= step) {
        struct ft_point at = ft_axis_point(axis, n);
        double tail = ft_function_at(&cut->tail, &at), most = ft_function_at(&low->tail, &at);
        double least = fmin(ft_function_at(&high->tail, &at), most);
        if ((n <= largest && tail > most * (1 + 1e-9)) || tail < least * (1 - 1e-9))
            return false;
    }
    return true;
}

static bool find_cut(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high, struct ft_cut *ret_cut)
{
    const struct ft_axis *axis = ft_fitter_axis(splitter->fitter);
    struct gaps gaps[FT_TRAINING_MAX] = {0};
    size_t last = splitter->count - 1;
    for (size_t k = 0; k < splitter->count; k++)
        list_gaps(&splitter->profiles[k], low->ranks[k], high->ranks[k],
                  splitter->profiles[k].touches - high->ranks[k], &gaps[k]);
    const struct gaps *tops = &gaps[last], *nexts = &gaps[middle_size(axis)];
    double best = 0;
    for (size_t i = 0; i < tops->count * nexts->count; i++) {
        const struct gap *top = &tops->items[i / nexts->count];
        const struct gap *next = &nexts->items[i % nexts->count];
        struct ft_cut cut = {0};
        double width = 0;
        if (!plausible(axis, top, next))
            continue;
        cut.first = trace(axis, gaps, top, next, cut.ranks, &width);
        if (cut.first == splitter->count)
            continue;
        ft_splitter_fit_tail(splitter, &cut);
        double error = cut.tail.rms_relative_error;
        double seen = (double)(splitter->count - cut.first) / (double)splitter->count;
        double score = width * seen * exp(-error / TAIL_SCALE) * (cut.tail.exact ? 2 : 1);
        if (error > fmin(TAIL_ERROR, TAIL_ERROR * width) || score <= best ||
            !is_between(axis, low, &cut, high))
            continue;
        best = score;
        complete_ranks(splitter, &cut);
        *ret_cut = cut;
    }
    for (size_t k = 0; best > 0 && k < splitter->count; k++)
        ret_cut->ranks[k] = fmin(fmax(ret_cut->ranks[k], low->ranks[k]), high->ranks[k]);
    return best > 0;
}

static int fit_between(struct ft_splitter *splitter, const struct ft_cut *low,
                       const struct ft_cut *high, unsigned depth)
{
    struct ft_cut cut = {0};
    if (depth == DEPTH_MAX || !find_cut(splitter, low, high, &cut))
        return ft_split_piece(splitter, low, high);
    int status = fit_between(splitter, low, &cut, depth + 1);
    return status < 0 ? status : fit_between(splitter, &cut, high, depth + 1);
}

static int fit_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high)
{
    return fit_between(splitter, low, high, 0);
}

static int fit(const struct ft_fit_task *task, struct ft_model_member *ret_member,
               struct ft_diag *diag)
{
    return ft_split_whole(task, fit_piece, ret_member, diag);
}

const struct ft_fit_method ft_modes_method = {
    .name = "modes",
    .summary = "tail counts at gaps found at all sizes, recursive splitting between them",
    .fit = fit,
};
