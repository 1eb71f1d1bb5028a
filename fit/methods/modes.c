/*
 * In a piece between two cuts:
 * 1. At each size list its gaps: ranges of distance with (nearly) no touches, the widest in
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
#include "fit/methods/modes.h"

#include <math.h>

#include "fit/methods/split_bins.h"

#define GAPS_MAX     16   /* gaps of one size that are considered */
#define GAP_MIN      0.14 /* natural logarithm of the ratio of a gap's ends */
#define GAP_RATIO    1.15 /* below exp(GAP_MIN): cheap to tell */
#define CLIFF_MIN    3.0  /* natural logarithm of the ratio of touches in neighbouring bins */
#define CLIFF_RATIO  20.0 /* below exp(CLIFF_MIN): cheap to tell */
#define CLIFF_SHARE  0.1  /* of a piece's touches: what the bin on top must have */
#define CLIFF_WIDTH  0.03 /* what a cliff counts as a gap, times that logarithm */
#define STRAY_SHARE  1e-3 /* of a piece's touches: fewer inside a gap do not fill it */
#define MODE_SHARE   1e-4 /* of all touches: what a cut must leave on both sides */
#define TRACE_ERROR  0.35 /* natural logarithm: how far a traced gap may lie from its forecast */
#define TAIL_ERROR   0.15 /* relative, times the width (at most 1): how badly a tail may fit */
#define TAIL_SCALE   0.02 /* relative: an error that costs a cut most of its rank */
#define GROWTH_RATIO 0.75 /* of the sizes from which growth is told */
#define SIZES_MIN    3    /* at which a gap must be seen */
#define DEPTH_MAX    16
#define SLOWER       0.01 /* of a growth: what it costs beside its mismatch */

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
    double min = MODE_SHARE * profile->touches;
    if (gap->rank - begin < min || end - gap->rank < min)
        return;
    gap->tail = log(end - gap->rank + touches_beyond);
    gaps_insert(gaps, gap);
}

/* The cliff between atom i and the next, if there is one. */
static bool cliff_at(const struct ft_profile *profile, size_t i, double piece, struct gap *ret_gap)
{
    double touches = profile->ranks[i + 1] - profile->ranks[i];
    double next = profile->ranks[i + 2] - profile->ranks[i + 1];
    double ratio = touches > next ? touches / next : next / touches;
    if (ratio < CLIFF_RATIO || fmax(touches, next) < CLIFF_SHARE * piece)
        return false;
    double height = fabs(log(touches / next));
    *ret_gap = (struct gap){.width = CLIFF_WIDTH * height,
                            .rank = profile->ranks[i + 1],
                            .lower = log_distance(profile, i),
                            .upper = log_distance(profile, i + 1)};
    return height > CLIFF_MIN;
}

/* The gaps of one size between two ranks. From each atom the gap reaches as far as strays allow;
 * the cut lies before the atom after the widest empty range in it. */
static void list_gaps(const struct ft_profile *profile, double begin, double end,
                      double touches_beyond, struct gaps *ret_gaps)
{
    *ret_gaps = (struct gaps){0};
    if (end - begin < 2)
        return;
    size_t first = ft_profile_atom(profile, begin), last = ft_profile_atom(profile, end);
    if (last > 0 && profile->ranks[last] >= end)
        last--;
    double strays_max = STRAY_SHARE * (end - begin);
    size_t reach = first;
    for (size_t i = first; i < last; i++) {
        struct gap gap;
        if (cliff_at(profile, i, end - begin, &gap))
            consider(profile, begin, end, touches_beyond, &gap, ret_gaps);
        reach = reach > i + 1 ? reach : i + 1;
        size_t before = reach;
        while (reach < last && profile->ranks[reach + 1] - profile->ranks[i + 1] <= strays_max)
            reach++;
        if (reach == before && i > first && reach > i + 1)
            continue; /* part of the gap that began one atom before */
        if (profile->distances_blocks[reach] + 1 < GAP_RATIO * (profile->distances_blocks[i] + 1))
            continue;
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
        if (gap.width >= GAP_MIN)
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
    double min = TRACE_ERROR;
    for (size_t i = 0; i < gaps->count; i++) {
        double distance = mismatch(&gaps->items[i], forecast);
        if (distance < min) {
            min = distance;
            nearest = &gaps->items[i];
        }
    }
    return nearest;
}

/* How far below the largest size one lies in a parameter, as a logarithm. */
static double depth_of(const struct ft_axis *axis, size_t size, size_t parameter)
{
    return log(axis->points[axis->count - 1].parameters[parameter] /
               axis->points[size].parameters[parameter]);
}

/* The size with which the largest one gives the growth of a gap in a parameter: far enough below it
 * that rounding does not matter, near enough that the gap is there, all other parameters being the
 * same. The count where there is none. */
static size_t middle_size(const struct ft_axis *axis, size_t parameter)
{
    const size_t last = axis->count - 1;
    size_t found = axis->count;
    for (size_t k = last; k-- > 0;) {
        bool alone = axis->basis.parameter_count > 1 || k <= axis->count - SIZES_MIN;
        for (size_t j = 0; j < axis->basis.parameter_count; j++)
            alone = alone && (j == parameter ||
                              axis->points[k].parameters[j] == axis->points[last].parameters[j]);
        if (!alone || depth_of(axis, k, parameter) <= 0)
            continue;
        found = k;
        if (axis->points[k].parameters[parameter] <=
            GROWTH_RATIO * axis->points[last].parameters[parameter])
            break;
    }
    return found;
}

/* A gap at the largest size, and what it is at the middle size of each parameter. */
struct growth {
    const struct gap *top;
    const struct gap *next[FT_PARAMETERS_MAX];
    size_t middle[FT_PARAMETERS_MAX];
};

static struct gap forecast_gap(const struct ft_axis *axis, const struct growth *growth, size_t size)
{
    struct gap gap = *growth->top;
    for (size_t j = 0; j < axis->basis.parameter_count; j++) {
        double ratio = depth_of(axis, size, j) / depth_of(axis, growth->middle[j], j);
        if (ratio == 0)
            continue;
        gap.tail += (growth->next[j]->tail - growth->top->tail) * ratio;
        gap.lower += (growth->next[j]->lower - growth->top->lower) * ratio;
        gap.upper += (growth->next[j]->upper - growth->top->upper) * ratio;
    }
    return gap;
}

/* Traces a gap over the sizes. Gives the first size that it reaches (the count where it is lost
 * above the middle ones), and the least width. */
static size_t trace(const struct ft_axis *axis, const struct gaps *gaps,
                    const struct growth *growth, double *ranks, double *ret_width)
{
    size_t last = axis->count - 1, first = last;
    ranks[last] = growth->top->rank;
    *ret_width = growth->top->width;
    while (first > 0) {
        const struct gap forecast = forecast_gap(axis, growth, first - 1);
        const struct gap *found = nearest_gap(&gaps[first - 1], &forecast);
        for (size_t j = 0; j < axis->basis.parameter_count; j++)
            if (growth->middle[j] == first - 1)
                found = growth->next[j];
        if (!found)
            break;
        ranks[--first] = found->rank;
        *ret_width = fmin(*ret_width, found->width);
    }
    for (size_t j = 0; j < axis->basis.parameter_count; j++)
        if (first > growth->middle[j])
            return axis->count;
    return first;
}

static bool grows_plausibly(double top, double next, double base, bool falls)
{
    double slack = 0.05 + 0.1 * base;
    return top - next > (falls ? -4 * base : 0) - slack && top - next < 4 * base + slack;
}

/* Ends and tail of a gap do not shrink with the size, nor grow faster than n^4, roundings apart. Of
 * several parameters one may be the number of those that share the work. */
static bool plausible(const struct ft_axis *axis, const struct growth *growth, size_t parameter)
{
    const struct gap *top = growth->top, *next = growth->next[parameter];
    double base = depth_of(axis, growth->middle[parameter], parameter);
    bool falls = axis->basis.parameter_count > 1;
    return grows_plausibly(top->tail, next->tail, base, falls) &&
           grows_plausibly(top->lower, next->lower, base, falls) &&
           grows_plausibly(top->upper, next->upper, base, falls);
}

/* How badly a gap's growth along a parameter explains the sizes that differ from the largest in it
 * alone: the mean mismatch there, and of equals the slower growth. */
static double line_mismatch(const struct ft_axis *axis, const struct gaps *gaps,
                            const struct growth *growth, size_t parameter)
{
    const size_t last = axis->count - 1;
    double sum = 0, count = 0;
    for (size_t k = 0; k < last; k++) {
        bool alone = true;
        for (size_t j = 0; j < axis->basis.parameter_count; j++)
            alone = alone && (j == parameter || depth_of(axis, k, j) == 0);
        if (!alone)
            continue;
        const struct gap forecast = forecast_gap(axis, growth, k);
        const struct gap *found = nearest_gap(&gaps[k], &forecast);
        sum += found ? mismatch(found, &forecast) : 2 * TRACE_ERROR;
        count++;
    }
    const struct gap *top = growth->top, *next = growth->next[parameter];
    double change = fabs(top->lower - next->lower) + fabs(top->upper - next->upper) +
                    fabs(top->tail - next->tail);
    return sum / count + SLOWER * change;
}

/* The gap's counterparts along all parameters but the first. */
static bool find_counterparts(const struct ft_axis *axis, const struct gaps *gaps,
                              struct growth *growth)
{
    for (size_t j = 1; j < axis->basis.parameter_count; j++) {
        const struct gaps *nexts = &gaps[growth->middle[j]];
        const struct gap *best = NULL;
        double min = INFINITY;
        for (size_t i = 0; i < nexts->count; i++) {
            growth->next[j] = &nexts->items[i];
            if (!plausible(axis, growth, j))
                continue;
            double value = line_mismatch(axis, gaps, growth, j);
            if (value < min)
                best = growth->next[j];
            min = fmin(min, value);
        }
        growth->next[j] = best;
        if (!best)
            return false;
    }
    return true;
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
 * may outgrow the one below, which then holds it down (fit/evaluate/evaluate.h): of touches that
 * come to the next row, a share that grows with the row goes to another page, until all of them do.
 */
static bool is_between_at(const struct ft_point *at, const struct ft_cut *low,
                          const struct ft_cut *cut, const struct ft_cut *high, bool learned)
{
    double tail = ft_function_at(&cut->tail, at), max = ft_function_at(&low->tail, at);
    double min = fmin(ft_function_at(&high->tail, at), max);
    return !(learned && tail > max * (1 + 1e-9)) && !(tail < min * (1 - 1e-9));
}

/* Of several parameters, at the training sizes and along all lines. */
static bool is_between_on_lines(const struct ft_axis *axis, const struct ft_cut *low,
                                const struct ft_cut *cut, const struct ft_cut *high)
{
    for (size_t k = cut->first; k < axis->count; k++)
        if (!is_between_at(&axis->points[k], low, cut, high, true))
            return false;
    for (size_t i = 0; i < axis->line_count * FT_LINE_POINTS; i++)
        if (!is_between_at(&axis->lines[i / FT_LINE_POINTS].points[i % FT_LINE_POINTS], low, cut,
                           high, false))
            return false;
    return true;
}

static bool is_between(const struct ft_axis *axis, const struct ft_cut *low,
                       const struct ft_cut *cut, const struct ft_cut *high)
{
    if (axis->basis.parameter_count > 1)
        return is_between_on_lines(axis, low, cut, high);
    const double largest = axis->n[axis->count - 1];
    double step = pow(FT_GRID_REACH * largest / axis->n[cut->first], 1.0 / (FT_GRID_COUNT - 1));
    double n = axis->n[cut->first];
    for (size_t i = 0; i < FT_GRID_COUNT; i++, n *= step) {
        struct ft_point at = ft_axis_point(axis, n);
        if (!is_between_at(&at, low, cut, high, n <= largest))
            return false;
    }
    return true;
}

static bool find_cut(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high, struct ft_cut *ret_cut,
                     struct ft_function without[FT_LEAVE_OUT_MAX])
{
    const struct ft_axis *axis = ft_fitter_axis(splitter->fitter);
    struct gaps gaps[FT_TRAINING_MAX] = {0};
    size_t last = splitter->count - 1;
    for (size_t k = 0; k < splitter->count; k++)
        list_gaps(&splitter->profiles[k], low->ranks[k], high->ranks[k],
                  splitter->profiles[k].touches - high->ranks[k], &gaps[k]);
    struct growth growth = {.top = NULL};
    for (size_t j = 0; j < axis->basis.parameter_count; j++)
        if ((growth.middle[j] = middle_size(axis, j)) == axis->count)
            return false;
    const struct gaps *tops = &gaps[last], *nexts = &gaps[growth.middle[0]];
    double best = 0;
    for (size_t i = 0; i < tops->count * nexts->count; i++) {
        growth.top = &tops->items[i / nexts->count];
        growth.next[0] = &nexts->items[i % nexts->count];
        struct ft_cut cut = {0};
        double width = 0;
        if (!plausible(axis, &growth, 0) || !find_counterparts(axis, gaps, &growth))
            continue;
        cut.first = trace(axis, gaps, &growth, cut.ranks, &width);
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
    if (best > 0)
        ft_splitter_leave_out(splitter, ret_cut, without);
    for (size_t k = 0; best > 0 && k < splitter->count; k++)
        ret_cut->ranks[k] = fmin(fmax(ret_cut->ranks[k], low->ranks[k]), high->ranks[k]);
    return best > 0;
}

static int fit_between(struct ft_splitter *splitter, const struct ft_cut *low,
                       const struct ft_cut *high, unsigned depth)
{
    struct ft_cut cut = {0};
    struct ft_function without[FT_LEAVE_OUT_MAX];
    if (depth == DEPTH_MAX || !find_cut(splitter, low, high, &cut, without))
        return ft_split_piece(splitter, low, high);
    int status = fit_between(splitter, low, &cut, depth + 1);
    return status < 0 ? status : fit_between(splitter, &cut, high, depth + 1);
}

static int fit_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high)
{
    return fit_between(splitter, low, high, 0);
}

static int fit(const struct ft_fit_task *task, struct ft_fit_member *ret_members,
               struct ft_diag *diag)
{
    return ft_split_whole(task, fit_piece, ret_members, diag);
}

const struct ft_fit_method ft_modes_method = {
    .name = "modes",
    .summary = "tail counts at gaps found at all sizes, recursive splitting between them",
    .fit = fit,
};
